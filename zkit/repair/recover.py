"""Trouble in, other ways to go on out: each a reading with one more fix on its receipt."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from zkit.repair import boundaries, ending
from zkit.repair.expect import Expect
from zkit.repair.outcome import Rank
from zkit.repair.reading import CLOSERS, DONE, KEY, NEXT, VALUE, Before, Closed, Frame, Reading
from zkit.text import lexis

if TYPE_CHECKING:
    from zkit.repair.reader import Reader

_S = lexis.SPACE
_HALF_QUOTED = re.compile(rf"([^\s\"',{{}}\[\]:][^\"'\n,{{}}\[\]:]{{0,80}}+)[\"'”]{_S}(?::|=)")
_UNCLOSED = re.compile(rf"[\"'“]([^\s\"',{{}}\[\]:][^\"'\n,{{}}\[\]:]{{0,80}}+):")
_WRONG_CLOSE = re.compile(rf"\"({lexis.NAME})[{{}}\[\],:\\]{_S}:")
_WRONG_OPEN = re.compile(rf"[\[{{}}\],:;\\]({lexis.NAME})\"{_S}:")
_DOUBLE_OPEN = re.compile(rf"\"\"({lexis.NAME})\"{_S}:")
_DOUBLE_CLOSE = re.compile(rf"\"({lexis.NAME})\"\"{_S}:")
_THOUSANDS = re.compile(rf"[+-]?[0-9]{{1,3}}(?:,[0-9]{{3}})++(?:\.[0-9]++)?+(?={_S}[,}}\]])")
_OPERATOR = re.compile(r"[0-9\"'] *+[+*/%.(\[?-]|[0-9)] *+(?:[a-z<>&|^]|=>)")
_INCH = re.compile(r"[0-9]\\\"")
_DOUBLE_BRACKET = re.compile(rf"\[{_S}\[")
_KINDS = {
    "{": "object",
    "[": "array",
    "(": "array",
    '"': "string",
    "t": "boolean",
    "f": "boolean",
    "n": "null",
}


def at_next(reader: Reader, reading: Reading, pos: int) -> list[Reading]:
    """After a value stands neither a comma nor the closer."""
    frame = reading.frame
    assert frame is not None
    mark = reader.text[pos]
    if mark in "\"'" and pos + 1 == reader.size:
        return ending.cut(reader, reading, "the text ended where a key was due")
    if _OPERATOR.match(reader.text, reading.pos - 1):
        reader.reason = "expression"
    found = [*_missing_comma(reader, reading, pos), *_other_mark(reader, reading, pos)]
    if mark in "}])":
        found += _closer(reader, reading, pos)
    if mark == '"':
        found += _extra_quote(reader, reading, pos)
    if mark == ":" and frame.kind != "{":
        found += _key_in_list(reader, reading, pos)
    if mark in "\"'" and pos > reading.pos:
        reader.reason = "damaged" if found else "ambiguous"
        return found
    if mark == ":" or reader.text.startswith(("\\,", "\\]"), pos):
        return found
    return [*found, *reread(reader, reading, reading.pos)]


def _missing_comma(reader: Reader, reading: Reading, pos: int) -> list[Reading]:
    """Another member or item stands where the comma is due."""
    text, frame = reader.text, reading.frame
    assert frame is not None
    if frame.kind == "{":
        ahead = lexis.KEY_AHEAD.match(text, pos)
        glued = pos == reading.pos and text[pos] not in "\"'“" and text[pos - 1 : pos] in "\"'”"
        if ahead is None or glued or not boundaries.known(reader, frame, ahead.group(1)):
            return []
        place = KEY
    elif (
        frame.kind == "["
        and lexis.VALUE_AHEAD.match(text, pos)
        and not (text[pos] in "\"'" and lexis.KEY_AHEAD.match(text, pos))
    ):
        place = VALUE
    else:
        return []
    return [reading.fork().note("add_comma", reading.pos, reading.pos, ",").go(pos, place)]


def _other_mark(reader: Reader, reading: Reading, pos: int) -> list[Reading]:
    """Another mark stands for the comma."""
    frame = reading.frame
    assert frame is not None
    if reader.text[pos] not in ':;{["|=.}])\\' or reader.text.startswith('\\"', pos):
        return []
    if frame.kind == "{":
        ahead = lexis.KEY_AHEAD.match(reader.text, pos + 1)
        if ahead is None or not boundaries.known(reader, frame, ahead.group(1)):
            return []
        place = KEY
    elif lexis.VALUE_AHEAD.match(reader.text, pos + 1) and reader.text[pos] not in ":=}])":
        place = VALUE
        if reader.text[pos] in "{[" and (
            lexis.KEY_AHEAD.match(reader.text, pos + 1) or reader.text[reading.pos - 1] in "}]"
        ):
            return []
    else:
        return []
    return [reading.fork().note("replace_punctuation", pos, pos + 1, ",").go(pos + 1, place)]


def _closer(reader: Reader, reading: Reading, pos: int) -> list[Reading]:
    """A closer that does not match: wrong, stray, or one before it is missing."""
    frame = reading.frame
    assert frame is not None
    mark, after = reader.text[pos], pos + 1
    found: list[Reading] = []
    fitting = frame.parent is not None and mark == frame.parent.closer
    if reading.safe == frame.start + 1 and not frame.invented and not reader.guided and not fitting:
        reader.reason = "ambiguous"
        return []
    if not frame.invented and (
        boundaries.follows(reader, frame.parent, after) or lexis.CLOSER.match(reader.text, after)
    ):
        other = reading.fork().note(
            "replace_closer", pos, after, "]" if frame.kind == "(" else frame.closer
        )
        reader.leave(other, pos)
        found.append(other)
    if boundaries.follows(reader, frame, after):
        other = reading.fork().note("drop_closer", pos, after, "")
        other.go(after, NEXT)
        other.safe = after
        found.append(other)
    if (
        not frame.invented
        and frame.parent is not None
        and mark == frame.parent.closer
        and boundaries.follows(reader, frame.parent.parent, after)
    ):
        other = reading.fork().note(
            "add_closer", reading.safe, reading.safe, "]" if frame.kind == "(" else frame.closer
        )
        reader.leave(other, reading.safe - 1)
        found.append(other.go(pos, NEXT))
    return found


def closer_for_value(reader: Reader, reading: Reading, pos: int) -> list[Reading]:
    """A closer that does not match stands where an item is due."""
    other = reading.fork()
    reader.drop_trailing_comma(other, pos)
    other.pos = other.safe
    return _closer(reader, other, pos)


def _extra_quote(reader: Reader, reading: Reading, pos: int) -> list[Reading]:
    """A quote too many after a value: `"x"",`."""
    if not boundaries.follows(reader, reading.frame, pos + 1):
        return []
    start = reading.recent[0].pos if reading.recent else pos
    inch = _INCH.search(reader.text, start, pos - 1) is not None
    odd = not inch and (
        reader.text[pos - 2 : pos - 1].isdigit() or reader.text.count('\\"', start, pos) % 2
    )
    other = reading.fork().note("drop_extra_quote", pos, pos + 1, "", "", int(odd))
    other.safe = pos + 1
    unopened = (
        boundaries.unopened(reader, reading.recent[0], start)
        if reader.text[start] not in lexis.QUOTES
        else []
    )
    return [other.go(pos + 1, NEXT), *unopened]


def _key_in_list(reader: Reader, reading: Reading, colon: int) -> list[Reading]:
    """A string in a list is followed by a colon: it is a key, so a bracket is missing or wrong."""
    frame, item = reading.frame, reading.recent[0]
    assert frame is not None
    found = _member_after_closer(reader, reading, item, reader.text[item.pos : reading.pos])
    comma = reader.text.rfind(",", frame.start, item.pos)
    parent = frame.parent
    if (
        parent is not None
        and parent.kind == "{"
        and comma >= 0
        and not frame.invented
        and _knows(reader, parent, reader.text[item.pos : reading.pos])
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
    if _DOUBLE_BRACKET.match(reader.text, frame.start) and comma >= 0 and item.safe == comma:
        other = Reading.back_to(item).note("drop_opener", frame.start, frame.start + 1, "")
        other.frame = parent
        found.append(other.go(item.pos, KEY))
    inserted = Reading.back_to(item).note("open_in_middle", item.pos, item.pos, "{")
    reader.enter(inserted, item.pos - 1, "{", invented=True)
    found.append(inserted)
    return found


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


def _member_after_closer(reader: Reader, reading: Reading, item: Before, key: str) -> list[Reading]:
    """An object in the list was closed too early: its members go on where an item is due."""
    closed = last_closed(reader, reading, item)
    if closed is None or closed.frame.kind != "{":
        return []
    frame, close = closed
    if not boundaries.known(reader, frame, key) or key in reader.text[frame.start : close]:
        return []
    other = Reading.back_to(item).note("drop_closer", close, close + 1, "")
    other.frame = frame
    return [other.go(item.pos, KEY)]


def _knows(reader: Reader, frame: object, key: str) -> bool:
    return boundaries.known(reader, frame, key)  # type: ignore[arg-type]


def reread(reader: Reader, reading: Reading, past: int, first: int = 0) -> list[Reading]:
    """Readings in which one of the last strings ends elsewhere, worked out only when needed."""
    return (
        [reading.postpone(lambda: _reread(reader, reading, past, first))]
        if reading.recent[first:]
        else []
    )


def _reread(reader: Reader, reading: Reading, past: int, first: int) -> list[Reading]:
    found: list[Reading] = []
    for back, before in enumerate(reading.recent[first:], first):
        found += boundaries.longer(
            reader, before, max(past, before.pos + 1), back * (boundaries.SKIPPED + 1)
        )
        token = (
            lexis.string_at(reader.text, before.pos) if reader.text[before.pos] in "\"'" else None
        )
        if token is not None:
            found += boundaries.shorter(reader, before, token.end - 1)
            found += _bracket_for_quote(reader, before)
            found += boundaries.doubled_opening(reader, before)
    return found


def no_value(reader: Reader, reading: Reading, pos: int) -> list[Reading]:
    """A mark stands where a value is due: it may stand for the opener of a list or an object."""
    before = reading.recent[0]
    found: list[Reading] = []
    for opener, ahead in (("{", lexis.KEY_AHEAD), ("[", lexis.VALUE_AHEAD)):
        if ahead.match(reader.text, pos + 1) and before.want.takes(_KINDS[opener]):
            other = Reading.back_to(before).note("replace_opener", pos, pos + 1, opener)
            reader.enter(other, pos, opener, invented=True)
            found.append(other)
        if found:
            break
    return found


def _bracket_for_quote(reader: Reader, before: Before) -> list[Reading]:
    """A quote stands for the bracket of a list: `"{"a": 1}]`."""
    if before.frame is None or not _OPENS_LIST.match(reader.text, before.pos):
        return []
    other = Reading.back_to(before).note("replace_opener", before.pos, before.pos + 1, "[")
    reader.enter(other, before.pos, "[", invented=True)
    return [other]


_OPENS_LIST = re.compile(rf"\"{_S}(?:\{{{_S}\"|\"[^\",:]++\"{_S},)")


_CUT_NAME = re.compile(r"[\w$.-]*+\s*\Z")


def at_key(reader: Reader, reading: Reading, pos: int) -> list[Reading]:
    """Where a key is due stands something else."""
    if _CUT_NAME.match(reader.text, pos):
        return ending.cut(reader, reading, "the text ended in a key")
    return [*_other_keys(reader, reading, pos), *reread(reader, reading, pos)]


def _other_keys(reader: Reader, reading: Reading, pos: int) -> list[Reading]:
    """Ways to read a key, or what should have come before it, that leave the strings before alone."""
    text, frame = reader.text, reading.frame
    assert frame is not None
    mark = text[pos]
    found = _half_quoted(reader, reading, pos) + wrong_first_quote(reader, reading, pos)
    if mark == "{":
        found += _opener_for_key(reader, reading, pos)
    if mark in "])":
        found += closer_for_value(reader, reading, pos)
    found += _reopened(reader, reading, pos)
    if mark.isdigit():
        found += _thousands(reader, reading)
        found += _missing_bracket(reading)
    if (
        reading.safe == frame.start + 1
        and reading.recent
        and reading.recent[0].pos == frame.start
        and frame.parent
    ):
        found += boundaries.unopened(reader, reading.recent[0], frame.start)
    return found


def _reopened(reader: Reader, reading: Reading, pos: int) -> list[Reading]:
    """A list was closed too early: its items go on where a key is due."""
    closed = last_closed(reader, reading)
    if closed is None or closed.frame.kind != "[":
        return []
    if not lexis.VALUE_AHEAD.match(reader.text, pos) or lexis.KEY_AHEAD.match(reader.text, pos):
        return []
    other = reading.fork().note("drop_closer", closed.at, closed.at + 1, "")
    other.frame = closed.frame
    return [other.go(pos, VALUE)]


def _half_quoted(reader: Reader, reading: Reading, pos: int) -> list[Reading]:
    """A key that lacks its opening quote."""
    match = _HALF_QUOTED.match(reader.text, pos)
    if match is None or not boundaries.known(reader, reading.frame, match.group(1)):  # type: ignore[arg-type]
        return []
    other = reading.fork().note("add_opening_quote", pos, pos, '"')
    return [_keyed(other, match.group(1), match.end())]


def wrong_first_quote(reader: Reader, reading: Reading, pos: int) -> list[Reading]:
    """Another mark stands for the opening quote of a key."""
    match = _WRONG_OPEN.match(reader.text, pos)
    if match is None or not boundaries.known(reader, reading.frame, match.group(1)):  # type: ignore[arg-type]
        return []
    other = reading.fork().note("replace_quote", pos, pos + 1, '"')
    return [_keyed(other, match.group(1), match.end())]


def _keyed(reading: Reading, key: str, end: int) -> Reading:
    """Stand after a key and its colon."""
    if reading.frame is not None:
        reading.want = reading.frame.expect.child(key)
    return reading.go(end, VALUE)


def _opener_for_key(reader: Reader, reading: Reading, pos: int) -> list[Reading]:
    """An object opens where a key is due: the one before was not closed, or the brace is stray."""
    frame = reading.frame
    assert frame is not None
    found: list[Reading] = []
    if frame.parent is not None and frame.parent.kind == "[":
        other = reading.fork().note("close_in_middle", reading.safe, reading.safe, "}")
        reader.leave(other, reading.safe - 1)
        found.append(other.go(pos, VALUE))
    ahead = lexis.KEY_AHEAD.match(reader.text, pos + 1)
    if ahead is not None and boundaries.known(reader, frame, ahead.group(1)):
        found.append(reading.fork().note("drop_opener", pos, pos + 1, "", "", 1).go(pos + 1, KEY))
    return found


def _thousands(reader: Reader, reading: Reading) -> list[Reading]:
    """The last value was the first part of a number with thousands separators."""
    if not reading.recent:
        return []
    before = reading.recent[0]
    match = _THOUSANDS.match(reader.text, before.pos)
    if match is None or not any(
        before.want.takes(kind) for kind in ("integer", "number", "string")
    ):
        return []
    other = Reading.back_to(before)
    if before.want.only("string"):
        other.note("quote_phrase", before.pos, match.end(), f'"{match.group()}"')
    else:
        other.note(
            "join_thousands", before.pos, match.end(), match.group().replace(",", "").lstrip("+")
        )
    other.settle(match.end())
    return [other]


def _missing_bracket(reading: Reading) -> list[Reading]:
    """The last value was the first item of a list whose bracket is missing."""
    if not reading.recent or reading.recent[0].frame is not reading.frame:
        return []
    return _bracketed(reading.recent[0])


def _bracketed(before: Before) -> list[Reading]:
    other = Reading.back_to(before).note("open_in_middle", before.pos, before.pos, "[")
    frame = other.frame
    if frame is None:
        return []
    other.frame = Frame(frame, "[", "]", before.want, before.pos, frame.depth + 1, invented=True)
    other.safe = before.pos
    return [other.go(before.pos, VALUE)]


def at_key_string(reader: Reader, reading: Reading, pos: int, end: int) -> list[Reading]:
    """A string stands where a key is due, and no colon follows it."""
    text, frame = reader.text, reading.frame
    assert frame is not None
    if lexis.BLANK.match(text, end).end() == reader.size:  # type: ignore[union-attr]
        return ending.cut(reader, reading, "the text ended after a key")
    found: list[Reading] = []
    for pattern, name, new, where in (
        (_UNCLOSED, "add_closing_quote", '"', lambda m: (m.end(1), m.end(1))),
        (_WRONG_CLOSE, "replace_quote", '"', lambda m: (m.end(1), m.end(1) + 1)),
        (_DOUBLE_OPEN, "drop_extra_quote", "", lambda m: (m.start(), m.start() + 1)),
        (_DOUBLE_CLOSE, "drop_extra_quote", "", lambda m: (m.end(1), m.end(1) + 1)),
    ):
        match = pattern.match(text, pos)
        if match is not None and boundaries.known(reader, frame, match.group(1)):
            found.append(
                _keyed(reading.fork().note(name, *where(match), new), match.group(1), match.end())
            )
    found += _no_colon(reader, reading, pos, end)
    return [*found, *_missing_bracket(reading), *_other_keys(reader, reading, pos)]


def _no_colon(reader: Reader, reading: Reading, pos: int, end: int) -> list[Reading]:
    """The colon is missing, or another mark stands for it."""
    text, frame = reader.text, reading.frame
    assert frame is not None
    key = text[pos:end].strip("\"'`“”")
    if not boundaries.known(reader, frame, key):
        return []
    found: list[Reading] = []
    if _value_then_more(reader, reading, end):
        found.append(_keyed(reading.fork().note("add_colon", end, end, ":"), key, end))
    mark = lexis.BLANK.match(text, end).end()  # type: ignore[union-attr]
    plain = reader.guided or text[lexis.BLANK.match(text, mark + 1).end()] not in "\"'“"  # type: ignore[union-attr]
    if (
        text[mark : mark + 1] in tuple(',;}])|-.{["\\')
        and plain
        and _value_then_more(reader, reading, mark + 1)
    ):
        other = reading.fork().note("replace_punctuation", mark, mark + 1, ":")
        found.append(_keyed(other, key, mark + 1))
    return found


_ONE_VALUE = re.compile(
    rf"{lexis.GAP}(?:{lexis.SCALAR}|True|False|None|'[^'\n]*+'|[“„][^“”\n]*+[“”]|«[^»\n]*+»|`[^`]*+`|[-+]?[0-9][\w.]*+)"
)


def _value_then_more(reader: Reader, reading: Reading, pos: int) -> bool:
    """Whether a value stands at `pos`, and after it what may follow a member."""
    value = _ONE_VALUE.match(reader.text, pos)
    if value is not None:
        return boundaries.follows(reader, reading.frame, value.end())
    opening = _OPENING.match(reader.text, pos)
    if opening is None:
        return False
    return opening.group()[-1] != '"' or lexis.string_at(reader.text, opening.end() - 1) is None


_OPENING = re.compile(rf"{_S}[{{\[\"]")


def strange(text: str, frame: Frame | None, key: str) -> bool:
    """Whether a key that the schema does not list here is a sign of a misplaced bracket."""
    if frame is None:
        return False
    parent = frame.parent
    if frame.expect.closed:
        return True
    if parent is None or parent.kind != "{" or key not in parent.expect.keys:
        return False
    return f'"{key}"' not in text[parent.start : frame.start]


def unknown_key(reader: Reader, reading: Reading, key: str, after: int) -> list[Reading]:
    """A closed object does not know the key: a bracket before it is misplaced, or it just misfits."""
    frame = reading.frame
    assert frame is not None
    found: list[Reading] = []
    parent = frame.parent
    if parent is not None and parent.kind == "{" and key in parent.expect.keys:
        other = reading.fork().note("close_in_middle", reading.safe, reading.safe, "}")
        reader.leave(other, reading.safe - 1)
        found.append(_keyed(other, key, after))
    closed = last_closed(reader, reading)
    if closed is not None and closed.frame.kind == "{" and key in closed.frame.expect.keys:
        other = reading.fork().note("drop_closer", closed.at, closed.at + 1, "")
        other.frame = closed.frame
        found.append(_keyed(other, key, after))
    misfit = reading.fork()
    misfit.misfit += 1
    return [*found, *reread(reader, reading, reading.safe), misfit.go(after, VALUE)]


def welcome(want: Expect, mark: str) -> bool:
    """Whether a value that begins with `mark` may stand where `want` is expected."""
    kind = _KINDS.get(mark[0], "number")
    return want.takes(kind) or (kind == "number" and want.takes("integer"))


def misfit(reader: Reader, reading: Reading, mark: str, pos: int) -> list[Reading] | None:
    """The schema wants no value of this kind here; None when it does."""
    want = reading.want
    if welcome(want, mark):
        return None
    before = reading.recent[0]
    found: list[Reading] = []
    if want.only("array"):
        found += _bracketed(before)
        if mark[0] == '"' and reader.text[pos + 1 : pos + 2] in ("{", "[", '"'):
            other = Reading.back_to(before).note("replace_opener", pos, pos + 1, "[")
            reader.enter(other, pos, "[")
            found.append(other)
    frame = before.frame
    if (
        mark[0] == "["
        and frame is not None
        and frame.kind == "["
        and before.safe == frame.start + 1
    ):
        other = Reading.back_to(before).note("drop_opener", pos, pos + 1, "")
        found.append(other.go(pos + 1, VALUE))
    if want.only("string") and mark[0] in "{[":
        found += boundaries.unopened(reader, before, pos)
    swapped = {"array": ("{", "["), "object": ("[", "{")}
    for kind, (wrong, right) in swapped.items():
        if want.only(kind) and mark[0] == wrong:
            other = Reading.back_to(before).note("replace_opener", pos, pos + 1, right)
            reader.enter(other, pos, right, invented=True)
            found.append(other)
    if want.only("object") and mark[0] == '"' and lexis.KEY_AHEAD.match(reader.text, pos):
        other = Reading.back_to(before).note("open_in_middle", pos, pos, "{")
        reader.enter(other, pos - 1, "{", invented=True)
        found.append(other)
    other = Reading.back_to(before)
    other.misfit += 1
    other.want = type(want)({}, {})
    return [*found, other]


def early_closer(reader: Reader, reading: Reading, pos: int) -> list[Reading] | None:
    """The root closes, but another member follows: this closer, or one before it, is too early."""
    match = lexis.NEXT_KEY.match(reader.text, pos + 1)
    if match is None or match.group(1) is None or reader.text[pos] != "}":
        return _comma_for_closer(reader, reading, pos)
    other = reading.fork().note("drop_closer", pos, pos + 1, "")
    other.safe = pos + 1
    found = [other.go(pos + 1, NEXT)]
    if (
        not reader.guided
        and reader.text[reading.safe - 1] != "}"
        and _OBJECT_BEFORE.search(reader.text, 0, reading.safe)
    ):
        reader.reason = "ambiguous"
        return []
    closed = reading.closed
    if (
        closed is not None
        and closed.frame.kind == "{"
        and closed.at + 1 < reading.safe
        and closed.frame.parent is reading.frame
    ):
        earlier = reading.fork().note("drop_closer", closed.at, closed.at + 1, "")
        earlier.frame = closed.frame
        reader.leave(earlier, pos)
        found.append(earlier)
    return found


def _comma_for_closer(reader: Reader, reading: Reading, pos: int) -> list[Reading] | None:
    """The root's closer stands where a comma is due: a quoted key follows it."""
    if not _QUOTED_KEY.match(reader.text, pos + 1) or reading.place != NEXT:
        return None
    return [reading.fork().note("replace_punctuation", pos, pos + 1, ",").go(pos + 1, KEY)]


_OBJECT_BEFORE = re.compile(rf"\}}{_S},")
_QUOTED_KEY = re.compile(rf"[ \t]*+\n?{_S}\"(?:[^\"\\\n]|\\.){{1,80}}+\"{_S}:")
_STRAY = re.compile(r"(?:\s*+[}\]])++(?=[ \t]*+(?:\Z|\n|```|<|[;)]++\s*+\Z))")


def after_root(reader: Reader, reading: Reading) -> list[Reading] | None:
    """The value ended: what comes after it must be text around it, not a part that was misread."""
    if reading.pos == reader.size:
        reading.place = DONE
        return None
    stray = _STRAY.match(reader.text, reading.pos)
    if stray is not None and any(fix.name == "drop_opener" for fix in reading.fixes()):
        return []
    if stray is not None:
        reading.note("drop_closer", reading.pos, stray.end(), "")
        reading.pos = stray.end()
    unclean = reading.rank >= Rank.COMPLETE and not boundaries.follows(reader, None, reading.pos)
    if unclean or boundaries.goes_on(reader.text, reading.pos):
        return reread(reader, reading, reading.pos)
    reading.place = DONE
    return None
