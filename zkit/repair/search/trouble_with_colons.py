"""A colon after a value: the value is a key, and a bracket before it is missing or wrong. Other ways to go on."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from zkit.repair.search.follow import follows, known
from zkit.repair.search.reading import KEY, VALUE, Before, Closed, Frame, Reading
from zkit.repair.search.rereading import last_closed
from zkit.text import lexis

if TYPE_CHECKING:
    from zkit.repair.search.reader import Reader

_DOUBLE_BRACKET = re.compile(rf"\[{lexis.SPACE}\[")
_MARKS = re.compile(r"[\]}]")
MOST_KEY = 200
_KEY_BEFORE = re.compile(rf"([\"'][^\"'\\\n]{{1,80}}+[\"']){lexis.SPACE}:{lexis.SPACE}\Z")
ONE_VALUE = re.compile(
    rf"{lexis.GAP}(?:{lexis.SCALAR}|True|False|None|'[^'\n]*+'|[“„][^“”\n]*+[“”]|«[^»\n]*+»|`[^`]*+`|[-+]?[0-9][\w.]*+)"
)
"""A scalar in one of the common spellings."""


def key_for_value(reader: Reader, reading: Reading, colon: int) -> list[Reading]:
    """A string under a key is followed by a colon: it is that key again, or another one whose brace is missing."""
    if reading.recent and _is_key_again(reader.text, reading.recent[0].pos, reading.pos):
        other = Reading.back_to(reading.recent[0])
        other.note("drop_repeated_key", other.pos, colon + 1, "")
        return [other.go(colon + 1, VALUE)]
    if reader.careful or not reading.recent or not reading.recent[0].want.takes("object"):
        return []
    before = reading.recent[0]
    if before.frame is not reading.frame or not lexis.KEY_AHEAD.match(reader.text, before.pos):
        return []
    other = Reading.back_to(before).note("open_in_middle", before.pos, before.pos, "{")
    reader.enter(other, before.pos - 1, "{", invented=True)
    return [other]


def _is_key_again(text: str, start: int, end: int) -> bool:
    """Whether the string between two places is the key that it stands under."""
    key = _KEY_BEFORE.search(text, max(0, start - MOST_KEY), start)
    return key is not None and key.group(1) == text[start:end]


def key_in_list(reader: Reader, reading: Reading, colon: int) -> list[Reading]:
    """A string in a list is followed by a colon: it is a key, so a bracket is missing or wrong."""
    frame, item = reading.frame, reading.recent[0]
    assert frame is not None
    found = _member_after_closer(reader, reading, item, reader.text[item.pos : reading.pos])
    value = ONE_VALUE.match(reader.text, colon + 1)
    number = reader.text[item.pos] in "-0123456789"
    later = item.safe > frame.start + 1
    if (number or later) and value is not None and follows(reader, frame, value.end()):
        other = reading.fork().note("replace_punctuation", colon, colon + 1, ",")
        found.append(other.go(colon + 1, VALUE))
    if number:
        return found
    comma = reader.text.rfind(",", frame.start, item.pos)
    parent = frame.parent
    if (
        parent is not None
        and parent.kind == "{"
        and comma >= 0
        and not frame.invented
        and not _MARKS.search(reader.text, item.pos, reading.pos)
        and not _may_be_stray(reader, frame, comma, item.pos)
        and known(reader, parent, reader.text[item.pos : reading.pos])
    ):
        other = Reading.back_to(item).note("close_in_middle", comma, comma, "]")
        other.frame = parent
        other.closed = Closed(frame, comma)
        found.append(other.go(item.pos, KEY))
    opened = Reading.back_to(item)
    if item.safe == frame.start + 1:
        opened.note("replace_opener", frame.start, frame.start + 1, "{")
        opened.frame = frame._replace(
            kind="{", closer="}", expect=opened.frame.expect if opened.frame else frame.expect
        )
        found.append(opened.go(item.pos, KEY))
    doubled = _DOUBLE_BRACKET.match(reader.text, frame.start) is not None
    if doubled and parent is not None and comma >= 0 and item.safe == comma:
        other = Reading.back_to(item).note("drop_opener", frame.start, frame.start + 1, "")
        other.frame = parent
        found.append(other.go(item.pos, KEY))
    inserted = Reading.back_to(item).note("open_in_middle", item.pos, item.pos, "{")
    reader.enter(inserted, item.pos - 1, "{", invented=True)
    found.append(inserted)
    return found


def _may_be_stray(reader: Reader, frame: Frame, comma: int, key: int) -> bool:
    """Whether a bracket before a single item is too many: the next key begins a line, the item does not."""
    text = reader.text
    if reader.guided or "\n" not in text[comma:key] or text.find(",", frame.start, comma) >= 0:
        return False
    return "\n" not in text[frame.start : lexis.skip_blank(text, frame.start + 1)]


def _member_after_closer(reader: Reader, reading: Reading, item: Before, key: str) -> list[Reading]:
    """An object in the list was closed too early: its members go on where an item is due."""
    closed = last_closed(reader, reading, item)
    if closed is None or closed.frame.kind != "{":
        return []
    frame, close = closed
    if not known(reader, frame, key) or reader.text.find(key, frame.start, close) >= 0:
        return []
    other = Reading.back_to(item).note("reopen", close, close + 1, "")
    other.frame = frame
    return [other.go(item.pos, KEY)]
