"""Anthropic's `/v1/messages` over chat completions: the request there, the reply and its events back."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from zkit.chat.wire_data import arguments_of, dumps, entries, id_of, reasoning_of, text_of
from zkit.proxy.event_stream import Data, write_event

_STOPS = {"length": "max_tokens", "tool_calls": "tool_use", "function_call": "tool_use"}
_COPIED = ("model", "max_tokens", "temperature", "top_p", "stream")
CHARACTERS_PER_TOKEN = 4
"""Characters of a token of English text or code on average, for `count_tokens`."""


def estimated_tokens(request: Data) -> int:
    """Return the rough number of tokens of a request; chat servers do not count them beforehand."""
    kept = {key: request.get(key) for key in ("system", "messages", "tools")}
    return max(1, len(dumps(kept)) // CHARACTERS_PER_TOKEN)


def model_list(models: Sequence[Data]) -> Data:
    """Return a list of models in Anthropic's format."""
    data = [
        {
            "type": "model",
            "id": text_of(one.get("id") or one.get("name")),
            "display_name": text_of(one.get("id") or one.get("name")),
            "created_at": "1970-01-01T00:00:00Z",
        }
        for one in models
    ]
    ids = [one["id"] for one in data]
    return {
        "data": data,
        "has_more": False,
        "first_id": ids[0] if ids else None,
        "last_id": ids[-1] if ids else None,
    }


# ── the request ──────────────────────────────────────────────────────────────


def chat_request(request: Data) -> tuple[Data, list[str]]:
    """Return the request for chat completions, and notes on what was left out."""
    made: Data = {key: request[key] for key in _COPIED if request.get(key) is not None}
    system = _text(request.get("system"))
    messages = [{"role": "system", "content": system}] if system else []
    for message in entries(request.get("messages")):
        messages += _messages(message)
    made["messages"] = messages
    notes = []
    tools = [_tool(one) for one in entries(request.get("tools")) if "input_schema" in one]
    left_out = [one for one in entries(request.get("tools")) if "input_schema" not in one]
    if left_out:
        names = ", ".join(text_of(one.get("name") or one.get("type")) for one in left_out)
        notes.append(f"tools that run on Anthropic's servers were left out: {names}")
    if tools:
        made["tools"] = tools
        made |= _choice(next(entries(request.get("tool_choice")), {}))
    if request.get("stop_sequences"):
        made["stop"] = request["stop_sequences"]
    if made.get("stream"):
        made["stream_options"] = {"include_usage": True}
    return made, notes


def _tool(tool: Data) -> Data:
    own = {"name": tool.get("name"), "parameters": tool.get("input_schema")}
    if tool.get("description"):
        own["description"] = tool["description"]
    return {"type": "function", "function": own}


def _choice(choice: Data) -> Data:
    kinds: dict[str, Any] = {"auto": "auto", "any": "required", "none": "none"}
    found = kinds.get(text_of(choice.get("type")))
    if choice.get("type") == "tool":
        found = {"type": "function", "function": {"name": choice.get("name")}}
    made: Data = {} if found is None else {"tool_choice": found}
    if choice.get("disable_parallel_tool_use"):
        made["parallel_tool_calls"] = False
    return made


def _messages(message: Data) -> Iterator[Data]:
    """Return the messages for one message: results of tools become messages of their own."""
    role, content = message.get("role"), message.get("content")
    if role == "assistant":
        yield _assistant(content)
        return
    if role == "system" or isinstance(content, str):
        yield {"role": role if role == "system" else "user", "content": _text(content)}
        return
    parts = []
    for block in entries(content):
        if block.get("type") == "tool_result":
            yield _result(block)
        else:
            parts.append(_part(block))
    shown = [one for one in parts if one]
    if shown:
        is_text = all(one["type"] == "text" for one in shown)
        text = "\n".join(one["text"] for one in shown) if is_text else ""
        yield {"role": "user", "content": text if is_text else shown}


def _assistant(content: object) -> Data:
    calls = [
        {
            "id": id_of(block.get("id")),
            "type": "function",
            "function": {"name": block.get("name"), "arguments": dumps(block.get("input") or {})},
        }
        for block in entries(content)
        if block.get("type") == "tool_use"
    ]
    text = _text(content)
    made: Data = {"role": "assistant", "content": text or (None if calls else "")}
    return {**made, "tool_calls": calls} if calls else made


def _result(block: Data) -> Data:
    text = _text(block.get("content")) or "(no output)"
    shown = f"Error: {text}" if block.get("is_error") else text
    return {"role": "tool", "tool_call_id": id_of(block.get("tool_use_id")), "content": shown}


def _part(block: Data) -> Data | None:
    if block.get("type") == "text":
        return {"type": "text", "text": text_of(block.get("text"))}
    source = next(entries(block.get("source")), {})
    if block.get("type") == "image":
        url = source.get("url") or f"data:{source.get('media_type')};base64,{source.get('data')}"
        return {"type": "image_url", "image_url": {"url": url}}
    if block.get("type") == "document" and source.get("type") == "text":
        return {"type": "text", "text": text_of(source.get("data"))}
    return None


def _text(content: object) -> str:
    """Return the text of a content: a string, or blocks of which some are text."""
    if isinstance(content, str):
        return content
    blocks = [one for one in entries(content) if one.get("type") == "text"]
    return "\n".join(text_of(one.get("text")) for one in blocks)


