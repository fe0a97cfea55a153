"""Arguments inside a wrapper in, the arguments out: `{"arguments": …}`, or the whole call."""

from __future__ import annotations

from typing import Any, NamedTuple

from zkit.arguments.containers import is_schema_of_arguments, read_container
from zkit.arguments.names import folded
from zkit.arguments.shape import Shape
from zkit.arguments.source import Place, Source
from zkit.receipt import Rank

ENVELOPES = (
    "arguments",
    "parameters",
    "args",
    "params",
    "kwargs",
    "input",
    "inputs",
    "tool_input",
    "tool_args",
    "action_input",
    "function_args",
    "properties",
)
CALLS = ("function", "function_call", "tool_call", "call", "tool_calls")
NAMES = ("name", "tool", "tool_name", "function", "function_name", "action", "recipient_name")
_BESIDE = frozenset(
    (
        *NAMES,
        *("type", "kind", "id", "call_id", "tool_call_id", "index"),
        *("required", "description", "strict"),
    )
)
_DEEPEST = 4


class Unwrapped(NamedTuple):
    """What a wrapper held, where it stands in the text, and what it took to read it.

    `tool` is the name that the wrapper gave, if any. `is_sure` is False when a key of the wrapper
    is also a field, and the tool's name is not known.
    """

    value: Any
    place: Place
    tool: str | None = None
    rank: Rank = Rank.UNWRAP
    is_sure: bool = True


def unwrapped(value: Any, shape: Shape, tool: str | None, place: Place) -> Unwrapped | None:
    """The arguments inside a wrapper, or inside the only call of a list; None when there is none.

    A wrapper has no key that the schema declares: a key that it declares is an argument, whatever
    its name. Only a call that may name this very tool is taken for one all the same.
    """
    found = Unwrapped(*_only(value, place))
    start = found.value
    for _ in range(_DEEPEST):
        inner = _inner(found, shape, tool)
        if inner is None:
            break
        sure = tool is not None or shape.fields.keys().isdisjoint(found.value)
        found = inner._replace(
            tool=inner.tool or found.tool,
            rank=max(inner.rank, found.rank),
            is_sure=sure and found.is_sure,
        )
        if is_schema_of_arguments(found.value, shape):
            break
    return None if found.value is start else found


def _inner(outer: Unwrapped, shape: Shape, tool: str | None) -> Unwrapped | None:
    value, place = outer.value, outer.place
    if not isinstance(value, dict) or not value:
        return None
    if not shape.fields.keys().isdisjoint(value) and not _calls(value, tool):
        return None
    for key in CALLS:
        if key in value and set(value) - {key} <= _BESIDE:
            call, there = _only(value[key], place.inside(key))
            if isinstance(call, dict) and any(one in call for one in (*ENVELOPES, *CALLS)):
                return Unwrapped(call, there)
    keys = [key for key in ENVELOPES if key in value]
    if len(keys) == 1 and set(value) - set(keys) <= _BESIDE:
        return _held(value[keys[0]], place.inside(keys[0]), _tool_named(value))
    only = next(iter(value))
    if tool is not None and len(value) == 1 and folded(only) == folded(tool):
        return _held(value[only], place.inside(only), tool)
    return None


def _held(value: Any, place: Place, tool: str | None) -> Unwrapped | None:
    """What stands in an envelope when it is an object, or the text of one; None otherwise."""
    if value is None or value == "":
        return Unwrapped({}, Place(), tool)
    if isinstance(value, dict):
        return Unwrapped(value, place, tool)
    read = read_container(value, {"type": "object"}) if isinstance(value, str) else None
    if read is None or not isinstance(read.value, dict):
        return None
    source = Place((), Source(read.text, read.fixes))
    return Unwrapped(read.value, source, tool, max(Rank.UNWRAP, read.rank))


def _calls(value: dict[str, Any], tool: str | None) -> bool:
    """Whether an object is nothing but a name, which may be this tool's, and an envelope."""
    if len(value) != 2:
        return False
    named = _tool_named(value)
    envelopes = [key for key in ENVELOPES if isinstance(value.get(key), dict)]
    if len(envelopes) != 1 or named is None:
        return False
    return tool is None or same_tool(named, tool)


def same_tool(one: str, other: str) -> bool:
    """Whether two names are the same but for a prefix, case and separators."""
    return folded(one.rpartition(".")[2]) == folded(other.rpartition(".")[2])


def _only(value: Any, place: Place) -> tuple[Any, Place]:
    """The one call of a list of calls."""
    if isinstance(value, list) and len(value) == 1 and isinstance(value[0], dict):
        return value[0], place.inside(0)
    return value, place


def _tool_named(call: dict[str, Any]) -> str | None:
    return next((call[key] for key in NAMES if isinstance(call.get(key), str)), None)
