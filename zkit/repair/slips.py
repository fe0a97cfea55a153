"""JSON with one slip in its structure in, the mends that the place of the slip allows out.

The strict parser says where it stumbled and what it expected there. All before that place is
sound, so for the commonest slips a look around it tells which mends there are; each is tried on
the whole text, and the strict parser judges. The reader would find the same mends at the same
price. Where none of them is enough, or more than one is, it is the reader's turn.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from zkit.repair.sound import stumbled_at
from zkit.text import lexis


class Mend(NamedTuple):
    """A fix by its name: `text[start:end]` becomes `new`."""

    name: str
    start: int
    end: int
    new: str


_MARKS = re.compile(rf"(?:[^\"{{}}\[\]]++|{lexis.STRING})*+([{{}}\[\]])")
_CLOSERS = {"{": "}", "[": "]"}
_WHOLE = frozenset('"}]el')
"""The last character of a value that cannot go on, as a number could."""


def mends(text: str, complaint: str) -> list[Mend]:
    """What may mend the place that the strict parser complains of; all at the same price."""
    look = _LOOKS.get(complaint.partition(" at line ")[0])
    return [] if look is None else look(text, stumbled_at(text, complaint))


def _due(text: str) -> list[str]:
    """The closers of the containers that are open at the end of a sound beginning, outermost first."""
    due: list[str] = []
    for mark in _MARKS.findall(text):
        if mark in _CLOSERS:
            due.append(_CLOSERS[mark])
        else:
            due.pop()
    return due


def _at_end(text: str, at: int) -> list[Mend]:
    """The text ends after a value, and closers are missing."""
    end = len(text)
    last_line = text[text.rfind("\n") + 1 :].strip()
    if text[-1] not in _WHOLE or last_line in ("}", "]"):  # its indentation may tell what it closes
        return []
    return [Mend("close_at_end", end, end, "".join(reversed(_due(text))))]


def _after_key(text: str, at: int) -> list[Mend]:
    """The colon after a key is missing."""
    end = len(text[:at].rstrip())
    key = text.rfind('"', 0, end - 1)
    while text[key - 1] == "\\":
        key = text.rfind('"', 0, key)
    if text[:key].rstrip()[:-1].rstrip().endswith("]"):  # or the list was closed too early
        return []
    return [Mend("add_colon", end, end, ":")]


def _after_value(text: str, at: int) -> list[Mend]:
    """A closer stands where another one is due."""
    return _closers(text, at, _due(text[:at])) if text[at : at + 1] in ("}", "]") else []


def _in_empty(text: str, at: int) -> list[Mend]:
    """The closer of the outer container stands right after an opener."""
    if text[at : at + 1] not in ("}", "]") or text[:at].rstrip()[-1:] not in _CLOSERS:
        return []
    due = _due(text[:at])
    return _closers(text, at, due) if due[-2:-1] == [text[at]] else []


def _after_root(text: str, at: int) -> list[Mend]:
    """The only object of the text was closed too early: a comma follows."""
    closer = len(text[:at].rstrip()) - 1
    if text[at] != "," or text.find("}") != closer:
        return []
    return [Mend("drop_closer", closer, closer + 1, "")]


def _closers(text: str, at: int, due: list[str]) -> list[Mend]:
    """What a closer may be that does not match: wrong, stray, or one before it is missing."""
    mark, after = text[at], at + 1
    found = [Mend("replace_closer", at, after, due[-1]), Mend("drop_closer", at, after, "")]
    if len(due) > 1 and due[-2] == mark:
        end = len(text[:at].rstrip())
        found.append(Mend("add_closer", end, end, due[-1]))
    return found


_LOOKS: dict[str, Callable[[str, int], list[Mend]]] = {
    "EOF while parsing an object": _at_end,
    "EOF while parsing a list": _at_end,
    "expected `:`": _after_key,
    "expected `,` or `}`": _after_value,
    "expected `,` or `]`": _after_value,
    "expected value": _in_empty,
    "key must be a string": _in_empty,
    "trailing characters": _after_root,
}
