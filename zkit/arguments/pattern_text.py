"""A regular expression in, a short text that matches it out, for the example in a message."""

from __future__ import annotations

import re
from collections.abc import Callable
from re import _constants as codes  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

_LONGEST = 64
_DEEPEST = 8
_PREFERRED = "aA0-_ ./:@"


def text_that_matches(pattern: str) -> str | None:
    """A text that a pattern finds; None when the pattern is beyond what is tried here."""
    try:
        made = _sequence(parser.parse(pattern), 0)
        return made if len(made) <= _LONGEST and re.search(pattern, made) else None
    except (_BeyondUsError, re.error, OverflowError, RecursionError, ValueError):
        return None


class _BeyondUsError(Exception):
    """The pattern needs more than a look at each of its parts."""


def _sequence(parts: Any, depth: int) -> str:
    if depth > _DEEPEST:
        raise _BeyondUsError
    return "".join(_part(code, argument, depth) for code, argument in parts)


def _part(code: Any, argument: Any, depth: int) -> str:
    make = _MAKERS.get(code)
    if make is None:
        raise _BeyondUsError
    return make(argument, depth)


def _repeated(argument: Any, depth: int) -> str:
    least, _, inner = argument
    if least > _LONGEST:
        raise _BeyondUsError
    return _sequence(inner, depth + 1) * int(least)


def _one_of(items: Any, _depth: int) -> str:
    """A character of a class: one that reads well if there is any, else the first that is named."""
    if items and items[0][0] is codes.NEGATE:
        rest = items[1:]
        return next((c for c in _PREFERRED if not _is_in(c, rest)), "") or _refuse()
    found = next((c for c in _PREFERRED if _is_in(c, items)), None)
    if found is not None:
        return found
    code, argument = items[0]
    if code is codes.LITERAL:
        return chr(argument)
    return chr(argument[0]) if code is codes.RANGE else _refuse()


def _is_in(character: str, items: Any) -> bool:
    at = ord(character)
    for code, argument in items:
        if code is codes.LITERAL and argument == at:
            return True
        if code is codes.RANGE and argument[0] <= at <= argument[1]:
            return True
        if code is codes.CATEGORY and _CATEGORIES[argument](character):
            return True
    return False


def _refuse() -> str:
    raise _BeyondUsError


_CATEGORIES: dict[Any, Callable[[str], bool]] = {
    codes.CATEGORY_DIGIT: str.isdigit,
    codes.CATEGORY_NOT_DIGIT: lambda c: not c.isdigit(),
    codes.CATEGORY_SPACE: str.isspace,
    codes.CATEGORY_NOT_SPACE: lambda c: not c.isspace(),
    codes.CATEGORY_WORD: lambda c: c.isalnum() or c == "_",
    codes.CATEGORY_NOT_WORD: lambda c: not (c.isalnum() or c == "_"),
}
_MAKERS: dict[Any, Callable[[Any, int], str]] = {
    codes.LITERAL: lambda argument, _: chr(argument),
    codes.NOT_LITERAL: lambda argument, _: next(c for c in _PREFERRED if ord(c) != argument),
    codes.ANY: lambda *_: "a",
    codes.AT: lambda *_: "",
    codes.IN: _one_of,
    codes.BRANCH: lambda argument, depth: _sequence(argument[1][0], depth + 1),
    codes.SUBPATTERN: lambda argument, depth: _sequence(argument[3], depth + 1),
    codes.ATOMIC_GROUP: lambda argument, depth: _sequence(argument, depth + 1),
    codes.MAX_REPEAT: _repeated,
    codes.MIN_REPEAT: _repeated,
    codes.POSSESSIVE_REPEAT: _repeated,
}
