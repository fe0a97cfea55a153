"""Decode the arguments of a call so that they fit its tool."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from pydantic import BaseModel
from pydantic_core import to_jsonable_python

from zkit.arguments.decoder import decode_with_data
from zkit.arguments.refusals import refuse_echo
from zkit.calls import Call
from zkit.json_types import JsonMapping, JsonObject
from zkit.receipt import Fix, Rank
from zkit.results import Failure, Validation
from zkit.schema.schema_tree import pointer_target
from zkit.tools.execution import failure_of
from zkit.tools.frozen_data import thaw
from zkit.tools.policy import policy_for
from zkit.tools.spec import Tool, ToolSpec


def decode_call(
    tool: Tool, call: Call, *, limit: Rank | None = None, finish_reason: str | None = None
) -> Call | Failure:
    """Return the call with arguments that fit, as JSON data, or a message for the model.

    `limit` is the highest rank of repair allowed; when it is not given, the tool's grade sets it.
    The arguments stay JSON data; the tool converts them.
    """
    limit = policy_for(tool.definition()).limit if limit is None else limit
    decoded = read_arguments(tool, call, limit, finish_reason)
    if isinstance(decoded, Failure):
        return decoded
    fixes, rank = (*call.fixes, *decoded.fixes), max(call.rank, decoded.rank)
    return replace(call, arguments=decoded.data, fixes=fixes, rank=rank)


class Arguments(NamedTuple):
    """Valid arguments of a call: as JSON data, and as the typed values that the tool takes."""

    data: JsonObject
    typed: Any
    fixes: tuple[Fix, ...]
    rank: Rank


_new = tuple.__new__  # saves a call on every call of a tool


def read_arguments(
    tool: Tool, call: Call, limit: Rank, finish_reason: str | None = None
) -> Arguments | Failure:
    """Return the arguments of a call as data that fits, with their receipt.

    An unexpected exception of the tool's own validator is a crash of the tool.
    """
    if call.rank > limit:
        return _too_far(tool.definition(), call)
    decoded, found = decode_with_data(
        tool, call.arguments, limit=limit, finish_reason=finish_reason
    )
    if isinstance(decoded, Validation):
        broken = decoded.__cause__
        return decoded if broken is None else failure_of(broken, call.name)
    data = dict(found)
    sent = call.arguments
    if not (
        type(sent) is str and "<" not in sent and "\\" not in sent
    ):  # then it holds no placeholder
        echoed = refuse_echo(call.name, data)
        if echoed is not None:
            return echoed
    return _new(Arguments, (data, decoded.value, decoded.fixes, decoded.rank))


def judged_arguments(spec: ToolSpec, data: JsonMapping, typed: object = None) -> JsonObject:
    """Return the arguments by which `destructive` is judged, as JSON data.

    The typed values count (after validators, default factories and aliases), then the defaults of
    the schema.
    """
    if isinstance(spec.destructive, bool):
        return dict(data)
    known = canonical_arguments(spec, data)
    if isinstance(typed, BaseModel):
        typed = {
            **{name: getattr(typed, name, None) for name in type(typed).model_fields},
            **typed.model_dump(by_alias=True),
        }
    if isinstance(typed, Mapping):
        known |= {name: typed[name] for name in spec.destructive if name in typed}
    return {name: _as_data(known[name]) for name in spec.destructive if name in known}


def _as_data(value: object) -> object:
    """Return the value as JSON data; None, which needs approval, if no representation can be trusted.

    The `str()` of a tool's own class may return anything, and that of a `SecretStr` is asterisks.
    """
    reveal = getattr(value, "get_secret_value", None)
    try:
        return to_jsonable_python(value if reveal is None else reveal(), by_alias=True)
    except (ValueError, TypeError):
        return None


def _too_far(spec: ToolSpec, call: Call) -> Validation:
    code = "truncated" if call.rank >= Rank.CUT else "ambiguous"
    how = "were cut off" if code == "truncated" else "could be read in more than one way"
    message = (
        f"The arguments of {call.name} {how}, so it was not run."
        f" Send the call again with complete, strict JSON: {spec.signature()}"
    )
    return Validation(message, code=code, fixes=call.fixes)  # type: ignore[arg-type]


def canonical_arguments(spec: ToolSpec, arguments: JsonMapping) -> JsonObject:
    """Return decoded arguments with the defaults of the schema filled in, at every depth."""
    filled: JsonObject = _filled(arguments, spec.parameters, spec.parameters)
    return filled


_DEEPEST = 64


def _filled(value: object, schema: object, root: JsonMapping, depth: int = 0) -> Any:
    """Return the value with defaults; parts of unions are left as they are, because the branch is
    unknown."""
    schema = _resolved(schema, root)
    if depth > _DEEPEST or not isinstance(schema, Mapping):
        return value
    if isinstance(value, Mapping):
        parts = schema.get("properties", {})
        defaults = {
            name: thaw(part["default"])
            for name, part in parts.items()
            if isinstance(part, Mapping) and "default" in part and name not in value
        }
        given = {k: _filled(v, parts.get(k), root, depth + 1) for k, v in value.items()}
        return {**defaults, **given}
    if isinstance(value, list | tuple):
        return [_filled(part, schema.get("items"), root, depth + 1) for part in value]
    return value


def _resolved(schema: object, root: JsonMapping) -> object:
    for _ in range(8):
        if not isinstance(schema, Mapping) or "$ref" not in schema:
            return schema
        schema = pointer_target(root, str(schema["$ref"]))
    return None
