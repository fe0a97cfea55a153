"""Find where a comment ends."""

from __future__ import annotations

import re

from zkit.text import remembered

# What opens a comment, and what ends it; the end of a line is no part of it.
_OPENERS = {"//": "\n", "#": "\n", "-- ": "\n", "--\t": "\n", "/*": "*/", "<!--": "-->"}
COMMENT_OPENS = re.compile("|".join(map(re.escape, _OPENERS)))
# The same at the end of a text, which may have been cut.
_LAST_OPENERS = _OPENERS | {"--": "\n", "<!": "-->"}
_FIRST = frozenset("/#-<.")
_LAST = re.compile(r"/\Z|\.{1,3}\s*+\Z")


def comment_end(text: str, pos: int) -> int | None:
    """Return the end of the comment that opens at `pos`; None if there is none, or it never ends."""
    if text[pos : pos + 1] not in _FIRST:
        return None
    for opener, closer in _OPENERS.items():
        if text.startswith(opener, pos):
            end = remembered.find(text, closer, pos + len(opener))
            if closer == "\n":
                return len(text) if end < 0 else end
            return None if end < 0 else end + len(closer)
    return None


def ends_in_comment(text: str, pos: int) -> bool:
    """True if a comment, or an ellipsis, opens at `pos` that the text ends in."""
    if text[pos : pos + 1] not in _FIRST:
        return False
    for opener, closer in _LAST_OPENERS.items():
        if text.startswith(opener, pos) and remembered.find(text, closer, pos + len(opener)) < 0:
            return True
    return _LAST.match(text, pos) is not None
