"""A call in, its result out if there is enough left to spend, a refusal if not."""

from __future__ import annotations

from typing import Any

from zkit.dispatch.budgets import Purse, Reservation, current_purse, reserve
from zkit.dispatch.live import LiveCall, Next
from zkit.dispatch.notes import with_notes
from zkit.results import Refused, Result
from zkit.tools import render_result
from zkit.tools.labeling import as_json

_SPENT = "The budget of tokens is used up with this answer; finish with what you have."


async def spend(call: LiveCall, proceed: Next) -> Result:
    """Reserve before the call and settle after it, whatever comes of it.

    What did not run costs nothing; what has run keeps its result, even above the limit.
    """
    purses = _purses(call)
    if not purses:
        return await proceed(call)
    counts = any(one.limits.tokens is not None for purse in purses for one in purse.all_around())
    asked = _count(call, call.arguments) if counts else 0
    held = reserve(purses, call.name, asked)
    if isinstance(held, Refused):
        return held
    result: Result | None = None
    try:
        result = await proceed(call)
    finally:
        _settle(call, held, asked, result, counts)
    return with_notes(result, _SPENT) if counts and _overdrawn(purses) else result


def _purses(call: LiveCall) -> list[Purse]:
    """The purse around the caller, and the one of the task, if the dispatcher limits tasks."""
    settings, here = call.settings, current_purse()
    found = [] if here is None else [here]
    return found if settings.limits is None else [*found, settings.purses.always()]


def _settle(
    call: LiveCall, held: Reservation, asked: int, result: Result | None, counts: bool
) -> None:
    if result is None or not counts:
        held.settle(ran=call.trace.ran, tokens=None)
        return
    meta: Any = result.meta  # type: ignore[attr-defined]
    told = meta.get("tokens_used")
    answered = told if isinstance(told, int) else call.settings.count_tokens(render_result(result))
    held.settle(ran=call.trace.ran, tokens=asked + answered)


def _count(call: LiveCall, data: Any) -> int:
    return call.settings.count_tokens(as_json(data))


def _overdrawn(purses: list[Purse]) -> bool:
    around = [one for purse in purses for one in purse.all_around()]
    return any(p.limits.tokens is not None and p.tokens >= p.limits.tokens for p in around)
