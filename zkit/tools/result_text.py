"""Write a result as the text that the model reads: never empty, never too long."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeGuard
from unicodedata import combining, east_asian_width

from zkit.json_types import JsonMapping
from zkit.private_files import private_copy
from zkit.required import require_count, require_kind, require_one_of
from zkit.results import (
    Crashed,
    Refused,
    Result,
    Success,
    Transient,
    Validation,
    json_text,
    text_of,
)

_DEEPEST = 8
_WIDEST_CELL = 60


def labeled(data: object) -> str:
    """Return data as labelled lines: `name: value`, aligned rows for lists of like records."""
    try:
        return "\n".join(_lines(data, 0))
    except Exception:  # from a container of the tool's own class
        return as_json(data)


def as_json(data: object) -> str:
    """Return data as JSON text, or a sentence if the data cannot be written."""
    try:
        return json_text(data)
    except RecursionError:
        return '"[nested too deep to write]"'
    except Exception as error:  # from a container of the tool's own class, or a circular reference
        return json.dumps(f"[cannot be written: {type(error).__name__}]")


def _lines(data: object, depth: int) -> Iterator[str]:
    if depth >= _DEEPEST and not _is_scalar(data):
        yield as_json(data)
    elif isinstance(data, Mapping):
        yield from _of_mapping(data, depth)
    elif _is_list(data):
        yield from _of_list(data, depth)
    else:
        yield from _text(data).split("\n")


def _of_mapping(data: JsonMapping, depth: int) -> Iterator[str]:
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


def _of_list(data: Sequence[object], depth: int) -> Iterator[str]:
    yield f"entries: {len(data)}"
    yield from _items(data, depth)


def _items(data: Sequence[object], depth: int) -> Iterator[str]:
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
    """Return rows with their columns aligned; the last column is not padded."""
    widths = [max(map(_width, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        filled = [
            cell + " " * (width - _width(cell)) for cell, width in zip(row, widths, strict=True)
        ]
        yield "  ".join(filled).rstrip()


def _cells(data: Sequence[Any]) -> list[list[str]] | None:
    """Return records with equal fields as rows of text under the names of the fields; None if the
    fields differ."""
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
    """Return how many columns a text takes: some characters take two, some none."""
    if text.isascii():
        return len(text)
    marks = sum(1 for character in text if combining(character))
    wide = sum(1 for character in text if east_asian_width(character) in "WF")
    return len(text) - marks + wide


def _is_list(data: object) -> TypeGuard[Sequence[object]]:
    return isinstance(data, Sequence) and not isinstance(data, str | bytes)


def _is_scalar(data: object) -> bool:
    return not isinstance(data, Mapping) and not _is_list(data)


def _is_short(text: str) -> bool:
    return len(text) <= _WIDEST_CELL and "\n" not in text


def _fits_on_line(value: object) -> bool:
    if _is_list(value):
        return len(value) < 9 and all(_is_scalar(part) and _is_item(_text(part)) for part in value)
    if isinstance(value, Mapping):
        return not value
    return "\n" not in _text(value)


def _is_item(text: str) -> bool:
    """True if a text can be an item of a comma-separated line."""
    return _is_short(text) and "," not in text


def _inline(value: object) -> str:
    if _is_list(value):
        return ", ".join(_text(part) for part in value) if value else "(none)"
    return "(empty)" if isinstance(value, Mapping) else _text(value)


def _text(value: object) -> str:
    if isinstance(value, str):
        return value if value else '""'
    if type(value) is int:
        return text_of(value)
    return as_json(value)


MAX_CHARACTERS = 50_000
MIN_CHARACTERS = 400
OUTPUTS = ("labeled", "json")
_TAIL_SHARE = 0.3  # errors and totals are at the end, the requested data at the beginning


def render_result(
    result: Result,
    *,
    limit: int = MAX_CHARACTERS,
    spill: str | Path | None = None,
    output: str | None = None,
) -> str:
    """Return the text of a result for the model.

    A text above `limit` characters keeps its beginning and its end, and says how much is left out
    between them. With `spill`, a folder, the full text is written to a file there, and the text
    names it. `output` is `"labeled"` or `"json"`; if it is not given, the result decides.
    """
    require_count("limit", limit, least=MIN_CHARACTERS)
    require_kind("result", result, tuple(_WORDS), "a result, such as Success")
    if output is not None:
        require_one_of("output", output, OUTPUTS)
    notes = _notes(result)
    text = _writable(_WORDS[type(result)](result, output))
    return shortened(text, limit - len(notes), spill=spill) + notes


def _success(result: Success, output: str | None) -> str:
    data, meta = result.data, result.meta
    wanted = output or meta.get("output") or "labeled"
    if data is None:
        return "ok"
    if isinstance(data, str):
        return data if data.strip() else "ok (no output)"
    if wanted == "json":
        return as_json(data)
    return str(meta.get("text") or labeled(data)) or "ok"


def _validation(result: Validation, output: str | None) -> str:
    return result.message or "The call was refused; send it again in another way."


def _transient(result: Transient, output: str | None) -> str:
    when = "" if result.retry_after is None else f" after {result.retry_after:g} seconds"
    return (
        f"The tool did not answer: {result.cause}. Your arguments are not the cause. Send the same"
        f" call once more{when}; if it changes something, first check that it had no effect."
    )


def _refused(result: Refused, output: str | None) -> str:
    return f"Not run: {result.reason}. Do not send this call again; go on without it, or ask."


def _crashed(result: Crashed, output: str | None) -> str:
    return (
        f"The tool itself failed: {result.cause}. This is a fault in the tool, not in your"
        " arguments; the same call will fail again. Use another tool, or go on without it."
    )


_WORDS: dict[type[Result], Callable[[Any, str | None], str]] = {
    Success: _success,
    Validation: _validation,
    Transient: _transient,
    Refused: _refused,
    Crashed: _crashed,
}


def _writable(text: str) -> str:
    """Return the text with an escape for each lone surrogate: file names may have them, and sockets
    reject them."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "backslashreplace").decode()
    return text


