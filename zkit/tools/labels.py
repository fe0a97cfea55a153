"""Structured data in, text that a model reads easily out; every value of the data is in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

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
        if _fits_on_line(value):
            yield f"{key}: {_inline(value)}"
        else:
            yield f"{key}: {len(value)} entries" if _is_list(value) else f"{key}:"
            inner = _items(value, depth + 1) if _is_list(value) else _lines(value, depth + 1)
            yield from (f"  {line}" for line in inner)


def _of_list(data: Sequence[Any], depth: int) -> Iterator[str]:
    yield f"entries: {len(data)}"
    yield from _items(data, depth)


def _items(data: Sequence[Any], depth: int) -> Iterator[str]:
    if _are_rows(data):
        yield from _table(data)
        return
    for number, item in enumerate(data, 1):
        first, *rest = _lines(item, depth + 1)
        mark = f"{number}. "
        yield mark + first
        yield from (" " * len(mark) + line for line in rest)


def _table(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Like records as aligned rows under the names of their fields."""
    names = list(rows[0])
    cells = [names, *([_inline(row[name]) for name in names] for row in rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(names))]
    for row in cells:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()


def _are_rows(data: Sequence[Any]) -> bool:
    if len(data) < 2 or not all(isinstance(row, Mapping) and row for row in data):
        return False
    names = list(data[0])
    return all(
        list(row) == names
        and all(_is_scalar(value) and _is_short(_inline(value)) for value in row.values())
        for row in data
    )


def _is_list(data: Any) -> bool:
    return isinstance(data, Sequence) and not isinstance(data, str | bytes)


def _is_scalar(data: Any) -> bool:
    return not isinstance(data, Mapping) and not _is_list(data)


def _is_short(text: str) -> bool:
    return len(text) <= _WIDEST_CELL and "\n" not in text


def _fits_on_line(value: Any) -> bool:
    if _is_list(value):
        return all(_is_scalar(part) and _is_short(_text(part)) for part in value) and len(value) < 9
    if isinstance(value, Mapping):
        return not value
    return "\n" not in _text(value)


def _inline(value: Any) -> str:
    if _is_list(value):
        return ", ".join(_text(part) for part in value) if value else "(none)"
    return "(empty)" if isinstance(value, Mapping) else _text(value)


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value if value else '""'
    return as_json(value)
