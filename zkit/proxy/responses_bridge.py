"""OpenAI's `/v1/responses` over chat completions: the request there, the reply and its events back.

Codex uses only this API. Its tools that are not functions (`custom` with free text, `local_shell`)
are sent as functions, and translated back in the reply.
"""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Iterator, Mapping
from typing import Any

from zkit.chat.wire_data import arguments_of, dumps, entries, id_of, reasoning_of, text_of
from zkit.proxy.api_errors import ProxyError
from zkit.proxy.event_stream import Data, write_event

_COPIED = ("model", "temperature", "top_p", "stream", "parallel_tool_calls", "user", "metadata",
           "service_tier", "seed")  # fmt: skip
_SHELL = {
    "type": "object",
    "properties": {
        "command": {"type": "array", "items": {"type": "string"}},
        "timeout_ms": {"type": "integer"},
        "working_directory": {"type": "string"},
    },
    "required": ["command"],
}
_TEXTS = ("input_text", "output_text", "text", "summary_text", "refusal")


# ── the request ──────────────────────────────────────────────────────────────


def chat_request(request: Data) -> tuple[Data, list[str], dict[str, str]]:
    """Return the request for chat completions, notes on what was left out, and the kind of each tool."""
    if request.get("previous_response_id"):
        hint = "send the whole conversation as input"
        wording = f"this upstream keeps no responses, so previous_response_id is unknown: {hint}"
        raise ProxyError(400, wording, "previous_response_not_found")
    made: Data = {key: request[key] for key in _COPIED if request.get(key) is not None}
    instructions = text_of(request.get("instructions"))
    messages = [{"role": "system", "content": instructions}] if instructions else []
    made["messages"] = [*messages, *_joined(_messages(request.get("input")))]
    if request.get("max_output_tokens") is not None:
        made["max_tokens"] = request["max_output_tokens"]
    effort = next(entries(request.get("reasoning")), {}).get("effort")
    if effort:
        made["reasoning_effort"] = effort
    made |= _format(next(entries(next(entries(request.get("text")), {}).get("format")), {}))
    tools, kinds, notes = _tools(request.get("tools"))
    if tools:
        made["tools"] = tools
        made |= _choice(request.get("tool_choice"), kinds)
    if made.get("stream"):
        made["stream_options"] = {"include_usage": True}
    return made, notes, kinds


def _tools(given: object) -> tuple[list[Data], dict[str, str], list[str]]:
    tools, kinds, left_out = [], {}, []
    for tool in entries(given):
        kind, name = text_of(tool.get("type")), text_of(tool.get("name"))
        made: Data | None = None
        if kind == "function":
            made = {
                key: tool[key] for key in ("name", "description", "parameters") if tool.get(key)
            }
        elif kind == "custom":
            made = _custom(tool)
        elif kind in ("local_shell", "shell"):
            name = kind
            made = {"name": kind, "description": "Run a command.", "parameters": _SHELL}
        if made is None or not name:
            left_out.append(name or kind)
            continue
        kinds[name] = kind
        tools.append({"type": "function", "function": made})
    notes = [f"tools that the upstream cannot run were left out: {', '.join(left_out)}"]
    return tools, kinds, notes if left_out else []


def _custom(tool: Data) -> Data:
    """Return a tool that takes free text, as a function with one argument."""
    grammar = next(entries(tool.get("format")), {}).get("definition")
    about = text_of(tool.get("description"))
    wording = f"{about}\n\nThe input follows this grammar:\n{grammar}" if grammar else about
    schema = {
        "type": "object",
        "properties": {"input": {"type": "string", "description": "The whole input, as text."}},
        "required": ["input"],
    }
    return {"name": tool.get("name"), "description": wording, "parameters": schema}


def _choice(choice: Any, kinds: Mapping[str, str]) -> Data:
    if isinstance(choice, str):
        return {"tool_choice": choice}
    found = next(entries(choice), {})
    name = text_of(found.get("name")) or text_of(found.get("type"))
    if name not in kinds:
        return {}
    return {"tool_choice": {"type": "function", "function": {"name": name}}}


def _format(given: Data) -> Data:
    if given.get("type") == "json_schema":
        own = {key: given[key] for key in ("name", "schema", "strict") if key in given}
        return {"response_format": {"type": "json_schema", "json_schema": own}}
    return {"response_format": dict(given)} if given.get("type") == "json_object" else {}


def _messages(given: object) -> Iterator[Data]:
    if isinstance(given, str):
        yield {"role": "user", "content": given}
        return
    for item in entries(given):
        kind = text_of(item.get("type")) or "message"
        if kind == "message":
            role = text_of(item.get("role")) or "user"
            own = "system" if role == "developer" else role
            yield {"role": own, "content": _content(item.get("content"))}
        elif kind.endswith("_call_output"):
            output = _content(item.get("output"))
            text = output if isinstance(output, str) else dumps(output)
            id = id_of(item.get("call_id") or item.get("id"))
            yield {"role": "tool", "tool_call_id": id, "content": text or "(no output)"}
        elif kind in _CALLS:
            yield {"role": "assistant", "content": None, "tool_calls": [_call_of(kind, item)]}


