"""A text with the marks of a terminal in, the same text without them out: colour codes, and shell quotes."""

from __future__ import annotations

import re

from zkit.text.edits import Edit, Layer

_ESC = r"(?:\x1b\[|\x9b|\\(?:x1[bB]|u001[bB]|033|e)\[|␛\[|\^\[\[)"
_CODE = rf"{_ESC}[0-9;]{{0,12}}+[mKJH]"
_ANY_CODE = rf"(?:{_CODE}|\[[0-9;]{{1,12}}+m)"
"""A code, or what is left of one without its first character."""
_CODES = re.compile(_ANY_CODE)
_END = rf"(?=\s*+(?:[,:=}}\]]|{_ESC}|\Z))"
_STRING = rf"\"[^\"\\]*+(?:\\.[^\"\\]*+)*+\"{_END}"
_TOKEN = re.compile(rf"{_STRING}|((?:{_CODE})++)|([\"'])", re.DOTALL)
"""A string that ends well, colour codes, or a quote that speaks against it."""
_LEAD = re.compile(rf"[^{{\[\"'\x1b\x9b\\␛^]{{0,200}}+((?:{_ANY_CODE})++)(?=\s*+[{{\[\"'`])")
_TRAIL = re.compile(rf"[}}\]][\"'`]?+\s*+((?:{_ANY_CODE})++)\s*+\Z")
_MOST_TRAIL = 300


_BEGINS = re.compile(rf"\s*+{_ANY_CODE}")


def begins_coloured(text: str) -> bool:
    """Whether a colour code is the first thing in a text: its bracket opens no list."""
    return _BEGINS.match(text) is not None


def without_colours(text: str) -> Layer | None:
    """The text without the colour codes that stand outside of its strings; None when there are none."""
    if not _CODES.search(text):
        return None
    edits = _between_tokens(text) or _around(text)
    return Layer.over(text, edits) if edits else None


def _between_tokens(text: str) -> list[Edit]:
    """What drops the codes of a text whose strings all end well."""
    found: list[Edit] = []
    for match in _TOKEN.finditer(text):
        if match[2]:
            return []
        if match[1]:
            found.append(Edit(match.start(), match.end(), ""))
    return found


def _around(text: str) -> list[Edit]:
    """What drops the codes before the first bracket of a text and after its last one."""
    near = max(0, len(text) - _MOST_TRAIL)
    places = [match for match in (_LEAD.match(text), _TRAIL.search(text, near)) if match]
    return [Edit(match.start(1), match.end(1), "") for match in places]


_OPENS = re.compile(r"(?:(?<=[\s=(,@])|\A)'(?=\s*+[{\[])")
_QUOTE = re.compile(r"'(?:\\''|\"'\"')|'")
_ENDS = re.compile(r"[}\]]\s*+'\Z")


def without_shell_quotes(text: str) -> Layer | None:
    """The text with the apostrophes that a shell wants as `'\\''` between two others; None without such."""
    opens = _OPENS.search(text) if "'\\''" in text or "'\"'\"'" in text else None
    if opens is None:
        return None
    found: list[Edit] = []
    for match in _QUOTE.finditer(text, opens.end()):
        if len(match[0]) == 1:
            before = text[max(0, match.start() - 40) : match.end()]
            return Layer.over(text, found) if found and _ENDS.search(before) else None
        found.append(Edit(match.start(), match.end(), "'"))
    return None
