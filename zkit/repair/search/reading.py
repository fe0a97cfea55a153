"""One reading of a damaged text while it is being made: where it stands and what it did so far."""

from __future__ import annotations

from collections.abc import Callable
from operator import itemgetter
from typing import Any, NamedTuple

from zkit.receipt import Fix, Rank
from zkit.repair.expect import ANYTHING, Expect
from zkit.repair.fixes import EXACT, FIXES, GUESS

_START = itemgetter(2)
KEY, VALUE, NEXT, DONE, LATER = range(5)
"""Where a reading stands: before a key, before a value, after a value, after the root value, or
not yet worked out."""


class Frame(NamedTuple):
    """A container that is open; frames are shared between readings and never change."""

    parent: Frame | None
    kind: str
    closer: str
    expect: Expect
    start: int
    depth: int
    doubled: bool = False
    """Its brace was written twice."""
    invented: bool = False
    """Its opener is not in the text, so its closer must be."""


CLOSERS = {"{": "}", "[": "]", "(": ")"}


Edits = tuple["Edits", Fix] | None
"""A linked list, newest first, so that readings share what they have in common."""


class Before(NamedTuple):
    """The state of a reading just before a value, to come back to."""

    pos: int
    frame: Frame | None
    edits: Edits
    rank: Rank
    cost: int
    misfit: int
    safe: int
    want: Expect
    closed: Closed | None


class Closed(NamedTuple):
    """The container that was closed last, and where."""

    frame: Frame
    at: int


class Reading:
    """A hypothesis about the text, read up to `pos`."""

    __slots__ = (
        "closed",
        "cost",
        "edits",
        "frame",
        "later",
        "misfit",
        "place",
        "pos",
        "rank",
        "recent",
        "safe",
        "want",
        "whole",
    )

    def __init__(self, pos: int, want: Expect = ANYTHING) -> None:
        self.pos = pos
        self.place = VALUE
        self.frame: Frame | None = None
        self.edits: Edits = None
        self.rank = EXACT
        self.cost = 0
        self.misfit = 0
        self.safe = pos
        """All before this place is complete: what a cut leaves standing."""
        self.want = want
        self.recent: tuple[Before, ...] = ()
        """The last values begun, newest first."""
        self.closed: Closed | None = None
        self.later: Callable[[], list[Reading]] | None = None
        self.whole: tuple[str, tuple[Any]] | None = None
        """The JSON that the fixes make of all the text, and its value, once they are known."""

    def fork(self) -> Reading:
        """A copy that can go another way."""
        other: Reading = Reading.__new__(Reading)
        other.pos = self.pos
        other.place = self.place
        other.frame = self.frame
        other.edits = self.edits
        other.rank = self.rank
        other.cost = self.cost
        other.misfit = self.misfit
        other.safe = self.safe
        other.want = self.want
        other.recent = self.recent
        other.closed = self.closed
        other.later = other.whole = None
        return other

    @classmethod
    def back_to(cls, before: Before) -> Reading:
        """The reading as it was before a value."""
        other = cls.__new__(cls)
        (
            other.pos,
            other.frame,
            other.edits,
            other.rank,
            other.cost,
            other.misfit,
            other.safe,
            other.want,
            other.closed,
        ) = before
        other.place = VALUE
        other.recent = ()
        other.later = other.whole = None
        return other

    def remember(self, pos: int) -> None:
        """Keep the state before the value at `pos`."""
        here: Before = tuple.__new__(
            Before,
            (
                pos,
                self.frame,
                self.edits,
                self.rank,
                self.cost,
                self.misfit,
                self.safe,
                self.want,
                self.closed,
            ),
        )
        self.recent = (here, self.recent[0]) if self.recent else (here,)

    def note(
        self, name: str, start: int, end: int, new: str, note: str = "", cost: int = 0
    ) -> Reading:
        """Write a fix on the receipt."""
        kind = FIXES[name]
        rank = kind.rank
        self.edits = (
            self.edits,
            tuple.__new__(Fix, (name, rank, start, end, new, note or kind.doc, "")),
        )
        self.cost += kind.cost + cost
        if rank > self.rank:
            self.rank = rank
        return self

    def has_changed(self, at: int) -> bool:
        """Whether a fix since the last value covers the place."""
        edits = self.edits
        while edits is not None and edits[1].end > self.safe:
            if edits[1].start <= at < edits[1].end:
                return True
            edits = edits[0]
        return False

    def settle(self, end: int) -> None:
        """A value ended at `end`."""
        self.pos = self.safe = end
        self.place = NEXT

    def go(self, pos: int, place: int) -> Reading:
        """Stand before `pos`, expecting `place`."""
        self.pos = pos
        self.place = place
        return self

    @property
    def priority(self) -> tuple[int, int, int]:
        """Readings are weighed by fit, then rank, then cost."""
        return (self.misfit, self.rank, self.cost)

    def others(self) -> list[Reading]:
        """What to take up instead of this reading: a postponed one is worked out only now."""
        assert self.later is not None
        return self.later()

    def delay(self, later: Callable[[], list[Reading]], cost: int = 0) -> Reading:
        """Be a place in the queue, at the price of a guess, for readings that are costly to find."""
        self.later = later
        self.place = LATER
        self.cost += 3 + cost
        if self.rank < GUESS:
            self.rank = GUESS
        return self

    def json(self, text: str, start: int, end: int) -> str:
        """What the fixes make of a part of the text."""
        pieces: list[str] = []
        for fix in self.fixes():
            pieces += (text[start : fix.start], fix.new)
            start = fix.end
        return "".join((*pieces, text[start:end]))

    def fixes(self) -> list[Fix]:
        """The receipt in the order of the text."""
        found: list[Fix] = []
        edits = self.edits
        while edits is not None:
            edits, fix = edits
            found.append(fix)
        found.reverse()
        if len(found) > 1:
            found.sort(key=_START)
        return found
