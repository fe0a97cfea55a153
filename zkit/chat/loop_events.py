"""The events of a running loop, each with a `kind` and a JSON form, and the result of a run."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, ClassVar, Literal, NamedTuple

from zkit.calls import Call
from zkit.chat.wire_data import call_to_dict
from zkit.dispatch import Outcome
from zkit.effects import FileEffect, ProcessEffect
from zkit.json_types import JsonMapping, JsonObject
from zkit.receipt import Fix
from zkit.results import Result

if TYPE_CHECKING:
    from zkit.chat.paused_run import PausedRun

Reason = Literal[
    "completed",  # the model gave its answer
    "max_turns",
    "max_calls",
    "max_total_tokens",
    "max_seconds",
    "length",  # the server's token limit cut the answer, or call after call
    "loop",  # the same call with the same result, again and again
    "malformed",  # the model did not produce a call that can run
    "empty",  # the model sent nothing, again and again
    "filtered",  # the model or the server declined to answer
    "paused",  # a call waits for approval, or a question for an answer
    "stopped",  # somebody stopped it
    "error",  # the server failed
]


class Usage(NamedTuple):
    """Token usage, summed over the requests of a run."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    total_tokens: int = 0
    requests: int = 0

    def plus(self, given: JsonMapping | None) -> Usage:
        """Return the sum with one more request, as the server counted it."""
        read, written = (_count(given, key) for key in ("prompt_tokens", "completion_tokens"))
        total = _count(given, "total_tokens") or read + written
        return Usage(
            self.prompt_tokens + read,
            self.completion_tokens + written,
            self.total_tokens + total,
            self.requests + 1,
        )


def _count(usage: JsonMapping | None, key: str) -> int:
    found = (usage or {}).get(key)
    return found if isinstance(found, int) and found > 0 else 0


@dataclass(frozen=True, slots=True)
class TurnRecord:
    """One reply of the model, and the outcomes of its calls.

    `diff` is what changed in files. `ignored` are the names of tools whose calls were in the text
    beside native calls: they were not run.
    """

    number: int
    text: str = ""
    reasoning: str = ""
    outcomes: tuple[Outcome, ...] = ()
    diff: str = ""
    ignored: tuple[str, ...] = ()

    @property
    def effects(self) -> tuple[FileEffect | ProcessEffect, ...]:
        """The effects of the calls of this turn."""
        return tuple(e for one in self.outcomes for e in getattr(one.result, "effects", ()))


@dataclass(frozen=True, slots=True)
class RunResult:
    """The end of a run.

    `messages` is the whole conversation: every call has its answer, so it can be sent again as it
    is. `error` is the exception of the client when `reason` is `error`. `paused` is what to resume
    when `reason` is `paused`. `turns` are the latest.
    """

    text: str
    reason: Reason
    messages: list[Message]
    usage: Usage
    turns: tuple[TurnRecord, ...] = ()
    error: BaseException | None = None
    paused: PausedRun | None = None

    @property
    def calls(self) -> tuple[Outcome, ...]:
        """Every call with its result, in order."""
        return tuple(outcome for turn in self.turns for outcome in turn.outcomes)

    @property
    def effects(self) -> tuple[FileEffect | ProcessEffect, ...]:
        """All effects, in order."""
        return tuple(effect for turn in self.turns for effect in turn.effects)

    @property
    def fixes(self) -> tuple[Fix, ...]:
        """Everything that was repaired, over all calls."""
        return tuple(fix for outcome in self.calls for fix in outcome.call.fixes)

    def to_dict(self) -> JsonObject:
        """Return the result as plain data."""
        error = None if self.error is None else f"{type(self.error).__name__}: {self.error}"
        return {
            "text": self.text,
            "reason": self.reason,
            "messages": self.messages,
            "usage": self.usage._asdict(),
            "error": error,
            "paused": None if self.paused is None else self.paused.to_dict(),
        }


Message = JsonObject
"""A message as OpenAI writes it."""


class LoopEvent:
    """The family of events."""

    kind: ClassVar[str]

    def to_dict(self) -> JsonObject:
        """Return the event as plain data, ready for `json.dumps`."""
        own = {entry.name: getattr(self, entry.name) for entry in fields(self)}  # type: ignore[arg-type]
        return {"kind": self.kind, **{name: _plain(value) for name, value in own.items()}}


