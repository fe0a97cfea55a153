"""The way up the ranks: strict first, then the least invasive reading that holds."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, NamedTuple

from pydantic_core import from_json

from zkit.repair import envelope, messages
from zkit.repair.expect import ANYTHING, Evidence, evidence_for
from zkit.repair.fixes import FIXES, MAX_CHARACTERS
from zkit.repair.outcome import Fix, Rank, Repaired, RepairError, Unrepairable
from zkit.repair.reader import Reader
from zkit.repair.reading import KEY, Frame, Reading
from zkit.text import lexis
from zkit.text.edits import Layer, apply_edits

MAX_CANDIDATES = 64
MAX_LAYERS = 3


def repair_json(
    text: str,
    *,
    schema: Any = None,
    limit: Rank = Rank.CUT,
    finish_reason: str | None = None,
) -> Repaired | Unrepairable:
    """Read the one JSON value that `text` holds. Never raises, whatever the string.

    `schema` (a JSON Schema or a pydantic model) is evidence for the reading; `limit` is the
    highest rank that a fix may have; `finish_reason` is what the server said about the end.
    """
    try:
        value = from_json(text, allow_inf_nan=False)
    except (ValueError, TypeError):
        return _mended(text, evidence_for(schema), limit, finish_reason)
    if schema is None or type(value) is not str:
        return tuple.__new__(Repaired, (value, (), Rank.EXACT, text))
    return _unwrapped(text, value, evidence_for(schema), limit, finish_reason)


def loads(
    text: str,
    *,
    schema: Any = None,
    limit: Rank = Rank.CUT,
    finish_reason: str | None = None,
) -> Any:
    """The value of `repair_json`; raises `RepairError`, a ValueError, where that refuses."""
    outcome = repair_json(text, schema=schema, limit=limit, finish_reason=finish_reason)
    if isinstance(outcome, Unrepairable):
        raise RepairError(outcome)
    return outcome.value


def repair_all(
    text: str,
    *,
    schema: Any = None,
    limit: Rank = Rank.CUT,
    finish_reason: str | None = None,
) -> list[Repaired]:
    """Every value that `text` holds, in order; values that cannot be read are left out."""
    whole = _strict(text)
    if whole is not None:
        return [Repaired(whole[0], (), Rank.EXACT, text)]
    evidence = evidence_for(schema)
    task = _Task(text, evidence, limit, finish_reason)
    return [_receipt(task, c) for c in _candidates(task) if c.value is not None]


class _Task(NamedTuple):
    text: str
    evidence: Evidence | None
    limit: Rank
    finish_reason: str | None


class _Candidate(NamedTuple):
    """A value found at a place of the text, or why it could not be read."""

    start: int
    end: int
    value: tuple[Any] | None
    fixes: list[Fix]
    rank: Rank
    fits: bool
    standing: envelope.Standing
    refusal: tuple[str, int] = ("damaged", 0)


def _strict(text: str) -> tuple[Any] | None:
    """The value of strict JSON in a tuple, or None. Lone surrogates are JSON too."""
    try:
        return (from_json(text, allow_inf_nan=False),)
    except (ValueError, TypeError):
        pass
    if "\\ud" not in text.lower() and text.isascii():
        return None
    try:
        return (json.loads(text, parse_constant=_no_constant),)
    except (ValueError, RecursionError):
        return None


def _no_constant(name: str) -> None:
    raise ValueError(name)


def _mended(text: str, evidence: Evidence | None, limit: Rank, finish_reason: str | None) -> Repaired | Unrepairable:
    """The text is not strict JSON for the strict parser: repair it, or say why not."""
    task = _Task(text, evidence, limit, finish_reason)
    if len(text) > MAX_CHARACTERS:
        return _refuse(task, "too_large", 0)
    whole = _strict(text)
    if whole is not None:
        return Repaired(whole[0], (), Rank.EXACT, text)
    if envelope.blank_end(text) == len(text):
        return _refuse(task, "empty", 0)
    return _chosen(task, _candidates(task))


def _unwrapped(text: str, value: str, evidence: Evidence | None, limit: Rank, finish_reason: str | None) -> Repaired | Unrepairable:
    """A valid JSON string: unwrap it when the schema wants something else and finds it inside."""
    valid = Repaired(value, (), Rank.EXACT, text)
    if evidence is None or evidence.root.takes("string") or limit < Rank.UNWRAP:
        return valid
    layer = envelope.string_content(text)
    if layer is None or layer.text.strip() in ("", value) and not layer.text.strip():
        return valid
    inner = repair_json(layer.text, schema=evidence.schema, limit=limit, finish_reason=finish_reason)
    if isinstance(inner, Unrepairable) or isinstance(inner.value, str):
        return valid
    fixes = through(layer, inner.fixes, "unwrap_string")
    return Repaired(inner.value, tuple(fixes), max(Rank.UNWRAP, inner.rank), text)


def through(layer: Layer, fixes: tuple[Fix, ...] | list[Fix], name: str) -> list[Fix]:
    """Fixes of a layer's text as fixes of its source, with the layer's own edits between them."""
    found: list[Fix] = []
    at = 0
    for fix in fixes:
        found += _stretch(layer, at, fix.start, name)
        start = layer.source_start(fix.start)
        end = layer.source_end(fix.end) if fix.end > fix.start else start
        found.append(fix._replace(start=start, end=max(start, end)))
        at = fix.end
    return [*found, *_stretch(layer, at, len(layer.text), name, last=True)]


def _stretch(layer: Layer, start: int, end: int, name: str, *, last: bool = False) -> list[Fix]:
    """One fix for all edits of a layer between two places of its text."""
    source_start = layer.source_end(start) if start else 0
    source_end = layer.edits[-1].end if last and layer.edits else layer.source_start(end)
    inside = [e for e in layer.edits if source_start <= e.start and e.end <= source_end]
    if not inside:
        return []
    first, final = inside[0], inside[-1]
    made = [layer.starts[i] for i, e in enumerate(layer.edits) if e is first or e is final]
    new = layer.text[made[0] : made[-1] + len(final.new)]
    kind = FIXES[name]
    return [Fix(name, kind.rank, first.start, final.end, new, kind.doc)]


# ── candidates ───────────────────────────────────────────────────────────────


def _candidates(task: _Task) -> list[_Candidate]:
    """The values in the text, best reading of each; reasoning is left out."""
    text = task.text
    base = envelope.reasoning_end(text)
    found: list[_Candidate] = []
    pos: int | None = _opening(task, base, found)
    for _ in range(MAX_CANDIDATES):
        start = envelope.next_start(text, pos) if pos is not None else None
        if start is None:
            break
        candidate = _read_at(task, start)
        if envelope.nested(text, start):
            candidate = candidate._replace(value=None, standing=envelope.Standing(True, False))
        found.append(candidate)
        if candidate.value is None and candidate.standing.quoted and not envelope.is_set(text, start):
            break
        pos = max(candidate.end, start + 1) if candidate.value is not None else start + 1
    return found


def _opening(task: _Task, base: int, found: list[_Candidate]) -> int | None:
    """Read a value whose opening brace is missing, or a lone scalar; where to go on from."""
    text = task.text
    begin = envelope.content_start(text, base)
    start = envelope.next_start(text, base)
    key = envelope.key_at(text, begin)
    if key is not None and (start is None or start > key):
        candidate = _read_at(task, key, missing_brace=True)
        if candidate.value is not None:
            found.append(candidate._replace(standing=envelope.Standing(True, True)))
            return candidate.end
    if start is None and text[begin : begin + 1] and task.limit >= Rank.RESPELL:
        candidate = _read_at(task, begin)
        if candidate.value is not None and not text[candidate.end :].strip():
            found.append(candidate)
        return None
    return base


def _read_at(task: _Task, start: int, *, missing_brace: bool = False) -> _Candidate:
    """The best reading of the value that begins at `start`, through a layer if it needs one."""
    for make, name in _LAYERS:
        layer = make(task.text, start)
        if layer is not None and task.limit >= Rank.UNWRAP:
            inner = _read(task._replace(text=layer.text), layer.source_start(start), missing_brace)
            if inner.value is not None:
                fixes = through(layer._replace(edits=layer.edits), inner.fixes, name)
                return inner._replace(
                    end=layer.source_end(inner.end),
                    fixes=[f for f in fixes if f.start < layer.source_end(inner.end)],
                    rank=max(inner.rank, Rank.UNWRAP),
                )
    return _read(task, start, missing_brace)


_LAYERS: tuple[tuple[Callable[[str, int], Layer | None], str], ...] = (
    (envelope.unescaped, "unescape_payload"),
    (envelope.without_entities, "unescape_entities"),
)


def _read(task: _Task, start: int, missing_brace: bool) -> _Candidate:
    """Read to the end of the text, or of the fence or tag that holds the value."""
    ends = [envelope.fence_end(task.text, start), envelope.body_end(task.text, start)]
    best: _Candidate | None = None
    for end in dict.fromkeys(e for e in ends if e is not None):
        candidate = _best(task, task.text[:end] if end < len(task.text) else task.text, start, missing_brace)
        if best is None or _order(candidate) < _order(best):
            best = candidate
        if best.value is not None and best.rank < Rank.GUESS:
            break
    assert best is not None
    return best


def _order(candidate: _Candidate) -> tuple[bool, bool, int]:
    return (candidate.value is None, not candidate.fits, candidate.rank)


def _best(task: _Task, body: str, start: int, missing_brace: bool) -> _Candidate:
    """Read quickly; when nothing fits the schema, read again with the schema at each step."""
    evidence = task.evidence
    quick = _attempt(task, body, start, missing_brace, careful=False)
    if evidence is None or quick.fits:
        return quick
    careful = _attempt(task, body, start, missing_brace, careful=True)
    if careful.value is not None and (careful.fits or quick.value is None):
        return careful
    return quick


def _attempt(task: _Task, body: str, start: int, missing_brace: bool, *, careful: bool) -> _Candidate:
    """Search the readings of one kind and settle on one value, or say why there is none."""
    want = task.evidence.root if task.evidence else ANYTHING
    reader = Reader(body, want, limit=task.limit, finish_reason=task.finish_reason, careful=careful)
    first = Reading(start, want)
    if missing_brace:
        first.note("open_object", start, start, "{")
        first.frame = Frame(None, "{", want, start - 1, 1)
        first.go(start, KEY)
    return _settled(task, body, start, reader, reader.search(first))


def _settled(task: _Task, body: str, start: int, reader: Reader, readings: list[Reading]) -> _Candidate:
    """One value out of the best readings; the schema breaks a tie, otherwise it is ambiguous."""
    made = [m for r in readings if (m := _made(task, body, start, r)) is not None]
    fitting = [m for m in made if m.fits] or made
    if fitting and all(_same(m.value, fitting[0].value) for m in fitting[1:]):
        return fitting[0]
    reason = "ambiguous" if fitting else _reason(reader)
    at = fitting[0].end if fitting else reader.stuck
    where = min((_first_guess(m.fixes, at) for m in fitting), default=reader.stuck)
    standing = envelope.standing(task.text, start, reader.stuck)
    return _Candidate(start, max(reader.stuck, start + 1), None, [], Rank.EXACT, False, standing, (reason, where))


def _first_guess(fixes: list[Fix], default: int) -> int:
    return next((f.start for f in fixes if f.rank >= Rank.COMPLETE), default)


def _reason(reader: Reader) -> str:
    if reader.reason != "damaged" or reader.needed is None:
        return reader.reason
    return "cut" if reader.needed == Rank.CUT else "limit"


def _made(task: _Task, body: str, start: int, reading: Reading) -> _Candidate | None:
    """Apply a reading's edits and decode the result."""
    fixes = reading.fixes()
    edits = [(f.start, f.end, f.new) for f in fixes]
    text = apply_edits(body[: reading.pos], edits)[start:]
    value = _strict(text) or _with_nan(text, fixes)
    if value is None or (reading.rank >= Rank.COMPLETE and _repeats_a_key(text)):
        return None
    rank = max((f.rank for f in fixes), default=Rank.EXACT)
    fits = task.evidence is None or task.evidence.fits(value[0])
    if fits and task.evidence is not None and rank >= Rank.COMPLETE:
        fits = not task.evidence.misplaced(value[0])
    standing = envelope.standing(task.text, start, reading.pos)
    return _Candidate(start, reading.pos, value, fixes, rank, fits, standing)


