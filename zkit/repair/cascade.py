"""The way up the ranks: strict first, then the least invasive reading that holds."""

from __future__ import annotations

from typing import Any

from pydantic_core import from_json

from zkit.repair.outcome import Rank, Repaired, RepairError, Unrepairable


def repair_json(text: str, *, schema: Any = None, limit: Rank = Rank.CUT, finish_reason: str | None = None) -> Repaired | Unrepairable:
    """Read `text` as JSON."""
    try:
        return Repaired(from_json(text, allow_inf_nan=False), (), Rank.EXACT, text)
    except ValueError as error:
        return Unrepairable("damaged", 0, str(error))


def loads(text: str, *, schema: Any = None, limit: Rank = Rank.CUT, finish_reason: str | None = None) -> Any:
    """Return the value or raise RepairError."""
    outcome = repair_json(text, schema=schema, limit=limit, finish_reason=finish_reason)
    if isinstance(outcome, Unrepairable):
        raise RepairError(outcome)
    return outcome.value


def repair_all(text: str, *, schema: Any = None, limit: Rank = Rank.CUT, finish_reason: str | None = None) -> list[Repaired]:
    """Read every value in the text."""
    return []
