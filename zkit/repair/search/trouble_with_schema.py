"""Trouble with the schema: a key or a value that it does not want here. Other ways to go on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zkit.repair.expect import ANYTHING, Expect
from zkit.repair.search.missing_quotes import unopened
from zkit.repair.search.reading import VALUE, Before, Frame, Reading
from zkit.repair.search.rereading import bracketed, keyed, last_closed, reread
from zkit.text import lexis

if TYPE_CHECKING:
    from zkit.repair.search.reader import Reader

_KINDS = {
    "{": "object",
    "[": "array",
    "(": "array",
    '"': "string",
    "t": "boolean",
    "f": "boolean",
    "n": "null",
}
_SCALARS = frozenset({"string", "number", "integer", "boolean", "null"})


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
        found.append(keyed(other, key, after))
    closed = last_closed(reader, reading)
    if closed is not None and closed.frame.kind == "{" and key in closed.frame.expect.keys:
        other = reading.fork().note("drop_closer", closed.at, closed.at + 1, "")
        other.frame = closed.frame
        found.append(keyed(other, key, after))
    misfit = reading.fork()
    misfit.misfit += 1
    return [*found, *reread(reader, reading, reading.safe), misfit.go(after, VALUE)]


def welcome(want: Expect, mark: str) -> bool:
    """Whether a value that begins with `mark` may stand where `want` is expected."""
    kind = _KINDS.get(mark[0], "number")
    return want.takes(kind) if kind in ("object", "array") else not want.kinds.isdisjoint(_SCALARS)


def expected(want: Expect, mark: str) -> bool:
    """Whether the schema names the kind of value that begins with `mark`."""
    kind = _KINDS.get(mark[0], "number")
    return want.takes(kind) or (kind == "number" and want.takes("integer"))


def misfit(reader: Reader, reading: Reading, mark: str, pos: int) -> list[Reading] | None:
    """The schema wants no value of this kind here; None when it does."""
    want, before = reading.want, reading.recent[0]
    if welcome(want, mark):
        return None
    found = _other_openers(reader, before, mark, pos)
    if want.only("array"):
        found += bracketed(before)
    if want.only("string") and mark[0] in "{[":
        found += unopened(reader, before, pos)
    if want.only("object") and mark[0] == '"' and lexis.KEY_AHEAD.match(reader.text, pos):
        other = Reading.back_to(before).note("open_in_middle", pos, pos, "{")
        reader.enter(other, pos - 1, "{", invented=True)
        found.append(other)
    other = Reading.back_to(before)
    other.misfit += 1
    other.want = ANYTHING
    return [*found, other]


def _other_openers(reader: Reader, before: Before, mark: str, pos: int) -> list[Reading]:
    """Another opener was meant, or the one found was written twice."""
    want, frame = before.want, before.frame
    found: list[Reading] = []
    quoted = mark[0] == '"' and reader.text[pos + 1 : pos + 2] in ("{", "[", '"')
    for kind, wrong, right in (("array", "{", "["), ("object", "[", "{"), ("array", '"', "[")):
        if want.only(kind) and mark[0] == wrong and (wrong != '"' or quoted):
            other = Reading.back_to(before).note("replace_opener", pos, pos + 1, right)
            reader.enter(other, pos, right, invented=True)
            found.append(other)
    if (
        mark[0] == "["
        and frame is not None
        and frame.kind == "["
        and before.safe == frame.start + 1
    ):
        other = Reading.back_to(before).note("drop_opener", pos, pos + 1, "")
        found.append(other.go(pos + 1, VALUE))
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
