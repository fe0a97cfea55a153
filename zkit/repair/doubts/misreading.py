"""A value that a structural fix made in, the signs that it is a misreading out."""

from __future__ import annotations

from collections.abc import Sequence

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


def comma_inside(text: str, fixes: Sequence[Fix]) -> bool:
    """Whether a comma was added after a string that ends in one: the two marks may have changed places."""
    places = [fix.start for fix in fixes if fix.name == "add_comma"]
    return bool(places) and any(text.endswith(',"', 0, at) for at in places)
