"""Read the value at one place of a text: strictly, through a layer, by search, or with one edit."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from zkit.expect import ANYTHING
from zkit.receipt import Fix, highest
from zkit.repair.evidence.structure import goes_on, is_askew, member_follows
from zkit.repair.fixes import COMPLETE, CUT, EXACT, GUESS, UNWRAP, fix_named
from zkit.repair.limits import KEYS_WITHIN, LOOK_BACK, MAX_DEPTH, ONE_EDIT_WITHIN
from zkit.repair.locate import layers, starts
from zkit.repair.outcome import DAMAGED, Candidate, Task, same
from zkit.repair.repeated_keys import repeats_a_key
from zkit.repair.rivals import beyond_doubt, first_guess, rearranged
from zkit.repair.search.engine import Engine
from zkit.repair.search.hypothesis import KEY, Frame, Hypothesis
from zkit.repair.strict_parse import (
    OF_SURROGATES,
    TRAILING,
    Parsed,
    parts_of,
    place_in,
    strict,
    valid_at,
    verdict,
)
from zkit.text import lexis
from zkit.text.remembered import of_last

# ── candidates ──────────────────────────────────────────────────────────────


# The part of the text that may belong to a value, up to its fence, its tag or the end of the text,
# and where it begins in the whole text. A value costs its own size, not that of the text before it.
Body = tuple[str, int]


def _valid_at(task: Task, start: int) -> Candidate | None:
    """Return the strict JSON value that begins at `start`; None if it is damaged or goes on after its end."""
    found = valid_at(task.text, start)
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

    # Its opening brace is missing.
    missing_brace: bool = False
    # Also look at the whole rest of the text: it may be escaped as a whole, or its fence may
    # close further on.
    far: bool = True
    # How many earlier places could not be read: the more there are, the smaller the budget for
    # this one.
    tries: int = 0


PLAINLY = How()


def read_at(task: Task, start: int, how: How = PLAINLY, *, complaint: str = "") -> Candidate:
    """Return the best reading of the value at `start`: as strict JSON, through a layer of escapes, or by search.

    `complaint` is the strict parser's error for the text from `start` on, if known.
    """
    known = complaint and not complaint.startswith(_MAY_BE_VALID)
    valid = None if known or how.missing_brace else _valid_at(task, start)
    if valid is not None:
        return valid
    for escaping in layers.escapings(task.text, start) if how.far and task.limit >= UNWRAP else ():
        inner = _read_inside(task, start, escaping, how)
        if inner.value is not None:
            return inner
    return _read(task, start, how)


# Parser errors after which the value itself may still be valid.
_MAY_BE_VALID = (TRAILING, *OF_SURROGATES)


def _read_inside(task: Task, start: int, escaping: layers.Escaping, how: How) -> Candidate:
    """Read a value that is escaped as a whole."""
    plain = escaping.undone(task.text[start:])
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


def _body(text: str, start: int) -> Body:
    """Return the body of the value at `start`; values that end at the same place share one."""
    end = starts.body_end(text, start) if start else len(text)
    if end >= len(text):
        return (text, 0)
    offset, known = max(0, start - LOOK_BACK), _bodies(text)
    if end not in known or known[end][1] > offset:
        known[end] = (text[offset:end], offset)
    return known[end]


@of_last
def _bodies(text: str) -> dict[int, Body]:
    """Return the bodies made so far by their ends; there are few, because only the end of the text is left out."""
    return {}


def _read(task: Task, start: int, how: How) -> Candidate:
    """Return the best reading; refuse it as ambiguous if the schema rules out where its brackets are."""
    best = _attempt(task, _body(task.text, start), start, how)
    if best.fits or best.value is None or best.rank >= CUT:
        return best
    names = {fix.name for fix in best.fixes}
    # `{"a": {, "b": 1}` lacks a closer at the comma
    if rearranged(best.fixes) or {"drop_comma", "close_at_end"} <= names:
        return best._replace(value=None, refusal=("ambiguous", first_guess(best.fixes, start)))
    return best


def _attempt(task: Task, body: Body, place: int, how: How) -> Candidate:
    """Search for the cheapest readings and settle on one value, or return the reason for the refusal."""
    guide = task.guide
    want = guide.root if guide is not None else ANYTHING
    text, offset = body
    start = place - offset
    reader = Engine(text, start, want, task.limit, task.finish_reason)
    if how.tries:
        reader.save(how.tries)
    first = Hypothesis(start, want)
    if how.missing_brace:
        first.note("open_object", start, start, "{")
        first.frame = Frame(None, "{", "}", want, start - 1, 1)
        first.go(start, KEY)
    tied = reader.search(first)
    made = [m for reading in tied if (m := _made(task, text, start, reading)) is not None]
    if made:
        settled = made[0]
        if len(made) > 1:
            settled = _settled(task, text, made, start, max(reader.stuck, start))
        return beyond_doubt(task, _moved(settled, offset) if offset else settled)
    if tied and text.count("{", start) + text.count("[", start) > MAX_DEPTH:
        reader.reason = "too_deep"
    if reader.reason == "damaged" and reader.needed is not None:
        reader.reason = "cut" if reader.needed == CUT else "limit"
    stuck = max(reader.stuck, start) + offset
    return Candidate(place, stuck, None, refusal=(reader.reason, stuck))


def _moved(candidate: Candidate, by: int) -> Candidate:
    """Return the candidate with its places counted from the start of the whole text."""
    start, end, value, fixes, rank, fits, refusal, json = candidate
    fixes = [f._replace(start=f.start + by, end=f.end + by) for f in fixes]
    if value is None:
        refusal = (refusal[0], refusal[1] + by)
    return Candidate(start + by, end + by, value, fixes, rank, fits, refusal, json)


def _settled(task: Task, body: str, made: list[Candidate], start: int, stuck: int) -> Candidate:
    """Return one of several equally good readings; if the schema does not break the tie, it is ambiguous."""
    made = [m for m in made if m.fits] or made
    if task.evidence is not None:
        suits = task.evidence.suits
        made = [m for m in made if m.value is not None and suits(m.value[0])] or made
    if all(same(m.value, made[0].value) for m in made[1:]):
        return made[0]
    where = min(first_guess(m.fixes, stuck) for m in made)
    return Candidate(start, stuck, None, refusal=("ambiguous", where))


def _made(task: Task, body: str, start: int, reading: Hypothesis) -> Candidate | None:
    """Apply a reading's edits and decode the result; None if it is not valid or the schema rules it out."""
    fixes = reading.fixes()
    end = reading.pos
    text, value = reading.whole or _decoded(reading.json(body, start, end, fixes), fixes)
    if value is None:
        return None
    if reading.rank >= COMPLETE and rearranged(fixes):
        if repeats_a_key(text, value[0]):
            return None
        text = ""
    rank = highest(fixes)
    evidence = task.evidence
    if evidence is None:
        return _new(Candidate, (start, end, value, fixes, rank, True, DAMAGED, text))
    if rank >= CUT and not evidence.root.takes("array" if type(value[0]) is list else "object"):
        return None  # its opener may be wrong
    fits = evidence.holds(value[0]) if rank >= COMPLETE else evidence.fits(value[0])
    return Candidate(start, end, value, fixes, rank, fits, json=text)


