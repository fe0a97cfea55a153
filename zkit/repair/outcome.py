"""The records of a repair: the request, the values found on the way, and the outcome."""

from __future__ import annotations

import json
import marshal
from collections.abc import Sequence
from typing import Any, NamedTuple

from zkit.expect import Evidence
from zkit.receipt import Fix, Rank
from zkit.repair.limits import MOST_SHOWN
from zkit.text.edits import apply_edits, excerpt, place_of

# ── outcome ─────────────────────────────────────────────────────────────────


class Repaired(NamedTuple):
    """A value that could be read in only one way, and every fix that was made to read it."""

    value: Any
    fixes: tuple[Fix, ...]
    rank: Rank
    text: str

    @property
    def lossy(self) -> bool:
        """True when data is missing: the text was cut, or salvaged."""
        return self.rank >= Rank.CUT

    @property
    def json(self) -> str:
        """The strict JSON that results from the fixes; it decodes to the value."""
        return apply_edits(self.text, ((f.start, f.end, f.new) for f in self.fixes))

    def explain(self) -> str:
        """Return the receipt for people: each fix with its place, the line and a caret under it."""
        if not self.fixes:
            return "strict JSON: nothing was changed"
        lossy = ", data is missing" if self.lossy else ""
        many = "1 fix" if len(self.fixes) == 1 else f"{len(self.fixes)} fixes"
        shown = [_entry(self.text, fix) for fix in self.fixes[:MOST_SHOWN]]
        hidden = len(self.fixes) - len(shown)
        more = [f"... and {hidden} more"] if hidden else []
        return "\n".join([f"repaired with {many}, rank {self.rank.name}{lossy}", *shown, *more])


def _entry(text: str, fix: Fix) -> str:
    """Return one fix as a compiler would show it."""
    line, carets = excerpt(text, fix.start, fix.end)
    place = place_of(text, fix.start)
    head = f"line {place.line}, column {place.column}: {fix.note} [{fix.name}, {fix.rank.name}]"
    return f"{head}\n    {line}\n    {carets}"


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


# ── task ────────────────────────────────────────────────────────────────────


class Task(NamedTuple):
    """The request: the text, the evidence of a schema, and the limit for fixes."""

    text: str
    evidence: Evidence | None
    limit: Rank
    finish_reason: str | None

    @property
    def guide(self) -> Evidence | None:
        """The evidence, if it says more than that an object is expected."""
        return self.evidence if self.evidence is not None and self.evidence.tells else None


class Candidate(NamedTuple):
    """A value found at one place of the text, or why it could not be read."""

    start: int
    end: int
    value: tuple[Any] | None
    fixes: Sequence[Fix] = ()
    rank: Rank = Rank.EXACT
    fits: bool = False
    refusal: tuple[str, int] = ("damaged", 0)
    # The JSON that the value was decoded from, kept where a key may be repeated.
    json: str = ""

    def is_meant(self, task: Task) -> bool:
        """True if the schema describes more than an object and accepts the value."""
        guide = task.guide
        if guide is None or not self.fits or self.value is None:
            return False
        return guide.supports(self.value[0])


# The refusal of a candidate when no better reason is known.
DAMAGED = ("damaged", 0)


def same(a: object, b: object) -> bool:
    """True if two values are equal as JSON: True is not 1."""
    if a is b or a != b:
        return a is b
    # Version 2 of the format writes equal parts alike; it is the fastest way to compare types too.
    alike = marshal.dumps(a, 2) == marshal.dumps(b, 2)  # type: ignore[arg-type]
    return alike or json.dumps(a, sort_keys=True) == json.dumps(b, sort_keys=True)
