"""A value that a structural fix made in, the signs that it is a misreading out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from zkit.receipt import Fix
from zkit.repair.fixes import COMPLETE

HARMLESS = frozenset(
    {"add_comma", "drop_comma", "add_colon", "drop_colon", "close_at_end", "drop_ellipsis"}
)
"""Fixes of the structure that move no boundary."""


def rearranged(fixes: Sequence[Fix]) -> bool:
    """Whether a fix moved a boundary, so that members may have landed in the wrong object."""
    return any(fix.rank >= COMPLETE and fix.name not in HARMLESS for fix in fixes)


_OPENED = frozenset({"open_in_middle", "replace_opener"})
_CLOSED = frozenset({"close_in_middle", "add_closer"})


def made_up(fixes: Sequence[Fix]) -> bool:
    """Whether one container was opened and one closed where the text does neither."""
    names = {fix.name for fix in fixes}
    return not names.isdisjoint(_OPENED) and not names.isdisjoint(_CLOSED)


def changed_places(text: str, fixes: Sequence[Fix]) -> bool:
    """Whether a mark was added after a string that ends in it: the quote and the mark may have changed places."""
    return any(_ends_in(text, fix) for fix in fixes if fix.name in _ADDED)


_ADDED = frozenset({"add_comma", "close_at_end", "close_in_middle", "add_closer"})


def _ends_in(text: str, fix: Fix) -> bool:
    """Whether the string before a fix ends in the mark that the fix adds, and did not open it."""
    end, mark = len(text[: fix.start].rstrip()), fix.new[:1]
    if not mark or not text.endswith(f'{mark}"', 0, end):
        return False
    start = text.rfind('"', 0, end - 1)
    while text.endswith("\\", 0, max(start, 0)):
        start = text.rfind('"', 0, start)
    content = text[start + 1 : end - 1]
    return mark == "," or content.count(mark) > content.count("{" if mark == "}" else "[")


_MAYBE_ODD_KEY = re.compile(r"[,;\\{\[](?:\"\s*+:|(?<=\"[,;\\{\[])[^\"\n]{0,80}+\"\s*+:)")


def has_odd_key(json: str, value: Any) -> bool:
    """Whether a key begins or ends in a mark that belongs outside of it, or opens a bracket and leaves it so."""
    todo = [value] if _MAYBE_ODD_KEY.search(json) else []
    for part in todo:
        if isinstance(part, dict):
            if any(
                key[:1] in _OUTSIDE or key[-1:] in _OUTSIDE or _uneven(key) for key in part if key
            ):
                return True
            todo += part.values()
        elif isinstance(part, list):
            todo += part
    return False


_OUTSIDE = frozenset(',;"\\')


def _uneven(key: str) -> bool:
    return any(key.count(a) != key.count(b) for a, b in ("{}", "[]"))
