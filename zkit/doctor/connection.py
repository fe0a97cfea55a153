"""A connection to one model on one server that keeps every byte of the answers, and two readings of them."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

from zkit.chat import ServerSettings
from zkit.chat.assembler import call_entries
from zkit.chat.call_checker import CallChecker, Report, Rules
from zkit.chat.client.message_repair import RepairedMessage, repair_message
from zkit.chat.client.stream_repair import StreamRepair
from zkit.chat.client_errors import trouble_of
from zkit.chat.wire_data import arguments_of, entries, stream_data, text_of
from zkit.doctor.questions import Question
from zkit.json_types import JsonMapping, JsonObject

Data = JsonObject
TIMED_OUT = "no answer in time"


class Piece(NamedTuple):
    """Bytes as they arrived, and how many seconds after the request."""

    at: float
    data: bytes


class Reply(NamedTuple):
    """A reply as a plain client sees it, read as in the examples of the client's own manual."""

    message: Data
    finish_reason: str | None
    usage: object


@dataclass(frozen=True)
class Observed:
    """The answer to one question.

    `failure` says why there is none, `incidents` what failed before it.
    """

    question: Question
    request: JsonMapping = field(default_factory=dict)
    status: int = 0
    content_type: str = ""
    pieces: tuple[Piece, ...] = ()
    failure: str = ""
    seconds: float = 0.0
    incidents: tuple[str, ...] = ()
    retry_after: float = 0.0

    @cached_property
    def body(self) -> bytes:
        """All bytes."""
        return b"".join(piece.data for piece in self.pieces)

    @property
    def is_stream(self) -> bool:
        """True if a stream was requested."""
        return bool(self.request.get("stream"))

    @property
    def is_timeout(self) -> bool:
        """True if the answer did not come, or did not end, in time."""
        return self.failure.startswith(TIMED_OUT)

    @cached_property
    def events(self) -> list[str]:
        """The data of each event of a stream, its mark of the end among them."""
        return stream_data(self.body)

    @cached_property
    def chunks(self) -> list[Data]:
        """The chunks of a stream."""
        return [one for event in self.events for one in entries(_json(event))]

    @cached_property
    def reply(self) -> Reply:
        """The reply, as a plain client reads it."""
        if self.is_stream:
            return assembled(self.chunks)
        data = next(entries(_json(self.body)), {})
        choice = next(entries(data.get("choices")), {})
        message = next(entries(choice.get("message")), {})
        return Reply(message, choice.get("finish_reason"), data.get("usage"))

    @cached_property
    def repaired(self) -> tuple[Data, str | None, Report]:
        """The message, its finish reason and the report, as zkit reads the same answer."""
        reads_text = self.question.options.get("tool_choice") != "none"
        checker = CallChecker.of(list(self.question.tools), Rules(), reads_text=reads_text)
        if not self.is_stream:
            made: RepairedMessage = repair_message(*self.reply[:2], checker)
            return made.message, made.finish_reason, made.report
        repairer = StreamRepair(checker, lambda like, data: data)
        chunks = [made for chunk in self.chunks for made in repairer.feed(chunk)]
        chunks += repairer.close()
        reply = assembled(chunks)
        return reply.message, reply.finish_reason, repairer.report

    @cached_property
    def calls(self) -> list[Data]:
        """The native calls, as a plain client sees them."""
        return list(entries(self.reply.message.get("tool_calls")))

    @property
    def text(self) -> str:
        """The content, as a plain client sees it."""
        return text_of(self.reply.message.get("content"))

    @cached_property
    def call_parts(self) -> list[tuple[int, Data]]:
        """The parts of calls in a stream, each with the number of its chunk."""
        return [
            (number, part)
            for number, chunk in enumerate(self.chunks)
            for choice in entries(chunk.get("choices"))
            for delta in entries(choice.get("delta"))
            for part in call_entries(delta)
        ]


def assembled(chunks: Iterable[Data]) -> Reply:
    """Return a stream assembled by the index of its parts, as the examples of the client do it."""
    message: Data = {}
    calls: dict[object, Data] = {}
    finish, usage = None, None
    for chunk in chunks:
        usage = chunk.get("usage") or usage
        for choice in entries(chunk.get("choices")):
            finish = choice.get("finish_reason") or finish
            for delta in entries(choice.get("delta")):
                for key, value in delta.items():
                    if isinstance(value, str):
                        message[key] = value if key == "role" else message.get(key, "") + value
                for part in entries(delta.get("tool_calls")):
                    _take(calls, part)
    if calls:
        message["tool_calls"] = list(calls.values())
    return Reply(message, finish, usage)


def _take(calls: dict[object, Data], part: Data) -> None:
    index = part.get("index")
    function = next(entries(part.get("function")), {})
    if index not in calls:
        calls[index] = {**part, "function": dict(function)}
        return
    known = calls[index]["function"]
    known["arguments"] = arguments_of(known.get("arguments")) + arguments_of(
        function.get("arguments")
    )


def _json(text: str | bytes) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


LONGEST_WAIT = 10.0
_PASSING = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})


