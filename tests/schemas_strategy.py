"""Random JSON Schemas, each with a strategy of the instances that fit it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

Schema = dict[str, Any]

NAMES = st.sampled_from(
    ["city", "days", "path", "content", "todos", "status", "unit", "type", "items", "name", "tags"]
)
TEXTS = st.text(alphabet=st.characters(codec="utf-8", exclude_categories=["Cs"]), max_size=12)
WORDS = st.sampled_from(["open", "done", "celsius", "fahrenheit", "low", "high", "a", "B", "3"])


@dataclass(frozen=True)
class Shape:
    """A schema, and what fits it."""

    schema: Schema
    instances: st.SearchStrategy[Any]

    def __repr__(self) -> str:
        return f"Shape({self.schema!r})"


def _described(shape: Shape, text: str | None) -> Shape:
    return Shape({**shape.schema, "description": text}, shape.instances) if text else shape


@st.composite
def strings(draw: st.DrawFn) -> Shape:
    """Texts, with a length or a format."""
    kind = draw(st.sampled_from(["plain", "length", "date", "uuid", "email", "pattern"]))
    if kind == "length":
        low = draw(st.integers(0, 3))
        high = low + draw(st.integers(0, 8))
        limits = {"minLength": low, "maxLength": high}
        texts = st.text(alphabet='abc é\n"{', min_size=low, max_size=high)
        return Shape({"type": "string", **limits}, texts)
    if kind == "pattern":
        return Shape(
            {"type": "string", "pattern": "^[a-z]{2,4}$"},
            st.from_regex(r"[a-z]{2,4}", fullmatch=True),
        )
    made: dict[str, tuple[Schema, st.SearchStrategy[str]]] = {
        "plain": ({}, TEXTS),
        "date": ({"format": "date"}, st.dates().map(str)),
        "uuid": ({"format": "uuid"}, st.uuids().map(str)),
        "email": ({"format": "email"}, WORDS.map(lambda word: f"{word}@example.org")),
    }
    extra, values = made[kind]
    return Shape({"type": "string", **extra}, values)


@st.composite
def numbers(draw: st.DrawFn) -> Shape:
    """Integers and numbers, with and without bounds."""
    low = draw(st.integers(-50, 50))
    high = low + draw(st.integers(0, 100))
    bounds = {"minimum": low, "maximum": high}
    integers = draw(st.booleans())
    if not draw(st.booleans()):
        values = st.integers(-(10**9), 10**9) if integers else st.floats(-1e9, 1e9)
        return Shape({"type": "integer" if integers else "number"}, values)
    if integers:
        return Shape({"type": "integer", **bounds}, st.integers(low, high))
    return Shape({"type": "number", **bounds}, st.floats(low, high))


@st.composite
def choices(draw: st.DrawFn) -> Shape:
    """Enums and constants, with and without their type."""
    values = draw(st.lists(WORDS, min_size=1, max_size=4, unique=True))
    typed = {"type": "string"} if draw(st.booleans()) else {}
    kind = draw(st.sampled_from(["enum", "const", "numbers", "mixed"]))
    if kind == "const":
        return Shape({"const": values[0], **typed}, st.just(values[0]))
    if kind == "numbers":
        return Shape({"enum": [1, 2, 3]}, st.sampled_from([1, 2, 3]))
    if kind == "mixed":
        return Shape({"enum": [*values, 7]}, st.sampled_from([*values, 7]))
    return Shape({**typed, "enum": values}, st.sampled_from(values))


LEAVES = st.one_of(
    strings(), numbers(), choices(), st.just(Shape({"type": "boolean"}, st.booleans()))
)


@st.composite
def lists_of(draw: st.DrawFn, inner: st.SearchStrategy[Shape]) -> Shape:
    """Lists, with and without limits."""
    item = draw(inner)
    low = draw(st.integers(0, 2))
    high = low + draw(st.integers(0, 3))
    limits = {"minItems": low, "maxItems": high} if draw(st.booleans()) else {}
    least, most = (low, high) if limits else (0, 3)
    return Shape(
        {"type": "array", "items": item.schema, **limits},
        st.lists(item.instances, min_size=least, max_size=most),
    )


@st.composite
def tuples_of(draw: st.DrawFn, inner: st.SearchStrategy[Shape]) -> Shape:
    """Tuples: lists with an own schema for each item."""
    parts = draw(st.lists(inner, min_size=1, max_size=3))
    size = len(parts)
    schema = {
        "type": "array",
        "prefixItems": [part.schema for part in parts],
        "minItems": size,
        "maxItems": size,
    }
    return Shape(schema, st.tuples(*(part.instances for part in parts)).map(list))


@st.composite
def objects_of(draw: st.DrawFn, inner: st.SearchStrategy[Shape], least: int = 1) -> Shape:
    """Objects with declared fields, some of them optional, open or closed."""
    fields = draw(st.dictionaries(NAMES, inner, min_size=least, max_size=4))
    optional = draw(st.sets(st.sampled_from(sorted(fields)))) if fields else set()
    required = [name for name in fields if name not in optional]
    schema: Schema = {"type": "object", "properties": {n: f.schema for n, f in fields.items()}}
    if required:
        schema["required"] = required
    if draw(st.booleans()):
        schema["additionalProperties"] = False
    values = st.fixed_dictionaries(
        {name: fields[name].instances for name in required},
        optional={name: fields[name].instances for name in optional},
    )
    return Shape(schema, values)


@st.composite
def unions_of(draw: st.DrawFn, inner: st.SearchStrategy[Shape]) -> Shape:
    """Unions of a few shapes, null among them at times."""
    parts = draw(st.lists(inner, min_size=1, max_size=3))
    schemas: list[Schema] = []
    schemas.extend(part.schema for part in parts if part.schema not in schemas)
    values = [part.instances for part in parts]
    if draw(st.booleans()) or len(schemas) == 1:
        return Shape({"anyOf": [*schemas, {"type": "null"}]}, st.one_of(*values, st.none()))
    return Shape({"anyOf": schemas}, st.one_of(*values))


@st.composite
def nullables(draw: st.DrawFn) -> Shape:
    """A scalar or null, as a list of types."""
    name, values = draw(
        st.sampled_from(
            [("string", TEXTS), ("integer", st.integers(-9, 9)), ("boolean", st.booleans())]
        )
    )
    return Shape({"type": [name, "null"]}, st.one_of(values, st.none()))


@st.composite
def told(draw: st.DrawFn, inner: st.SearchStrategy[Shape]) -> Shape:
    """A shape with its annotations: a description, a title, a default."""
    shape = draw(inner)
    schema = dict(shape.schema)
    if draw(st.booleans()):
        schema["description"] = draw(st.sampled_from(["What to do.", "the place", "üñí"]))
    if draw(st.integers(0, 3)) == 0:
        schema["title"] = "Some Title"
    if draw(st.integers(0, 3)) == 0:
        schema["default"] = draw(shape.instances)
    return Shape(schema, shape.instances)


def _inner(children: st.SearchStrategy[Shape]) -> st.SearchStrategy[Shape]:
    made: list[Callable[[st.SearchStrategy[Shape]], st.SearchStrategy[Shape]]] = [
        lists_of,
        objects_of,
        unions_of,
        tuples_of,
    ]
    return st.one_of(*(told(make(children)) for make in made))


VALUES = st.recursive(told(st.one_of(LEAVES, nullables())), _inner, max_leaves=6)
"""Shapes of any value that every dialect can express: no maps, nothing untyped, no recursion."""


@st.composite
def arguments(draw: st.DrawFn) -> Shape:
    """The arguments of a tool: an object, some of its fields behind a `$ref` now and then."""
    shape = draw(objects_of(VALUES, least=0))
    schema = dict(shape.schema)
    names = [n for n in schema["properties"] if draw(st.integers(0, 2)) == 0]
    if names:
        properties = dict(schema["properties"])
        schema["$defs"] = {f"Def_{name}": properties[name] for name in names}
        schema["properties"] = {
            name: {"$ref": f"#/$defs/Def_{name}"} if name in names else part
            for name, part in properties.items()
        }
    return Shape(schema, shape.instances)


@st.composite
def arguments_with_value(draw: st.DrawFn) -> tuple[Schema, Any]:
    """A schema of arguments, and arguments that fit it."""
    shape = draw(arguments())
    return shape.schema, draw(shape.instances)
