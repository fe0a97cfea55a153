"""A span of text in, its value out without a search: the short ways, each judged by the strict parser."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from zkit.receipt import Fix
from zkit.repair.around import enclosing
from zkit.repair.around.layers import escapings
from zkit.repair.around.line_marks import begins_marked
from zkit.repair.doubts.beside_quotes import may_be_another
from zkit.repair.doubts.misreading import rearranged
from zkit.repair.doubts.settling import beyond_doubt
from zkit.repair.fixes import COMPLETE, EXACT, GUESS, fix_named
from zkit.repair.repeated_keys import repeats_a_key
from zkit.repair.search.follow import goes_on
from zkit.repair.short_ways.quotations import undisputed
from zkit.repair.short_ways.respelling import respelled
from zkit.repair.short_ways.slips import SLIPS, Mend, Repair, slip_at
from zkit.repair.sound import PLACED, TRAILING, odd_token, parts_of, place_in, strict, verdict
from zkit.repair.task import DAMAGED, Candidate, Task
from zkit.text import lexis
from zkit.text.edits import apply_edits

_NO_TOKEN = frozenset({"EOF while parsing an object", "EOF while parsing a list", TRAILING})
"""Complaints of the strict parser that no other spelling of a token would silence."""
SHORT = 200
"""So many sound characters are looked through sooner than left out."""
_new = tuple.__new__


def express(task: Task, start: int, end: int, complaint: str) -> Candidate | None:
    """What takes no search: one slip in the structure, or tokens that are only spelt otherwise."""
    body = task.text[start:end]
    if start:
        judged = verdict(body)
        if not isinstance(judged, str):
            fits = task.evidence is None or task.evidence.fits(judged[0])
            return Candidate(start, end, judged, fits=fits)
        complaint = judged
    kind, place = parts_of(complaint)
    since = start
    if kind in SLIPS or (kind in PLACED and end - start > SHORT):
        at = place_in(body, place)
        look = slip_at(body, at, kind)
        if look is not None:
            repairs = look(body, at)
            found = unslipped(task, start, end, repairs, kind) if repairs else None
            if found is not None or repairs is None:
                return found
        if kind in _NO_TOKEN:
            more = not start and kind == TRAILING and body[at] not in "}]"
            return in_prose(task) if more else None
        since += odd_token(body, at, kind)
    return respelt(task, start, end, since)


def in_prose(task: Task) -> Candidate | None:
    """The one sound object of a text, with plain prose around it and one fence or tag; None when there is more to it."""
    text, evidence, _, _ = task
    start, end = text.find("{"), text.rfind("}") + 1
    before = _BEFORE.fullmatch(text, 0, start) if start >= 0 else None
    after = _AFTER.fullmatch(text, end) if before is not None else None
    if before is None or after is None or before.group(1, 2) != after.group(1, 2):
        return None
    value = strict(text[start:end])
    if not value or not value[0] or (evidence is not None and not evidence.fits(value[0])):
        return None
    if lexis.COMMA.match(text, end) or goes_on(text, start, end):
        return None
    if enclosing.is_argument(text, start) or begins_marked(text, start):
        return None
    return _new(Candidate, (start, end, value, (), EXACT, True, DAMAGED, ""))


_QUOTED = r"(?:\"\w[\w .-]{0,40}+\"|'\w[\w .-]{0,40}+')(?!\s*+(?:[:=)]|,\s*+[\"']))"
_PROSE = rf"(?:[^{{}}\[\]<>\"'`~\\&|“”„«»‘’◁]++|(?<=\w)['’]|{_QUOTED})*+"
"""Nothing that may begin, end or hold another value, or say what the text around a value is."""
_TAG, _FENCE = r"(?!think|thought|reason|reflect|analysis|scratch)([A-Za-z_][\w.-]*+)", r"(```|~~~)"
_BEFORE = re.compile(rf"{_PROSE}(?:<{_TAG}>\s*+|{_FENCE}(?:json)?+[ \t]*+\n\s*+)?+")
_AFTER = re.compile(rf"\s*+(?:</{_TAG}>|{_FENCE})?+{_PROSE}")
"""Prose, and right at the value a tag or a fence: the groups tell which."""


def respelt(task: Task, start: int, end: int, since: int) -> Candidate | None:
    """The value of a span in which only tokens from `since` on are odd; None when there is more to it."""
    text, evidence, limit, _ = task
    spelt = respelled(text, start, end, since)
    if spelt is None:
        return None
    json, fixes, rank, value = spelt
    if rank > limit:
        return None
    if rank >= GUESS:
        if not _guess_holds(task, json, fixes, value[0]):
            return None
        json = ""
    elif evidence is not None and not evidence.fits(value[0]):
        return None
    found = _new(Candidate, (start, end, value, fixes, rank, True, DAMAGED, json))
    if rank < COMPLETE:
        return None if may_be_another(text, fixes) else found
    return found if beyond_doubt(task, found) is found else None


def _guess_holds(task: Task, json: str, fixes: Sequence[Fix], value: Any) -> bool:
    """Whether one guess was enough, or some of a kind without a rival, and nothing speaks against it."""
    made = [fix for fix in fixes if fix.rank >= COMPLETE]
    name = made[0].name
    if len(made) > 1 and (name not in _WITHOUT_RIVAL or any(fix.name != name for fix in made)):
        return False
    if name == "escape_inner_quote" and not _are_quotations(task, made):
        return False
    if repeats_a_key(json, value):
        return False
    return _holds(task, value)


def _are_quotations(task: Task, made: Sequence[Fix]) -> bool:
    """Whether bare quotes were escaped where there is no other reading, or one string had apostrophes."""
    if any(task.text[fix.start] != '"' for fix in made):
        return len(made) == 1
    names = () if task.evidence is None else task.evidence.names
    return undisputed(task.text, made, names)


_WITHOUT_RIVAL = frozenset({"quote_phrase", "keep_backslash_guess", "escape_inner_quote"})
"""Guesses that may be made more than once: each stands for itself."""


def unslipped(
    task: Task, start: int, end: int, repairs: list[Repair], kind: str = ""
) -> Candidate | None:
    """The value of a span with one slip in its structure; None unless just one repair mends it.

    Where the search could find nothing but the repair that makes the text sound, what speaks against
    it counts at once. `kind` is what the strict parser complains of.
    """
    sound = [found for repair in repairs if (found := _tried(task, start, end, repair))]
    if len(sound) == 1:
        settled = beyond_doubt(task, sound[0])
        return settled if settled is sound[0] or _is_only_way(task, sound[0], kind) else None
    sure = [found for found in sound if beyond_doubt(task, found) is found]
    return sure[0] if len(sure) == 1 else None


def _is_only_way(task: Task, found: Candidate, kind: str) -> bool:
    """Whether the search would try no other mend at this price, all before it being sound."""
    if found.start or found.end != len(task.text) or escapings(task.text, 0):
        return False
    fix = found.fixes[0]
    if fix.name == "close_at_end":
        return True
    if fix.name not in _MISMATCHED or kind not in _AFTER_VALUE or "\n" in task.text:
        return False  # lines may tell that a bracket is missing before the last value
    return lexis.AFTER_STRING.match(task.text, fix.end) is not None


_AFTER_VALUE = frozenset({"expected `,` or `}`", "expected `,` or `]`"})
_MISMATCHED = frozenset({"replace_closer", "drop_closer", "add_closer"})


def unopened(task: Task, start: int) -> Candidate | None:
    """The value from `start` to the end of the text that only lacks its opening brace."""
    found = _tried(task, start, len(task.text), [Mend("open_object", 0, 0, "{")])
    return found if found is not None and beyond_doubt(task, found) is found else None


def _tried(task: Task, start: int, end: int, mends: Repair) -> Candidate | None:
    """The value of a span with these mends, if they make it sound and the schema has nothing against it."""
    mended = apply_edits(task.text[start:end], [mend[1:] for mend in mends])
    value = strict(mended)
    if value is None or task.finish_reason == "length" or not _holds(task, value[0]):
        return None
    fixes = [fix_named(name, start + at, start + last, new) for name, at, last, new in mends]
    rank = fixes[0].rank
    if rank > task.limit:
        return None
    if rearranged(fixes):
        if repeats_a_key(mended, value[0]):
            return None
        mended = ""
    return _new(Candidate, (start, end, value, fixes, rank, True, DAMAGED, mended))


def _holds(task: Task, value: Any) -> bool:
    """Whether the schema has nothing against a value that a structural fix made."""
    return task.evidence is None or task.evidence.holds(value)
