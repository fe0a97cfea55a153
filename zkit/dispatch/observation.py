"""Fire the hooks, count the results, and trace calls with OpenTelemetry."""

from __future__ import annotations

import json
import os
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import cache, lru_cache
from time import perf_counter
from typing import Any

from anyio import CancelScope, get_cancelled_exc_class, move_on_after

from zkit.dispatch.guards import look_at_outcome
from zkit.dispatch.hooks import point_of
from zkit.dispatch.live_call import LiveCall, Next, effects_of
from zkit.dispatch.metrics import UNKNOWN, code_of
from zkit.dispatch.run_step import result_of_step
from zkit.json_types import JsonObject
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


def span_of(call: LiveCall) -> AbstractContextManager[Finish] | None:
    """Return a context manager for one span, which yields a function that takes the result; None
    without tracing.

    Names follow the conventions for generative AI (`execute_tool`, `gen_ai.tool.name`).
    """
    api = _api()
    if api is None or not _is_set_up(api):
        return None  # not installed, or no exporter is configured
    span = _tracer_of(api.get_tracer_provider()).start_span(
        f"execute_tool {call.name}", attributes=_known_at_start(call)
    )
    if not span.is_recording() and not span.get_span_context().is_valid:
        return None
    return _span(call, api, span)


@lru_cache(maxsize=1)
def _tracer_of(provider: Any) -> Any:
    """Return the tracer of a provider, cached: making one costs more than a call."""
    return provider.get_tracer("zkit")


@cache
def _is_named_in_environment() -> bool:
    return "OTEL_PYTHON_TRACER_PROVIDER" in os.environ


def _is_set_up(api: Any) -> bool:
    """True if an exporter is configured. Looking up the provider reads the environment each time."""
    if getattr(api, "_TRACER_PROVIDER", api) is None and not _is_named_in_environment():
        return False
    return not isinstance(api.get_tracer_provider(), api.ProxyTracerProvider)


@contextmanager
def _span(call: LiveCall, api: Any, span: Any) -> Iterator[Finish]:
    with api.use_span(span, end_on_exit=True, record_exception=False):
        yield lambda result: _finish(call, api, span, result)


def _known_at_start(call: LiveCall) -> JsonObject:
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


def observe(call: LiveCall, proceed: Next) -> Awaitable[Result]:
    """Fire the hooks, count and trace every outcome, including refusals and cancellation."""
    span = span_of(call)
    return _observed(call, proceed) if span is None else _traced(call, proceed, span)


async def _traced(call: LiveCall, proceed: Next, span: AbstractContextManager[Finish]) -> Result:
    with span as finish:
        return await _observed(call, proceed, finish)


async def _observed(call: LiveCall, proceed: Next, finish: Finish | None = None) -> Result:
    trace, settings = call.trace, call.settings
    hooks = settings.hooks
    try:
        is_asked = not hooks.is_empty and hooks.has("before")
        veto = await hooks.fire("before", call) if is_asked else None
        if veto is None:
            try:
                result = await proceed(call)
            except BaseException as error:
                result = result_of_step(error, call)
            trace.result = result if isinstance(result, Result) else result_of_step(result, call)
        else:
            trace.result = veto
        if settings.outcome_guards:
            trace.result = await look_at_outcome(call, trace.result)
        result = trace.result
        if _count(call, result):
            result = await _after_hooks(call, result)
    except get_cancelled_exc_class():
        result = trace.result or trace.cancelled()
        with CancelScope(shield=True), move_on_after(_PATIENCE):
            if _count(call, result):
                await _after_hooks(call, result)
        if finish is not None:
            finish(result)
        raise
    if finish is not None:
        finish(result)
    return result


def _count(call: LiveCall, result: Result) -> bool:
    """Count the result, once; return True if hooks have not received it yet."""
    settings, trace = call.settings, call.trace
    if trace.unnotified is None:
        known = trace.call or call
        trace.result = result
        name = known.name if known.tool is not None else UNKNOWN
        settings.metrics.count(
            name,
            result,
            perf_counter() - trace.started,
            attempts=trace.attempts,
            fixes=len(known.fixes),
        )
        hooks = settings.hooks
        if hooks.is_empty:
            trace.unnotified = []
        else:
            trace.unnotified = hooks.at(point_of(result), current_scope().workspace)
    return bool(trace.unnotified)


async def _after_hooks(call: LiveCall, result: Result) -> Result:
    """Pass the result to the hooks and return the final one.

    If this is interrupted and repeated, no hook is called twice.
    """
    trace = call.trace
    veto = await call.settings.hooks.fire(
        point_of(result), trace.call or call, trace, trace.unnotified
    )
    return result if veto is None else with_effects(veto, effects_of(result))
