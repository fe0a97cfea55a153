"""A text in; what its lines say about brackets that are missing out.

Where lines are broken by a pretty-printer, a value stands on the line of its key, unless a bracket
opens before it; and the items of a list stand on lines of their own.
"""

from __future__ import annotations

import re
import string

from zkit.text import lexis

_LIST = re.compile(rf"{lexis.STRING}|(\[[ \t]*+)(?=([^\s\]])|\n)")

_WORDS = "+-._" + string.digits + string.ascii_letters


def on_own_line(text: str, pos: int) -> bool:
    """Whether a line break parts the value at `pos` from its colon."""
    sign = lexis.last_sign(text, pos)
    return "\n" in text[sign:pos] and text[sign - 1 : sign] in (":", "=", ">")


def breaks_lists(text: str) -> bool:
    """Whether every list of the text, and there is one, has its items on lines of their own."""
    lists = [match for match in _LIST.finditer(text) if match[1]]
    return bool(lists) and not any(match[2] for match in lists)


def value_start(text: str, end: int) -> int:
    """Where the string, number or word that ends at `end` begins; `end` itself for a container."""
    quote = text[end - 1]
    if quote not in "\"'":
        return len(text[:end].rstrip(_WORDS))
    start = text.rfind(quote, 0, end - 1)
    while start > 0 and text[start - 1] == "\\":
        start = text.rfind(quote, 0, start)
    return start
