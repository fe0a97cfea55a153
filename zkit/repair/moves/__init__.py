"""The moves: what may be tried where no strict step is possible, by the mark that stands there."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from zkit.repair.evidence.strings import Respelled
    from zkit.repair.search.engine import Engine
    from zkit.repair.search.hypothesis import Hypothesis


class Move(NamedTuple):
    """One row of a table of moves."""

    fixes: tuple[str, ...]
    """What it writes on the receipt."""
    marks: str
    """The characters at which it is tried; at all of them if empty."""
    find: Callable[[Engine, Hypothesis, int], list[Hypothesis]]
    """The hypotheses in which the text at a place is read so; a hypothesis that has failed there is given."""


def tried(moves: Iterable[Move], reader: Engine, reading: Hypothesis, pos: int) -> list[Hypothesis]:
    """What all moves of a table find at a place."""
    mark = reader.text[pos]
    found: list[Hypothesis] = []
    for _, marks, find in moves:
        if not marks or mark in marks:
            found += find(reader, reading, pos)
    return found


def respelt(
    other: Hypothesis, name: str, start: int, end: int, spelled: Respelled | None, cost: int = 0
) -> list[Hypothesis]:
    """The hypothesis in which the text between two places is a string, spelt so; none without a spelling."""
    if spelled is None:
        return []
    other.note(name, start, end, f'"{spelled.body}"', "", cost).settle(end)
    return [other]


def first_of(
    moves: Iterable[Move], reader: Engine, reading: Hypothesis, pos: int
) -> list[Hypothesis]:
    """What the first move of a table finds that finds something."""
    mark = reader.text[pos]
    for _, marks, find in moves:
        if (not marks or mark in marks) and (found := find(reader, reading, pos)):
            return found
    return []
