"""Patterns in, one pattern for each first character out.

The search of `re` runs at the speed of memory where a pattern begins with a plain character, and
many times slower where it may begin with one of several.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_ESCAPED = frozenset({r"\[", r"\]", r"\n", r"\|"})
DEPTH = 3
"""How many characters the alternatives are sorted by."""


def alternatives(pattern: str) -> list[str]:
    """The alternatives of a pattern, those inside groups and sets left together."""
    found, depth, begin, at = [], 0, 0, 0
    in_set = False
    while at < len(pattern):
        char = pattern[at]
        if char == "\\":
            at += 1
        elif in_set:
            in_set = char != "]"
        elif char == "[":
            in_set = True
        elif char in "()":
            depth += 1 if char == "(" else -1
        elif char == "|" and depth == 0:
            found.append(pattern[begin:at])
            begin = at + 1
        at += 1
    return [*found, pattern[begin:]]


def by_first(kinds: Sequence[tuple[str, str]]) -> list[str]:
    """For each first character one pattern of everything that begins with it.

    The group that matches is `KIND_` and a number. Among patterns that begin alike the order is
    kept, so that it decides between two of them.
    """
    ones = [(kind, one) for kind, pattern in kinds for one in alternatives(pattern)]
    marked = [(one, f"(?P<{kind}_{i}>)") for i, (kind, one) in enumerate(ones)]
    firsts = dict.fromkeys(_first(one) for one, _ in marked)
    if "" in firsts:
        raise ValueError("every pattern must begin with a plain character")
    return [_tree([m for m in marked if _first(m[0]) == first], DEPTH) for first in firsts]


def _tree(patterns: Sequence[tuple[str, str]], depth: int) -> str:
    """Patterns, each with a mark to put after it, sorted by their first `depth` characters."""
    buckets: dict[str, list[tuple[str, str]]] = {}
    rest: list[str] = []
    for pattern, mark in patterns:
        first = _first(pattern)
        if depth and first:
            buckets.setdefault(first, []).append((pattern[len(first) :], mark))
        else:
            rest.append(pattern + mark)
    shared = [f"{first}(?:{_tree(ones, depth - 1)})" for first, ones in buckets.items()]
    return "|".join([*shared, *rest])


def _first(pattern: str) -> str:
    """The first character of a pattern, as a pattern; nothing when it is not a plain one."""
    size = 2 if pattern[:1] == "\\" else 1
    first, after = pattern[:size], pattern[size : size + 1]
    plain = first in _ESCAPED if size == 2 else (first.isalnum() or first in "<>/`~✿◁｜_:! ")
    return first if plain and after not in ("?", "*", "+", "{") else ""


class Lookout:
    """Finds the first match of several patterns; each is searched for once, not at every call.

    Every pattern begins with a character of its own: where that does not occur, neither does it.
    """

    def __init__(self, patterns: Sequence[re.Pattern[str]]) -> None:
        self._patterns = [(_character(pattern.pattern), pattern) for pattern in patterns]
        self._text: str | None = None
        self._found: list[re.Match[str] | None] = []

    def first(self, text: str, at: int) -> re.Match[str] | None:
        """The match that begins first, from `at` on; of two at one place the earlier pattern's."""
        if text is not self._text:
            self._text = text
            self._found = [_search(one, text, at) for one in self._patterns]
        best: re.Match[str] | None = None
        for index, match in enumerate(self._found):
            if match is not None and match.start() < at:
                match = self._found[index] = _search(self._patterns[index], text, at)
            if match is not None and (best is None or match.start() < best.start()):
                best = match
        return best


def _search(one: tuple[str, re.Pattern[str]], text: str, at: int) -> re.Match[str] | None:
    begin = text.find(one[0], at)
    return None if begin < 0 else one[1].search(text, begin)


def _character(pattern: str) -> str:
    """The character that every match of a pattern begins with."""
    first = _first(pattern)
    return "\n" if first == r"\n" else first[-1]


def kind_of(group: str | None) -> str:
    """The kind in the name of a group."""
    return (group or "").rpartition("_")[0]
