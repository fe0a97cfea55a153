"""A call in, an OpenTelemetry span around it out, where OpenTelemetry is installed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cache
from typing import Any

from zkit.dispatch.live import LiveCall
from zkit.dispatch.metrics import code_of
from zkit.results import Result, Success
from zkit.tools import render_result

Finish = Callable[[Result], None]


@cache
def _api() -> Any:
    try:
        from opentelemetry import trace
    except ImportError:
        return None
    return trace


def span_of(call: LiveCall) -> AbstractContextManager[Finish]:
    """Return a block that is one span; what it gives takes the result.

    Names follow the conventions for generative AI (`execute_tool`, `gen_ai.tool.name`).
    """
    api = _api()
    if api is None or isinstance(api.get_tracer_provider(), api.ProxyTracerProvider):
        return _NO_SPAN  # not installed, or nobody has said where spans go
    span = api.get_tracer("zkit").start_span(
        f"execute_tool {call.name}", attributes=_known_at_start(call)
    )
    if not span.is_recording() and not span.get_span_context().is_valid:
        return _NO_SPAN
    return _span(call, api, span)


def _ignore(result: Result) -> None:
    """Nobody traces."""


_NO_SPAN: AbstractContextManager[Finish] = nullcontext(_ignore)


@contextmanager
def _span(call: LiveCall, api: Any, span: Any) -> Iterator[Finish]:
    with api.use_span(span, end_on_exit=True, record_exception=False):
        yield lambda result: _finish(call, api, span, result)


def _known_at_start(call: LiveCall) -> dict[str, Any]:
    known = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": call.name,
        "gen_ai.tool.type": "function",
    }
    return {**known, "gen_ai.tool.call.id": call.id} if call.id else known


def _finish(call: LiveCall, api: Any, span: Any, result: Result) -> None:
    known = call.trace.call or call
    if known.tool is not None:
        span.update_name(f"execute_tool {known.name}")
        span.set_attribute("gen_ai.tool.name", known.name)
        span.set_attribute("gen_ai.tool.description", known.spec.summary)
    span.set_attribute("zkit.decode.rank", known.rank.name)
    span.set_attribute("zkit.decode.fixes", [fix.name for fix in known.fixes])
    span.set_attribute("zkit.outcome", result.kind)
    span.set_attribute("zkit.attempts", call.trace.attempts)
    span.set_attribute("zkit.cached", bool(result.meta.get("cached")))  # type: ignore[attr-defined]
    if not isinstance(result, Success):
        span.set_attribute("error.type", code_of(result))
        span.set_status(api.StatusCode.ERROR, code_of(result))
    if call.settings.record_content:
        arguments = json.dumps(known.arguments, ensure_ascii=False, default=str)
        span.set_attribute("gen_ai.tool.call.arguments", arguments)
        span.set_attribute("gen_ai.tool.call.result", render_result(result))
