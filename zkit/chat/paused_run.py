"""A run that waits for a decision, as one JSON document: everything needed to continue elsewhere."""

from __future__ import annotations

import hmac
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from threading import Lock
from typing import Annotated, Literal, Protocol

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    JsonValue,
    NonNegativeInt,
    PositiveInt,
)
from pydantic_core import from_json

from zkit.calls import Call, Position, Tier
from zkit.chat.history import call_entry
from zkit.chat.loop_events import Message, TurnRecord, Usage
from zkit.chat.wire_data import (
    call_from_dict,
    call_to_dict,
    entries,
    outcome_from_dict,
    outcome_to_dict,
)
from zkit.errors import ResumeError
from zkit.json_types import JsonMapping, JsonObject
from zkit.receipt import RankName

_MOST = 100_000
_RESUMED: dict[str, None] = {}
"""The ids of the runs whose open calls this process has run, the newest of them."""
_LOCK = Lock()


class Holder(Protocol):
    """A store that holds a paused run."""

    def give(self, id: str) -> bool:
        """Lease the run; return False if another process has it."""

    def renew(self, id: str, lease: float) -> bool:
        """Renew the lease; False if it ran out and another process has the run."""

    def mark_began(self, id: str, call: Call) -> None:
        """Note that a call of the run starts, before it does."""

    def mark_ended(self, id: str, call: Call) -> None:
        """Note that the call has a result."""


class Claim:
    """The right to resume a paused run: there is one, however many copies of the run there are.

    It is granted by the run itself, by this process, and by each store that holds the run.
    """

    def __init__(self) -> None:
        self._own = Lock()
        self._asked: dict[str, Holder] = {}
        self._leases: dict[str, float] = {}  # leases of the stores that have granted the run
        self.holders: dict[str, Holder] = {}
        """The stores that are notified of each call that starts."""

    def ask_too(self, place: str, holder: Holder) -> None:
        """Add a store that must grant the run too, and only once."""
        self._asked[place] = self.holders[place] = holder

    def given_by(self, place: str, holder: Holder, lease: float) -> None:
        """Note that the store has granted the run already, until the time `lease`."""
        self._asked.pop(place, None)
        self._leases[place] = lease
        self.holders[place] = holder

    def take(self, id: str, *, runs_calls: bool) -> bool:
        """True if the run may go on now.

        A call must not run twice. So if calls are open, no other copy of the run may have gone on
        in this process; an answer to a question alone may be tried with several copies.
        """
        if runs_calls and not _mark(id):
            return False
        try:
            kept = all(
                self.holders[place].renew(id, lease) for place, lease in self._leases.items()
            )
            free = kept and all(holder.give(id) for holder in self._asked.values())
        except BaseException:
            release(id)  # a store could not be reached, so nothing was resumed
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


VERSION = 2
MOST_BYTES = 64_000_000
"""The largest document that is read: longer than any conversation that a model can hold."""


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

    def to_dict(self) -> JsonObject:
        """Return it as plain data."""
        return {
            "kind": self.kind,
            "call": call_to_dict(self.call),
            "key": self.key,
            "question": self.question,
            "options": list(self.options),
            "idempotency_key": self.idempotency_key,
        }

    @classmethod
    def from_dict(cls, data: JsonMapping) -> Waiting:
        """Return the object that `to_dict` was called on."""
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

    def to_dict(self) -> JsonObject:
        """Return it as plain data."""
        return {
            "waiting": [one.to_dict() for one in self.waiting],
            "calls": [call_to_dict(call) for call in self.calls],
            "finish_reason": self.finish_reason,
            "times": dict(self.times),
        }

    @classmethod
    def from_dict(cls, data: JsonMapping) -> OpenTurn:
        """Return the object that `to_dict` was called on."""
        waiting = tuple(Waiting.from_dict(one) for one in data["waiting"])
        calls = tuple(map(call_from_dict, data["calls"]))
        return cls(waiting, calls, data["finish_reason"], dict(data["times"]))


@dataclass(frozen=True, slots=True)
class Used:
    """What a run has used so far. `budget` is what its calls spent."""

    turn: int = 0
    calls: int = 0
    seconds: float = 0.0
    usage: Usage = field(default_factory=Usage)
    spent: Mapping[str, int] = field(default_factory=dict)
    budget: JsonMapping = field(default_factory=dict)

    def to_dict(self) -> JsonObject:
        """Return it as plain data."""
        return {
            "turn": self.turn,
            "calls": self.calls,
            "seconds": self.seconds,
            "usage": self.usage._asdict(),
            "spent": dict(self.spent),
            "budget": dict(self.budget),
        }

    @classmethod
    def from_dict(cls, data: JsonMapping) -> Used:
        """Return the object that `to_dict` was called on."""
        return cls(**{**data, "usage": Usage(**data["usage"])})


