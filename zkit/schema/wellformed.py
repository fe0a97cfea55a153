"""A schema in, the keywords whose value has a form that JSON Schema does not know out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from zkit.schema.walk import ALONE, IN_LISTS, UNDER_NAMES, Place, Schema, join, subschemas

_SCHEMA = (dict, bool)
_NUMBERS = ("minimum", "maximum", "multipleOf")
_COUNTS = ("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties")
_TEXTS = ("description", "title", "$ref", "format", "pattern", "$schema", "$id")

# `exclusiveMinimum` was a flag up to draft 4, and `required` one up to draft 3.
_FORMS: dict[str, tuple[type, ...]] = {
    **dict.fromkeys(UNDER_NAMES, (dict,)),
    **dict.fromkeys(IN_LISTS, (list,)),
    **dict.fromkeys(ALONE, _SCHEMA),
    **dict.fromkeys(_NUMBERS, (int, float)),
    **dict.fromkeys(_COUNTS, (int, float)),
    **dict.fromkeys(_TEXTS, (str,)),
    "exclusiveMinimum": (int, float, bool),
    "exclusiveMaximum": (int, float, bool),
    "items": (*_SCHEMA, list),
    "type": (str, list),
    "enum": (list,),
    "required": (list, bool),
}
_NAMES: dict[type, str] = {
    dict: "an object",
    list: "a list",
    str: "a text",
    int: "a number",
    bool: "true or false",
}


def malformed(schema: Schema) -> Iterator[tuple[str, str]]:
    """Name the place of each keyword that is malformed, and say what is due there."""
    for place in subschemas(schema):
        for key, value in place.schema.items():
            yield from _in_keyword(place, key, value)


def _in_keyword(place: Place, key: str, value: Any) -> Iterator[tuple[str, str]]:
    at, forms = join(place.path, key), _FORMS.get(key)
    if forms is None:
        return
    if not _has_form(value, forms):
        due = dict.fromkeys(_NAMES[form] for form in forms if form in _NAMES)
        yield at, f"{' or '.join(due)} is due here"
    elif key in UNDER_NAMES:
        yield from ((f"{at}.{n}", "a schema is due here") for n in value if not _fits(value[n]))
    elif key in IN_LISTS or (key == "items" and isinstance(value, list)):
        wrong = [index for index, part in enumerate(value) if not _fits(part)]
        yield from ((f"{at}.{index}", "a schema is due here") for index in wrong)
    elif isinstance(value, list) and not _are_names(key, value):
        yield at, "a list of names is due here"


def _has_form(value: Any, forms: tuple[type, ...]) -> bool:
    return isinstance(value, forms) and (bool in forms or not isinstance(value, bool))


def _are_names(key: str, value: list[Any]) -> bool:
    if key not in ("type", "required"):
        return True
    return all(isinstance(name, str) for name in value) and (key == "required" or bool(value))


def _fits(part: Any) -> bool:
    return isinstance(part, _SCHEMA)
