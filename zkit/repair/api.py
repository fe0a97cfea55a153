"""Repair a text that is not strict JSON: locate the payload, then search, then decide."""

from __future__ import annotations

import json
from typing import Any

from zkit.expect import evidence_for
from zkit.receipt import Fix, Rank, RankName, limit_of
from zkit.repair.choice import chosen, refuse, stops, with_receipt, within_limit
from zkit.repair.fast_path import read_in_prose, read_misspelled
from zkit.repair.fixes import CUT, EXACT, FIXES, RESPELL, SALVAGE, UNWRAP
from zkit.repair.limits import MAX_CHARACTERS, MAX_VALUES, MOST_FAR, MOST_IN_VAIN, MOST_UNREAD
from zkit.repair.locate import layers, payload, starts
from zkit.repair.locate.layers import (
    plain_brackets,
    unmarked,
    without_literal_escapes,
)
from zkit.repair.locate.notations import rewritten
from zkit.repair.outcome import Candidate, Repaired, Task, Unrepairable
from zkit.repair.reading import decoded
from zkit.repair.search.candidates import How, read_at, read_with_one_edit
from zkit.repair.strict_parse import OF_SURROGATES, TRAILING, strict, verdict, with_surrogates
from zkit.text import lexis
from zkit.text.edits import Layer


def repair_all(
    text: str | bytes,
    *,
    schema: Any = None,
    limit: Rank | RankName = Rank.CUT,
    finish_reason: str | None = None,
) -> list[Repaired]:
    """Return every value in `text`, in order; values that cannot be read are left out."""
    limit = limit_of(limit)
    text = text if isinstance(text, str) else decoded(text) or ""
    whole = strict(text)
    if whole is not None:
        return [Repaired(whole[0], (), EXACT, text)]
    task = Task(text, evidence_for(schema), limit, finish_reason)
    if len(text) > MAX_CHARACTERS or lexis.skip_blank(text, 0) == len(text):
        return []
    candidates = _candidates(task, most=len(text))
    found: list[Candidate] = []
    for one in candidates:
        touches = bool(found) and payload.touches(text, one, found[-1])
        found += [one] if one.value is not None and (touches or payload.counts(task, one)) else []
    receipts = [with_receipt(task, candidate) for candidate in found]
    return [receipt for receipt in receipts if receipt.rank <= limit]


def repair_task(task: Task, complaint: str, rewrites: int = 0) -> Repaired | Unrepairable:
    """Repair a text that the strict parser refused, or return why that is not possible.

    `rewrites` is how many rewrites of the whole text are already done.
    """
    text, _, limit, _ = task
    if len(text) > MAX_CHARACTERS:
        return refuse(task, "too_large", 0)
    if complaint.startswith(OF_SURROGATES):
        whole = with_surrogates(text, complaint)
        if whole is not None:
            return Repaired(whole[0], (), EXACT, text)
    first, is_all = _first(task, complaint)
    if first is not None and is_all:
        return within_limit(task, first)
    for done, (rewrite, name) in enumerate(_REWRITES[rewrites:] if limit >= UNWRAP else (), 1):
        layer = rewrite(text)
        if layer is not None:
            return _rewritten(task, layer, name, rewrites + done)
    outcome = _searched(task, first)
    if isinstance(outcome, Unrepairable) and limit >= RESPELL and rewrites <= len(_REWRITES):
        outcome = _in_notation(task, outcome)
    if isinstance(outcome, Unrepairable) and limit >= SALVAGE:
        return _salvaged(text) or outcome
    return outcome


def _in_notation(task: Task, refused: Unrepairable) -> Repaired | Unrepairable:
    """Read a text whose containers are written as in another language; return the refusal if they are not."""
    if refused.reason in ("several", "limit"):
        return refused
    layer = rewritten(task.text, task.guide)
    if layer is None:
        return refused
    found = _rewritten(task, layer, "respell_container", len(_REWRITES) + 1)
    return refused if isinstance(found, Unrepairable) or found.rank >= CUT else found


def _searched(task: Task, first: Candidate | None) -> Repaired | Unrepairable:
    """Return the one value in the text, perhaps after one edit, or the reason for a refusal."""
    candidates = _candidates(task, first)
    if len(candidates) > MAX_VALUES:
        return refuse(task, "too_large", candidates[-1].start)
    if not candidates and lexis.skip_blank(task.text, 0) == len(task.text):
        return refuse(task, "empty", 0)
    outcome = chosen(task, candidates)
    if isinstance(outcome, Unrepairable) and outcome.reason in ("damaged", "ambiguous"):
        text, undecided = task.text, outcome.reason == "ambiguous"
        span = (0, len(text)) if text.startswith(('"{', '"[')) else starts.plain_span(text)
        found = span and read_with_one_edit(task, *span, undecided=undecided)
        return with_receipt(task, found) if found else outcome
    return outcome


