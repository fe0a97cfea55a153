"""What was asked in, and what was found at a place of the text out: the records of a repair."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

from zkit.receipt import Fix, Rank
from zkit.repair.evidence import Evidence


class Task(NamedTuple):
    """What was asked: the text, the evidence of a schema, and how far a fix may go."""

    text: str
    evidence: Evidence | None
    limit: Rank
    finish_reason: str | None

    @property
    def guide(self) -> Evidence | None:
        """The evidence, where it says more than that an object is due."""
        return self.evidence if self.evidence is not None and self.evidence.tells else None


class Candidate(NamedTuple):
    """A value found at a place of the text, or why it could not be read."""

    start: int
    end: int
    value: tuple[Any] | None
    fixes: Sequence[Fix] = ()
    rank: Rank = Rank.EXACT
    fits: bool = False
    refusal: tuple[str, int] = ("damaged", 0)
    json: str = ""
    """What the value was decoded from, where fixes made it and a key may be there twice."""

    def is_meant(self, task: Task) -> bool:
        """Whether a schema that tells something accepts the value."""
        guide = task.guide
        if guide is None or not self.fits or self.value is None:
            return False
        return guide.supports(self.value[0])


DAMAGED = ("damaged", 0)
"""The refusal of a candidate for which there is no better reason."""


def same(a: Any, b: Any) -> bool:
    """Whether two values are equal as JSON: True is not 1."""
    if a != b:
        return False
    return repr(a) == repr(b) or json.dumps(a, sort_keys=True) == json.dumps(b, sort_keys=True)
