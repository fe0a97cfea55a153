"""Choose one of the values that a text may hold, or explain why none can be chosen."""

from __future__ import annotations

from collections.abc import Sequence

from zkit.receipt import Fix, highest
from zkit.repair import messages
from zkit.repair.fixes import fix_named
from zkit.repair.limits import MOST_REPEATS, NEAR_END
from zkit.repair.locate import payload, starts
from zkit.repair.locate.payload import data_after, data_before, is_echo
from zkit.repair.outcome import Candidate, Repaired, Task, Unrepairable, same
from zkit.repair.repeated_keys import repeats_a_key
from zkit.repair.rivals import with_repeats
from zkit.text import lexis

_new = tuple.__new__


def chosen(task: Task, candidates: list[Candidate]) -> Repaired | Unrepairable:
    """Return the one value among the candidates, or a refusal; never choose silently."""
    text = task.text
    if len(candidates) > 1:  # an echo of the prompt is left out (corpus/repair/echoes.toml)
        others = [c for c in candidates if c.value is None or not is_echo(c.value[0])]
        candidates = others or candidates
    worth = [c for c in candidates if payload.counts(task, c)]
    read = [c for c in worth if c.value is not None]
    if not read:
        return _refused(task, worth)
    if len(candidates) == 1:
        return _of_its_own(task, read[0])
    if len(read) > 1:
        read = [c for c in read if not payload.is_mention(text, c)] or read
        read = [c for c in read if not _is_draft(text, c, read[-1])]
    if any(not same(c.value, read[0].value) for c in read[1:]):
        return refuse(task, "several", read[1].start)
    broken = [c for c in candidates if stops(task, c)]
    if broken and not read[0].is_meant(task):
        return _refused(task, broken)
    more = [c.start for c in candidates if payload.may_be_another(task, c, read[0])]
    rest = [c for c in candidates if all(c is not one for one in read)]
    more += payload.left_aside(task, rest, read[0])
    if more:
        return refuse(task, "several", more[0])
    return _of_its_own(task, read[0], repeated=len(read) > 1)


def _is_draft(text: str, candidate: Candidate, final: Candidate) -> bool:
    """True if a value in a sentence is a draft: the last value holds all its members and more.

    Cases: corpus/repair/dropped_data.toml.
    """
    draft, whole = (c.value[0] if c.value is not None else None for c in (candidate, final))
    if not isinstance(draft, dict) or not isinstance(whole, dict) or len(draft) >= len(whole):
        return False
    if payload.is_block(text, candidate.start, candidate.end):
        return False
    return all(key in whole and same(part, whole[key]) for key, part in draft.items())


def _of_its_own(
    task: Task, candidate: Candidate, *, repeated: bool = False
) -> Repaired | Unrepairable:
    """Return the candidate, unless it is part of something larger that could not be read."""
    if not candidate.is_meant(task) and starts.enclosed(task.text, *candidate[:2]):
        return refuse(task, "damaged", task.text.find("{"))
    if candidate.end < len(task.text) and task.text[-NEAR_END:].rstrip().endswith("{"):
        return refuse(task, "several", len(task.text))  # another value began there
    return within_limit(task, candidate, repeated=repeated)


def _refused(task: Task, candidates: Sequence[Candidate]) -> Unrepairable:
    for candidate in candidates:
        if len(candidates) == 1 or payload.quoted(task.text, candidate.start):
            return refuse(task, *candidate.refusal)
    return refuse(task, "no_json", 0)


def refuse(task: Task, reason: str, at: int) -> Unrepairable:
    """Return the refusal of a text, with a message for the model."""
    at = len(task.text) if reason == "cut" else at
    return Unrepairable(reason, at, messages.refusal(task.text, reason, at, task.evidence))


def within_limit(
    task: Task, candidate: Candidate, *, repeated: bool = False
) -> Repaired | Unrepairable:
    """Return the value with its receipt; refuse if a fix is above the limit or data would be dropped."""
    text, evidence = task.text, task.evidence
    start, end = candidate.start, candidate.end
    if start or end < len(text):
        names = () if evidence is None else evidence.names
        data = data_before(text, start, names) if start else None
        if data is None and end < len(text) and not repeated:
            data = data_after(text, end, names)
        if data is not None:
            return refuse(task, "several", data)
        if task.finish_reason == "length" and text[end:].strip() == ",":
            return refuse(task, "cut", end)
    receipt = with_receipt(task, candidate, repeated=repeated)
    return receipt if receipt.rank <= task.limit else refuse(task, "limit", candidate.start)


def with_receipt(task: Task, candidate: Candidate, *, repeated: bool = False) -> Repaired:
    """Return the value with its fixes, and those that drop the surrounding text."""
    text = task.text
    start, end, value, fixes, rank, _, _, json = candidate
    assert value is not None
    if json and repeats_a_key(json, value[0]):
        fixes = _cut_if_looping(with_repeats(text, (start, end), fixes))
        rank = max(rank, highest(tuple(fixes)))
    if not start and end == len(text):
        return _new(Repaired, (value[0], tuple(fixes), rank, text))
    if start and lexis.skip_spaces(text, 0) < start:
        drop = fix_named(payload.before_name(text, start), 0, start, "")
        fixes = [drop, *fixes]
        rank = max(rank, drop.rank)
    if end < len(text) and lexis.skip_spaces(text, end) < len(text):
        name = "drop_repeat" if repeated else payload.after_name(text, end)
        drop = fix_named(name, end, len(text), "")
        fixes = [*fixes, drop]
        rank = max(rank, drop.rank)
    return _new(Repaired, (value[0], tuple(fixes), rank, text))


def _cut_if_looping(fixes: Sequence[Fix]) -> Sequence[Fix]:
    """Turn the closers at the end into those of a cut, if the text ended in a loop of repeated keys."""
    if sum(fix.name == "keep_last" for fix in fixes) < MOST_REPEATS:
        return fixes
    return [
        fix_named("close_after_cut", *fix[2:5]) if fix.name == "close_at_end" else fix
        for fix in fixes
    ]


def stops(task: Task, candidate: Candidate) -> bool:
    """True if the search for values must stop: the rest may be part of a value that was not read."""
    if candidate.value is not None or starts.is_set(task.text, candidate.start):
        return False
    if starts.in_formula(task.text, candidate.start):
        return False
    if task.text[candidate.start] == "{":
        return starts.next_start(task.text, candidate.start) == candidate.start
    return starts.is_list(task.text, candidate.start)
