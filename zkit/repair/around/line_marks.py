"""A text whose lines begin with marks in (a quotation, a listing with numbers), the text without them out."""

from __future__ import annotations

import re
from itertools import count

from zkit.text.edits import Edit, Layer

_QUOTED = r"[ \t]*+(?:(?:>[ \t]?+)++|(?:[|*+#]|//)[ \t]?+)"
_NUMBERED = r"[ \t]*+L?+([0-9]{1,6}+)(?:[ \t]?+[|:)]|\.(?=[ \t])|[ \t])[ \t]?+"
_MARKS = (re.compile(_QUOTED), re.compile(_NUMBERED))
_FIRST = re.compile(rf"^(?:{_QUOTED}|{_NUMBERED})(?=[{{\[][ \t]*+\r?+\n)", re.MULTILINE)
"""A marked line that holds nothing but the opener of a value."""


def unmarked(text: str) -> Layer | None:
    """The text without the marks of the lines that hold a value; None when there are none."""
    edits: list[Edit] = []
    at = 0
    while (first := _FIRST.search(text, at)) is not None:
        block = _block(text, first)
        edits += block if len(block) > 1 else ()
        at = block[-1].end
    return Layer.over(text, edits) if edits else None


def begins_marked(text: str, start: int) -> bool:
    """Whether a value begins in a line that begins with a mark."""
    return _FIRST.match(text, text.rfind("\n", 0, start) + 1) is not None


def _block(text: str, first: re.Match[str]) -> list[Edit]:
    """What drops the marks of consecutive lines, numbered ones in their order."""
    numbered = first.group(1) is not None
    mark, at = _MARKS[numbered], first.start()
    found: list[Edit] = []
    for number in count(int(first.group(1) or 0)):
        match = mark.match(text, at)
        if match is None or (numbered and int(match.group(1)) != number):
            break
        found.append(Edit(match.start(), match.end(), ""))
        at = text.find("\n", match.end()) + 1
        if not at:
            break
    return found