def _repeats_a_key(text: str) -> bool:
    """Whether an object holds one key twice: after a structural fix, a sign of a misreading."""
    try:
        json.loads(text, object_pairs_hook=_unique)
    except (ValueError, RecursionError):
        return True
    return False


def _unique(pairs: list[tuple[str, Any]]) -> None:
    if len({key for key, _ in pairs}) != len(pairs):
        raise ValueError


def _with_nan(text: str, fixes: list[Fix]) -> tuple[Any] | None:
    """NaN has no spelling in JSON; where it was kept, Python's reading of it counts."""
    if not any(f.name == "keep_not_a_number" for f in fixes):
        return None
    try:
        return (json.loads(text),)
    except (ValueError, RecursionError):
        return None


def _same(a: Any, b: Any) -> bool:
    return bool(a == b) and json.dumps(a, sort_keys=True) == json.dumps(b, sort_keys=True)


# ── the choice ───────────────────────────────────────────────────────────────


def _chosen(task: _Task, candidates: list[_Candidate]) -> Repaired | Unrepairable:
    """One value out of the candidates, or a refusal: never a silent choice."""
    worth = [c for c in candidates if _counts(task, c)]
    read = [c for c in worth if c.value is not None]
    if not read:
        return _refused(task, worth)
    if task.evidence is not None:
        read = [c for c in read if c.fits] or read
    read = [c for c in read if c.standing.quoted] or read
    if any(not _same(c.value, read[0].value) for c in read[1:]):
        return _refuse(task, "several", read[1].start)
    broken = [c for c in candidates if c.value is None and lexis.KEY_AHEAD.match(task.text, c.start + 1)]
    if broken and not (task.evidence is not None and read[0].fits):
        return _refused(task, broken)
    receipt = _receipt(task, read[0], repeated=len(read) > 1)
    return receipt if receipt.rank <= task.limit else _refuse(task, "limit", read[0].start)


