"""Moves: the repairs to try at a place where strict parsing fails, chosen by the character there."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from zkit.repair.evidence.strings import Respelled
    from zkit.repair.search.engine import Engine
    from zkit.repair.search.hypothesis import Hypothesis


class Move(NamedTuple):
    """One row of a table of moves."""

    # The names of the fixes that it may write on the receipt.
    fixes: tuple[str, ...]
    # The characters at which it is tried; an empty string means every character.
    marks: str
    # Take a hypothesis that failed at a place and return the new hypotheses to try there.
    find: Callable[[Engine, Hypothesis, int], list[Hypothesis]]


def tried(
    moves: Iterable[Move], reader: Engine, reading: Hypothesis, pos: int, *, first: bool = False
) -> list[Hypothesis]:
    """Return the hypotheses of every move in the table that applies at `pos`, or only of the first that finds any."""
    mark = reader.text[pos]
    found: list[Hypothesis] = []
    for _, marks, find in moves:
        if (not marks or mark in marks) and not (found and first):
            found += find(reader, reading, pos)
    return found


def respelt(
    other: Hypothesis, name: str, start: int, end: int, spelled: Respelled | None, cost: int = 0
) -> list[Hypothesis]:
    """Return the hypothesis that reads `text[start:end]` as the string `spelled`, or nothing if that is None."""
    if spelled is None:
        return []
    return [other.note(name, start, end, f'"{spelled.body}"', "", cost).settle(end)]
