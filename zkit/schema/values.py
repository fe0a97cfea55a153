"""Values and limits that a backend does not know in, those that it knows out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from zkit.schema.kinds import OF_TYPE, type_of, types_of
from zkit.schema.walk import Schema, rebuilt
from zkit.schema.words import in_words, with_words

if TYPE_CHECKING:
    from zkit.schema.dialects import Dialect

_BOUNDS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")


def enum_for_const(schema: Schema, dialect: Dialect) -> Schema:
    """Write `const` as an `enum` of one."""
    return rebuilt(schema, _enum_for_const)


def _enum_for_const(schema: Schema, path: str) -> Schema:
    if "const" not in schema:
        return schema
    made = {("enum" if key == "const" else key): value for key, value in schema.items()}
    return {**made, "enum": [schema["const"]]}


def types_said(schema: Schema, dialect: Dialect) -> Schema:
    """Name the type where the other keywords leave no doubt about it."""
    return rebuilt(schema, _typed)


def _typed(schema: Schema, path: str) -> Schema:
    if "type" in schema or "anyOf" in schema or "$ref" in schema:
        return schema
    found = _implied(schema)
    return {"type": found[0] if len(found) == 1 else found, **schema} if found else schema


def _implied(schema: Schema) -> list[str]:
    if "enum" in schema or "const" in schema:
        values = schema["enum"] if "enum" in schema else [schema["const"]]
        types = list(dict.fromkeys(map(type_of, values)))
        return [name for name in types if name != "integer" or "number" not in types]
    for name in ("object", "array"):
        if OF_TYPE[name] & schema.keys():
            return [name]
    return []


def lists_for_tuples(schema: Schema, dialect: Dialect) -> Schema:
    """Write a tuple as a list of its kinds of items, their order said in words."""
    return rebuilt(schema, _list_for_tuple)


def _list_for_tuple(schema: Schema, path: str) -> Schema:
    old = isinstance(schema.get("items"), list)
    parts = schema.get("items") if old else schema.get("prefixItems")
    if not isinstance(parts, list):
        return schema
    further = schema.get("additionalItems" if old else "items", True)
    closed = further is False or further == {"not": {}}
    kept = {k: v for k, v in schema.items() if k not in ("prefixItems", "items", "additionalItems")}
    kinds = [*parts, *([further] if isinstance(further, dict) and not closed else [])]
    ends = {"maxItems": len(parts)} if closed else {}
    made = {**ends, **kept, "items": _one_of(kinds)}
    return with_words(made, [f"in this order: {', '.join(map(_name, parts))}"] if parts else [])


def _one_of(parts: list[Any]) -> Schema:
    kinds: list[Any] = []
    kinds.extend(part for part in parts if part not in kinds)
    if not kinds:
        return {}
    return kinds[0] if len(kinds) == 1 else {"anyOf": kinds}


def _name(part: Any) -> str:
    return " or ".join(types_of(part)) or str(part.get("$ref", "value")).rpartition("/")[2]


def only_string_enums(schema: Schema, dialect: Dialect) -> Schema:
    """Say in words an enum of anything but texts; an empty text counts as none."""
    return rebuilt(schema, _string_enum)


def _string_enum(schema: Schema, path: str) -> Schema:
    values = schema.get("enum")
    if values is None or all(isinstance(value, str) and value for value in values):
        return schema
    return in_words(schema, ["enum"])


def rest_in_words(schema: Schema, dialect: Dialect) -> Schema:
    """Say in words every constraint that the dialect has no keyword for."""

    def change(part: Schema, path: str) -> Schema:
        return in_words(part, [key for key in part if not understood(part, key, dialect)])

    return rebuilt(schema, change)


def understood(schema: Schema, key: str, dialect: Dialect) -> bool:
    """Tell whether a backend understands a keyword where it stands."""
    if dialect.keywords is None:
        return True
    if key == "format":
        return schema[key] in dialect.formats_for(types_of(schema))
    if key == "pattern":
        return key in dialect.keywords and dialect.pattern(str(schema[key]))
    if key in _BOUNDS and key in dialect.keywords:
        return all(name in dialect.bounded for name in types_of(schema) if name != "null")
    return key in dialect.keywords
