"""A hypothesis about a damaged text: how far it has read, which containers are open, its fixes so far."""

from __future__ import annotations

from collections.abc import Callable
from operator import itemgetter
from typing import NamedTuple

from zkit.expect import ANYTHING, Expect
from zkit.receipt import Fix
from zkit.repair.fixes import EXACT, FIXES, GUESS
from zkit.repair.limits import MOST_EQUAL
from zkit.repair.strict_parse import Parsed

# ── reading ─────────────────────────────────────────────────────────────────


_START = itemgetter(2)
# The state of a hypothesis: before a key, before a value, after a value, complete, or postponed.
KEY, VALUE, NEXT, DONE, LATER = range(5)


class Frame(NamedTuple):
    """An open container. Frames are shared between hypotheses and never change."""

    parent: Frame | None
    kind: str
    closer: str
    expect: Expect
    start: int
    depth: int
    # Its opening brace was written twice.
    doubled: bool = False
    # Its opener is not in the text, so its closer must be.
    invented: bool = False


CLOSERS = {"{": "}", "[": "]", "(": ")"}


# A linked list, newest first, so that hypotheses share what they have in common.
Edits = tuple["Edits", Fix] | None


class Closed(NamedTuple):
    """The container that was closed last, and where."""

    frame: Frame
    at: int


class Hypothesis:
    """A hypothesis about the text, read up to `pos`."""

    __slots__ = (
        "closed",
        "cost",
        "edits",
        "frame",
        "later",
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
        # Everything before this place is complete, so a cut keeps it.
        self.safe = pos
        self.want = want
        # The states before the last two values, newest first.
        self.recent: tuple[Before, ...] = ()
        self.closed: Closed | None = None
        self.later: Callable[[], list[Hypothesis]] | None = None
        # The JSON of the whole text after the fixes, and its value, once they are known.
        self.whole: tuple[str, Parsed] | None = None

    def fork(self) -> Hypothesis:
        """Return a copy that can be read on in another way."""
        other: Hypothesis = Hypothesis.__new__(Hypothesis)
        other.pos = self.pos
        other.place = self.place
        other.frame = self.frame
        other.edits = self.edits
        other.rank = self.rank
        other.cost = self.cost
        other.safe = self.safe
        other.want = self.want
        other.recent = self.recent
        other.closed = self.closed
        other.later = other.whole = None
        return other

    @staticmethod
    def back_to(before: Before) -> Hypothesis:
        """Return the hypothesis as it was before a value."""
        return before.fork()

    def remember(self, pos: int) -> None:
        """Keep the state before the value at `pos`."""
        before = self.fork().go(pos, VALUE)
        before.recent = ()
        self.recent = (before, self.recent[0]) if self.recent else (before,)

    def note(
        self, name: str, start: int, end: int, new: str, note: str = "", cost: int = 0
    ) -> Hypothesis:
        """Add a fix to the receipt."""
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
        """True if a fix since the last value covers the place."""
        edits = self.edits
        while edits is not None and edits[1].end > self.safe:
            if edits[1].start <= at < edits[1].end:
                return True
            edits = edits[0]
        return False

    def settle(self, end: int) -> Hypothesis:
        """Record that a value ended at `end`."""
        self.pos = self.safe = end
        self.place = NEXT
        return self

    def go(self, pos: int, place: int) -> Hypothesis:
        """Move to `pos` in the state `place`."""
        self.pos = pos
        self.place = place
        return self

    @property
    def priority(self) -> tuple[int, int]:
        """The order of the search: by rank, then by cost."""
        return (self.rank, self.cost)

    def others(self) -> list[Hypothesis]:
        """Work out and return the hypotheses that were postponed."""
        assert self.later is not None
        return self.later()

    def delay(self, later: Callable[[], list[Hypothesis]], cost: int = 0) -> Hypothesis:
        """Postpone hypotheses that are costly to find: queue this one for them, at the rank of a guess."""
        self.later = later
        self.place = LATER
        self.cost += 3 + cost
        if self.rank < GUESS:
            self.rank = GUESS
        return self

    def json(self, text: str, start: int, end: int, fixes: list[Fix] | None = None) -> str:
        """Return the text from `start` to `end` with the fixes applied; they may be passed in order."""
        pieces: list[str] = []
        for _, _, at, stop, new, _, _ in self.fixes() if fixes is None else fixes:
            pieces += (text[start:at], new)
            start = stop
        pieces.append(text[start:end])
        return "".join(pieces)

    def fixes(self) -> list[Fix]:
        """Return the fixes in the order of the text."""
        found: list[Fix] = []
        edits = self.edits
        while edits is not None:
            edits, fix = edits
            found.append(fix)
        found.reverse()
        if len(found) > 1:
            found.sort(key=_START)
        return found


# A hypothesis as it was just before a value, to return to; it is forked, never changed.
Before = Hypothesis


# ── arrived ─────────────────────────────────────────────────────────────────


class Arrived:
    """The states that hypotheses have reached, and at what rank and cost."""

    __slots__ = ("_costs",)

    def __init__(self) -> None:
        self._costs: dict[tuple[object, ...], list[tuple[int, int]]] = {}

    def has_better(self, reading: Hypothesis) -> bool:
        """True if another one reached this state at a lower cost, or several at the same; if not, record this one.

        The state is everything that the search depends on from here: the place, the open containers and the last values.
        """
        frames, frame = [], reading.frame
        while frame is not None:  # one by one: deep containers would exhaust the stack
            frames.append(frame[1:])
            frame = frame.parent
        recent = tuple(before.pos for before in reading.recent)
        state = (reading.pos, reading.place, reading.safe, recent, *frames)
        kept = self._costs.setdefault(state, [])
        rank, cost = reading.priority
        costs = [its_cost for its_rank, its_cost in kept if its_rank <= rank]
        if min(costs, default=cost) < cost or costs.count(cost) >= MOST_EQUAL:
            return True
        kept.append(reading.priority)
        return False
