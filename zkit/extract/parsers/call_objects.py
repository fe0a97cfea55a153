"""Find the calls in a JSON value, under any of the keys that models use."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from zkit.expect import Expect
from zkit.extract.declared import Declared
from zkit.json_types import JsonObject

NAME_KEYS = (
    "_name", "name", "tool_name", "tool", "function", "action", "recipient_name", "function_name", "tool_call", "function_call",
)  # fmt: skip
ARGUMENT_KEYS = (
    "arguments", "parameters", "args", "input", "tool_input", "action_input", "params", "kwargs",
)  # fmt: skip
LIST_KEYS = ("tool_calls", "tool_uses", "function_calls", "calls", "actions")
NEST_KEYS = ("tool_call", "function_call", "function", "tool_use", "action", "command")
# The key of a JSON-RPC request as in MCP: `{"jsonrpc": "2.0", "method": "tools/call", "params": {...}}`
# (corpus/extract/small_models).
RPC_KEY = "jsonrpc"
ID_KEYS = ("id", "tool_call_id", "call_id", "tool_use_id")
# Keys that may be beside a name and its arguments. Anything else is another kind of object
# (corpus/extract/llama3_json).
BESIDE = frozenset(
    {*ID_KEYS, "type", "index", "thought", "thoughts", "thinking", "reasoning", "reason",
     "rationale", "explanation", "comment"}
)  # fmt: skip
# Keys for the result of a call: an object with one is a record of a past call (Qwen2.5-Coder-1.5B
# repeats its call with a result).
RESULT_KEYS = frozenset(
    {"result", "results", "output", "outputs", "response", "error", "is_error", "returned", "observation", "tool_results", "tool_outputs"}
)  # fmt: skip
KINDS = frozenset({"string", "integer", "number", "boolean", "array", "object", "null"})
# Roles other than the model's: an object with one is somebody else's turn in a conversation.
SPEAKERS = frozenset({"user", "tool", "system", "developer", "human", "function"})
# Keys that may wrap calls.
_AROUND = frozenset({*LIST_KEYS, *NEST_KEYS})
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")
# How deep a call may be nested in a value.
DEEPEST = 6
# The keys that an object with a call may begin with.
OPENING_KEYS = frozenset(
    {*NAME_KEYS, *ARGUMENT_KEYS, *LIST_KEYS, *NEST_KEYS, *ID_KEYS,
     "type", "thought", "thoughts", "content", "role", "index"}
)  # fmt: skip

_NAMED = re.compile(
    rf"[\"']?\b(?P<key>{'|'.join(sorted(NAME_KEYS, key=len, reverse=True))})\b[\"']?\s*[:=]\s*[\"']?(?P<name>[^\s\"',{{}}\[\]]++)"
)
_KEYED = re.compile(r"\s*\{\s*[\"']?(?P<name>[^\s\"':{}\[\],]++)[\"']?\s*:\s*\{")


class Spelt(NamedTuple):
    """A call in an object: its name and arguments as written, and the keys beside them.

    `level` is how deep the arguments are nested; the outermost bracket is level 1.
    """

    name: str
    arguments: Any
    id: str
    keys: frozenset[str]
    level: int


def calls_in(value: Any, tools: Declared, level: int = 1) -> Iterator[Spelt]:
    """Yield the calls that a JSON value spells out, in order."""
    if level > DEEPEST:
        return
    if isinstance(value, list) and (pair := _pair(value, tools, level)) is not None:
        yield pair
    elif isinstance(value, list):
        for item in value:
            yield from calls_in(item, tools, level + 1)
    elif isinstance(value, dict):
        yield from _in_object(value, tools, level)


def _pair(value: list[Any], tools: Declared, level: int) -> Spelt | None:
    """Return the call in a pair `[NAME, {...}]` (Qwen2.5-Coder-0.5B); None for other lists."""
    pair = len(value) == 2 and isinstance(value[0], str) and isinstance(value[1], dict)
    if not pair or tools.name_of(value[0]) is None:
        return None
    return Spelt(value[0], value[1], "", frozenset(), level + 1)


def _in_object(value: JsonObject, tools: Declared, level: int) -> Iterator[Spelt]:
    if any(key.lower() != key for key in value):  # `{"toolName": ..., "Arguments": ...}`
        value = {spelt_key(key): part for key, part in value.items()}
    inner = _wrapped(value)
    if inner is not None:
        for one in calls_in(inner[0], tools, level + 1):
            yield one._replace(keys=one.keys | inner[1])
        return
    spelt = _keyed(value, tools, level) or _named(value, tools, level)
    if spelt is not None:
        yield spelt
    elif len(value) == 1:  # any key may wrap one call: `{"functionCall": {...}}`
        yield from calls_in(next(iter(value.values())), tools, level + 1)


def _wrapped(value: JsonObject) -> tuple[Any, frozenset[str]] | None:
    """Return the part of an object that a wrapper key such as `tool_calls` holds, and odd keys beside it.

    None if there is no such key, so that the object may be a call itself.
    """
    request = value.get("params") if RPC_KEY in value else None
    if isinstance(request, dict) and "name" in request:
        return request, frozenset()
    if _AROUND.isdisjoint(value) and len(value) > 1:
        return None
    listed = next((value[k] for k in LIST_KEYS if isinstance(value.get(k), list)), None)
    if listed is not None and not isinstance(value.get("name"), str):
        return listed, frozenset(key for key in RESULT_KEYS if value.get(key))
    key = next((k for k in NEST_KEYS if isinstance(value.get(k), dict)), None)
    if key is None:
        return None
    outer = {k: v for k, v in value.items() if k != key}
    ids = {k: outer[k] for k in ID_KEYS if k in outer}
    odd = frozenset(outer.keys() - BESIDE - {"role", "content"})
    return {**ids, **value[key]}, odd


def spelt_key(key: str) -> str:
    """Return a key in its usual spelling: `name` for `Name`, `tool_call` for `toolCall`.

    Other keys stay as they are. See corpus/extract/small_models.
    """
    plain = _HUMP.sub("_", key).lower()
    return plain if plain in OPENING_KEYS else key


def _named(value: JsonObject, tools: Declared, level: int) -> Spelt | None:
    """Return the call in `{"name": NAME, "arguments": {...}}`, under any of the known keys."""
    key = next((k for k in NAME_KEYS if isinstance(value.get(k), str)), None)
    if key is None:
        return _by_values(value, tools, level)
    rest = {k: v for k, v in value.items() if k != key}
    held = next((k for k in ARGUMENT_KEYS if k in rest), None)
    ident = next((str(rest[k]) for k in ID_KEYS if k in rest), "")
    if held is not None and key != "_name":
        return Spelt(value[key], rest[held], ident, frozenset(rest) - {held}, level + 1)
    name = tools.name_of(value[key])
    beside = {
        k: v
        for k, v in rest.items()
        if k not in (*ID_KEYS, "type") or k in tools.expect(value[key]).keys
    }
    if name is not None and beside and tools.fits(name, beside):
        flat = frozenset({"_flat"}) if key != "_name" else frozenset[str]()
        return Spelt(value[key], beside, ident, flat, level)
    if key == "_name":
        return Spelt(value[key], rest, ident, frozenset(), level)
    return _by_values(value, tools, level) or Spelt(
        value[key], None, ident, frozenset(rest) | {"_bare"}, level
    )


def _by_values(value: JsonObject, tools: Declared, level: int) -> Spelt | None:
    """Return the call in an object under unknown keys, such as `{"api": NAME, "data": {...}}`.

    Exactly one value must be a declared name, and the only object must fit that tool (decision 26).
    """
    named = [k for k, v in value.items() if isinstance(v, str) and tools.name_of(v) is not None]
    held = [k for k, v in value.items() if isinstance(v, dict)]
    if len(named) != 1 or len(held) != 1:
        return None
    name, arguments = str(value[named[0]]), value[held[0]]
    if not tools.fits(name, arguments):
        return None
    ident = next((str(value[k]) for k in ID_KEYS if k in value), "")
    keys = frozenset(value) - {*named, *held, RPC_KEY}
    return Spelt(name, arguments, ident, keys, level + 1)


def _keyed(value: JsonObject, tools: Declared, level: int) -> Spelt | None:
    """Return the call in `{NAME: {...}}` with a declared name as the only key (Apertus)."""
    if len(value) != 1:
        return None
    [(name, arguments)] = value.items()
    if tools.name_of(name) is None or not isinstance(arguments, dict):
        return None
    return Spelt(name, arguments, "", frozenset({"_keyed"}), level + 1)


def is_declaration(arguments: JsonObject, expect: Expect) -> bool:
    """True if arguments are a JSON Schema or its properties: the tool is described, not called.

    See corpus/untouched/calls_declared.
    """
    if not {"type", "properties"} & expect.keys and (
        arguments.get("type") == "object" and isinstance(arguments.get("properties"), dict)
    ):
        return True
    return (
        bool(arguments)
        and all(_is_schema(value) for value in arguments.values())
        and any("object" not in expect.child(key).kinds for key in arguments)
    )


def _is_schema(value: Any) -> bool:
    """True if a value is a JSON Schema with a type."""
    return isinstance(value, dict) and isinstance(value.get("type"), str) and value["type"] in KINDS


def is_chat(value: Any) -> bool:
    """True if a value is a recorded conversation, or somebody else's turn in one.

    See corpus/untouched/conversations.
    """
    turns = value.get("messages", [value]) if isinstance(value, dict) else []
    return isinstance(turns, list) and any(map(_is_turn, turns))


def _is_turn(value: Any) -> bool:
    """True if a value is a turn of somebody other than the model."""
    if not isinstance(value, dict) or not {"content", "parts"} & value.keys():
        return False
    return isinstance(value.get("role"), str) and value["role"] in SPEAKERS


def name_in(text: str, tools: Declared) -> str:
    """Return the tool that a damaged object seems to call: the first declared name, or the first name."""
    names = [match["name"] for match in _NAMED.finditer(text, 0, 4000)]
    keyed = _KEYED.match(text)
    if keyed is not None:
        names.insert(0, keyed["name"])
    known = next((name for name in names if tools.name_of(name)), None)
    return known or next(iter(names), "")
