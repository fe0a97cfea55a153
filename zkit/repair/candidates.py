"""A place in a text in, the value that stands there out, or why it cannot be read."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from pydantic_core import from_json

from zkit.receipt import Fix, Rank
from zkit.repair import envelope
from zkit.repair.expect import ANYTHING, Evidence
from zkit.repair.fixes import FIXES
from zkit.repair.follow import goes_on, member_follows
from zkit.repair.reader import Reader
from zkit.repair.reading import KEY, Frame, Reading
from zkit.repair.respelling import respelled
from zkit.repair.sound import sound_at, strict
from zkit.text.edits import Layer, apply_edits


class Task(NamedTuple):
    """What was asked: the text, the evidence of a schema, and how far a fix may go."""

    text: str
    evidence: Evidence | None
    limit: Rank
    finish_reason: str | None


class Candidate(NamedTuple):
    """A value found at a place of the text, or why it could not be read."""

    start: int
    end: int
    value: tuple[Any] | None
    fixes: Sequence[Fix] = ()
    rank: Rank = Rank.EXACT
    fits: bool = False
    refusal: tuple[str, int] = ("damaged", 0)


def same(a: Any, b: Any) -> bool:
    """Whether two values are equal as JSON: True is not 1."""
    return bool(a == b) and json.dumps(a, sort_keys=True) == json.dumps(b, sort_keys=True)


def respelt(task: Task, start: int, end: int) -> Candidate | None:
    """The value of a span in which only tokens are odd; None when there is more to it."""
    spelt = respelled(task.text, start, end)
    if spelt is None or spelt.rank > task.limit:
        return None
    value = strict(spelt.json)
    if value is None or (task.evidence is not None and not task.evidence.fits(value[0])):
        return None
    return Candidate(start, end, value, spelt.fixes, spelt.rank, True)


def _sound_at(task: Task, start: int) -> Candidate | None:
    """The strict JSON that begins at `start`, whatever follows it; None when it is damaged."""
    found = sound_at(task.text, start)
    if found is None:
        return None
    value, end = found
    if (
        not isinstance(value, dict | list)
        or goes_on(task.text, start, end)
        or member_follows(task.text, end)
    ):
        return None
    return Candidate(start, end, (value,), fits=task.evidence is None or task.evidence.fits(value))


def read_at(
    task: Task, start: int, *, missing_brace: bool = False, damaged: bool = False
) -> Candidate:
    """The best reading of the value that begins at `start`; none when the text after it belongs to it.

    `damaged` says that the value is known not to be strict JSON.
    """
    found = _read_whole(task, start, missing_brace, damaged)
    if (
        found.value is not None
        and found.end < len(task.text)
        and envelope.torn(task.text, found.end)
    ):
        return found._replace(value=None, refusal=("damaged", found.end))
    return found


def _read_whole(task: Task, start: int, missing_brace: bool, damaged: bool) -> Candidate:
    """The value that begins at `start`: sound, or through a layer, or as the reader reads it."""
    sound = None if missing_brace or damaged else _sound_at(task, start)
    if sound is not None:
        return sound
    for make, name in _LAYERS if envelope.layered(task.text, start) else ():
        layer = make(task.text, start) if task.limit >= Rank.UNWRAP else None
        if layer is not None:
            inner = _read(task._replace(text=layer.text), start, missing_brace)
            if inner.value is not None:
                return _through_layer(layer, inner, name)
    return _read(task, start, missing_brace)


_LAYERS: tuple[tuple[Callable[[str, int], Layer | None], str], ...] = (
    (envelope.unescaped, "unescape_payload"),
    (envelope.without_entities, "unescape_entities"),
)


def _through_layer(layer: Layer, inner: Candidate, name: str) -> Candidate:
    """What was read in a layer's text, as fixes of the source."""
    end = layer.source_end(inner.end)
    fixes = through(layer, inner.fixes, name, inner.end)
    return inner._replace(end=end, fixes=fixes, rank=max(inner.rank, Rank.UNWRAP))


def through(layer: Layer, fixes: Sequence[Fix], name: str, until: int | None = None) -> list[Fix]:
    """Fixes of a layer's text as fixes of its source, with the layer's own edits between them.

    `until` is the place in the layer's text after which its edits do not matter.
    """
    found: list[Fix] = []
    at = 0
    for fix in fixes:
        start = layer.source_start(fix.start)
        found += _stretch(layer, at, start, name)
        end = layer.source_end(fix.end) if fix.end > fix.start else start
        found.append(fix._replace(start=start, end=max(start, end)))
        at = fix.end
    end = layer.edits[-1].end if until is None else layer.source_end(until)
    return [*found, *_stretch(layer, at, end, name)]


def _stretch(layer: Layer, start: int, source_end: int, name: str) -> list[Fix]:
    """One fix for all edits of a layer from a place of its text to a place of the source."""
    source_start = layer.source_end(start) if start else 0
    inside = layer.between(source_start, source_end)
    if not inside:
        return []
    first, final = inside[0], inside[-1]
    new = layer.text[layer.starts[first] : layer.starts[final] + len(layer.edits[final].new)]
    kind = FIXES[name]
    return [Fix(name, kind.rank, layer.edits[first].start, layer.edits[final].end, new, kind.doc)]


