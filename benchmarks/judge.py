"""Compares a result with the truth: right, wrong, shape or refused; for a cut clean, invented or lost."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from benchmarks.damage import Case
from benchmarks.tokens import Path

REFUSED = object()


def same(left: Any, right: Any) -> bool:
    """Python equality, but a bool is no number; 7 is 7.0."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(same(left[key], right[key]) for key in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(same, left, right))
    return (type(left) is type(right) and left == right) or _same_number(left, right)


def _same_number(left: Any, right: Any) -> bool:
    return isinstance(left, (int, float)) and isinstance(right, (int, float)) and left == right


def judge(value: Any, truth: Any) -> str:
    """right, refused, shape (not even an object, which a caller notices) or wrong."""
    if value is REFUSED:
        return "refused"
    if same(value, truth):
        return "right"
    return "wrong" if isinstance(value, type(truth)) else "shape"


def judge_absent(value: Any) -> str:
    """For a text without JSON: wrong when an object or a list came out of it, else right."""
    return "wrong" if isinstance(value, (dict, list)) else "right"


def is_demanded(case: Case, value: Any, note: str, *, lossy: bool = False) -> bool:
    """Whether the rules ask for this answer, which is not what was meant, when no schema is given.

    A text that is one valid JSON string is left alone; of several different objects none is chosen;
    a string that runs to the end of the text makes it a cut one; and dots say that data is missing.
    """
    damages = case.name.split("+")
    if "ellipsis" in damages and (lossy or value is REFUSED):
        return True
    if lossy:
        return "missing_close_quote_value" in damages and "keep_open_string" in note
    if value is REFUSED:
        return "draft_object" in damages and note.startswith("several")
    return isinstance(value, str) and _is_string(case.text, value)


def _is_string(text: str, value: str) -> bool:
    try:
        return bool(json.loads(text) == value)
    except ValueError:
        return False


# ── cuts ──────────────────────────────────────────────────────────────────────


def judge_cut(value: Any, case: Case) -> str:
    """clean, invented (something the text did not say), lost (something it said in full), refused."""
    if value is REFUSED:
        return "refused"
    prefixes: list[Path] = []
    if not _is_part(value, case.payload.truth, (), case, prefixes):
        return "invented"
    if len(prefixes) > 1 or (prefixes and prefixes[0] != _last_leaf(value)):
        return "invented"
    return "clean" if all(_holds(value, path, leaf) for path, leaf in case.leaves) else "lost"


def _is_part(value: Any, truth: Any, path: Path, case: Case, prefixes: list[Path]) -> bool:
    if path not in case.begun:
        return False
    if isinstance(value, dict) and isinstance(truth, dict):
        return all(
            key in truth and _is_part(item, truth[key], (*path, key), case, prefixes)
            for key, item in value.items()
        )
    if isinstance(value, list) and isinstance(truth, list):
        return len(value) <= len(truth) and all(
            _is_part(item, truth[at], (*path, at), case, prefixes) for at, item in enumerate(value)
        )
    if isinstance(value, str) and isinstance(truth, str) and value != truth:
        prefixes.append(path)
        return truth.startswith(value)
    return same(value, truth)


def _last_leaf(value: Any, path: Path = ()) -> Path:
    while isinstance(value, (dict, list)) and value:
        step: Any = list(value)[-1] if isinstance(value, dict) else len(value) - 1
        value, path = value[step], (*path, step)
    return path


def _holds(value: Any, path: Path, leaf: Any) -> bool:
    for step in path:
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError):
            return False
    return same(value, leaf)


# ── collateral and fit ────────────────────────────────────────────────────────


def changed_string(value: Any, truth: Any) -> bool:
    """Whether a string of the truth came out as another string at the same place."""
    if isinstance(value, dict) and isinstance(truth, dict):
        return any(changed_string(value[key], truth[key]) for key in truth if key in value)
    if isinstance(value, list) and isinstance(truth, list):
        return any(map(changed_string, value, truth))
    return isinstance(value, str) and isinstance(truth, str) and value != truth


TYPES: Mapping[str, Callable[[Any], bool]] = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
    "number": lambda value: isinstance(value, (int, float)) and not isinstance(value, bool),
    "integer": lambda value: (
        not isinstance(value, bool)
        and (isinstance(value, int) or (isinstance(value, float) and value.is_integer()))
    ),
}


def fits(schema: Mapping[str, Any], value: Any) -> bool:
    """Whether the value satisfies the schema (the part of JSON Schema that our tools use)."""
    return all(_checks(schema, value))


def _checks(schema: Mapping[str, Any], value: Any) -> Iterator[bool]:
    if "anyOf" in schema:
        yield any(fits(option, value) for option in schema["anyOf"])
    if "type" in schema:
        names = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
        yield any(TYPES[name](value) for name in names)
    if "enum" in schema:
        yield value in schema["enum"]
    if isinstance(value, list):
        yield all(fits(schema.get("items", {}), item) for item in value)
    if isinstance(value, dict):
        yield all(key in value for key in schema.get("required", ()))
        yield from (_member_fits(schema, key, item) for key, item in value.items())


def _member_fits(schema: Mapping[str, Any], key: str, item: Any) -> bool:
    known = schema.get("properties", {})
    if key in known:
        return fits(known[key], item)
    rest = schema.get("additionalProperties", True)
    return rest if isinstance(rest, bool) else fits(rest, item)
