"""A receipt in; whether another edit beside a quote explains what one of its fixes explains out.

A mark and a quote may have changed places, or one may stand for the other. Then the fix is right for
one of several texts that were meant, and nobody can tell which.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from zkit.receipt import Fix
from zkit.repair.evidence import Evidence
from zkit.text import lexis

_LAST_LINE = re.compile(r"([ \t]*+)[}\]]")
_OPENER = {"}": "{", "]": "["}
_EMPTY_PAIR = re.compile(r"[{\[][}\]]\Z")
_PAIR = re.compile(r"\"[^\"\\]*+\"\s*+,\s*+\"[^\"\\]*+\"\s*+(.?)")
_CODE = re.compile(r"\\\"u[0-9a-fA-F]{4}")


def may_be_another(text: str, fixes: Sequence[Fix], evidence: Evidence | None = None) -> bool:
    """Whether one of the fixes has a rival at the quote that it stands beside.

    Before a colon, a key that the schema knows is nothing else.
    """
    for fix in fixes:
        sign = _SIGNS.get(fix[0])
        if sign is not None and sign(text, fix) and not _is_named(text, fix, evidence):
            return True
    return False


def _is_named(text: str, fix: Fix, evidence: Evidence | None) -> bool:
    """Whether a colon was written, or a value opened, after a key that the schema knows."""
    if evidence is None or not evidence.names:
        return False
    if fix.name == "add_opening_quote":
        key = _BARE_KEY.search(text, max(0, fix.start - 80), fix.start)
        return key is not None and key[1] in evidence.names
    if fix.new != ":":
        return False
    return _content_before(text, lexis.last_sign(text, fix.start) - 1) in evidence.names


def past_line(text: str, fix: Fix) -> bool:
    """Whether a string ends in its only line break, which its layout puts behind the quote.

    The string is a line of its own, indented, and a closer follows that is due on a line further left.
    """
    if not text.endswith('\n"', fix.start, fix.end) or text.find("\n", fix.start) != fix.end - 2:
        return False
    last = _LAST_LINE.match(text, fix.end)
    line = text.rfind("\n", 0, fix.start) + 1
    return last is not None and text[line : line + len(last[1]) + 1].isspace()


def _number_before(text: str, fix: Fix) -> bool:
    """Whether a comma was added between a lone digit and a quote that touch: the digit may be the string's."""
    at = fix.start
    if not text.startswith('"', at) or not text[at - 1].isdigit() or text[at - 2].isdigit():
        return False
    return lexis.KEY_AHEAD.match(text, at) is None


def _lacked_inside(text: str, fix: Fix) -> bool:
    """Whether a closer was dropped right after a string that opens what it does not close."""
    closer = text[fix.start]
    if closer not in _OPENER or text[fix.start - 1] != '"':
        return False
    content = _content_before(text, fix.start - 1)
    return content.count(_OPENER[closer]) > content.count(closer)


def _content_before(text: str, quote: int) -> str:
    """The content of the string that ends at a quote."""
    start = text.rfind('"', 0, quote)
    while start > 0 and text[start - 1] == "\\":
        start = text.rfind('"', 0, start)
    return text[start + 1 : quote]


def _uneven(_: str, fix: Fix) -> bool:
    """Whether a content is short of one bracket where a quote was dropped: the quote may stand for it."""
    content = fix.new[1:-1]
    return any(abs(content.count(a) - content.count(b)) == 1 for a, b in ("{}", "[]"))


def _ends_in_mark(_: str, fix: Fix) -> bool:
    """Whether a content without its quote ends in a mark that may stand for it."""
    content = fix.new[1:-1]
    return content.endswith(":") or (len(content) > 2 and _EMPTY_PAIR.search(content) is not None)


def _coded(text: str, fix: Fix) -> bool:
    """Whether a backslash before the opening quote may belong to the letter after it."""
    return _CODE.match(text, fix.start) is not None


def _item_before(text: str, fix: Fix) -> bool:
    """Whether a colon was written for a comma between two strings: both may be items, their brackets missing."""
    if fix.new != ":" or text[fix.start] != ",":
        return False
    pair = _PAIR.match(text, text.rfind('"', 0, max(0, fix.start - 1)))
    if pair is None:
        return False
    before = lexis.last_sign(text, pair.start())
    return text[before - 1] == "," or pair[1] == "}"


def _bare_member(text: str, fix: Fix) -> bool:
    """Whether a value without its quote stands under a key without quotes, where others have them."""
    key = _BARE_KEY.search(text, max(0, fix.start - 80), fix.start)
    if key is None:
        return False
    since = max(0, key.start() - _NEAR)
    return _QUOTED_KEY.search(text, since, key.start()) is not None


_NEAR = 2000
"""How far back it is asked how other keys are written."""
_BARE_KEY = re.compile(rf"(?<=[\s,])({lexis.NAME})\s*+:\s*+\Z")
_QUOTED_KEY = re.compile(r"[{,]\s*+\"[^\"\\\n]{1,80}+\"\s*+:")

_SIGNS: dict[str, Callable[[str, Fix], bool]] = {
    "add_comma": _number_before,
    "drop_closer": _lacked_inside,
    "drop_extra_quote": _uneven,
    "add_closing_quote": _ends_in_mark,
    "add_opening_quote": _bare_member,
    "escape_control_character": past_line,
    "use_double_quotes": _coded,
    "replace_punctuation": _item_before,
}
"""The fixes that may have a rival, and the sign of it."""
