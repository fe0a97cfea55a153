"""A text that no reading holds for in, the one edit at the place of the stumble that makes it sound out.

Two neighbours that changed places, a mark that belongs to nothing, one mark for another: no reader that
goes from token to token sees them, since what stands there is no token. The strict parser says where it
stumbled, so all such edits around that place are made, and each is judged on the whole text. Unless all
that hold say the same, nothing is mended.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from zkit.repair.fixes import GUESS, fix_named
from zkit.repair.repeated_keys import repeats_a_key
from zkit.repair.sound import PLACED, TRAILING, last_token, parts_of, place_in, strict, verdict
from zkit.repair.task import Candidate, Task, same
from zkit.text.edits import Edit, apply_edits

LONGEST = 20_000
"""A longer text is not read some fifty times more."""
_MARKS = frozenset('"{}[]:,')
_STRUCTURE = frozenset("{}[]:,")
_BRACKETS = frozenset("{}[]")
_PREFIXES = frozenset("rRbBuUfF")
"""Letters that a string of Python may begin with."""
_PLACED = PLACED | {TRAILING}


def read_with_one_edit(task: Task, start: int, end: int, *, undecided: bool) -> Candidate | None:
    """The value of a span that one edit makes sound; None unless there is just one such value.

    `undecided` says that the reader found several: then only marks that changed places are put back.
    """
    text, _, limit, finish_reason = task
    body = text[start:end]
    judged = verdict(body)
    if limit < GUESS or finish_reason == "length" or len(body) > LONGEST or type(judged) is not str:
        return None
    kind, place = parts_of(judged)
    if kind not in _PLACED:
        return None
    found: Candidate | None = None
    for name, edit in _edits(task, body, place_in(body, place), kind):
        json = apply_edits(body, [edit])
        value = strict(json)
        if value is None or not _holds(task, json, value[0]):
            continue
        if found is not None:
            assert found.value is not None
            if not same(found.value[0], value[0]):
                return None
            continue
        fix = fix_named(name, start + edit.start, start + edit.end, edit.new)
        found = Candidate(start, end, value, [fix], fix.rank, fits=True)
    if found is None or found.fixes[0].name not in (_SWAPPED if undecided else _DONE):
        return None
    return found


_SWAPPED = frozenset({"swap_marks"})
_DONE = _SWAPPED | {"drop_stray_mark", "replace_quote", "replace_opener", "replace_closer"}
"""What only this way finds. What is missing the reader sees too, and more of what speaks against it."""


def _holds(task: Task, json: str, value: Any) -> bool:
    """Whether the schema has nothing against a value, nor has a key that is there twice."""
    evidence = task.evidence
    if evidence is not None and (not evidence.fits(value) or evidence.misplaced(value)):
        return False
    return not repeats_a_key(json, value)


def _edits(task: Task, text: str, at: int, kind: str) -> Iterator[tuple[str, Edit]]:
    """The edits around the place of a stumble, each with the name of its fix."""
    before = len(text[:at].rstrip())
    string = last_token(text, at, kind)
    places = {at - 1, at, at + 1, before - 2, before - 1, before, string, string + 1}
    for place in sorted(places):
        if not 0 < place < len(text):
            continue
        mark, opens = text[place], _is_outside(text, place)
        if _may_change_places(text, place, opens) and not _is_prefix(task, text, place):
            yield "swap_marks", Edit(place, place + 2, text[place + 1] + mark)
        if mark in _BRACKETS or (mark in ",:" and not _joins(text, place)):
            yield "drop_stray_mark", Edit(place, place + 1, "")
        for new, (replace, add) in (_OPENING if opens else _CLOSING).items():
            if mark in _MARKS and mark != new:
                yield replace, Edit(place, place + 1, new)
            if new != '"' or not opens or mark not in _NO_BEGINNING:
                yield add, Edit(place, place, new)


_PUNCTUATION = {
    ",": ("replace_punctuation", "add_comma"),
    ":": ("replace_punctuation", "add_colon"),
    "{": ("replace_opener", "open_in_middle"),
    "[": ("replace_opener", "open_in_middle"),
    "}": ("replace_closer", "close_in_middle"),
    "]": ("replace_closer", "close_in_middle"),
}
_OPENING = _PUNCTUATION | {'"': ("replace_quote", "add_opening_quote")}
_CLOSING = {'"': ("replace_quote", "add_closing_quote")}
"""What may stand for a mark, or is missing, outside of strings and in one: the names of the fixes."""


_NO_BEGINNING = frozenset("}],: \t\n\r")
"""What a string without its quote does not begin with: a mark rather stands for the quote."""
_FIXED = frozenset(" \t\n\r\\")
"""What is not put in another place: white space means nothing, and a backslash belongs to what follows it."""


def _may_change_places(text: str, at: int, opens: bool) -> bool:
    """Whether two neighbours may have changed places: no mark goes into a string by that, no letter out of one."""
    first, second = text[at], text[at + 1 : at + 2]
    if first == second or not second or first in _FIXED or second in _FIXED:
        return False
    if first != '"' and second != '"':
        return first in _STRUCTURE or second in _STRUCTURE
    if first == '"':  # the other goes before the quote
        return (second in _STRUCTURE) == opens
    return (first in _STRUCTURE) != opens


def _joins(text: str, at: int) -> bool:
    """Whether a mark stands between two letters or digits: without it they would be another token."""
    return text[at - 1].isalnum() and text[at + 1 : at + 2].isalnum()


def _is_outside(text: str, at: int) -> bool:
    """Whether a place is outside of strings: the text before it has an even number of quotes."""
    before = text[:at].replace("\\\\", "")
    return (before.count('"') - before.count('\\"')) % 2 == 0


def _is_prefix(task: Task, text: str, at: int) -> bool:
    """Whether a letter before a quote may belong to no string: it is Python's, or one too many."""
    if text[at + 1 : at + 2] != '"' or not text[at].isalpha():
        return False
    content = text[at + 2 : text.find('"', at + 2)]
    names = frozenset[str]() if task.evidence is None else task.evidence.names
    return content in names or (text[at] in _PREFIXES and text[at] + content not in names)
