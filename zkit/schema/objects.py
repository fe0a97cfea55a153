"""Objects of any kind in, closed and fully declared ones out, or an error that names the field."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zkit.errors import SchemaError
from zkit.schema.kinds import takes, takes_null, types_of
from zkit.schema.unions import NULL
from zkit.schema.walk import Schema, rebuilt, subschemas

if TYPE_CHECKING:
    from zkit.schema.dialects import Dialect

# Keywords that leave it to others to name the type.
_SAY_TYPE = frozenset({"type", "anyOf", "oneOf", "allOf", "$ref"})
_SCALARS = frozenset({"string", "number", "integer", "boolean"})


def is_map(schema: Schema) -> bool:
    """Tell whether an object's keys are free: none is declared, and others are not forbidden."""
    if not takes(schema, "object") or schema.get("properties"):
        return False
    others = schema.get("additionalProperties", "properties" not in schema)
    return others is not False


def declared_objects(schema: Schema, dialect: Dialect) -> Schema:
    """Refuse maps, objects without fields where they are no use, and values of no type."""
    for place in subschemas(schema):
        problem = undeclared(place.path, place.schema, dialect)
        if problem:
            raise SchemaError(f"{place.path or 'the root'}: {problem[0]}; {problem[1]}")
    return schema


def undeclared(path: str, schema: Schema, dialect: Dialect) -> tuple[str, str] | None:
    """Say what is not declared that the dialect wants declared, and what to write instead."""
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
    """Let a closed object have other keys where it has some by pattern: names cannot be told apart."""
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