def _read(task: Task, start: int, missing_brace: bool) -> Candidate:
    """Read to the end of the text, or of the fence or tag that holds the value."""
    text = task.text
    best: Candidate | None = None
    for end in envelope.ends(text, start):
        body = text if end >= len(text) else text[:end]
        candidate = _best(task, body, start, missing_brace)
        if best is None or _order(candidate) < _order(best):
            best = candidate
        if best.value is not None and best.rank < Rank.GUESS:
            break
    assert best is not None
    return best


def _order(candidate: Candidate) -> tuple[bool, bool, int]:
    return (candidate.value is None, not candidate.fits, candidate.rank)


def _best(task: Task, body: str, start: int, missing_brace: bool) -> Candidate:
    """Read quickly; when nothing fits the schema, read again with the schema at each step."""
    quick = _attempt(task, body, start, missing_brace, careful=False)
    if task.evidence is None or quick.fits:
        return quick
    careful = _attempt(task, body, start, missing_brace, careful=True)
    best = careful if careful.value is not None and (careful.fits or quick.value is None) else quick
    if not best.fits and best.rank < Rank.CUT and _rearranged(best.fixes):
        return best._replace(value=None, refusal=("ambiguous", _first_guess(best.fixes, start)))
    return best


def _attempt(task: Task, body: str, start: int, missing_brace: bool, *, careful: bool) -> Candidate:
    """Search the readings of one kind and settle on one value, or say why there is none."""
    want = task.evidence.root if task.evidence else ANYTHING
    reader = Reader(body, start, want, task.limit, task.finish_reason, careful)
    first = Reading(start, want)
    if missing_brace:
        first.note("open_object", start, start, "{")
        first.frame = Frame(None, "{", "}", want, start - 1, 1)
        first.go(start, KEY)
    for tied in reader.search(first):
        made = [m for reading in tied if (m := _made(task, body, start, reading)) is not None]
        if made:
            return _settled(made, start, max(reader.stuck, start))
        if _too_deep(body, start, tied[0]):
            reader.reason = "too_deep"
        if not careful:
            break
    stuck = max(reader.stuck, start)
    return Candidate(start, stuck, None, refusal=(_reason(reader), stuck))


def _too_deep(body: str, start: int, reading: Reading) -> bool:
    """Whether a reading failed only for its depth, which the strict parser counts to the last level."""
    try:
        from_json(_applied(body, start, reading.pos, reading.fixes()))
    except ValueError as error:
        return "recursion" in str(error)
    except TypeError:
        return False
    return False


def _applied(body: str, start: int, end: int, fixes: Sequence[Fix]) -> str:
    """The JSON that fixes make of a part of the text."""
    return apply_edits(body[start:end], [(f.start - start, f.end - start, f.new) for f in fixes])


def _settled(made: list[Candidate], start: int, stuck: int) -> Candidate:
    """One value out of equally good ones; the schema breaks a tie, otherwise it is ambiguous."""
    if len(made) == 1:
        return made[0]
    made = [m for m in made if m.fits] or made
    if all(same(m.value, made[0].value) for m in made[1:]):
        return made[0]
    where = min(_first_guess(m.fixes, stuck) for m in made)
    return Candidate(start, stuck, None, refusal=("ambiguous", where))


def _first_guess(fixes: Sequence[Fix], default: int) -> int:
    return next((f.start for f in fixes if f.rank >= Rank.COMPLETE), default)


def _reason(reader: Reader) -> str:
    if reader.reason != "damaged" or reader.needed is None:
        return reader.reason
    return "cut" if reader.needed == Rank.CUT else "limit"


def _made(task: Task, body: str, start: int, reading: Reading) -> Candidate | None:
    """Apply a reading's edits and decode the result."""
    fixes = reading.fixes()
    end = reading.pos
    text = _applied(body, start, end, fixes)
    value = strict(text) or _with_nan(text, fixes)
    if value is None or (
        reading.rank >= Rank.COMPLETE and _rearranged(fixes) and _repeats_a_key(text)
    ):
        return None
    rank = max((f.rank for f in fixes), default=Rank.EXACT)
    evidence = task.evidence
    if evidence is None:
        return Candidate(start, end, value, fixes, rank, True)
    fits = evidence.fits(value[0])
    if fits and rank >= Rank.COMPLETE:
        fits = not evidence.misplaced(value[0])
    return Candidate(start, end, value, fixes, rank, fits)


_HARMLESS = frozenset(
    {"add_comma", "drop_comma", "add_colon", "drop_colon", "close_at_end", "drop_ellipsis"}
)


def _rearranged(fixes: Sequence[Fix]) -> bool:
    """Whether a fix moved a boundary, so that members may have landed in the wrong object."""
    return any(fix.rank >= Rank.COMPLETE and fix.name not in _HARMLESS for fix in fixes)


def _repeats_a_key(text: str) -> bool:
    """Whether an object holds one key twice: after a structural fix, a sign of a misreading."""
    try:
        _WITHOUT_REPEATS.decode(text)
    except (ValueError, RecursionError):
        return True
    return False


def _unique(pairs: list[tuple[str, Any]]) -> None:
    if len(dict(pairs)) != len(pairs):
        raise ValueError


_WITHOUT_REPEATS = json.JSONDecoder(object_pairs_hook=_unique)


def _with_nan(text: str, fixes: Sequence[Fix]) -> tuple[Any] | None:
    """NaN has no spelling in JSON; where it was kept, Python's reading of it counts."""
    if not any(f.name == "keep_not_a_number" for f in fixes):
        return None
    try:
        return (json.loads(text),)
    except (ValueError, RecursionError):
        return None
