"""A schema and a dialect in, where the schema is larger than the backend allows out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from zkit.schema.kinds import takes
from zkit.schema.walk import Place, Schema, children, subschemas

if TYPE_CHECKING:
    from zkit.schema.dialects import Dialect

_LONG_ENUM, _LONG_ENUM_CHARACTERS = 250, 15_000


def over_limits(schema: Schema, dialect: Dialect) -> Iterator[tuple[str, str, str]]:
    """Name each limit that a schema exceeds: path, problem, advice."""
    limits = dialect.limits
    if limits is None:
        return
    places = list(subschemas(schema))
    fields = sum(len(place.schema.get("properties", ())) for place in places)
    values = sum(len(place.schema.get("enum", ())) for place in places)
    letters = sum(_characters(place.schema) for place in places)
    deep = _too_deep(schema, limits.levels)
    if deep:
        yield deep, f"more than {limits.levels} objects inside each other", "flatten it"
    if fields > limits.fields:
        yield "", f"{fields} fields in all, at most {limits.fields} are allowed", "split the tool"
    if values > limits.enum_values:
        yield "", f"{values} values in enums, at most {limits.enum_values} are allowed", _SHORTER
    if letters > limits.characters:
        yield (
            "",
            f"names and values of {letters} characters, at most {limits.characters} are allowed",
            _SHORTER,
        )
    yield from (
        (place.path, "the enum is too long", _SHORTER) for place in places if _is_long(place.schema)
    )


_SHORTER = "take a text, and say in the description what it may be"


def _is_long(schema: Schema) -> bool:
    values = schema.get("enum", ())
    return len(values) > _LONG_ENUM and sum(map(_length, values)) > _LONG_ENUM_CHARACTERS


def _length(value: Any) -> int:
    return len(value) if isinstance(value, str) else 0


def _characters(schema: Schema) -> int:
    names = [*schema.get("properties", ()), *schema.get("$defs", ())]
    values = [*schema.get("enum", ()), schema.get("const")]
    return sum(map(_length, names)) + sum(map(_length, values))


def _too_deep(schema: Schema, most: int) -> str:
    """Return the path of the first object that is too deep; nothing when none is."""
    waiting = [(Place("", schema), 0)]
    while waiting:
        place, outside = waiting.pop()
        levels = outside + takes(place.schema, "object")
        if levels > most:
            return place.path
        waiting.extend((found, levels) for found in children(place))
    return ""
