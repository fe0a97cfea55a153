"""Read and check the fields of a tool spec, and its records: examples, guide, preference."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from enum import Enum
from typing import TYPE_CHECKING, Any, TypeVar

from zkit.errors import SchemaError, ToolDefinitionError
from zkit.grade import Grade
from zkit.json_types import JsonMapping, JsonObject
from zkit.receipt import Rank
from zkit.schema import Misfit, MisfitError, Target, target_for
from zkit.tools.frozen_data import FrozenDict, freeze, thaw

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

T = TypeVar("T", bound="DataclassInstance")


def check_schema(schema: JsonMapping, what: str) -> None:
    """Raise `ToolDefinitionError` for a schema that cannot be used for validation."""
    try:
        target_for(thaw(schema))
    except SchemaError as error:
        raise ToolDefinitionError(f"{what}: {error}") from error


def schema_of(target: Target) -> JsonObject:
    """Return the schema of what a function or class takes; raises `ToolDefinitionError` without one."""
    try:
        return target.schema
    except SchemaError as error:
        raise ToolDefinitionError(str(error)) from error


def parameters_of(target: Target) -> object:
    """The same as the parameters of a spec: frozen, because it is our own and needs no checks."""
    made = {key: part for key, part in schema_of(target).items() if key != "description"}
    return freeze({"properties": {}, **made})


def misfits(schema: JsonMapping, value: object) -> list[str]:
    """Return what does not fit, place by place; empty if everything fits."""
    try:
        target_for(thaw(schema)).validate_python(thaw(value))
    except MisfitError as error:
        return [_words(misfit) for misfit in error.misfits]
    return []


def _words(misfit: Misfit) -> str:
    place = ".".join(map(str, misfit.path)) or "the whole"
    facts = {key: value for key, value in misfit.facts.items() if key != "branches"}
    about = ", ".join(f"{key} {_shown(value)}" for key, value in facts.items())
    return f"{place}: {misfit.kind}" + (f" ({about})" if about else "")


def _shown(value: object) -> str:
    if isinstance(value, list | tuple | set | frozenset):
        return " or ".join(map(str, value))
    return str(value)


def text(given: object, name: str) -> str:
    """Return a text, which may be empty."""
    if not isinstance(given, str):
        raise ToolDefinitionError(f"{name} must be a text, not {given!r}")
    return given


def text_or_none(given: object, name: str) -> str | None:
    """Return a text, or nothing."""
    return None if given is None else text(given, name)


def texts(given: object, name: str) -> tuple[str, ...]:
    """Return a tuple of texts; a single text is most likely a mistake, and is refused."""
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise ToolDefinitionError(f"{name} must be a list of texts, not {given!r}")
    found = tuple(dict.fromkeys(given))
    if not all(isinstance(text, str) and text.strip() for text in found):
        raise ToolDefinitionError(f"{name} must hold texts only, not {list(found)!r}")
    return found


def flag(given: object, name: str) -> bool | None:
    """True, false, or nothing; any other value that counts as true in Python is a mistake."""
    if given is not None and not isinstance(given, bool):
        raise ToolDefinitionError(f"{name} must be True, False or None, not {given!r}")
    return given


def seconds(given: object, name: str) -> float | None:
    """Return a time above 0, or nothing when there is no limit."""
    if given is None:
        return None
    if isinstance(given, bool) or not isinstance(given, int | float):
        raise ToolDefinitionError(f"{name} must be a number of seconds, not {given!r}")
    if not (math.isfinite(given) and given > 0):
        raise ToolDefinitionError(f"{name} must be above 0 and have an end, not {given}")
    return given


def rank(given: object, name: str) -> Rank | None:
    """Return the highest rank that runs, or nothing; arguments that were cut off never run."""
    if given is None:
        return None
    try:
        found = Rank.of(given)
    except (TypeError, ValueError):
        found = Rank.CUT
    if found >= Rank.CUT:
        raise ToolDefinitionError(f"{name} must be a Rank up to GUESS, not {given!r}")
    return found


def json_data(given: object, name: str) -> object:
    """Return immutable JSON data. Frozen data was checked before, and is returned as it is."""
    if given is None or isinstance(given, FrozenDict):
        return given
    try:
        return freeze(json.loads(json.dumps(given, allow_nan=False, default=_as_dict)))
    except (TypeError, ValueError, RecursionError) as error:
        raise ToolDefinitionError(f"{name} must be JSON data: {error}") from error


def _as_dict(given: object) -> object:
    if isinstance(given, Mapping):
        return dict(given)
    raise TypeError(f"it holds a value of type {type(given).__name__}")


def json_object(given: object, name: str) -> Any:
    """Return a JSON object that cannot be changed."""
    if not isinstance(given, Mapping):
        raise ToolDefinitionError(f"{name} must be a mapping, not {given!r}")
    return json_data(given, name)


def schema(given: object, name: str) -> object:
    """Return a JSON Schema that can be validated against, or nothing."""
    if given is None or isinstance(given, FrozenDict):
        return given
    read = json_object(given, name)
    check_schema(read, name)
    return read


def object_schema(given: object, name: str) -> object:
    """Return the schema of an object; `type` and `properties` are always there."""
    if not isinstance(given, Mapping):
        raise ToolDefinitionError(f"{name} must be a JSON Schema of an object, not {given!r}")
    if given.get("type", "object") != "object":
        kind = given["type"] if isinstance(given["type"], str) else type(given["type"]).__name__
        raise ToolDefinitionError(f"{name} must be of type object, not {kind!r:.80}")
    if isinstance(given, FrozenDict) and "type" in given and "properties" in given:
        return given
    return schema({"type": "object", **given, "properties": given.get("properties", {})}, name)


def destructive(given: object, name: str) -> object:
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
    plain = {key: tuple(map(_plain, values)) for key, values in given.items()}
    return FrozenDict(plain)


def _plain(value: object) -> object:
    """Return a member of an enum as its value, which is what arrives in a call."""
    return value.value if isinstance(value, Enum) else value


def grade(given: object, name: str) -> Grade | None:
    """Return a grade, which may be given by its name; None when nothing is declared."""
    if given is None:
        return None
    try:
        return Grade.of(given)
    except (TypeError, ValueError) as error:
        raise ToolDefinitionError(f"{name}: {error}") from error


def record(kind: type[T]) -> Callable[[object, str], T]:
    """Return a reader for a record that may be given as a mapping."""

    def reader(given: object, name: str) -> T:
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


def records(kind: type[T]) -> Callable[[object, str], tuple[T, ...]]:
    """Return a reader for a list of records, each of which may be given as a mapping."""
    read = record(kind)

    def reader(given: object, name: str) -> tuple[T, ...]:
        if isinstance(given, str | Mapping) or not isinstance(given, Iterable):
            raise ToolDefinitionError(f"{name} must be a list, not {given!r}")
        return tuple(read(one, f"{name}[{index}]") for index, one in enumerate(given))

    return reader


NOTHING: JsonMapping = FrozenDict()
_EXAMPLE_READERS = {
    "arguments": json_object,
    "description": text,
    "outcome": text,
    "tags": texts,
}


@dataclass(frozen=True, slots=True)
class Example:
    """A call that works: its arguments, its purpose, and its outcome.

    It is found for a prompt by its description and by its tags.
    """

    arguments: JsonMapping = NOTHING
    description: str = ""
    outcome: str = ""
    tags: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name, read in _EXAMPLE_READERS.items():
            object.__setattr__(self, name, read(getattr(self, name), f"example.{name}"))


@dataclass(frozen=True, slots=True)
class Guide:
    """When to use a tool, when not, what helps, and examples in words."""

    when_to_use: tuple[str, ...] = ()
    when_not_to_use: tuple[str, ...] = ()
    tips: tuple[str, ...] = ()
    examples: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for entry in fields(self):
            object.__setattr__(
                self,
                entry.name,
                texts(getattr(self, entry.name), f"guide.{entry.name}"),
            )

    def __bool__(self) -> bool:
        return any(getattr(self, entry.name) for entry in fields(self))


@dataclass(frozen=True, slots=True)
class Preference:
    """The operator's settings for a tool.

    A tool that is not `enabled` is neither listed nor callable. `weight` moves it up (or down) in a
    search. `overrides` are arguments that the operator has set: the model does not see them and
    cannot set them.
    """

    enabled: bool = True
    weight: float = 1.0
    overrides: JsonMapping = NOTHING
    reason: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.enabled, bool):
            raise ToolDefinitionError(f"preference.enabled must be a bool, not {self.enabled!r}")
        number = isinstance(self.weight, int | float) and math.isfinite(self.weight)
        if not (number and self.weight >= 0):
            raise ToolDefinitionError(f"preference.weight must be 0 or more, not {self.weight!r}")
        overrides = json_object(self.overrides, "preference.overrides")
        object.__setattr__(self, "overrides", overrides)