def _decoded(text: str, fixes: Sequence[Fix]) -> tuple[str, Parsed | None]:
    """Return the text and its value; if a NaN was kept, it is decoded as Python does."""
    value = strict(text)
    if value is None and any(fix.name == "keep_not_a_number" for fix in fixes):
        try:
            value = (json.loads(text),)
        except (ValueError, RecursionError):
            return text, None
    return text, value


# ── single edit ─────────────────────────────────────────────────────────────


_MARKS = frozenset('"{}[]:,')
_STRUCTURE = frozenset("{}[]:,")
_BRACKETS = frozenset("{}[]")
# String prefixes of various languages: `r"x"`, `L"x"`, `@"x"`, `E'x'`.
_PREFIXES = frozenset("rRbBuUfFtTLcsNEqxX@$")


# The beginnings of complaints about a token: everything before it, or before the last token, is valid.
_PLACED = ("expected", "invalid", "control", "trailing", "key must")


def read_with_one_edit(task: Task, start: int, end: int, *, undecided: bool) -> Candidate | None:
    """Return the value of a span that one edit makes valid; None unless there is exactly one such value.

    `undecided` means that the search found several values: then one of the edits must swap two marks.
    Decision 19; cases: corpus/repair/changed_places.toml.
    """
    if task.limit < GUESS or task.finish_reason == "length" or end - start > ONE_EDIT_WITHIN:
        return None
    body = task.text[start:end]
    judged = verdict(body)
    kind, place = parts_of(judged) if isinstance(judged, str) else ("", "")
    if not kind.startswith(_PLACED):
        return None
    places = _places(body, place_in(body, place), kind)
    swaps = [
        fix_named("swap_marks", place, place + 2, body[place : place + 2][::-1])
        for place, outside in places
        if _may_change_places(body, place, outside) and not _is_prefix(task, body, place)
    ]
    swapped = _made_valid(task, body, swaps)
    if undecided and not swapped:
        return None
    found = swapped + _made_valid(task, body, _others(body, places))
    if not found or any(not same(value, found[0][1]) for _, value in found[1:]):
        return None
    fix, value = found[0]
    if fix.name == "replace_punctuation":
        return None  # the search adds marks, too, and has more evidence for them
    fix = fix._replace(start=start + fix.start, end=start + fix.end)
    return Candidate(start, end, (value,), [fix], fix.rank, fits=True)