def _counts(task: _Task, candidate: _Candidate) -> bool:
    """Whether a candidate may be the payload: it looks like JSON, or stands alone, or fits."""
    if candidate.standing.quoted or not task.text[: candidate.start].strip():
        return True
    if task.evidence is not None:
        return candidate.fits
    words = any(fix.name == "quote_phrase" for fix in candidate.fixes)
    return candidate.standing.alone and candidate.value is not None and not words


def _refused(task: _Task, candidates: list[_Candidate]) -> Unrepairable:
    for candidate in candidates:
        if candidate.standing.quoted or len(candidates) == 1:
            return _refuse(task, *candidate.refusal)
    return _refuse(task, "no_json", 0)


def _refuse(task: _Task, reason: str, at: int) -> Unrepairable:
    return Unrepairable(reason, at, messages.refusal(task.text, reason, at, task.finish_reason))


def _receipt(task: _Task, candidate: _Candidate, *, repeated: bool = False) -> Repaired:
    """The candidate's value with fixes that also drop what stands around it."""
    text = task.text
    fixes = list(candidate.fixes)
    if text[: candidate.start].strip(" \t\r\n"):
        fixes.insert(0, _dropped(envelope.before_name(text, candidate.start), 0, candidate.start))
    if text[candidate.end :].strip(" \t\r\n"):
        name = "drop_repeat" if repeated else envelope.after_name(text, candidate.end)
        fixes.append(_dropped(name, candidate.end, len(text)))
    assert candidate.value is not None
    rank = max((f.rank for f in fixes), default=Rank.EXACT)
    return Repaired(candidate.value[0], tuple(fixes), rank, text)


def _dropped(name: str, start: int, end: int) -> Fix:
    return Fix(name, FIXES[name].rank, start, end, "", FIXES[name].doc)
