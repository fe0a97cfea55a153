"""Remembers the position of the next mark, so that a text is searched for it only once.

Of a thousand comments that seem to open, each would be searched to the end of the text for its
closer. The first mark after one place is also the first one after all places in between.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable
from functools import wraps
from typing import TypeVar

# Searching a text up to this length costs less than remembering the result.
SHORT = 2_000
# A mark this near is found again as quickly.
NEAR = 200


T = TypeVar("T")


def of_last(ask: Callable[[str], T]) -> Callable[[str], T]:
    """Keep the result for a text until the function is called with another one.

    A text is identified by identity, not by content: comparing long equal texts at each lookup
    would cost more than the lookup.
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
    """Return the next position of `what` from `pos` on; -1 if there is none."""
    if len(text) <= SHORT:
        return text.find(what, pos)
    known = _places(text)
    since, at = known.get(what, _NEVER)
    if pos < since or -1 < at < pos:
        at = text.find(what, pos)
        known[what] = (pos, at)
    return at


def search(text: str, pattern: re.Pattern[str], pos: int) -> re.Match[str] | None:
    """Return the first match from `pos` on of a pattern without look-behind."""
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
    """For each text that was searched for: the start of the search, and the position found."""
    return {}


@of_last
def _stretches(text: str) -> dict[re.Pattern[str], tuple[list[int], list[re.Match[str] | None]]]:
    """For each pattern: from which places on there is none for long, in order, and the match after each."""
    return {}
