"""A request as OpenAI's own server takes it in, the same as one particular server takes it out."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from zkit.chat.history import as_text
from zkit.chat.loop_events import Message
from zkit.chat.server_profile import ServerSettings
from zkit.chat.wire_data import REASONING, dumps, text_of
from zkit.errors import SchemaError
from zkit.schema import convert, offered

Request = dict[str, Any]
_ABOUT_TOOLS = ("tools", "tool_choice", "parallel_tool_calls")


def fitted(
    request: Mapping[str, Any],
    server: ServerSettings,
    examples: Mapping[str, Mapping[str, Any]] | None = None,
) -> Request:
    """The request in the server of a server; what it says for itself stays as it is."""
    made = _tools_in_text(dict(request), server, examples)
    for step in _STEPS:
        made = step(made, server)
    return made


def asked(request: Mapping[str, Any], key: str) -> Any:
    """What a request says; clients have marks of their own for what is not given."""
    found = request.get(key)
    return None if type(found).__name__ in ("NotGiven", "Omit") else found


def _tools_in_text(
    request: Request,
    server: ServerSettings,
    examples: Mapping[str, Mapping[str, Any]] | None,
) -> Request:
    """The tools in the prompt, the calls and results of the conversation as text."""
    if server.mode != "text" or not isinstance(asked(request, "messages"), list):
        return request
    choice = asked(request, "tool_choice")
    tools = asked(request, "tools") if choice != "none" else None
    offers = list(offered(tools).values()) if tools else []
    kept = {key: value for key, value in request.items() if key not in _ABOUT_TOOLS}
    messages = [_plain_message(one) for one in request["messages"]]
    said = as_text(messages, offers, server.format, must_call=_must_call(choice), examples=examples)
    return {**kept, "messages": said}


def _plain_message(message: Any) -> Message:
    """A message as a dict; callers put the client's own records into the conversation too."""
    if isinstance(message, Mapping):
        return dict(message)
    made: Message = message.model_dump(exclude_none=True, warnings=False)
    return made


def _must_call(choice: Any) -> str:
    if isinstance(choice, Mapping):
        name = (choice.get("function") or {}).get("name")
        return f"Your next message must be a call of {name}."
    return "Your next message must be a call." if choice == "required" else ""


def _schemas_in_dialect(request: Request, server: ServerSettings) -> Request:
    tools = asked(request, "tools")
    if server.dialect == "openai" or not isinstance(tools, list):
        return request
    return {**request, "tools": [_in_dialect(tool, server.dialect) for tool in tools]}


def _in_dialect(tool: Any, dialect: str) -> Any:
    """A tool in a dialect; one that the dialect cannot express stays as it is."""
    function = tool.get("function") if isinstance(tool, Mapping) else None
    if not isinstance(function, Mapping) or not isinstance(function.get("parameters"), Mapping):
        return tool
    made = _converted(dumps(function["parameters"]), dialect)
    if made is None:
        return tool
    strict = {"strict": True} if dialect.endswith("-strict") else {}
    return {**tool, "function": {**function, "parameters": json.loads(made), **strict}}


@lru_cache(maxsize=512)
def _converted(schema: str, dialect: str) -> str | None:
    """The schema in the dialect; a loop sends the same ones again and again."""
    try:
        return json.dumps(convert(json.loads(schema), dialect), ensure_ascii=False)
    except SchemaError:
        return None


def _said_of_calls(request: Request, server: ServerSettings) -> Request:
    """What is said of how to call, unless the request speaks of it."""
    if not asked(request, "tools"):
        return request
    own: Request = {}
    if not server.parallel and asked(request, "parallel_tool_calls") is None:
        own["parallel_tool_calls"] = False
    choice = server.tool_choice
    # A model that must call after a result would never come to its answer.
    is_due = choice == "auto" or (choice and not _follows_a_result(request))
    if is_due and asked(request, "tool_choice") is None:
        own["tool_choice"] = choice
    return {**request, **own}


def _follows_a_result(request: Request) -> bool:
    messages = asked(request, "messages")
    last = messages[-1] if isinstance(messages, list) and messages else {}
    role = last.get("role") if isinstance(last, Mapping) else getattr(last, "role", "")
    return bool(role == "tool")


def _streaming(request: Request, server: ServerSettings) -> Request:
    left_out = set()
    if not server.stream:
        left_out = {"stream", "stream_options"}
    elif not server.stream_usage:
        left_out = {"stream_options"}
    return {key: value for key, value in request.items() if key not in left_out}


def _without_system(request: Request, server: ServerSettings) -> Request:
    """The system prompt at the head of the user's first message."""
    messages = asked(request, "messages")
    if server.system or not isinstance(messages, list):
        return request
    plain = [_plain_message(one) for one in messages]
    said = [text_of(m.get("content")) for m in plain if m.get("role") in ("system", "developer")]
    rest = [m for m in plain if m.get("role") not in ("system", "developer")]
    if not said:
        return request
    text = "\n\n".join(said)
    first = next((m for m in rest if m.get("role") == "user"), None)
    if first is None or not isinstance(first.get("content"), str):
        return {**request, "messages": [{"role": "user", "content": text}, *rest]}
    joined = {**first, "content": f"{text}\n\n{first['content']}"}
    return {**request, "messages": [joined if m is first else m for m in rest]}


def _reasoning_kept_back(request: Request, server: ServerSettings) -> Request:
    messages = asked(request, "messages")
    if server.replay_reasoning or not isinstance(messages, list):
        return request
    names = {server.reasoning, *REASONING}
    plain = [_plain_message(one) for one in messages]
    kept = [{key: value for key, value in m.items() if key not in names} for m in plain]
    return {**request, "messages": kept}


_STEPS: tuple[Callable[[Request, ServerSettings], Request], ...] = (
    _schemas_in_dialect,
    _said_of_calls,
    _streaming,
    _without_system,
    _reasoning_kept_back,
)