# ── the reply ────────────────────────────────────────────────────────────────


class MessagesBridge:
    """One request of `/v1/messages`, and the way back for its reply."""

    def __init__(self, request: Data) -> None:
        self.request, self.notes = chat_request(request)
        self._model = text_of(request.get("model"))
        self._id = f"msg_{secrets.token_hex(12)}"
        self._is_begun = False
        self._kind = ""
        self._index = -1
        self._finish = ""
        self._has_calls = False
        self._usage: Data = {"input_tokens": 0, "output_tokens": 0}

    def reply(self, completion: Data) -> Data:
        """Return the message for a whole completion."""
        choice = next(entries(completion.get("choices")), {})
        message = next(entries(choice.get("message")), {})
        content: list[Data] = []
        reasoning, text = reasoning_of(message), text_of(message.get("content"))
        if reasoning:
            content.append({"type": "thinking", "thinking": reasoning, "signature": ""})
        if text:
            content.append({"type": "text", "text": text})
        calls = [_tool_use(entry) for entry in entries(message.get("tool_calls"))]
        self._count(completion.get("usage"))
        return {
            **self._head([*content, *calls]),
            "stop_reason": _stop(text_of(choice.get("finish_reason")), bool(calls)),
        }

    def _head(self, content: list[Data]) -> Data:
        return {
            "id": self._id,
            "type": "message",
            "role": "assistant",
            "model": self._model,
            "content": content,
            "stop_reason": None,
            "stop_sequence": None,
            "usage": dict(self._usage),
        }

    def _count(self, usage: object) -> None:
        if isinstance(usage, Mapping):
            names = (("input_tokens", "prompt_tokens"), ("output_tokens", "completion_tokens"))
            self._usage = {own: usage.get(other) or 0 for own, other in names}

    def feed(self, chunk: Data) -> bytes:
        """Return the events for one chunk."""
        self._count(chunk.get("usage"))
        out = [] if self._is_begun else [self._begin()]
        for choice in entries(chunk.get("choices")):
            delta = next(entries(choice.get("delta")), {})
            reasoning, text = reasoning_of(delta), text_of(delta.get("content"))
            if reasoning:
                out.append(self._open("thinking", {"thinking": "", "signature": ""}))
                out.append(self._delta({"type": "thinking_delta", "thinking": reasoning}))
            if text:
                out.append(self._open("text", {"text": ""}))
                out.append(self._delta({"type": "text_delta", "text": text}))
            out += [self._call(entry) for entry in entries(delta.get("tool_calls"))]
            self._finish = text_of(choice.get("finish_reason")) or self._finish
        return b"".join(out)

    def end(self) -> bytes:
        """Return the events that end the message."""
        begun = b"" if self._is_begun else self._begin()
        stop = {"stop_reason": _stop(self._finish, self._has_calls), "stop_sequence": None}
        usage = dict(self._usage)
        ending = _event({"type": "message_delta", "delta": stop, "usage": usage})
        return begun + self._close() + ending + _event({"type": "message_stop"})

    def _begin(self) -> bytes:
        self._is_begun = True
        return _event({"type": "message_start", "message": self._head([])})

    def _call(self, entry: Data) -> bytes:
        """Return a call: the first part names it, others go on with its arguments."""
        function = next(entries(entry.get("function")), {})
        name, arguments = text_of(function.get("name")), arguments_of(function.get("arguments"))
        opened = b""
        if name or self._kind != "tool_use":
            self._has_calls = True
            own = {"id": id_of(entry.get("id")) or f"toolu_{secrets.token_hex(9)}", "name": name}
            opened = self._close() + self._open("tool_use", {**own, "input": {}})
        piece = self._delta({"type": "input_json_delta", "partial_json": arguments})
        return opened + (piece if arguments else b"")

    def _open(self, kind: str, own: Data) -> bytes:
        """Begin a block, unless one of its kind is open."""
        if self._kind == kind:
            return b""
        closed = self._close()
        self._kind = kind
        self._index += 1
        block = {"type": kind, **own}
        return closed + _event(
            {"type": "content_block_start", "index": self._index, "content_block": block}
        )

    def _close(self) -> bytes:
        if not self._kind:
            return b""
        self._kind = ""
        return _event({"type": "content_block_stop", "index": self._index})

    def _delta(self, delta: Data) -> bytes:
        return _event({"type": "content_block_delta", "index": self._index, "delta": delta})


def _event(data: Data) -> bytes:
    return write_event(data, named=True)


def _stop(finish: str, has_calls: bool) -> str:
    return "tool_use" if has_calls and finish != "length" else _STOPS.get(finish, "end_turn")


def _tool_use(entry: Data) -> Data:
    function = next(entries(entry.get("function")), {})
    text = arguments_of(function.get("arguments"))
    try:
        given = json.loads(text or "{}")
    except (ValueError, RecursionError):
        given = {"arguments": text}  # a call that was refused; nothing else is not JSON here
    own = given if isinstance(given, dict) else {"arguments": given}
    id = id_of(entry.get("id")) or f"toolu_{secrets.token_hex(9)}"
    return {"type": "tool_use", "id": id, "name": text_of(function.get("name")), "input": own}
