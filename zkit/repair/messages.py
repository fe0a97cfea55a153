"""A refusal in, a text that teaches the model what to send instead out."""

from __future__ import annotations

from zkit.repair.expect import Evidence
from zkit.text.places import excerpt, place_of


def refusal(text: str, reason: str, at: int, evidence: Evidence | None = None) -> str:
    """What was found, where, and what to send."""
    place = place_of(text, at)
    line, caret = excerpt(text, at)
    return f"{reason} at line {place.line}, column {place.column}\n  {line}\n  {caret}"
