"""Values, paths and expectations as the short phrases of a message."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from json.encoder import encode_basestring
from typing import Any

from zkit.arguments.coercions import DEEPEST_EXAMPLE, LONGEST_SHOWN, MOST_VALUES
from zkit.arguments.shape import Shape

_encode = json.JSONEncoder(ensure_ascii=False).encode
# Most coercions give a scalar, and the encoder is slow to start.
_ENCODERS: dict[type, Callable[[Any], str]] = {str: encode_basestring, int: str}
_PLAIN = {
    "object": "an object",
    "array": "a list",
    "string": "a text",
    "integer": "an integer",
    "number": "a number",
    "boolean": "true or false",
    "null": "null",
}
_FORMATS = {
    "date": 'a date like "2024-01-31"',
    "date-time": 'a date and time like "2024-01-31T10:00:00Z"',
    "time": 'a time like "10:00:00"',
    "email": "an e-mail address",
    "uri": "a URL",
    "uuid": "a UUID",
    "duration": 'a duration like "PT5M"',
}


def as_json(value: object) -> str:
    """Return a value as JSON, on one line."""
    return _ENCODERS.get(type(value), _encode)(value)


def path_text(path: Sequence[str | int]) -> str:
    """Return a place as a person would write it: `todos[0].status`."""
    if len(path) == 1 and type(text := path[0]) is str and len(text) <= LONGEST_SHOWN:
        return text
    text = ""
    for step in path:
        if isinstance(step, str) and len(step) > LONGEST_SHOWN:
            step = f"{step[: LONGEST_SHOWN - 3]}..."
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text


def shown(value: object) -> str:
    """Return a value as JSON on one line, shortened in the middle."""
    if type(value) is str:
        return shortened(encode_basestring(value))
    try:
        text = json.dumps(value, ensure_ascii=False, default=str)
    except (ValueError, RecursionError):
        text = "a value too deep to show"
    return shortened(text)


def shortened(text: str) -> str:
    """Return a text that fits into a message, shortened in the middle."""
    if len(text) <= LONGEST_SHOWN:
        return text
    return f"{text[: LONGEST_SHOWN - 20]} ... {text[-12:]}"


def expected(shape: Shape) -> str:
    """Return what is expected at a place."""
    if shape.expectation is None:
        shape.expectation = _expected(shape, 0)
    return shape.expectation


def _expected(shape: Shape, depth: int) -> str:
    if shape.values is not None:
        return _one_of([shown(value) for value in shape.values])
    if shape.branches:
        return " or ".join(dict.fromkeys(_expected(branch, depth) for branch in shape.branches))
    kinds = [kind for kind in _PLAIN if kind in shape.kinds and kind != "null"]
    if "number" in kinds:
        kinds = [kind for kind in kinds if kind != "integer"]
    if len(kinds) > 4:
        return "a value"
    return " or ".join(_kind(kind, shape, depth) for kind in kinds) or "null"


def expected_instead(value: object, shape: Shape) -> str:
    """Return what is expected where a value was refused, without the kinds that the value already has.

    A schema may be wider than its validator: that of a decimal accepts any text, the validator only
    numbers.
    """
    others = [branch for branch in shape.branches if not branch.is_plain(value)]
    if not others:
        return expected(shape)
    return " or ".join(dict.fromkeys(map(expected, others)))


def _one_of(values: list[str]) -> str:
    if len(values) == 1:
        return values[0]
    more = f" and {len(values) - MOST_VALUES} more" if len(values) > MOST_VALUES else ""
    return f"one of {', '.join(values[:MOST_VALUES])}{more}"


def _kind(kind: str, shape: Shape, depth: int) -> str:
    if kind == "string" and shape.format in _FORMATS:
        return _FORMATS[shape.format]
    deeper = depth < DEEPEST_EXAMPLE  # a list may hold lists like itself
    if kind == "array" and isinstance(shape.schema.get("items"), dict) and deeper:
        each = _expected(shape.at(len(shape.schema.get("prefixItems") or ())), depth + 1)
        return f"a list{_limits(kind, shape)}, each item {each}"
    return f"{_PLAIN[kind]}{_limits(kind, shape)}"


_LIMITS = {
    "integer": (
        ("minimum", "at least {}"),
        ("exclusiveMinimum", "more than {}"),
        ("maximum", "at most {}"),
        ("exclusiveMaximum", "less than {}"),
        ("multipleOf", "a multiple of {}"),
    ),
    "string": (
        ("minLength", "of at least {} characters"),
        ("maxLength", "of at most {} characters"),
        ("pattern", "that matches {}"),
    ),
    "array": (("minItems", "of at least {} items"), ("maxItems", "of at most {} items")),
}
_LIMITS["number"] = _LIMITS["integer"]


def _limits(kind: str, shape: Shape) -> str:
    said = [
        words.format(shape.schema[keyword])
        for keyword, words in _LIMITS.get(kind, ())
        if shape.schema.get(keyword) is not None
    ]
    return f" {' and '.join(said)}" if said else ""
