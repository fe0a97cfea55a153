"""The events that a stream emits, and the records that a reply is divided into."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from zkit.calls import Call
from zkit.receipt import Fix, Rank

Kind = Literal["text", "reasoning", "token", "frame", "thought", "ended"]


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of the reply that is not a call.

    `text` is the part that is shown; `whole` is all of it.
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
    """A well-formed call of a declared tool that may be meant or only shown.

    More text follows it, or a sentence mentions it. The tool's grade decides what happens to it.
    `message` asks the model to send the call alone.
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
        """The call's span in the reply."""
        return self.call.span or (0, 0)

    @property
    def origin(self) -> str:
        """The format that the call is written in."""
        return self.call.origin


@dataclass(frozen=True, slots=True)
class Unknown:
    """A call of an undeclared tool: its name, and its arguments as far as they could be read.

    `rank` and `fixes` describe the repairs, which were made without a schema.
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
    """Something call-shaped that is not accepted. `message` is for the model, if it can fix the call."""

    name: str
    reason: str
    span: tuple[int, int]
    message: str
    origin: str


@dataclass(frozen=True, slots=True)
class Text:
    """Text for the reader; it can no longer become part of a call."""

    kind: ClassVar[str] = "text"
    text: str


@dataclass(frozen=True, slots=True)
class Reasoning:
    """A part of the model's reasoning."""

    kind: ClassVar[str] = "reasoning"
    text: str


@dataclass(frozen=True, slots=True)
class TextWasReasoning:
    """The prompt opened the reasoning: all text so far is reasoning, and no call in it counts."""

    kind: ClassVar[str] = "text_was_reasoning"


@dataclass(frozen=True, slots=True)
class CallHeld:
    """A call was read. It is held until the end of the reply shows whether it counts."""

    kind: ClassVar[str] = "call_held"
    call: Call


@dataclass(frozen=True, slots=True)
class CallComplete:
    """A call, ready to be decoded."""

    kind: ClassVar[str] = "call_complete"
    call: Call


@dataclass(frozen=True, slots=True)
class CallDoubtful:
    """A doubtful call; it is also emitted as text."""

    kind: ClassVar[str] = "call_doubtful"
    doubtful: Doubtful


@dataclass(frozen=True, slots=True)
class CandidateRefused:
    """Something call-shaped was refused; it is also emitted as text."""

    kind: ClassVar[str] = "call_refused"
    refusal: Refusal


@dataclass(frozen=True, slots=True)
class CallUnknown:
    """A call of an undeclared tool."""

    kind: ClassVar[str] = "call_unknown"
    unknown: Unknown


@dataclass(frozen=True, slots=True)
class CallIncomplete:
    """A call that was cut off."""

    kind: ClassVar[str] = "call_incomplete"
    incomplete: Incomplete


@dataclass(frozen=True, slots=True)
class ReadingEnded:
    """The reply ended here, because a leaked turn or a made-up tool result follows."""

    kind: ClassVar[str] = "reading_ended"
    at: int


Event = (
    Text | Reasoning | TextWasReasoning | CallHeld | CallComplete | CallDoubtful | CandidateRefused
    | CallUnknown | CallIncomplete | ReadingEnded
)  # fmt: skip
