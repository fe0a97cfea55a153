"""Rewrites values, limits and objects that a backend does not accept."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from zkit.errors import SchemaError
from zkit.schema.normalize import in_words, with_words
from zkit.schema.schema_tree import (
    OF_TYPE,
    Schema,
    rebuilt,
    subschemas,
    takes,
    takes_null,
    type_of,
    types_of,
)
from zkit.schema.unions import NULL

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


def types_added(schema: Schema, dialect: Dialect) -> Schema:
    """Add `type` where the other keywords determine it."""
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
    """Write a tuple as a list of its kinds of items, with the order in words."""
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


def _one_of(parts: list[object]) -> Schema:
    kinds: list[Any] = []
    kinds.extend(part for part in parts if part not in kinds)
    if not kinds:
        return {}
    return kinds[0] if len(kinds) == 1 else {"anyOf": kinds}


def _name(part: Any) -> str:
    return " or ".join(types_of(part)) or str(part.get("$ref", "value")).rpartition("/")[2]


def only_string_enums(schema: Schema, dialect: Dialect) -> Schema:
    """State an enum in words unless all its values are non-empty texts."""
    return rebuilt(schema, _string_enum)


def _string_enum(schema: Schema, path: str) -> Schema:
    values = schema.get("enum")
    if values is None or all(isinstance(value, str) and value for value in values):
        return schema
    return in_words(schema, ["enum"])


def rest_in_words(schema: Schema, dialect: Dialect) -> Schema:
    """State in words every constraint that the dialect has no keyword for."""

    def change(part: Schema, path: str) -> Schema:
        return in_words(part, [key for key in part if not understood(part, key, dialect)])

    return rebuilt(schema, change)


def understood(schema: Schema, key: str, dialect: Dialect) -> bool:
    """True if a backend understands a keyword at its place."""
    if dialect.keywords is None:
        return True
    if key == "format":
        return schema[key] in dialect.formats_for(types_of(schema))
    if key == "pattern":
        return key in dialect.keywords and dialect.pattern(str(schema[key]))
    if key in _BOUNDS and key in dialect.keywords:
        return all(name in dialect.bounded for name in types_of(schema) if name != "null")
    return key in dialect.keywords


# Keywords beside which `type` may be missing.
_SAY_TYPE = frozenset({"type", "anyOf", "oneOf", "allOf", "$ref"})
_SCALARS = frozenset({"string", "number", "integer", "boolean"})


def is_map(schema: Schema) -> bool:
    """True if an object's keys are free: none is declared, and others are not forbidden."""
    if not takes(schema, "object") or schema.get("properties"):
        return False
    others = schema.get("additionalProperties", "properties" not in schema)
    return others is not False


def declared_objects(schema: Schema, dialect: Dialect) -> Schema:
    """Refuse maps, objects without fields and values without a type, where the dialect does not
    allow them."""
    for place in subschemas(schema):
        problem = undeclared(place.path, place.schema, dialect)
        if problem:
            raise SchemaError(f"{place.path or 'the root'}: {problem[0]}; {problem[1]}")
    return schema


def undeclared(path: str, schema: Schema, dialect: Dialect) -> tuple[str, str] | None:
    """Return what the dialect requires to be declared and is not, and what to write instead."""
    if not dialect.untyped and path and not _SAY_TYPE & schema.keys():
        return f"{dialect.name} needs a type here", "name the type of the value"
    if not dialect.maps and is_map(schema) and (path or schema.get("additionalProperties")):
        return (
            f"{dialect.name} cannot express an object with free keys",
            "declare its fields, or use a list of objects with a key and a value",
        )
    if (
        not dialect.empty_objects
        and path
        and takes(schema, "object")
        and not schema.get("properties")
    ):
        return (
            f"{dialect.name} cannot express an object without fields",
            "give it a field, or leave it out",
        )
    return None


def maps_for_patterns(schema: Schema, dialect: Dialect) -> Schema:
    """Allow other keys in a closed object with `patternProperties`: the dialect has no patterns of
    names."""
    return rebuilt(schema, _map_for_patterns)


def _map_for_patterns(schema: Schema, path: str) -> Schema:
    kinds = list(schema.get("patternProperties", {}).values())
    if not kinds or schema.get("additionalProperties") is not False:
        return schema
    return {**schema, "additionalProperties": kinds[0] if len(kinds) == 1 else {"anyOf": kinds}}


def closed_objects(schema: Schema, dialect: Dialect) -> Schema:
    """Close every object, require all its fields, and let the optional ones be null."""
    return rebuilt(schema, _closed)


def _closed(schema: Schema, path: str) -> Schema:
    if not takes(schema, "object"):
        return schema
    required = schema.get("required", ())
    properties = {
        name: part if name in required else nullable(part)
        for name, part in schema.get("properties", {}).items()
    }
    closed = {"properties": properties, "required": list(properties), "additionalProperties": False}
    definitions = {key: schema[key] for key in ("$defs",) if key in schema}
    rest = {key: value for key, value in schema.items() if key not in definitions}
    return {**rest, **closed, **definitions}


def nullable(schema: Schema) -> Schema:
    """Return the schema, or null."""
    if takes_null(schema):
        return schema
    types = types_of(schema)
    if types and set(types) <= _SCALARS and "enum" not in schema and "const" not in schema:
        return {**schema, "type": [*types, "null"]}
    about = {key: schema[key] for key in ("description",) if key in schema}
    rest = {key: value for key, value in schema.items() if key not in about}
    branches = rest["anyOf"] if list(rest) == ["anyOf"] else [rest]
    return {**about, "anyOf": [*branches, dict(NULL)]}
