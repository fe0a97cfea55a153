"""Moves for a value that is not followed by a comma or its closer."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from zkit.receipt import Rank
from zkit.repair.evidence.structure import follows, goes_on, known
from zkit.repair.limits import MOST_KEY
from zkit.repair.moves import Move, ending, tried
from zkit.repair.moves.string_ends import last_closed, opened, reread
from zkit.repair.search.hypothesis import DONE, KEY, NEXT, VALUE, Before, Closed, Frame, Hypothesis
from zkit.text import lexis

if TYPE_CHECKING:
    from zkit.repair.search.engine import Engine


# ── a colon after a value ───────────────────────────────────────────────────


# A scalar in one of the common spellings.
ONE_VALUE = re.compile(
    rf"{lexis.GAP}(?:{lexis.SCALAR}|True|False|None|'[^'\n]*+'|[“„][^“”\n]*+[“”]|«[^»\n]*+»|`[^`]*+`|[-+]?\.?[0-9][\w.]*+)"
)


_KEY_BEFORE = re.compile(rf"([\"'][^\"'\\\n]{{1,80}}+[\"']){lexis.SPACE}:{lexis.SPACE}\Z")


def _key_after_value(reader: Engine, reading: Hypothesis, colon: int) -> list[Hypothesis]:
    """Read a value that is followed by a colon as a key.

    In an object it is the same key again, or the first one of an object without its brace. Without the
    first rule, the second one gave wrong values (corpus/repair/repeated_key).
    """
    if reading.frame is not None and reading.frame.kind != "{":
        return _key_in_list(reader, reading, reading.frame)
    if not reading.recent:
        return []
    before, text = reading.recent[0], reader.text
    key = _KEY_BEFORE.search(text, max(0, before.pos - MOST_KEY), before.pos)
    if key is not None and key.group(1) == text[before.pos : reading.pos]:
        other = Hypothesis.back_to(before).note("drop_repeated_key", before.pos, colon + 1, "")
        return [other.go(colon + 1, VALUE)]
    if not before.want.takes("object"):
        return []
    if before.frame is not reading.frame or not lexis.KEY_AHEAD.match(reader.text, before.pos):
        return []
    return opened(reader, before, "{")


def _key_in_list(reader: Engine, reading: Hypothesis, frame: Frame) -> list[Hypothesis]:
    """Read a list item that is followed by a colon as a key: a bracket is missing or wrong."""
    item, text = reading.recent[0], reader.text
    found = _member_after_closer(reader, reading, item, text[item.pos : reading.pos])
    if text[item.pos] in "-0123456789":
        return found
    comma = text.rfind(",", frame.start, item.pos)
    parent = frame.parent
    # The opening bracket may be stray if its only item is on the same line, and the next key is not.
    first = lexis.skip_blank(text, frame.start + 1)
    stray = "\n" in text[comma : item.pos] and "\n" not in text[frame.start : first]
    if parent is not None and comma >= 0 and not frame.invented and not stray:
        other = Hypothesis.back_to(item).note("close_in_middle", comma, comma, "]")
        other.frame = parent
        other.closed = Closed(frame, comma)
        found.append(other.go(item.pos, KEY))
    if item.safe == frame.start + 1:
        other = Hypothesis.back_to(item)
        other.note("replace_opener", frame.start, frame.start + 1, "{")
        other.frame = frame._replace(kind="{", closer="}")
        found.append(other.go(item.pos, KEY))
    return found + opened(reader, item, "{")


def _member_after_closer(
    reader: Engine, reading: Hypothesis, item: Before, key: str
) -> list[Hypothesis]:
    """Reopen the object before this item: it was closed too early, and `key` is its next member."""
    closed = last_closed(reader, reading, item)
    if closed is None or closed.frame.kind != "{":
        return []
    frame, close = closed
    if not known(reader, frame, key) or reader.text.find(key, frame.start, close) >= 0:
        return []
    other = Hypothesis.back_to(item).note("reopen", close, close + 1, "")
    other.frame = frame
    return [other.go(item.pos, KEY)]


# ── anything else after a value ─────────────────────────────────────────────


_S = lexis.SPACE
_OPERATOR = re.compile(r"[0-9\"'] *+[+*/%.(\[?-]|[0-9)] *+(?:[a-z<>&|^]|=>)")
_OPERAND = r"(?:[\"'][^\"'\n]{0,400}+[\"']|[\w.]{1,400}+(?:\([^()\n]{0,400}+\))?+)"
# A string's closing quote and an operator: an expression, not text with quotes in it.
OPERATION = re.compile(
    rf"[\"'](?:[ \t]*+(?:\+|\|{{1,2}}|&&|;|%|\*|(?:or|and)\b)[ \t]*+{_OPERAND}){{1,20}}+[ \t]*+[,}}\]]"
    r"|[\"'][ \t]++if\s[^\"',]{1,40}\selse\s|[\"']\.[a-z_]{1,40}+\([^()\n]{0,200}+\)\s*+[,}\]]"
)
_OBJECT_BEFORE = re.compile(rf"\}}{_S},")
_TWO_BEFORE = re.compile(rf"\}}{_S}\}}{_S},")
_FIRST_GROUP = re.compile(r"(?<![\w.])[1-9][0-9]{0,2}\Z")
# `_FIRST_GROUP` and `_GROUP`: the first and the later digit groups of a number such as `1 500`.
_GROUP = re.compile(r"[0-9]{3}(?:\.[0-9]++)?+(?![\w.])")
_DUE = re.compile(rf"{_S}[,}}\]]")
_HALF_KEY = re.compile(rf"[\"'](?:{lexis.NAME})?+\Z")
_IN_NUMBER = re.compile(r"[0-9][{\[\"\\][0-9]")
# Marks that cannot replace a comma: they begin a string, a number, or a key with its colon inside
# (`"force:" true`).
_NO_COMMA = re.compile(rf'\\"|\.[0-9]|"{lexis.NAME}:"')
_STRAY = re.compile(r"(?:\s*+[}\]])++(?=[ \t]*+(?:\Z|\n|```|<|[;)]++\s*+\Z))")


def at_next(reader: Engine, reading: Hypothesis, pos: int) -> list[Hypothesis]:
    """Return the hypotheses for a value that is not followed by a comma or its closer."""
    mark = reader.text[pos]
    begun = pos == reading.pos and _HALF_KEY.match(reader.text, pos)
    if mark in "\"'" and (begun or pos + 1 == reader.size):
        return ending.cut(reader, reading, "the text ended where a key was expected")
    if _OPERATOR.match(reader.text, reading.pos - 1):
        reader.reason = "expression"
    found = tried(MOVES, reader, reading, pos)
    if mark in "\"'" and pos > reading.pos:
        reader.reason = "damaged" if found else "ambiguous"
        return found
    if OPERATION.match(reader.text, reading.pos - 1):
        return found
    return [*found, *reread(reader, reading, reading.pos)]


def _next_place(reader: Engine, frame: Frame, pos: int) -> int | None:
    """Return the state before the member or item that begins at `pos`; None if none does."""
    if frame.kind == "{":
        ahead = lexis.KEY_AHEAD.match(reader.text, pos)
        return KEY if ahead is not None and known(reader, frame, ahead.group(1)) else None
    return VALUE if lexis.VALUE_AHEAD.match(reader.text, pos) else None


def _missing_comma(reader: Engine, reading: Hypothesis, pos: int) -> list[Hypothesis]:
    """Add a comma before the next member or item."""
    text, frame, touches = reader.text, reading.frame, pos == reading.pos
    assert frame is not None
    place = _next_place(reader, frame, pos)
    if place == KEY and touches and text[pos] not in "\"'“" and text[pos - 1] in "\"'”":
        return []
    if place == VALUE:
        if touches and text[pos] in "“„«‘":
            return []
        if text[pos] in "\"'" and lexis.KEY_AHEAD.match(text, pos):
            return []
        if _may_be_one(reader, reading, pos) or _is_due_key(text, reading):
            reader.reason = "ambiguous"
            return []
    if place is None:
        return []
    return [reading.fork().note("add_comma", reading.pos, reading.pos, ",").go(pos, place)]


def _is_due_key(text: str, reading: Hypothesis) -> bool:
    """True if the last item is a key that the enclosing object's schema declares.

    In `{"lines": [1, 2, "force" true}` the bracket and the colon are missing, not a comma.
    See corpus/repair/missing_colon.
    """
    parent = reading.frame.parent if reading.frame is not None else None
    if parent is None or not reading.recent:
        return False
    return text[reading.recent[0].pos : reading.pos].strip("\"': ") in parent.expect.keys


def _may_be_one(reader: Engine, reading: Hypothesis, pos: int) -> bool:
    """True if two items without a comma may not be two items.

    They may be one number in digit groups, a bare phrase that runs into a quoted string, or a string
    after which the model began the value again.
    """
    text, frame = reader.text, reading.frame
    assert frame is not None
    if text[pos] in "{[" and text[pos - 1] in "\"'":
        return True
    if reading.edits is not None and reading.edits[1].name == "quote_phrase":
        return reading.edits[1].end == reading.pos and text[pos] == '"'
    first = _FIRST_GROUP.search(text, max(frame.start, reading.pos - 5), reading.pos)
    return first is not None and _GROUP.match(text, pos) is not None


def _other_mark(reader: Engine, reading: Hypothesis, pos: int) -> list[Hypothesis]:
    """Replace another mark by the comma that is expected."""
    frame = reading.frame
    assert frame is not None
    if _NO_COMMA.match(reader.text, pos) or _IN_NUMBER.match(reader.text, pos - 1):
        return []
    if reader.text[pos] in "{[" and reader.text[reading.pos - 1] in "}]":
        return []  # two containers in a row: this one is a value, not a mark for a comma
    place = _next_place(reader, frame, pos + 1)
    if place is None or (place == VALUE and reader.text[pos] in ":=|}])"):
        return []
    return [reading.fork().note("replace_punctuation", pos, pos + 1, ",").go(pos + 1, place)]


def _stray_mark(reader: Engine, reading: Hypothesis, pos: int) -> list[Hypothesis]:
    """Drop a stray mark between the value and the comma or closer. See corpus/repair/stray_mark."""
    if not follows(reader, reading.frame, pos + 1) or not _DUE.match(reader.text, pos + 1):
        return []
    return [reading.fork().note("drop_stray_mark", pos, pos + 1, "").settle(pos + 1)]


def _mark_for_closer(reader: Engine, reading: Hypothesis, pos: int) -> list[Hypothesis]:
    """Replace another mark by the closer, if the following text fits after the container."""
    frame, after = reading.frame, pos + 1
    assert frame is not None
    if frame.invented or not follows(reader, frame.parent, after):
        return []
    last = lexis.skip_blank(reader.text, after) == reader.size
    if (last and frame.kind != "{") or (reader.text[pos] == '"' and follows(reader, frame, after)):
        return []
    other = reading.fork().note("replace_closer", pos, after, frame.closer, "", 1)
    reader.leave(other, pos)
    return [other]


def _closer(reader: Engine, reading: Hypothesis, pos: int) -> list[Hypothesis]:
    """Handle a closer that does not match: it is wrong, it is stray, or another one is missing before it."""
    frame = reading.frame
    assert frame is not None
    mark, after = reader.text[pos], pos + 1
    if mark == "]" and reading.recent and reading.recent[0].want.only("array"):
        return opened(reader, reading.recent[0], "[")  # the schema wants the list that closes here
    found: list[Hypothesis] = []
    if not frame.invented and (
        follows(reader, frame.parent, after) or lexis.CLOSER.match(reader.text, after)
    ):
        other = reading.fork().note("replace_closer", pos, after, frame.closer)
        reader.leave(other, pos)
        found.append(other)
    if follows(reader, frame, after):
        found.append(reading.fork().note("drop_closer", pos, after, "").settle(after))
    parent = frame.parent
    closes = parent is not None and mark == parent.closer and follows(reader, parent.parent, after)
    if closes and not frame.invented:
        other = reading.fork().note("add_closer", reading.safe, reading.safe, frame.closer)
        reader.leave(other, reading.safe - 1)
        found.append(other.go(pos, NEXT))
    return found


def closer_for_value(reader: Engine, reading: Hypothesis, pos: int) -> list[Hypothesis]:
    """Handle a closer that does not match where a key or an item is expected."""
    other = reading.fork()
    reader.drop_trailing_comma(other, pos)
    other.pos = other.safe
    return _closer(reader, other, pos)


def _extra_quote(reader: Engine, reading: Hypothesis, pos: int) -> list[Hypothesis]:
    """Drop an extra quote after a value: `"x"",`."""
    if not follows(reader, reading.frame, pos + 1):
        return []
    start = reading.recent[0].pos if reading.recent else pos
    closed = reading.closed
    if closed is not None and closed.at + 1 == reading.pos:
        start = closed.frame.start
        if reader.text.find('\\"', start, pos) >= 0:  # a string of JSON without its opening quote
            return []
    if not reader.guided and lexis.PLAIN.fullmatch(reader.text, start, pos):
        reader.reason = "ambiguous"  # an extra quote, or a missing opening quote
        return []
    digit = reader.text[pos - 2 : pos - 1].isdigit()
    odd = 2 if digit else reader.text.count('\\"', start, pos) % 2
    other = reading.fork().note("drop_extra_quote", pos, pos + 1, "", "", odd)
    return [other.settle(pos + 1)]


# The moves for a value that is not followed by a comma or its closer.
MOVES = (
    Move(("add_comma",), "", _missing_comma),
    Move(("replace_punctuation",), ':;{["|=.}])\\', _other_mark),
    Move(("drop_stray_mark",), "{[:;=", _stray_mark),
    Move(("replace_closer", "drop_closer", "add_closer"), "}])", _closer),
    Move(("replace_closer",), '{["', _mark_for_closer),
    Move(("drop_extra_quote",), '"', _extra_quote),
    Move(
        ("drop_repeated_key", "open_in_middle", "reopen", "close_in_middle", "replace_opener"),
        ":",
        _key_after_value,
    ),
)


def early_closer(reader: Engine, reading: Hypothesis, pos: int) -> list[Hypothesis] | None:
    """Return the hypothesis for a root that closes before another member; None if no member follows."""
    match = lexis.NEXT_KEY.match(reader.text, pos + 1)
    if match is None or match.group(1) is None or reader.text[pos] != "}":
        return None
    assert reading.frame is not None
    first = reader.text[lexis.skip_blank(reader.text, reading.frame.start + 1)]
    if match.group(1)[0] not in lexis.QUOTES and first in lexis.QUOTES:
        return None  # prose after the object, not another member
    if not reader.guided and _is_undecided(reader, reading.safe, pos):
        reader.reason = "ambiguous"
        return []
    return [reading.fork().note("drop_closer", pos, pos + 1, "").settle(pos + 1)]


def _is_undecided(reader: Engine, end: int, closer: int) -> bool:
    """True if the extra brace may just as well belong to an object that closed before `end`.

    If two braces close here, that object must end in two braces as well. A text of several lines is
    never undecided, because its indentation shows the nesting. See corpus/repair/stray_closer.
    """
    text = reader.text
    if not reader.spend(closer - reader.start) or text.find("\n", reader.start, closer) >= 0:
        return False
    pattern = _TWO_BEFORE if text[end - 1] == "}" else _OBJECT_BEFORE
    return pattern.search(text, 0, end) is not None


def after_root(reader: Engine, reading: Hypothesis) -> list[Hypothesis] | None:
    """Check the text after the root value: it must be surrounding text, not a part of the value.

    Return None if the hypothesis is done, else the hypotheses to try instead.
    See corpus/repair/user_reports.
    """
    if reading.pos == reader.size:
        reading.place = DONE
        return None
    stray = _STRAY.match(reader.text, reading.pos)
    if stray is not None:
        reading.note("drop_closer", reading.pos, stray.end(), "")
        reading.pos = stray.end()
    lone = _LONE_QUOTE.match(reader.text, reading.pos)
    if lone is not None and not _is_between(reader, lone[1], reading.pos):
        if reading.rank >= Rank.COMPLETE or reader.start or reader.finish_reason == "length":
            reader.reason = "ambiguous"  # a string may begin there
            return []
        other = reading.fork().note("drop_stray_mark", reading.pos, reader.size, "")
        return [other.go(reader.size, DONE)]
    unclean = reading.rank >= Rank.COMPLETE and not follows(reader, None, reading.pos)
    if unclean or goes_on(reader.text, reader.start, reading.pos):
        return reread(reader, reading, reading.pos)
    reading.place = DONE
    return None


_LONE_QUOTE = re.compile(r"\s*+([\"'])\s*+\Z")
_WRITTEN_TWICE = re.compile(r"(?<=\w)\"\"|\"\"(?=\w)")


def _is_between(reader: Engine, quote: str, end: int) -> bool:
    """True if the value is wrapped in this quote, and no quote inside it is doubled as in CSV.

    See corpus/repair/escaped_payload.
    """
    if reader.text[reader.start - 1 : reader.start] != quote:
        return False
    return quote != '"' or _WRITTEN_TWICE.search(reader.text, reader.start, end) is None
