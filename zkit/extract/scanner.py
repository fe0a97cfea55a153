"""The text so far in, events out, by one scan from left to right.

The outermost envelope wins, and its body is data until its closer. What was looked at and refused
is passed over whole: no weaker rule gets to see it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from zkit.calls import Call
from zkit.extract.around.follow_up import awaited
from zkit.extract.around.lead_in import UNANNOUNCED, announced
from zkit.extract.around.position import LEAD_IN, REACH, indented, obstacle, open_quote
from zkit.extract.around.restating import ends_sentence, mentions, restates
from zkit.extract.arriving_text import LONGEST_MARK, Hit, Steps, compiled
from zkit.extract.bodies.arguments import Task
from zkit.extract.bodies.readings import Reading
from zkit.extract.events import CallRefused, Refusal, Unknown
from zkit.extract.formats.table import format_of, looks_like_data
from zkit.extract.gates import Candidate, judge, numbered
from zkit.extract.marks.first_match import kind_of
from zkit.extract.marks.watch import Watch
from zkit.extract.pending import Settler
from zkit.extract.pieces import Kind, Piece

_UNSEEN = compiled(r"[\ufeff\u200b-\u200f\u2060]*+")
Handler = Callable[["Scanner", int], Steps[int]]
"""What happens at a hook: it is read from its place on, and the place to go on from comes back."""


class Scanner:
    """Walks through the text once. Every step is a generator that waits where the text ends."""

    def __init__(
        self,
        task: Task,
        wanted: frozenset[str],
        settler: Settler,
        handlers: Mapping[str, Handler],
    ) -> None:
        self.task = task
        self.tape = task.tape
        self.settler = settler
        self.reasoned = False
        """Whether the reply has set reasoning apart already."""
        self.thinks = False
        """Whether the text belongs to a thought that a label has opened."""
        self.before_thought = ""
        """What stood before that thought, if it makes a call after it none."""
        self.in_talk = False
        """Whether somebody else had a turn before any call: a talk is told, not held."""
        self._wanted = wanted
        self._handlers = handlers
        self._watch = Watch(task.tape, task.tools)
        self._text_from = 0
        self._called_until = -1

    def run(self) -> Steps[None]:
        """Read the whole text."""
        pos, fresh = (yield from self._unseen()), True
        while True:
            if self.tape.hopeless:
                yield from self._give_up(pos)
                return
            done = (yield from self._line_start(pos)) if fresh else pos
            if done > pos:
                pos, fresh = done, self.settler.after_mark
                continue
            hook = yield from self._next_hook(pos)
            if hook is None:
                yield from self.settler.close()
                return
            kind, at = _place_of(hook)
            yield from self.text(hook.start, at)
            pos = yield from self.handle(kind, at)
            fresh = self.settler.after_mark

    def handle(self, kind: str, at: int) -> Steps[int]:
        """Do what a hook of this kind asks for."""
        return (yield from self._handlers[kind](self, at))

    def _give_up(self, pos: int) -> Steps[None]:
        """Too much of the text looks like calls and is none: the rest of it is text.

        There is no message for the model: it may as well have listed data by the thousand.
        """
        refusal = Refusal("", "too_much", (pos, pos), "", "")
        self.settler.outcomes.append(refusal)
        yield CallRefused(refusal)
        while True:
            yield from self.text(pos, self.tape.size)
            pos = self.tape.size
            if self.tape.final:
                break
            yield from self.tape.wait(pos)
        yield from self.settler.close()

    # ── looking for hooks ────────────────────────────────────────────────────

    def _next_hook(self, pos: int) -> Steps[Hit | None]:
        """Pass text on until something may matter; None when the text has ended."""
        while True:
            hook, held = self._watch.next(pos)
            yield from self.text(pos, held)
            pos = held
            if hook is not None or self.tape.final:
                return hook
            yield from self.tape.wait(pos)

    def _unseen(self) -> Steps[int]:
        """Characters without a width at the very beginning: text that nothing stands behind."""
        marks = yield from self.tape.look(_UNSEEN, 0)
        end = 0 if marks is None else marks.end()
        if end:
            yield self.settler.unseen(self.tape.slice(0, end))
            self._text_from = end
        return end

    def _line_start(self, pos: int) -> Steps[int]:
        """The beginning of the reply, or of what follows reasoning or a call."""
        if self.task.tools and self.settler.shown == 0:
            done = yield from self._handlers["first"](self, pos)
            if done > pos:
                return done
        line = yield from self.tape.look(self._watch.line, pos)
        if line is None:
            return pos
        at = pos + len(line["indent"])
        yield from self.text(pos, at)
        return (yield from self.handle(str(line.lastgroup), at))

    # ── giving out pieces ────────────────────────────────────────────────────

    def text(self, start: int, end: int) -> Steps[None]:
        """Text for the reader."""
        yield from self.piece("text", start, end)

    def piece(self, kind: Kind, start: int, end: int, shown: str | None = None) -> Steps[None]:
        """A stretch of the reply that is no candidate."""
        if end <= start:
            return
        if kind == "text" and self.thinks:
            kind = "thought"
        whole = self.tape.slice(start, end)
        piece = Piece(kind, (start, end), whole if shown is None else shown, whole)
        yield from self.settler.add(piece)
        if kind not in ("text", "thought"):
            self._text_from = end
            self.thinks = False

    def skip(self, at: int, size: int = 1) -> Steps[int]:
        """What stands here is only text."""
        end = min(at + size, self.tape.size)
        yield from self.text(at, end)
        return end

    def pass_to(self, start: int, until: re.Pattern[str], kind: Kind = "text") -> Steps[Hit | None]:
        """Give out everything up to a mark as it arrives; None when the text ends without it."""
        given, begun = start, compiled(until.pattern)
        while True:
            text, base = self.tape.window(given)
            match = until.search(text, given - base)
            if match is not None and (self.tape.final or match.end() + base < self.tape.size):
                yield from self.piece(kind, given, match.start() + base)
                return Hit(match.start() + base, match.end() + base, match)
            tail = max(given - base, len(text) - LONGEST_MARK)
            part = None if self.tape.final else begun.search(text, tail, partial=True)
            held = self.tape.size if part is None else part.start() + base
            held = held if match is None else min(held, match.start() + base)
            yield from self.piece(kind, given, held)
            given = held
            if self.tape.final:
                return None
            yield from self.tape.wait(given)

    def skip_past(self, at: int, until: re.Pattern[str]) -> Steps[int]:
        """Only text up to a mark, the mark included; to the end when there is none."""
        hit = yield from self.pass_to(at, until)
        if hit is None:
            return self.tape.size
        return (yield from self.skip(hit.start, hit.end - hit.start))

    # ── candidates ───────────────────────────────────────────────────────────

    def before(self, at: int) -> str:
        """The text before a place, since the last thing that was no text."""
        return self.tape.slice(max(self._text_from, at - REACH), at)

    def start_of_text(self, at: int) -> None:
        """What stands before this place counts no more for what comes after it."""
        self._text_from = at

    def offer(
        self, reading: Reading | None, opener: str, at: int, *, shape: bool = False
    ) -> Steps[int]:
        """Put a reading through the gates, as a candidate for the settler; no reading is text."""
        if reading is None:
            self.tape.in_vain += 1
            return (yield from self.skip(at))
        end = max(reading.end, at + 1)
        text = self.tape.slice(at, end)
        record = format_of(opener, reading.body, text)
        if record.name not in self._wanted or not reading.units:
            self.tape.in_vain += 1
            return (yield from self.skip(at, end - at))
        before = self.before(at)
        awaits = awaited(before) | (self.settler.waiting & {"quote"})
        if shape or record.tier == "shape" or indented(before):
            awaits |= {"end"}
        late = self.too_late(before) if "end" in awaits else ""
        reason = self._obstacle(before, reading, like_data=looks_like_data(record))
        reason = reason or self.before_thought or self._shared(at) or late
        tools = self.task.tools
        judged = [judge(unit, self.tape.slice(*unit.span), record, tools) for unit in reading.units]
        outcomes = numbered(judged, self.settler.known)
        closers = open_quote(before) or self.settler.closers
        if reason or not any(isinstance(outcome, Call | Unknown) for outcome in outcomes):
            self.tape.in_vain += 1
        candidate = Candidate((at, end), text, record, outcomes, awaits, closers, reason)
        yield from self.settler.add(candidate)
        self.before_thought = ""
        if candidate.counts:
            self._text_from = self._called_until = end
            self.thinks = False
        return end

    def _obstacle(self, before: str, reading: Reading, *, like_data: bool) -> str:
        """Why a call after this text is none. Words between two calls of one line lead on."""
        if self.in_talk:
            return "transcript"
        goes_on = self._called_until == self._text_from
        needs_lead = not goes_on or "\n" in before
        reason = obstacle(before, needs_lead=needs_lead, goes_on=goes_on, like_data=like_data)
        if reason != UNANNOUNCED:
            return reason
        tells = mentions if like_data and ends_sentence(before) else restates
        told = any(tells(before, unit.name, unit.arguments or {}) for unit in reading.units)
        return "" if told else reason

    def _shared(self, at: int) -> str:
        """What makes a call none makes those none that stand right after it, or in its line."""
        end = self.settler.refused_end
        if end is None:
            return ""
        if "\n" not in self.tape.slice(end, at) or self.follows_refused(at):
            return "beside_a_refused_one"
        self.settler.refused_end = None  # nothing further on is beside it either
        return ""

    def follows_refused(self, at: int) -> bool:
        """Whether only blanks stand between a place and a call that was refused."""
        end = self.settler.refused_end
        return end is not None and not self.tape.slice(end, at).strip()

    def too_late(self, before: str) -> str:
        """Why a call without a marker is none here: a refused one before it, or a long answer.

        A long text must say at its end that a call is made; it more likely shows what it speaks of.
        """
        if self.settler.refused_shape:
            return "repeated"
        return "long_lead_in" if self.settler.shown > LEAD_IN and not announced(before) else ""


def _place_of(hook: Hit) -> tuple[str, int]:
    """What a hook is, and where it begins: after the white space of its line."""
    group = hook.match.lastgroup
    if group is None:
        return "tag", hook.start
    if hook.match.group()[0] != "\n":
        return kind_of(group), hook.start
    return group, hook.start + 1 + len(hook.match["indent"])
