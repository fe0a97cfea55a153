"""Structured data in, text that a model reads easily out; every value of the data is in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from unicodedata import combining, east_asian_width

from zkit.results import json_text

_DEEPEST = 8
_WIDEST_CELL = 60


def labeled(data: Any) -> str:
    """Return data as labelled lines: `name: value`, aligned rows for lists of like records."""
    return "\n".join(_lines(data, 0))


def as_json(data: Any) -> str:
    """Return data as JSON text; data nested deeper than Python can write is told, not written."""
    try:
        return json_text(data)
    except RecursionError:
        return '"[nested too deep to write]"'


def _lines(data: Any, depth: int) -> Iterator[str]:
    if depth >= _DEEPEST and not _is_scalar(data):
        yield as_json(data)
    elif isinstance(data, Mapping):
        yield from _of_mapping(data, depth)
    elif _is_list(data):
        yield from _of_list(data, depth)
    else:
        yield from _text(data).split("\n")


def _of_mapping(data: Mapping[str, Any], depth: int) -> Iterator[str]:
    if not data:
        yield "(empty)"
    for key, value in data.items():
        name = key if isinstance(key, str) and key.isprintable() and key else as_json(key)
        if _fits_on_line(value):
            yield f"{name}: {_inline(value)}"
        else:
            yield f"{name}: {len(value)} entries" if _is_list(value) else f"{name}:"
            inner = _items(value, depth + 1) if _is_list(value) else _lines(value, depth + 1)
            yield from (f"  {line}" for line in inner)


def _of_list(data: Sequence[Any], depth: int) -> Iterator[str]:
    yield f"entries: {len(data)}"
    yield from _items(data, depth)


def _items(data: Sequence[Any], depth: int) -> Iterator[str]:
    cells = _cells(data)
    if cells is not None:
        yield from _table(cells)
        return
    for number, item in enumerate(data, 1):
        first, *rest = _lines(item, depth + 1)
        mark = f"{number}. "
        yield mark + first
        yield from (" " * len(mark) + line for line in rest)


def _table(rows: list[list[str]]) -> Iterator[str]:
    """Rows with their columns aligned; the last column needs no filling."""
    widths = [max(map(_width, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        filled = [
            cell + " " * (width - _width(cell)) for cell, width in zip(row, widths, strict=True)
        ]
        yield "  ".join(filled).rstrip()


def _cells(data: Sequence[Any]) -> list[list[str]] | None:
    """Like records as rows of text under the names of their fields; None when they are not alike."""
    if len(data) < 2 or not all(isinstance(row, Mapping) and row for row in data):
        return None
    names = list(data[0])
    cells = [[str(name) for name in names]]
    for row in data:
        if list(row) != names or not all(map(_is_scalar, row.values())):
            return None
        texts = [_text(value) for value in row.values()]
        if not all(map(_is_short, texts)):
            return None
        cells.append(texts)
    return cells


def _width(text: str) -> int:
    """How many columns a text takes: some characters take two, some none."""
    if text.isascii():
        return len(text)
    marks = sum(1 for character in text if combining(character))
    wide = sum(1 for character in text if east_asian_width(character) in "WF")
    return len(text) - marks + wide


def _is_list(data: Any) -> bool:
    return isinstance(data, Sequence) and not isinstance(data, str | bytes)


def _is_scalar(data: Any) -> bool:
    return not isinstance(data, Mapping) and not _is_list(data)


def _is_short(text: str) -> bool:
    return len(text) <= _WIDEST_CELL and "\n" not in text


def _fits_on_line(value: Any) -> bool:
    if _is_list(value):
        return len(value) < 9 and all(_is_scalar(part) and _is_item(_text(part)) for part in value)
    if isinstance(value, Mapping):
        return not value
    return "\n" not in _text(value)


def _is_item(text: str) -> bool:
    """Whether a text can stand in a line with others, and nobody takes it for two."""
    return _is_short(text) and "," not in text


def _inline(value: Any) -> str:
    if _is_list(value):
        return ", ".join(_text(part) for part in value) if value else "(none)"
    return "(empty)" if isinstance(value, Mapping) else _text(value)


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value if value else '""'
    if type(value) is int:
        return str(value)
    return as_json(value)
