"""A call that a model made: its name, its arguments, and where it was found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from zkit.receipt import Fix, Rank

Tier = Literal["native", "marker", "alone", "shape"]
"""How a call was told from text: by the server's own field, by a special token or an envelope that
only calls stand in, because the reply is nothing else, or by its shape and the name of a tool."""
Position = Literal["final", "followed"]
"""Whether only blanks, closers or more calls follow a call in its reply, or more text does."""


@dataclass(frozen=True, slots=True)
class Call:
    """One tool call.

    `arguments` is what the model sent: an object where the call was found in text, the raw string
    where the server delivered it. `origin` is `native` or the name of the text format; `fixes` say
    what was repaired to read it, `span` where in the completion it stood.
    """

    name: str
    arguments: Any = None
    id: str = ""
    origin: str = "native"
    tier: Tier = "native"
    confidence: float = 1.0
    rank: Rank = Rank.EXACT
    fixes: tuple[Fix, ...] = ()
    span: tuple[int, int] | None = None
    position: Position = "final"
