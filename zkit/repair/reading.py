"""`repair_json` and `loads`. Strict JSON is parsed here; the repair code is imported for the first damaged text."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from typing import Any

from pydantic_core import from_json

from zkit.receipt import Rank, RankName, limit_of
from zkit.repair.fixes import EXACT
from zkit.repair.outcome import Repaired, RepairError, Task, Unrepairable

Outcome = Repaired | Unrepairable
# Makes a record as cheaply as possible: valid input pays almost nothing.
_new = tuple.__new__


def repair_json(
    text: str | bytes,
    *,
    schema: Any = None,
    limit: Rank | RankName = Rank.CUT,
    finish_reason: str | None = None,
) -> Repaired | Unrepairable:
    """Read the one JSON value in `text`, and repair it if needed. No content of `text` makes it raise.

    `schema` (a JSON Schema or a pydantic model) is evidence for how to read it; `limit` is the
    highest rank that a fix may have, or its name; `finish_reason` is the one that the server sent.
    """
    if type(limit) is not Rank:
        limit = limit_of(limit)
    if type(text) is not str:
        plain = decoded(text)
        if plain is None:
            return Unrepairable("damaged", 0, "The bytes are not text in UTF-8, UTF-16 or UTF-32.")
        text = plain
    try:
        value = from_json(text, allow_inf_nan=False)
    except (ValueError, TypeError) as error:
        repair_task, _, evidence_for = _repairing()
        evidence = None if schema is None else evidence_for(schema)
        return repair_task(_new(Task, (text, evidence, limit, finish_reason)), str(error))
    if schema is None or type(value) is not str:
        return _new(Repaired, (value, (), EXACT, text))
    _, unwrapped, evidence_for = _repairing()
    return unwrapped(Task(text, evidence_for(schema), limit, finish_reason), value)


@cache
def _repairing() -> tuple[Callable[..., Outcome], Callable[..., Outcome], Callable[..., Any]]:
    """Import and return the functions that repair; valid input never needs them."""
    from zkit.expect import evidence_for
    from zkit.repair.api import repair_task, unwrapped

    return repair_task, unwrapped, evidence_for


def loads(
    text: str | bytes,
    *,
    schema: Any = None,
    limit: Rank | RankName = Rank.CUT,
    finish_reason: str | None = None,
) -> Any:
    """Return the value of `repair_json`; raise `RepairError`, a ValueError, if the text is refused."""
    outcome = repair_json(text, schema=schema, limit=limit, finish_reason=finish_reason)
    if isinstance(outcome, Unrepairable):
        raise RepairError(outcome)
    return outcome.value


def decoded(text: object) -> str | None:
    """Return the text of bytes in UTF-8, UTF-16 or UTF-32; None if they are in another encoding."""
    if isinstance(text, str):
        return str(text)
    if not isinstance(text, bytes | bytearray | memoryview):
        raise TypeError(f"text must be str or bytes, not {type(text).__name__}")
    data = bytes(text)
    try:
        return data.decode(json.detect_encoding(data), "surrogatepass")
    except UnicodeDecodeError:
        return None