class Connection:
    """A connection to one model on one server; it counts what it sends.

    `seconds` is how long one answer may take in all. Options that a server refuses by name are left
    out from then on, or sent under their other name.
    """

    def __init__(self, client: Any, model: str, seconds: float) -> None:
        self._client = client
        self._seconds = seconds
        self._left_out: set[str] = set()
        self.model = model
        self.sent = 0

    @property
    def address(self) -> str:
        """Where the server is."""
        return str(self._client.base_url)

    def models(self) -> list[str]:
        """Return the names of the models on the server; raises what the client raises."""
        return [str(one.id) for one in self._client.models.list(timeout=self._seconds).data]

    def ask(self, question: Question, settings: ServerSettings) -> Observed:
        """Send a question, and once more if the answer failed in a way that may pass."""
        observed = self._ask(question, settings)
        if not _may_pass(observed):
            return observed
        time.sleep(min(observed.retry_after, LONGEST_WAIT))
        again = self._ask(question, settings)
        if again.failure:
            return again
        return replace(again, incidents=(observed.failure,))

    def _ask(self, question: Question, settings: ServerSettings) -> Observed:
        request = question.request(self.model, settings)
        while True:
            observed = self.send(question, self._as_known(request))
            refused = {
                name
                for name in _RENAMED
                if name in observed.request and _is_refused(name, observed)
            }
            if not refused:
                return observed
            self._left_out |= refused

    def _as_known(self, request: JsonObject) -> JsonObject:
        """Return the request with the option names of this server, and without options that it
        refuses."""
        made = {key: value for key, value in request.items() if key not in self._left_out}
        renamed = {_RENAMED[key]: request[key] for key in self._left_out & set(request)}
        return made | {key: value for key, value in renamed.items() if key}

    def send(self, question: Question, request: JsonObject) -> Observed:
        """Send one request exactly as it is, and return what came back."""
        self.sent += 1
        began = time.monotonic()
        pieces: list[Piece] = []
        seen: JsonObject = {}
        try:
            self._receive(request, began, pieces, seen)
        except Exception as error:  # any error of the client, the connection or the server
            seen |= _failed(error, pieces)
        seconds = time.monotonic() - began
        observed = Observed(question, request, pieces=tuple(pieces), seconds=seconds, **seen)
        return observed if observed.failure else replace(observed, failure=_no_answer(observed))

    def _receive(
        self, request: JsonObject, began: float, pieces: list[Piece], seen: JsonObject
    ) -> None:
        create = self._client.chat.completions.with_streaming_response.create
        with create(**request, timeout=self._seconds) as response:
            seen["status"] = response.status_code
            seen["content_type"] = response.headers.get("content-type", "")
            for data in response.iter_bytes():
                at = time.monotonic() - began
                pieces.append(Piece(at, data))
                if at > self._seconds:
                    raise TimeoutError(f"no end of the answer after {self._seconds:g} s")


_RENAMED: Mapping[str, str] = {"temperature": "", "max_tokens": "max_completion_tokens"}
"""Options that some servers refuse, and the names that those servers use instead."""


def _is_refused(option: str, observed: Observed) -> bool:
    return (
        observed.status in (400, 422)
        and option in observed.failure
        and not observed.question.is_wrong
    )


def _failed(error: Exception, pieces: list[Piece]) -> JsonObject:
    """Return the observation of a failed request, with the body of the error."""
    if type(error).__name__ in ("APITimeoutError", "TimeoutError"):
        return {"failure": f"{TIMED_OUT}: {error}"}
    trouble = trouble_of(error)
    status = getattr(error, "status_code", None)
    if not isinstance(status, int):
        return {"failure": trouble.reason}
    response: Any = error.response  # type: ignore[attr-defined]
    pieces[:] = [Piece(0.0, response.content)]
    return {
        "status": status,
        "content_type": response.headers.get("content-type", ""),
        "failure": f"{status}: {_message(response.text)}",
        "retry_after": trouble.delay or 0.0,
    }


def _message(text: str) -> str:
    """Return the message in the body of an error."""
    try:
        data = json.loads(text)
    except ValueError:
        data = None
    found = data.get("error", data) if isinstance(data, dict) else text
    found = found.get("message", found) if isinstance(found, dict) else found
    shown = " ".join(str(found).split())
    return shown if len(shown) <= 200 else f"{shown[:199]}…"


def _no_answer(observed: Observed) -> str:
    """Return why the body is not an answer; empty if it is one."""
    if observed.is_stream:
        for chunk in observed.chunks:
            if chunk.get("error"):
                return f"an error inside the stream: {_message(json.dumps(chunk))}"
        return "" if any(chunk.get("choices") for chunk in observed.chunks) else _odd(observed)
    return "" if observed.reply.message else _odd(observed)


def _odd(observed: Observed) -> str:
    start = " ".join(observed.body[:60].decode("utf-8", "replace").split())
    return f"no completion, but {observed.content_type or 'nothing'}: {start}"


def _may_pass(observed: Observed) -> bool:
    if not observed.failure or observed.question.is_wrong or observed.is_timeout:
        return False
    return observed.status in _PASSING or observed.status in (0, 200)
