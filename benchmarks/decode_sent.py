"""Arguments that a model meant to send, and what it sent instead: the records of the decode benchmark."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

from benchmarks.decode_values import Spot, put, schema_of, spelled, spots


@dataclass(frozen=True, slots=True)
class Slip:
    """A text with one slip, and the arguments that it must be read as (None: refused)."""

    text: str
    truth: Any
    finish_reason: str | None = None


@dataclass(frozen=True, slots=True)
class Sent:
    """What a model meant to send, with the dice for the slip."""

    rng: Random
    tool: str
    arguments: dict[str, Any]

    def any_spot(self, fits: Callable[[Spot], bool]) -> Spot | None:
        """One of the places that fit, or None."""
        found = [spot for spot in spots(self.arguments, schema_of(self.tool)) if fits(spot)]
        return self.rng.choice(found) if found else None

    def with_value(self, spot: Spot | None, value: Callable[[Any], Any]) -> Slip | None:
        """The slip of another value at a place; the arguments stay the truth."""
        if spot is None:
            return None
        sent = put(self.arguments, spot.path, value(spot.value))
        return Slip(spelled(self.rng, sent), self.arguments)


Make = Callable[[Sent], Slip | None]
