"""What comes out of a repair: a value with its receipt, or a refusal that teaches."""

from __future__ import annotations

from enum import IntEnum
from typing import Any, NamedTuple


class Rank(IntEnum):
    """How far a fix strays from what the model wrote; a result wears its highest."""

    EXACT = 0
    UNWRAP = 1
    RESPELL = 2
    COMPLETE = 3
    GUESS = 4
    CUT = 5
    SALVAGE = 6


class Fix(NamedTuple):
    """One entry of a receipt: `text[start:end]` was replaced by `new`.

    Applying all fixes of a receipt to the original text, in order, gives strict JSON.
    """

    name: str
    rank: Rank
    start: int
    end: int
    new: str
    note: str

    @property
    def span(self) -> tuple[int, int]:
        """Where in the original text the fix was made."""
        return (self.start, self.end)


class Repaired(NamedTuple):
    """A value that could be read in only one way, and everything that was done to read it."""

    value: Any
    fixes: tuple[Fix, ...]
    rank: Rank
    text: str

    @property
    def lossy(self) -> bool:
        """True when data is missing: the text was cut, or salvaged."""
        return self.rank >= Rank.CUT


class Unrepairable(NamedTuple):
    """A refusal. `message` is written for the model that sent the text."""

    reason: str
    at: int
    message: str


class RepairError(ValueError):
    """Raised by `loads` when a text is refused; `outcome` is the refusal."""

    def __init__(self, outcome: Unrepairable) -> None:
        super().__init__(outcome.message)
        self.outcome = outcome
