"""What a reply falls into when it is read: stretches of text and of what is no text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["text", "reasoning", "token", "frame", "thought", "ended"]


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of the reply that is no candidate.

    `text` is what of it is worth showing, `whole` all of it where that is not the same.
    """

    kind: Kind
    span: tuple[int, int]
    text: str
    whole: str = ""


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of the reply that is not part of its content."""

    kind: str
    start: int
    end: int
