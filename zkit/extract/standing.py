"""Decide the tier of a call, its position in the reply, and whether it is a call, doubtful or refused.

From the first call on, everything is held until the reply ends. If only blanks, closers or more
calls follow, the calls are final; if text follows, they are doubtful.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, replace
from io import StringIO
from itertools import zip_longest

from zkit.calls import Call, Position, Tier
from zkit.extract import events
from zkit.extract.declared import Declared, without_prefix
from zkit.extract.events import Doubtful, Event, Incomplete, Piece, Refusal, Span, Unknown
from zkit.extract.formats.record import Format
from zkit.extract.parsers.arguments import Unit
from zkit.extract.parsers.call_objects import BESIDE
from zkit.extract.quoting import closes_quote, ends_sentence, in_element, quotes
from zkit.receipt import Rank

Outcome = Call | Doubtful | Unknown | Incomplete | Refusal
# The confidence of a call by its tier; each rank of its repair takes off 0.05.
CONFIDENCE: dict[Tier, float] = {"marker": 0.98, "alone": 0.9, "shape": 0.7}
FOLLOWED = (
    "Your reply contains a call of {name} followed by more text, so nothing was run. "
    "Send the call alone if you mean it."
)
MENTIONED = (
    "Your reply contains a call of {name} in plain text, so nothing was run. "
    "Send the call alone if you mean it."
)
_SILENT = frozenset({"declaration", "result", "conversation"})
# How long a thought may be while it is held for its call (ReAct prompts); a longer one is text.
MOST_THOUGHT = 1500


@dataclass(frozen=True, slots=True)
class Candidate:
    """A span that spells calls; `before` is the text before it.

    `mentioned` is True if a sentence only mentions the call.
    """

    span: tuple[int, int]
    text: str
    format: Format
    outcomes: tuple[Outcome, ...]
    # For each outcome, the refusal that applies unless the call is the whole reply.
    misfits: tuple[Refusal | None, ...] = ()
    before: str = ""
    mentioned: bool = False

    @property
    def counts(self) -> bool:
        """True if one of its outcomes is a call, a cut call, a fixable call, or an unknown tool in a marker."""
        silent = any(isinstance(o, Refusal) and not o.message for o in self.outcomes)
        if silent and self.format.tier == "shape":
            return False  # a list of data with one item that looks like a call
        return any(map(self._counts, self.outcomes))

    def _counts(self, outcome: Outcome) -> bool:
        if isinstance(outcome, Refusal):
            return bool(outcome.message)
        return not isinstance(outcome, Unknown) or self.format.tier == "marker"


# Items that are held.
Waiting = Piece | Candidate


def confidence(tier: Tier, rank: Rank) -> float:
    """Return the confidence in a call of this tier that was repaired at this rank."""
    return round(CONFIDENCE[tier] - 0.05 * rank, 2)


def judge(unit: Unit, number: int, text: str, record: Format, tools: Declared) -> Outcome:
    """Return the outcome of one call that was read; without an id it is numbered."""
    known = tools.name_of(unit.name)
    if unit.state == "cut":
        if known or record.tier == "marker" or unit.name in tools.prefixes:
            return Incomplete(known or unit.name, unit.arguments, unit.span, text, record.name)
        return Refusal(unit.name, "cut", unit.span, "", record.name)
    if unit.state == "broken":
        silent = unit.reason in _SILENT
        message = "" if silent or known is None else unit.message
        return Refusal(known or unit.name, unit.reason, unit.span, message, record.name)
    if known is None and record.tier == "shape" and unit.keys - BESIDE:
        return Refusal(unit.name, "other_object", unit.span, "", record.name)
    if known is None:
        name, rank, fixes = without_prefix(unit.name), unit.rank, unit.fixes
        return Unknown(name, unit.arguments, unit.span, text, record.name, rank, fixes)
    problem = _beside(unit, known, record, tools)
    if problem is None and (record.tier != "shape" or unit.keys & _BY_FIT):
        problem = misfit(unit, record, tools)
    if problem is not None:
        return problem
    sure = confidence(record.tier, unit.rank)
    return Call(
        known, unit.arguments, unit.id or f"call_{number}", record.name, record.tier, sure,
        unit.rank, unit.fixes, unit.span,
    )  # fmt: skip


def _beside(unit: Unit, name: str, record: Format, tools: Declared) -> Refusal | None:
    """Return the refusal of a call with other keys beside its name and arguments, whose values would be lost.

    None if there are no such keys. Without a marker, keys that are not parameters of the tool make
    it another kind of object (corpus/extract/small_models).
    """
    if "_bare" in unit.keys and unit.rank >= Rank.COMPLETE:  # the rest may hold the arguments
        message = f"{name}: the arguments cannot be read. Send one object with name and arguments."
        return Refusal(name, "other_object", unit.span, message, record.name)
    odd = unit.keys - BESIDE - {"_flat", "_keyed", "_object", "_bare"}
    if not odd:
        return None
    if record.tier == "shape" and not odd & tools.expect(name).keys:
        return Refusal(name, "other_object", unit.span, "", record.name)
    found = ", ".join(sorted(odd))
    message = f"{name}: {found} beside the arguments. Put it into them, and call {name} again."
    return Refusal(name, "beside_arguments", unit.span, message, record.name)


# Bodies in tags whose names are ordinary words (corpus/untouched/markup_and_math).
_LOOSE_BODIES = frozenset({"tool_tag", "function_name", "tool_input"})


# Forms of objects that are calls only if their keys fit the tool; otherwise they are data.
_BY_FIT = frozenset({"_flat", "_keyed"})


def misfit(unit: Unit, record: Format, tools: Declared) -> Refusal | None:
    """Return the refusal of a call whose arguments do not fit, in a format that is weak evidence.

    Without a marker, or in tags with ordinary words as names, the keys must be those of the tool. A
    marker is enough evidence, and so is a reply that is nothing but the call; there `decode`
    refuses wrong arguments.
    """
    name = tools.name_of(unit.name)
    if unit.state != "whole" or name is None:
        return None
    if record.tier != "shape" and record.body not in _LOOSE_BODIES:
        return None
    if "_bare" in unit.keys:  # an object with a name is data unless it is the whole reply
        return Refusal(name, "other_object", unit.span, "", record.name)
    problem = tools.misfit(name, unit.arguments)
    if not problem:
        return None
    message = f"{problem} Call {name} again with arguments that fit."
    return Refusal(name, "arguments", unit.span, message, record.name)


_EVENTS: dict[type[Outcome], Callable[..., Event]] = {
    Call: events.CallComplete, Doubtful: events.CallDoubtful, Unknown: events.CallUnknown,
    Incomplete: events.CallIncomplete, Refusal: events.CandidateRefused,
}  # fmt: skip


class Standing:
    """Collects the parts of a reply; from the first call on, holds them until the reply ends."""

    def __init__(self) -> None:
        self.outcomes: list[Outcome] = []
        self.spans: list[Span] = []
        self._content = StringIO()
        self.reasoning: list[str] = []
        # Where the reply ended: at a leaked turn or a made-up result.
        self.ended_at: int | None = None
        # Whether only blanks followed the last part that was not text.
        self.after_mark = True
        # How many characters of text the reply has, without blanks at the edges of its parts.
        self.shown = 0
        # Where the last piece ended.
        self.reached = 0
        # Whether a call was read.
        self.holds = False
        # The length of the thought that is held for its call.
        self._thought = 0
        # How many outcomes are known to be inside reasoning.
        self._rehearsed = 0
        self._pending: list[Waiting] = []
        # How many outcomes there are so far, including those that are held.
        self.known = 0

    @property
    def waits(self) -> bool:
        """True if anything is held."""
        return self.holds or bool(self._pending)

    @property
    def content(self) -> str:
        """The text of the reply so far."""
        return self._content.getvalue()

    def show(self, text: str, end: int) -> Event:
        """Emit text while nothing is held."""
        self.reached = end
        self._count(text)
        return self.write(text)

    # ── collecting ───────────────────────────────────────────────────────────

    def add(self, item: Piece) -> Iterator[Event]:
        """Take the next piece of the text; hold it or emit it."""
        self.reached = item.span[1]
        ends_text = item.kind == "token" and not self.after_mark
        if item.kind == "text":
            self._count(item.text)
        elif item.kind == "thought":
            self._thought += item.span[1] - item.span[0]
            self.after_mark = self.after_mark and not item.whole.strip()
        else:
            self.after_mark = True
        if self.holds or ends_text or (self._pending and not item.text.strip()):
            self._pending.append(item)
        elif item.kind == "thought":
            self._pending.append(item)
            if self._thought > MOST_THOUGHT:
                yield from self._release(called=False)
        else:
            yield from self._release(called=False)
            yield from self._emit(item)

    def new_thought(self) -> None:
        """Begin a thought; its length adds to that of earlier thoughts that are still held."""
        if not self._pending:
            self._thought = 0

    def refuse(self, found: list[Refusal]) -> Iterator[Event]:
        """List refused calls, which stay in the text."""
        self.known += len(found)
        yield from map(self._told, found)

    def offer(self, item: Candidate) -> Generator[Event, None, bool]:
        """Take the next candidate; return whether it may be a call."""
        self.known += len(item.outcomes)
        if not item.counts or quotes(item.before, item.format):
            self._count(item.text)
            if not self._pending:
                yield from self._refused(item)
            else:
                self._pending.append(_quoted(item))
            return False
        if not self.holds:
            yield from self._release(called=True, over=True)
        self.holds = self.after_mark = True
        self._pending.append(item)
        yield from (events.CallHeld(o) for o in item.outcomes if isinstance(o, Call))
        return True

    def all_was_reasoning(self, end: int) -> Iterator[Event]:
        """Turn everything so far into reasoning, in which no call counts.

        The prompt had opened the reasoning (Qwen3, DeepSeek R1).
        """
        for _ in self._release(called=False, over=True):
            pass  # it is all replaced by one event
        self.holds = False
        thought = self.content
        self.reasoning += [thought] if thought else []
        self._content, self.shown = StringIO(), 0
        for at in range(self._rehearsed, len(self.outcomes)):
            o = self.outcomes[at]
            self.outcomes[at] = Refusal(o.name, "quoted", o.span or (0, end), "", o.origin)
        self._rehearsed = len(self.outcomes)
        self.spans = [Span("reasoning", 0, end)]
        self.after_mark = True
        yield events.TextWasReasoning()

    # ── the end ──────────────────────────────────────────────────────────────

    def close(self) -> Iterator[Event]:
        """End the reply: emit everything that is held as calls, doubtful calls or text."""
        if not self.holds:
            yield from self._release(called=False, over=True)
            return
        waiting, self._pending = self._pending, []
        pending = [self._settled(item, waiting, i) for i, item in enumerate(waiting)]
        pending = list(_without_echoes(pending))
        final = self._is_final(pending)
        alone = final and not self._has_text(pending)
        spoken = any(isinstance(item, Candidate) and item.mentioned for item in pending)
        spoken = spoken or (final and not alone and _in_sentence(pending))
        for item in pending:
            if isinstance(item, Piece):
                yield from self._emit(item)
            elif item.counts and not _is_quoted(item):
                yield from self._accepted(item, final, alone, spoken)
            else:
                yield from self._refused(item)

    def _settled(self, item: Waiting, pending: list[Waiting], index: int) -> Waiting:
        """Return the item; a candidate becomes quoted after the reply's end or inside a quotation."""
        if not isinstance(item, Candidate):
            return item
        following = (p for p in pending[index + 1 : index + 3] if isinstance(p, Piece))
        after = "".join(p.text for p in following if p.kind == "text")
        ended = self.ended_at is not None and item.span[0] >= self.ended_at
        return _quoted(item) if ended or closes_quote(item.before, after) else item

    def _is_final(self, pending: list[Waiting]) -> bool:
        """True if no text follows the last call before the end of the reply."""
        after = ""
        for item in reversed(pending):
            if isinstance(item, Candidate):
                counts = item.counts and not _is_quoted(item)
                words = any(map(str.isalnum, after))  # punctuation and closers are not words
                return counts and (not words or in_element(item.before, after, item.format))
            if isinstance(item, Piece) and self._is_text(item):
                after = item.text + after
        return True

    def _is_text(self, item: Piece) -> bool:
        """True if a piece is text and comes before the end of the reply."""
        ended = self.ended_at is not None and item.span[0] >= self.ended_at
        return item.kind in ("text", "thought") and not ended

    def _has_text(self, pending: list[Waiting]) -> bool:
        """True if the reply has text besides its calls."""
        if self.shown and any(map(str.isalnum, self.content)):
            return True
        pieces = (item for item in pending if isinstance(item, Piece) and item.kind == "text")
        return any(self._is_text(item) and any(map(str.isalnum, item.text)) for item in pieces)

    def _accepted(
        self, item: Candidate, final: bool, alone: bool, mentioned: bool
    ) -> Iterator[Event]:
        """Emit the outcomes of a candidate; final calls are removed from the text."""
        at, end = item.span
        kept: list[tuple[int, int]] = []
        for outcome, unfit in zip_longest(item.outcomes, item.misfits):
            if isinstance(outcome, Call) and unfit is not None and not alone:
                outcome = unfit
            if isinstance(outcome, Call):
                outcome = placed(outcome, final and not mentioned, alone)
                if outcome.position == "followed":
                    reason, message = ("mentioned", MENTIONED) if final else ("followed", FOLLOWED)
                    outcome = Doubtful(outcome, reason, message.format(name=outcome.name))
            data = isinstance(outcome, Unknown) and item.format.tier != "marker" and not alone
            if data or isinstance(outcome, Doubtful | Refusal):
                kept.append(outcome.span or item.span)
            yield self._told(outcome)
        if len(kept) == len(item.outcomes):
            kept = [item.span]
        for start, stop in kept:
            if start < at:
                continue
            self._mark("call", at, start)
            yield self.write(item.text[start - item.span[0] : stop - item.span[0]])
            at = stop
        self._mark("call", at, end)

    def _refused(self, item: Candidate) -> Iterator[Event]:
        yield from map(self._told, _quoted(item).outcomes)
        yield self.write(item.text)

    # ── emitting ─────────────────────────────────────────────────────────────

    def _release(self, *, called: bool, over: bool = False) -> Iterator[Event]:
        """Emit everything that is held before a call, or without one.

        Thoughts are reasoning if a call follows, otherwise text. Tokens in the middle of text are
        text; those at its end are dropped.
        """
        pending, self._pending = self._pending, []
        for item in pending:
            if isinstance(item, Candidate):
                yield from self._refused(item)
            elif item.kind == "text" or {"thought": not called, "token": not over}.get(item.kind):
                yield self.write(item.whole)
            else:
                yield from self._emit(item)

    def _told(self, outcome: Outcome) -> Event:
        self.outcomes.append(outcome)
        return _EVENTS[type(outcome)](outcome)

    def _emit(self, item: Piece) -> Iterator[Event]:
        """Emit a piece; a thought is reasoning."""
        if item.kind == "text":
            yield self.write(item.text)
            return
        kind = "reasoning" if item.kind == "thought" else item.kind
        self._mark(kind, *item.span)
        if kind == "reasoning":
            self.reasoning.append(item.text)
            if item.text:
                yield events.Reasoning(item.text)
        elif item.kind == "ended" and item.text.strip():
            yield events.ReadingEnded(item.span[0])

    def _count(self, text: str) -> None:
        """Count text as shown."""
        solid = text.strip()
        self.shown += len(solid)
        self.after_mark = self.after_mark and not solid

    def write(self, text: str) -> Event:
        """Add text to the content."""
        self._content.write(text)
        return events.Text(text)

    def _mark(self, kind: str, start: int, end: int) -> None:
        last = self.spans[-1] if self.spans else None
        if last is not None and kind == "reasoning" and (last.kind, last.end) == (kind, start):
            self.spans[-1] = Span(kind, last.start, end)
        elif end > start:
            self.spans.append(Span(kind, start, end))


