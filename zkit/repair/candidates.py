"""A place in a text in, the value that stands there out, or why it cannot be read."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

from pydantic_core import from_json

from zkit.receipt import Fix
from zkit.repair.around import enclosing, fences, layers
from zkit.repair.doubts.closer_places import is_askew
from zkit.repair.doubts.doubt import suits_lines
from zkit.repair.doubts.misreading import rearranged
from zkit.repair.doubts.settling import beyond_doubt, first_guess
from zkit.repair.expect import ANYTHING
from zkit.repair.fixes import COMPLETE, CUT, EXACT, GUESS, UNWRAP, fix_named
from zkit.repair.repeated_keys import repeats_a_key
from zkit.repair.search.follow import goes_on, member_follows
from zkit.repair.search.reader import Reader
from zkit.repair.search.reading import KEY, Frame, Reading
from zkit.repair.sound import sound_at, strict
from zkit.repair.task import DAMAGED, Candidate, Task, same
from zkit.text import lexis
from zkit.text.remembered import of_last


class Body(NamedTuple):
    """What of the text may belong to a value: up to its fence, its tag or the end of the text.

    It begins `offset` characters into the text, so that a value costs its own size and not that
    of everything before it.
    """

    text: str
    offset: int


def _sound_at(task: Task, start: int, complaint: str) -> Candidate | None:
    """The strict JSON that begins at `start`, whatever follows it; None when it is damaged."""
    found = sound_at(task.text, start, complaint)
    if found is None:
        return None
    value, end = found
    text, evidence, _, _ = task
    if not isinstance(value, dict | list) or goes_on(text, start, end) or member_follows(text, end):
        return None
    if text.startswith(("}", "]"), lexis.skip_blank(text, end)) and is_askew(text[start:end]):
        return None
    fits = evidence is None or evidence.fits(value)
    return _new(Candidate, (start, end, (value,), (), EXACT, fits, DAMAGED, ""))


_new = tuple.__new__


class How(NamedTuple):
    """How a value is to be read."""

    missing_brace: bool = False
    """Its opening brace is missing."""
    far: bool = True
    """A look at all that follows may be taken: it may be escaped as a whole, or its fence close further on."""
    tries: int = 0
    """How many places before it were read in vain: the more of them, the less is spent on this one."""


PLAINLY = How()


def read_at(task: Task, start: int, how: How = PLAINLY, *, complaint: str = "") -> Candidate:
    """The best reading of the value that begins at `start`; none when the text after it belongs to it.

    `complaint` is what the strict parser says of the text from `start` on, where it was asked.
    """
    found = _read_whole(task, start, how, complaint)
    text, end = task.text, found.end
    if found.value is None or end == len(text):
        return found
    if enclosing.ends_in_member(text, end, task.finish_reason):
        fix = fix_named("drop_cut_member", end, len(text), "")
        return found._replace(end=len(text), fixes=[*found.fixes, fix], rank=CUT)
    if enclosing.torn(text, end):
        return found._replace(value=None, refusal=("damaged", end))
    return found


def _read_whole(task: Task, start: int, how: How, complaint: str) -> Candidate:
    """The value that begins at `start`: sound, or through a layer, or as the reader reads it."""
    sound = None if how.missing_brace else _sound_at(task, start, complaint)
    if sound is not None:
        return sound
    for escaping in layers.escapings(task.text, start) if how.far and task.limit >= UNWRAP else ():
        inner = _read_inside(task, start, escaping, how)
        if inner.value is not None:
            return inner
    return _read(task, start, how)


def _read_inside(task: Task, start: int, escaping: layers.Escaping, how: How) -> Candidate:
    """What a value that is escaped as a whole says."""
    plain = escaping.undone(task.text, start)
    value = None if how.missing_brace else strict(plain)
    if value is not None and (task.evidence is None or task.evidence.fits(value[0])):
        end = len(task.text)
        fix = fix_named(escaping.fix, start, end, plain)
        return Candidate(start, end, value, [fix], fix.rank, True, json=plain)
    layer, place = escaping.layer(task.text, start)
    inner = _read(task._replace(text=layer.text), place, how)
    if inner.value is None:
        return inner
    fixes = layers.through(layer, inner.fixes, escaping.fix, (place, inner.end))
    end = layer.source_end(inner.end)
    return inner._replace(start=start, end=end, fixes=fixes, rank=max(inner.rank, UNWRAP))


def _read(task: Task, start: int, how: How) -> Candidate:
    """Read to the end of the text, or of the fence or tag that holds the value."""
    text = task.text
    best: Candidate | None = None
    ends = fences.ends(text, start)
    for end in ends if how.far else ends[:1]:
        candidate = _best(task, _body(text, start, end), start, how)
        if best is None or _order(candidate) < _order(best):
            best = candidate
        if best.value is not None and best.rank < GUESS:
            break
    assert best is not None
    return best


LOOK_BACK = 100
"""How much of the text before a value its reading may look back at."""


def _body(text: str, start: int, end: int) -> Body:
    """What may belong to the value at `start`; values that end at one place share a body."""
    if end >= len(text):
        return Body(text, 0)
    offset, known = max(0, start - LOOK_BACK), _bodies(text)
    kept = next((bodies for at, bodies in known if at == end), [])
    known[:] = [(end, kept), *(pair for pair in known if pair[0] != end)][:2]
    for body in kept:
        if body.offset <= offset:
            return body
    kept.append(Body(text[offset:end], offset))
    return kept[-1]


@of_last
def _bodies(text: str) -> list[tuple[int, list[Body]]]:
    """The bodies that were made for the last two ends: a fence's and the text's own are asked for in turn."""
    return []


def _order(candidate: Candidate) -> tuple[bool, bool, int]:
    return (candidate.value is None, not candidate.fits, candidate.rank)


def _best(task: Task, body: Body, start: int, how: How) -> Candidate:
    """Read quickly; when nothing fits the schema, read again with the schema at each step."""
    quick = _attempt(task, body, start, how, careful=False)
    if task.evidence is None or quick.fits:
        return quick
    careful = _attempt(task, body, start, how, careful=True)
    best = careful if careful.value is not None and (careful.fits or quick.value is None) else quick
    if not best.fits and best.rank < CUT and rearranged(best.fixes):
        return best._replace(value=None, refusal=("ambiguous", first_guess(best.fixes, start)))
    return best


def _attempt(task: Task, body: Body, place: int, how: How, *, careful: bool) -> Candidate:
    """Search the readings of one kind and settle on one value, or say why there is none."""
    guide = task.guide
    want = guide.root if guide is not None else ANYTHING
    text, offset = body
    start = place - offset
    reader = Reader(text, start, want, task.limit, task.finish_reason, careful)
    reader.save(how.tries)
    first = Reading(start, want)
    if how.missing_brace:
        first.note("open_object", start, start, "{")
        first.frame = Frame(None, "{", "}", want, start - 1, 1)
        first.go(start, KEY)
    for tied in reader.search(first):
        made = [m for reading in tied if (m := _made(task, text, start, reading)) is not None]
        if made:
            settled = _settled(task, text, made, start, max(reader.stuck, start))
            return beyond_doubt(task, _moved(settled, offset))
        if _too_deep(text, start, tied[0]):
            reader.reason = "too_deep"
        if not careful:
            break
    stuck = max(reader.stuck, start) + offset
    return Candidate(place, stuck, None, refusal=(_reason(reader), stuck))


def _moved(candidate: Candidate, by: int) -> Candidate:
    """A candidate of a part of the text as one of the whole."""
    if not by:
        return candidate
    start, end, value, fixes, rank, fits, refusal, json = candidate
    fixes = [f._replace(start=f.start + by, end=f.end + by) for f in fixes]
    if value is None:
        refusal = (refusal[0], refusal[1] + by)
    return Candidate(start + by, end + by, value, fixes, rank, fits, refusal, json)


def _too_deep(body: str, start: int, reading: Reading) -> bool:
    """Whether a reading failed only for its depth, which the strict parser counts to the last level."""
    try:
        from_json(reading.json(body, start, reading.pos))
    except ValueError as error:
        return "recursion" in str(error)
    except TypeError:
        return False
    return False


def _settled(task: Task, body: str, made: list[Candidate], start: int, stuck: int) -> Candidate:
    """One value out of equally good ones; the schema or the lines break a tie, otherwise it is ambiguous."""
    if len(made) == 1:
        return made[0]
    made = [m for m in made if m.fits] or made
    if task.evidence is not None:
        suits = task.evidence.suits
        made = [m for m in made if m.value is not None and suits(m.value[0])] or made
    made = [m for m in made if suits_lines(body, (m.start, m.end), m.fixes)] or made
    if all(same(m.value, made[0].value) for m in made[1:]):
        return made[0]
    where = min(first_guess(m.fixes, stuck) for m in made)
    return Candidate(start, stuck, None, refusal=("ambiguous", where))


def _reason(reader: Reader) -> str:
    if reader.reason != "damaged" or reader.needed is None:
        return reader.reason
    return "cut" if reader.needed == CUT else "limit"


def _made(task: Task, body: str, start: int, reading: Reading) -> Candidate | None:
    """Apply a reading's edits and decode the result."""
    fixes = reading.fixes()
    end = reading.pos
    text, value = reading.whole or _decoded(reading.json(body, start, end), fixes)
    if value is None:
        return None
    if reading.rank >= COMPLETE and rearranged(fixes):
        if repeats_a_key(text, value[0]):
            return None
        text = ""
    rank = max((f.rank for f in fixes), default=EXACT)
    evidence = task.evidence
    if evidence is None:
        return Candidate(start, end, value, fixes, rank, True, json=text)
    if rank >= CUT and not evidence.root.takes("array" if type(value[0]) is list else "object"):
        return None  # its opener may be a wrong one
    fits = evidence.holds(value[0]) if rank >= COMPLETE else evidence.fits(value[0])
    return Candidate(start, end, value, fixes, rank, fits, json=text)


def _decoded(text: str, fixes: Sequence[Fix]) -> tuple[str, tuple[Any] | None]:
    return text, strict(text) or _with_nan(text, fixes)


def _with_nan(text: str, fixes: Sequence[Fix]) -> tuple[Any] | None:
    """NaN has no spelling in JSON; where it was kept, Python's reading of it counts."""
    if not any(f.name == "keep_not_a_number" for f in fixes):
        return None
    try:
        return (json.loads(text),)
    except (ValueError, RecursionError):
        return None
