"""The receipt of a repair: what was changed where, and how invasive that was."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from operator import attrgetter
from typing import Literal, NamedTuple

RankName = Literal["EXACT", "UNWRAP", "RESPELL", "COMPLETE", "GUESS", "CUT", "SALVAGE"]


class Rank(IntEnum):
    """How invasive a fix is; the rank of a result is the highest rank of its fixes."""

    EXACT = 0
    UNWRAP = 1
    RESPELL = 2
    COMPLETE = 3
    GUESS = 4
    CUT = 5
    SALVAGE = 6

    @classmethod
    def of(cls, given: object) -> Rank:
        """Return the rank itself, or the one that a name (`"COMPLETE"`) or a number means.

        Raises `TypeError` for anything else, and `ValueError` for a name that no rank has.
        """
        if isinstance(given, cls):
            return given
        if isinstance(given, str):
            found = cls.__members__.get(given.strip().upper())
            if found is None:
                names = ", ".join(cls.__members__)
                raise ValueError(f"there is no rank {given!r:.80}; the ranks are {names}")
            return found
        if type(given) is int and given in cls._value2member_map_:
            return cls(given)
        raise TypeError(f"a rank is a Rank or its name, such as 'COMPLETE', not {given!r:.80}")


def limit_of(given: object) -> Rank:
    """Return the rank that a setting called `limit` means; its errors name the setting."""
    try:
        return Rank.of(given)
    except (TypeError, ValueError) as error:
        raise type(error)(f"limit: {error}") from None


class Fix(NamedTuple):
    """One entry of a receipt: `text[start:end]` was replaced by `new`.

    Applying all fixes of a repair to the original text, in order, gives strict JSON. A change made
    to a value after it was read (a coercion) has the value's place in `path` instead: `new` is the
    JSON that is there now, and the span is (0, 0).
    """

    name: str
    rank: Rank
    start: int
    end: int
    new: str
    note: str
    path: str = ""

    @property
    def span(self) -> tuple[int, int]:
        """Where in the original text the fix was made."""
        return (self.start, self.end)


_rank_of_fix = attrgetter("rank")


def highest(fixes: Sequence[Fix]) -> Rank:
    """Return the rank of a result with these fixes."""
    if len(fixes) == 1:
        return fixes[0].rank
    return max(map(_rank_of_fix, fixes), default=Rank.EXACT)
