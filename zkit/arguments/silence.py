"""A valid value in, what its validator let pass in silence out: ignored keys, numbers for dates."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from pydantic_core import from_json

from zkit.arguments.shape import Shape
from zkit.schema import Misfit, MisfitError

Strict = Callable[[Any], Any]
_DATES = ("date", "date-time", "time")
_NUMBER_IN_QUOTES = re.compile(r'"[+-]?\d++(?:\.\d++)?"')


def loud_about_keys(validate: Strict, shape: Shape) -> Strict:
    """The validator of a raw schema, that complains of keys which nobody declared.

    JSON Schema lets an object have any other key when it says nothing of them. A model that sends
    one may have misspelt a field, or wrapped the arguments.
    """

    def strict(raw: Any) -> Any:
        try:
            value = from_json(raw, allow_inf_nan=False)
        except ValueError as error:
            raise MisfitError([Misfit((), "json")]) from error
        found = [Misfit(path, "unknown") for path in _undeclared(value, shape)]
        try:
            value = validate(value)
        except MisfitError as error:
            raise MisfitError([*error.misfits, *found]) from None
        if found:
            raise MisfitError(found)
        return value

    return strict


def loud_about_dates(validate: Strict, shape: Shape) -> Strict:
    """The validator of a type, that complains of a number in a text where a date is due.

    pydantic takes it for seconds since 1970; a model that writes "20261116" means a day.
    """

    def strict(raw: Any) -> Any:
        value = validate(raw)
        text = raw if isinstance(raw, str) else bytes(raw).decode()
        if _NUMBER_IN_QUOTES.search(text):
            found = [Misfit(path, "format") for path in _numbers_for_dates(from_json(text), shape)]
            if found:
                raise MisfitError(found)
        return value

    return strict


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
    for path, part, due in _places(value, shape):
        silent = due.fields and due.additional is None and "patternProperties" not in due.schema
        if isinstance(part, dict) and silent and not due.branches:
            yield from ((*path, key) for key in part if key not in due.fields)


def _numbers_for_dates(value: Any, shape: Shape) -> Iterator[Path]:
    for path, part, due in _places(value, shape):
        if isinstance(part, str) and due.format in _DATES and not due.allows(part):
            yield path


def _places(value: Any, shape: Shape) -> Iterator[tuple[Path, Any, Shape]]:
    """Every place of a value, with what is due there."""
    todo: list[tuple[Path, Any, Shape]] = [((), value, shape)]
    while todo:
        path, part, due = todo.pop()
        yield path, part, due
        if isinstance(part, dict):
            todo += [((*path, key), item, due.at(key)) for key, item in part.items()]
        elif isinstance(part, list):
            todo += [((*path, index), item, due.at(index)) for index, item in enumerate(part)]
