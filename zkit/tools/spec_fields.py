"""What somebody wrote for a field of a tool spec in, the field as it is kept out."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Any

from zkit.errors import ToolDefinitionError
from zkit.grade import Grade
from zkit.receipt import Rank
from zkit.tools.frozen_data import FrozenDict, freeze
from zkit.tools.schema_check import check_schema


def text(given: Any, name: str) -> str:
    """A text, which may be empty."""
    if not isinstance(given, str):
        raise ToolDefinitionError(f"{name} must be a text, not {given!r}")
    return given


def text_or_none(given: Any, name: str) -> str | None:
    """A text, or nothing."""
    return None if given is None else text(given, name)


def texts(given: Any, name: str) -> tuple[str, ...]:
    """A tuple of texts; a single text is most likely meant as one, and is refused."""
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise ToolDefinitionError(f"{name} must be a list of texts, not {given!r}")
    found = tuple(dict.fromkeys(given))
    if not all(isinstance(text, str) and text.strip() for text in found):
        raise ToolDefinitionError(f"{name} must hold texts only, not {list(found)!r}")
    return found


def flag(given: Any, name: str) -> bool | None:
    """True, false, or nothing; any other value that counts as true in Python is a mistake."""
    if given is not None and not isinstance(given, bool):
        raise ToolDefinitionError(f"{name} must be True, False or None, not {given!r}")
    return given


def seconds(given: Any, name: str) -> float | None:
    """A time above 0, or nothing when there is no limit."""
    if given is None:
        return None
    if isinstance(given, bool) or not isinstance(given, int | float):
        raise ToolDefinitionError(f"{name} must be a number of seconds, not {given!r}")
    if not (math.isfinite(given) and given > 0):
        raise ToolDefinitionError(f"{name} must be above 0 and have an end, not {given}")
    return given


def rank(given: Any, name: str) -> Rank | None:
    """The highest rank that runs, or nothing; arguments that were cut off never run."""
    if given is None:
        return None
    try:
        found = Rank.of(given)
    except (TypeError, ValueError):
        found = Rank.CUT
    if found >= Rank.CUT:
        raise ToolDefinitionError(f"{name} must be a Rank up to GUESS, not {given!r}")
    return found


def json_data(given: Any, name: str) -> Any:
    """JSON data that cannot be changed. What is frozen has been read before, and stays."""
    if given is None or isinstance(given, FrozenDict):
        return given
    try:
        return freeze(json.loads(json.dumps(given, allow_nan=False, default=_as_dict)))
    except (TypeError, ValueError, RecursionError) as error:
        raise ToolDefinitionError(f"{name} must be JSON data: {error}") from error


def _as_dict(given: Any) -> Any:
    if isinstance(given, Mapping):
        return dict(given)
    raise TypeError(f"it holds a value of type {type(given).__name__}")


def json_object(given: Any, name: str) -> Any:
    """A JSON object that cannot be changed."""
    if not isinstance(given, Mapping):
        raise ToolDefinitionError(f"{name} must be a mapping, not {given!r}")
    return json_data(given, name)


def schema(given: Any, name: str) -> Any:
    """A JSON Schema that can be validated against, or nothing."""
    if given is None or isinstance(given, FrozenDict):
        return given
    read = json_object(given, name)
    check_schema(read, name)
    return read


def object_schema(given: Any, name: str) -> Any:
    """The schema of an object; `type` and `properties` are always there."""
    if not isinstance(given, Mapping):
        raise ToolDefinitionError(f"{name} must be a JSON Schema of an object, not {given!r}")
    if given.get("type", "object") != "object":
        raise ToolDefinitionError(f"{name} must be of type object, not {given['type']!r}")
    if isinstance(given, FrozenDict) and "type" in given and "properties" in given:
        return given
    return schema({"type": "object", **given, "properties": given.get("properties", {})}, name)


def destructive(given: Any, name: str) -> Any:
    """True, false, or the values of arguments for which it is true."""
    if isinstance(given, bool):
        return given
    if not isinstance(given, Mapping):
        raise ToolDefinitionError(f"{name} must be true, false or a mapping, not {given!r}")
    for argument, values in given.items():
        if isinstance(values, str) or not isinstance(values, Iterable):
            raise ToolDefinitionError(
                f"{name}[{argument!r}] must be a list of values, not {values!r}"
            )
    return FrozenDict({key: tuple(values) for key, values in given.items()})


def grade(given: Any, name: str) -> Grade | None:
    """A grade, which may be given by its name; None when nothing is declared."""
    if given is None:
        return None
    try:
        return Grade.of(given)
    except (TypeError, ValueError) as error:
        raise ToolDefinitionError(f"{name}: {error}") from error


def record(kind: type[Any]) -> Any:
    """How to read a record that may be given as a mapping."""

    def reader(given: Any, name: str) -> Any:
        if isinstance(given, kind) or given is None:
            return given if given is not None else kind()
        known = [entry.name for entry in fields(kind)]
        if not isinstance(given, Mapping):
            raise ToolDefinitionError(
                f"{name} must be a mapping with {', '.join(known)}, not {given!r}"
            )
        unknown = [key for key in given if key not in known]
        if unknown:
            raise ToolDefinitionError(f"{name} has no {unknown[0]!r}; it has {', '.join(known)}")
        return kind(**given)

    return reader


def records(kind: type[Any]) -> Any:
    """How to read a list of records, each of which may be given as a mapping."""
    read = record(kind)

    def reader(given: Any, name: str) -> Any:
        if isinstance(given, str | Mapping) or not isinstance(given, Iterable):
            raise ToolDefinitionError(f"{name} must be a list, not {given!r}")
        return tuple(read(one, f"{name}[{index}]") for index, one in enumerate(given))

    return reader
