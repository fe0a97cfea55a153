"""The text of a value: JSON that is valid or broken in one way, Python, raw text, Gemma's marks."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

Spell = Callable[[Any], str]
WORD = re.compile(r"[A-Za-z_]\w*")
ESCAPE = re.compile(r"\\.")


def strict(value: Any) -> str:
    """Strict JSON, as most templates write it."""
    return json.dumps(value, ensure_ascii=False)


def pretty(value: Any) -> str:
    """Strict JSON over several lines."""
    return json.dumps(value, ensure_ascii=False, indent=2)


def python(value: Any) -> str:
    """A Python literal."""
    return repr(value)


def _json_like(
    value: Any,
    *,
    string: Spell = strict,
    key: Spell = strict,
    words: tuple[str, str, str] = ("true", "false", "null"),
    last: str = "",
) -> str:
    """Write JSON with other strings, keys, literals, or something before each closer."""

    def write(part: Any) -> str:
        if isinstance(part, dict):
            members = ", ".join(f"{key(name)}: {write(item)}" for name, item in part.items())
            return "{" + members + (last if part else "") + "}"
        if isinstance(part, list):
            return "[" + ", ".join(map(write, part)) + "]"
        if part is True or part is False or part is None:
            return words[(True, False, None).index(part)]
        return string(part) if isinstance(part, str) else strict(part)

    return write(value)


def trailing_comma(value: Any) -> str:
    """A comma before the closing brace."""
    return _json_like(value, last=",")


def raw_newline(value: Any) -> str:
    """Line breaks in strings as they are."""
    unescaped = lambda found: "\n" if found[0] == "\\n" else found[0]  # noqa: E731
    return _json_like(value, string=lambda text: ESCAPE.sub(unescaped, strict(text)))


def unquoted_keys(value: Any) -> str:
    """Keys without quotes, where they are words."""
    return _json_like(value, key=lambda name: name if WORD.fullmatch(name) else strict(name))


def python_words(value: Any) -> str:
    """True, False and None."""
    return _json_like(value, words=("True", "False", "None"))


def raw(value: Any) -> str:
    """A string as it is, anything else as JSON."""
    return value if isinstance(value, str) else strict(value)


def marked(mark: str) -> Spell:
    """Gemma's way: bare keys, no blanks, strings between two marks."""

    def write(value: Any) -> str:
        if isinstance(value, dict):
            return "{" + ",".join(f"{key}:{write(item)}" for key, item in value.items()) + "}"
        if isinstance(value, list):
            return "[" + ",".join(map(write, value)) + "]"
        return mark + value + mark if isinstance(value, str) else strict(value)

    return write


# What a model does to the JSON of a call, singly.
BROKEN: dict[str, Spell] = {
    "single quotes": python,
    "trailing comma": trailing_comma,
    "raw newline": raw_newline,
    "unquoted keys": unquoted_keys,
    "Python literals": python_words,
}
