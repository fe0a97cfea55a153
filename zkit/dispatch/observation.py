"""Fire the hooks, count the results, and trace calls with OpenTelemetry."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cache
from typing import Any

from anyio import CancelScope, get_cancelled_exc_class, move_on_after

from zkit.dispatch.guards import look_at_outcome
from zkit.dispatch.hooks import point_of
from zkit.dispatch.live_call import LiveCall, Next, effects_of
from zkit.dispatch.metrics import UNKNOWN, code_of
from zkit.dispatch.run_step import result_of_step
from zkit.results import Result, Success
from zkit.tools import current_scope, render_result
from zkit.tools.execution import with_effects

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
    if api is None or not _is_set_up(api):
        return _NO_SPAN  # not installed, or nobody has said where spans go
    span = api.get_tracer("zkit").start_span(
        f"execute_tool {call.name}", attributes=_known_at_start(call)
    )
    if not span.is_recording() and not span.get_span_context().is_valid:
        return _NO_SPAN
    return _span(call, api, span)


@cache
def _is_named_in_environment() -> bool:
    return "OTEL_PYTHON_TRACER_PROVIDER" in os.environ


def _is_set_up(api: Any) -> bool:
    """Whether spans go anywhere. Asking for the provider looks at the environment on each call."""
    if getattr(api, "_TRACER_PROVIDER", api) is None and not _is_named_in_environment():
        return False
    return not isinstance(api.get_tracer_provider(), api.ProxyTracerProvider)


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


_PATIENCE = 1.0  # seconds for hooks to be notified that a call was cancelled


async def observe(call: LiveCall, proceed: Next) -> Result:
    """Fire the hooks, count, and trace; see every outcome, refusals and cancellation included."""
    trace, hooks = call.trace, call.settings.hooks
    with span_of(call) as finish:
        try:
            veto = await hooks.fire("before", call) if hooks.has("before") else None
            if veto is None:
                try:
                    result = await proceed(call)
                except BaseException as error:
                    result = result_of_step(error, call)
                is_result = isinstance(result, Result)
                trace.result = result if is_result else result_of_step(result, call)
            else:
                trace.result = veto
            if call.settings.outcome_guards:
                trace.result = await look_at_outcome(call, trace.result)
            result = await _told(call, trace.result)
        except get_cancelled_exc_class():
            result = trace.result or trace.cancelled()
            with CancelScope(shield=True), move_on_after(_PATIENCE):
                await _told(call, result)
            finish(result)
            raise
        finish(result)
    return result


async def _told(call: LiveCall, result: Result) -> Result:
    """Count the result, and let the hooks see it; the one that they leave.

    When that is interrupted and done again, nothing is counted twice, and no hook is told twice.
    """
    settings, trace = call.settings, call.trace
    known, point = trace.call or call, point_of(result)
    if trace.untold is None:
        trace.result = result
        name = known.name if known.tool is not None else UNKNOWN
        settings.metrics.count(
            name, result, trace.seconds, attempts=trace.attempts, fixes=len(known.fixes)
        )
        trace.untold = settings.hooks.at(point, current_scope().workspace)
    if not trace.untold:
        return result
    veto = await settings.hooks.fire(point, known, trace, trace.untold)
    return result if veto is None else with_effects(veto, effects_of(result))
