"""A schema and what was already right in a call in, one minimal call that is valid out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from zkit.arguments.ready import Ready
from zkit.arguments.shape import Shape
from zkit.arguments.words import as_json
from zkit.results import Problem

_DEEPEST = 4
_LONGEST_KEPT = 80
_LONGEST = 600
_FORMATS = {
    "date": "2024-01-31",
    "date-time": "2024-01-31T10:00:00Z",
    "time": "10:00:00",
    "email": "name@example.org",
    "uri": "https://example.org/",
    "uuid": "123e4567-e89b-12d3-a456-426614174000",
    "duration": "PT5M",
}


def example_for(ready: Ready, value: Any, problems: Sequence[Problem]) -> str | None:
    """A minimal valid call that keeps what was right; None when none can be made from the schema."""
    right = _right(value, ready.shape, problems)
    for kept in (right, {}):
        made = _object(ready.shape, kept, 0)
        try:
            ready.check(as_json(made))
        except Exception:
            continue
        text = as_json(made)
        if len(text) <= _LONGEST:
            return text
    return None


def _right(value: Any, shape: Shape, problems: Sequence[Problem]) -> dict[str, Any]:
    """The fields that no problem names, and that are short enough to say again."""
    if not isinstance(value, dict):
        return {}
    wrong = {problem.path.partition(".")[0].partition("[")[0] for problem in problems}
    return {
        key: item
        for key, item in value.items()
        if key in shape.fields and key not in wrong and _may_be_said_again(item, shape.at(key))
    }


def _may_be_said_again(item: Any, shape: Shape) -> bool:
    """Whether a value is short, and no secret."""
    secret = shape.format == "password" or shape.schema.get("writeOnly")
    return not secret and len(as_json(item)) <= _LONGEST_KEPT


def _object(shape: Shape, kept: dict[str, Any], depth: int) -> dict[str, Any]:
    return {
        name: kept[name] if name in kept else _value(shape.at(name), name, depth + 1)
        for name in shape.fields
        if name in shape.required or name in kept
    }


def _value(shape: Shape, name: str, depth: int) -> Any:
    """A value that the schema names, or the plainest of the kind that is due."""
    given = [*(shape.schema.get("examples") or ()), *(shape.values or ())]
    if "default" in shape.schema:
        given.append(shape.schema["default"])
    if given:
        return given[0]
    if shape.branches:
        return _value(shape.branches[0], name, depth)
    return next(
        (_PLAINEST[kind](shape, name, depth) for kind in _PLAINEST if kind in shape.kinds), None
    )


def _text(shape: Shape, name: str, _depth: int) -> str:
    if shape.format in _FORMATS:
        return _FORMATS[shape.format]
    text = f"<{name}>"
    shortest, longest = shape.schema.get("minLength") or 0, shape.schema.get("maxLength")
    text = text.ljust(shortest, "x")
    return text[:longest] if isinstance(longest, int) else text


def _number(shape: Shape, _name: str, _depth: int) -> float:
    """The least number that is allowed; 1 when there is no bound below."""
    limits = shape.schema
    least = limits.get("minimum")
    if least is None and limits.get("exclusiveMinimum") is not None:
        least = limits["exclusiveMinimum"] + 1
    if least is None:
        most = limits.get("maximum", limits.get("exclusiveMaximum"))
        least = 1 if most is None or most > 1 else most - 1
    step = limits.get("multipleOf")
    return step * -(-least // step) if step else least


def _items(shape: Shape, name: str, depth: int) -> list[Any]:
    if depth >= _DEEPEST:
        return []
    count = max(int(shape.schema.get("minItems") or 1), 1)
    return [_value(shape.at(index), name, depth + 1) for index in range(min(count, 8))]


def _fields(shape: Shape, _name: str, depth: int) -> dict[str, Any]:
    return _object(shape, {}, depth) if depth < _DEEPEST else {}


_PLAINEST: dict[str, Any] = {
    "string": _text,
    "integer": _number,
    "number": _number,
    "boolean": lambda *_: True,
    "array": _items,
    "object": _fields,
    "null": lambda *_: None,
}
