"""A value of the wrong kind in, what it may have been meant as out: lists, objects, their texts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from zkit.arguments.scalars import GROUPED, Candidate
from zkit.arguments.shape import KINDS, Shape, kind_of
from zkit.receipt import Rank
from zkit.repair import Repaired, repair_json
from zkit.repair.repeated_keys import repeats_of

_SCHEMA_WORDS = frozenset(
    [
        *("type", "description", "title", "default", "enum", "const", "format", "examples"),
        *("items", "prefixItems", "properties", "required", "additionalProperties", "nullable"),
        *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "pattern"),
        *("minLength", "maxLength", "minItems", "maxItems", "uniqueItems", "anyOf", "oneOf"),
        *("allOf", "not", "deprecated", "readOnly", "writeOnly", "contentEncoding", "example"),
        *("patternProperties", "minProperties", "maxProperties", "contains", "definitions"),
    ]
)
_OPENERS = ("[", "{")
_SEPARATORS = (",", ";", "\n")
_SEPARATOR = re.compile("[,;\n]")


def read_container(text: str, schema: dict[str, Any]) -> Repaired | None:
    """The list or object that a text holds, and nothing beside it; None when it holds none."""
    if not text.lstrip().startswith(_OPENERS):
        return None
    found = repair_json(text, schema=schema, limit=Rank.GUESS)
    if not isinstance(found, Repaired) or not isinstance(found.value, dict | list):
        return None
    if any(fix.name == "drop_prose" for fix in found.fixes):
        return None
    return found if all(one.is_harmless for one in repeats_of(found)) else None


def from_json_text(text: str, shape: Shape) -> Iterator[tuple[Candidate, Repaired]]:
    """The list or object that a text holds, where no text is due."""
    found = read_container(text, dict(shape.schema))
    if found is not None:
        how = f", after {', '.join(fix.name for fix in found.fixes)}" if found.fixes else ""
        note = f"read the JSON that was sent as text{how}"
        rank = max(Rank.RESPELL, found.rank)
        yield Candidate("json_from_text", found.value, note, rank), found


def list_from(value: Any) -> Iterator[Candidate]:
    """A list of the one value, and of the parts of a text, where a list is due."""
    text = isinstance(value, str)
    if text and (value.lstrip().startswith(_OPENERS) or not value.strip()):
        return
    yield Candidate("list_from_one", [value], "made a list of the one value")
    if not text or not any(mark in value for mark in _SEPARATORS):
        return
    parts = [part.strip() for part in _SEPARATOR.split(value)]
    if all(parts) and not GROUPED.fullmatch(value.strip()):
        yield Candidate("list_from_text", parts, "split a text at its commas")


def one_from(value: list[Any], shape: Shape) -> Iterator[Candidate]:
    """The only value of a list, where no list is due.

    Where a text is due, a list of something else may as well be meant as its own text.
    """
    if len(value) != 1 or shape.takes("array"):
        return
    if shape.takes(kind_of(value[0])) or not shape.takes("string"):
        yield Candidate("one_from_list", value[0], "took the only value out of a list")


def by_position(value: list[Any], shape: Shape) -> Iterator[Candidate]:
    """The values of a list under the names of the fields, in their order.

    An item that holds a field itself is a call of its own, not the value of the first field.
    """
    names = list(shape.fields)
    calls = any(isinstance(one, dict) and not shape.fields.keys().isdisjoint(one) for one in value)
    if 0 < len(value) <= len(names) and not calls:
        named = dict(zip(names, value, strict=False))
        yield Candidate("arguments_by_position", named, "named the values by the order of fields")


def is_schema(value: Any) -> bool:
    """Whether an object is a piece of JSON Schema: a declaration sent back in place of a value."""
    if not isinstance(value, dict):
        return False
    words = [key for key in value if not key.startswith(("x-", "$"))]
    names_a_kind = value.get("type") in KINDS if isinstance(value.get("type"), str) else False
    names_a_kind = names_a_kind or "$ref" in value or "anyOf" in value or "enum" in value
    return names_a_kind and all(word in _SCHEMA_WORDS for word in words)


def is_schema_of_arguments(value: Any, shape: Shape) -> bool:
    """Whether the arguments are the tool's own declaration, echoed."""
    if not isinstance(value, dict) or "properties" in shape.fields:
        return False
    inner = value.get("properties")
    if inner == {}:
        return value.get("type") == "object"
    return isinstance(inner, dict) and all(is_schema(one) for one in inner.values())


def text_of_object_is_sure(value: dict[str, Any]) -> bool:
    """Whether an object where a text is due can only be meant as its own text.

    A piece of schema was not, nor a lone text under some name: that one may be the value itself.
    """
    lone = len(value) < 2 and all(isinstance(part, str) for part in value.values())
    return not lone and not is_schema(value) and not set(value) <= {"value", "type", "text"}
