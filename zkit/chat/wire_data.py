"""What clients and servers send, as plain data, and calls and outcomes as JSON data."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from dataclasses import fields
from typing import Any

from zkit.calls import Call
from zkit.dispatch import Outcome
from zkit.json_types import JsonMapping, JsonObject
from zkit.receipt import Fix, Rank
from zkit.results import from_dict
from zkit.tools import thaw

REASONING = ("reasoning_content", "reasoning", "reasoning_summary", "thinking", "thought")
"""Where servers put a model's reasoning, the most common first."""
# Not `splitlines`: a text may hold U+2028, which ends no line of a stream.
_LINE_END = re.compile(r"\r\n|\n|\r")


def plain(x: object) -> JsonObject:
    """Return a record of a client as a dict with only what the server sent; empty for anything else."""
    if isinstance(x, Mapping):
        return dict(x)
    dump = getattr(x, "model_dump", None)
    if dump is None:
        return {}
    # What servers send does not always fit the client's types.
    made: JsonObject = dump(exclude_unset=True, warnings=False)
    return made


def stream_data(body: bytes) -> list[str]:
    """Return the data of each event of a streamed answer, its mark of the end among them."""
    lines = _LINE_END.split(body.decode("utf-8", "replace"))
    return [line[5:].strip() for line in lines if line.startswith("data:")]


class _EndWatch:
    """An SSE decoder of the `openai` client that notes whether the stream was marked as ended."""

    def __init__(self, decoder: Any) -> None:
        self._decoder = decoder
        self.has_ended = False

    def iter_bytes(self, data: Iterator[bytes]) -> Iterator[object]:
        """Decode, as the client's own decoder does."""
        for event in self._decoder.iter_bytes(data):
            self.has_ended = self.has_ended or event.data.startswith("[DONE]")
            yield event

    async def aiter_bytes(self, data: AsyncIterator[bytes]) -> AsyncIterator[object]:
        """The same in async code."""
        async for event in self._decoder.aiter_bytes(data):
            self.has_ended = self.has_ended or event.data.startswith("[DONE]")
            yield event


def watch_end(stream: Any) -> Callable[[], bool]:
    """Return a function that is true once the stream has sent `[DONE]`.

    The client swallows that mark, so its decoder is watched. It must be called before the first
    chunk is read. A stream of another client has no mark that could be seen: always false.
    """
    decoder = getattr(stream, "_decoder", None)
    if decoder is None:
        return lambda: False
    watch = _EndWatch(decoder)
    stream._decoder = watch
    return lambda: watch.has_ended


def entries(x: object) -> Iterator[JsonObject]:
    """Return the records of a list; a single record counts as a list of one, anything else as empty."""
    if x is None:
        return
    found = x if isinstance(x, list | tuple) else [x]
    yield from (dict(one) for one in found if isinstance(one, Mapping))


def text_of(x: object) -> str:
    """Return a text as it is, the text parts of a content list joined, and nothing for anything else."""
    if isinstance(x, str):
        return x
    if isinstance(x, list | tuple):
        return "".join(text_of(part.get("text")) for part in x if isinstance(part, Mapping))
    return ""


def id_of(x: object) -> str:
    """Return an id as text; some servers count calls with numbers."""
    if isinstance(x, bool) or not isinstance(x, str | int):
        return ""
    return str(x).strip()


def index_of(x: object) -> int | None:
    """Return an index, if it is one."""
    return x if isinstance(x, int) and not isinstance(x, bool) else None


def arguments_of(x: object) -> str:
    """Return the arguments of a call as text; some servers send the object itself."""
    if x is None:
        return ""
    return x if isinstance(x, str) else dumps(x)


def reasoning_of(message: JsonMapping, names: Iterable[str] = REASONING) -> str:
    """Return the reasoning in a message or delta, once, even if the server sends it in two fields."""
    return next((text for text in (text_of(message.get(name)) for name in names) if text), "")


def dumps(value: object) -> str:
    """Return the JSON that goes over the wire: strict, one spelling for one value."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, default=str)


def call_to_dict(call: Call) -> JsonObject:
    """Return a call as plain data."""
    made = {entry.name: getattr(call, entry.name) for entry in fields(Call)}
    arguments = thaw(call.arguments) if isinstance(call.arguments, dict) else call.arguments
    fixes = [{**fix._asdict(), "rank": fix.rank.name} for fix in call.fixes]
    return {**made, "arguments": arguments, "rank": call.rank.name, "fixes": fixes}


def call_from_dict(data: JsonMapping) -> Call:
    """Return the call that `call_to_dict` was called on."""
    fixes = tuple(Fix(**{**fix, "rank": Rank[fix["rank"]]}) for fix in data["fixes"])
    span = None if data["span"] is None else tuple(data["span"])
    return Call(**{**data, "rank": Rank[data["rank"]], "fixes": fixes, "span": span})


def outcome_to_dict(outcome: Outcome) -> JsonObject:
    """Return a call and its result as plain data."""
    return {
        "call": call_to_dict(outcome.call),
        "result": outcome.result.to_dict(),
        "seconds": outcome.seconds,
        "attempts": outcome.attempts,
    }


def outcome_from_dict(data: JsonMapping) -> Outcome:
    """Return the outcome that `outcome_to_dict` was called on."""
    call, result = call_from_dict(data["call"]), from_dict(data["result"])
    return Outcome(call, result, data["seconds"], data["attempts"])
