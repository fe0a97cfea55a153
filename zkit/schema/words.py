"""Constraints that a backend cannot express in, the same constraints as words in the description out."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

from zkit.schema.walk import Schema

# Keywords that bind a model to nothing, and so leave no words behind.
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
    """Return the schema without the keywords in `gone`, its description saying what they said."""
    if not gone:
        return schema
    kept = {key: value for key, value in schema.items() if key not in gone}
    return with_words(kept, list(phrases({key: schema[key] for key in gone})))


def with_words(schema: Schema, said: list[str]) -> Schema:
    """Return the schema with phrases added to its description."""
    if not said:
        return schema
    text, words = str(schema.get("description", "")).strip(), "; ".join(said)
    return {**schema, "description": f"{text} ({words})" if text else words}


def phrases(gone: Schema) -> Iterator[str]:
    """Say each constraint in a few words; one phrase for both ends of a range."""
    for ends, say in _RANGES.items():
        low, high = (gone.get(end) for end in ends)
        if low is not None or high is not None:
            yield say(low, high)
    for key, value in gone.items():
        if key in _WORDS:
            yield from filter(None, [_WORDS[key](value)])
        elif key not in _ENDS and key not in SILENT and not key.startswith("x-"):
            yield f"{key}: {_short(value)}"


def _between(low: Any, high: Any) -> str:
    if low is not None and high is not None:
        return f"between {low} and {high}"
    return f"at least {low}" if high is None else f"at most {high}"


def _beyond(low: Any, high: Any) -> str:
    parts = [f"more than {low}"] * (low is not None) + [f"less than {high}"] * (high is not None)
    return " and ".join(parts)


def _counted(thing: str) -> Callable[[Any, Any], str]:
    def say(low: Any, high: Any) -> str:
        things = thing if (low if high is None else high) == 1 else f"{thing}s"
        if low == high:
            return f"exactly {low} {things}"
        return f"{_between(low, high)} {things}"

    return say


_RANGES: dict[tuple[str, str], Callable[[Any, Any], str]] = {
    ("minimum", "maximum"): _between,
    ("exclusiveMinimum", "exclusiveMaximum"): _beyond,
    ("minLength", "maxLength"): _counted("character"),
    ("minItems", "maxItems"): _counted("item"),
    ("minProperties", "maxProperties"): _counted("key"),
}
_ENDS = frozenset(end for ends in _RANGES for end in ends)

_WORDS: dict[str, Callable[[Any], str]] = {
    "multipleOf": lambda value: f"a multiple of {value}",
    "pattern": lambda value: f"matching the pattern {value}",
    "format": lambda value: f"format: {value}",
    "uniqueItems": lambda value: "no item twice" if value else "",
    "enum": lambda values: f"one of {', '.join(map(_short, values))}",
    "const": lambda value: f"always {_short(value)}",
    "default": lambda value: "" if value is None else f"default: {_short(value)}",
    "examples": lambda values: f"for example {_listed(values)}",
    "deprecated": lambda value: "deprecated" if value else "",
}


def _listed(values: Any) -> str:
    return ", ".join(map(_short, values)) if isinstance(values, list) else _short(values)


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
