"""Lists what a backend would refuse, ignore or misread in a schema, and what to write instead."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from zkit.errors import SchemaError
from zkit.json_types import JsonMapping
from zkit.schema.dialects import Dialect, DialectName, dialect_of_name
from zkit.schema.offers import Offer
from zkit.schema.rewrite import undeclared, understood
from zkit.schema.schema_limits import LONG_ENUM, LONG_ENUM_CHARACTERS
from zkit.schema.schema_tree import (
    TYPES,
    Place,
    Schema,
    children,
    distinct,
    is_of,
    is_only,
    join,
    malformed,
    pointer_target,
    subschemas,
    takes,
    types_of,
)
from zkit.schema.unions import is_null

if TYPE_CHECKING:
    from zkit.schema.dialects import Dialect


def over_limits(schema: Schema, dialect: Dialect) -> Iterator[tuple[str, str, str]]:
    """Name each limit that a schema exceeds: path, problem, advice."""
    limits = dialect.limits
    if limits is None:
        return
    places = list(subschemas(schema))
    fields = sum(len(place.schema.get("properties", ())) for place in places)
    values = sum(len(place.schema.get("enum", ())) for place in places)
    letters = sum(_characters(place.schema) for place in places)
    deep = _too_deep(schema, limits.levels)
    if deep:
        yield deep, f"more than {limits.levels} objects inside each other", "flatten it"
    if fields > limits.fields:
        yield "", f"{fields} fields in all, at most {limits.fields} are allowed", "split the tool"
    if values > limits.enum_values:
        yield "", f"{values} values in enums, at most {limits.enum_values} are allowed", _SHORTER
    if letters > limits.characters:
        yield (
            "",
            f"names and values of {letters} characters, at most {limits.characters} are allowed",
            _SHORTER,
        )
    yield from (
        (place.path, "the enum is too long", _SHORTER) for place in places if _is_long(place.schema)
    )


_SHORTER = "take a text, and say in the description what it may be"


def _is_long(schema: Schema) -> bool:
    values = schema.get("enum", ())
    return len(values) > LONG_ENUM and sum(map(_length, values)) > LONG_ENUM_CHARACTERS


def _length(value: object) -> int:
    return len(value) if isinstance(value, str) else 0


def _characters(schema: Schema) -> int:
    names = [*schema.get("properties", ()), *schema.get("$defs", ())]
    values = [*schema.get("enum", ()), schema.get("const")]
    return sum(map(_length, names)) + sum(map(_length, values))


def _too_deep(schema: Schema, most: int) -> str:
    """Return the path of the first object that is too deep; empty if there is none."""
    waiting = [(Place("", schema), 0)]
    while waiting:
        place, outside = waiting.pop()
        levels = outside + takes(place.schema, "object")
        if levels > most:
            return place.path
        waiting.extend((found, levels) for found in children(place))
    return ""


_ROOT_UNIONS = ("anyOf", "oneOf", "allOf", "enum", "not")
_BRANCHES = ("anyOf", "oneOf", "allOf", "if", "then", "else", "not", "dependentSchemas")


@dataclass(frozen=True, slots=True)
class SchemaProblem:
    """What is wrong at one place of a schema (empty path: the root), and what to write instead."""

    path: str
    problem: str
    advice: str


def lint_schema(schema: JsonMapping, dialect: DialectName = "openai") -> list[SchemaProblem]:
    """List what a backend would refuse, ignore or misread in a schema of tool arguments."""
    record = dialect_of_name(dialect)
    if not isinstance(schema, Mapping):
        return [SchemaProblem("", f"a schema is an object, not {schema!r}", "write a JSON Schema")]
    root = dict(schema)
    try:
        places = list(subschemas(root))
        json.dumps(root, default=str)
    except SchemaError as error:
        return [SchemaProblem("", str(error), "make it smaller")]
    except (RecursionError, ValueError):  # in a value, such as one of an enum
        return [SchemaProblem("", "it holds a value that JSON cannot write", "leave it out")]
    odd = [SchemaProblem(path, problem, "correct it first") for path, problem in malformed(root)]
    if odd:
        return odd
    found = [f for place in places for rule in _RULES for f in rule(place, root, record)]
    return [*_root(root), *found, *(SchemaProblem(*entry) for entry in over_limits(root, record))]


def lint_tool(offer: Offer, dialect: DialectName = "openai") -> list[SchemaProblem]:
    """List what is wrong with a tool as it is offered: its name, and the schema of its arguments."""
    named = [] if _NAME.fullmatch(offer.name) else [SchemaProblem("name", *_BAD_NAME)]
    return [*named, *lint_schema(offer.parameters, dialect)]


# Names that every backend accepts: OpenAI requires this, and the others allow at least this.
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_BAD_NAME = (
    "the name has more than letters, digits, _ and -, or more than 64 of them",
    "write it with those only",
)

Rule = Callable[[Place, Schema, Dialect], Iterator[SchemaProblem]]


def _root(schema: Schema) -> Iterator[SchemaProblem]:
    if schema.get("type") != "object":
        yield SchemaProblem(
            "",
            "the root is not an object",
            'write "type": "object" and put the values in properties',
        )
    for key in _ROOT_UNIONS:
        if key in schema and schema.get("type") == "object":
            yield SchemaProblem("", f"{key!r} is at the root", "put the union in a property")


# Mistakes in any dialect.


def _wrong_type_name(place: Place, root: Schema, dialect: Dialect) -> Iterator[SchemaProblem]:
    for name in types_of(place.schema):
        if name not in TYPES:
            yield SchemaProblem(
                place.path, f"no type is called {name!r}", f"one of {', '.join(TYPES)}"
            )


def _wrong_required(place: Place, root: Schema, dialect: Dialect) -> Iterator[SchemaProblem]:
    required = place.schema.get("required", [])
    if not isinstance(required, list):
        yield SchemaProblem(
            place.path,
            "'required' is not a list of names",
            "list the names in the object that has them",
        )
        return
    if "properties" not in place.schema or any(step in _BRANCHES for step in place.path.split(".")):
        return
    for name in required:
        if name not in place.schema["properties"]:
            yield SchemaProblem(
                place.path,
                f"{name!r} is required but not declared",
                "declare it in properties, or drop it from required",
            )


def _lost_reference(place: Place, root: Schema, dialect: Dialect) -> Iterator[SchemaProblem]:
    reference = place.schema.get("$ref")
    if isinstance(reference, str) and pointer_target(root, reference) is None:
        yield SchemaProblem(place.path, f"{reference!r} refers to nothing", "define it in $defs")


def _wrong_enum(place: Place, root: Schema, dialect: Dialect) -> Iterator[SchemaProblem]:
    if "enum" not in place.schema:
        return
    values, types = place.schema["enum"], types_of(place.schema)
    if not isinstance(values, list) or not values:
        yield SchemaProblem(
            place.path, "the enum has no values", "list the values, or drop the enum"
        )
        return
    if len(distinct(values)) < len(values):
        yield SchemaProblem(place.path, "the enum has the same value twice", "list each value once")
    wrong = [value for value in values if types and not is_of(value, types)]
    if wrong:
        yield SchemaProblem(
            place.path,
            f"{wrong[0]!r} in the enum is not of type {' or '.join(types)}",
            "correct the value or the type",
        )


def _list_without_items(place: Place, root: Schema, dialect: Dialect) -> Iterator[SchemaProblem]:
    if (
        takes(place.schema, "array")
        and "items" not in place.schema
        and "prefixItems" not in place.schema
    ):
        yield SchemaProblem(place.path, "the list does not say what its items are", 'add "items"')


# What a dialect does not know.


def _unknown_keyword(place: Place, root: Schema, dialect: Dialect) -> Iterator[SchemaProblem]:
    for key in place.schema:
        if key not in ("$ref", "$defs", "definitions") and not understood(
            place.schema, key, dialect
        ):
            value = f" {place.schema[key]!r}" if key in ("format", "pattern") else ""
            yield SchemaProblem(
                join(place.path, key),
                f"{dialect.name} does not know {key!r}{value} here",
                _INSTEAD.get(key, "say it in the description"),
            )


_INSTEAD = {
    "const": "write an enum of one value",
    "oneOf": "write anyOf",
    "allOf": "write one schema with everything in it",
    "prefixItems": "write items, or an object with named fields",
    "title": "drop it",
    "$schema": "drop it",
    "$id": "drop it",
    "additionalProperties": "drop it",
    "discriminator": "drop it; a field with one value tells the variants apart",
    "default": "leave the field out of required, and say the default in the description",
    "patternProperties": "declare the fields",
}


def _reference(place: Place, root: Schema, dialect: Dialect) -> Iterator[SchemaProblem]:
    if dialect.references:
        if dialect.closed and "$ref" in place.schema and not is_only(place.schema, "$ref"):
            yield SchemaProblem(
                place.path, "other keywords are beside '$ref'", "write out what it refers to"
            )
        return
    for key in ("$ref", "$defs", "definitions"):
        if key in place.schema:
            yield SchemaProblem(
                join(place.path, key),
                f"{dialect.name} does not follow references",
                "write out what is referred to",
            )


def _union(place: Place, root: Schema, dialect: Dialect) -> Iterator[SchemaProblem]:
    schema, types = place.schema, types_of(place.schema)
    listed = isinstance(schema.get("type"), list)
    if listed and (not dialect.type_lists or (dialect.closed and {"object", "array"} & set(types))):
        yield SchemaProblem(
            place.path, f"{dialect.name} takes one type here", "write anyOf, or choose one type"
        )
    branches = schema.get("anyOf", ())
    nulls = (listed and "null" in types) or any(is_null(branch) for branch in branches)
    if nulls and not dialect.null_unions:
        yield SchemaProblem(
            place.path, f"{dialect.name} does not take a union with null", _instead_of_null(dialect)
        )
    if "anyOf" in schema and not dialect.union_siblings and not is_only(schema, "anyOf"):
        yield SchemaProblem(
            place.path, "other keywords are beside 'anyOf'", "move them into its branches"
        )


def _instead_of_null(dialect: Dialect) -> str:
    if dialect.keywords and "nullable" in dialect.keywords:
        return 'write the plain type and "nullable": true'
    return "write the plain type, and leave the field out of required"


def _undeclared(place: Place, root: Schema, dialect: Dialect) -> Iterator[SchemaProblem]:
    problem = undeclared(place.path, place.schema, dialect)
    if problem:
        yield SchemaProblem(place.path, *problem)


def _open_object(place: Place, root: Schema, dialect: Dialect) -> Iterator[SchemaProblem]:
    if not dialect.closed or not takes(place.schema, "object"):
        return
    if place.schema.get("additionalProperties") is not False:
        yield SchemaProblem(
            place.path, "the object is not closed", 'write "additionalProperties": false'
        )
    required = place.schema.get("required", ())
    optional = [name for name in place.schema.get("properties", {}) if name not in required]
    if optional:
        yield SchemaProblem(
            place.path,
            f"not every field is required: {', '.join(optional)}",
            "require all of them, the optional ones with null in their type",
        )


def _enum_of_others(place: Place, root: Schema, dialect: Dialect) -> Iterator[SchemaProblem]:
    values = place.schema.get("enum", ())
    if dialect.string_enums and not all(isinstance(value, str) and value for value in values):
        yield SchemaProblem(
            join(place.path, "enum"),
            f"{dialect.name} takes texts that are not empty in an enum, and nothing else",
            "say the values in the description",
        )


_RULES: tuple[Rule, ...] = (
    _wrong_type_name,
    _wrong_required,
    _lost_reference,
    _wrong_enum,
    _list_without_items,
    _unknown_keyword,
    _reference,
    _union,
    _undeclared,
    _open_object,
    _enum_of_others,
)
