"""The records of the parsers: a call as it was written, whole, cut or broken."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

from zkit.receipt import Fix, Rank, highest

State = Literal["whole", "cut", "broken"]


@dataclass(frozen=True, slots=True)
class Unit:
    """One call as it was written.

    `name` is as written; `arguments` is what could be read, `message` why a broken one could not.
    `keys` are those that are beside the name, for the gates of calls that have no marker.
    """

    name: str
    arguments: Any
    span: tuple[int, int]
    id: str = ""
    fixes: tuple[Fix, ...] = ()
    state: State = "whole"
    reason: str = ""
    message: str = ""
    keys: frozenset[str] = frozenset()

    @property
    def rank(self) -> Rank:
        """The highest rank of its fixes."""
        return highest(self.fixes)


@dataclass(frozen=True, slots=True)
class Reading:
    """What one envelope holds: its calls, where it ends, and how its body was written."""

    units: tuple[Unit, ...]
    end: int
    body: str
    closed: bool = True


def shifted(fixes: Iterable[Fix], by: int) -> tuple[Fix, ...]:
    """Fixes of a part of the text as fixes of the whole."""
    return tuple(fix._replace(start=fix.start + by, end=fix.end + by) for fix in fixes)


def broken(name: str, span: tuple[int, int], reason: str, message: str) -> Unit:
    """A call that cannot be read, and the message for the model."""
    return Unit(name, None, span, state="broken", reason=reason, message=message)