_CALLS = ("function_call", "custom_tool_call", "local_shell_call", "shell_call")


def _call_of(kind: str, item: Data) -> Data:
    """Return a call of the conversation, as chat completions write it."""
    name, arguments = text_of(item.get("name")), arguments_of(item.get("arguments"))
    if kind == "custom_tool_call":
        arguments = dumps({"input": text_of(item.get("input"))})
    elif kind != "function_call":
        name = kind.removesuffix("_call")
        action = next(entries(item.get("action")), {})
        arguments = dumps({key: action[key] for key in _SHELL["properties"] if action.get(key)})
    id = id_of(item.get("call_id") or item.get("id"))
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


def _joined(messages: Iterator[Data]) -> list[Data]:
    """Return the messages with the calls of one turn in one message, as servers want them."""
    found: list[Data] = []
    for message in messages:
        last = found[-1] if found else {}
        if message.get("tool_calls") and last.get("role") == "assistant":
            found[-1] = {
                **last,
                "content": last.get("content") or None,
                "tool_calls": [*last.get("tool_calls", ()), *message["tool_calls"]],
            }
        else:
            found.append(message)
    return found


def _content(content: object) -> Any:
    """Return a content: text, or parts if there are images among them."""
    if isinstance(content, str):
        return content
    parts: list[Data] = []
    for one in entries(content):
        if one.get("type") in _TEXTS:
            parts.append({"type": "text", "text": text_of(one.get("text") or one.get("refusal"))})
        elif one.get("type") == "input_image" and one.get("image_url"):
            parts.append({"type": "image_url", "image_url": {"url": one["image_url"]}})
    if all(one["type"] == "text" for one in parts):
        return "\n".join(one["text"] for one in parts)
    return parts


# ── the reply ────────────────────────────────────────────────────────────────


