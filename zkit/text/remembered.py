"""Remember where the next mark stands, so that many places of one text look for it only once.

Of a thousand comments that seem to open, each would look to the end of the text for its closer. The
first mark after one place is the first one after all places in between.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable
from functools import wraps
from typing import TypeVar

SHORT = 2_000
"""A look through a text that is no longer costs less than to remember what came of it."""
NEAR = 200
"""What is so near is as soon found anew."""


T = TypeVar("T")


def of_last(ask: Callable[[str], T]) -> Callable[[str], T]:
    """Keep the result for a text until the function is called with another one.

    A text is known by its identity, not by its content: to compare a long one with an equal one at
    each question would cost more than the answer.
    """
    last: tuple[str, T] | None = None

    @wraps(ask)
    def answer(text: str) -> T:
        nonlocal last
        known = last
        if known is None or known[0] is not text:
            last = known = (text, ask(text))
        return known[1]

    return answer


def find(text: str, what: str, pos: int) -> int:
    """Where `what` stands next, from `pos` on; -1 when it does not."""
    if len(text) <= SHORT:
        return text.find(what, pos)
    known = _places(text)
    since, at = known.get(what, _NEVER)
    if pos < since or -1 < at < pos:
        at = text.find(what, pos)
        known[what] = (pos, at)
    return at


def search(text: str, pattern: re.Pattern[str], pos: int) -> re.Match[str] | None:
    """The first match of a pattern that looks at nothing before it, from `pos` on."""
    if len(text) <= SHORT:
        return pattern.search(text, pos)
    since, found = _stretches(text).setdefault(pattern, ([], []))
    after = bisect_right(since, pos)
    if after:
        known = found[after - 1]
        if known is None or known.start() >= pos:
            return known
    match = pattern.search(text, pos)
    if match is None or match.start() - pos > NEAR:
        since.insert(after, pos)
        found.insert(after, match)
    return match


_NEVER = (1 << 62, -1)


@of_last
def _places(text: str) -> dict[str, tuple[int, int]]:
    """For what was looked for: from where on, and where it stands."""
    return {}


@of_last
def _stretches(text: str) -> dict[re.Pattern[str], tuple[list[int], list[re.Match[str] | None]]]:
    """For each pattern: from which places on there is none for long, in order, and the match after each."""
    return {}
