"""A run that waits for somebody, as one JSON document: all that is needed to go on elsewhere."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from threading import Lock
from typing import Any, Literal

from zkit.calls import Call
from zkit.chat.loop_events import Message, TurnRecord, Usage
from zkit.chat.wire_data import (
    call_from_dict,
    call_to_dict,
    outcome_from_dict,
    outcome_to_dict,
)
from zkit.errors import ResumeError

_MOST = 100_000
_RESUMED: dict[str, None] = {}
"""The ids of the runs whose open calls this process has run, the newest of them."""
_LOCK = Lock()


class Claim:
    """What a paused run must ask before it goes on: itself, this process, and each store that holds it."""

    def __init__(self) -> None:
        self._own = Lock()
        self._stores: dict[str, Callable[[str], bool]] = {}

    def ask_too(self, store: str, take: Callable[[str], bool]) -> None:
        """Let a store be asked as well: it must give the run away, and only once."""
        self._stores[store] = take

    def take(self, id: str, *, runs_calls: bool) -> bool:
        """Whether the run may go on now.

        A call must not run twice. So where calls are open, no other copy of the run may have gone on in
        this process; an answer to a question alone may be tried with several copies.
        """
        if runs_calls and not _mark(id):
            return False
        try:
            free = all(take(id) for take in self._stores.values())
        except BaseException:
            release(id)  # a store could not be asked, so nothing was resumed
            raise
        return free and self._own.acquire(blocking=False)


def _mark(id: str) -> bool:
    with _LOCK:
        if id in _RESUMED:
            return False
        _RESUMED[id] = None
        while len(_RESUMED) > _MOST:
            del _RESUMED[next(iter(_RESUMED))]
        return True


def release(id: str) -> None:
    """Let a run be resumed again in this process."""
    with _LOCK:
        _RESUMED.pop(id, None)


VERSION = 1


@dataclass(frozen=True, slots=True)
class Waiting:
    """What a paused run waits for: the approval of a call, or the answer to a question.

    `call` is the call exactly as it will run, and `key` stands for it and no other: an approval
    counts only for a call with this key. `idempotency_key` is the one that its tool will be given.
    """

    kind: Literal["approval", "answer"]
    call: Call
    key: str
    question: str = ""
    options: tuple[str, ...] = ()
    idempotency_key: str = ""

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "kind": self.kind,
            "call": call_to_dict(self.call),
            "key": self.key,
            "question": self.question,
            "options": list(self.options),
            "idempotency_key": self.idempotency_key,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Waiting:
        """Again from what `to_dict` made."""
        call, options = call_from_dict(data["call"]), tuple(data["options"])
        return cls(**{**data, "call": call, "options": options})


@dataclass(frozen=True, slots=True)
class OpenTurn:
    """The calls of a turn that a pause left open, in order; those it waits for are among them.

    `finish_reason` is the server's for the turn; `times` how often a call was written, if more
    than once.
    """

    waiting: tuple[Waiting, ...] = ()
    calls: tuple[Call, ...] = ()
    finish_reason: str | None = None
    times: Mapping[str, int] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "waiting": [one.to_dict() for one in self.waiting],
            "calls": [call_to_dict(call) for call in self.calls],
            "finish_reason": self.finish_reason,
            "times": dict(self.times),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> OpenTurn:
        """Again from what `to_dict` made."""
        waiting = tuple(Waiting.from_dict(one) for one in data["waiting"])
        calls = tuple(map(call_from_dict, data["calls"]))
        return cls(waiting, calls, data["finish_reason"], dict(data["times"]))


@dataclass(frozen=True, slots=True)
class Used:
    """What a run has used up so far; it goes on from here. `purse` is the budget of its calls."""

    turn: int = 0
    calls: int = 0
    seconds: float = 0.0
    usage: Usage = field(default_factory=Usage)
    spent: Mapping[str, int] = field(default_factory=dict)
    purse: Mapping[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "turn": self.turn,
            "calls": self.calls,
            "seconds": self.seconds,
            "usage": self.usage._asdict(),
            "spent": dict(self.spent),
            "purse": dict(self.purse),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Used:
        """Again from what `to_dict` made."""
        return cls(**{**data, "usage": Usage(**data["usage"])})


@dataclass(frozen=True, slots=True)
class PausedRun:
    """A paused run. `ChatLoop.resume` goes on with it, once, in this process or in another.

    `messages` can be sent as they are: each call has an answer, if only that it was not run.
    `permissions`, `kit` with its `tools`, and `role` say what may be called, and stay in force;
    `limits` are those of the loop. The document decides what runs: keep it where only you can
    write.
    """

    id: str
    task: str
    model: str
    messages: tuple[Message, ...]
    open: OpenTurn
    used: Used = field(default_factory=Used)
    kit: str | None = None
    tools: tuple[str, ...] = ()
    permissions: Mapping[str, Any] = field(default_factory=dict)
    role: str = ""
    workspace: str = ""
    limits: Mapping[str, Any] = field(default_factory=dict)
    text_mode: bool = False
    turns: tuple[TurnRecord, ...] = ()
    created: str = field(default_factory=lambda: datetime.now(UTC).isoformat(timespec="seconds"))
    version: int = VERSION
    claim: Claim = field(default_factory=Claim, repr=False, compare=False)

    @property
    def waiting(self) -> tuple[Waiting, ...]:
        """What the run waits for; there is at least one entry."""
        return self.open.waiting

    def take(self) -> None:
        """Claim the run for being resumed; raises `ResumeError` the second time.

        So it does for a second copy in this process, where the run has calls left to run.
        """
        asked = {one.call.id for one in self.waiting if one.kind == "answer"}
        runs_calls = any(call.id not in asked for call in self.open.calls)
        if not self.claim.take(self.id, runs_calls=runs_calls):
            raise ResumeError(f"the paused run {self.id} was resumed already")

    def to_dict(self) -> dict[str, Any]:
        """The run as plain data, ready for `json.dumps`."""
        return {
            "version": self.version,
            "id": self.id,
            "task": self.task,
            "model": self.model,
            "created": self.created,
            "kit": self.kit,
            "tools": list(self.tools),
            "permissions": dict(self.permissions),
            "role": self.role,
            "workspace": self.workspace,
            "limits": dict(self.limits),
            "text_mode": self.text_mode,
            "open": self.open.to_dict(),
            "used": self.used.to_dict(),
            "turns": [_turn_to_dict(turn) for turn in self.turns],
            "messages": list(self.messages),
        }

    def to_json(self) -> str:
        """The run as JSON text; data that JSON does not know is written as text."""
        return json.dumps(self.to_dict(), ensure_ascii=False, default=str)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> PausedRun:
        """The run again from what `to_dict` made."""
        version = data.get("version") if isinstance(data, Mapping) else None
        if version != VERSION:
            raise ResumeError(f"a paused run of version {version!r}; this zkit reads {VERSION}")
        try:
            read = {
                "messages": tuple(data["messages"]),
                "tools": tuple(data["tools"]),
                "open": OpenTurn.from_dict(data["open"]),
                "used": Used.from_dict(data["used"]),
                "turns": tuple(map(_turn_from_dict, data["turns"])),
            }
            return cls(**{**data, **read})
        except (KeyError, TypeError, ValueError) as error:
            raise ResumeError(f"no paused run: {error!r}") from error

    @classmethod
    def from_json(cls, text: str) -> PausedRun:
        """The run again from what `to_json` made."""
        try:
            data = json.loads(text)
        except ValueError as error:
            raise ResumeError(f"no paused run: {error}") from error
        return cls.from_dict(data)


def _turn_to_dict(turn: TurnRecord) -> dict[str, Any]:
    return {
        "number": turn.number,
        "text": turn.text,
        "reasoning": turn.reasoning,
        "outcomes": [outcome_to_dict(one) for one in turn.outcomes],
        "diff": turn.diff,
    }


def _turn_from_dict(data: Mapping[str, Any]) -> TurnRecord:
    return TurnRecord(**{**data, "outcomes": tuple(map(outcome_from_dict, data["outcomes"]))})


def require_paused(given: object) -> None:
    """Refuse what is no paused run: that of a run that did not pause is None."""
    if not isinstance(given, PausedRun):
        raise ResumeError(
            f"a paused run is due, not {given!r:.80}: the `paused` of a result whose reason is"
            " 'paused', what PauseStore.take gave, or PausedRun.from_json(text)"
        )