@dataclass(frozen=True, slots=True)
class PausedRun:
    """A paused run. `ChatLoop.resume` goes on with it, once, in this process or in another.

    `messages` can be sent as they are: each call has an answer, if only that it was not run.
    `permissions`, `kit` with its `tools`, and `role` say what may be called, and stay in force;
    `limits` are those of the loop, `unconfirmed` the calls in text that the next reply can confirm.

    The document decides what runs. Keep it where only you can write, or pass a `secret` to
    `to_json` and `from_json`: then it is signed, and one that is unsigned or was changed is
    rejected. Everything that is not a document of this kind raises `ResumeError`.
    """

    id: str
    task: str
    model: str
    messages: tuple[Message, ...]
    open: OpenTurn
    used: Used = field(default_factory=Used)
    kit: str | None = None
    tools: tuple[str, ...] = ()
    permissions: JsonMapping = field(default_factory=dict)
    role: str = ""
    workspace: str = ""
    limits: JsonMapping = field(default_factory=dict)
    text_mode: bool = False
    turns: tuple[TurnRecord, ...] = ()
    unconfirmed: tuple[JsonMapping, ...] = ()
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

    def to_dict(self) -> JsonObject:
        """Return the run as plain data, ready for `json.dumps`."""
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
            "unconfirmed": [dict(one) for one in self.unconfirmed],
            "messages": list(self.messages),
        }

    def to_json(self, secret: str | bytes | None = None) -> str:
        """Return the run as JSON text, signed if there is a secret.

        Data that JSON does not know is written as text.
        """
        text = json.dumps(self.to_dict(), ensure_ascii=False, default=str)
        text = text.encode("utf-8", "replace").decode("utf-8")
        if secret is None:
            return text
        data = json.loads(text)
        return json.dumps({**data, "signature": _signature(data, secret)}, ensure_ascii=False)

    @classmethod
    def from_dict(cls, data: JsonMapping, secret: str | bytes | None = None) -> PausedRun:
        """Return the run that `to_dict` was called on."""
        try:
            return cls.from_json(json.dumps(data), secret)
        except (TypeError, ValueError, RecursionError) as error:
            raise _as_resume_error(error) from error

    @classmethod
    def from_json(cls, text: str | bytes, secret: str | bytes | None = None) -> PausedRun:
        """Return the run that `to_json` was called on; with a secret, only if it was signed with it."""
        try:
            if len(text) > MOST_BYTES:
                raise ResumeError(f"not a paused run: it has more than {MOST_BYTES} bytes")
            data = from_json(text)
            version = data.get("version") if isinstance(data, dict) else None
            if version != VERSION:
                raise ResumeError(f"a paused run of version {version!r}; this zkit reads {VERSION}")
            signature = data.pop("signature", None)
            if secret is not None and not _is_signed(data, signature, secret):
                raise ResumeError("the paused run is not signed with this secret, or was changed")
            checked = _Document.model_validate_json(json.dumps(data))
            return cls._from_checked(checked.model_dump(exclude_unset=True))
        except (TypeError, ValueError, KeyError, RecursionError) as error:
            raise _as_resume_error(error) from error

    @classmethod
    def _from_checked(cls, data: JsonObject) -> PausedRun:
        read = {
            "open": OpenTurn.from_dict(data["open"]),
            "used": Used.from_dict(data["used"]),
            "turns": tuple(map(_turn_from_dict, data["turns"])),
        }
        made = cls(**{**data, **read})
        _check_consistency(made)
        return made


def _as_resume_error(error: Exception) -> ResumeError:
    """Return the one error for everything that is not a paused run; long reports are cut."""
    if isinstance(error, ResumeError):
        return error
    reason = " ".join(str(error).split())[:300] or type(error).__name__
    return ResumeError(f"not a paused run: {reason}")


def _check_consistency(paused: PausedRun) -> None:
    """Raise `ResumeError` unless what was shown, what waits and what will run are the same calls."""
    calls = {call.id: call for call in paused.open.calls}
    waiting = [one.call.id for one in paused.waiting]
    if not waiting:
        raise ResumeError("not a paused run: it waits for nothing")
    if len(calls) != len(paused.open.calls) or len(set(waiting)) != len(waiting):
        raise ResumeError("not a paused run: a call is in it twice")
    if set(paused.open.times) - set(calls):
        raise ResumeError("not a paused run: it counts a call that is not open")
    shown, answered = _shown_calls(paused.messages), _answered_calls(paused.messages)
    for one in paused.waiting:
        if calls.get(one.call.id) != one.call:
            raise ResumeError(
                f"not a paused run: {one.call.name!r} waits, and another call would run"
            )
    for call in paused.open.calls:
        if shown.get(call.id) != [call_entry(call)["function"]]:
            raise ResumeError(f"not a paused run: {call.name!r} is not the call in its messages")
        if answered.count(call.id) != 1:
            raise ResumeError(f"not a paused run: {call.name!r} has no answer in its messages")


