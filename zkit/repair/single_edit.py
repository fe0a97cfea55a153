"""A text that no reading holds for in, the one edit at the place of the stumble that makes it sound out.

Two neighbours that changed places, a mark that belongs to nothing, one mark for another: no reader that
goes from token to token sees them, since what stands there is no token. The strict parser says where it
stumbled, so all such edits around that place are made, and each is judged on the whole text. Unless all
that hold say the same, nothing is mended.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from zkit.repair.fixes import GUESS, fix_named
from zkit.repair.repeated_keys import repeats_a_key
from zkit.repair.search.bare import is_prefix
from zkit.repair.sound import PLACED, TRAILING, last_token, parts_of, place_in, strict, verdict
from zkit.repair.task import Candidate, Task, same
from zkit.text import lexis
from zkit.text.edits import Edit, apply_edits

LONGEST = 20_000
"""A longer text is not read some fifty times more."""
_MARKS = frozenset('"{}[]:,')
_STRUCTURE = frozenset("{}[]:,")
_BRACKETS = frozenset("{}[]")
_PREFIXES = frozenset("rRbBuUfFtTLcsNEqxX@$")
"""What stands before the quote of a string in one language or another: `r"x"`, `L"x"`, `@"x"`, `E'x'`."""
_PLACED = PLACED | {TRAILING}


def read_with_one_edit(task: Task, start: int, end: int, *, undecided: bool) -> Candidate | None:
    """The value of a span that one edit makes sound; None unless there is just one such value.

    `undecided` says that the reader found several: then only marks that changed places are put back.
    """
    if task.limit < GUESS or task.finish_reason == "length" or end - start > LONGEST:
        return None
    body = task.text[start:end]
    judged = verdict(body)
    kind, place = parts_of(judged) if isinstance(judged, str) else ("", "")
    if kind not in _PLACED:
        return None
    places = _places(body, place_in(body, place), kind)
    swapped = _sound(task, body, _swaps(task, body, places))
    if undecided and not swapped:
        return None
    found = swapped + _sound(task, body, _others(body, places))
    if not found or any(not same(value, found[0][2]) for _, _, value in found[1:]):
        return None
    name, edit, value = found[0]
    if name not in _DONE:
        return None
    fix = fix_named(name, start + edit.start, start + edit.end, edit.new)
    return Candidate(start, end, (value,), [fix], fix.rank, fits=True)


def _sound(task: Task, body: str, edits: Iterable[tuple[str, Edit]]) -> list[tuple[str, Edit, Any]]:
    """The edits that make the text sound, and the value of each."""
    found = []
    for name, edit in edits:
        json = apply_edits(body, [edit])
        value = strict(json)
        if value is not None and _holds(task, json, value[0]):
            found.append((name, edit, value[0]))
    return found


_DONE = frozenset(
    {"swap_marks", "drop_stray_mark", "replace_quote", "replace_opener", "replace_closer"}
)
"""What only this way finds. What is missing the reader sees too, and more of what speaks against it."""


def _holds(task: Task, json: str, value: Any) -> bool:
    """Whether a value is a container against which neither the schema nor a repeated key speaks."""
    if not isinstance(value, dict | list):
        return False
    evidence = task.evidence
    if evidence is not None and not (evidence.holds(value) and evidence.suits(value)):
        return False
    return not repeats_a_key(json, value)


def _places(text: str, at: int, kind: str) -> list[tuple[int, bool]]:
    """The places around a stumble where an edit may help, and whether each is outside of strings."""
    before = len(text[:at].rstrip())
    string = last_token(text, at, kind)
    places = {at - 1, at, at + 1, before - 2, before - 1, before, string, string + 1}
    return [(p, _is_outside(text, p)) for p in sorted(places) if 0 <= p < len(text)]


def _swaps(task: Task, text: str, places: list[tuple[int, bool]]) -> Iterator[tuple[str, Edit]]:
    """Two neighbours put in each other's place."""
    for place, outside in places:
        if _may_change_places(text, place, outside) and not _is_prefix(task, text, place):
            yield "swap_marks", Edit(place, place + 2, text[place : place + 2][::-1])


