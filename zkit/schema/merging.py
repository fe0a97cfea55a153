"""Two schemas that both must hold in, one schema out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from zkit.errors import SchemaError
from zkit.schema.kinds import distinct, identity, types_of
from zkit.schema.walk import Schema
from zkit.schema.words import in_words

_FIRST = ("title", "default", "examples", "$schema", "$id")
_ENDS = (".", "!", "?", ":", ")")
_HIGHER = ("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties")
_LOWER = ("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties")


def merged(first: Schema, second: Schema, path: str) -> Schema:
    """Return a schema that asks for what both ask for; what cannot be joined is said in words."""
    made = dict(first)
    unjoined: list[str] = []
    for key, value in second.items():
        if key not in made or made[key] == value:
            made[key] = value
        elif key in _JOIN:
            made[key] = _JOIN[key](made[key], value, path)
        else:
            unjoined.append(key)
    return _with_words_of(made, second, unjoined)


def _with_words_of(made: Schema, second: Schema, keys: list[str]) -> Schema:
    """Say in the description of the result what the second schema asks for beyond it."""
    if not keys:
        return made
    about = {key: second[key] for key in keys}
    said = in_words({"description": made.get("description", ""), **about}, keys)
    return {**made, "description": said["description"]} if said["description"] else made


def _types(first: Any, second: Any, path: str) -> Any:
    mine, yours = types_of({"type": first}), types_of({"type": second})
    both = [name for name in mine if name in yours or (name == "integer" and "number" in yours)]
    both += [name for name in yours if name == "integer" and "number" in mine and name not in mine]
    if not both:
        raise SchemaError(
            f"{path or 'the root'}: no value is both of type {first!r} and {second!r}"
        )
    return both[0] if len(both) == 1 else both


def _enums(first: Any, second: Any, path: str) -> Any:
    yours = {identity(value) for value in second}
    both = [value for value in first if identity(value) in yours]
    if not both:
        raise SchemaError(f"{path or 'the root'}: no value is in both {first!r} and {second!r}")
    return both


def _properties(first: Any, second: Any, path: str) -> Any:
    names = dict.fromkeys([*first, *second])
    return {
        name: merged(
            first.get(name, {}), second.get(name, {}), f"{path}.properties.{name}".lstrip(".")
        )
        for name in names
    }


def _schemas(first: Any, second: Any, path: str) -> Any:
    if not isinstance(first, dict) or not isinstance(second, dict):
        return second if first is True else first if second is True else False
    return merged(first, second, path)


def _texts(first: Any, second: Any, path: str) -> Any:
    if second in first or first in second:
        return max(first, second, key=len)
    return f"{first}{'' if first.endswith(_ENDS) else '.'} {second}"


_JOIN: dict[str, Callable[[Any, Any, str], Any]] = {
    "type": _types,
    "enum": _enums,
    "properties": _properties,
    "required": lambda first, second, path: distinct([*first, *second]),
    "items": _schemas,
    "additionalProperties": _schemas,
    "description": _texts,
    "uniqueItems": lambda first, second, path: bool(first or second),
    **{key: (lambda first, second, path: first) for key in _FIRST},
    **{key: (lambda first, second, path: max(first, second)) for key in _HIGHER},
    **{key: (lambda first, second, path: min(first, second)) for key in _LOWER},
}
