"""A call in, its result out; on the way everybody who wants to know is told."""

from __future__ import annotations

from anyio import CancelScope, get_cancelled_exc_class, move_on_after

from zkit.dispatch.hooks import point_of
from zkit.dispatch.live import LiveCall, Next
from zkit.dispatch.metrics import UNKNOWN
from zkit.dispatch.notes import effects_of
from zkit.dispatch.safety import step_result
from zkit.dispatch.steps.spans import span_of
from zkit.results import Result
from zkit.tools import current_scope
from zkit.tools.outcomes import with_effects

_PATIENCE = 1.0  # seconds for hooks to hear that a call was cancelled


async def observe(call: LiveCall, proceed: Next) -> Result:
    """Fire the hooks, count, and trace; see every outcome, refusals and cancellation included."""
    trace, hooks = call.trace, call.settings.hooks
    with span_of(call) as finish:
        try:
            veto = await hooks.fire("before", call) if hooks.has("before") else None
            trace.result = await step_result(proceed, call) if veto is None else veto
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
