"""JSON with one slip in its structure in, the mends that the place of the slip allows out.

The strict parser says where it stumbled and what it expected there. All before that place is
sound, so for the commonest slips a look around it tells which mends there are; each is tried on
the whole text, and the strict parser judges. The reader would find the same mends at the same
price. Where none of them is enough, or more than one is, it is the reader's turn.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from operator import itemgetter
from typing import NamedTuple

from zkit.text import lexis


class Mend(NamedTuple):
    """A fix by its name: `text[start:end]` becomes `new`."""

    name: str
    start: int
    end: int
    new: str


_MARKS = re.compile(rf"{lexis.STRING}|([{{}}\[\]])")
"""A string, or a bracket outside of strings."""
_CLOSERS = {"{": "}", "[": "]"}
_WHOLE = frozenset('"}]el')
"""The last character of a value that cannot go on, as a number could."""


Repair = list[Mend]
"""The mends that together make a text sound, in the order of the text."""


Look = Callable[[str, int], list[Repair] | None]
"""A text and the place of a slip in, what may mend it out, all at the same price; None: nothing does."""


def slip_at(text: str, at: int, kind: str) -> Look | None:
    """How to look at what the strict parser stumbled over, by its kind of complaint; None if it is no slip."""
    looks = SLIPS.get(kind)
    return None if looks is None else looks.get(text[at : at + 1]) or looks.get(_ANY)


def _due(text: str) -> list[str]:
    """The closers of the containers that are open at the end of a sound beginning, outermost first."""
    due: list[str] = []
    for mark in filter(None, _MARKS.findall(text)):
        if mark in _CLOSERS:
            due.append(_CLOSERS[mark])
        else:
            due.pop()
    return due


def _at_end(text: str, at: int) -> list[Repair]:
    """The text ends after a value, and closers are missing."""
    end = len(text)
    if text[-1] not in _WHOLE:
        return []
    return [[Mend("close_at_end", end, end, "".join(reversed(_due(text))))]]


def _string_before(text: str, end: int) -> int:
    """Where the string begins that ends at a place."""
    start = text.rfind('"', 0, end - 1)
    while text[start - 1] == "\\":
        start = text.rfind('"', 0, start)
    return start


def _after_key(text: str, at: int) -> list[Repair]:
    """The colon after a key is missing."""
    end = len(text[:at].rstrip())
    key = _string_before(text, end)
    if text[:key].rstrip()[:-1].rstrip().endswith("]"):  # or the list was closed too early
        return []
    if text[end - 2] == ":" or text.startswith(
        '":', end
    ):  # or it stands on the wrong side of a quote
        return []
    return [[Mend("add_colon", end, end, ":")]]


def _in_empty(text: str, at: int) -> list[Repair]:
    """The closer of the outer container stands right after an opener."""
    if text[:at].rstrip()[-1:] not in _CLOSERS:
        return []
    due = _due(text[:at])
    return _closers(text, at, due) if due[-2:-1] == [text[at]] else []


def _after_root(text: str, at: int) -> list[Repair]:
    """The only object of the text was closed too early: a comma follows."""
    closer = len(text[:at].rstrip()) - 1
    return [[Mend("drop_closer", closer, closer + 1, "")]] if text.find("}") == closer else []


def _after_value(text: str, at: int) -> list[Repair]:
    """A closer stands where another one is due."""
    return _closers(text, at, _due(text[:at]))


def _closers(text: str, at: int, due: list[str]) -> list[Repair]:
    """What a closer may be that does not match: wrong, stray, or one before it is missing."""
    mark, after = text[at], at + 1
    found = [[Mend("replace_closer", at, after, due[-1])], [Mend("drop_closer", at, after, "")]]
    if len(due) > 1 and due[-2] == mark:
        end = len(text[:at].rstrip())
        found.append([Mend("add_closer", end, end, due[-1])])
    return found


def _key_in_list(text: str, at: int) -> list[Repair]:
    """A key stands in a list: the closer before it is missing."""
    key = _string_before(text, len(text[:at].rstrip()))
    if "\n" in text[len(text[:key].rstrip()) : key]:  # then the bracket of the list may be too many
        return []
    return _closed_before_comma(text, key, "]")


def _key_as_value(text: str, at: int) -> list[Repair]:
    """A key stands where a value is due: the object that it begins is not opened."""
    end = len(text[:at].rstrip())
    key = _string_before(text, end)
    over = text[:key].rstrip(" \t\n\r:")
    return (
        [] if over.endswith(text[key:end]) else _opened(text, key, "{")
    )  # or it was written twice


def _item_as_key(text: str, at: int) -> list[Repair]:
    """A string stands where a key is due: the list is not opened that begins with the string before it."""
    item = _string_before(text, len(text[:at].rstrip()))
    comma = len(text[:item].rstrip()) - 1
    end = len(text[:comma].rstrip())
    if text[comma] != "," or text[end - 1] != '"':
        return []
    return _opened(text, _string_before(text, end), "[")


def _opened(text: str, at: int, opener: str) -> list[Repair]:
    """A container is opened before the value under a key."""
    if text[:at].rstrip()[-1:] != ":":
        return []
    return [[Mend("open_in_middle", at, at, opener)]]


def _object_as_key(text: str, at: int) -> list[Repair]:
    """An object stands where a key is due: the one before it is not closed, or a brace was written twice."""
    return _closed_before_comma(text, at, "}") or _doubled_braces(text, at)


def _closed_before_comma(text: str, at: int, closer: str) -> list[Repair]:
    """A container is closed before the comma before a place."""
    comma = len(text[:at].rstrip()) - 1
    if text[comma] != "," or text[:comma].rstrip()[-1:] in _CLOSERS:
        return []
    return [[Mend("close_in_middle", comma, comma, closer)]]


def _ellipsis(text: str, at: int) -> list[Repair]:
    """Dots before the first value of a container or after the last one."""
    dots = lexis.ELLIPSIS.match(text, at)
    if dots is None:
        return []
    before, end = text[:at].rstrip(), dots.end()
    first = before[-1:] in _CLOSERS
    last = lexis.CLOSER.match(text, end) is not None
    if first == last:
        return []
    comma = lexis.COMMA.match(text, end) if first else None
    start = len(before) - 1 if before[-1] == "," else at
    return [[Mend("drop_ellipsis", start, comma.end() if comma else end, "")]]


_DIGITS = "0123456789"


def _thousands(text: str, at: int) -> list[Repair]:
    """The digits after a comma go on with the number before it."""
    start = len(text[:at].rstrip(_DIGITS + ",").rstrip("+-"))
    number = lexis.THOUSANDS.match(text, start)
    if number is None or text[:start].rstrip()[-1:] != ":":
        return []
    return [[Mend("join_thousands", start, number.end(), number[0].replace(",", "").lstrip("+"))]]


_BRACES = re.compile(rf"{lexis.STRING}|([{{}}\"])")
"""Strings, and braces outside of them; a quote alone begins a string that is not sound."""


def _doubled_braces(text: str, at: int) -> list[Repair]:
    """A brace and the one that closes it were written twice; others too, perhaps."""
    found: Repair = []
    twice: list[bool] = []
    """Of each open object, whether its brace was written twice."""
    again, end = "", len(text[:at].rstrip()) - 1
    for match in _BRACES.finditer(text, end):
        mark = match[1]
        if mark == '"':
            return []
        extra = mark and mark == again and not text[end : match.start()].strip()
        end = match.end()
        again = ""
        if extra and (mark == "}" or lexis.DOUBLED_BRACE.match(text, end)):
            found.append(Mend("drop_doubled_brace", end - 1, end, ""))
            twice[-1:] = twice[-1:] if mark == "}" else [True]
        elif mark == "{":
            twice.append(False)
            again = mark
        elif mark == "}" and twice and twice.pop():
            again = mark
    return [found]


_BRACKETS = re.compile(rf"{lexis.STRING}|([(){{}}\[\],\"])")


def _tuples(text: str, at: int) -> list[Repair]:
    """Lists are written as Python tuples; one of a single item without a comma is no tuple."""
    found: Repair = []
    opened: list[tuple[str, int]] = []
    several = {-1}
    """The places of the openers that a comma follows, with nothing open in between."""
    for match in _BRACKETS.finditer(text, at):
        mark, place = match[1], match.start()
        if mark == '"':
            return []
        if mark == ",":
            several.add(opened[-1][1] if opened else -1)
        elif mark == "(" or (mark and mark in _CLOSERS):
            opened.append((mark, place))
        elif mark and opened:
            opener, start = opened.pop()
            if (opener == "(") != (mark == ")"):
                return []
            if mark == ")":
                if start not in several and text[start + 1 : place].strip():
                    return []
                found.append(Mend("list_for_tuple", start, start + 1, "["))
                found.append(Mend("list_for_tuple", place, place + 1, "]"))
    return [sorted(found, key=_BY_PLACE)]


_BY_PLACE = itemgetter(1)


def _escaped(text: str, at: int) -> None:
    """The first quote of an object is escaped: so is the rest, and no mend of one place helps."""


_Looks = dict[str, Look]
_ANY = "any character"
_AFTER_VALUE: _Looks = {"}": _after_value, "]": _after_value, ".": _ellipsis, "…": _ellipsis}
_DUE: _Looks = {"}": _in_empty, "]": _in_empty, ".": _ellipsis, "…": _ellipsis}
_AFTER_KEY: _Looks = dict.fromkeys('"{[-tfn' + _DIGITS, _after_key)
_AFTER_KEY |= dict.fromkeys(",]", _item_as_key)

SLIPS: dict[str, _Looks] = {
    "EOF while parsing an object": {_ANY: _at_end},
    "EOF while parsing a list": {_ANY: _at_end},
    "expected `:`": _AFTER_KEY,
    "expected `,` or `}`": _AFTER_VALUE | {":": _key_as_value},
    "expected `,` or `]`": _AFTER_VALUE | {":": _key_in_list},
    "expected value": _DUE | {"(": _tuples},
    "key must be a string": _DUE
    | {"{": _object_as_key, "\\": _escaped, "&": _escaped}
    | dict.fromkeys(_DIGITS, _thousands),
    "trailing characters": {",": _after_root},
}
"""Where to look, by the complaint of the strict parser and the character that it complains of."""
