"""What may come after a value: the evidence that something ended where it seems to."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from zkit.repair.search.reading import Frame
from zkit.text import lexis

if TYPE_CHECKING:
    from zkit.repair.search.reader import Reader

_ITEM_AHEAD = re.compile(rf"{lexis.GAP},{lexis.GAP}(?=[\"'`“{{\[\]]|[+.-]?[0-9]|[tfnTFN])")
_GAP = re.compile(lexis.GAP)
_COMMA_END = re.compile(rf"{lexis.GAP}{lexis.COMMAS}{lexis.GAP}\Z")
_HALF_KEY = re.compile(rf"{lexis.GAP}{lexis.COMMAS}{lexis.GAP}[\"'][^\"'\n]{{0,80}}+[\"']?+\s*+\Z")
_HALF_QUOTED = re.compile(rf"{lexis.GAP},{lexis.GAP}({lexis.NAME})[\"']{lexis.GAP}:")
_LONE_KEY = re.compile(rf"{lexis.GAP},{lexis.GAP}\"([^\"\\\n]{{1,80}}+)\"")
_QUOTED_KEY = re.compile(rf"{lexis.GAP}(\"[^\"\\\n]{{1,80}}+\"|'[^'\\\n]{{1,80}}+'){lexis.GAP}:")
_AROUND = re.compile(r"[ \t]*+(?:\Z|\n|```|~~~|<|[;)]++[ \t]*+(?:\Z|\n|```)|\[/)")
_STRUCTURE = re.compile(r"[\s}\])]*+[\",:]")
_QUOTE_REST = re.compile(r"[ \t]*+[\"']")
_KEY_REST = re.compile(r"\\|[ \t]*+[\w$. -]{1,60}+[\"']\s*+:|[\s}\])]*+[\"']\s*+[,:}\]]")


def follows(reader: Reader, frame: Frame | None, pos: int) -> bool:
    """Whether what stands at `pos` may come after a value in `frame`."""
    text = reader.text
    while frame is not None:
        pos = _GAP.match(text, pos).end()  # type: ignore[union-attr]
        mark = text[pos : pos + 1]
        if mark == "," or not mark:
            return not mark or _another(reader, frame, pos) or _cut_after_comma(text, frame, pos)
        if mark != frame.closer:
            return False
        pos += 1
        if frame.doubled and text.startswith("}", pos):
            pos += 1
        frame = frame.parent
    return _AROUND.match(text, pos) is not None and not _STRUCTURE.match(text, pos)


def _cut_after_comma(text: str, frame: Frame, pos: int) -> bool:
    """Whether the text ends after the comma, or in the key after it."""
    if _COMMA_END.match(text, pos):
        return True
    return frame.kind == "{" and _HALF_KEY.match(text, pos) is not None


def _another(reader: Reader, frame: Frame, pos: int) -> bool:
    """Whether another member or item comes after the comma at `pos`."""
    if frame.kind != "{":
        match = _ITEM_AHEAD.match(reader.text, pos)
        return match is not None and not _quoted_key_at(reader.text, match.end())
    match = lexis.NEXT_KEY.match(reader.text, pos)
    if match is not None:
        key = match.group(1)
        return key is None or known(reader, frame, key)
    half = _HALF_QUOTED.match(reader.text, pos)
    if half is not None and known(reader, frame, half.group(1)):
        return True
    lone = _LONE_KEY.match(reader.text, pos) if reader.guided and frame.expect.closed else None
    return lone is not None and lone.group(1) in frame.expect.keys


def _quoted_key_at(text: str, pos: int) -> bool:
    return text[pos : pos + 1] in "\"'" and lexis.KEY_AHEAD.match(text, pos) is not None


def known(reader: Reader, frame: Frame, key: str) -> bool:
    """Whether the schema lets this key stand in the frame."""
    if not reader.guided or not frame.expect.closed:
        return True
    return key.strip("\"'`“”„＂「」*:") in frame.expect.keys


def key_follows(reader: Reader, frame: Frame | None, pos: int) -> bool:
    """Whether a quoted key stands at `pos`, only its comma missing."""
    if frame is None or frame.kind != "{":
        return False
    match = _QUOTED_KEY.match(reader.text, pos)
    return match is not None and known(reader, frame, match.group(1))


def goes_on(text: str, start: int, pos: int) -> bool:
    """Whether the text after a root from `start` to `pos` reads as more of the value."""
    if text[pos : pos + 1] in _NEVER_MORE or _ESCAPED_END.match(text, pos):
        return False
    if text[start - 1 : start] not in ('"', "'", "`") and _QUOTE_REST.match(text, pos):
        return True
    return _KEY_REST.match(text, pos) is not None


def member_follows(text: str, pos: int) -> bool:
    """Whether another member comes after a closed root, with its comma or without."""
    return _MEMBER_NEXT.match(text, pos) is not None


def quoted_member_follows(text: str, pos: int) -> bool:
    """The same of a member whose key stands between quotes, and so is no word of a sentence."""
    return _QUOTED_MEMBER_NEXT.match(text, pos) is not None


_NEVER_MORE = frozenset("{[<`;(")
_ESCAPED_END = re.compile(r"\s*+\\(?:[nrt\s\\]|\Z)[nrt\s\\]*+\Z")
"""Nothing but white space up to the end, some of it escaped."""
_QUOTED_MEMBER = (
    rf"{lexis.GAP},?+(?:{lexis.GAP}#[^\n]{{0,500}}+\n)*+{_QUOTED_KEY.pattern}"
    rf"|{lexis.GAP},{lexis.GAP}\"[^\"\\\n]{{1,80}}+\"{lexis.GAP}[\"{{\[0-9-]"
)
"""A member with its comma or without, a comment before it perhaps; or one without its colon."""
_QUOTED_MEMBER_NEXT = re.compile(_QUOTED_MEMBER)
_MEMBER_NEXT = re.compile(
    rf"{lexis.GAP},{lexis.GAP}{lexis.KEYISH}{lexis.GAP}{lexis.COLONS}|{_QUOTED_MEMBER}"
)