def _others(text: str, places: list[tuple[int, bool]]) -> Iterator[tuple[str, Edit]]:
    """One mark dropped, replaced or added, with the name of the fix."""
    for place, outside in places:
        mark = text[place]
        if mark in _BRACKETS or (mark in ",:\\" and not _joins(text, place)):
            yield "drop_stray_mark", Edit(place, place + 1, "")
        for new, (replace, add) in (_OPENING if outside else _CLOSING).items():
            if mark in _MARKS and mark != new:
                yield replace, Edit(place, place + 1, new)
            if not outside or not _begins_otherwise(text, place, new):
                yield add, Edit(place, place, new)


def _begins_otherwise(text: str, at: int, new: str) -> bool:
    """Whether a string after an added mark would begin as none does: with a mark, or without its quote."""
    if new == '"':
        return text[at] in _NO_BEGINNING
    return text[at] == '"' and text[at + 1 : at + 2] in _STRUCTURE


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


_QUOTES = frozenset("\"'`“”‘’")
_NO_BEGINNING = frozenset("}],: \t\n\r")
"""What a string without its quote does not begin with: a mark rather stands for the quote."""
_FIXED = frozenset(" \t\n\r\\")
"""What is not put in another place: white space means nothing, and a backslash belongs to what follows it."""


_LAST_LINE = re.compile(r"[ \t]++[}\]]")
"""Between a quote that stands before its line and the closer of that line: its indentation."""


def _may_change_places(text: str, at: int, opens: bool) -> bool:
    """Whether two neighbours may have changed places: no mark goes into a string by that, no letter out of one."""
    first, second = text[at], text[at + 1 : at + 2]
    if first == "\n" and second == '"':
        return _LAST_LINE.match(text, at + 2) is not None
    if first == second or not second or first in _FIXED or second in _FIXED:
        return False
    if first != '"' and second != '"':
        return first in _STRUCTURE or second in _STRUCTURE
    if first == '"':  # the other goes before the quote
        return (second in _STRUCTURE) == opens and text[at + 2 : at + 3] not in _QUOTES
    return (first in _STRUCTURE) != opens


def _joins(text: str, at: int) -> bool:
    """Whether a mark stands between two letters or digits: without it they would be another token."""
    return text[at - 1].isalnum() and text[at + 1 : at + 2].isalnum()


def _is_outside(text: str, at: int) -> bool:
    """Whether a place is outside of strings: the text before it has an even number of quotes."""
    before = text[:at].replace("\\\\", "")
    return (before.count('"') - before.count('\\"')) % 2 == 0


def _is_prefix(task: Task, text: str, at: int) -> bool:
    """Whether what stands before a quote may belong to no string: it is a prefix, or one too many."""
    if text[at + 1 : at + 2] != '"' or text[at] in _STRUCTURE:
        return False
    if text[at] == "=":
        return not lexis.FORMULA.match(text, at + 1)
    end = text.find('"', at + 2)
    content, is_key = text[at + 2 : end], text.startswith(":", lexis.skip_blank(text, end + 1))
    names = frozenset[str]() if task.evidence is None else task.evidence.names
    if is_key and text[at] + content in names:
        return False
    return content in names or (
        _is_prefix_of_key(text, at, content) if is_key else text[at] in _PREFIXES
    )


def _is_prefix_of_key(text: str, at: int, content: str) -> bool:
    """Whether Python writes a letter before a key: for what the key holds, or since it writes others so."""
    if text[at] in "fF":
        return "{" in content
    prefix = lexis.PREFIX.match(text, at)
    if prefix is None:
        return False
    alone = text[at] in "bBuU" and not _PLAIN_KEY.search(text[:_NEAR])
    return alone or is_prefix(text, prefix, content)


_NEAR = 2_000
_PLAIN_KEY = re.compile(r"[{,]\s*+\"[^\"\\\n]{1,80}+\"\s*+:")
"""A key without a prefix: a text that writes one so has no other kinds of keys."""
