"""A value that a structural fix made in, the signs that it is a misreading out."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from zkit.receipt import Fix
from zkit.repair.fixes import COMPLETE
from zkit.text import lexis

HARMLESS = frozenset(
    {"add_comma", "drop_comma", "add_colon", "drop_colon", "close_at_end", "drop_ellipsis"}
)
"""Fixes of the structure that move no boundary."""


def rearranged(fixes: Sequence[Fix]) -> bool:
    """Whether a fix moved a boundary, so that members may have landed in the wrong object."""
    return any(fix.rank >= COMPLETE and fix.name not in HARMLESS for fix in fixes)


def comma_inside(text: str, fixes: Sequence[Fix]) -> bool:
    """Whether a comma was added after a string that ends in one: the two marks may have changed places."""
    return any(fix.name == "add_comma" and text.endswith(',"', 0, fix.start) for fix in fixes)


def repeats_a_key(text: str, value: Any) -> bool:
    """Whether an object of the JSON text holds one key twice; `value` is what the text says."""
    flat = type(value) is dict and text.count("{") == 1
    held = len(value) if flat else _number_of_keys(value)
    if (
        held == text.count(":")
        or held == _most_keys(text)
        or _names_each_once(text, keys_in(value))
    ):
        return False
    keys = [string for string, colon in _STRINGS.findall(text) if colon]
    if len(set(keys)) == len(keys):
        return False
    try:
        _WITHOUT_REPEATS.decode(text)
    except (ValueError, RecursionError):
        return True
    return False


def _most_keys(text: str) -> int:
    """At least as many as there are keys in the JSON text, and hardly ever more."""
    colons = text.count('":') + len(_SPACED_COLON.findall(text))
    if '\\":' in text:  # in a string, unless two backslashes end a key
        colons += text.count('\\\\":') - text.count('\\":')
    return colons


_SPACED_COLON = re.compile(r"\"[ \t\n\r]++:")


def _number_of_keys(value: Any) -> int:
    """How many keys the objects in a value have."""
    number = 0
    todo = [value] if type(value) in _CONTAINERS else []
    for part in todo:
        if type(part) is dict:
            number += len(part)
            part = part.values()
        for inner in part:
            if type(inner) is dict or type(inner) is list:
                todo.append(inner)
    return number


MOST_KEYS = 32
"""How many keys are looked up in the text one by one."""


def _names_each_once(text: str, keys: list[str]) -> bool:
    """Whether the text says each key of a value as often as the value: then none was overwritten."""
    if len(keys) > MOST_KEYS:
        return False
    return all(text.count(f'"{key}"') == keys.count(key) for key in keys)


def keys_in(value: Any) -> list[str]:
    """The keys of all objects in a value."""
    keys: list[str] = []
    todo = [value] if type(value) in _CONTAINERS else []
    for part in todo:
        if isinstance(part, dict):
            keys += part
            part = part.values()
        todo += [inner for inner in part if type(inner) in _CONTAINERS]
    return keys


_CONTAINERS = (dict, list)


def _unique(pairs: list[tuple[str, Any]]) -> None:
    if len(dict(pairs)) != len(pairs):
        raise ValueError


_STRINGS = re.compile(rf"({lexis.STRING}){lexis.SPACE}(:?+)")
_WITHOUT_REPEATS = json.JSONDecoder(object_pairs_hook=_unique)
