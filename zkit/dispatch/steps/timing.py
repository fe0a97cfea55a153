"""A call in, its result out in time, or a transient failure that says what still runs."""

from __future__ import annotations

from time import monotonic

from anyio import get_cancelled_exc_class

from zkit.dispatch.live import LiveCall, Next
from zkit.dispatch.steps.apart import Ended, run_apart
from zkit.results import Crashed, Result, Transient
from zkit.tools import current_scope, watching
from zkit.tools.context import deadline_scope

_LATE = "no answer within {seconds:g} seconds"
_STILL = "; it could not be stopped and still runs, so it may yet have an effect"


async def limit_time(call: LiveCall, proceed: Next) -> Result:
    """Give a call so many seconds; the tool knows its deadline.

    What goes on when its time is over, or when the call is cancelled, is reported as abandoned: a
    thread cannot be stopped, and a task may refuse to.
    """
    with deadline_scope(call.policy.timeout) as inner, watching() as watch:
        seconds = None if inner.deadline is None else max(0.0, inner.deadline - monotonic())
        if seconds == 0:
            return Transient("the time for the task is over", code="timeout")
        try:
            ended = await run_apart(lambda: proceed(call), seconds, call.settings.grace)
        except get_cancelled_exc_class() as stop:
            call.trace.abandoned = watch.busy or getattr(stop, "zkit_left", False)
            raise
        if not ended.late:
            return _result(ended)
        abandoned = ended.left or watch.busy
    # The wait may have begun a little late; what counts is the limit that was set.
    is_own = inner.deadline != current_scope().deadline
    return _late(call, (call.policy.timeout if is_own else seconds) or 0.0, abandoned=abandoned)


def _result(ended: Ended) -> Result:
    if ended.error is None:
        result: Result = ended.value
        return result
    if isinstance(ended.error, get_cancelled_exc_class()):
        return Crashed("it was cancelled from within")
    raise ended.error


def _late(call: LiveCall, seconds: float, *, abandoned: bool) -> Transient:
    call.trace.abandoned = abandoned
    said = _LATE.format(seconds=round(seconds, 3))
    meta = {"abandoned": True} if abandoned else {}
    return Transient(said + _STILL if abandoned else said, code="timeout", meta=meta)
