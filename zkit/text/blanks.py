"""White space of JSON and of any other kind: patterns, and functions that skip it."""

from __future__ import annotations

import re

SPACE = r"[ \t\n\r]*+"
# Control characters, other kinds of spaces, and invisible characters such as direction marks.
ODD = r"\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\xa0\xad\u061c\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff"
# White space of any kind, as much as there is.
ANY_SPACE = rf"[ \t\n\r{ODD}]*+"
SPACES = re.compile(SPACE)
BLANK = re.compile(ANY_SPACE)


def skip_spaces(text: str, pos: int) -> int:
    """Return the first position from `pos` on that is not JSON white space."""
    return SPACES.match(text, pos).end()  # type: ignore[union-attr]


def last_sign(text: str, end: int) -> int:
    """Return the position after the last character before `end` that is not JSON white space."""
    while end and text[end - 1] in " \t\n\r":
        end -= 1
    return end


def skip_blank(text: str, pos: int) -> int:
    """Return the first position from `pos` on that is not white space of any kind."""
    return BLANK.match(text, pos).end()  # type: ignore[union-attr]
