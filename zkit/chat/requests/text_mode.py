"""A conversation with calls in, the same as plain text out, for a model without tools of its own."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from zkit.calls import Call
from zkit.chat.events import Message
from zkit.chat.replies.wire import arguments_of, dumps, entries, text_of
from zkit.extract import CannotWriteError, instructions, render_call, render_result
from zkit.schema import Offer


def as_text(
    messages: Iterable[Message], offers: Sequence[Offer], format: str, *, must_call: str = ""
) -> list[Message]:
    """The conversation with the tools explained, and calls and results written in the format."""
    found: list[Message] = []
    names: dict[str, str] = {}
    for message in messages:
        if message.get("tool_calls"):
            names |= _names(message)
            _add(found, "assistant", _spoken(message, format))
        elif message.get("role") == "tool":
            name = names.get(str(message.get("tool_call_id")), "the tool")
            _add(found, "user", render_result(name, text_of(message.get("content")), format))
        elif message.get("role") == "user" and isinstance(message.get("content"), str):
            _add(found, "user", message["content"])
        else:
            found.append(message)
    if not offers:
        return found
    taught = instructions(offers, format)
    return with_system(found, f"{taught}\n{must_call}" if must_call else taught)


def as_facts(messages: Iterable[Message]) -> list[Message]:
    """The conversation without its calls: what the tools said, told in words, each thing once.

    For a last reply in which no tool may be called: a small model that reads its own calls writes
    another one, whatever it is told.
    """
    found: list[Message] = []
    made: dict[str, str] = {}
    told: set[str] = set()
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
            if fact not in told:
                told.add(fact)
                _add(found, "user", fact)
        else:
            found.append(message)
    return found


def _named(function: Mapping[str, Any]) -> str:
    call = _call(function)
    given = ", ".join(f"{key} {dumps(value)}" for key, value in call.arguments.items())
    return f"{call.name} for {given}" if given else call.name


def _add(found: list[Message], role: str, text: str) -> None:
    """Add a message; what comes from the same side is one, for templates want the roles to alternate."""
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


def _call(function: Mapping[str, Any]) -> Call:
    try:
        arguments = json.loads(arguments_of(function.get("arguments")))
    except ValueError:
        arguments = {}
    return Call(str(function.get("name")), arguments if isinstance(arguments, dict) else {})


def _written(calls: list[Call], format: str) -> str:
    """The calls in the format; what it cannot express is written as JSON."""
    try:
        return render_call(calls, format)
    except CannotWriteError:
        pass
    return "\n".join(dumps({"name": call.name, "arguments": call.arguments}) for call in calls)


def with_system(messages: list[Message], text: str) -> list[Message]:
    """The conversation with a text at the end of its system prompt."""
    first = messages[0] if messages else {}
    if first.get("role") in ("system", "developer") and isinstance(first.get("content"), str):
        return [{**first, "content": f"{first['content']}\n\n{text}"}, *messages[1:]]
    return [{"role": "system", "content": text}, *messages]
