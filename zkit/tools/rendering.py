"""A result in, the text that the model reads out: never empty, never too long, in one voice."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from zkit.required import require_count, require_kind, require_one_of
from zkit.results import Crashed, Refused, Result, Success, Transient, Validation
from zkit.tools.labeling import as_json, labeled

MAX_CHARACTERS = 50_000
MIN_CHARACTERS = 400
OUTPUTS = ("labeled", "json")
_TAIL_SHARE = 0.3  # errors and totals stand at the end, what was asked for at the beginning


def render_result(
    result: Result,
    *,
    limit: int = MAX_CHARACTERS,
    spill: str | Path | None = None,
    output: str | None = None,
) -> str:
    """Return what the model is told about a result.

    A text above `limit` characters keeps its head and its tail, and says how much is left out
    between them. With `spill`, a folder, the full text is written to a file there, and the text
    names it. `output` is `"labeled"` or `"json"`; when it is not given, the result says.
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
    """The text with an escape for each half character: no socket takes one, and file names have them."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "backslashreplace").decode()
    return text


def _notes(result: Result) -> str:
    """What whoever handled the call wants the model to know besides (`meta["notes"]`)."""
    meta: Mapping[str, Any] = result.meta  # type: ignore[attr-defined]
    return "".join(f"\n\nNote: {note}" for note in meta.get("notes", ()))


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
    """The end of the last whole line before a place, if it is not far."""
    found = text.rfind("\n", at - at // 4, at)
    return at if found < 0 else found


def _line_start(text: str, at: int) -> int:
    found = text.find("\n", at, at + (len(text) - at) // 4)
    return at if found < 0 else found + 1


def _spilled(text: str, folder: Path) -> Path:
    """Write the text to a file that is named by its content, and return its path."""
    data = text.encode("utf-8", "backslashreplace")
    path = folder / f"result-{hashlib.sha256(data).hexdigest()[:16]}.txt"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return path
