"""Messages in, messages out that any server accepts: each call with sound JSON and one answer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pydantic_core import from_json

from zkit.calls import Call
from zkit.chat.events import Message
from zkit.chat.replies.call_checker import new_id
from zkit.chat.replies.wire import arguments_of, dumps, entries, id_of, text_of
from zkit.receipt import Rank
from zkit.repair import Repaired, repair_json
from zkit.tools import thaw, to_wire

NO_ANSWER = "No result was recorded for this call: it may not have run."


def as_messages(prompt: Any) -> list[Message]:
    """A question, or a list of messages, as a conversation whose calls are all answered."""
    if isinstance(prompt, str):
        return [{"role": "user", "content": prompt}]
    return sound_history(dict(message) for message in prompt)


def sound_history(messages: Iterable[Message]) -> list[Message]:
    """A conversation that can be sent: every call has exactly one answer, and it comes after it.

    Answers without a call are dropped, missing ones are added, arguments that are no JSON are
    repaired. What is sound stays as it is.
    """
    found: list[Message] = []
    waiting: dict[str, None] = {}
    for message in messages:
        if message.get("role") == "tool":
            id = id_of(message.get("tool_call_id"))
            if id in waiting:
                del waiting[id]
                content = message.get("content")
                found.append(message if content else {**message, "content": NO_ANSWER})
            continue
        found += _unanswered(waiting)
        waiting = {}
        if message.get("tool_calls"):
            message = _with_sound_calls(message)
            waiting = {entry["id"]: None for entry in message["tool_calls"]}
        found.append(message)
    return [*found, *_unanswered(waiting)]


def _unanswered(waiting: Iterable[str]) -> Iterator[Message]:
    return (tool_message(id, NO_ANSWER) for id in waiting)


def _with_sound_calls(message: Message) -> Message:
    made = []
    for entry in entries(message.get("tool_calls")):
        function = dict(next(entries(entry.get("function")), {}))
        function["arguments"] = sound_arguments(function.get("arguments"))
        made.append({**entry, "id": id_of(entry.get("id")) or new_id(), "function": function})
    return {**message, "tool_calls": made}


def sound_arguments(given: Any) -> str:
    """Arguments as the text of a JSON object; what cannot be read as one becomes an empty one.

    A server that gets broken JSON back may refuse this request and every later one.
    """
    if isinstance(given, Mapping):
        return dumps(thaw(given))
    text = arguments_of(given)
    try:
        if isinstance(from_json(text, allow_inf_nan=False), dict):
            return text
    except ValueError:
        pass
    repaired = repair_json(text, limit=Rank.COMPLETE)
    if isinstance(repaired, Repaired) and isinstance(repaired.value, dict):
        return dumps(repaired.value)
    return "{}"


def assistant_message(
    text: str,
    calls: Iterable[Call],
    extra: Mapping[str, Any] | None = None,
    entry_extra: Mapping[str, Mapping[str, Any]] | None = None,
) -> Message:
    """What the model said, with its calls as they were read."""
    own = entry_extra or {}
    made = [{**own.get(call.id, {}), **call_entry(call)} for call in calls]
    message: Message = {"role": "assistant", "content": text or (None if made else "")}
    return {**message, "tool_calls": made, **(extra or {})} if made else message


def call_entry(call: Call) -> dict[str, Any]:
    """A call as an entry of `tool_calls`, under a name that every server accepts."""
    name = to_wire(call.name.strip()[:200]) if call.name.strip() else "unknown"
    arguments = dumps(from_json(sound_arguments(call.arguments)))
    function = {"name": name, "arguments": arguments}
    return {"id": call.id, "type": "function", "function": function}


def tool_message(id: str, text: str) -> Message:
    """The answer to a call; never empty."""
    return {"role": "tool", "tool_call_id": id, "content": text if text.strip() else "ok"}


def ids_in(messages: Iterable[Message]) -> set[str]:
    """The ids of all calls of a conversation."""
    found = (entry for m in messages for entry in entries(m.get("tool_calls") or ()))
    return {id_of(entry.get("id")) for entry in found}


def size_of(messages: Iterable[Message]) -> int:
    """About how many tokens a conversation has: four characters each, and some for its frame."""
    total = 0
    for message in messages:
        total += 16 + len(text_of(message.get("content")))
        for entry in entries(message.get("tool_calls") or ()):
            total += 16 + len(arguments_of(entry.get("function", {}).get("arguments")))
    return total // 4
