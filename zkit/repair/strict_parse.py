"""Parse strict JSON, and say where the strict parser failed."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from pydantic_core import from_json

from zkit.repair.limits import WINDOW
from zkit.text import lexis

Parsed = tuple[Any]
"""A value of JSON in a tuple, so that null is one too."""
Placed = tuple[Any, int]
"""A value and the place after it."""


def strict(text: str) -> Parsed | None:
    """The value of strict JSON in a tuple, or None. Lone surrogates are JSON too."""
    try:
        return (from_json(text, allow_inf_nan=False),)
    except (ValueError, TypeError) as error:
        return with_surrogates(text, str(error))


def verdict(text: str) -> Parsed | str:
    """The value of strict JSON in a tuple, or what the strict parser complains of."""
    try:
        return (from_json(text, allow_inf_nan=False),)
    except (ValueError, TypeError) as error:
        complaint = str(error)
        return with_surrogates(text, complaint) or complaint


def with_surrogates(text: str, complaint: str) -> Parsed | None:
    """What the strict parser refused only for its lone surrogates; None for any other complaint."""
    if not complaint.startswith(OF_SURROGATES):
        return None
    try:
        return (_DECODER.decode(text),)
    except (ValueError, RecursionError):
        return None


OF_SURROGATES = ("lone leading surrogate", "unexpected end of hex escape", "Expected bytes")
"""How a complaint begins that a lone surrogate may cause: as an escape, or as a character."""


def _no_constant(name: str) -> None:
    raise ValueError(name)


_DECODER = json.JSONDecoder(parse_constant=_no_constant)
_scan_once: Callable[[str, int], Placed] = _DECODER.scan_once  # type: ignore[attr-defined]


def valid_at(text: str, start: int, complaint: str = "") -> Placed | None:
    """The strict JSON object or list that begins at `start`, and its end, whatever follows it.

    `complaint` is the error of the strict parser for all the text from `start` on, where it is known.
    """
    if complaint and not complaint.startswith(OF_SURROGATES):
        return _before_rest(text[start:], complaint, start) if trails(complaint) else None
    size, window = len(text), WINDOW
    while True:
        stop = start + window
        if stop >= size:  # what follows the last closer is no part of the value
            stop = max(text.rfind("}", start), text.rfind("]", start)) + 1
        part = text[start:stop]
        try:
            return from_json(part, allow_inf_nan=False), start + len(part.rstrip(_SPACES))
        except (ValueError, TypeError) as error:
            complaint = str(error)
        if trails(complaint):
            return _before_rest(part, complaint, start)
        if complaint.startswith(OF_SURROGATES):
            return _scanned(text, start)
        if start + window >= size or error_at(part, complaint) < window - _LONGEST_TOKEN:
            return None
        window *= 8


def trails(complaint: str) -> bool:
    """Whether the strict parser found a value, and only complains of what follows it."""
    return complaint.startswith(TRAILING)


TRAILING = "trailing characters"


def _before_rest(part: str, complaint: str, start: int) -> Placed:
    """The value before the place at which the rest begins, and its end; `part` begins at `start`."""
    part = part[: error_at(part, complaint)].rstrip(_SPACES)
    return from_json(part, allow_inf_nan=False), start + len(part)


_SPACES = " \t\n\r"
_LONGEST_TOKEN = 8
"""An error so near the end of a window may come of the cut: in `false`, or in a `\\u` escape."""


def _scanned(text: str, start: int) -> Placed | None:
    """The same with a decoder that knows lone surrogates."""
    try:
        return _scan_once(text, start)
    except (ValueError, StopIteration, RecursionError):
        return None


def error_at(text: str, complaint: str) -> int:
    """The place that the strict parser complains of."""
    return place_in(text, parts_of(complaint)[1])


def parts_of(complaint: str) -> tuple[str, str]:
    """What the strict parser complains of, and its words for the place."""
    kind, _, place = complaint.partition(" at line ")
    return kind, place


def place_in(text: str, place: str) -> int:
    """A place in the words of the strict parser as an index: it counts lines, and bytes in the last one."""
    line, _, column = place.partition(" column ")
    width = int(column)
    width -= width > 0  # after a line break, the parser counts from zero
    if line == "1" and text.isascii():
        return width
    rest = text if line == "1" else text.split("\n", int(line) - 1)[-1]
    before = len(text) - len(rest)
    if rest[:width].isascii():
        return before + width
    return before + len(rest[:width].encode()[:width].decode(errors="ignore"))


_IN_STRING = frozenset(
    {"invalid escape", "control character (\\u0000-\\u001F) found while parsing a string"}
)
PLACED = _IN_STRING | {
    "trailing comma",
    "key must be a string",
    "expected `:`",
    "expected `,` or `}`",
    "expected `,` or `]`",
    "expected value",
    "expected ident",
    "invalid number",
}
"""The complaints about a token: all before it, or before the one that comes before it, is valid."""


def last_token(text: str, at: int, kind: str) -> int:
    """Where the last string before the first error begins, or the one that it is in; 0 when there is none."""
    last = at if kind in _IN_STRING else max(text.rfind('"', 0, at), 0)
    return max(lexis.quote_before(text, last), 0)
