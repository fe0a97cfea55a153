"""A valid value in, what its validator let pass in silence out: ignored keys, numbers for dates."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from pydantic_core import from_json

from zkit.arguments.shape import Shape
from zkit.schema import Misfit, MisfitError

Strict = Callable[..., Any]
_DATES = ("date", "date-time", "time")
# Digits may hide behind escapes; those are looked at as well.
_NUMBER_IN_QUOTES = re.compile(r'"[+-]?\d++(?:\.\d++)?"|\\u00')


def loud_about_keys(validate: Strict, shape: Shape) -> Strict:
    """A validator that also complains of keys which nobody declared, where that is not forbidden.

    JSON Schema lets an object have any other key when it says nothing of them, and most models
    ignore it. A model that sends one may have misspelt a field, or wrapped the arguments.
    """

    def checked(raw: Any, *, strict: bool, extra: None) -> Any:
        try:
            sent = from_json(raw, allow_inf_nan=False)
        except ValueError as error:
            raise MisfitError([Misfit((), "json")]) from error
        found = [Misfit(path, "unknown") for path in _undeclared(sent, shape)]
        try:
            value = validate(raw, strict=strict)
        except MisfitError as error:
            raise MisfitError([*error.misfits, *found]) from None
        if found:
            raise MisfitError(found)
        return value

    return checked


def loud_about_dates(validate: Strict, shape: Shape) -> Strict:
    """The validator of a type, that complains of a number in a text where a date is due.

    pydantic takes it for seconds since 1970; a model that writes "20261116" means a day.
    """

    def checked(raw: Any, *, strict: bool, extra: str | None) -> Any:
        value = validate(raw, strict=strict, extra=extra)
        text = raw if isinstance(raw, str) else bytes(raw).decode()
        if _NUMBER_IN_QUOTES.search(text):
            found = [Misfit(path, "format") for path in _numbers_for_dates(from_json(text), shape)]
            if found:
                raise MisfitError(found)
        return value

    return checked


def has_dates(schema: Any) -> bool:
    """Whether a date or time is due somewhere."""
    todo = [schema]
    while todo:
        part = todo.pop()
        if isinstance(part, dict) and part.get("format") in _DATES:
            return True
        if isinstance(part, dict | list):
            todo += part.values() if isinstance(part, dict) else part
    return False


Path = tuple[str | int, ...]


def _undeclared(value: Any, shape: Shape) -> Iterator[Path]:
    for path, part, shapes in _places(value, shape):
        if isinstance(part, dict) and shapes and all(_is_silent(due) for due in shapes):
            declared = {name for due in shapes for name in due.fields}
            yield from ((*path, key) for key in part if key not in declared)


def _is_silent(shape: Shape) -> bool:
    """Whether a shape declares fields and says nothing of others."""
    others = shape.additional is not None or "patternProperties" in shape.schema
    return bool(shape.fields) and not others


def _numbers_for_dates(value: Any, shape: Shape) -> Iterator[Path]:
    for path, part, shapes in _places(value, shape):
        if not isinstance(part, str) or not any(due.format in _DATES for due in shapes):
            continue
        if not any(due.takes("string") and due.allows(part) for due in shapes):
            yield path


def _places(value: Any, shape: Shape) -> Iterator[tuple[Path, Any, list[Shape]]]:
    """Every place of a value, with what is due there: several shapes in a union."""
    todo: list[tuple[Path, Any, list[Shape]]] = [((), value, _ways(shape))]
    while todo:
        path, part, shapes = todo.pop()
        yield path, part, shapes
        steps: Any = ()
        if isinstance(part, dict):
            steps = part
        elif isinstance(part, list):
            steps = range(len(part))
        for step in steps:
            knowing = [due for due in shapes if step in due.fields] or shapes
            below = [way for due in knowing for way in _ways(due.at(step))]
            todo.append(((*path, step), part[step], below))


def _ways(shape: Shape) -> list[Shape]:
    """The shape, or the branches of its union."""
    if not shape.branches:
        return [shape]
    return [way for branch in shape.branches for way in _ways(branch)]
