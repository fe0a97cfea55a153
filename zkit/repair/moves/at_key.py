"""Moves for a place where a key is expected and something else is found."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from zkit.repair.evidence.strings import respell
from zkit.repair.evidence.structure import follows, known
from zkit.repair.moves import Move, ending, tried
from zkit.repair.moves.after_value import ONE_VALUE, closer_for_value
from zkit.repair.moves.string_ends import keyed, last_closed, opened, reread
from zkit.repair.search.hypothesis import VALUE, Hypothesis
from zkit.text import lexis

if TYPE_CHECKING:
    from zkit.repair.search.engine import Engine


_S = lexis.SPACE
_HALF_QUOTED = re.compile(rf"([^\s\"',{{}}\[\]:][^\"'\n,{{}}\[\]:]{{0,80}}+)[\"'”]{_S}(?::|=)")
_UNCLOSED = re.compile(r"[\"'“]([^\s\"',{}\[\]:][^\"'\n,{}\[\]:]{0,80}+)(?<![`“”’»\\]):")
_WRONG_CLOSE = re.compile(rf"\"({lexis.NAME})[{{}}\[\],:\\'`“”’»]{_S}:")
_WRONG_OPEN = re.compile(rf"[\[{{}}\],:;\\]({lexis.NAME})\"{_S}:")
_DOUBLE_OPEN = re.compile(rf"\"\"({lexis.NAME})\"{_S}:")
_DOUBLE_CLOSE = re.compile(rf"\"({lexis.NAME})\"\"{_S}:")
_CUT_NAME = re.compile(r"[\w$.-]*+\s*\Z")
_QUOTE_AND_COLON = re.compile(rf"\"{_S}{lexis.COLON}")
_QUOTE_NEXT = re.compile(rf"{lexis.GAP}[\"'“]")
# Another member without a colon, as in `{"a" 1, "b" 2}`: a model that forgets one colon forgets
# the next.
#
# See corpus/repair/missing_colon.
_NO_COLON_AGAIN = re.compile(rf"{_S},{_S}\"[^\"\\\n]{{1,80}}+\"[ \t]++{lexis.SCALAR}{_S}[,}}]")
_OPENING = re.compile(rf"{lexis.GAP}[{{\[\"]")

# Keys with wrong quotes: the pattern, the fix, its new text, how many characters that replaces, and
# whether it is at the first quote or at the last.
_MISQUOTED = (
    (_HALF_QUOTED, "add_opening_quote", '"', 0, True),
    (_WRONG_OPEN, "replace_quote", '"', 1, True),
    (_UNCLOSED, "add_closing_quote", '"', 0, False),
    (_WRONG_CLOSE, "replace_quote", '"', 1, False),
    (_DOUBLE_OPEN, "drop_extra_quote", "", 1, True),
    (_DOUBLE_CLOSE, "drop_extra_quote", "", 1, False),
)


def at_key(reader: Engine, reading: Hypothesis, pos: int) -> list[Hypothesis]:
    """Return the hypotheses for a place where a key is expected and no string begins."""
    if _CUT_NAME.match(reader.text, pos):
        if reader.text[pos].isdigit():
            reading = _before_last(reader, reading)
        return ending.cut(reader, reading, "the text ended in a key")
    return [*tried(MOVES, reader, reading, pos), *reread(reader, reading, pos)]


def _before_last(reader: Engine, reading: Hypothesis) -> Hypothesis:
    """Return the hypothesis without its last member: a number that may go on after the comma, as in `1,0`."""
    frame, other = reading.frame, reading.fork()
    if frame is not None and reading.recent:
        comma = reader.text.rfind(",", frame.start, reading.recent[0].pos)
        other.safe = max(comma, frame.start + 1)
    return other


def _reopened(reader: Engine, reading: Hypothesis, pos: int) -> list[Hypothesis]:
    """Reopen a list that was closed too early: its next item is where a key is expected."""
    closed = last_closed(reader, reading)
    if closed is None or closed.frame.kind != "[":
        return []
    if not lexis.VALUE_AHEAD.match(reader.text, pos) or lexis.KEY_AHEAD.match(reader.text, pos):
        return []
    other = reading.fork().note("reopen", closed.at, closed.at + 1, "")
    other.frame = closed.frame
    return [other.go(pos, VALUE)]


def misquoted_key(reader: Engine, reading: Hypothesis, pos: int) -> list[Hypothesis]:
    """Add, replace or drop a quote at one end of a key."""
    found: list[Hypothesis] = []
    for pattern, name, new, width, is_first in _MISQUOTED:
        match = pattern.match(reader.text, pos)
        key = match[1].rstrip() if match is not None else ""
        if match is not None and reading.frame and known(reader, reading.frame, key):
            at = pos if is_first else match.start(1) + len(key)
            other = reading.fork().note(name, at, at + width, new)
            found.append(keyed(other, key, match.end()))
    return found


def _opener_for_key(reader: Engine, reading: Hypothesis, pos: int) -> list[Hypothesis]:
    """Close the last item of a list, which lacks its closer: the next one opens where a key is expected."""
    frame = reading.frame
    assert frame is not None
    if frame.parent is None or frame.parent.kind != "[":
        return []
    other = reading.fork().note("close_in_middle", reading.safe, reading.safe, "}")
    reader.leave(other, reading.safe - 1)
    return [other.go(pos, VALUE)]


def _thousands(reader: Engine, reading: Hypothesis, _: int) -> list[Hypothesis]:
    """Read the last value and the digits after its comma as one number with thousands separators.

    See corpus/repair/thousands.
    """
    if not reading.recent:
        return []
    before = reading.recent[0]
    match = lexis.THOUSANDS.match(reader.text, before.pos)
    if match is None:
        return []
    number, is_text = match.group(), before.want.only("string")
    name = "quote_phrase" if is_text else "join_thousands"
    new = f'"{number}"' if is_text else number.replace(",", "").lstrip("+")
    other = Hypothesis.back_to(before).note(name, before.pos, match.end(), new)
    return [other.settle(match.end())]


def _missing_bracket(reader: Engine, reading: Hypothesis, pos: int) -> list[Hypothesis]:
    """Read the last value as the first item of a list without its opening bracket."""
    if not reading.recent or reading.recent[0].frame is not reading.frame:
        return []
    return opened(reader, reading.recent[0], "[")


_DIGITS = "0123456789"
# The moves for a place where a key is expected and none is found.
MOVES = (
    Move(tuple({row[1] for row in _MISQUOTED}), "", misquoted_key),
    Move(("close_in_middle",), "{", _opener_for_key),
    Move(("replace_closer", "drop_closer", "add_closer"), "])", closer_for_value),
    Move(("reopen",), "", _reopened),
    Move(("join_thousands", "quote_phrase"), _DIGITS, _thousands),
    Move(("open_in_middle",), _DIGITS, _missing_bracket),
)


def at_key_string(reader: Engine, reading: Hypothesis, pos: int, end: int) -> list[Hypothesis]:
    """Return the hypotheses for a string that is expected to be a key but has no colon after it."""
    if lexis.skip_blank(reader.text, end) == reader.size:
        return ending.cut(reader, reading, "the text ended after a key")
    found = _no_colon(reader, reading, pos, end) + _missing_bracket(reader, reading, pos)
    return [*found, *tried(MOVES, reader, reading, pos), *reread(reader, reading, pos)]


def _no_colon(reader: Engine, reading: Hypothesis, pos: int, end: int) -> list[Hypothesis]:
    """Add the missing colon, or replace another mark by it."""
    text, frame = reader.text, reading.frame
    assert frame is not None
    key = text[pos:end].strip("\"'`“”")
    spelt = _spelt_key(reading, text, pos, end)
    if text[end - 2] == ":" and "\\" not in key and known(reader, frame, key[:-1]):
        moved = reading.fork().note("move_quote", end - 2, end, f"{text[end - 1]}:")
        return [keyed(moved, key[:-1], end)] if text[pos] == text[end - 1] == '"' else []
    if spelt is None or not known(reader, frame, key) or key.rstrip() != key.rstrip(" :"):
        return []
    found: list[Hypothesis] = []
    if _QUOTE_AND_COLON.match(text, end):
        return []  # the colon and the value's quote are swapped: `"a"":b"`
    if _value_then_more(reader, reading, end):
        found.append(keyed(spelt.fork().note("add_colon", end, end, ":"), key, end))
    mark = lexis.skip_blank(text, end)
    if (
        text[mark : mark + 1] in tuple(',;}])|-.{["\\')
        and (reader.guided or "\\" not in key)
        and not _among_items(reader, reading, mark)
        and _value_then_more(reader, reading, mark + 1)
    ):
        other = spelt.fork().note("replace_punctuation", mark, mark + 1, ":")
        found.append(keyed(other, key, mark + 1))
    return found


def _among_items(reader: Engine, reading: Hypothesis, mark: int) -> bool:
    """True if the mark may be a comma between two strings, so that the braces hold items and not members."""
    if reader.guided or reader.text[mark] != "," or not _QUOTE_NEXT.match(reader.text, mark + 1):
        return False
    value = ONE_VALUE.match(reader.text, mark + 1)
    assert reading.frame is not None
    alone = reading.safe == reading.frame.start + 1
    return value is None or (alone and not lexis.NEXT_KEY.match(reader.text, value.end()))


def _spelt_key(reading: Hypothesis, text: str, pos: int, end: int) -> Hypothesis | None:
    """Return the hypothesis with the key in double quotes; None if the key is empty or ambiguous."""
    if text[pos] == '"':
        return reading
    name = text[pos + 1 : end - 1]
    body = respell(name, text[pos])
    if body is None or not name.strip("\"'`“”"):
        return None
    return reading.fork().note("use_double_quotes", pos, end, f'"{body.body}"')


def _value_then_more(reader: Engine, reading: Hypothesis, pos: int) -> bool:
    """True if a value begins at `pos` and the text after it may follow a member."""
    value = ONE_VALUE.match(reader.text, pos)
    if value is not None:
        end, frame = value.end(), reading.frame
        if follows(reader, frame, end) or _NO_COLON_AGAIN.match(reader.text, end):
            return True
        closer = lexis.CLOSER.match(reader.text, end)  # the text after it may be damaged
        return closer is not None and frame is not None and closer[1] == frame.closer
    opening = _OPENING.match(reader.text, pos)
    if opening is None:
        return False
    return opening.group()[-1] != '"' or lexis.string_at(reader.text, opening.end() - 1) is None
