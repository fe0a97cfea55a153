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


def repeats_a_key(text: str, value: Any) -> bool:
    """Whether an object of the JSON text holds one key twice; `value` is what the text says."""
    colons = sum(map(text.count, _COLONS))
    if colons == _keys(value):  # one colon for each key that is left: none was written twice
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
"""The colon of a key; in a string there may be more of them."""


def _keys(value: Any) -> int:
    """How many keys the objects of a value have."""
    total = 0
    todo = [value]
    for part in todo:
        if isinstance(part, dict):
            total += len(part)
            todo += part.values()
        elif isinstance(part, list):
            todo += part
    return total


def _unique(pairs: list[tuple[str, Any]]) -> None:
    if len(dict(pairs)) != len(pairs):
        raise ValueError


_STRINGS = re.compile(rf"({lexis.STRING}){lexis.SPACE}(:?+)")
_WITHOUT_REPEATS = json.JSONDecoder(object_pairs_hook=_unique)
