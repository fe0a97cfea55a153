"""Readings in the order of their price in, whether a cheaper one stood at the same place out.

From one place on all readings have the same ways to go on, so one that came to it at a higher price can
never catch up. Where many strings have two readings each, that is what keeps their number from doubling
with every string.
"""

from __future__ import annotations

from typing import NamedTuple

from zkit.repair.search.reading import Frame, Reading

MOST_STATES = 8
"""How many states of one place are kept: more than that differ in their brackets, and few meet again."""
MOST_EQUAL = 4
"""How many readings in one state may cost the same: two already make a text ambiguous."""


class _State(NamedTuple):
    """Where a reading stands, and all that its further way depends on."""

    frame: Frame | None
    recent: tuple[int, ...]


def _is_same(state: _State, other: _State) -> bool:
    """Whether two states are equal: their containers too, from the innermost on, without recursion."""
    if state.recent != other.recent:
        return False
    frame, its = state.frame, other.frame
    while frame is not its:
        if frame is None or its is None or frame[1:] != its[1:]:
            return False
        frame, its = frame.parent, its.parent
    return True


class Arrived:
    """The places that readings have come to, and what it cost them."""

    __slots__ = ("_places",)

    def __init__(self) -> None:
        self._places: dict[tuple[int, int, int], list[tuple[_State, tuple[int, int, int]]]] = {}

    def has_better(self, reading: Reading) -> bool:
        """Whether a reading in the same state was cheaper in every respect; if none was, keep this one."""
        place = (reading.pos, reading.place, reading.safe)
        kept = self._places.setdefault(place, [])
        state = _State(reading.frame, tuple(before.pos for before in reading.recent))
        misfit, rank, cost = reading.priority
        equal = 0
        for other, (its_misfit, its_rank, its_cost) in kept:
            if its_misfit <= misfit and its_rank <= rank and _is_same(other, state):
                if its_cost < cost:
                    return True
                equal += its_cost == cost
        if equal < MOST_EQUAL and len(kept) < MOST_STATES:
            kept.append((state, reading.priority))
        return equal >= MOST_EQUAL