class ResponsesBridge:
    """One request of `/v1/responses`, and the way back for its reply."""

    def __init__(self, request: Data) -> None:
        self.request, self.notes, self._kinds = chat_request(request)
        self._head: Data = {
            "id": f"resp_{secrets.token_hex(12)}",
            "object": "response",
            "created_at": int(time.time()),
            "model": text_of(request.get("model")),
            "instructions": request.get("instructions"),
            "tools": request.get("tools") or [],
            "tool_choice": request.get("tool_choice") or "auto",
            "parallel_tool_calls": request.get("parallel_tool_calls", True),
            "metadata": request.get("metadata") or {},
            "error": None,
            "incomplete_details": None,
        }
        self._number = -1
        self._output: list[Data] = []
        self._open: Data | None = None
        self._text: list[str] = []
        self._finish = ""
        self._usage: Any = None

    @staticmethod
    def asks_something(request: Data) -> bool:
        """True if there is anything to answer; Codex also sends requests without input."""
        given = request.get("input")
        return bool(given) and request.get("generate") is not False

    def reply(self, completion: Data) -> Data:
        """Return the response for a whole completion."""
        choice = next(entries(completion.get("choices")), {})
        message = next(entries(choice.get("message")), {})
        output: list[Data] = []
        if reasoning_of(message):
            output.append(_reasoning(reasoning_of(message)))
        if text_of(message.get("content")):
            output.append(_message(text_of(message.get("content"))))
        output += [self._call_item(one) for one in entries(message.get("tool_calls"))]
        self._finish = text_of(choice.get("finish_reason"))
        self._usage = completion.get("usage")
        self._output = output
        return self._whole()

    def _whole(self) -> Data:
        is_cut = self._finish == "length"
        own: Data = {"status": "incomplete" if is_cut else "completed", "output": self._output}
        if is_cut:
            own["incomplete_details"] = {"reason": "max_output_tokens"}
        return {**self._head, **own, "usage": _usage(self._usage)}

    def _call_item(self, entry: Data) -> Data:
        """Return a call as the kind of item that its tool wants."""
        function = next(entries(entry.get("function")), {})
        name, arguments = text_of(function.get("name")), arguments_of(function.get("arguments"))
        id, kind = id_of(entry.get("id")), self._kinds.get(name, "function")
        given = _read(arguments)
        own: Data = {"call_id": id, "status": "completed"}
        if kind == "custom" and isinstance(given.get("input"), str):
            return {
                "type": "custom_tool_call", "id": f"ctc_{id}", **own, "name": name,
                "input": given["input"],
            }  # fmt: skip
        if kind in ("local_shell", "shell") and given:
            action = {"type": "exec", "env": {}, **given}
            return {"type": f"{kind}_call", "id": f"lsh_{id}", **own, "action": action}
        call = {"name": name, "arguments": arguments}
        return {"type": "function_call", "id": f"fc_{id}", **own, **call}

    # ── streamed ─────────────────────────────────────────────────────────────

    def feed(self, chunk: Data) -> bytes:
        """Return the events for one chunk. Calls come whole, each in one chunk: they were repaired."""
        out = [self._begin()]
        self._usage = chunk.get("usage") or self._usage
        for choice in entries(chunk.get("choices")):
            delta = next(entries(choice.get("delta")), {})
            reasoning, text = reasoning_of(delta), text_of(delta.get("content"))
            if reasoning:
                out.append(self._piece("reasoning", reasoning))
            if text:
                out.append(self._piece("message", text))
            for entry in entries(delta.get("tool_calls")):
                out.append(self._close())
                out.append(self._call(self._call_item(entry)))
            self._finish = text_of(choice.get("finish_reason")) or self._finish
        return b"".join(out)

    def end(self) -> bytes:
        """Return the events that end the response."""
        begun = self._begin()
        closed = self._close()
        whole = self._whole()
        return begun + closed + self._event(f"response.{whole['status']}", response=whole)

    def _begin(self) -> bytes:
        if self._number >= 0:
            return b""
        started = {**self._head, "status": "in_progress", "output": [], "usage": None}
        created = self._event("response.created", response=started)
        return created + self._event("response.in_progress", response=started)

    def _event(self, kind: str, **own: Any) -> bytes:
        self._number += 1
        return write_event({"type": kind, "sequence_number": self._number, **own}, named=True)

    def _piece(self, kind: str, text: str) -> bytes:
        """Return a piece of text or reasoning; the first one begins an item."""
        out = b""
        if self._open is None or self._open["type"] != kind:
            out = self._close() + self._start(kind)
        self._text.append(text)
        name = "output_text" if kind == "message" else "reasoning_text"
        return out + self._event(f"response.{name}.delta", **self._where(), delta=text)

    def _where(self) -> Data:
        assert self._open is not None
        return {"item_id": self._open["id"], "output_index": len(self._output), "content_index": 0}

    def _start(self, kind: str) -> bytes:
        self._open = _message("") if kind == "message" else _reasoning("")
        self._text = []
        item = {**self._open, "content": [], "status": "in_progress"}
        at = len(self._output)
        begun = self._event("response.output_item.added", output_index=at, item=item)
        if kind != "message":
            return begun
        part = self._open["content"][0]
        return begun + self._event("response.content_part.added", **self._where(), part=part)

    def _close(self) -> bytes:
        """End the item of text that is open."""
        if self._open is None:
            return b""
        text, where, is_message = (
            "".join(self._text),
            self._where(),
            self._open["type"] == "message",
        )
        made = (_message(text) if is_message else _reasoning(text)) | {"id": self._open["id"]}
        name = "output_text" if is_message else "reasoning_text"
        out = self._event(f"response.{name}.done", **where, text=text)
        if is_message:
            part = made["content"][0]
            out += self._event("response.content_part.done", **where, part=part)
        return out + self._done(made)

    def _done(self, item: Data) -> bytes:
        at = len(self._output)
        self._output.append(item)
        self._open = None
        return self._event("response.output_item.done", output_index=at, item=item)

    def _call(self, item: Data) -> bytes:
        at = len(self._output)
        field, name = _STREAMED.get(item["type"], ("", ""))
        begun = {**item, "status": "in_progress"} | ({field: ""} if field else {})
        out = self._event("response.output_item.added", output_index=at, item=begun)
        if field:
            where = {"item_id": item["id"], "output_index": at}
            out += self._event(f"response.{name}.delta", **where, delta=item[field])
            out += self._event(f"response.{name}.done", **where, **{field: item[field]})
        return out + self._done(item)


_STREAMED = {
    "function_call": ("arguments", "function_call_arguments"),
    "custom_tool_call": ("input", "custom_tool_call_input"),
}


def empty_response(request: Data) -> ResponsesBridge:
    """Return the bridge for a request without input: its reply is empty."""
    kept = {key: value for key, value in request.items() if key != "previous_response_id"}
    return ResponsesBridge(kept)


def _message(text: str) -> Data:
    part = {"type": "output_text", "text": text, "annotations": [], "logprobs": []}
    own = {"role": "assistant", "status": "completed", "content": [part]}
    return {"type": "message", "id": f"msg_{secrets.token_hex(9)}", **own}


def _reasoning(text: str) -> Data:
    parts = [{"type": "reasoning_text", "text": text}]
    return {
        "type": "reasoning",
        "id": f"rs_{secrets.token_hex(9)}",
        "summary": [],
        "content": parts,
    }


def _usage(usage: object) -> Data | None:
    if not isinstance(usage, Mapping):
        return None
    details = next(entries(usage.get("prompt_tokens_details")), {})
    thought = next(entries(usage.get("completion_tokens_details")), {})
    read, written = usage.get("prompt_tokens") or 0, usage.get("completion_tokens") or 0
    return {
        "input_tokens": read,
        "input_tokens_details": {"cached_tokens": details.get("cached_tokens") or 0},
        "output_tokens": written,
        "output_tokens_details": {"reasoning_tokens": thought.get("reasoning_tokens") or 0},
        "total_tokens": usage.get("total_tokens") or read + written,
    }


def _read(arguments: str) -> Data:
    try:
        found = json.loads(arguments or "{}")
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
