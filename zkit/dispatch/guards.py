"""Checks that look at a call before it runs, at its result after, or both."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from zkit.dispatch.live_call import LiveCall, Next, effects_of, with_notes
from zkit.errors import ZkitError
from zkit.required import require_function, require_kind, require_list, require_text
from zkit.results import Failure, Refused, Result, Success
from zkit.tools.context import current_scope, log_failure
from zkit.tools.execution import is_contained, with_effects

GuardAnswer = Failure | str | None
Before = Callable[[Any], GuardAnswer | Awaitable[GuardAnswer]]
After = Callable[[Any, Result], GuardAnswer | Awaitable[GuardAnswer]]


class GuardError(ZkitError, ValueError):
    """Two guards of one name."""


@dataclass(frozen=True)
class Guard:
    """A named check. `before` is given the decoded call, `after` the call and its result.

    Both may be async. A text is a note that the model reads with the result; a `Failure` blocks
    the call, or takes the place of its result. `hits` says that the guard also looks at answers
    that were remembered and did not run. `every` says that it looks at each outcome as it leaves
    the chain, also of calls that no step before the guards let through (an unknown tool, arguments
    that cannot be read); such a guard has only an `after`. `recall` is given each earlier call of
    a task that goes on in another process, with its result: a guard that counts counts it again.
    `in_tasks` says that there is nothing to look at outside of any task.
    """

    name: str
    before: Before | None = None
    after: After | None = None
    hits: bool = False
    every: bool = False
    recall: Callable[[Any, Result], object] | None = None
    in_tasks: bool = False

    def __post_init__(self) -> None:
        require_text("name", self.name)
        require_function("before", self.before, or_none=True)
        require_function("after", self.after, or_none=True)
        require_function("recall", self.recall, or_none=True)


def is_exempt(tool: str, patterns: Iterable[str]) -> bool:
    """True if a tool is named in a guard's `except_for`: names, or globs of them."""
    return any(fnmatchcase(tool, pattern) for pattern in patterns)


def checked_guards(guards: Iterable[Guard]) -> tuple[Guard, ...]:
    """Return the guards in their order; each name once."""
    require_list("guards", guards, "guards")
    found = tuple(guards)
    for guard in found:
        require_kind("a guard", guard, Guard, "a Guard")
    names = [guard.name for guard in found]
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise GuardError(f"there are two guards {twice[0]!r}; give one of them another name")
    return found


def guard(call: LiveCall, proceed: Next) -> Awaitable[Result]:
    """Let the guards look before and after: a note goes with the result, a failure blocks."""
    settings = call.settings
    guards = settings.call_guards if current_scope().task else settings.guards_outside
    return _guarded(call, proceed, guards) if guards else proceed(call)


async def _guarded(call: LiveCall, proceed: Next, guards: tuple[Guard, ...]) -> Result:
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


async def look_at_outcome(call: LiveCall, result: Result) -> Result:
    """Let those guards look at a result that see every outcome."""
    guards = call.settings.outcome_guards
    return await _after(call.trace.call or call, result, guards, []) if guards else result


def recall_outcome(call: LiveCall, result: Result) -> None:
    """Let those guards count an earlier call that saw it then."""
    is_hit = isinstance(result, Success) and not call.trace.ran
    reached = call.trace.ran or getattr(result, "code", "") == "loop"  # a guard's own refusal
    for one in call.settings.guards:
        saw_it = one.every or (call.tool is not None and (reached or (is_hit and one.hits)))
        if saw_it and one.recall is not None:
            one.recall(call, result)


async def _before(call: LiveCall, guards: Iterable[Guard], notes: list[str]) -> Failure | None:
    for one in guards:
        if one.before is None:
            continue
        try:
            said = one.before(call)
            verdict = None if said is None else await _said(said)
        except Failure as failure:
            verdict = failure
        except BaseException as error:
            if not is_contained(error):
                raise
            # It might have wanted to block the call.
            log_failure(
                "the guard %r failed before a call of %r with %s", error, one.name, call.name
            )
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
        except BaseException as error:
            if not is_contained(error):
                raise
            log_failure(
                "the guard %r failed after a call of %r with %s", error, one.name, call.name
            )
            continue
        if isinstance(verdict, Failure):
            result = with_effects(verdict, effects_of(result))
        elif verdict:
            notes.append(verdict)
    return with_notes(result, *notes) if notes else result


async def _said(verdict: object) -> GuardAnswer:
    said = await verdict if inspect.isawaitable(verdict) else verdict
    return said if isinstance(said, Failure | str) else None
