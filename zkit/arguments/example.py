"""Builds the small valid call that a refusal shows, keeping what was right in the call."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from re import _constants as codes  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

from pydantic_core import from_json

from zkit.arguments.coercions import (
    DEEPEST_EXAMPLE,
    DEEPEST_PATTERN,
    LONGEST_EXAMPLE,
    LONGEST_KEPT,
    LONGEST_MATCH,
    MOST_ITEMS,
)
from zkit.arguments.field_names import nearest
from zkit.arguments.prepare import Prepared
from zkit.arguments.shape import Shape, tagged
from zkit.arguments.source_text import Path, shape_at, steps_of, value_at
from zkit.arguments.wording import as_json, path_text
from zkit.json_types import JsonMapping, JsonObject
from zkit.results import Problem
from zkit.schema.compiled_schema import matcher

_PREFERRED = "aA0-_ ./:@"


def text_that_matches(pattern: str) -> str | None:
    """Return a text that matches a pattern; None if the pattern is too complex."""
    try:
        made = _match_sequence(parser.parse(pattern), 0)
        found = matcher(pattern)
        return made if len(made) <= LONGEST_MATCH and found and found(made) else None
    except (_BeyondUsError, re.error, OverflowError, RecursionError, ValueError):
        return None


class _BeyondUsError(Exception):
    """The pattern is too complex to generate a match for."""


def _match_sequence(parts: Any, depth: int) -> str:
    if depth > DEEPEST_PATTERN:
        raise _BeyondUsError
    return "".join(_match_part(code, argument, depth) for code, argument in parts)


def _match_part(code: object, argument: object, depth: int) -> str:
    make = _MAKERS.get(code)
    if make is None:
        raise _BeyondUsError
    return make(argument, depth)


def _repeated(argument: Any, depth: int) -> str:
    least, _, inner = argument
    if least > LONGEST_MATCH:
        raise _BeyondUsError
    return _match_sequence(inner, depth + 1) * int(least)


def _match_class(items: Any, _depth: int) -> str:
    """Return a character of a class: a readable one if there is any, else the first."""
    if items and items[0][0] is codes.NEGATE:
        rest = items[1:]
        return next((c for c in _PREFERRED if not _is_in(c, rest)), "") or _refuse()
    found = next((c for c in _PREFERRED if _is_in(c, items)), None)
    if found is not None:
        return found
    code, argument = items[0]
    if code is codes.LITERAL:
        return chr(argument)
    return chr(argument[0]) if code is codes.RANGE else _refuse()


def _is_in(character: str, items: Any) -> bool:
    at = ord(character)
    for code, argument in items:
        if code is codes.LITERAL and argument == at:
            return True
        if code is codes.RANGE and argument[0] <= at <= argument[1]:
            return True
        if code is codes.CATEGORY and _CATEGORIES[argument](character):
            return True
    return False


def _refuse() -> str:
    raise _BeyondUsError


_CATEGORIES: dict[object, Callable[[str], bool]] = {
    codes.CATEGORY_DIGIT: str.isdigit,
    codes.CATEGORY_NOT_DIGIT: lambda c: not c.isdigit(),
    codes.CATEGORY_SPACE: str.isspace,
    codes.CATEGORY_NOT_SPACE: lambda c: not c.isspace(),
    codes.CATEGORY_WORD: lambda c: c.isalnum() or c == "_",
    codes.CATEGORY_NOT_WORD: lambda c: not (c.isalnum() or c == "_"),
}
_MAKERS: dict[object, Callable[[Any, int], str]] = {
    codes.LITERAL: lambda argument, _: chr(argument),
    codes.NOT_LITERAL: lambda argument, _: next(c for c in _PREFERRED if ord(c) != argument),
    codes.ANY: lambda *_: "a",
    codes.AT: lambda *_: "",
    codes.IN: _match_class,
    codes.BRANCH: lambda argument, depth: _match_sequence(argument[1][0], depth + 1),
    codes.SUBPATTERN: lambda argument, depth: _match_sequence(argument[3], depth + 1),
    codes.ATOMIC_GROUP: lambda argument, depth: _match_sequence(argument, depth + 1),
    codes.MAX_REPEAT: _repeated,
    codes.MIN_REPEAT: _repeated,
    codes.POSSESSIVE_REPEAT: _repeated,
}


Wrong = JsonMapping
"""The places with a problem, each with what was meant there, if that is known."""
_FORMATS = {
    "date": "2024-01-31",
    "date-time": "2024-01-31T10:00:00Z",
    "time": "10:00:00",
    "email": "name@example.org",
    "uri": "https://example.org/",
    "uuid": "123e4567-e89b-12d3-a456-426614174000",
    "duration": "PT5M",
}


def example_for(prepared: Prepared, value: object, problems: Sequence[Problem]) -> str | None:
    """Return a small valid call that keeps what was right; None when none can be made from the schema.

    What was sent is corrected in place; where that is not enough, only the fields without a problem
    are kept, or none.
    """
    wrong = {one.path: _meant(prepared.shape, value, one) for one in problems}
    for make in (_corrected, _right, _nothing):
        text = _valid_text(prepared, lambda make=make: make(value, prepared.shape, wrong))  # type: ignore[misc]
        if text is not None:
            return text
    return None


def _meant(shape: Shape, value: object, problem: Problem) -> object:
    """Return the value that a hint suggests at the place of a problem; `_UNKNOWN` if it suggests
    none."""
    if not problem.hint:
        return _UNKNOWN
    try:
        meant = from_json(problem.hint)
    except ValueError:
        return _UNKNOWN
    due = shape_at(shape, problem.path)
    if (
        problem.code == "missing"
    ):  # the hint is a key that was sent; it counts if the names are similar
        *above, name = steps_of(problem.path)
        if not isinstance(meant, str) or not nearest(str(name), [meant], 1):
            return _UNKNOWN
        meant = value_at(value, [*above, meant])
    return meant if due.is_plain(meant) and _may_be_repeated(meant, due) else _UNKNOWN


_UNKNOWN = object()


def _valid_text(prepared: Prepared, make: Callable[[], object]) -> str | None:
    """Return an example as JSON, if the target accepts it and it is short."""
    try:
        text = as_json(make())
        prepared.validate(text)
    except Exception:
        return None
    return text if len(text) <= LONGEST_EXAMPLE else None


def _nothing(_value: object, shape: Shape, _wrong: Wrong) -> JsonObject:
    return _object(shape, {}, (), {})


def _right(value: object, shape: Shape, wrong: Wrong) -> JsonObject:
    """Return the fields without a problem, and the required ones."""
    tops = {path.partition(".")[0].partition("[")[0] for path in wrong}
    sent = value if isinstance(value, dict) else {}
    kept = {
        key: item
        for key, item in sent.items()
        if key in shape.fields and key not in tops and _may_be_repeated(item, shape.at(key))
    }
    return _object(shape, kept, (), {})


def _corrected(value: object, shape: Shape, wrong: Wrong) -> object:
    """Return what was sent, with a valid value wherever there is a problem."""
    if not isinstance(value, dict) or "" in wrong:
        raise ValueError("nothing to correct")
    return _correct(value, shape, wrong, ())


def _correct(value: object, shape: Shape, wrong: Wrong, path: Path) -> object:
    here = path_text(path)
    if here in wrong and path:
        return _wanted(here, shape, wrong, path)
    if len(path) >= DEEPEST_EXAMPLE:
        return value
    shape = _branch_for(value, shape)
    if isinstance(value, dict) and shape.fields:
        sent = {
            key: _correct(item, shape.at(key), wrong, (*path, key))
            for key, item in value.items()
            if key in shape.fields and _may_be_repeated(item, shape.at(key))
        }
        return _object(shape, sent, path, wrong)
    if isinstance(value, dict):
        return {k: _correct(v, shape.at(k), wrong, (*path, k)) for k, v in value.items()}
    if isinstance(value, list):
        some = value[: max(MOST_ITEMS, int(shape.schema.get("minItems") or 0))]
        return [_correct(v, shape.at(i), wrong, (*path, i)) for i, v in enumerate(some)]
    return value


def _wanted(here: str, shape: Shape, wrong: Wrong, path: Path) -> object:
    """Return a value for a place with a problem: what was meant, else what the schema allows."""
    meant = wrong.get(here, _UNKNOWN)
    if meant is not _UNKNOWN:
        return meant
    name = path[-1]
    if not isinstance(name, str):
        name = next((step for step in reversed(path) if isinstance(step, str)), "value")
    return _value(shape, name, len(path))


def _branch_for(value: object, shape: Shape) -> Shape:
    """Return the branch of a union that an object is probably meant for: by its tag, or by shared
    fields."""
    if not isinstance(value, dict) or not shape.branches:
        return shape
    by_tag = [shape.branches[index] for index in tagged(value, shape)]
    objects = by_tag or [branch for branch in shape.branches if branch.fields] or [shape]
    return max(objects, key=lambda branch: len(branch.fields.keys() & value.keys()))


def _may_be_repeated(item: object, shape: Shape) -> bool:
    """True if a value is short and not a secret."""
    secret = shape.format == "password" or shape.schema.get("writeOnly")
    return not secret and len(as_json(item)) <= LONGEST_KEPT


def _object(shape: Shape, kept: JsonObject, path: Path, wrong: Wrong) -> JsonObject:
    return {
        name: kept[name]
        if name in kept
        else _wanted(path_text((*path, name)), shape.at(name), wrong, (*path, name))
        for name in shape.fields
        if name in shape.required or name in kept
    }


def _value(shape: Shape, name: str, depth: int) -> Any:
    """Return a value that the schema names, or the plainest of the kind that is expected."""
    if shape.sample is not None and shape.sample[0] == name:
        return shape.sample[1]
    made = _made(shape, name, depth)
    if not isinstance(made, dict | list):  # containers give another value at another depth
        shape.sample = name, made
    return made


def _made(shape: Shape, name: str, depth: int) -> Any:
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
    """Return the placeholder for a text that the example cannot provide."""
    return f"<{name}>"


def _text(shape: Shape, name: str, _depth: int) -> str:
    if shape.format in _FORMATS:
        return _FORMATS[shape.format]
    pattern = shape.schema.get("pattern")
    matching = text_that_matches(pattern) if isinstance(pattern, str) else None
    text = matching or placeholder(name)
    shortest, longest = shape.schema.get("minLength") or 0, shape.schema.get("maxLength")
    text = text.ljust(min(shortest, LONGEST_EXAMPLE), "x")  # a longer one is not shown
    return text[:longest] if isinstance(longest, int) else text


def _number(shape: Shape, _name: str, _depth: int) -> float:
    """Return the smallest allowed number; 1 if there is no lower bound."""
    limits = shape.schema
    least = limits.get("minimum")
    if least is None and limits.get("exclusiveMinimum") is not None:
        least = limits["exclusiveMinimum"] + 1
    if least is None:
        most = limits.get("maximum", limits.get("exclusiveMaximum"))
        least = 1 if most is None or most > 1 else most - 1
    step = limits.get("multipleOf")
    return step * -(-least // step) if step else least


def _items(shape: Shape, name: str, depth: int) -> list[object]:
    if depth >= DEEPEST_EXAMPLE:
        return []
    count = max(int(shape.schema.get("minItems") or 1), 1)
    return [_value(shape.at(index), name, depth + 1) for index in range(min(count, 8))]


def _fields(shape: Shape, name: str, depth: int) -> JsonObject:
    return _object(shape, {}, (name,) * depth, {}) if depth < DEEPEST_EXAMPLE else {}


_PLAINEST: JsonObject = {
    "string": _text,
    "integer": _number,
    "number": _number,
    "boolean": lambda *_: True,
    "array": _items,
    "object": _fields,
    "null": lambda *_: None,
}
