"""Moves that end a string at a later quote, because an earlier one is part of its content."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from zkit.repair.evidence.strings import respell
from zkit.repair.evidence.structure import (
    follows,
    key_follows,
    swallows,
)
from zkit.repair.limits import (
    MOST_BLANK,
    MOST_ENDS,
    MOST_QUOTES,
    QUOTE_COST,
    SKIPPED,
    SKIPPED_ITEM,
)
from zkit.repair.moves import ending
from zkit.repair.moves.missing_quotes import before_declared_key, doubled_opening, shorter
from zkit.repair.search.hypothesis import CLOSERS, VALUE, Before, Closed, Frame, Hypothesis
from zkit.text import lexis
from zkit.text.remembered import SHORT, of_last, search

if TYPE_CHECKING:
    from zkit.repair.search.engine import Engine


# ── string ends ─────────────────────────────────────────────────────────────


# Right before the first end of a string: a quote or a backslash that may have been written twice.
_DOUBLED = re.compile(r"\\\"\"|\\\\[\"']")
_INCH = re.compile(r"[0-9]\\?\"")
_KEY_INSIDE = re.compile(r"(?<!\\)[\"']\s*:")
# A bare quote before a word, then an escaped quote before a word: two opening quotes in a row.
_TWO_OPENING = re.compile(r"\"(?=[\w#])(?:[^\"\\]|\\[^\"])*+(?<=[\s=(:\[])\\\"\w")
_PLUS_LAST = re.compile(r"(?<!\\)[\"']\s*+\+\s*+\Z")
PATHLIKE = re.compile(r"[\w.:$~-]*+\\")


class _Look(NamedTuple):
    """A string whose first possible end is `first`, and a method to read it with another end."""

    before: Before
    text: str
    first: int

    def ends(self, stop: int, end: int, cost: int) -> list[Hypothesis]:
        """Return the hypotheses in which the content stops at `stop` and the string at `end`."""
        before, text, first = self
        start = before.pos
        mark = _DOUBLED.match(text, first - 3) if first > start + 3 else None
        if mark is None:
            return _ended(before, text, stop, end, cost)
        opener = text[start]
        escaped = text.count("\\" + opener, start, stop) > 1
        typo = 2 if mark.group().startswith("\\\\") and escaped else 0
        kept = _ended(before, text, stop, end, cost + typo)
        if text[stop] != opener:
            return kept
        return kept + _undoubled(before, text, first - 1, stop, end, cost)


def longer(
    reader: Engine, before: Before, token: lexis.Token | None, past: int, cost: int = 0
) -> list[Hypothesis]:
    """Return hypotheses in which the string at `before.pos` ends after `past`.

    `token` is the string up to its first closing quote, None if there is no such quote.
    """
    text, start, frame = reader.text, before.pos, before.frame
    look = _Look(before, text, token.end if token else past)
    each = SKIPPED if frame is not None and frame.kind == "{" else SKIPPED_ITEM
    ends = _Ends(reader, look, past, cost, each)
    adjacent = not text[look.first : past].strip()
    closed = text[-MOST_BLANK:].rstrip()[-1:] in ("}", "]")
    if not adjacent or frame is None or closed or _last_join(text) >= start:
        return ends.next()
    found = ends.all()
    return [*found, *_open(reader, before, cost + each * ends.skipped)] if ends.paid else []


@of_last
def _last_join(text: str) -> int:
    """Return the place where the last two concatenated strings (`"a" + "b"`) meet, or -1."""
    return max((found.start() for found in _JOIN.finditer(text)), default=-1)


# The first character of a joint; only that is consumed, because joints may overlap.
_JOIN = re.compile(rf"(?={lexis.JOINED.pattern})[\"']")


class _Ends:
    """The possible ends of a string, searched lazily: the next one only when it is needed."""

    __slots__ = (
        "_cost",
        "_each",
        "_found",
        "_likely",
        "_look",
        "_most",
        "_past",
        "_reader",
        "paid",
        "skipped",
    )

    def __init__(self, reader: Engine, look: _Look, past: int, cost: int, each: int) -> None:
        frame = look.before.frame
        closed = reader.guided and frame is not None and frame.expect.closed
        self._reader = reader
        self._look = look
        self._past = past
        self._cost = cost
        self._each = each
        self._likely = _likely_ends(reader, look.before)
        self._most = 0 if closed else MOST_ENDS
        self._found = 0
        # How many possible ends were skipped so far.
        self.skipped = 0
        self.paid = True

    def next(self) -> list[Hypothesis]:
        """Return the hypotheses for the next end, and last a delayed one for the ends after it."""
        start = self._look.before.pos
        for stop, end in self._likely:
            if self._found >= MOST_ENDS or self.skipped > self._most:
                return []
            price = self._cost + self._each * self.skipped
            self.skipped += 1
            if end <= self._past:
                continue
            if not self._reader.spend(9 * (end - start)):
                self.paid = False
                return []
            found = self._look.ends(stop, end, price)
            if found:
                self._found += len(found)
                later = Hypothesis.back_to(self._look.before)
                found.append(later.delay(self.next, self._cost + self._each * self.skipped))
                return found
        self.paid = self._reader.spend(self._reader.size - start)
        return []

    def all(self) -> list[Hypothesis]:
        """Return the hypotheses for all ends."""
        found: list[Hypothesis] = []
        while more := self.next():
            found += more[:-1]
        return found


def _likely_ends(reader: Engine, before: Before) -> Iterator[tuple[int, int]]:
    """Yield where the content and the string may end: at quotes whose following text fits after a value."""
    text, start, frame = reader.text, before.pos, before.frame
    opener = text[start]
    escaped = "\\" + opener if PATHLIKE.match(text, start + 1) else ""
    closers, end = lexis.closers_of(opener), start + 1
    short = len(text) <= SHORT
    for _ in range(MOST_QUOTES):
        match = closers.search(text, end) if short else search(text, closers, end)
        if match is None:
            return
        end = match.end()
        if match.lastindex is None and match[0] != escaped:
            continue
        if not reader.spend(QUOTE_COST):
            return
        if follows(reader, frame, end) or key_follows(reader, frame, end):
            yield end - 1, end


def _ended(before: Before, text: str, stop: int, end: int, cost: int) -> list[Hypothesis]:
    """Return the hypotheses in which the content stops at `stop` and the string at `end`; the content is kept whole.

    If the content is one quotation, a second hypothesis drops its quotes as doubled.
    """
    start = before.pos
    body = text[start + 1 : stop]
    closed = _lists_keys(before)
    if swallows(body, text[start], closed=closed) or _passes_known_key(before, text, body):
        return []
    spelled = respell(body, text[start])
    if spelled is None:
        return []
    other = Hypothesis.back_to(before)
    name = (
        "escape_inner_quote" if text[start] == '"' or "'" in body or '"' in body else spelled.name
    )
    other.note(
        name,
        start,
        end,
        f'"{spelled.body}"',
        spelled.note,
        cost + oddness(body, text[start], spelled.inner),
    )
    other.recent = (before,)
    other.settle(end)
    if not _doubled_around(body):
        return [other]
    again = Hypothesis.back_to(before)
    again.note(
        "drop_extra_quote", start, end, f'"{spelled.body[2:-2]}"', "", other.cost - before.cost - 3
    )
    again.settle(end)
    return [other, again]


def _lists_keys(before: Before) -> bool:
    """True if the schema lists all keys of the object that holds the string."""
    frame = before.frame
    return frame is not None and frame.kind == "{" and frame.expect.closed


def _doubled_around(body: str) -> bool:
    """True if the content has exactly two quotes, one at each end: a quotation, or doubled quotes.

    See corpus/repair/inner_quotes.
    """
    return len(body) > 2 and body[0] == body[-1] == '"' and body.count('"') == 2


def _passes_known_key(before: Before, text: str, body: str) -> bool:
    """True if the content holds a key and its colon that the schema declares and that was not read yet.

    Also true if the content holds the beginning of the root object again.
    """
    frame = before.frame
    while frame is not None:
        keys = frame.expect.keys
        held = [key for key in keys if key in body] if keys else ()
        if held:
            read = text[frame.start : before.pos]
            due = [key for key in held if key not in read]
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


def _undoubled(
    before: Before, text: str, quote: int, stop: int, end: int, cost: int
) -> list[Hypothesis]:
    """Return the hypothesis in which the quote or backslash before the first end was written twice."""
    extra = quote if text[quote - 1] == '"' else quote - 1
    body = text[before.pos + 1 : extra] + text[extra + 1 : stop]
    spelled = respell(body, text[before.pos])
    if spelled is None or spelled.inner or "\\\\" + text[before.pos] in body:
        return []
    other = Hypothesis.back_to(before)
    odd = 0
    if _INCH.search(body):
        odd = oddness(text[before.pos + 1 : stop], '"', 1)
    elif body.count('"') % 2:
        return []  # a quotation inside a quotation, which is written with three backslashes
    other.note("drop_extra_quote", before.pos, end, f'"{spelled.body}"', "", cost + odd)
    other.settle(end)
    return [other]


def _open(reader: Engine, before: Before, cost: int) -> list[Hypothesis]:
    """Return the hypothesis in which the text was cut inside the string."""
    if _PLUS_LAST.search(reader.text[-MOST_BLANK:]):
        return []
    start, closed = before.pos + 1, _lists_keys(before)
    if not reader.spend(9 * (reader.size - start)):
        return []
    body = reader.text[start:]
    if swallows(body, reader.text[before.pos], closed=closed):
        return []
    others = ending.open_string(reader, Hypothesis.back_to(before), before.pos)
    for other in others:
        other.cost += cost + 3 + oddness(body, reader.text[before.pos], 1)
    return others


def oddness(body: str, quote: str, inner: int) -> int:
    """Return the extra cost of a content with unpaired quotes, unclosed brackets, or keys inside."""
    cost = min(len(_KEY_INSIDE.findall(body)), 8) if inner > 0 and ":" in body else 0
    if ("{" in body and body.count("{") > body.count("}")) or (
        "[" in body and body.count("[") > body.count("]")
    ):
        cost += 1
    if quote == '"' and (body.count('"') % 2 or _TWO_OPENING.match(body)):
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
        found += _longer(reader, before, token, max(past, before.pos + 1), back)
        if token is not None and opener in "\"'":
            found += shorter(reader, before, token.end - 1) or before_declared_key(reader, before)
            found += doubled_opening(reader, before)
    return found


def _longer(
    reader: Engine, before: Before, token: lexis.Token | None, past: int, back: int
) -> list[Hypothesis]:
    """Return hypotheses in which a string ends later; for a string further back, a delayed one."""
    price = back * (SKIPPED + 1)
    if not back or reader.text[before.pos] not in "\"'":
        return longer(reader, before, token, past, price)
    later = Hypothesis.back_to(before)
    return [later.delay(lambda: longer(reader, before, token, past, price), price)]


def last_closed(reader: Engine, reading: Hypothesis, item: Before | None = None) -> Closed | None:
    """Return the container that closed right before the place, whether it was read step by step or at once.

    None if no container closed there.
    """
    safe = item.safe if item else reading.safe
    known = item.closed if item else reading.closed
    if known is not None and known.at + 1 == safe:
        return known
    past = reading.recent[1:] if item else reading.recent[:1]
    if not past or reader.text[safe - 1] not in "}]" or reader.text[past[0].pos] not in "{[":
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


def bracketed(before: Before) -> list[Hypothesis]:
    """Return the hypothesis in which a list opens before the value, with its bracket missing."""
    other = Hypothesis.back_to(before).note("open_in_middle", before.pos, before.pos, "[")
    frame = other.frame
    if frame is None:
        return []
    other.frame = Frame(frame, "[", "]", before.want, before.pos, frame.depth + 1, invented=True)
    other.safe = before.pos
    return [other.go(before.pos, VALUE)]


def listed(reading: Hypothesis, closed: Closed) -> list[Hypothesis]:
    """Return the hypothesis in which a list opens before the last closed container, with its bracket missing."""
    frame, start = reading.frame, closed.frame.start
    if frame is None:
        return []
    other = reading.fork().note("open_in_middle", start, start, "[")
    other.frame = Frame(frame, "[", "]", frame.expect, start, frame.depth + 1, invented=True)
    return [other]
