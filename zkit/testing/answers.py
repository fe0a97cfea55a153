"""What a scripted server sends, as records: completions, streams and errors, valid or not.

A script is a list of answers, given one after the other; an answer is a record, or a function from
the request to a record.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from zkit.json_types import JsonMapping, JsonObject

Request = JsonObject


@dataclass(frozen=True)
class Answer:
    """What the server sends: `parts` one after the other, with a pause before each.

    Parts that are made while they are sent (by a generator) can be sent once.
    `breaks_off` closes the connection before the end of the body was announced.
    """

    parts: Iterable[bytes] = ()
    status: int = 200
    content_type: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)
    pause: float = 0.0
    breaks_off: bool = False


Script = Answer | Callable[[Request], Answer]


def call(name: str, arguments: object, id: str | None = None, **more: object) -> JsonObject:
    """Return an entry of `tool_calls`; arguments that are not text are sent as JSON."""
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    entry = {"type": "function", "function": {"name": name, "arguments": text}, **more}
    return entry if id is None else {"id": id, **entry}


@dataclass(frozen=True)
class Said:
    """The message of a model in one turn; called with a request, it is the answer of a correct server."""

    content: str | None = None
    calls: tuple[JsonMapping, ...] = ()
    finish: str | None = None
    usage: tuple[int, int] = (10, 5)
    step: int = 7
    fields: JsonMapping = field(default_factory=dict)

    @property
    def message(self) -> JsonObject:
        """The message of the assistant."""
        made = {"role": "assistant", "content": self.content, **self.fields}
        return {**made, "tool_calls": list(self.calls)} if self.calls else made

    @property
    def reason(self) -> str:
        """Why the reply ended."""
        return self.finish or ("tool_calls" if self.calls else "stop")

    @property
    def deltas(self) -> list[JsonObject]:
        """The message as a correct server streams it."""
        return list(deltas_of(self.message, self.step))

    def __call__(self, request: Request) -> Answer:
        if request.get("stream"):
            return stream(self.deltas, finish=self.reason, usage=self.usage)
        return completion(self.choice, usage=self.usage)

    @property
    def choice(self) -> JsonObject:
        """The one choice of a completion."""
        return {"message": self.message, "finish_reason": self.reason}


def says(
    content: str | None = None,
    calls: Sequence[JsonMapping] = (),
    *,
    finish: str | None = None,
    usage: tuple[int, int] = (10, 5),
    step: int = 7,
    **fields: object,
) -> Said:
    """Return a well-formed answer with this message, as JSON or as a stream, as requested."""
    return Said(content, tuple(calls), finish, usage, step, fields)


def completion(*choices: JsonMapping, usage: tuple[int, int] | None = (10, 5)) -> Answer:
    """Return a completion with these choices, whatever is in them."""
    body = {
        **_envelope("chat.completion"),
        "choices": [{"index": index, **choice} for index, choice in enumerate(choices)],
        "usage": _usage(usage),
    }
    return Answer((json.dumps(body).encode(),))


def deltas_of(message: JsonMapping, step: int) -> Iterator[JsonObject]:
    """Return the deltas of a correct server for a message, `step` characters at a time."""
    yield {"role": "assistant", "content": ""}
    for name, value in message.items():
        if isinstance(value, str) and name != "role":
            yield from ({name: value[at : at + step]} for at in range(0, len(value), step))
        elif isinstance(value, Mapping):
            yield {name: value}
    for index, entry in enumerate(message.get("tool_calls") or ()):
        function = entry["function"]
        text = function["arguments"]
        if not isinstance(text, str):
            yield {"tool_calls": [{**entry, "index": index}]}
            continue
        head = {**entry, "index": index, "function": {"name": function["name"], "arguments": ""}}
        yield {"tool_calls": [head]}
        for at in range(0, len(text), step):
            piece = {"index": index, "function": {"arguments": text[at : at + step]}}
            yield {"tool_calls": [piece]}


def stream(
    deltas: Iterable[JsonMapping],
    *,
    finish: str | None = "stop",
    usage: tuple[int, int] | None = (10, 5),
    done: bool = True,
    **options: object,
) -> Answer:
    """Return a streamed completion of these deltas, whatever is in them; the usage comes after the end."""
    head = _envelope("chat.completion.chunk")
    chunks = [
        {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
        for delta in deltas
    ]
    if finish is not None:
        chunks.append({**head, "choices": [{"index": 0, "delta": {}, "finish_reason": finish}]})
    if usage is not None:
        chunks.append({**head, "choices": [], "usage": _usage(usage)})
    return raw_stream(chunks, done=done, **options)


def raw_stream(
    chunks: Iterable[Mapping[str, object]], *, done: bool = True, **options: Any
) -> Answer:
    """Return a stream of exactly these chunks."""
    parts = [f"data: {json.dumps(chunk)}\n\n".encode() for chunk in chunks]
    if done:
        parts.append(b"data: [DONE]\n\n")
    return replace(Answer(tuple(parts), content_type="text/event-stream"), **options)


def error(
    status: int, message: str, headers: Mapping[str, str] | None = None, **more: object
) -> Answer:
    """Return an error as servers send them."""
    body = {"error": {"message": message, "type": "server_error", "code": None, **more}}
    return Answer((json.dumps(body).encode(),), status, headers=headers or {})


def _envelope(kind: str) -> JsonObject:
    return {"id": "chatcmpl-1", "object": kind, "created": 1763251200, "model": "scripted"}


def _usage(usage: tuple[int, int] | None) -> dict[str, int] | None:
    if usage is None:
        return None
    read, written = usage
    return {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written}
