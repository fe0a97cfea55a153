"""Best-first search over hypotheses: a heap, a budget, and quick steps over valid text."""

from __future__ import annotations

import re
from heapq import heappop, heappush

from zkit.expect import ANYTHING, Expect
from zkit.receipt import Rank
from zkit.repair.limits import (
    CHARACTERS_PER_FIX,
    CHARACTERS_PER_READING,
    FREE_FIXES,
    FREE_READINGS,
    MAX_DEPTH,
    MOST_COST,
    MOST_READINGS,
    MOST_TRIALS,
    READING_COST,
    UNCOMPARED,
)
from zkit.repair.moves import ending, tokens
from zkit.repair.moves.after_value import after_root, at_next, early_closer
from zkit.repair.moves.bare import read_bare
from zkit.repair.search.hypothesis import (
    CLOSERS,
    DONE,
    KEY,
    LATER,
    NEXT,
    VALUE,
    Arrived,
    Closed,
    Frame,
    Hypothesis,
)
from zkit.repair.strict_parse import strict
from zkit.text import lexis
from zkit.text.comments import COMMENT_OPENS

_SPACES = frozenset(" \t\n\r")
_LITERALS = {"True": "true", "TRUE": "true", "False": "false", "FALSE": "false"}


# A heap of hypotheses: the lowest rank and cost first, then the one that has read furthest.
_Agenda = list[tuple[int, int, int, int, Hypothesis]]


def _is_due_list(frame: Frame) -> bool:
    """True if the schema expects a list here: then parentheses around one item are a list.

    Otherwise they are an expression, or a tuple without its comma (corpus/repair/python_repr.toml).
    """
    return frame.expect.only("array")


