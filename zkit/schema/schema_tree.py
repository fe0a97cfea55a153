"""Walks a JSON Schema: its places, its types, and the keywords that are malformed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple, cast
from urllib.parse import unquote

from zkit.errors import SchemaError
from zkit.json_types import JsonMapping, JsonObject
from zkit.schema.schema_limits import MAX_DEPTH, MAX_PLACES

# The keywords that hold schemas: by name, in a list, or one.
UNDER_NAMES = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas")
IN_LISTS = ("anyOf", "oneOf", "allOf", "prefixItems")
ALONE = (
    "items",
    "additionalProperties",
    "not",
    "if",
    "then",
    "else",
    "contains",
    "propertyNames",
    "additionalItems",
    "unevaluatedItems",
    "unevaluatedProperties",
)

Schema = JsonObject


class Place(NamedTuple):
    """A schema inside a schema, and the dotted path to it (empty for the root)."""

    path: str
    schema: Schema


def subschemas(schema: Schema) -> Iterator[Place]:
    """Walk a schema and everything in it, outer first, in the order of the document."""
    waiting = [(Place("", schema), 0)]
    for _ in range(MAX_PLACES):
        if not waiting:
            return
        place, depth = waiting.pop()
        yield place
        if depth >= MAX_DEPTH:
            raise SchemaError(f"{place.path[:80]}…: nested deeper than {MAX_DEPTH} schemas")
        inner = [(found, depth + 1) for found in children(place)]
        waiting.extend(reversed(inner))
    if waiting:
        raise SchemaError(f"more than {MAX_PLACES} schemas in one")


def children(place: Place) -> Iterator[Place]:
    """Return the schemas directly inside one."""
    for key, value in place.schema.items():
        for path, inner in _entries(key, value):
            if isinstance(inner, dict):
                yield Place(join(place.path, path), inner)


def _entries(key: str, value: object) -> Iterator[tuple[str, object]]:
    if key in UNDER_NAMES and isinstance(value, dict):
        yield from ((f"{key}.{name}", inner) for name, inner in value.items())
    elif key in IN_LISTS and isinstance(value, list):
        yield from ((f"{key}.{index}", inner) for index, inner in enumerate(value))
    elif key == "items" and isinstance(value, list):  # a tuple, as drafts up to 7 wrote it
        yield from ((f"items.{index}", inner) for index, inner in enumerate(value))
    elif key in ALONE:
        yield key, value


def join(path: str, step: str) -> str:
    """Append to a dotted path."""
    return f"{path}.{step}" if path else step


def map_children(schema: Schema, change: Callable[[Schema, str], Schema], path: str = "") -> Schema:
    """Return a copy in which every schema directly inside it went through `change`."""
    made: Schema = {}
    for key, value in schema.items():
        parts = [(step, part) for step, part in _entries(key, value) if isinstance(part, dict)]
        inner = {step: change(part, join(path, step)) for step, part in parts}
        made[key] = _with_inner(key, value, inner)
    return made


def rebuilt(schema: Schema, change: Callable[[Schema, str], Schema], path: str = "") -> Schema:
    """Return a copy in which every schema, inner ones first, went through `change`.

    Its depth is bounded: every schema passes `subschemas` before it is changed.
    """
    return change(map_children(schema, lambda part, at: rebuilt(part, change, at), path), path)


def _with_inner(key: str, value: object, inner: dict[str, Schema]) -> object:
    """Put changed schemas back in their places: by name, in a list, or alone."""
    if isinstance(value, dict) and key in UNDER_NAMES:
        return {name: inner.get(f"{key}.{name}", part) for name, part in value.items()}
    if isinstance(value, list) and (key in IN_LISTS or key == "items"):
        return [inner.get(f"{key}.{index}", part) for index, part in enumerate(value)]
    return inner.get(key, value)


def pointer_target(root: JsonMapping, reference: str) -> Any:
    """Return what a `$ref` inside the document points to; None when there is no such place."""
    if not reference.startswith("#"):
        return _by_identifier(root, reference)
    if reference in ("#", "#/"):
        return root
    if not reference.startswith("#/"):
        return _by_identifier(root, reference[1:])
    found: object = root
    for part in reference[2:].split("/"):
        step = unquote(part).replace("~1", "/").replace("~0", "~")
        if isinstance(found, list):
            found = found[int(step)] if step.isdecimal() and int(step) < len(found) else None
        else:
            found = found.get(step) if isinstance(found, dict) else None
    return found if isinstance(found, (dict, bool)) else None


def _by_identifier(root: JsonMapping, name: str) -> object:
    """Find the schema with an `$anchor` or `$id` of that name."""
    whole = cast("Schema", root)  # not a copy: callers compare what they find by identity
    for place in subschemas(whole):
        known = (place.schema.get(key) for key in ("$anchor", "$id", "$dynamicAnchor"))
        if name in known:
            return place.schema
    return None


TYPES = ("string", "number", "integer", "boolean", "object", "array", "null")

# The keywords that apply to one type only; all others apply to every type.
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


def type_of(value: object) -> str:
    """Return the JSON type of a value."""
    return _OF_VALUE.get(type(value), "string")


def is_of(value: Any, types: Iterable[str]) -> bool:
    """True if a value has one of the types; 3 and 3.0 are integers and numbers."""
    own, wanted = type_of(value), set(types)
    if own in wanted or (own == "integer" and "number" in wanted):
        return True
    return own == "number" and "integer" in wanted and float(value).is_integer()


def types_of(schema: Schema) -> list[str]:
    """Return the types that `type` names; none when it is absent."""
    found = schema.get("type")
    return [found] if isinstance(found, str) else list(found) if isinstance(found, list) else []


def takes(schema: Schema, kind: str) -> bool:
    """True if `type` names the type."""
    return kind in types_of(schema)


def takes_null(schema: Schema) -> bool:
    """True if null is accepted here, as far as the schema itself says."""
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


def identity(value: object) -> tuple[str, str]:
    """Return a key that identifies a JSON value: `true` is not 1, and 1 is 1.0."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, dict | list):
        return type_of(value), json.dumps(value, sort_keys=True, default=repr)
    return type_of(value), repr(value)