def _made_valid(task: Task, body: str, fixes: Iterable[Fix]) -> list[tuple[Fix, object]]:
    """Return the fixes that make a valid container, each with its value; not if the schema or a repeated key rules it out."""
    found: list[tuple[Fix, object]] = []
    evidence = task.evidence
    for fix in fixes:
        json = body[: fix.start] + fix.new + body[fix.end :]
        parsed = strict(json)
        if parsed is None or not isinstance(parsed[0], dict | list):
            continue
        fits = evidence is None or (evidence.holds(parsed[0]) and evidence.suits(parsed[0]))
        if fits and not repeats_a_key(json, parsed[0]):
            found.append((fix, parsed[0]))
    return found


def _places(text: str, at: int, kind: str) -> list[tuple[int, bool]]:
    """Return the places around the first error where an edit may help, and whether each is outside strings."""
    before = len(text[:at].rstrip())
    in_string = kind.startswith(("invalid escape", "control"))
    last = at if in_string else max(text.rfind('"', 0, at), 0)
    string = max(lexis.quote_before(text, last), 0)  # where the last string begins
    places = {at - 1, at, at + 1, before - 2, before - 1, before, string, string + 1}
    return [(p, lexis.is_outside(text, p)) for p in sorted(places) if 0 <= p < len(text)]


def _others(text: str, places: list[tuple[int, bool]]) -> Iterator[Fix]:
    """Yield the fixes that drop, replace or add one mark."""
    for place, outside in places:
        mark = text[place]
        if mark in _BRACKETS or (mark in ",:\\" and not _joins(text, place)):
            yield fix_named("drop_stray_mark", place, place + 1, "")
        for new in _REPLACED if outside else ('"',):
            if mark in _MARKS and mark != new:
                yield fix_named(_REPLACED[new], place, place + 1, new)
            if not outside or not _begins_otherwise(text, place, new):
                yield fix_named("replace_punctuation", place, place, new)


def _begins_otherwise(text: str, at: int, new: str) -> bool:
    """True if adding `new` would make a string begin with a mark or white space, which is unlikely."""
    if new == '"':
        return text[at] in _NO_BEGINNING
    return text[at] == '"' and text[at + 1 : at + 2] in _STRUCTURE


# The fix that writes a mark over another one.
_REPLACED = {
    ",": "replace_punctuation",
    ":": "replace_punctuation",
    "{": "replace_opener",
    "[": "replace_opener",
    "}": "replace_closer",
    "]": "replace_closer",
    '"': "replace_quote",
}
_QUOTES = frozenset("\"'`“”‘’")
# A string that lost its quote does not begin with these: the mark more likely replaced the quote.
_NO_BEGINNING = frozenset("}],: \t\n\r")
# Never swapped: white space means nothing, and a backslash belongs to the character after it.
_FIXED = frozenset(" \t\n\r\\")


# The indentation of a closer, after a line break and a quote: the quote belongs before the line
# break.
_LAST_LINE = re.compile(r"[ \t]++[}\]]")


def _may_change_places(text: str, at: int, opens: bool) -> bool:
    """True if two neighbours may have been swapped: undoing it moves no mark into a string, no letter out of one."""
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
    """True if a mark is between two letters or digits: without it they would be one token."""
    return text[at - 1].isalnum() and text[at + 1 : at + 2].isalnum()


def _is_prefix(task: Task, text: str, at: int) -> bool:
    """True if the character before a quote need not belong to the string: it is a prefix, or a stray one."""
    if text[at + 1 : at + 2] != '"' or text[at] in _STRUCTURE:
        return False
    if text[at] == "=":
        return not lexis.FORMULA.match(text, at + 1)
    end = text.find('"', at + 2)
    if not text.startswith(":", lexis.skip_blank(text, end + 1)):
        return text[at] in _PREFIXES
    name = text[at + 2 : end]
    if task.evidence is not None and task.evidence.names & {name, text[at] + name}:
        return name in task.evidence.names
    if text[at] in "fF":
        return "{" in name
    return lexis.PREFIX.match(text, at) is not None and not _PLAIN_KEY.search(text[:KEYS_WITHIN])


# A key without a prefix: a text that has one writes no prefix before its other keys.
_PLAIN_KEY = re.compile(r"[{,]\s*+\"[^\"\\\n]{1,80}+\"\s*+:")