def _shown_calls(messages: Iterable[Message]) -> dict[str, list[JsonObject]]:
    """Return the function of each call in a conversation, by id."""
    found: dict[str, list[JsonObject]] = {}
    for message in messages:
        for entry in entries(message.get("tool_calls") or ()):
            found.setdefault(_id(entry.get("id")), []).append(entry.get("function") or {})
    return found


def _answered_calls(messages: Iterable[Message]) -> list[str]:
    """Return the id of each call that has an answer in a conversation."""
    return [_id(one.get("tool_call_id")) for one in messages if one.get("role") == "tool"]


def _id(given: object) -> str:
    if not isinstance(given, str):
        raise ResumeError(f"not a paused run: the id of a call cannot be {given!r:.80}")
    return given


# ── signed documents ─────────────────────────────────────────────────────────


def _signature(data: JsonMapping, secret: str | bytes) -> str:
    key = secret.encode() if isinstance(secret, str) else secret
    if not key:
        raise ValueError("the secret must not be empty")
    text = json.dumps(data, sort_keys=True, separators=(",", ":"))
    return hmac.new(key, b"zkit paused run\n" + text.encode("ascii"), "sha256").hexdigest()


def _is_signed(data: JsonMapping, signature: object, secret: str | bytes) -> bool:
    expected = _signature(data, secret)
    return isinstance(signature, str) and hmac.compare_digest(
        signature.encode("utf-8", "replace"), expected.encode()
    )


# ── the document: one strict model ───────────────────────────────────────────


class _Strict(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, defer_build=True)


Json = dict[str, JsonValue]


class _Fix(_Strict):
    name: str
    rank: RankName
    start: int
    end: int
    new: str
    note: str
    path: str


class _Call(_Strict):
    name: str
    arguments: JsonValue
    id: str
    origin: str
    tier: Tier
    confidence: float
    rank: RankName
    fixes: tuple[_Fix, ...]
    span: tuple[int, int] | None
    position: Position


class _Waiting(_Strict):
    kind: Literal["approval", "answer"]
    call: _Call
    key: str
    question: str
    options: tuple[str, ...]
    idempotency_key: str


class _Open(_Strict):
    waiting: tuple[_Waiting, ...]
    calls: tuple[_Call, ...]
    finish_reason: str | None
    times: dict[str, PositiveInt]


class _Usage(_Strict):
    prompt_tokens: NonNegativeInt
    completion_tokens: NonNegativeInt
    total_tokens: NonNegativeInt
    requests: NonNegativeInt


class _Budget(_Strict):
    calls: dict[str, NonNegativeInt] = {}
    tokens: NonNegativeInt = 0


class _Used(_Strict):
    turn: NonNegativeInt
    calls: NonNegativeInt
    seconds: Annotated[float, Field(ge=0, allow_inf_nan=False)]
    usage: _Usage
    spent: dict[str, NonNegativeInt]
    budget: _Budget


class _Limits(_Strict):
    max_turns: PositiveInt
    max_calls: NonNegativeInt
    max_total_tokens: PositiveInt | None
    max_seconds: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None


class _Outcome(_Strict):
    call: _Call
    result: Json
    seconds: Annotated[float, Field(ge=0)]
    attempts: NonNegativeInt


class _Turn(_Strict):
    number: NonNegativeInt
    text: str
    reasoning: str
    outcomes: tuple[_Outcome, ...]
    diff: str
    ignored: tuple[str, ...]


class _Document(_Strict):
    version: Literal[2]
    id: Annotated[str, Field(min_length=1)]
    task: Annotated[str, Field(min_length=1)]
    model: str
    created: str
    kit: str | None
    tools: tuple[str, ...]
    permissions: Json
    role: str
    workspace: str
    limits: _Limits
    text_mode: bool
    open: _Open
    used: _Used
    turns: tuple[_Turn, ...]
    unconfirmed: tuple[Json, ...]
    messages: tuple[Json, ...]


def _turn_to_dict(turn: TurnRecord) -> JsonObject:
    return {
        "number": turn.number,
        "text": turn.text,
        "reasoning": turn.reasoning,
        "outcomes": [outcome_to_dict(one) for one in turn.outcomes],
        "diff": turn.diff,
        "ignored": list(turn.ignored),
    }


def _turn_from_dict(data: JsonMapping) -> TurnRecord:
    return TurnRecord(**{**data, "outcomes": tuple(map(outcome_from_dict, data["outcomes"]))})


def require_paused(given: object) -> None:
    """Raise `ResumeError` for anything but a paused run: that of a run that did not pause is None."""
    if not isinstance(given, PausedRun):
        raise ResumeError(
            f"expected a paused run, not {given!r:.80}: the `paused` of a result whose reason is"
            " 'paused', what PauseStore.take gave, or PausedRun.from_json(text)"
        )
