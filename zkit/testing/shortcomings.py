"""Requests that servers refuse or misunderstand, one record each."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType

from zkit.testing.answers import Answer, Request, Said, error, raw_stream
from zkit.testing.misbehaviour import Misbehaviour, Spoil

_MOST_TOOLS = 16


def _where(is_so: Callable[[Request], bool], otherwise: Spoil) -> Spoil:
    """Do something else for some requests, and answer all others correctly."""
    return lambda said, request: otherwise(said, request) if is_so(request) else said(request)


def _refuses(is_so: Callable[[Request], bool], why: str) -> Spoil:
    return _where(is_so, lambda said, request: error(400, why))


def _says_otherwise(is_so: Callable[[Request], bool], change: Callable[[Said], Said]) -> Spoil:
    return _where(is_so, lambda said, request: change(said)(request))


def _has_tools(request: Request) -> bool:
    return bool(request.get("tools"))


def _schemas(request: Request) -> str:
    return json.dumps([tool["function"]["parameters"] for tool in request.get("tools") or ()])


def _has_odd_schemas(request: Request) -> bool:
    return any(word in _schemas(request) for word in ('"$ref"', '"const"', '"null"'))


def _has_role(role: str) -> Callable[[Request], bool]:
    return lambda request: any(message["role"] == role for message in request["messages"])


def _sends_reasoning(request: Request) -> bool:
    return any("reasoning_content" in message for message in request["messages"])


def _wants_several(request: Request) -> bool:
    return _has_tools(request) and request.get("parallel_tool_calls") is not False


def _chatty(said: Said) -> Said:
    """The model talks about the call that it does not make."""
    return replace(said, content="I would look that up for you.", calls=(), finish="stop")


def _first_with_the_rest(said: Said) -> Said:
    """Return all calls as one, with the objects of all as its arguments."""
    if len(said.calls) < 2:
        return said
    text = "".join(one["function"]["arguments"] for one in said.calls)
    first = said.calls[0]
    return replace(said, calls=({**first, "function": {**first["function"], "arguments": text}},))


def _garbled(said: Said, request: Request) -> Answer:
    """Return an empty stream."""
    return raw_stream([{"id": "1", "object": "chat.completion.chunk", "choices": []}])


def _one(name: str, does: str, spoil: Spoil) -> Misbehaviour:
    return Misbehaviour(name, "model", does, spoil, needs="anything", outcome="passed on")


_ALL = (
    _one("no_tools", "refuses requests with tools",
         _refuses(_has_tools, "this model does not support tools")),
    _one("deaf_to_tools", "takes tools, and never shows them to the model", _says_otherwise(_has_tools, _chatty)),
    _one("needs_tool_choice", "calls only when tool_choice is said",
         _says_otherwise(lambda request: _has_tools(request) and "tool_choice" not in request, _chatty)),
    _one("refuses_schemas", "refuses $ref, const and null unions in schemas",
         _refuses(_has_odd_schemas, "failed to build a grammar from the schema")),
    _one("loses_schemas", "loses the arguments under $ref, const and null unions",
         _says_otherwise(_has_odd_schemas, _chatty)),
    _one("no_streams", "refuses streams", _refuses(lambda request: bool(request.get("stream")), "streaming is not supported")),
    _one("empty_streams", "streams nothing", _where(lambda request: bool(request.get("stream")), _garbled)),
    _one("no_stream_options", "refuses stream_options",
         _refuses(lambda request: "stream_options" in request, "unknown field: stream_options")),
    _one("no_system_role", "refuses system messages", _refuses(_has_role("system"), "System role not supported")),
    _one("no_reasoning_back", "refuses reasoning that is sent back",
         _refuses(_sends_reasoning, "unknown field: reasoning_content")),
    _one("few_tools", f"refuses more than {_MOST_TOOLS} tools",
         _refuses(lambda request: len(request.get("tools") or ()) > _MOST_TOOLS, "too many tools")),
    _one("merges_calls", "puts the arguments of all calls into the first",
         _says_otherwise(_wants_several, _first_with_the_rest)),
    _one("reasoning_as_musings", "sends the reasoning in a field that nobody knows",
         lambda said, request: replace(said, fields={**said.fields, "musings": "Hm, so."})(request)),
)  # fmt: skip
SHORTCOMINGS: Mapping[str, Misbehaviour] = MappingProxyType({one.name: one for one in _ALL})
