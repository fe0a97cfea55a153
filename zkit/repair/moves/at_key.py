"""Moves for a place where a key is expected and something else is found."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from zkit.repair.evidence.strings import respell
from zkit.repair.evidence.structure import follows, known
from zkit.repair.moves import Move, ending, tried
from zkit.repair.moves.after_value import ONE_VALUE, closer_for_value
from zkit.repair.moves.string_ends import bracketed, keyed, last_closed, reread
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
# After a key without its closing quote and its colon: white space or a value.
_BEGINS = re.compile(rf"\s|{lexis.VALUE_AHEAD.pattern}")
_QUOTE_NEXT = re.compile(rf"{lexis.GAP}[\"'“]")
# Another member without a colon, as in `{"a" 1, "b" 2}`: a model that forgets one colon forgets
# the next.
#
# See corpus/repair/missing_colon.
_NO_COLON_AGAIN = re.compile(rf"{_S},{_S}\"[^\"\\\n]{{1,80}}+\"[ \t]++{lexis.SCALAR}{_S}[,}}]")
_OPENING = re.compile(rf"{lexis.GAP}[{{\[\"]")

# Keys with wrong quotes: the pattern, the fix, its new text, and how many characters that
# replaces.
_MISQUOTED = (
    (_UNCLOSED, "add_closing_quote", '"', 0),
    (_WRONG_CLOSE, "replace_quote", '"', 1),
    (_DOUBLE_OPEN, "drop_extra_quote", "", 1),
    (_DOUBLE_CLOSE, "drop_extra_quote", "", 1),
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


def _half_quoted(reader: Engine, reading: Hypothesis, pos: int) -> list[Hypothesis]:
    """Add the opening quote of a key."""
    match = _HALF_QUOTED.match(reader.text, pos)
    if match is None or reading.frame is None or not known(reader, reading.frame, match.group(1)):
        return []
    other = reading.fork().note("add_opening_quote", pos, pos, '"')
    return [keyed(other, match.group(1), match.end())]


def wrong_first_quote(reader: Engine, reading: Hypothesis, pos: int) -> list[Hypothesis]:
    """Replace another mark by the opening quote of a key."""
    match = _WRONG_OPEN.match(reader.text, pos)
    if match is None or reading.frame is None or not known(reader, reading.frame, match.group(1)):
        return []
    other = reading.fork().note("replace_quote", pos, pos + 1, '"')
    return [keyed(other, match.group(1), match.end())]


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
    if match is None or not any(
        before.want.takes(kind) for kind in ("integer", "number", "string")
    ):
        return []
    other = Hypothesis.back_to(before)
    if before.want.only("string"):
        other.note("quote_phrase", before.pos, match.end(), f'"{match.group()}"')
    else:
        other.note(
            "join_thousands", before.pos, match.end(), match.group().replace(",", "").lstrip("+")
        )
    other.settle(match.end())
    return [other]


def _missing_bracket(_: Engine, reading: Hypothesis, pos: int) -> list[Hypothesis]:
    """Read the last value as the first item of a list without its opening bracket."""
    if not reading.recent or reading.recent[0].frame is not reading.frame:
        return []
    return bracketed(reading.recent[0])


_DIGITS = "0123456789"
# The moves for a place where a key is expected and none is found.
MOVES = (
    Move(("add_opening_quote",), "", _half_quoted),
    Move(("replace_quote",), "[{}],:;\\", wrong_first_quote),
    Move(("close_in_middle",), "{", _opener_for_key),
    Move(("replace_closer", "drop_closer", "add_closer"), "])", closer_for_value),
    Move(("reopen",), "", _reopened),
    Move(("join_thousands", "quote_phrase"), _DIGITS, _thousands),
    Move(("open_in_middle",), _DIGITS, _missing_bracket),
)


def at_key_string(reader: Engine, reading: Hypothesis, pos: int, end: int) -> list[Hypothesis]:
    """Return the hypotheses for a string that is expected to be a key but has no colon after it."""
    text, frame = reader.text, reading.frame
    assert frame is not None
    if lexis.skip_blank(text, end) == reader.size:
        return ending.cut(reader, reading, "the text ended after a key")
    found: list[Hypothesis] = []
    for pattern, name, new, width in _MISQUOTED:
        match = pattern.match(text, pos)
        key = match.group(1).rstrip() if match is not None else ""
        if pattern is _UNCLOSED and match is not None and not _BEGINS.match(text, match.end()):
            continue
        if match is not None and known(reader, frame, key):
            at = match.start(1) + len(key)
            at = match.start() if pattern is _DOUBLE_OPEN else at
            other = reading.fork().note(name, at, at + width, new)
            found.append(keyed(other, key, match.end()))
    found += _no_colon(reader, reading, pos, end)
    found += _missing_bracket(reader, reading, pos)
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
        and not (found and text[mark] in '".-' and mark > end)
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
    if ":" in reader.text[reading.pos : mark]:
        return True
    value = ONE_VALUE.match(reader.text, mark + 1)
    assert reading.frame is not None
    alone = reading.safe == reading.frame.start + 1
    return value is None or (alone and not lexis.NEXT_KEY.match(reader.text, value.end()))


def _spelt_key(reading: Hypothesis, text: str, pos: int, end: int) -> Hypothesis | None:
    """Return the hypothesis with the key in double quotes; None if the key is empty or ambiguous."""
    if text[pos] == '"':
        return reading
    name = text[pos + 1 : end - 1]
    body = respell(name[1:-1] if name[:1] == name[-1:] == '"' else name, text[pos])
    if body is None or not text[pos + 1 : end - 1].strip("\"'`“”"):
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
