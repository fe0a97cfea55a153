"""What comes of a run: the answer, the conversation, what was done, and why it ended."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from zkit.chat.events import Message
from zkit.dispatch import Outcome
from zkit.effects import FileEffect, ProcessEffect
from zkit.receipt import Fix

if TYPE_CHECKING:
    from zkit.chat.pause.paused import PausedRun

Reason = Literal[
    "completed",  # the model gave its answer
    "max_turns",
    "max_calls",
    "max_tokens",
    "max_seconds",
    "length",  # the server's token limit cut the answer, or call after call
    "loop",  # the same call with the same result, again and again
    "malformed",  # the model did not find its way to a call that can run
    "empty",  # the model said nothing, again and again
    "filtered",  # the model or the server declined to answer
    "paused",  # a call waits for approval, or a question for an answer
    "stopped",  # somebody said so
    "error",  # the server failed
]


class Usage(NamedTuple):
    """What was used, summed over the requests of a run."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    total_tokens: int = 0
    requests: int = 0

    def plus(self, given: Mapping[str, Any] | None) -> Usage:
        """With one more request, as the server counted it."""
        read, written = (_count(given, key) for key in ("prompt_tokens", "completion_tokens"))
        total = _count(given, "total_tokens") or read + written
        return Usage(
            self.prompt_tokens + read,
            self.completion_tokens + written,
            self.total_tokens + total,
            self.requests + 1,
        )


def _count(usage: Mapping[str, Any] | None, key: str) -> int:
    found = (usage or {}).get(key)
    return found if isinstance(found, int) and found > 0 else 0


@dataclass(frozen=True, slots=True)
class TurnRecord:
    """One reply of the model, and what came of its calls. `diff` is what changed in files."""

    number: int
    text: str = ""
    reasoning: str = ""
    outcomes: tuple[Outcome, ...] = ()
    diff: str = ""

    @property
    def effects(self) -> tuple[FileEffect | ProcessEffect, ...]:
        """What the calls of this turn did to the world."""
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
        """Everything that was done to the world, in order."""
        return tuple(effect for turn in self.turns for effect in turn.effects)

    @property
    def fixes(self) -> tuple[Fix, ...]:
        """Everything that was repaired, over all calls."""
        return tuple(fix for outcome in self.calls for fix in outcome.call.fixes)

    def to_dict(self) -> dict[str, Any]:
        """The result as plain data."""
        error = None if self.error is None else f"{type(self.error).__name__}: {self.error}"
        return {
            "text": self.text,
            "reason": self.reason,
            "messages": self.messages,
            "usage": self.usage._asdict(),
            "error": error,
            "paused": None if self.paused is None else self.paused.to_dict(),
        }
