"""A candidate in, the same out with its marks where they belong; without a value when nobody can tell where."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from zkit.receipt import Fix, highest
from zkit.repair.doubts.beside_quotes import may_be_another
from zkit.repair.doubts.doubt import DOUBTFUL, is_doubled_evenly, is_plain, undoubted
from zkit.repair.doubts.misreading import changed_places, made_up, may_be_key, reads_content
from zkit.repair.fixes import COMPLETE, GUESS, UNWRAP
from zkit.repair.sound import strict
from zkit.repair.task import Candidate, Task
from zkit.text.edits import apply_edits


def beyond_doubt(task: Task, candidate: Candidate) -> Candidate:
    """The candidate with its brackets where they belong; no value when nobody can tell where."""
    start, end, value, fixes, rank, _, _, _ = candidate
    if value is None or not UNWRAP <= rank <= GUESS:
        return candidate
    text = task.text
    if rank == UNWRAP and is_doubled_evenly(text, fixes):
        return candidate
    if (
        changed_places(text, fixes)
        or reads_content(fixes)
        or may_be_another(text, fixes, task.evidence)
    ):
        return _ambiguous(candidate)
    names = {fix.name for fix in fixes}
    if DOUBTFUL.isdisjoint(names) or names == _ONLY_COMMAS:
        return candidate
    likelier = _undoubted_fixes(task, start, end, value[0], fixes)
    if likelier is fixes:
        return candidate
    if likelier is None:
        return _ambiguous(candidate)
    edits = [(0, start, ""), *((f.start, f.end, f.new) for f in likelier)]
    json = apply_edits(text, edits, end)
    return candidate._replace(
        value=strict(json), fixes=likelier, rank=highest(tuple(likelier)), json=json
    )


_ONLY_COMMAS = frozenset({"add_comma"})


def _ambiguous(candidate: Candidate) -> Candidate:
    refusal = ("ambiguous", first_guess(candidate.fixes, candidate.start))
    return candidate._replace(value=None, refusal=refusal)


def _undoubted_fixes(
    task: Task, start: int, end: int, value: Any, fixes: Sequence[Fix]
) -> Sequence[Fix] | None:
    """The fixes, or likelier ones; None when brackets may as well be mended otherwise."""
    if task.guide is None and (made_up(fixes) or may_be_key(task.text, fixes)):
        return None
    if task.guide is None and not is_plain(task.text, end, value, fixes):
        return None
    fits = None if task.evidence is None else task.evidence.fits
    stopped = task.finish_reason == "stop"
    return undoubted(task.text, (start, end), fixes, fits, stopped=stopped)


def first_guess(fixes: Sequence[Fix], default: int) -> int:
    """Where the first fix of the structure was made."""
    return next((f.start for f in fixes if f.rank >= COMPLETE), default)
