"""Parse strict JSON, and find where the strict parser failed."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from pydantic_core import from_json

from zkit.repair.limits import MAX_DEPTH

# A JSON value in a tuple, to tell null from no value.
Parsed = tuple[Any]
# A value and the place after it.
Placed = tuple[Any, int]


def strict(text: str) -> Parsed | None:
    """Return the value of strict JSON in a tuple; None if it is invalid. Lone surrogates are valid."""
    judged = verdict(text)
    return None if isinstance(judged, str) else judged


def verdict(text: str) -> Parsed | str:
    """Return the value of strict JSON in a tuple, or the error message of the strict parser."""
    try:
        return (from_json(text, allow_inf_nan=False),)
    except (ValueError, TypeError) as error:
        complaint = str(error)
        return with_surrogates(text, complaint) or complaint


def with_surrogates(text: str, complaint: str) -> Parsed | None:
    """Return the value of JSON rejected only for lone surrogates; None for any other complaint."""
    if not complaint.startswith(OF_SURROGATES):
        return None
    try:
        return (_DECODER.decode(text),)
    except (ValueError, RecursionError):
        return None


# The beginnings of complaints that a lone surrogate may cause, as an escape or as a character.
OF_SURROGATES = ("lone leading surrogate", "unexpected end of hex escape", "Expected bytes")


def _no_constant(name: str) -> None:
    raise ValueError(name)


_DECODER = json.JSONDecoder(parse_constant=_no_constant)
_scan_once: Callable[[str, int], Placed] = _DECODER.scan_once  # type: ignore[attr-defined]


def valid_at(text: str, start: int) -> Placed | None:
    """Return the strict JSON value that begins at `start`, and its end; None if it is damaged. Lone surrogates are valid."""
    try:
        value, end = _scan_once(text, start)
    except (ValueError, StopIteration, RecursionError):
        return None
    deep = text.count("{", start, end) + text.count("[", start, end) > MAX_DEPTH
    return None if deep and strict(text[start:end]) is None else (value, end)


# The complaint about the text after a valid value.
TRAILING = "trailing characters"


def error_at(text: str, complaint: str) -> int:
    """Return the index that the strict parser complains of."""
    return place_in(text, parts_of(complaint)[1])


def parts_of(complaint: str) -> tuple[str, str]:
    """Split a complaint into its kind and its place."""
    kind, _, place = complaint.partition(" at line ")
    return kind, place


def place_in(text: str, place: str) -> int:
    """Return the index of a place like `1 column 5`: the parser counts lines, and bytes within the line."""
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
