"""What a guard is: something that looks at a call before it runs, at its result after, or both."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from zkit.errors import ZkitError
from zkit.required import require_function, require_kind, require_list, require_text
from zkit.results import Failure, Result

Verdict = Failure | str | None
Before = Callable[[Any], Verdict | Awaitable[Verdict]]
After = Callable[[Any, Result], Verdict | Awaitable[Verdict]]


class GuardError(ZkitError, ValueError):
    """Two guards of one name."""


@dataclass(frozen=True, slots=True)
class Guard:
    """A named check. `before` is given the decoded call, `after` the call and its result.

    Both may be async. A text is a note that the model reads with the result; a `Failure` blocks
    the call, or takes the place of its result. `hits` says that the guard also looks at answers
    that were remembered and did not run.
    """

    name: str
    before: Before | None = None
    after: After | None = None
    hits: bool = False

    def __post_init__(self) -> None:
        require_text("name", self.name)
        require_function("before", self.before, or_none=True)
        require_function("after", self.after, or_none=True)


def is_exempt(tool: str, patterns: Iterable[str]) -> bool:
    """Whether a tool is named in a guard's `except_for`: names, or globs of them."""
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
