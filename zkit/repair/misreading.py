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
    names = keys_in(value)
    if sum(map(text.count, _COLONS)) == len(names) or _names_each_once(text, names):
        return False
    keys = [string for string, colon in _STRINGS.findall(text) if colon]
    if len(set(keys)) == len(keys):
        return False
    try:
        _WITHOUT_REPEATS.decode(text)
    except (ValueError, RecursionError):
        return True
    return False


_COLONS = ('":', " :", "\n:", "\t:", "\r:")
"""What the colon of a key stands after; with as many of these as keys, none was written twice."""


def may_repeat(text: str, value: Any, fixes: Sequence[Fix]) -> bool:
    """Whether a text may say a key more often than its value holds it: a quick look."""
    said = text.count('":') + text.count('" :') + text.count("':") - text.count('\\":')
    flat = (
        isinstance(value, dict) and text.count("{") == 1
    )  # no object in it, so no walk through it
    keys = list(value) if flat else keys_in(value)
    if said == len(keys) and "quote_key" not in {fix.name for fix in fixes}:
        return False
    return len(keys) > MOST_KEYS or any(text.count(key) != keys.count(key) for key in keys)


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
