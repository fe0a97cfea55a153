"""A value that a structural fix made in, the signs that it is a misreading out."""

from __future__ import annotations

import re
from collections.abc import Sequence

from zkit.receipt import Fix
from zkit.repair.fixes import COMPLETE, GUESS
from zkit.text import lexis

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


def may_be_key(text: str, fixes: Sequence[Fix]) -> bool:
    """Whether a colon became a comma beside another fix of the structure: it may follow a key, a closer missing."""
    structural = [fix for fix in fixes if fix.rank >= COMPLETE]
    return len(structural) > 1 and any(
        fix.new == "," and text.startswith(":", fix.start) for fix in structural
    )


def reads_content(fixes: Sequence[Fix]) -> bool:
    """Whether backslashes were dropped between tokens beside a guess: these may be the content of a string."""
    dropped = len(fixes) > 1 and any(fix.name == "drop_backslash" for fix in fixes)
    return dropped and any(fix.rank >= GUESS for fix in fixes)


def changed_places(text: str, fixes: Sequence[Fix]) -> bool:
    """Whether a mark was added beside a string that ends, or a key that begins with one.

    The mark may have changed places with the quote.
    """
    for fix in fixes:
        if fix.rank >= COMPLETE and (
            _begins_with_mark(text, fix)
            or (fix.name in _ADDED and _ends_in(text, fix))
            or (fix.name == "open_in_middle" and _opens_inside(text, fix))
        ):
            return True
    return False


_ADDED = frozenset({"add_comma", "close_at_end", "close_in_middle", "add_closer"})


def _ends_in(text: str, fix: Fix) -> bool:
    """Whether the string before a fix ends in the mark that the fix adds, and did not open it."""
    end, mark = lexis.last_sign(text, fix.start), fix.new[:1]
    if not mark or not text.endswith(f'{mark}"', 0, end):
        return False
    start = text.rfind('"', 0, end - 1)
    while text.endswith("\\", 0, max(start, 0)):
        start = text.rfind('"', 0, start)
    content = text[start + 1 : end - 1]
    return mark == "," or content.count(mark) > content.count("{" if mark == "}" else "[")


def _opens_inside(text: str, fix: Fix) -> bool:
    """Whether the string after an opener begins with the same mark, and does not close it."""
    opener = lexis.skip_spaces(text, fix.end)
    if not text.startswith(f'"{fix.new}', opener):
        return False
    content = text[opener + 1 : text.find('"', opener + 1)]
    return content.count(fix.new) > content.count("}" if fix.new == "{" else "]")


_NEXT_KEY = re.compile(rf"{lexis.SPACE}\"([,;{{}}\[\]][^\"\\\n]{{0,80}}+)\"{lexis.SPACE}:")


def _begins_with_mark(text: str, fix: Fix) -> bool:
    """Whether the key after a fix, or the item after a comma, begins with a mark that belongs before it."""
    key = _NEXT_KEY.match(text, fix.end)
    if key is None:
        return fix.name == "add_comma" and text.startswith('",', fix.end)
    name = key.group(1)
    return name[0] in ",;" or any(name.count(a) != name.count(b) for a, b in ("{}", "[]"))
