"""A JSON Schema in, its types as a programmer writes them out: `path: str, start: int = 1`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from zkit.schema.schema_tree import pointer_target

_NAMES = {
    "string": "str",
    "integer": "int",
    "number": "float",
    "boolean": "bool",
    "null": "None",
    "array": "list",
    "object": "dict",
}
_MOST_VALUES = 12
_DEEPEST = 4


def parameters_text(schema: Mapping[str, Any]) -> str:
    """The parameters between the brackets of a signature, those that must be sent first."""
    required = schema.get("required", ())
    properties = {**schema.get("properties", {})}
    properties |= {name: {} for name in required if name not in properties}
    names = sorted(properties, key=lambda name: name not in required)
    shown = [_parameter(name, properties[name], name in required, schema) for name in names]
    return ", ".join([*shown, *_others(schema)])


def _others(schema: Mapping[str, Any]) -> Iterator[str]:
    """What besides may be sent under names of one's own, where the schema says that it may."""
    others = schema.get("additionalProperties")
    if others is True or isinstance(others, Mapping):
        yield f"**others: {type_text(others, schema)}"


def _parameter(name: str, part: Any, required: bool, root: Mapping[str, Any]) -> str:
    if not isinstance(part, Mapping):
        return name
    kind = type_text(part, root)
    if "default" in part:
        return f"{name}: {kind} = {_value(part['default'])}"
    return f"{name}: {kind}" if required else f"{name}: {kind} = ..."


def type_text(part: Any, root: Any, depth: int = 0) -> str:
    """A type as a programmer writes it; `Any` where the schema does not say, or is too deep."""
    if not isinstance(part, Mapping) or depth > _DEEPEST:
        return "Any"
    if "$ref" in part:
        return type_text(pointer_target(root, str(part["$ref"])), root, depth + 1)
    if "const" in part or "enum" in part:
        return _literal(part.get("enum", [part.get("const")]))
    branches = part.get("anyOf") or part.get("oneOf")
    if branches:
        return " | ".join(dict.fromkeys(type_text(one, root, depth + 1) for one in branches))
    if "allOf" in part and len(part["allOf"]) == 1:
        return type_text(part["allOf"][0], root, depth + 1)
    named = part.get("type")
    kinds = [named] if isinstance(named, str) else list(named or ())
    return " | ".join(_of_kind(kind, part, root, depth) for kind in kinds) or "Any"


def _of_kind(kind: str, part: Mapping[str, Any], root: Any, depth: int) -> str:
    if kind == "array" and part.get("prefixItems"):
        inner = [type_text(one, root, depth + 1) for one in part["prefixItems"]]
        return f"tuple[{', '.join(inner)}]"
    if kind == "array" and isinstance(part.get("items"), Mapping):
        return f"list[{type_text(part['items'], root, depth + 1)}]"
    if kind == "object" and part.get("properties"):
        return "{" + ", ".join(_fields(part, root, depth)) + "}"
    if kind == "object" and isinstance(part.get("additionalProperties"), Mapping):
        return f"dict[str, {type_text(part['additionalProperties'], root, depth + 1)}]"
    return _NAMES.get(kind, "Any")


def _fields(part: Mapping[str, Any], root: Any, depth: int) -> Iterator[str]:
    required = part.get("required", ())
    for name, inner in part["properties"].items():
        mark = "" if name in required else "?"
        yield f"{name}{mark}: {type_text(inner, root, depth + 1)}"


def _literal(values: Any) -> str:
    shown = [_value(value) for value in list(values)[:_MOST_VALUES]]
    more = ["..."] if len(values) > _MOST_VALUES else []
    return " | ".join([*shown, *more]) or "Any"


_CONSTANTS = {None: "None", True: "True", False: "False"}


def _value(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return _CONSTANTS[value]
    return json.dumps(value, ensure_ascii=False)
