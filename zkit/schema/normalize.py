"""Turns a JSON Schema as somebody wrote it into a valid one with an object at its root."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from zkit.errors import SchemaError
from zkit.schema.schema_tree import (
    IN_LISTS,
    TYPES,
    Schema,
    distinct,
    is_of,
    is_only,
    malformed,
    rebuilt,
    takes,
    types_of,
)

if TYPE_CHECKING:
    from zkit.schema.dialects import Dialect

# Keywords without a constraint, which need no words in the description.
SILENT = frozenset(
    {
        "$schema",
        "$id",
        "$anchor",
        "$comment",
        "$defs",
        "definitions",
        "title",
        "discriminator",
        "readOnly",
        "writeOnly",
        "nullable",
        "additionalProperties",
        "additionalItems",
        "unevaluatedItems",
        "unevaluatedProperties",
        "propertyOrdering",
        "example",
    }
)
_LONGEST = 300


def in_words(schema: Schema, gone: list[str]) -> Schema:
    """Return the schema without the keywords in `gone`; its description states them in words."""
    if not gone:
        return schema
    kept = {key: value for key, value in schema.items() if key not in gone}
    return with_words(kept, list(phrases({key: schema[key] for key in gone})))


def with_words(schema: Schema, sentences: list[str]) -> Schema:
    """Return the schema with phrases added to its description."""
    if not sentences:
        return schema
    text, words = str(schema.get("description", "")).strip(), "; ".join(sentences)
    return {**schema, "description": f"{text} ({words})" if text else words}


def phrases(gone: Schema) -> Iterator[str]:
    """State each constraint in a few words; one phrase for both ends of a range."""
    for ends, say in _RANGES.items():
        low, high = (gone.get(end) for end in ends)
        if low is not None or high is not None:
            yield say(low, high)
    for key, value in gone.items():
        if key in _WORDS:
            yield from filter(None, [_WORDS[key](value)])
        elif key not in _ENDS and key not in SILENT and not key.startswith("x-"):
            yield f"{key}: {_short(value)}"


def _between(low: object, high: object) -> str:
    if low is not None and high is not None:
        return f"between {low} and {high}"
    return f"at least {low}" if high is None else f"at most {high}"


def _beyond(low: object, high: object) -> str:
    parts = [f"more than {low}"] * (low is not None) + [f"less than {high}"] * (high is not None)
    return " and ".join(parts)


def _counted(thing: str) -> Callable[[object, object], str]:
    def say(low: object, high: object) -> str:
        things = thing if (low if high is None else high) == 1 else f"{thing}s"
        if low == high:
            return f"exactly {low} {things}"
        return f"{_between(low, high)} {things}"

    return say


_RANGES: dict[tuple[str, str], Callable[[object, object], str]] = {
    ("minimum", "maximum"): _between,
    ("exclusiveMinimum", "exclusiveMaximum"): _beyond,
    ("minLength", "maxLength"): _counted("character"),
    ("minItems", "maxItems"): _counted("item"),
    ("minProperties", "maxProperties"): _counted("key"),
}
_ENDS = frozenset(end for ends in _RANGES for end in ends)

_WORDS: dict[str, Callable[[object], str]] = {
    "multipleOf": lambda value: f"a multiple of {value}",
    "pattern": lambda value: f"matching the pattern {value}",
    "format": lambda value: f"format: {value}",
    "uniqueItems": lambda value: "no item twice" if value else "",
    "enum": lambda values: f"one of {_listed(values)}",
    "const": lambda value: f"always {_short(value)}",
    "default": lambda value: "" if value is None else f"default: {_short(value)}",
    "examples": lambda values: f"for example {_listed(values)}",
    "deprecated": lambda value: "deprecated" if value else "",
}


def _listed(values: object) -> str:
    return ", ".join(map(_short, values)) if isinstance(values, list) else _short(values)


def _short(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


_NAMED = ("properties", "$defs", "definitions", "patternProperties")
_OF_OBJECTS = ("properties", "required", "additionalProperties", "patternProperties")
_UNIONS = ("anyOf", "oneOf")
_NOT_AT_ROOT = ("enum", "const", "not", "if", "then", "else")


def well_formed(schema: Schema, dialect: Dialect) -> Schema:
    """Refuse a schema that is too deep or too large to walk, or malformed."""
    for path, problem in malformed(schema):
        raise SchemaError(f"{path}: {problem}")
    return schema


def spelt_out(schema: Schema, dialect: Dialect) -> Schema:
    """Write `true` and `false` as schemas, and drop properties that may never be sent."""
    return rebuilt(schema, _spelt_out)


def _spelt_out(schema: Schema, path: str) -> Schema:
    made = dict(schema)
    for key, value in schema.items():
        if key in _NAMED and isinstance(value, dict):
            made[key] = {n: _as_schema(p) for n, p in value.items() if p is not False}
        elif (key in IN_LISTS or key == "items") and isinstance(value, list):
            made[key] = [_as_schema(part) for part in value]
        elif key == "items":
            made[key] = _as_schema(value)
    return made


def _as_schema(part: object) -> object:
    return {} if part is True else {"not": {}} if part is False else part


def valid(schema: Schema, dialect: Dialect) -> Schema:
    """Fix what is only untidy; refuse a schema that no value fits, naming the place."""
    return rebuilt(schema, _valid)


def _valid(schema: Schema, path: str) -> Schema:
    unknown = [name for name in types_of(schema) if name not in TYPES]
    if unknown:
        raise SchemaError(
            f"{_at(path)}: no type is called {unknown[0]!r}; one of {', '.join(TYPES)}"
        )
    schema = _valid_enum(schema, path)
    if "required" in schema and not isinstance(schema["required"], list):
        schema = {key: value for key, value in schema.items() if key != "required"}
    return _valid_required(schema, path)


def _valid_enum(schema: Schema, path: str) -> Schema:
    if not isinstance(schema.get("enum"), list):
        return schema
    values = distinct(schema["enum"])
    if "type" in schema:
        values = [value for value in values if is_of(value, types_of(schema))]
    if not values:
        raise SchemaError(f"{_at(path)}: no value is allowed by the enum {schema['enum']!r}")
    return {**schema, "enum": values}


def _valid_required(schema: Schema, path: str) -> Schema:
    """Declare what is required but not declared: JSON Schema allows any value for it."""
    required = distinct(schema.get("required", ()))
    properties = schema.get("properties", {})
    absent = [name for name in required if name not in properties]
    if not required or "properties" not in schema:
        return schema  # mostly a branch of a union that only has `required`
    if absent and schema.get("additionalProperties") is False:
        raise SchemaError(
            f"{_at(path)}: {absent[0]!r} is required, but no such property is allowed"
        )
    if absent:
        schema = {**schema, "properties": {**properties, **{name: {} for name in absent}}}
    return {**schema, "required": required}


def object_root(schema: Schema, dialect: Dialect) -> Schema:
    """Make sure that the root is one object with declared properties, as every backend requires."""
    if "type" not in schema and (not schema or any(key in schema for key in _OF_OBJECTS)):
        schema = {"type": "object", **schema}
    if types_of(schema) == ["object", "null"] or types_of(schema) == ["null", "object"]:
        schema = {**schema, "type": "object"}
    if schema.get("type") != "object":
        raise SchemaError(
            f"the root is {_root_kind(schema)}, and a tool's arguments are an object;"
            " put it in a field of one"
        )
    schema = _without_root_unions(schema)
    schema = in_words(schema, [key for key in schema if key in _NOT_AT_ROOT])
    return schema if "properties" in schema else {**schema, "properties": {}}


def _root_kind(schema: Schema) -> str:
    if any(key in schema for key in _UNIONS):
        return "a union"
    return f"of type {' or '.join(types_of(schema))}" if types_of(schema) else "of no type"


def _without_root_unions(schema: Schema) -> Schema:
    """State in words what a union at the root adds; its branches mostly have `required` only."""
    for key in _UNIONS:
        branches = schema.get(key)
        if not isinstance(branches, list):
            continue
        if not schema.get("properties"):
            raise SchemaError(
                "the root is a union, and a tool's arguments are one object; put it in a field of one"
            )
        schema = required_in_words(schema, key) or in_words(schema, [key])
    return schema


def required_in_words(schema: Schema, key: str) -> Schema | None:
    """State in words a union whose branches only have `required`; None if they have more."""
    branches = [part for part in schema[key] if isinstance(part, dict)]
    if not branches or not all(
        part.get("required") and is_only(part, "required", "type") for part in branches
    ):
        return None
    names = [" and ".join(map(str, part["required"])) for part in branches]
    kept = {name: value for name, value in schema.items() if name != key}
    number = "one" if key == "oneOf" else "at least one"
    return with_words(kept, [f"{number} of these is required: {', '.join(names)}"])


def items_everywhere(schema: Schema, dialect: Dialect) -> Schema:
    """Give every list its `items`: OpenAI refuses a tool without them, strict or not."""
    return rebuilt(schema, _with_items)


def _with_items(schema: Schema, path: str) -> Schema:
    if takes(schema, "array") and "items" not in schema and "prefixItems" not in schema:
        return {**schema, "items": {}}
    return schema


def _at(path: str) -> str:
    return path or "the root"
