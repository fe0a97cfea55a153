"""A text whose brackets are written full-width in, the same text with those of JSON out."""

from __future__ import annotations

import re

from zkit.text.edits import Edit, Layer

_PLAIN = {"｛": "{", "｝": "}", "［": "[", "］": "]"}
_STRING = r"\"[^\"\\]*+(?:\\.[^\"\\]*+)*+\"(?=\s*+(?:[,:=，：；;}\]｝］]|\Z))"
_OPEN_STRING = r"\"[^\"\\]*+(?:\\.[^\"\\]*+)*+\\?+\Z"
_TOKEN = re.compile(rf"{_STRING}|{_OPEN_STRING}|([｛｝［］])|[\"{{\[]", re.DOTALL)
"""A string that ends well, or that the text ends in, a full-width bracket, or a mark that speaks against both."""


_OBJECT = re.compile(r"｛\s*+[\"'“\w][^｛｝{}\n]{0,80}?[:：]")
"""An opener, a key and its colon."""


def plain_brackets(text: str) -> Layer | None:
    """The text with the brackets of JSON; None where it has those, or where its strings do not end well."""
    if "｛" not in text and "［" not in text:
        return None
    edits: list[Edit] = []
    first = ""
    for match in _TOKEN.finditer(text):
        mark = match[0]
        if mark == '"':
            return None
        first = first or (mark if len(mark) == 1 else "")
        if match[1]:
            edits.append(Edit(match.start(), match.end(), _PLAIN[mark]))
    begins = first in _PLAIN or _OBJECT.search(text) is not None
    return Layer.over(text, edits) if edits and begins else None
