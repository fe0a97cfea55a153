"""Follows and inlines `$ref`, and refuses references that never end or expand to too much."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from zkit.errors import SchemaError
from zkit.schema.schema_limits import MAX_DEPTH, MAX_EXPANDED, MAX_PLACES
from zkit.schema.schema_tree import (
    Place,
    Schema,
    children,
    join,
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
    """Replace a root that is a reference by its target."""
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
    """Keep references to `$defs` that have no siblings; write out all others."""
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
    """Return every reference that can be reached from a schema."""
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
    """Return the references that lead back to themselves."""
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


_IN_PLACE = ("anyOf", "oneOf", "allOf", "not", "if", "then", "else")
_REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")


def check_references(schema: Schema) -> None:
    """Refuse a schema whose references lead nowhere, never end, or expand to too much.

    Nothing is fetched: a reference must point into the same document. Raises `SchemaError` with
    the location. A schema that contains itself is fine if each round goes one step down in the
    value, and endless if not, as in `{"not": {"$ref": "#"}}`.
    """
    for place in _all_places(schema):
        for key in _REFERENCES:
            reference = place.schema.get(key)
            if isinstance(reference, str) and pointer_target(schema, reference) is None:
                where = place.path or "the root"
                raise SchemaError(f"{where}: {reference!r} refers to nothing in the schema")
    _check_ends(schema)
    _check_expansion(schema)


def _targets(place: Place, root: Schema) -> Iterator[Place]:
    """Return where the references of a schema lead."""
    for key in _REFERENCES:
        reference = place.schema.get(key)
        target = pointer_target(root, reference) if isinstance(reference, str) else None
        if isinstance(target, dict):
            yield Place(join(place.path, key), target)


def _all_places(root: Schema) -> Iterator[Place]:
    """Return every schema of the document once, including those reached only by a reference."""
    seen: set[int] = set()
    waiting = [Place("", root)]
    while waiting:
        place = waiting.pop()
        if id(place.schema) in seen:
            continue
        seen.add(id(place.schema))
        if len(seen) > MAX_PLACES:
            raise SchemaError(f"more than {MAX_PLACES} schemas in one")
        yield place
        waiting += [*children(place), *_targets(place, root)]


def _check_ends(root: Schema) -> None:
    """Refuse a schema that applies itself to the same value, without end."""
    done: set[int] = set()
    for start in _all_places(root):
        open_ones: dict[int, Iterator[Place]] = {}
        waiting = [start]
        while waiting:
            place = waiting[-1]
            at = id(place.schema)
            if at not in open_ones:
                open_ones[at] = _same_value(place, root)
            inner = None if at in done else next(open_ones[at], None)
            if inner is None:
                done.add(at)
                waiting.pop()
            elif id(inner.schema) in open_ones and id(inner.schema) not in done:
                raise SchemaError(f"{inner.path}: the schema refers to itself without end")
            else:
                waiting.append(inner)


def _same_value(place: Place, root: Schema) -> Iterator[Place]:
    """Return the schemas that are applied to the same value as this one."""
    for inner in children(place):
        keyword = inner.path[len(place.path) :].lstrip(".").partition(".")[0]
        if keyword in _IN_PLACE or keyword == "dependentSchemas":
            yield inner
    yield from _targets(place, root)


def _check_expansion(root: Schema) -> None:
    """Refuse a schema that is too large once every reference is written out."""
    sizes: dict[int, int] = {}
    on_path: set[int] = set()
    waiting: list[tuple[Place, list[Place], Iterator[Place]]] = []

    def enter(place: Place) -> None:
        below = _below(place, root)
        waiting.append((place, below, iter(below)))
        on_path.add(id(place.schema))

    enter(Place("", root))
    while waiting:
        place, below, rest = waiting[-1]
        at = id(place.schema)
        inner = next((one for one in rest if _is_new(one, sizes, on_path)), None)
        if inner is not None:
            enter(inner)
            continue
        sizes[at] = 1 + sum(sizes.get(id(one.schema), 1) for one in below)
        if sizes[at] > MAX_EXPANDED:
            where = place.path or "the root"
            raise SchemaError(f"{where}: stands for more than {MAX_EXPANDED:,} schemas")
        on_path.discard(at)
        waiting.pop()


def _is_new(place: Place, sizes: dict[int, int], on_path: set[int]) -> bool:
    return id(place.schema) not in sizes and id(place.schema) not in on_path


def _below(place: Place, root: Schema) -> list[Place]:
    return [*children(place), *_targets(place, root)]
