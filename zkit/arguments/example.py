"""A schema and what was already right in a call in, one minimal call that is valid out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pydantic_core import from_json

from zkit.arguments.names import nearest
from zkit.arguments.pattern_text import text_that_matches
from zkit.arguments.places import Path, shape_at, steps_of, value_at
from zkit.arguments.ready import Ready
from zkit.arguments.shape import Shape
from zkit.arguments.unions import tagged
from zkit.arguments.words import as_json, path_text
from zkit.results import Problem

Wrong = Mapping[str, Any]
"""The places with a problem, each with what was meant there, if that is known."""
_DEEPEST = 4
_MOST_ITEMS = 3
_LONGEST_KEPT = 200
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
    """A small valid call that keeps what was right; None when none can be made from the schema.

    What was sent is mended in place; where that is not enough, only the fields without a problem
    are kept, or none.
    """
    wrong = {one.path: _meant(ready.shape, value, one) for one in problems}
    for make in (_mended, _right, _nothing):
        text = _valid_text(ready, lambda make=make: make(value, ready.shape, wrong))  # type: ignore[misc]
        if text is not None:
            return text
    return None


def _meant(shape: Shape, value: Any, problem: Problem) -> Any:
    """What a hint says to send at the place of a problem; `_UNKNOWN` when it says nothing of use."""
    try:
        meant = from_json(problem.hint)
    except ValueError:
        return _UNKNOWN
    due = shape_at(shape, problem.path)
    if problem.code == "missing":  # the hint is a key that was sent; it counts if it is alike
        *above, name = steps_of(problem.path)
        if not isinstance(meant, str) or not nearest(str(name), [meant], 1):
            return _UNKNOWN
        meant = value_at(value, [*above, meant])
    return meant if due.is_plain(meant) and _may_be_said_again(meant, due) else _UNKNOWN


_UNKNOWN = object()


def _valid_text(ready: Ready, make: Callable[[], Any]) -> str | None:
    """The JSON of what is made, if the target takes it as it is and it is short."""
    try:
        text = as_json(make())
        ready.validate(text)
    except Exception:
        return None
    return text if len(text) <= _LONGEST else None


def _nothing(_value: Any, shape: Shape, _wrong: Wrong) -> dict[str, Any]:
    return _object(shape, {}, (), {})


def _right(value: Any, shape: Shape, wrong: Wrong) -> dict[str, Any]:
    """The fields that no problem names, and what is required."""
    tops = {path.partition(".")[0].partition("[")[0] for path in wrong}
    sent = value if isinstance(value, dict) else {}
    kept = {
        key: item
        for key, item in sent.items()
        if key in shape.fields and key not in tops and _may_be_said_again(item, shape.at(key))
    }
    return _object(shape, kept, (), {})


def _mended(value: Any, shape: Shape, wrong: Wrong) -> Any:
    """What was sent, with something valid wherever there is a problem."""
    if not isinstance(value, dict) or "" in wrong:
        raise ValueError("nothing to mend")
    return _mend(value, shape, wrong, ())


def _mend(value: Any, shape: Shape, wrong: Wrong, path: Path) -> Any:
    here = path_text(path)
    if here in wrong and path:
        return _wanted(here, shape, wrong, path)
    if len(path) >= _DEEPEST:
        return value
    shape = _branch_for(value, shape)
    if isinstance(value, dict) and shape.fields:
        sent = {
            key: _mend(item, shape.at(key), wrong, (*path, key))
            for key, item in value.items()
            if key in shape.fields and _may_be_said_again(item, shape.at(key))
        }
        return _object(shape, sent, path, wrong)
    if isinstance(value, dict):
        return {k: _mend(v, shape.at(k), wrong, (*path, k)) for k, v in value.items()}
    if isinstance(value, list):
        some = value[: max(_MOST_ITEMS, int(shape.schema.get("minItems") or 0))]
        return [_mend(v, shape.at(i), wrong, (*path, i)) for i, v in enumerate(some)]
    return value


def _wanted(here: str, shape: Shape, wrong: Wrong, path: Path) -> Any:
    """What is due at a place with a problem: what was meant, else what the schema allows."""
    meant = wrong.get(here, _UNKNOWN)
    name = next((step for step in reversed(path) if isinstance(step, str)), "value")
    return _value(shape, name, len(path)) if meant is _UNKNOWN else meant


def _branch_for(value: Any, shape: Shape) -> Shape:
    """The branch of a union that an object may be meant as: by its tag, or by the fields they share."""
    if not isinstance(value, dict) or not shape.branches:
        return shape
    by_tag = [shape.branches[index] for index in tagged(value, shape)]
    objects = by_tag or [branch for branch in shape.branches if branch.fields] or [shape]
    return max(objects, key=lambda branch: len(branch.fields.keys() & value.keys()))


def _may_be_said_again(item: Any, shape: Shape) -> bool:
    """Whether a value is short, and no secret."""
    secret = shape.format == "password" or shape.schema.get("writeOnly")
    return not secret and len(as_json(item)) <= _LONGEST_KEPT


def _object(shape: Shape, kept: dict[str, Any], path: Path, wrong: Wrong) -> dict[str, Any]:
    return {
        name: kept[name]
        if name in kept
        else _wanted(path_text((*path, name)), shape.at(name), wrong, (*path, name))
        for name in shape.fields
        if name in shape.required or name in kept
    }


def _value(shape: Shape, name: str, depth: int) -> Any:
    """A value that the schema names, or the plainest of the kind that is due."""
    given = [*(shape.schema.get("examples") or ()), *(shape.values or ())]
    if shape.schema.get("default") not in (None, [], {}, ""):
        given.append(shape.schema["default"])
    if given:
        return given[0]
    if shape.branches:
        return _value(shape.branches[0], name, depth)
    return next(
        (_PLAINEST[kind](shape, name, depth) for kind in _PLAINEST if kind in shape.kinds), None
    )


def placeholder(name: str) -> str:
    """What stands in an example for a text that nobody knows."""
    return f"<{name}>"


def _text(shape: Shape, name: str, _depth: int) -> str:
    if shape.format in _FORMATS:
        return _FORMATS[shape.format]
    pattern = shape.schema.get("pattern")
    matching = text_that_matches(pattern) if isinstance(pattern, str) else None
    text = matching or placeholder(name)
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


def _fields(shape: Shape, name: str, depth: int) -> dict[str, Any]:
    return _object(shape, {}, (name,) * depth, {}) if depth < _DEEPEST else {}


_PLAINEST: dict[str, Any] = {
    "string": _text,
    "integer": _number,
    "number": _number,
    "boolean": lambda *_: True,
    "array": _items,
    "object": _fields,
    "null": lambda *_: None,
}
