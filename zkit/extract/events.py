"""The records that a stream emits while it arrives, and what a reply is cut into."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from zkit.calls import Call
from zkit.receipt import Fix, Rank

Kind = Literal["text", "reasoning", "token", "frame", "thought", "ended"]


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of the reply that is not a call.

    `text` is the part of it that is shown, `whole` all of it where the two differ.
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


@dataclass(frozen=True, slots=True)
class Doubtful:
    """A well-formed call of a declared tool that the reply goes on after.

    It may be made, or only shown: the tool's grade decides. `message` is for the model, which can
    send the call alone.
    """

    call: Call
    reason: str
    message: str

    @property
    def name(self) -> str:
        """The name of the tool."""
        return self.call.name

    @property
    def arguments(self) -> Any:
        """The arguments of the call."""
        return self.call.arguments

    @property
    def span(self) -> tuple[int, int]:
        """The call's place in the reply."""
        return self.call.span or (0, 0)

    @property
    def origin(self) -> str:
        """The format that the call is written in."""
        return self.call.origin


@dataclass(frozen=True, slots=True)
class Unknown:
    """A call of a tool that is not declared: its name, its arguments as far as they were read.

    `rank` and `fixes` say what was repaired to read them, without a schema to go by.
    """

    name: str
    arguments: Any
    span: tuple[int, int]
    text: str
    origin: str
    rank: Rank = Rank.EXACT
    fixes: tuple[Fix, ...] = ()


@dataclass(frozen=True, slots=True)
class Incomplete:
    """A call that was cut: its name if it is known, and the text that arrived."""

    name: str
    arguments: Any
    span: tuple[int, int]
    text: str
    origin: str


@dataclass(frozen=True, slots=True)
class Refusal:
    """What looks like a call and is not one. `message` is for the model, if it can fix it."""

    name: str
    reason: str
    span: tuple[int, int]
    message: str
    origin: str


@dataclass(frozen=True, slots=True)
class Text:
    """Text for the reader: it cannot belong to a call any more."""

    kind: ClassVar[str] = "text"
    text: str


@dataclass(frozen=True, slots=True)
class Reasoning:
    """A part of the model's reasoning."""

    kind: ClassVar[str] = "reasoning"
    text: str


@dataclass(frozen=True, slots=True)
class TextWasReasoning:
    """The prompt had opened the reasoning: all text so far belongs to it, and no call counts."""

    kind: ClassVar[str] = "text_was_reasoning"


@dataclass(frozen=True, slots=True)
class CallHeld:
    """A call was read. It is held back until the end of the reply decides what it is."""

    kind: ClassVar[str] = "call_held"
    call: Call


@dataclass(frozen=True, slots=True)
class CallComplete:
    """A call, ready to be decoded."""

    kind: ClassVar[str] = "call_complete"
    call: Call


@dataclass(frozen=True, slots=True)
class CallDoubtful:
    """A call that text follows; its text comes as text."""

    kind: ClassVar[str] = "call_doubtful"
    doubtful: Doubtful


@dataclass(frozen=True, slots=True)
class CandidateRefused:
    """What looked like a call is not one; its text comes as text."""

    kind: ClassVar[str] = "call_refused"
    refusal: Refusal


@dataclass(frozen=True, slots=True)
class CallUnknown:
    """A call of a tool that is not declared."""

    kind: ClassVar[str] = "call_unknown"
    unknown: Unknown


@dataclass(frozen=True, slots=True)
class CallIncomplete:
    """A call that was cut off."""

    kind: ClassVar[str] = "call_incomplete"
    incomplete: Incomplete


@dataclass(frozen=True, slots=True)
class ReadingEnded:
    """The reply ended here: a leaked turn, or a tool result that the model made up, follows."""

    kind: ClassVar[str] = "reading_ended"
    at: int


Event = (
    Text | Reasoning | TextWasReasoning | CallHeld | CallComplete | CallDoubtful | CandidateRefused
    | CallUnknown | CallIncomplete | ReadingEnded
)  # fmt: skip
