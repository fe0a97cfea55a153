"""JSON values and schemas in, the types of JSON that they are out."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from zkit.schema.walk import Schema

TYPES = ("string", "number", "integer", "boolean", "object", "array", "null")

# The keywords that speak of one type only; any other keyword speaks of all.
OF_TYPE: dict[str, frozenset[str]] = {
    "string": frozenset({"minLength", "maxLength", "pattern", "format", "contentEncoding"}),
    "number": frozenset(
        {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "format"}
    ),
    "array": frozenset(
        {
            "items",
            "prefixItems",
            "minItems",
            "maxItems",
            "uniqueItems",
            "contains",
            "minContains",
            "maxContains",
            "additionalItems",
            "unevaluatedItems",
        }
    ),
    "object": frozenset(
        {
            "properties",
            "required",
            "additionalProperties",
            "patternProperties",
            "propertyNames",
            "minProperties",
            "maxProperties",
            "unevaluatedProperties",
            "dependentRequired",
            "dependentSchemas",
        }
    ),
    "boolean": frozenset(),
    "null": frozenset(),
}
OF_TYPE["integer"] = OF_TYPE["number"]
TYPED_KEYWORDS = frozenset(key for keys in OF_TYPE.values() for key in keys)

_OF_VALUE: dict[type, str] = {
    str: "string",
    bool: "boolean",
    int: "integer",
    float: "number",
    dict: "object",
    list: "array",
    type(None): "null",
}


def type_of(value: Any) -> str:
    """Return the JSON type of a value."""
    return _OF_VALUE.get(type(value), "string")


def is_of(value: Any, types: Iterable[str]) -> bool:
    """Tell whether a value has one of the types; 3 and 3.0 are integers and numbers."""
    own, wanted = type_of(value), set(types)
    if own in wanted or (own == "integer" and "number" in wanted):
        return True
    return own == "number" and "integer" in wanted and float(value).is_integer()


def types_of(schema: Schema) -> list[str]:
    """Return the types that `type` names; none when it is absent."""
    found = schema.get("type")
    return [found] if isinstance(found, str) else list(found) if isinstance(found, list) else []


def takes(schema: Schema, kind: str) -> bool:
    """Tell whether `type` names the type."""
    return kind in types_of(schema)


def takes_null(schema: Schema) -> bool:
    """Tell whether null may stand here, as far as the schema itself says."""
    if takes(schema, "null") or schema.get("nullable") is True:
        return True
    if any(None in schema.get(key, ()) for key in ("enum",)) and "type" not in schema:
        return True
    return any(
        takes_null(branch)
        for key in ("anyOf", "oneOf")
        for branch in schema.get(key, ())
        if isinstance(branch, dict)
    )


def identity(value: Any) -> tuple[str, str]:
    """Return a key that tells JSON values apart: `true` is not 1, and 1 is 1.0."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return type_of(value), repr(value)


def distinct(values: Iterable[Any]) -> list[Any]:
    """Return the values, each once, in their order."""
    return list({identity(value): value for value in reversed(list(values))}.values())[::-1]


def is_only(schema: Schema, *keys: str) -> bool:
    """Tell whether a schema has no keywords but these."""
    return set(schema) <= set(keys)
