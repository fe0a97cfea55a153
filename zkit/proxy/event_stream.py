"""Read and write the chunks of streamed chat completions, and make a stream of a whole reply."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Protocol

from zkit.chat.wire_data import REASONING, entries, stream_data

Data = dict[str, Any]
MAX_EVENT = 8_000_000
"""The longest event that is read; a longer one ends the stream."""


class Bridge(Protocol):
    """Another API over chat completions: one request, and its reply whole or streamed."""

    request: Data
    """The request for chat completions."""

    def reply(self, completion: Data) -> Data:
        """Return the reply for a whole completion."""

    def feed(self, chunk: Data) -> bytes:
        """Return the events for one chunk of a stream."""

    def end(self) -> bytes:
        """Return the events that end the stream."""


class ChunkReader:
    """Splits the bytes of a stream into chunks, however they arrive."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, data: bytes) -> list[Data]:
        """Take in bytes; return the chunks that are complete."""
        data = self._rest + data.replace(b"\r\n", b"\n")
        whole, separator, self._rest = data.rpartition(b"\n\n")
        if len(self._rest) > MAX_EVENT:
            raise ValueError("an event of the stream is too long")
        return list(chunks_in(whole + separator)) if separator else []

    def end(self) -> list[Data]:
        """Return the last chunk, if its line end is missing."""
        rest, self._rest = self._rest, b""
        return list(chunks_in(rest))


def chunks_in(body: bytes) -> Iterator[Data]:
    """Return the objects in the events of a stream."""
    for text in stream_data(body):
        if text.startswith("{"):
            data = read_object(text)
            if data is not None:
                yield data


def read_object(text: str | bytes) -> Data | None:
    """Return the JSON object of a text; None for anything else."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def write_json(data: object) -> bytes:
    """Data as JSON."""
    try:
        return json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode()
    except UnicodeEncodeError:
        return json.dumps(data).encode()


def write_event(data: Data, *, named: bool = False) -> bytes:
    """Return an event of a stream; `named` writes its type as its name too."""
    head = f"event: {data['type']}\n".encode() if named else b""
    return b"%sdata: %s\n\n" % (head, write_json(data))


def chunks_of(completion: Data) -> Iterator[Data]:
    """Return a whole completion as the chunks of a stream."""
    head = {key: value for key, value in completion.items() if key not in ("choices", "usage")}
    head["object"] = "chat.completion.chunk"
    for at, choice in enumerate(entries(completion.get("choices"))):
        message = next(entries(choice.get("message")), {})
        index = choice.get("index", at)
        calls = [{"index": i, **one} for i, one in enumerate(entries(message.get("tool_calls")))]
        delta = {key: message[key] for key in ("content", *REASONING) if message.get(key)}
        delta |= {"role": "assistant"} | ({"tool_calls": calls} if calls else {})
        yield {**head, "choices": [{"index": index, "delta": delta, "finish_reason": None}]}
        ending = {"index": index, "delta": {}, "finish_reason": choice.get("finish_reason")}
        yield {**head, "choices": [ending]}
    if isinstance(completion.get("usage"), Mapping):
        yield {**head, "choices": [], "usage": completion["usage"]}
