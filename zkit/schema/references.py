"""A schema with references in, one without them, or with the plain ones that a backend takes, out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from zkit.errors import SchemaError
from zkit.schema.schema_tree import (
    MAX_DEPTH,
    MAX_PLACES,
    Schema,
    map_children,
    pointer_target,
    rebuilt,
    subschemas,
)

if TYPE_CHECKING:
    from zkit.schema.dialects import Dialect

_DEFS = "#/$defs/"
_TABLES = ("$defs", "definitions")


def open_root(schema: Schema, dialect: Dialect) -> Schema:
    """Put what the root refers to in the root itself."""
    seen: set[str] = set()
    while isinstance(reference := schema.get("$ref"), str) and reference not in seen:
        seen.add(reference)
        target = _target(schema, reference, "")
        schema = {**target, **{key: value for key, value in schema.items() if key != "$ref"}}
    if "$ref" in schema:
        raise SchemaError(f"the root refers to itself by {schema['$ref']!r}, and to nothing else")
    return schema


def inline_references(schema: Schema, dialect: Dialect) -> Schema:
    """Write out every reference; refuse recursion, which has no end when written out."""
    root = {key: value for key, value in schema.items() if key not in _TABLES}
    return _Inliner(schema, dialect.name).written_out(root, "", {})


class _Inliner:
    """Writes out the references of one document, and counts what it writes."""

    def __init__(self, document: Schema, dialect: str) -> None:
        self.document = document
        self.dialect = dialect
        self.written = 0

    def written_out(self, schema: Schema, path: str, inside: Mapping[str, str]) -> Schema:
        """Return a schema with its references written out; `inside` says where each began."""
        self.written += 1
        if self.written > MAX_PLACES:
            raise SchemaError(f"{path}: written out, the schema has more than {MAX_PLACES} parts")
        if path.count(".") > 2 * MAX_DEPTH or len(inside) > MAX_DEPTH:
            raise SchemaError(f"{path[:80]}…: written out, it is nested deeper than {MAX_DEPTH}")
        reference = schema.get("$ref")
        if isinstance(reference, str):
            return self._followed(schema, reference, path, inside)
        plain = {key: value for key, value in schema.items() if key not in _TABLES}
        return map_children(plain, lambda part, at: self.written_out(part, at, inside), path)

    def _followed(
        self, schema: Schema, reference: str, path: str, inside: Mapping[str, str]
    ) -> Schema:
        if reference in inside or reference == "#":
            raise SchemaError(
                f"{inside.get(reference, path)}: {reference!r} leads back to itself, and {self.dialect} cannot express"
                " a recursive schema; give it a fixed number of levels, or pass it as text"
            )
        target = _target(self.document, reference, path)
        siblings = {key: value for key, value in schema.items() if key != "$ref"}
        return self.written_out({**target, **siblings}, path, {**inside, reference: path})


def plain_references(schema: Schema, dialect: Dialect) -> Schema:
    """Leave references to `$defs` that stand alone; write out those with siblings and others."""
    schema = _under_defs(schema)
    recursive = _recursive(schema)
    written = 0

    def change(part: Schema, path: str) -> Schema:
        nonlocal written
        written += 1
        if written > MAX_PLACES:
            raise SchemaError(f"{path}: written out, the schema has more than {MAX_PLACES} parts")
        reference = part.get("$ref")
        if not isinstance(reference, str):
            return part
        target = _target(schema, reference, path)
        siblings = {key: value for key, value in part.items() if key != "$ref"}
        if _is_plain(reference) and not siblings:
            return part
        if reference in recursive or reference == "#":
            return {"anyOf": [{"$ref": reference}], **siblings}
        return rebuilt({**target, **siblings}, change, path)

    made = rebuilt(schema, change)
    used = _reached(made)
    kept = {name: part for name, part in made.get("$defs", {}).items() if f"{_DEFS}{name}" in used}
    rest = {key: value for key, value in made.items() if key != "$defs"}
    return {**rest, "$defs": kept} if kept else rest


def _is_plain(reference: str) -> bool:
    return reference == "#" or (
        reference.startswith(_DEFS) and "/" not in reference.removeprefix(_DEFS)
    )


def _under_defs(schema: Schema) -> Schema:
    """Move the root's `definitions` to `$defs`, and the references with them."""
    old = schema.get("definitions")
    if not isinstance(old, dict):
        return schema

    def change(part: Schema, path: str) -> Schema:
        reference = part.get("$ref")
        if isinstance(reference, str) and reference.startswith("#/definitions/"):
            return {**part, "$ref": reference.replace("#/definitions/", _DEFS, 1)}
        return part

    rest = {key: value for key, value in schema.items() if key not in _TABLES}
    return rebuilt({**rest, "$defs": {**old, **schema.get("$defs", {})}}, change)


def _references(schema: Schema) -> Iterator[str]:
    for place in subschemas(schema):
        if isinstance(place.schema.get("$ref"), str):
            yield place.schema["$ref"]


def _closure(document: Schema, start: Schema) -> set[str]:
    """Every reference that can be reached from a schema."""
    reached: set[str] = set()
    waiting = [start]
    while waiting:
        for reference in _references(waiting.pop()):
            if reference not in reached:
                reached.add(reference)
                target = pointer_target(document, reference)
                waiting.extend([target] if isinstance(target, dict) and reference != "#" else [])
    return reached


def _recursive(schema: Schema) -> set[str]:
    """The references that lead back to themselves."""
    found = set(_references(schema))
    targets = {reference: pointer_target(schema, reference) for reference in found}
    return {
        reference
        for reference, target in targets.items()
        if isinstance(target, dict) and reference in _closure(schema, target)
    }


def _reached(schema: Schema) -> set[str]:
    return _closure(schema, {key: value for key, value in schema.items() if key not in _TABLES})


def _target(document: Schema, reference: str, path: str) -> Schema:
    found = pointer_target(document, reference)
    if found is None:
        raise SchemaError(f"{path or 'the root'}: {reference!r} refers to nothing in the schema")
    return {} if found is True else {"not": {}} if found is False else found
