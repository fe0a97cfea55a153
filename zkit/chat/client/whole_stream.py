"""Send a whole completion as the stream that the caller asked for, for servers with unreliable streams."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

from zkit.chat.call_checker import Report
from zkit.chat.wire_data import entries, plain
from zkit.errors import MissingExtraError
from zkit.json_types import JsonObject


def chunks_of(completion: object) -> Iterator[object]:
    """The chunks that a server would have sent: what was said, the end, the usage."""
    data = plain(completion)
    head = {key: data.get(key) for key in ("id", "created", "model")}
    head["object"] = "chat.completion.chunk"
    choices = list(entries(data.get("choices")))
    for at, choice in enumerate(choices):
        delta = dict(next(entries(choice.get("message")), {}))
        calls = list(entries(delta.pop("tool_calls", None)))
        if calls:
            delta["tool_calls"] = [{"index": i, **one} for i, one in enumerate(calls)]
        yield _chunk(head, {"index": at, "delta": delta, "finish_reason": None})
    for at, choice in enumerate(choices):
        reason = choice.get("finish_reason")
        yield _chunk(head, {"index": at, "delta": {}, "finish_reason": reason})
    if data.get("usage"):
        yield _chunk({**head, "usage": data["usage"]})


def _chunk(head: JsonObject, *choices: JsonObject) -> object:
    try:
        from openai.types.chat import ChatCompletionChunk
    except ImportError as error:
        raise MissingExtraError("openai", "a stream from a server that has none") from error
    return ChatCompletionChunk.construct(**head, choices=list(choices))


class WholeStream:
    """A completion that is told as a stream; `.zkit` is its report."""

    def __init__(self, completion: object) -> None:
        self.zkit = getattr(completion, "zkit", Report())
        self._chunks = chunks_of(completion)

    def __iter__(self) -> Iterator[object]:
        return self._chunks

    def __next__(self) -> object:
        return next(self._chunks)

    def __enter__(self) -> WholeStream:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Nothing is open: the answer came whole."""


class AsyncWholeStream:
    """The same in async code."""

    def __init__(self, completion: object) -> None:
        self.zkit = getattr(completion, "zkit", Report())
        self._chunks = chunks_of(completion)

    def __aiter__(self) -> AsyncIterator[object]:
        return self

    async def __anext__(self) -> object:
        for chunk in self._chunks:
            return chunk
        raise StopAsyncIteration

    async def __aenter__(self) -> AsyncWholeStream:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Nothing is open: the answer came whole."""
