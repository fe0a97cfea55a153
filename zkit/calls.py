"""A call that a model made: a name, arguments, and where it was found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from zkit.receipt import Fix, Rank

Tier = Literal["native", "marker", "alone", "shape"]
"""How strong the evidence for a call is: the server's own field, an envelope that only calls use, a
reply that is nothing else, or only the shape of the text and the name of a declared tool."""

Position = Literal["final", "followed"]
"""Whether the reply ends with its calls, or goes on in prose after the last of them."""


@dataclass(frozen=True, init=False)
class Call:
    """One tool call: the name, the arguments, and how it was found and repaired.

    `arguments` is what the model sent: an object where the call was found in text, the raw string
    where the server delivered it. `origin` is `native` or the name of the text format; `fixes`
    lists what was repaired to read it, `span` is its place in the completion.
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

    def __init__(
        self,
        name: str,
        arguments: Any = None,
        id: str = "",
        origin: str = "native",
        tier: Tier = "native",
        confidence: float = 1.0,
        rank: Rank = Rank.EXACT,
        fixes: tuple[Fix, ...] = (),
        span: tuple[int, int] | None = None,
        position: Position = "final",
    ) -> None:
        # What dataclass writes for a frozen class costs four times as much, and each call of a tool
        # makes three of these.
        self.__dict__.update(
            name=name,
            arguments=arguments,
            id=id,
            origin=origin,
            tier=tier,
            confidence=confidence,
            rank=rank,
            fixes=fixes,
            span=span,
            position=position,
        )