def _first(task: Task, complaint: str) -> tuple[Candidate | None, bool]:
    """Read the value of a text with only white space or one fence around it; also return whether that is all."""
    span = starts.plain_span(task.text)
    trails = span is not None and complaint.startswith(TRAILING)
    if span is None or trails:
        quick = read_in_prose(task, complaint if trails else "")
        if span is None or quick is not None:
            return quick, quick is not None
    start, end = span
    quick = None if trails else read_misspelled(task, start, end, complaint)
    if quick is not None:
        return quick, True
    found = read_at(task, start, complaint="" if start else complaint)
    if not payload.ends_text(task.text, found.end):
        return found, False
    return found, found.value is not None and found.fits


# The rewrites of a whole text before it is read, each with its fix.
_REWRITES = (
    (without_literal_escapes, "unescape_payload"),
    (unmarked, "drop_line_mark"),
    (plain_brackets, "plain_brackets"),
)


def _rewritten(task: Task, layer: Layer, name: str, rewrites: int) -> Repaired | Unrepairable:
    """Read a rewritten text, and map its fixes back to the original."""
    inside, judged = task._replace(text=layer.text), verdict(layer.text)
    if isinstance(judged, str):
        inner = repair_task(inside, judged, rewrites)
    elif isinstance(judged[0], str):
        inner = unwrapped(inside, judged[0])
    else:
        inner = Repaired(judged[0], (), EXACT, layer.text)
    if isinstance(inner, Unrepairable):
        return refuse(task, inner.reason, layer.source_start(inner.at))
    fixes = layers.through(layer, inner.fixes, name)
    return Repaired(inner.value, tuple(fixes), max(FIXES[name].rank, inner.rank), task.text)


def unwrapped(task: Task, value: str) -> Repaired | Unrepairable:
    """Return a valid JSON string, or the value inside it if the schema expects something else and it is there."""
    valid = Repaired(value, (), EXACT, task.text)
    evidence = task.evidence
    if evidence is None or evidence.root.takes("string") or task.limit < UNWRAP:
        return valid
    inner = _rewritten(task, layers.string_content(task.text), "unwrap_string", 0)
    return valid if isinstance(inner, Unrepairable) or isinstance(inner.value, str) else inner


# ── candidates ───────────────────────────────────────────────────────────────


def _candidates(
    task: Task, first: Candidate | None = None, most: int = MAX_VALUES
) -> list[Candidate]:
    """Return the best reading of each value in the text; reasoning is left out.

    It stops once there are more than `most`.
    """
    text = task.text
    base = starts.reasoning_end(text)
    found: list[Candidate] = []
    if first is not None and base == 0:
        found.append(first)
        if stops(task, first):
            return found
        start = starts.next_start(text, max(first.end, first.start + 1))
    else:
        start = _opening(task, base, found)
    unread, done = 0, found[-1].end if found and found[-1].value is not None else base
    in_vain, most_in_vain = 0, MOST_IN_VAIN * (len(text) + 250_000)
    while start is not None and unread < MOST_UNREAD and in_vain <= most_in_vain:
        if len(found) > most:
            break
        far = len(found) < MOST_FAR and len(found) * len(text) <= most_in_vain
        candidate = read_at(task, start, How(far=far, tries=unread))
        if starts.is_argument(text, start, done):
            found.append(candidate._replace(value=None))
            break
        found.append(candidate)
        if candidate.value is not None:
            done = max(candidate.end, start + 1)
            start = starts.next_start(text, done)
        elif stops(task, candidate):
            break
        else:
            unread += 1
            in_vain += candidate.end - start
            start = starts.next_start(text, start + 1)
    return found


def _opening(task: Task, base: int, found: list[Candidate]) -> int | None:
    """Read a value without its opening brace, or a lone scalar; return where the next value begins."""
    text = task.text
    begin = starts.content_start(text, base)
    start = starts.next_start(text, base)
    key = starts.key_at(text, begin)
    if key is not None and (start is None or start > key):
        candidate = read_at(task, key, How(missing_brace=True))
        found.append(candidate)
        if candidate.value is not None:
            return starts.next_start(text, candidate.end)
    if start is None and text[begin : begin + 1]:
        candidate = read_at(task, begin)
        if candidate.value is not None and not text[candidate.end :].strip():
            found.append(candidate)
    return start


# ── the last resort ──────────────────────────────────────────────────────────


def _salvaged(text: str) -> Repaired | None:
    """Return what the json_repair library makes of a text, marked as lossy; None when it finds nothing, or raises."""
    import json_repair

    try:  # it raises on deep nesting
        new = json.dumps(json_repair.loads(text))
    except (ValueError, RecursionError, TypeError, IndexError, KeyError, AttributeError):
        return None
    value = json.loads(new)
    if value is None or value == "":
        return None
    note = f"{FIXES['salvage'].doc}: nothing vouches for it"
    return Repaired(value, (Fix("salvage", SALVAGE, 0, len(text), new, note),), SALVAGE, text)
