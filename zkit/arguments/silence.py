"""A value that fits a JSON Schema in, what the schema let pass in silence out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from math import isinf
from typing import Any

from pydantic_core import from_json

from zkit.arguments.shape import Shape
from zkit.schema import Misfit, MisfitError

Strict = Callable[[Any], Any]


def exact_by_schema(validate: Strict, shape: Shape, *, declared_only: bool) -> Strict:
    """The validator of a JSON Schema, for texts, that lets nothing pass in silence.

    JSON Schema lets an object have any other key when it says nothing of them; a model that sends
    one may have misspelt a field, or wrapped the arguments. With `declared_only` such a key is
    complained of. A number too large to be read is always: it would arrive as infinity.
    """

    def checked(raw: Any) -> Any:
        try:
            sent = from_json(raw, allow_inf_nan=False)
        except ValueError as error:
            raise MisfitError([Misfit((), "json")]) from error
        found = [Misfit(path, "finite") for path in _infinite(sent)]
        if declared_only:
            found += [Misfit(path, "unknown") for path in _undeclared(sent, shape)]
        try:
            validate(sent)
        except MisfitError as error:
            raise MisfitError([*error.misfits, *found]) from None
        if found:
            raise MisfitError(found)
        return sent

    return checked


Path = tuple[str | int, ...]


def _infinite(value: Any) -> Iterator[Path]:
    todo: list[tuple[Path, Any]] = [((), value)]
    while todo:
        path, part = todo.pop()
        for step, below in _parts(part):
            if isinstance(below, dict | list):
                todo.append(((*path, step), below))
            elif type(below) is float and isinf(below):
                yield (*path, step)


def _undeclared(value: Any, shape: Shape) -> Iterator[Path]:
    """The keys of objects that no shape due at their place declares: several are due in a union."""
    todo: list[tuple[Path, Any, list[Shape]]] = [((), value, _ways(shape))]
    while todo:
        path, part, shapes = todo.pop()
        if isinstance(part, dict) and shapes and all(_is_silent(due) for due in shapes):
            declared = {name for due in shapes for name in due.fields}
            yield from ((*path, key) for key in part if key not in declared)
        for step, below in _parts(part):
            if isinstance(below, dict | list):
                knowing = [due for due in shapes if step in due.fields] or shapes
                ways = [way for due in knowing for way in _ways(due.at(step))]
                todo.append(((*path, step), below, ways))


def _is_silent(shape: Shape) -> bool:
    """Whether a shape declares fields and says nothing of others."""
    others = shape.additional is not None or "patternProperties" in shape.schema
    return bool(shape.fields) and not others


def _parts(value: Any) -> Iterable[tuple[str | int, Any]]:
    if isinstance(value, dict):
        return value.items()
    return enumerate(value) if isinstance(value, list) else ()


def _ways(shape: Shape) -> list[Shape]:
    """The shape, or the branches of its union."""
    if not shape.branches:
        return [shape]
    return [way for branch in shape.branches for way in _ways(branch)]
