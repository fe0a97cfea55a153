"""What somebody wrote for a field of a tool spec in, the field as it is kept out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from zkit.errors import ToolDefinitionError
from zkit.grade import Grade
from zkit.tools.frozen import FrozenDict, freeze


def texts(given: Any, name: str) -> tuple[str, ...]:
    """A tuple of texts; a single text is most likely meant as one, and is refused."""
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise ToolDefinitionError(f"{name} must be a list of texts, not {given!r}")
    found = tuple(dict.fromkeys(given))
    if not all(isinstance(text, str) and text.strip() for text in found):
        raise ToolDefinitionError(f"{name} must hold texts only, not {list(found)!r}")
    return found


def object_schema(given: Any, name: str) -> Any:
    """The schema of an object, frozen; `type` and `properties` are always there."""
    if not isinstance(given, Mapping):
        raise ToolDefinitionError(f"{name} must be a JSON Schema of an object, not {given!r}")
    if given.get("type", "object") != "object":
        raise ToolDefinitionError(f"{name} must be of type object, not {given['type']!r}")
    properties = given.get("properties", {})
    if not isinstance(properties, Mapping):
        raise ToolDefinitionError(f"{name}.properties must be a mapping, not {properties!r}")
    return frozen({"type": "object", **given, "properties": properties}, name)


def frozen(given: Any, name: str) -> Any:
    """JSON data that cannot be changed."""
    try:
        return None if given is None else freeze(given)
    except TypeError as error:
        raise ToolDefinitionError(f"{name}: {error}") from error


def destructive(given: Any, name: str) -> Any:
    """True, false, or the values of arguments for which it is true."""
    if isinstance(given, bool):
        return given
    if not isinstance(given, Mapping):
        raise ToolDefinitionError(f"{name} must be true, false or a mapping, not {given!r}")
    return FrozenDict({key: tuple(values) for key, values in given.items()})


def grade(given: Any, name: str) -> Grade:
    """A grade whose numbers exist."""
    w, d = given
    if w not in range(4) or d not in range(4):
        raise ToolDefinitionError(f"{name} must be two numbers from 0 to 3, not {tuple(given)}")
    return Grade(w, d)


def record(kind: type[Any]) -> Any:
    """How to read a record that may be given as a mapping."""

    def reader(given: Any, name: str) -> Any:
        if isinstance(given, kind) or given is None:
            return given if given is not None else kind()
        if not isinstance(given, Mapping):
            raise ToolDefinitionError(f"{name} must be a {kind.__name__}, not {given!r}")
        try:
            return kind(**given)
        except TypeError as error:
            raise ToolDefinitionError(f"{name}: {error}") from error

    return reader
