"""Retry transient failures where running a call twice does no harm."""

from __future__ import annotations

import random
import time

import anyio

from zkit.dispatch.live_call import LiveCall, Next, effects_of, with_meta
from zkit.results import Result, Transient
from zkit.tools import current_scope
from zkit.tools.context import Effect
from zkit.tools.execution import with_effects

_FIRST_WAIT = 0.25
_JITTER = 0.1


async def retry(call: LiveCall, proceed: Next) -> Result:
    """Retry a `Transient` result if running the tool twice does no harm: if it only reads, or is declared idempotent.

    Waits as long as the tool requests, or longer each time with full jitter; never past the
    deadline.
    """
    result = await proceed(call)
    if not isinstance(result, Transient) or not _may_retry(call, result):
        return result
    return await _again(call, proceed, result)


def _may_retry(call: LiveCall, result: Transient) -> bool:
    """True if another attempt is allowed, does no harm, and can end before the deadline."""
    if not call.policy.retry or result.meta.get("cancelled"):
        return False
    if result.meta.get("abandoned"):
        return False  # the first attempt still runs: another one would run beside it
    return _fits(call, result.retry_after or 0.0)


def _fits(call: LiveCall, seconds: float) -> bool:
    deadline = current_scope().deadline
    in_time = deadline is None or time.monotonic() + seconds < deadline
    return in_time and seconds <= call.settings.longest_wait


async def _again(call: LiveCall, proceed: Next, first: Transient) -> Result:
    from tenacity import AsyncRetrying, RetryCallState, retry_if_result, stop_after_attempt
    from tenacity.wait import wait_random_exponential

    waiting = wait_random_exponential(_FIRST_WAIT, max=call.settings.longest_wait)
    attempts: list[Result] = []

    async def attempt() -> Result:
        result = first if not attempts else await proceed(call)
        attempts.append(result)
        return result

    def wait(state: RetryCallState) -> float:
        asked = attempts[-1].retry_after  # type: ignore[attr-defined]
        if asked is None:
            return min(waiting(state), _left())
        return float(asked) * (1 + random.uniform(0, _JITTER))

    def is_worth_it(result: object) -> bool:
        return isinstance(result, Transient) and _may_retry(call, result)

    def last(state: RetryCallState) -> Result:
        return attempts[-1]

    result: Result = await AsyncRetrying(
        sleep=anyio.sleep,
        stop=stop_after_attempt(max(1, call.policy.attempts)),
        wait=wait,
        retry=retry_if_result(is_worth_it),
        retry_error_callback=last,
    )(attempt)
    return _with_all_effects(result, attempts)


def _left() -> float:
    deadline = current_scope().deadline
    return float("inf") if deadline is None else max(0.0, deadline - time.monotonic())


def _with_all_effects(result: Result, attempts: list[Result]) -> Result:
    """Return the last result with the effects of all attempts."""
    done: tuple[Effect, ...] = tuple(e for one in attempts for e in effects_of(one))
    return with_effects(with_meta(result, attempts=len(attempts)), done)