def _plain(value: object) -> object:
    if isinstance(value, Call):
        return call_to_dict(value)
    if isinstance(value, tuple):
        return list(value)
    to_dict = getattr(value, "to_dict", None)
    return to_dict() if to_dict is not None else value


@dataclass(frozen=True, slots=True)
class TurnStarted(LoopEvent):
    """A request goes to the model; `tools` are the names of the tools that it is offered."""

    kind: ClassVar[str] = "turn_started"
    turn: int
    tools: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TextDelta(LoopEvent):
    """More of the answer; it cannot belong to a call any more."""

    kind: ClassVar[str] = "text_delta"
    text: str


@dataclass(frozen=True, slots=True)
class ReasoningDelta(LoopEvent):
    """More of the model's reasoning."""

    kind: ClassVar[str] = "reasoning_delta"
    text: str


@dataclass(frozen=True, slots=True)
class TextRevoked(LoopEvent):
    """The text of this turn so far does not count: it was reasoning, or the connection broke."""

    kind: ClassVar[str] = "text_revoked"
    reason: str


@dataclass(frozen=True, slots=True)
class ToolStarted(LoopEvent):
    """A call goes to the dispatcher, as the model made it."""

    kind: ClassVar[str] = "tool_started"
    call: Call


@dataclass(frozen=True, slots=True)
class CallRepaired(LoopEvent):
    """A call was changed to be read: its `fixes` say how."""

    kind: ClassVar[str] = "call_repaired"
    call: Call


@dataclass(frozen=True, slots=True)
class CallRefused(LoopEvent):
    """A call was not run, for a reason that the model can fix; `message` is sent to it."""

    kind: ClassVar[str] = "call_refused"
    id: str
    name: str
    code: str
    message: str


@dataclass(frozen=True, slots=True)
class ToolFinished(LoopEvent):
    """A call has a result; `text` is what the model gets."""

    kind: ClassVar[str] = "tool_finished"
    call: Call
    result: Result
    text: str
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class ApprovalNeeded(LoopEvent):
    """The run pauses before a call: exactly this call is approved or not under `key`."""

    kind: ClassVar[str] = "approval_needed"
    call: Call
    key: str


@dataclass(frozen=True, slots=True)
class QuestionAsked(LoopEvent):
    """The run pauses for an answer; `options` are suggestions; any answer is accepted."""

    kind: ClassVar[str] = "question_asked"
    call: Call
    question: str
    options: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Resumed(LoopEvent):
    """A run that was paused goes on; `id` is that of the pause."""

    kind: ClassVar[str] = "resumed"
    id: str


@dataclass(frozen=True, slots=True)
class Retrying(LoopEvent):
    """The server did not answer; the same request is sent again after `delay` seconds."""

    kind: ClassVar[str] = "retrying"
    reason: str
    delay: float
    attempt: int


@dataclass(frozen=True, slots=True)
class Corrected(LoopEvent):
    """The reply could not be used; the model is asked again, with `message` in the request."""

    kind: ClassVar[str] = "corrected"
    reason: str
    message: str


@dataclass(frozen=True, slots=True)
class Steered(LoopEvent):
    """A message from outside joins the conversation."""

    kind: ClassVar[str] = "steered"
    text: str
    trusted: bool


@dataclass(frozen=True, slots=True)
class Compacted(LoopEvent):
    """The history was shortened."""

    kind: ClassVar[str] = "compacted"
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class MessageAdded(LoopEvent):
    """A message joins the history."""

    kind: ClassVar[str] = "message_added"
    message: Message


@dataclass(frozen=True, slots=True)
class MessageChanged(LoopEvent):
    """A message of the history was changed: a call that a pause left open has its answer."""

    kind: ClassVar[str] = "message_changed"
    index: int
    message: Message


@dataclass(frozen=True, slots=True)
class RunFinished(LoopEvent):
    """The run is over; `result` is a `RunResult`."""

    kind: ClassVar[str] = "run_finished"
    result: RunResult
