"""Conversations that can be sent: every call is answered, or all of it is text for a model without tools."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence

from pydantic_core import from_json

from zkit.calls import Call
from zkit.chat.call_checker import new_id
from zkit.chat.loop_events import Message
from zkit.chat.wire_data import arguments_of, dumps, entries, id_of, text_of
from zkit.extract import CannotWriteError, instructions, render_call, render_tool_result
from zkit.json_types import JsonMapping, JsonObject
from zkit.receipt import Rank
from zkit.repair import Repaired, repair_json
from zkit.schema import Offer
from zkit.tools import thaw, to_wire
from zkit.tools.result_text import NOTE

NO_ANSWER = "No result was recorded for this call: it may not have run."


def as_messages(prompt: str | Iterable[JsonMapping]) -> list[Message]:
    """Return a question, or a list of messages, as a conversation whose calls are all answered."""
    if isinstance(prompt, str):
        return [{"role": "user", "content": prompt}]
    return valid_history(dict(message) for message in prompt)


def valid_history(messages: Iterable[Message]) -> list[Message]:
    """Return a conversation that can be sent: every call has exactly one answer, and it comes after it.

    Answers without a call are dropped, missing ones are added, arguments that are not JSON are
    repaired. What is valid stays as it is.
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
            message = _with_valid_calls(message)
            waiting = {entry["id"]: None for entry in message["tool_calls"]}
        found.append(message)
    return [*found, *_unanswered(waiting)]


def _unanswered(waiting: Iterable[str]) -> Iterator[Message]:
    return (tool_message(id, NO_ANSWER) for id in waiting)


def _with_valid_calls(message: Message) -> Message:
    made = []
    for entry in entries(message.get("tool_calls")):
        function = dict(next(entries(entry.get("function")), {}))
        function["arguments"] = valid_arguments(function.get("arguments"))
        made.append({**entry, "id": id_of(entry.get("id")) or new_id(), "function": function})
    return {**message, "tool_calls": made}


def valid_arguments(given: object) -> str:
    """Return arguments as the text of a JSON object; an empty one if they cannot be read.

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
    extra: JsonMapping | None = None,
    entry_extra: Mapping[str, JsonMapping] | None = None,
) -> Message:
    """Return the message of the model, with its calls as they were read."""
    own = entry_extra or {}
    made = [{**own.get(call.id, {}), **call_entry(call)} for call in calls]
    message: Message = {"role": "assistant", "content": text or (None if made else "")}
    return {**message, "tool_calls": made, **(extra or {})} if made else message


def call_entry(call: Call) -> JsonObject:
    """Return a call as an entry of `tool_calls`, under a name that every server accepts."""
    name = to_wire(call.name.strip()[:200]) if call.name.strip() else "unknown"
    arguments = dumps(from_json(valid_arguments(call.arguments)))
    function = {"name": name, "arguments": arguments}
    return {"id": call.id, "type": "function", "function": function}


def tool_message(id: str, text: str) -> Message:
    """Return the answer to a call; never empty."""
    return {"role": "tool", "tool_call_id": id, "content": text if text.strip() else "ok"}


def ids_in(messages: Iterable[Message]) -> set[str]:
    """Return the ids of all calls of a conversation."""
    found = (entry for m in messages for entry in entries(m.get("tool_calls") or ()))
    return {id_of(entry.get("id")) for entry in found}


def size_of(messages: Iterable[Message]) -> int:
    """Return the rough number of tokens of a conversation: four characters each, plus the frame of
    each message."""
    total = 0
    for message in messages:
        total += 16 + len(text_of(message.get("content")))
        for entry in entries(message.get("tool_calls") or ()):
            total += 16 + len(arguments_of(entry.get("function", {}).get("arguments")))
    return total // 4


def as_text(
    messages: Iterable[Message],
    offers: Sequence[Offer],
    format: str,
    *,
    must_call: str = "",
    examples: Mapping[str, JsonMapping] | None = None,
) -> list[Message]:
    """Return the conversation with the tools explained, and calls and results written in the format."""
    found: list[Message] = []
    names: dict[str, str] = {}
    for message in messages:
        if message.get("tool_calls"):
            names |= _names(message)
            _add(found, "assistant", _spoken(message, format))
        elif message.get("role") == "tool":
            name = names.get(str(message.get("tool_call_id")), "the tool")
            _add(found, "user", render_tool_result(name, text_of(message.get("content")), format))
        elif message.get("role") == "user" and isinstance(message.get("content"), str):
            _add(found, "user", message["content"])
        else:
            found.append(message)
    if not offers:
        return found
    taught = instructions(offers, format, examples=examples)
    return with_system(found, f"{taught}\n{must_call}" if must_call else taught)


def as_facts(messages: Iterable[Message]) -> list[Message]:
    """Return the conversation without its calls: the results of the tools in words, each once.

    For a last reply in which no tool may be called: a small model that reads its own calls writes
    another one, whatever it reads.
    """
    found: list[Message] = []
    made: dict[str, str] = {}
    seen: set[str] = set()
    for message in messages:
        text = text_of(message.get("content"))
        if message.get("tool_calls"):
            made |= {
                str(one.get("id")): _named(one["function"])
                for one in entries(message["tool_calls"])
            }
            if text:
                _add(found, "assistant", text)
        elif message.get("role") == "tool":
            fact = f"{made.get(str(message.get('tool_call_id')), 'A tool')} gave: {text}"
            if not {fact, fact.partition(NOTE)[0]} & seen:
                seen.add(fact)
                _add(found, "user", fact)
        else:
            found.append(message)
    return found


def _named(function: JsonMapping) -> str:
    call = _call(function)
    given = ", ".join(f"{key} {dumps(value)}" for key, value in call.arguments.items())
    return f"{call.name} for {given}" if given else call.name


def _add(found: list[Message], role: str, text: str) -> None:
    """Add a message, merged with the last one if the role is the same: templates require
    alternating roles."""
    last = found[-1] if found else {}
    if role == "user" and last.get("role") == "user" and isinstance(last.get("content"), str):
        found[-1] = {**last, "content": f"{last['content']}\n{text}"}
    else:
        found.append({"role": role, "content": text})


def _names(message: Message) -> dict[str, str]:
    return {
        str(one.get("id")): str(one["function"]["name"]) for one in entries(message["tool_calls"])
    }


def _spoken(message: Message, format: str) -> str:
    calls = [_call(one["function"]) for one in entries(message["tool_calls"])]
    text = text_of(message.get("content"))
    return "\n".join(part for part in (text, _written(calls, format)) if part)


def _call(function: JsonMapping) -> Call:
    try:
        arguments = json.loads(arguments_of(function.get("arguments")))
    except ValueError:
        arguments = {}
    return Call(str(function.get("name")), arguments if isinstance(arguments, dict) else {})


def _written(calls: list[Call], format: str) -> str:
    """Return the calls in the format; what it cannot express is written as JSON."""
    try:
        return render_call(calls, format)
    except CannotWriteError:
        pass
    return "\n".join(dumps({"name": call.name, "arguments": call.arguments}) for call in calls)


def with_system(messages: list[Message], text: str) -> list[Message]:
    """Return the conversation with a text at the end of its system prompt."""
    first = messages[0] if messages else {}
    if first.get("role") in ("system", "developer") and isinstance(first.get("content"), str):
        return [{**first, "content": f"{first['content']}\n\n{text}"}, *messages[1:]]
    return [{"role": "system", "content": text}, *messages]
