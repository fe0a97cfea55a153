"""Moves that end a string at a later quote, because an earlier one is part of its content."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

from zkit.repair.evidence.strings import respell
from zkit.repair.evidence.structure import follows, is_half_json, key_follows, swallows
from zkit.repair.limits import (
    MOST_BLANK,
    MOST_ENDS,
    MOST_QUOTES,
    QUOTE_COST,
    SKIPPED,
    SKIPPED_ITEM,
)
from zkit.repair.moves import ending, respelt
from zkit.repair.moves.missing_quotes import before_declared_key, doubled_opening, shorter
from zkit.repair.search.hypothesis import CLOSERS, VALUE, Before, Closed, Frame, Hypothesis
from zkit.text import lexis
from zkit.text.remembered import search

if TYPE_CHECKING:
    from zkit.repair.search.engine import Engine


# ── string ends ─────────────────────────────────────────────────────────────


# Right before the first end of a string: a quote or a backslash that may have been written twice.
_DOUBLED = re.compile(r"\\\"\"|\\\\[\"']")
_INCH = re.compile(r"[0-9]\\?\"")
_KEY_INSIDE = re.compile(r"(?<!\\)[\"']\s*:")
PATHLIKE = re.compile(r"[\w.:$~-]*+\\")


def longer(
    reader: Engine, before: Before, token: lexis.Token | None, past: int, cost: int = 0
) -> list[Hypothesis]:
    """Return hypotheses in which the string at `before.pos` ends after `past`.

    `token` is the string up to its first closing quote, None if there is no such quote.
    """
    text, first = reader.text, token.end if token else past
    ends = _ends(reader, before, first, past, cost)
    closed = text[-MOST_BLANK:].rstrip()[-1:] in ("}", "]", "+")
    if before.frame is None or closed or text[first:past].strip():
        return _next_end(ends, before)
    found = list(ends)
    others = [other for at_end, _ in found for other in at_end]
    return [*others, *_cut_inside(reader, before, found[-1][1] if found else cost)]


def _cut_inside(reader: Engine, before: Before, cost: int) -> list[Hypothesis]:
    """Return the hypothesis in which the text was cut inside the string."""
    body, quote = reader.text[before.pos + 1 :], reader.text[before.pos]
    if not reader.spend(9 * len(body)) or swallows(body, quote, closed=_lists_keys(before)):
        return []
    others = ending.open_string(reader, Hypothesis.back_to(before), before.pos)
    for other in others:
        other.cost += cost + 3 + oddness(body, quote, 1)
    return others


def _next_end(ends: Iterator[tuple[list[Hypothesis], int]], before: Before) -> list[Hypothesis]:
    """Return the hypotheses for the next end, and last a delayed one for the ends after it."""
    for found, cost in ends:
        if found:
            later = Hypothesis.back_to(before)
            return [*found, later.delay(lambda: _next_end(ends, before), cost)]
    return []


def _ends(
    reader: Engine, before: Before, first: int, past: int, cost: int
) -> Iterator[tuple[list[Hypothesis], int]]:
    """Yield the hypotheses for each possible end of a string, and what those for the next one cost."""
    frame = before.frame
    each = SKIPPED if frame is not None and frame.kind == "{" else SKIPPED_ITEM
    most = 1 if reader.guided and frame is not None and frame.expect.closed else MOST_ENDS + 1
    for end in islice(_likely_ends(reader, before), most):
        if end > past and not reader.spend(9 * (end - before.pos)):
            return
        found: list[Hypothesis] = []
        if end > past:
            found = _ended(before, reader.text, end, cost)
            found += _undoubled(before, reader.text, first, end, cost)
        cost += each
        yield found, cost
    reader.spend(reader.size - before.pos)


def _likely_ends(reader: Engine, before: Before) -> Iterator[int]:
    """Yield where the string may end: at quotes whose following text fits after a value."""
    text, start, frame = reader.text, before.pos, before.frame
    opener = text[start]
    escaped = "\\" + opener if PATHLIKE.match(text, start + 1) else ""
    closers, end = lexis.closers_of(opener), start + 1
    for _ in range(MOST_QUOTES):
        match = search(text, closers, end)
        if match is None:
            return
        end = match.end()
        if match.lastindex is None and match[0] != escaped:
            continue
        if not reader.spend(QUOTE_COST):
            return
        if follows(reader, frame, end) or key_follows(reader, frame, end):
            yield end


def _ended(before: Before, text: str, end: int, cost: int) -> list[Hypothesis]:
    """Return the hypotheses in which the string ends at `end` and its content is kept whole.

    If the content is one quotation, a second hypothesis drops its quotes as doubled. See
    corpus/repair/inner_quotes.
    """
    start = before.pos
    body = text[start + 1 : end - 1]
    closed = _lists_keys(before)
    if swallows(body, text[start], closed=closed) or _passes_known_key(before, text, body):
        return []
    spelled = respell(body, text[start])
    if spelled is None:
        return []
    other = Hypothesis.back_to(before)
    cost += oddness(body, text[start], spelled.inner)
    other.note("escape_inner_quote", start, end, f'"{spelled.body}"', spelled.note, cost)
    other.recent = (before,)
    other.settle(end)
    if len(body) <= 2 or not body[0] == body[-1] == '"' or body.count('"') != 2:
        return [other]
    again = Hypothesis.back_to(before)
    again.note("drop_extra_quote", start, end, f'"{spelled.body[2:-2]}"', "", cost)
    return [other, again.settle(end)]


def _lists_keys(before: Before) -> bool:
    """True if the schema lists all keys of the object that holds the string."""
    frame = before.frame
    return frame is not None and frame.kind == "{" and frame.expect.closed


def _passes_known_key(before: Before, text: str, body: str) -> bool:
    """True if the content holds a key and its colon that the schema declares and that was not read yet.

    Also true if the content holds the beginning of the root object again.
    """
    frame = before.frame
    while frame is not None:
        held = [key for key in frame.expect.keys if key in body]
        due = [key for key in held if key not in text[frame.start : before.pos]]
        if any(re.search(KEY_WITH_COLON % re.escape(key), body) for key in due):
            return True
        if frame.parent is None and "{" in body and begins_again(text, frame.start, body):
            return True
        frame = frame.parent
    return False


def begins_again(text: str, root: int, body: str) -> bool:
    """True if the content holds the beginning of the object at `root`: the model started over.

    See corpus/repair/misread.
    """
    first = _FIRST_KEY.match(text, root)
    if first is None:
        return False
    return re.search(rf"\{{\s*+{re.escape(first.group(1))}\s*+:", body) is not None


_FIRST_KEY = re.compile(r"\{\s*+(\"[^\"\\\n]{1,80}+\")\s*+:")
KEY_WITH_COLON = r"(?<!\\)[\"',\n]\s*+%s[\"']?\s*+[:=]"


def _undoubled(before: Before, text: str, first: int, end: int, cost: int) -> list[Hypothesis]:
    """Return the hypothesis in which the quote or backslash before the first end was written twice."""
    if first <= before.pos + 3 or not _DOUBLED.match(text, first - 3):
        return []
    extra = first - 1 if text[first - 2] == '"' else first - 2
    body = text[before.pos + 1 : extra] + text[extra + 1 : end - 1]
    spelled = respell(body, text[before.pos])
    if spelled is None or spelled.inner or "\\\\" + text[before.pos] in body:
        return []
    other = Hypothesis.back_to(before)
    odd = 0
    if _INCH.search(body):
        odd = oddness(text[before.pos + 1 : end - 1], '"', 1)
    elif body.count('"') % 2:
        return []  # a quotation inside a quotation, which is written with three backslashes
    return respelt(other, "drop_extra_quote", before.pos, end, spelled, cost + odd)


def oddness(body: str, quote: str, inner: int) -> int:
    """Return the extra cost of a content with unpaired quotes, unclosed brackets, or keys inside."""
    cost = min(len(_KEY_INSIDE.findall(body)), 8) if inner > 0 and ":" in body else 0
    cost += is_half_json(body)
    if quote == '"' and body.count('"') % 2:
        cost += 2
    return cost


# ── rereading ───────────────────────────────────────────────────────────────


def reread(reader: Engine, reading: Hypothesis, past: int, first: int = 0) -> list[Hypothesis]:
    """Return a delayed hypothesis that tries other ends for the most recent strings."""
    for before in reading.recent[first:]:
        if reader.text[before.pos] in lexis.QUOTES:
            return [reading.fork().delay(lambda: _reread(reader, reading, past, first))]
    return []


def _reread(reader: Engine, reading: Hypothesis, past: int, first: int) -> list[Hypothesis]:
    found: list[Hypothesis] = []
    for back, before in enumerate(reading.recent[first:], first):
        opener = reader.text[before.pos]
        if opener not in lexis.QUOTES:
            continue
        token = reader.string_at(before.pos)
        found += longer(reader, before, token, max(past, before.pos + 1), back * (SKIPPED + 1))
        if token is not None and opener in "\"'":
            found += shorter(reader, before, token.end - 1) or before_declared_key(reader, before)
            found += doubled_opening(reader, before)
    return found


def last_closed(reader: Engine, reading: Hypothesis, item: Before | None = None) -> Closed | None:
    """Return the container that closed right before the place, whether it was read step by step or at once.

    None if no container closed there.
    """
    state = item or reading
    safe, known = state.safe, state.closed
    if known is not None and known.at + 1 == safe:
        return known
    past = reading.recent[1:] if item else reading.recent[:1]
    if not past or reader.text[past[0].pos] not in "{[":
        return None
    frame, start = past[0].frame, past[0].pos
    kind = reader.text[start]
    depth = frame.depth + 1 if frame else 1
    return Closed(Frame(frame, kind, CLOSERS[kind], past[0].want, start, depth), safe - 1)


def keyed(reading: Hypothesis, key: str, end: int) -> Hypothesis:
    """Move the hypothesis behind a key and its colon, and set the schema of its value."""
    if reading.frame is not None:
        reading.want = reading.frame.expect.child(key)
    return reading.go(end, VALUE)


def opened(reader: Engine, before: Before, mark: str) -> list[Hypothesis]:
    """Return the hypothesis in which a list or an object opens before the value, with its bracket missing."""
    other = Hypothesis.back_to(before).note("open_in_middle", before.pos, before.pos, mark)
    reader.enter(other, before.pos - 1, mark, invented=True)
    return [other]
