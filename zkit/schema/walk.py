"""A JSON Schema in, its places out: every schema inside it, with the path that leads there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple
from urllib.parse import unquote

from zkit.errors import SchemaError

# Where schemas stand inside a schema: under a name, in a list, or alone.
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

# A schema may come from a server that nobody here wrote. Beyond these it is refused, not walked.
MAX_DEPTH = 64
MAX_PLACES = 20_000

Schema = dict[str, Any]


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
    """The schemas directly inside one."""
    for key, value in place.schema.items():
        for path, inner in _entries(key, value):
            if isinstance(inner, dict):
                yield Place(join(place.path, path), inner)


def _entries(key: str, value: Any) -> Iterator[tuple[str, Any]]:
    if key in UNDER_NAMES and isinstance(value, dict):
        yield from ((f"{key}.{name}", inner) for name, inner in value.items())
    elif key in IN_LISTS and isinstance(value, list):
        yield from ((f"{key}.{index}", inner) for index, inner in enumerate(value))
    elif key == "items" and isinstance(value, list):  # a tuple, as drafts up to 7 wrote it
        yield from ((f"items.{index}", inner) for index, inner in enumerate(value))
    elif key in ALONE:
        yield key, value


def join(path: str, step: str) -> str:
    """Lengthen a dotted path."""
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


def _with_inner(key: str, value: Any, inner: dict[str, Schema]) -> Any:
    """Put changed schemas where they were: under names, in a list, or alone."""
    if isinstance(value, dict) and key in UNDER_NAMES:
        return {name: inner.get(f"{key}.{name}", part) for name, part in value.items()}
    if isinstance(value, list) and (key in IN_LISTS or key == "items"):
        return [inner.get(f"{key}.{index}", part) for index, part in enumerate(value)]
    return inner.get(key, value)


def pointer_target(root: Schema, reference: str) -> Any:
    """Return what a `$ref` inside the document points to; None when there is no such place."""
    if not reference.startswith("#"):
        return _by_identifier(root, reference)
    if reference in ("#", "#/"):
        return root
    if not reference.startswith("#/"):
        return _by_identifier(root, reference[1:])
    found: Any = root
    for part in reference[2:].split("/"):
        step = unquote(part).replace("~1", "/").replace("~0", "~")
        if isinstance(found, list):
            found = found[int(step)] if step.isdecimal() and int(step) < len(found) else None
        else:
            found = found.get(step) if isinstance(found, dict) else None
    return found if isinstance(found, (dict, bool)) else None


def _by_identifier(root: Schema, name: str) -> Any:
    """Find the schema that bears an `$anchor` or `$id` of that name."""
    for place in subschemas(root):
        if name in (place.schema.get("$anchor"), place.schema.get("$id")):
            return place.schema
    return None
