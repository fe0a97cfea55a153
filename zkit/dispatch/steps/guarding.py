"""A call in, its result out, as the guards leave it."""

from __future__ import annotations

import inspect
import logging
from collections.abc import Iterable
from typing import Any

from zkit.dispatch.guards.guard import Guard, Verdict
from zkit.dispatch.live import LiveCall, Next
from zkit.dispatch.notes import effects_of, with_notes
from zkit.results import Failure, Refused, Result
from zkit.tools.outcomes import with_effects

log = logging.getLogger("zkit")


async def guard(call: LiveCall, proceed: Next) -> Result:
    """Let the guards look before and after: a note goes with the result, a failure blocks."""
    guards = call.settings.guards
    if not guards:
        return await proceed(call)
    notes: list[str] = []
    blocked = await _before(call, guards, notes)
    result = blocked if blocked is not None else await proceed(call)
    return await _after(call, result, guards, notes)


async def guarded_hit(call: LiveCall, result: Result) -> Result:
    """Let those guards look at a remembered answer that want to."""
    guards = [guard for guard in call.settings.guards if guard.hits]
    notes: list[str] = []
    blocked = await _before(call, guards, notes)
    return await _after(call, result if blocked is None else blocked, guards, notes)


async def _before(call: LiveCall, guards: Iterable[Guard], notes: list[str]) -> Failure | None:
    for one in guards:
        if one.before is None:
            continue
        try:
            said = one.before(call)
            verdict = None if said is None else await _said(said)
        except Failure as failure:
            verdict = failure
        except Exception:
            # It might have wanted to block the call.
            log.exception("the guard %r failed before a call of %r", one.name, call.name)
            verdict = Refused(f"the guard {one.name} failed, so {call.name} was not run")
        if isinstance(verdict, Failure):
            return verdict
        if verdict:
            notes.append(verdict)
    return None


async def _after(
    call: LiveCall, result: Result, guards: Iterable[Guard], notes: list[str]
) -> Result:
    for one in guards:
        if one.after is None:
            continue
        try:
            said = one.after(call, result)
            verdict = None if said is None else await _said(said)
        except Failure as failure:
            verdict = failure
        except Exception:
            log.exception("the guard %r failed after a call of %r", one.name, call.name)
            continue
        if isinstance(verdict, Failure):
            result = with_effects(verdict, effects_of(result))
        elif verdict:
            notes.append(verdict)
    return with_notes(result, *notes) if notes else result


async def _said(verdict: Any) -> Verdict:
    said = await verdict if inspect.isawaitable(verdict) else verdict
    return said if isinstance(said, Failure | str) else None