NOTE = "\n\nNote: "
"""What comes before a note, below the result of a call."""


def _notes(result: Result) -> str:
    """Return the notes that guards and others added to the result (`meta["notes"]`)."""
    meta: JsonMapping = result.meta  # type: ignore[attr-defined]
    return "".join(f"{NOTE}{note}" for note in meta.get("notes", ()))


def shortened(text: str, limit: int, *, spill: str | Path | None = None) -> str:
    """Return a text of at most `limit` characters: all of it, or its head and its tail."""
    if len(text) <= limit:
        return text
    where = "" if spill is None else f" The whole text is in {_spilled(text, Path(spill))}."
    room = limit - len(_omission(text, 0, len(text), where)) - 2
    tail = max(0, int(room * _TAIL_SHARE))
    head = max(0, room - tail)
    start, end = _line_end(text, head), _line_start(text, len(text) - tail)
    return f"{text[:start]}\n{_omission(text, start, end, where)}\n{text[end:]}"


def _omission(text: str, start: int, end: int, where: str) -> str:
    lines = text.count("\n", start, end)
    return (
        f"[… {end - start:,} of {len(text):,} characters ({lines:,} lines) left out here.{where}]"
    )


def _line_end(text: str, at: int) -> int:
    """Return the end of the last complete line before a position, if it is near."""
    found = text.rfind("\n", at - at // 4, at)
    return at if found < 0 else found


def _line_start(text: str, at: int) -> int:
    found = text.find("\n", at, at + (len(text) - at) // 4)
    return at if found < 0 else found + 1


def _spilled(text: str, folder: Path) -> Path:
    """Write the text to a file named after its digest, and return its path."""
    data = text.encode("utf-8", "backslashreplace")
    path = folder / f"result-{hashlib.sha256(data).hexdigest()[:16]}.txt"
    folder.mkdir(parents=True, exist_ok=True)
    return private_copy(path, data)
