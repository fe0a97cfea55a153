"""The pieces of a reply in, events out: what must not be followed by text waits until it is sure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from zkit.calls import Call
from zkit.extract import events
from zkit.extract.around.follow_up import confirmed, objection, said_against
from zkit.extract.events import Event, Incomplete, Refusal, Unknown
from zkit.extract.gates import Candidate, Outcome
from zkit.extract.pieces import Piece, Span

_LED_ON = frozenset({"remark", "aside", "word", "retraction"})
"""What another call settles: the text between the two leads on to it."""
LATE = frozenset({"repeated", "long_lead_in"})
"""Obstacles to calls without a marker that say nothing of the calls beside them."""
UNANNOUNCED = (
    "{name} was not called: the words around it do not say whether you call it or show it. "
    "To call it, write the call again with nothing around it. To show it, put it in backticks."
)
"""For a call that can be read in two ways: as made and as shown."""
MOST_THOUGHT = 1500
"""How long a thought may be that waits for its call; a longer one is text."""


class Settler:
    """Holds back what the end of the line or of the reply still has to confirm."""

    def __init__(self) -> None:
        self.outcomes: list[Outcome] = []
        self.spans: list[Span] = []
        self.content: list[str] = []
        self.reasoning: list[str] = []
        self.refused_shape = False
        self.refused_end: int | None = None
        """Where the last candidate ends that was refused for what stands around it."""
        self.ended_at: int | None = None
        self.after_mark = True
        """Whether only blanks stand between the last thing that was no text and here."""
        self.started: set[int] = set()
        """Where the calls begin that were told of while they were being read."""
        self.shown = 0
        """How many characters the reader has been shown, from the first solid to the last."""
        self._blanks = 0
        """How many blanks the reader has been shown since."""
        self._thought = 0
        """How long the thought is that is being told."""
        self._rehearsed = 0
        """How many of the outcomes are known to stand in reasoning."""
        self._pending: list[Piece | Candidate] = []
        self._held = 0
        """How many outcomes wait."""
        self._called = False
        self.waiting: frozenset[str] = frozenset()
        """What the candidates that are held back wait for."""
        self.closers = ""
        """What would close the quotation that such a candidate may stand in."""
        self._after = ""
        """The text after the last of them."""

    @property
    def called(self) -> bool:
        """Whether a call was made so far, one that still waits included."""
        return self._called or self.holds_call

    @property
    def known(self) -> int:
        """How many outcomes are known so far, those that still wait included."""
        return len(self.outcomes) + self._held

    @property
    def holds_call(self) -> bool:
        """Whether a candidate waits for what follows it."""
        return bool(self.waiting)

    def add(self, item: Piece | Candidate) -> Iterator[Event]:
        """Take the next piece, in the order of the text."""
        if isinstance(item, Candidate):
            yield from self._candidate(item)
        elif item.kind == "text":
            yield from self._text(item)
        elif item.kind == "token":
            yield from self._token(item)
        elif item.kind == "thought":
            yield from self._think(item)
        elif self._pending and item.kind in ("reasoning", "frame"):
            self._pending.append(item)
        else:
            yield from self._settle(self._objection)
            yield from self._emit(item)

    def new_thought(self) -> None:
        """A thought begins: those before it count with it as long as they wait."""
        if not self._pending:
            self._thought = 0

    def close(self) -> Iterator[Event]:
        """The reply has ended: whatever waits for that counts, but no call that was spoken of."""
        yield from self._settle(self._objection)

    @property
    def _objection(self) -> str:
        """Why what waits does not count, if nothing more is said about it."""
        return objection(self.waiting, self._after, self.closers)

    # ── one piece ────────────────────────────────────────────────────────────

    def _candidate(self, item: Candidate) -> Iterator[Event]:
        if not item.counts:
            yield from self._settle(self._beside)
            yield from self._refuse(item, item.obstacle or "beside_a_refused_one")
            return
        if self._after.strip() and self.waiting <= _LED_ON:
            yield from self._settle(said_against(self.waiting, self._after), called=True)
        elif "end" in item.awaits and "end" not in self.waiting:
            yield from self._settle("", called=True)
        self._pending.append(item)
        self._held += len(item.outcomes)
        self.waiting |= item.awaits
        self.closers, self._after = item.closers, ""
        self.after_mark = True

    @property
    def _beside(self) -> str:
        """Why what waits does not count, if what comes next is no call: a line must end between."""
        if "\n" not in self._after or self.waiting & {"end", "quote"}:
            return "followed_by_text"
        return objection(self.waiting, self._after, self.closers)

    def _text(self, item: Piece) -> Iterator[Event]:
        if not self._pending:
            yield from self._emit(item)
            return
        self._after += item.text
        sure = confirmed(self.waiting, self._after, self.closers) if self.waiting else None
        if sure is None and (self.waiting or not item.text.strip()):
            self._pending.append(item)
            self.after_mark = self.after_mark and not item.text.strip()
            if self._after.isspace():
                self._after = "\n" * min(self._after.count("\n"), 2)
        else:
            yield from self._settle("" if sure else self._objection or "followed_by_text")
            yield from self._emit(item)

    def _think(self, item: Piece) -> Iterator[Event]:
        """A thought is reasoning when a call follows it; it is not waited for without end."""
        self._thought += item.span[1] - item.span[0]
        self._pending.append(item)
        if self._thought > MOST_THOUGHT and not self.waiting:
            yield from self._settle("followed_by_text")
        self.after_mark = self.after_mark and not item.whole.strip()

    def _token(self, item: Piece) -> Iterator[Event]:
        if self._pending or not self.after_mark:
            self._pending.append(item)
        else:
            yield from self._emit(item)

    # ── settling ─────────────────────────────────────────────────────────────

    def _settle(self, reason: str, *, called: bool = False) -> Iterator[Event]:
        """Let go of everything that waits: as calls, or as text when there is a reason against it."""
        pending, self._pending, self._held = self._pending, [], 0
        called = called or (not reason and bool(self.waiting))
        self.waiting, self.closers, self._after = frozenset(), "", ""
        for item in pending:
            if isinstance(item, Candidate):
                yield from self._refuse(item, reason) if reason else self._accept(item)
            elif item.kind == "thought":
                yield from self._told_thought(item, called)
            elif item.kind == "token" and reason:
                yield from self._emit(Piece("text", item.span, item.text))
            else:
                yield from self._emit(item)

    def _told_thought(self, item: Piece, called: bool) -> Iterator[Event]:
        """A thought as reasoning, or as text that is no lead-in, however long it is."""
        if called:
            yield from self._emit(replace(item, kind="reasoning"))
            return
        yield self._show(item.whole, counted=False)

    def _accept(self, item: Candidate) -> Iterator[Event]:
        kept = [o for o in item.outcomes if isinstance(o, Refusal)]
        at, end = item.span
        for outcome in item.outcomes:
            if isinstance(outcome, Call) and outcome.tier == "marker" and at not in self.started:
                yield events.CallStarted(outcome.name, at)
            self.started.discard(at)
            yield self._told(outcome)
        for refusal in kept:
            self._mark("call", at, refusal.span[0])
            text = item.text[refusal.span[0] - item.span[0] : refusal.span[1] - item.span[0]]
            yield self._show(text)
            at = refusal.span[1]
        self._mark("call", at, end)
        self.after_mark = True

    def _refuse(self, item: Candidate, reason: str) -> Iterator[Event]:
        alone = item.format.tier == "shape" or "end" in item.awaits
        self.refused_shape = self.refused_shape or alone
        spoken_of = item.obstacle not in LATE and (item.obstacle or reason == "followed_by_text")
        self.refused_end = item.span[1] if spoken_of else None
        for outcome in item.outcomes:
            if isinstance(outcome, Call | Incomplete):
                name, span = outcome.name, outcome.span or item.span
                message = UNANNOUNCED.format(name=name) if reason == "unannounced" else ""
                outcome = Refusal(name, reason, span, message, item.format.name)
            yield self._told(outcome)
        yield self._show(item.text)

    def _told(self, outcome: Outcome) -> Event:
        self.outcomes.append(outcome)
        self._called = self._called or isinstance(outcome, Call | Unknown)
        if isinstance(outcome, Call):
            return events.CallComplete(outcome)
        if isinstance(outcome, Unknown):
            return events.CallUnknown(outcome)
        if isinstance(outcome, Incomplete):
            return events.CallIncomplete(outcome)
        return events.CallRefused(outcome)

    def _emit(self, item: Piece) -> Iterator[Event]:
        if item.kind == "text":
            yield self._show(item.text)
            return
        self._mark(item.kind, *item.span)
        self.after_mark = True
        if item.kind == "reasoning":
            self.reasoning.append(item.text)
            if item.text:
                yield events.Reasoning(item.text)
        elif item.kind == "ended" and item.text.strip():
            self.ended_at = item.span[0]
            yield events.ReadingEnded(item.span[0])

    def _show(self, text: str, *, counted: bool = True) -> Event:
        self.content.append(text)
        solid = text.rstrip()
        if counted and solid:
            self.shown += len(solid if self.shown else solid.lstrip()) + self._blanks
            self._blanks = 0
        if counted and self.shown:
            self._blanks += len(text) - len(solid)
        self.after_mark = self.after_mark and not solid
        return events.Text(text)

    def unseen(self, text: str) -> Event:
        """Show what nobody sees: it counts as nothing."""
        self.content.append(text)
        return events.Text(text)

    def _mark(self, kind: str, start: int, end: int) -> None:
        last = self.spans[-1] if self.spans else None
        if last is not None and kind == "reasoning" and (last.kind, last.end) == (kind, start):
            self.spans[-1] = Span(kind, last.start, end)
        elif end > start:
            self.spans.append(Span(kind, start, end))

    def all_was_reasoning(self, end: int) -> Iterator[Event]:
        """The end of reasoning that the prompt had opened: nothing before it counts."""
        yield from self._settle("followed_by_text")
        told = "".join(self.content)
        self.reasoning += [told] if told else []
        self.content = []
        self.shown = self._blanks = 0
        self._called = False
        for at in range(self._rehearsed, len(self.outcomes)):
            o = self.outcomes[at]
            self.outcomes[at] = Refusal(o.name, "in_reasoning", o.span or (0, end), "", o.origin)
        self._rehearsed = len(self.outcomes)
        self.spans = [Span("reasoning", 0, end)]
        self.after_mark = True
        self.refused_shape = False
        self.refused_end = None
        yield events.TextWasReasoning()
