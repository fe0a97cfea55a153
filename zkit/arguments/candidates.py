"""A rejected value in, everything it may have been meant as out, each with the place of its text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from zkit.arguments import containers, scalars
from zkit.arguments.formats import TEMPORAL
from zkit.arguments.scalars import Candidate
from zkit.arguments.shape import Shape, kind_of
from zkit.arguments.source import Place, Source
from zkit.arguments.words import as_json

_OPENERS = ("[", "{")
Found = list[tuple[Candidate, Place]]


def candidates(value: Any, shape: Shape, place: Place) -> Found:
    """What a value may have been meant as, where a value of this shape is due."""
    return _BY_TYPE[type(value)](value, shape, place)


def _of_text(value: str, shape: Shape, place: Place) -> Found:
    found: Found = [(one, place) for one in scalars.from_text(value, shape)]
    if "string" not in shape.kinds and value.lstrip()[:1] in _OPENERS:
        for candidate, repaired in containers.from_json_text(value, shape):
            source = Source(repaired.text, repaired.fixes)
            found.append((candidate, Place(place.path, source)))
    if "array" in shape.kinds:
        found += _in_list(value, shape, place)
    return found


def _of_number(value: float, shape: Shape, place: Place) -> Found:
    found = [(candidate, place) for candidate in scalars.from_number(value, shape)]
    return found + _of_boolean(value, shape, place)


def _of_boolean(value: float, shape: Shape, place: Place) -> Found:
    return _as_text("text_from_value", value, shape, place) + _in_list(value, shape, place)


def _of_object(value: dict[str, Any], shape: Shape, place: Place) -> Found:
    # An object that a coercion has put into a list is no text: it may be one of several things.
    sure = place.is_sent and containers.text_of_object_is_sure(value)
    found = _as_text("text_from_object", value, shape, place) if sure else []
    return found + _in_list(value, shape, place)


def _of_list(value: list[Any], shape: Shape, place: Place) -> Found:
    if shape.schema.get("contentMediaType") == "application/json":
        return _as_text("text_from_object", value, shape, place)
    below = place.inside(0)
    found = [(candidate, below) for candidate in containers.one_from(value, shape)]
    if not place.path:
        found += [(candidate, Place()) for candidate in containers.by_position(value, shape)]
    return found


def _in_list(value: Any, shape: Shape, place: Place) -> Found:
    if not shape.takes("array") or shape.takes(kind_of(value)):
        return []
    without_text = Place(place.path, is_sent=False)
    return [(candidate, without_text) for candidate in containers.list_from(value)]


def _as_text(name: str, value: Any, shape: Shape, place: Place) -> Found:
    """The value's own text, where a text is due, no date or time, and nothing of the value's kind."""
    if not shape.takes("string") or shape.format in TEMPORAL or shape.takes(kind_of(value)):
        return []
    written = place.text()
    text = as_json(value) if written is None else written
    return [(Candidate(name, text, "took the value as it was written"), place)]


_BY_TYPE: dict[type, Callable[[Any, Shape, Place], Found]] = {
    str: _of_text,
    int: _of_number,
    float: _of_number,
    bool: _of_boolean,
    dict: _of_object,
    list: _of_list,
    type(None): lambda *_: [],
}
