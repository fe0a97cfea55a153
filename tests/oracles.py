"""What readers independent of zkit make of a text, and how two values compare."""

from __future__ import annotations

import re
from typing import Any

from pydantic_core import from_json

STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
OPEN_NUMBER = re.compile(r"(?:-|-?[0-9][-+.eE0-9]*)\Z")


def alike(left: Any, right: Any) -> bool:
    """Return whether two values are equal; 1, True and 1.0 differ, and the order of keys counts."""
    if isinstance(left, dict) and isinstance(right, dict):
        return list(left) == list(right) and all(alike(left[key], right[key]) for key in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(alike, left, right))
    return type(left) is type(right) and bool(left == right)


def is_part(value: Any, whole: Any) -> bool:
    """True if a value is a part of the whole; strings may be cut."""
    if isinstance(value, dict) and isinstance(whole, dict):
        return all(key in whole and is_part(item, whole[key]) for key, item in value.items())
    if isinstance(value, list) and isinstance(whole, list):
        return len(value) <= len(whole) and all(map(is_part, value, whole))
    if isinstance(value, str) and isinstance(whole, str):
        return whole.startswith(value)
    return alike(value, whole)


def strings_of(value: Any) -> set[str]:
    """Every string in a value, keys included."""
    if isinstance(value, dict):
        return set(value).union(*(strings_of(item) for item in value.values()))
    if isinstance(value, list):
        return set[str]().union(*(strings_of(item) for item in value))
    return {value} if isinstance(value, str) else set()


def ends_in_string(prefix: str) -> bool:
    """Whether the beginning of a JSON text ends inside a string."""
    return '"' in STRING.sub("", prefix)


def said_so_far(prefix: str) -> Any:
    """Return the value of the beginning of a JSON text, as jiter reads it, without a number that
    may go on."""
    if not ends_in_string(prefix):
        prefix = OPEN_NUMBER.sub("", prefix)
    return from_json(prefix, allow_partial="trailing-strings")