def distinct(values: Iterable[object]) -> list[object]:
    """Return the values, each once, in their order."""
    return list({identity(value): value for value in reversed(list(values))}.values())[::-1]


def is_only(schema: Schema, *keys: str) -> bool:
    """True if a schema has no keywords but these."""
    return set(schema) <= set(keys)


_SCHEMA = (dict, bool)
_NUMBERS = ("minimum", "maximum", "multipleOf")
_COUNTS = ("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties")
_TEXTS = ("description", "title", "$ref", "format", "pattern", "$schema", "$id")

# `exclusiveMinimum` was a flag up to draft 4, and `required` one up to draft 3.
_FORMS: dict[str, tuple[type, ...]] = {
    **dict.fromkeys(UNDER_NAMES, (dict,)),
    **dict.fromkeys(IN_LISTS, (list,)),
    **dict.fromkeys(ALONE, _SCHEMA),
    **dict.fromkeys(_NUMBERS, (int, float)),
    **dict.fromkeys(_COUNTS, (int, float)),
    **dict.fromkeys(_TEXTS, (str,)),
    "exclusiveMinimum": (int, float, bool),
    "exclusiveMaximum": (int, float, bool),
    "items": (*_SCHEMA, list),
    "type": (str, list),
    "enum": (list,),
    "required": (list, bool),
}
_NAMES: dict[type, str] = {
    dict: "an object",
    list: "a list",
    str: "a text",
    int: "a number",
    bool: "true or false",
}


def malformed(schema: Schema) -> Iterator[tuple[str, str]]:
    """Yield the place of each malformed keyword, and what is expected there."""
    for place in subschemas(schema):
        for key, value in place.schema.items():
            yield from _in_keyword(place, key, value)


def _in_keyword(place: Place, key: str, value: Any) -> Iterator[tuple[str, str]]:
    at, forms = join(place.path, key), _FORMS.get(key)
    if forms is None:
        return
    if not _has_form(value, forms):
        due = dict.fromkeys(_NAMES[form] for form in forms if form in _NAMES)
        yield at, f"{' or '.join(due)} is expected here"
    elif key in UNDER_NAMES:
        yield from (
            (f"{at}.{n}", "a schema is expected here") for n in value if not _fits(value[n])
        )
    elif key in IN_LISTS or (key == "items" and isinstance(value, list)):
        wrong = [index for index, part in enumerate(value) if not _fits(part)]
        yield from ((f"{at}.{index}", "a schema is expected here") for index in wrong)
    elif isinstance(value, list) and not _are_names(key, value):
        yield at, "a list of names is expected here"


def _has_form(value: object, forms: tuple[type, ...]) -> bool:
    return isinstance(value, forms) and (bool in forms or not isinstance(value, bool))


def _are_names(key: str, value: list[object]) -> bool:
    if key not in ("type", "required"):
        return True
    return all(isinstance(name, str) for name in value) and (key == "required" or bool(value))


def _fits(part: object) -> bool:
    return isinstance(part, _SCHEMA)
