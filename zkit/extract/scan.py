"""Scan the text of a reply once, from hook to hook.

The outermost envelope wins, and its body is data up to its closer. A refused candidate is skipped
as a whole, so no weaker rule reads a part of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from zkit.calls import Call
from zkit.extract.events import Event, Kind, Piece, Refusal, Unknown
from zkit.extract.formats.table import format_of
from zkit.extract.parsers.arguments import Reading, Task
from zkit.extract.quoting import only_shows
from zkit.extract.scan_marks import Watch
from zkit.extract.standing import Candidate, Outcome, Standing, judge, misfit
from zkit.extract.tape import LONGEST_MARK, Hit, Steps, compiled

# How many characters before a call are taken into account.
REACH = 800
# How much of a quoted region is searched for calls; a longer one is a document.
LONGEST_REGION = 100_000
# Reads the text at a hook's position, and returns the position to continue from.
Handler = Callable[["Scanner", int], Steps[int]]
# Finds the calls in a quoted text.
Inner = Callable[[str], Iterator[Outcome]]


class Scanner:
    """Scans the text once. Every step is a generator that waits where the text so far ends."""

    def __init__(
        self, task: Task, wanted: frozenset[str], handlers: Mapping[str, Handler], inner: Inner
    ) -> None:
        self.task = task
        self.tape = task.tape
        self.standing = Standing()
        # Whether the reply has contained a block of reasoning already.
        self.reasoned = False
        # Whether the text belongs to a thought that a label opened.
        self.thinks = False
        # Where a line labelled as somebody else's begins.
        self.asked_at: int | None = None
        self._wanted = wanted
        self._handlers = handlers
        self._inner = inner
        # Whether all text so far was emitted, and nothing is held.
        self.idle = False
        self._watch = Watch(task.tape, task.tools)
        self.is_plain = self._watch.is_plain_chunk
        self.text_from = 0
        # Where the emitted text ends.
        self._passed = 0

    def run(self) -> Steps[None]:
        """Read the whole text."""
        pos, fresh = 0, True
        while True:
            if self.tape.hopeless:
                yield from self._give_up(pos)
                return
            ended = self.tape.final and pos >= self.tape.size
            done = (yield from self._line_start(pos)) if fresh and not ended else pos
            if done > pos:
                pos, fresh = done, self.standing.after_mark
                continue
            found = yield from self._next_hook(pos)
            if found is None:
                yield from self.standing.close()
                return
            kind, at = found
            pos = yield from self.handle(kind, at)
            fresh = self.standing.after_mark

    def handle(self, kind: str, at: int) -> Steps[int]:
        """Run the handler of a hook."""
        return (yield from self._handlers[kind](self, at))

    def _give_up(self, pos: int) -> Steps[None]:
        """Treat the rest as text, because too much of it looks like calls that are not calls.

        There is no message for the model, which may just have listed thousands of records.
        """
        yield from self.standing.refuse([Refusal("", "too_much", (pos, pos), "", "")])
        while True:
            yield from self.text(pos, self.tape.size)
            pos = self.tape.size
            if self.tape.final:
                break
            yield from self.tape.wait(pos)
        yield from self.standing.close()

    # ── finding hooks ────────────────────────────────────────────────────────

    def _next_hook(self, pos: int) -> Steps[tuple[str, int] | None]:
        """Emit text up to the next hook; return its kind and position, or None at the end of the text."""
        while True:
            kind, held = self._watch.next(pos)
            if held > pos:
                yield from self.text(pos, held)
                pos = held
            if kind:
                return kind, held
            if self.tape.final:
                return None
            self._passed = pos
            self.idle = pos == self.tape.size and not (self.thinks or self.standing.waits)
            yield from self.tape.wait(pos)
            self.idle, pos = False, self._passed

    def pass_over(self, chunk: str) -> Event:
        """Emit a chunk that is only text, while nothing is held."""
        self.tape.add(chunk)
        self._passed = self.tape.pass_all()
        return self.standing.show(chunk, self._passed)

    def _line_start(self, pos: int) -> Steps[int]:
        """Read a hook at the beginning of the reply, or right after reasoning or a call."""
        if self.task.tools and self.standing.shown == 0:
            done = yield from self._handlers["first"](self, pos)
            if done > pos:
                return done
        line = yield from self.tape.look(self._watch.line, pos)
        if line is None:
            return pos
        at = pos + len(line["indent"])
        yield from self.text(pos, at)
        return (yield from self.handle(str(line.lastgroup), at))

    # ── emitting pieces ──────────────────────────────────────────────────────

    def text(self, start: int, end: int) -> Steps[None]:
        """Emit text for the reader."""
        if self.thinks or self.standing.waits:
            yield from self.piece("text", start, end)
        elif end > start:
            yield self.standing.show(self.tape.slice(start, end), end)

    def piece(self, kind: Kind, start: int, end: int, shown: str | None = None) -> Steps[None]:
        """Emit a part of the reply that is not a candidate."""
        if end <= start:
            return
        if kind == "text" and self.thinks:
            kind = "thought"
        whole = self.tape.slice(start, end)
        piece = Piece(kind, (start, end), whole if shown is None else shown, whole)
        yield from self.standing.add(piece)
        if kind not in ("text", "thought"):
            self.text_from = end
            self.thinks = False

    def skip(self, at: int, size: int = 1) -> Steps[int]:
        """Emit `size` characters as text; return the position after them."""
        end = min(at + size, self.tape.size)
        yield from self.text(at, end)
        return end

    def pass_to(self, start: int, until: re.Pattern[str], kind: Kind = "text") -> Steps[Hit | None]:
        """Emit everything up to a mark as it arrives; return the mark, or None if the text ends first."""
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

    # ── candidates ───────────────────────────────────────────────────────────

    def before(self, at: int) -> str:
        """Return the text before a position, back to the last part that was not text."""
        return self.tape.slice(max(self.text_from, at - REACH), at)

    def offer(self, reading: Reading | None, at: int, body: str = "") -> Steps[int]:
        """Judge a reading and hold it until the reply ends; without a reading, emit text.

        `body` is the kind of its body if not the reading's own.
        """
        if reading is None:
            self.tape.in_vain += 1
            return (yield from self.skip(at))
        end = max(reading.end, at + 1)
        text = self.tape.slice(at, end)
        record = format_of(reading.opener, body or reading.body, text)
        if record.name not in self._wanted or not reading.units:
            self.tape.in_vain += 1
            return (yield from self.skip(at, end - at))
        tools = self.task.tools
        outcomes = tuple(
            judge(unit, number, self.tape.slice(*unit.span), record, tools)
            for number, unit in enumerate(reading.units, self.standing.known)
        )
        if not any(isinstance(outcome, Call | Unknown) for outcome in outcomes):
            self.tape.in_vain += 1
        unfit = tuple(misfit(unit, record, tools) for unit in reading.units)
        before = self.before(at)
        mentioned = not self.thinks and only_shows(before, text, record)
        candidate = Candidate((at, end), text, record, outcomes, unfit, before, mentioned)
        if (yield from self.standing.offer(candidate)):
            self.text_from = end
            self.thinks = False
        return end

    def list_quoted(self, start: int, end: int, text: str | None = None) -> Steps[None]:
        """List the calls of declared tools in a quoted part of the reply as refused."""
        if text is None:
            text = self.tape.slice(start, min(end, start + LONGEST_REGION))
        if not self.task.tools.named_in(text):
            return
        found = [
            Refusal(call.name, "quoted", (start, end), "", call.origin)
            for call in self._inner(text)
        ]
        if found:
            yield from self.standing.refuse(found)

    def end_reply(self, at: int, content: int | None = None, *, shown: bool = False) -> Steps[int]:
        """End the reply here: calls after this position are only listed.

        The rest belongs to somebody else's turn or to a made-up result. It is left out of the
        content unless `shown` is True. `content` is where the rest begins if a mark comes first.
        """
        while not self.tape.final:
            yield from self.tape.wait(self.tape.size)
        begin = at if content is None else content
        rest = self.tape.slice(begin, self.tape.size)
        if shown:
            yield from self.text(max(at, self.standing.reached), self.tape.size)
        else:
            yield from self.piece("ended", at, self.tape.size, rest)
        self.standing.ended_at = at if rest.strip() else None
        yield from self.list_quoted(begin, self.tape.size)
        return self.tape.size
