"""The bytes of an answer, as a plain client reads them and as zkit does."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from zkit.chat.assembler import call_entries
from zkit.chat.call_checker import CallChecker, Report, Rules
from zkit.chat.client.message_repair import RepairedMessage, repair_message
from zkit.chat.client.stream_repair import StreamRepair
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
    """What came back for one question.

    `failure` says why there is no answer, `incidents` what failed before the answer.
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
    """A stream put together by the index of its parts, as the examples of the client do it."""
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
