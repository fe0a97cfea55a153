"""A span of text in, its value out without a search: the short ways, each judged by the strict parser."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from zkit.receipt import Fix
from zkit.repair.candidates import DAMAGED, Candidate, Task, undoubted_fixes
from zkit.repair.fixes import COMPLETE, GUESS, fix_named
from zkit.repair.misreading import comma_inside, rearranged, repeats_a_key
from zkit.repair.respelling import respelled
from zkit.repair.slips import Mend, Repair, slip_in
from zkit.repair.sound import strict, verdict
from zkit.text.edits import apply_edits

_NO_TOKEN = ("EOF while parsing an object", "EOF while parsing a list", "trailing char")
"""Complaints of the strict parser that no other spelling of a token would silence."""
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
    slip = slip_in(body, complaint)
    if slip is not None:
        look, at = slip
        found = unslipped(task, start, end, look(body, at))
        if found is not None:
            return found
    return None if complaint.startswith(_NO_TOKEN) else respelt(task, start, end)


def respelt(task: Task, start: int, end: int) -> Candidate | None:
    """The value of a span in which only tokens are odd; None when there is more to it."""
    text, evidence, limit, _ = task
    spelt = respelled(text, start, end)
    if spelt is None:
        return None
    json, fixes, rank = spelt
    value = strict(json) if rank <= limit else None
    if value is None or (evidence is not None and not evidence.fits(value[0])):
        return None
    if rank >= COMPLETE and comma_inside(text, fixes):
        return None
    if rank >= GUESS and not _guess_holds(task, json, fixes, value[0]):
        return None
    return _new(Candidate, (start, end, value, fixes, rank, True, DAMAGED))


def _guess_holds(task: Task, json: str, fixes: Sequence[Fix], value: Any) -> bool:
    """Whether one guess was enough, or some of a kind without a rival, and nothing speaks against it."""
    if len(fixes) > 1:
        made = [fix.name for fix in fixes if fix.rank >= COMPLETE]
        if len(made) > 1 and (len(set(made)) > 1 or made[0] not in _WITHOUT_RIVAL):
            return False
    if repeats_a_key(json, value):
        return False
    return task.evidence is None or not task.evidence.misplaced(value)


_WITHOUT_RIVAL = frozenset({"quote_phrase", "keep_backslash_guess"})
"""Guesses that may be made more than once: each stands for itself."""


def unslipped(task: Task, start: int, end: int, repairs: list[Repair]) -> Candidate | None:
    """The value of a span with one slip in its structure; None unless just one repair mends it."""
    found = [_tried(task, start, end, repair) for repair in repairs]
    sound = [candidate for candidate in found if candidate is not None]
    return sound[0] if len(sound) == 1 else None


def unopened(task: Task, start: int) -> Candidate | None:
    """The value from `start` to the end of the text that only lacks its opening brace."""
    return _tried(task, start, len(task.text), [Mend("open_object", 0, 0, "{")])


def _tried(task: Task, start: int, end: int, mends: Repair) -> Candidate | None:
    """The value of a span with these mends, if they make it sound and nothing speaks against it."""
    mended = apply_edits(task.text[start:end], (mend[1:] for mend in mends))
    value = strict(mended)
    if value is None or task.finish_reason == "length" or not _holds(task, value[0]):
        return None
    fixes = [fix_named(name, start + at, start + last, new) for name, at, last, new in mends]
    rank = fixes[0].rank
    if rank > task.limit or (rearranged(fixes) and repeats_a_key(mended, value[0])):
        return None
    if undoubted_fixes(task, start, end, value[0], fixes) is not fixes:
        return None
    return _new(Candidate, (start, end, value, fixes, rank, True, DAMAGED))


def _holds(task: Task, value: Any) -> bool:
    """Whether the schema has nothing against a value that a structural fix made."""
    evidence = task.evidence
    return evidence is None or (evidence.fits(value) and not evidence.misplaced(value))