def _without_echoes(pending: list[Waiting]) -> Iterator[Waiting]:
    """Yield the held items, without the second copy of a call right beside the first.

    LFM2 writes a call between its tokens and again as a plain list, in either order
    (corpus/extract/small_models).
    """
    last: Candidate | None = None
    for item in pending:
        if isinstance(item, Candidate) and last is not None and _echoes(item, last):
            at, end = item.span
            yield Piece("frame", (at, end), "", item.text)
            continue
        yield item
        if isinstance(item, Candidate):
            last = item
        elif isinstance(item, Piece) and item.text.strip():
            last = None


def _in_sentence(pending: list[Waiting]) -> bool:
    """True if the last call ends a sentence, without the other calls on its line (corpus/extract/shown)."""
    line = after = ""
    called = False
    for item in reversed(pending):
        if isinstance(item, Candidate):
            called = True
            _, newline, part = item.before.rpartition("\n")
            line = part + line
            if newline or "\n" in item.text:
                break
        elif isinstance(item, Piece) and item.kind == "text" and not called:
            after = item.text + after
    return ends_sentence(line, after)


def _echoes(item: Candidate, last: Candidate) -> bool:
    if item.format is last.format or {item.format.values, last.format.values} != {"python"}:
        return False
    one, other = (
        [(o.name, o.arguments) for o in part.outcomes if isinstance(o, Call)]
        for part in (item, last)
    )
    return bool(one) and one == other


def placed(call: Call, final: bool, alone: bool) -> Call:
    """Return the call with its final tier, position and confidence."""
    tier: Tier = "alone" if alone and call.tier == "shape" else call.tier
    position: Position = "final" if final else "followed"
    return replace(call, tier=tier, position=position, confidence=confidence(tier, call.rank))


def _is_quoted(item: Candidate) -> bool:
    return all(isinstance(o, Refusal) and o.reason == "quoted" for o in item.outcomes)


def _quoted(item: Candidate) -> Candidate:
    """Return the candidate as quoted: its calls are listed without a message."""
    return replace(item, outcomes=tuple(_as_quoted(one, item) for one in item.outcomes))


def _as_quoted(outcome: Outcome, item: Candidate) -> Outcome:
    told = isinstance(outcome, Refusal) and outcome.message
    if not told and not isinstance(outcome, Call | Incomplete):
        return outcome
    return Refusal(outcome.name, "quoted", outcome.span or item.span, "", item.format.name)
