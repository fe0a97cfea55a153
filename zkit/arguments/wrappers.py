"""Arguments inside a wrapper in, the arguments out: `{"arguments": …}`, or the whole call."""

from __future__ import annotations

from typing import Any, NamedTuple

from zkit.arguments.containers import is_schema_of_arguments
from zkit.arguments.names import folded
from zkit.arguments.shape import Shape
from zkit.repair import Repaired, repair_json

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
_BESIDE = frozenset((*NAMES, "type", "id", "call_id", "tool_call_id", "index", "required", "kind"))
_DEEPEST = 3


class Unwrapped(NamedTuple):
    """What a wrapper held, and the name of the tool that it named, if it named one."""

    value: Any
    tool: str | None
    is_sure: bool = True
    """False when a key of the wrapper is also a field, and the tool's name is not known."""


def unwrapped(value: Any, shape: Shape, tool: str | None) -> Unwrapped | None:
    """The arguments inside a wrapper, or inside the only call of a list; None when there is none.

    A wrapper has no key that the schema declares: a key that it declares is an argument, whatever
    its name. Only a call that names this very tool is known as one all the same.
    """
    found, named, sure = _only(value), None, True
    for _ in range(_DEEPEST):
        inner = _inner(found, shape, tool)
        if inner is None:
            break
        sure = sure and (tool is not None or shape.fields.keys().isdisjoint(found))
        found, named = inner.value, inner.tool or named
        if is_schema_of_arguments(found, shape):
            break
    return None if found is _only(value) else Unwrapped(found, named, sure)


def _inner(value: Any, shape: Shape, tool: str | None) -> Unwrapped | None:
    if not isinstance(value, dict) or not value:
        return None
    if not shape.fields.keys().isdisjoint(value) and not _calls(value, tool):
        return None
    for key in CALLS:
        if key in value and set(value) - {key} <= _BESIDE and _is_call(_only(value[key])):
            return Unwrapped(_only(value[key]), None)
    keys = [key for key in ENVELOPES if key in value]
    if len(keys) == 1 and set(value) - set(keys) <= _BESIDE:
        held = _as_object(value[keys[0]])
        return None if held is None else Unwrapped(held, _tool_named(value))
    if tool is not None and len(value) == 1 and folded(next(iter(value))) == folded(tool):
        held = _as_object(next(iter(value.values())))
        return None if held is None else Unwrapped(held, tool)
    return None


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


def _only(value: Any) -> Any:
    """The one call of a list of calls."""
    return value[0] if isinstance(value, list) and len(value) == 1 else value


def _is_call(value: Any) -> bool:
    return isinstance(value, dict) and any(key in value for key in ENVELOPES)


def _as_object(value: Any) -> Any:
    """What stands in an envelope when it is an object, or the text of one; None otherwise."""
    if value is None or value == "":
        return {}
    if isinstance(value, str):
        found = repair_json(value)
        value = found.value if isinstance(found, Repaired) and not found.lossy else None
    return value if isinstance(value, dict) else None


def _tool_named(call: dict[str, Any]) -> str | None:
    return next((call[key] for key in NAMES if isinstance(call.get(key), str)), None)
