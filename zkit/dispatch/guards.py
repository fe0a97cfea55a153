"""Checks of a call before it runs, of its result afterwards, or both."""

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
    """Two guards have the same name."""


@dataclass(frozen=True)
class Guard:
    """A named check. `before` is given the decoded call, `after` the call and its result.

    Both may be async. A text is a note that the model reads with the result; a `Failure` blocks the
    call, or takes the place of its result. With `hits`, the guard also checks remembered results,
    for which nothing ran. With `every`, it checks each outcome as it leaves the chain, including
    calls that were stopped before the guards (an unknown tool, arguments that cannot be read); such
    a guard has only an `after`. `recall` is called with each earlier call of a task that continues
    in another process, and its result, so that a guard can count it again. With `in_tasks`, the
    guard does nothing outside of any task.
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
    """Run the guards before and after a call: a note is added to the result, a failure blocks the
    call."""
    settings = call.settings
    guards = settings.call_guards if current_scope().task else settings.guards_outside
    return _guarded(call, proceed, guards) if guards else proceed(call)


async def _guarded(call: LiveCall, proceed: Next, guards: tuple[Guard, ...]) -> Result:
    notes: list[str] = []
    blocked = await _before(call, guards, notes)
    result = blocked if blocked is not None else await proceed(call)
    return await _after(call, result, guards, notes)


async def guarded_hit(call: LiveCall, result: Result) -> Result:
    """Run the guards with `hits` on a remembered result."""
    guards = [guard for guard in call.settings.guards if guard.hits]
    notes: list[str] = []
    blocked = await _before(call, guards, notes)
    return await _after(call, result if blocked is None else blocked, guards, notes)


async def look_at_outcome(call: LiveCall, result: Result) -> Result:
    """Run the guards with `every` on a result."""
    guards = call.settings.outcome_guards
    return await _after(call.trace.call or call, result, guards, []) if guards else result


def recall_outcome(call: LiveCall, result: Result) -> None:
    """Let the guards that saw an earlier call count it again."""
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
            answered = one.before(call)
            verdict = None if answered is None else await _answer_of(answered)
        except Failure as failure:
            verdict = failure
        except BaseException as error:
            if not is_contained(error):
                raise
            # The guard may have been about to block the call.
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
            answered = one.after(call, result)
            verdict = None if answered is None else await _answer_of(answered)
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


async def _answer_of(verdict: object) -> GuardAnswer:
    answered = await verdict if inspect.isawaitable(verdict) else verdict
    return answered if isinstance(answered, Failure | str) else None