class Engine:
    """The search for one value of `text`, with the state that its hypotheses share."""

    __slots__ = (
        "_budget", "_items", "_members", "_misses", "_most_cost", "_queued", "_trials", "finish_reason", "guided",
        "limit", "needed", "reason", "size", "start", "stuck", "text", "token",
    )  # fmt: skip

    def __init__(
        self,
        text: str,
        start: int,
        want: Expect,
        limit: Rank,
        finish_reason: str | None,
    ) -> None:
        self.text = text
        self.start = start
        self.size = size = len(text)
        self.guided = want is not ANYTHING
        self.limit = limit
        self.finish_reason = finish_reason
        self.reason = "damaged"
        # The furthest place where a hypothesis failed.
        self.stuck = 0
        # The lowest rank above the limit that a hypothesis needed.
        self.needed: Rank | None = None
        # The string looked up last, with the place of its opening quote.
        self.token: tuple[int, lexis.Token | None] = (-1, None)
        self._budget = 16384 + size
        self._most_cost = min(2 * (FREE_FIXES + size // CHARACTERS_PER_FIX), MOST_COST)
        self._trials = MOST_TRIALS
        self._queued = 0
        # How many times in a row no run of valid members was found.
        self._misses = 0
        self._members = lexis.members()
        self._items = lexis.items()

    def save(self, tries: int) -> None:
        """Shrink the budget after failed searches: to a half after one, to a third after two, and so on."""
        self._budget //= 1 + tries

    def spend(self, characters: int) -> bool:
        """Charge the budget for reading so many characters; False when it is used up."""
        self._budget -= characters >> 6
        return self._budget > 0

    def string_at(self, pos: int) -> lexis.Token | None:
        """Return the string that opens at `pos`, up to its first unescaped closer; None if it has none."""
        if self.token[0] != pos:
            self.token = (pos, lexis.string_at(self.text, pos))
        return self.token[1]

    # ── the search ────────────────────────────────────────────────────────────

    def search(self, first: Hypothesis) -> list[Hypothesis]:
        """Return the complete hypotheses of lowest rank and cost: several if they tie, an empty list if none is complete."""
        agenda: _Agenda = []
        self._queue(agenda, self._advance(first))
        best: list[Hypothesis] = []
        arrived: Arrived | None = None
        most = min(self.size // CHARACTERS_PER_READING, MOST_READINGS + (self.size >> 8))
        for taken in range(FREE_READINGS + most):
            if not agenda or (best and agenda[0][:2] > best[0].priority) or self._budget <= 0:
                break
            reading = heappop(agenda)[4]
            place = reading.place
            if taken > UNCOMPARED and place < DONE:
                arrived = arrived or Arrived()
                if arrived.has_better(reading):
                    continue
            if place == DONE or (place != LATER and self._is_whole(reading)):
                best.append(reading)
            else:
                self._budget -= READING_COST
                others = reading.others() if place == LATER else self._advance(reading)
                self._queue(agenda, others)
        return best

    def _is_whole(self, reading: Hypothesis) -> bool:
        """True if the rest of the text is valid: then the hypothesis is complete without another step."""
        if not self._trials:
            return False
        self._trials -= 1
        json = reading.json(self.text, self.start, self.size)
        never = "\\" in json and lexis.NEVER_MEANT.search(json, reading.pos)
        value = None if never else strict(json)
        if value is None:
            return False
        reading.whole = (json, value)
        reading.go(self.size, DONE)
        return True

    def _queue(self, agenda: _Agenda, readings: list[Hypothesis]) -> None:
        """Add the hypotheses to the agenda that are within the limit and not too expensive."""
        for reading in readings:
            rank, cost = reading.rank, reading.cost
            if rank > self.limit:
                if self.needed is None or rank < self.needed:
                    self.needed = reading.rank
            elif cost <= self._most_cost:
                self._queued += 1
                heappush(agenda, (rank, cost, -reading.pos, self._queued, reading))

    def _advance(self, reading: Hypothesis) -> list[Hypothesis]:
        """Step until the value ends or a step finds damage; return the hypotheses to queue."""
        while self._budget > 0 and reading.cost <= self._most_cost:
            self._budget -= 1
            place = reading.place
            if place == KEY:
                others = self._at_key(reading)
            elif place == VALUE:
                others = self._at_value(reading)
            elif place == NEXT:
                others = self._at_next(reading)
            else:
                return [reading]
            if others is not None:
                if reading.pos > self.stuck:
                    self.stuck = reading.pos
                return others
        return []

    # ── steps: None means "go on", a list means "these instead" ───────────────

    def _at_key(self, reading: Hypothesis) -> list[Hypothesis] | None:
        pos = reading.pos
        if self._misses < 3:
            run = self._members.match(self.text, pos)
            self._misses += 1
            if run is not None and run.end() > pos:
                self._misses = 0
                if self.guided and reading.frame:
                    reading.want = reading.frame.expect.child(run.group("key")[1:-1])
                self._pass(reading, run)
                return None
        match = lexis.MEMBER.match(self.text, pos)
        if match is None:
            return tokens.odd_key(self, reading)
        return self._member(reading, match)

    def _pass(self, reading: Hypothesis, run: re.Match[str]) -> None:
        """Pass over a run of valid members or items."""
        end = run.end()
        self._budget -= (end - reading.pos) >> 6
        reading.remember(run.start("at"))
        reading.safe = run.end("end")
        reading.pos = end
        if self.text[end - 1] != ",":
            reading.place = NEXT

    def _member(self, reading: Hypothesis, match: re.Match[str]) -> list[Hypothesis] | None:
        """Read a member whose key, and perhaps its value, is in one of the common spellings."""
        key, single, bare, colon, _, *value, nothing = match.groups()
        if single is not None:
            reading.note("use_double_quotes", match.start(2) - 1, match.end(2) + 1, f'"{single}"')
        elif bare is not None:
            reading.note("quote_key", match.start(3), match.end(3), f'"{bare}"')
        if colon != ":":
            reading.note("use_colon", match.start(4), match.end(4), ":")
        if self.guided:
            name = key[1:-1] if key else single or bare or ""
            reading.want = reading.frame.expect.child(name) if reading.frame else ANYTHING
        if nothing is not None:
            reading.go(match.start(5), VALUE)
            return None
        return self._loose(reading, match, 5, value)

    def _loose(
        self, reading: Hypothesis, match: re.Match[str], first: int, value: list[str | None]
    ) -> list[Hypothesis] | None:
        """Read a value in one of the common spellings; its groups begin after `first`."""
        plain, single, word, comma, opener = value
        start, frame = match.start(first), reading.frame
        if opener is not None:
            return self.open(reading, start, opener)
        in_object = frame is not None and frame.kind == "{"
        if word == "undefined" and self.guided and in_object:
            return read_bare(self, reading, start)
        reading.remember(start)
        reading.safe = match.end(first + 1) if plain is not None else match.end(first + 3)
        if single is not None:
            reading.safe = match.end(first + 2) + 1
            reading.note("use_double_quotes", start, reading.safe, f'"{single}"')
        elif word is not None:
            self._literal(reading, word, start)
        reading.pos = match.end()
        reading.place = NEXT if comma is None else KEY if in_object else VALUE
        return None

    def _literal(self, reading: Hypothesis, word: str, start: int) -> None:
        """Respell a literal of another language: `None` is null, also where the schema expects a string."""
        reading.note("respell_literal", start, start + len(word), _LITERALS.get(word, "null"))

    def _at_value(self, reading: Hypothesis) -> list[Hypothesis] | None:
        pos, frame = reading.pos, reading.frame
        if frame is None and self.text[pos : pos + 1] in ("{", "["):
            return self.open(reading, pos, self.text[pos])
        if frame is None or frame.kind == "{":
            return tokens.odd_value(self, reading)
        if self.guided:
            reading.want = frame.expect.item()
        run = self._items.match(self.text, pos)
        if run is not None and run.end() > pos:
            self._pass(reading, run)
            return None
        match = lexis.ITEM.match(self.text, pos)
        if match is None or (match.group(4) and not reading.want.takes("null")):
            return tokens.odd_value(self, reading)
        return self._loose(reading, match, 1, list(match.groups()[1:]))

    def _at_next(self, reading: Hypothesis) -> list[Hypothesis] | None:
        frame, pos = reading.frame, reading.pos
        if frame is None:
            return after_root(self, reading)
        mark = self.text[pos : pos + 1]
        if mark in _SPACES:
            pos = lexis.skip_spaces(self.text, pos)
            mark = self.text[pos : pos + 1]
        if mark == ",":
            reading.pos = pos + 1
            reading.place = KEY if frame.kind == "{" else VALUE
            return None
        if mark == frame.closer:
            return self.close(reading, pos)
        if not mark:
            return ending.after_value(self, reading)
        if tokens.skip(self, reading):
            return None
        return tokens.odd_mark(self, reading, pos) or at_next(self, reading, pos)

    # ── containers ────────────────────────────────────────────────────────────

    def open(self, reading: Hypothesis, pos: int, mark: str) -> list[Hypothesis] | None:
        """Read on inside the container that opens at `pos`."""
        reading.remember(pos)
        frame = reading.frame
        if frame is not None and frame.depth >= MAX_DEPTH:
            self.reason = "too_deep"
            return []
        if mark == "(":
            if lexis.KEY_AHEAD.match(self.text, pos + 1):
                return []
            reading.note("list_for_tuple", pos, pos + 1, "[")
        self.enter(reading, pos, mark)
        return None

    def enter(self, reading: Hypothesis, pos: int, mark: str, *, invented: bool = False) -> None:
        """Move inside the container that `mark` opens at `pos`."""
        frame = reading.frame
        depth = frame.depth + 1 if frame else 1
        reading.frame = tuple.__new__(
            Frame, (frame, mark, CLOSERS[mark], reading.want, pos, depth, False, invented)
        )
        reading.pos = reading.safe = pos + 1
        reading.place = KEY if mark == "{" else VALUE

    def close(self, reading: Hypothesis, pos: int) -> list[Hypothesis] | None:
        """Close the innermost container; drop a comma before the closer."""
        frame = reading.frame
        assert frame is not None
        if reading.place != NEXT:
            self.drop_trailing_comma(reading, pos)
        elif frame.kind == "(" and self._is_first(reading, frame) and not _is_due_list(frame):
            self.reason = "expression"
            return []
        if frame.parent is None and pos + 1 < self.size:
            others = early_closer(self, reading, pos)
            if others is not None:
                return others
        if frame.kind == "(":
            reading.note("list_for_tuple", pos, pos + 1, "]")
        self.leave(reading, pos)
        if frame.doubled:
            self._drop_doubled(reading)
        return None

    def _is_first(self, reading: Hypothesis, frame: Frame) -> bool:
        """True if the last value is the first one of its container."""
        if reading.recent:
            return reading.recent[0].safe == frame.start + 1
        begun = reading.edits[1].start if reading.edits else 0  # a string that was read again
        return not self.text[frame.start + 1 : begun].strip()

    def _drop_doubled(self, reading: Hypothesis) -> None:
        """Drop the second of two closing braces."""
        again = lexis.skip_blank(self.text, reading.pos)
        if self.text.startswith("}", again):
            reading.note("drop_doubled_brace", again, again + 1, "")
            reading.settle(again + 1)

    def drop_trailing_comma(self, reading: Hypothesis, pos: int) -> None:
        """Drop the comma between the last value and `pos`, if there is one."""
        comma = self.text.rfind(",", reading.safe, pos)
        if comma < 0 or reading.has_changed(comma):
            return
        if not COMMENT_OPENS.search(self.text, reading.safe, comma):
            reading.note("drop_trailing_comma", comma, comma + 1, "")

    def leave(self, reading: Hypothesis, pos: int) -> None:
        """Move past the container whose closer is at `pos`."""
        frame = reading.frame
        assert frame is not None
        reading.closed = tuple.__new__(Closed, (frame, pos))
        reading.frame = frame.parent
        reading.settle(pos + 1)
        reading.want = frame.expect
