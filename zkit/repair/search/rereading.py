"""What the kinds of trouble share: to read the last strings again, to reopen, to bracket."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from zkit.repair.doubts.layout import on_own_line
from zkit.repair.search.missing_quotes import before_declared_key, doubled_opening, shorter
from zkit.repair.search.reading import CLOSERS, VALUE, Before, Closed, Frame, Reading
from zkit.repair.search.string_ends import SKIPPED, longer
from zkit.text import lexis

if TYPE_CHECKING:
    from zkit.repair.search.reader import Reader

OPENS_LIST = re.compile(rf"\"{lexis.SPACE}(?:\{{{lexis.SPACE}\"|\"[^\",:]++\"{lexis.SPACE},)")


def reread(reader: Reader, reading: Reading, past: int, first: int = 0) -> list[Reading]:
    """Readings in which one of the last strings ends elsewhere, worked out only when needed."""
    for before in reading.recent[first:]:
        if reader.text[before.pos] in lexis.QUOTES:
            return [reading.fork().delay(lambda: _reread(reader, reading, past, first))]
    return []


def _reread(reader: Reader, reading: Reading, past: int, first: int) -> list[Reading]:
    found: list[Reading] = []
    for back, before in enumerate(reading.recent[first:], first):
        opener = reader.text[before.pos]
        if opener not in lexis.QUOTES:
            continue
        token = lexis.string_at(reader.text, before.pos)
        found += _longer(reader, before, token, max(past, before.pos + 1), back)
        if token is not None and opener in "\"'":
            found += shorter(reader, before, token.end - 1) or before_declared_key(reader, before)
            found += _bracket_for_quote(reader, before)
            found += doubled_opening(reader, before)
    return found


def _longer(
    reader: Reader, before: Before, token: lexis.Token | None, past: int, back: int
) -> list[Reading]:
    """Readings in which a string ends later; those of a string further back only when needed."""
    price = back * (SKIPPED + 1)
    if not back or reader.text[before.pos] not in "\"'":
        return longer(reader, before, token, past, price)
    later = Reading.back_to(before)
    return [later.delay(lambda: longer(reader, before, token, past, price), price)]


def _bracket_for_quote(reader: Reader, before: Before) -> list[Reading]:
    """A quote stands for the bracket of a list: `"{"a": 1}]`."""
    if before.frame is None or not OPENS_LIST.match(reader.text, before.pos):
        return []
    other = Reading.back_to(before).note("replace_opener", before.pos, before.pos + 1, "[")
    reader.enter(other, before.pos, "[", invented=True)
    return [other]


def last_closed(reader: Reader, reading: Reading, item: Before | None = None) -> Closed | None:
    """The container that ended just before, whether it was read by steps or passed over."""
    safe = item.safe if item else reading.safe
    known = item.closed if item else reading.closed
    if known is not None and known.at + 1 == safe:
        return known
    past = reading.recent[1:] if item else reading.recent[:1]
    if not past or reader.text[safe - 1] not in "}]" or reader.text[past[0].pos] not in "{[":
        return None
    frame, start = past[0].frame, past[0].pos
    kind = reader.text[start]
    depth = frame.depth + 1 if frame else 1
    return Closed(Frame(frame, kind, CLOSERS[kind], past[0].want, start, depth), safe - 1)


def keyed(reading: Reading, key: str, end: int) -> Reading:
    """Stand after a key and its colon."""
    if reading.frame is not None:
        reading.want = reading.frame.expect.child(key)
    return reading.go(end, VALUE)


def bracketed(before: Before) -> list[Reading]:
    """The reading in which a list opens before the value, its bracket missing."""
    other = Reading.back_to(before).note("open_in_middle", before.pos, before.pos, "[")
    frame = other.frame
    if frame is None:
        return []
    other.frame = Frame(frame, "[", "]", before.want, before.pos, frame.depth + 1, invented=True)
    other.safe = before.pos
    return [other.go(before.pos, VALUE)]


def only_item(reader: Reader, reading: Reading) -> list[Reading]:
    """The reading in which the last member is a list of one item, its bracket missing, as its line says."""
    closed = last_closed(reader, reading)
    before = reading.recent[0] if reading.recent else None
    if before is not None and (closed is None or closed.frame.start == before.pos):
        return bracketed(before) if on_own_line(reader.text, before.pos) else []
    if closed is None or not on_own_line(reader.text, closed.frame.start):
        return []
    return listed(reading, closed)


def listed(reading: Reading, closed: Closed) -> list[Reading]:
    """The reading in which a list opens before the container that ended last, its bracket missing."""
    frame, start = reading.frame, closed.frame.start
    if frame is None:
        return []
    other = reading.fork().note("open_in_middle", start, start, "[")
    other.frame = Frame(frame, "[", "]", frame.expect, start, frame.depth + 1, invented=True)
    return [other]
