"""What a stream tells while it arrives: frozen records, told apart by `kind`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from zkit.calls import Call
from zkit.receipt import Fix, Rank


@dataclass(frozen=True, slots=True)
class Unknown:
    """A call to a tool that is not declared: its name, its arguments as far as they were read.

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
    """What looked like a call and is none. `message` is for the model, if it can mend it."""

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
class CallStarted:
    """A call to a declared tool is being written. It may still be refused."""

    kind: ClassVar[str] = "call_started"
    name: str
    start: int


@dataclass(frozen=True, slots=True)
class CallProgress:
    """More of a call's text has arrived, as it was written."""

    kind: ClassVar[str] = "call_progress"
    text: str


@dataclass(frozen=True, slots=True)
class CallComplete:
    """A call, ready to be decoded."""

    kind: ClassVar[str] = "call_complete"
    call: Call


@dataclass(frozen=True, slots=True)
class CallRefused:
    """What looked like a call is none; its text follows as text."""

    kind: ClassVar[str] = "call_refused"
    refusal: Refusal


@dataclass(frozen=True, slots=True)
class CallUnknown:
    """A call to a tool that is not declared."""

    kind: ClassVar[str] = "call_unknown"
    unknown: Unknown


@dataclass(frozen=True, slots=True)
class CallIncomplete:
    """A call that was cut off."""

    kind: ClassVar[str] = "call_incomplete"
    incomplete: Incomplete


@dataclass(frozen=True, slots=True)
class ReadingEnded:
    """The model wrote a tool's result itself: nothing from this place on is acted on."""

    kind: ClassVar[str] = "reading_ended"
    at: int


Event = (
    Text | Reasoning | TextWasReasoning | CallStarted | CallProgress | CallComplete | CallRefused
    | CallUnknown | CallIncomplete | ReadingEnded
)  # fmt: skip
