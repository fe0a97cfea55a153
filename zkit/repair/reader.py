"""The tolerant reader: a damaged text in, the cheapest readings of it out.

A reading goes forward by steps and notes each liberty it takes as an edit of the text. Sound
stretches are passed over by one pattern. Where no step is possible there is trouble: `recover`
offers other ways to go on, each with its rank and cost, and the cheapest reading is taken up
next. Nothing is ever decoded here: the edits make strict JSON of the text, and the strict
parser reads that.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from itertools import count

from zkit.repair import ending, recover
from zkit.repair.bare import read_bare
from zkit.repair.expect import ANYTHING, Expect
from zkit.repair.fixes import CHARACTERS_PER_FIX, FREE_FIXES, MAX_DEPTH
from zkit.repair.outcome import Rank
from zkit.repair.reading import CLOSERS, DONE, KEY, LATER, NEXT, VALUE, Closed, Frame, Reading
from zkit.repair.strings import respell
from zkit.text import lexis

FREE_READINGS = 300
CHARACTERS_PER_READING = 4
"""How many readings are taken up at most: the free ones, and one for so many characters."""
_NOTHING_TO_SKIP = frozenset("\"'{}[]:,0123456789-")
_SPACES = frozenset(" \t\n\r")
_LITERALS = {"True": "true", "TRUE": "true", "False": "false", "FALSE": "false"}


class Reader:
    """Reads one value of `text`; keeps what the readings share."""

    __slots__ = (
        "_budget", "_items", "_members", "_misses", "_most_cost", "careful", "finish_reason", "guided", "limit",
        "needed", "reason", "size", "stuck", "text",
    )  # fmt: skip

    def __init__(
        self, text: str, want: Expect, limit: Rank, finish_reason: str | None, careful: bool
    ) -> None:
        self.text = text
        self.size = size = len(text)
        self.guided = want is not ANYTHING
        self.careful = careful
        self.limit = limit
        self.finish_reason = finish_reason
        self.reason = "damaged"
        self.stuck = 0
        """The furthest place where a reading found no way on."""
        self.needed: Rank | None = None
        """The lowest rank that was asked for and is above the limit."""
        self._budget = 4096 + size // 2
        self._most_cost = 2 * (FREE_FIXES + size // CHARACTERS_PER_FIX)
        self._misses = 0
        """How many times in a row a run of sound members was looked for in vain."""
        self._members = lexis.members()
        self._items = lexis.items()

    def spend(self, characters: int) -> bool:
        """Charge a look over so many characters; False when there is nothing left to spend."""
        self._budget -= characters >> 6
        return self._budget > 0

    # ── the search ────────────────────────────────────────────────────────────

    def search(self, first: Reading) -> Iterator[list[Reading]]:
        """The complete readings, those of least misfit, rank and cost first; a tie comes as one list."""
        others = self._advance(first)
        agenda: list[tuple[tuple[int, int, int], int, int, Reading]] = []
        order = count()
        best: list[Reading] = []
        for _ in range(FREE_READINGS + self.size // CHARACTERS_PER_READING):
            for other in self._allowed(others):
                heapq.heappush(agenda, (other.priority, -other.pos, next(order), other))
            if best and (not agenda or agenda[0][0] > best[0].priority):
                yield best
                best = []
            if not agenda:
                return
            reading = heapq.heappop(agenda)[3]
            if reading.place == DONE:
                best.append(reading)
                others = []
            else:
                others = reading.others() if reading.place == LATER else self._advance(reading)
        if best:
            yield best

    def _allowed(self, readings: list[Reading]) -> list[Reading]:
        """The readings that may be taken up: within the limit and not made of repairs alone."""
        for reading in readings:
            if reading.rank > self.limit and (self.needed is None or reading.rank < self.needed):
                self.needed = reading.rank
        return [r for r in readings if r.rank <= self.limit and r.cost <= self._most_cost]

    def _advance(self, reading: Reading) -> list[Reading]:
        """Step until the value ends or there is trouble; what to take up next."""
        while self._budget > 0:
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
                self.stuck = max(self.stuck, reading.pos)
                return others
        return []

    # ── steps: None means "go on", a list means "these instead" ───────────────

    def _at_key(self, reading: Reading) -> list[Reading] | None:
        pos = reading.pos
        if not self.careful and self._misses < 3:
            run = self._members.match(self.text, pos)
            self._misses += 1
            if run is not None and run.end() > pos:
                self._misses = 0
                if self.guided and reading.frame:
                    reading.want = reading.frame.expect.child(run.group("key")[1:-1])
                return self._passed(reading, run.start("at"), run.end("end"), run.end())
        match = lexis.MEMBER.match(self.text, pos)
        return self._odd_key(reading) if match is None else self._member(reading, match)

    def _passed(self, reading: Reading, value: int, safe: int, end: int) -> None:
        """Pass over a run of sound members or items."""
        self._budget -= (end - reading.pos) >> 6
        reading.remember(value)
        reading.safe = safe
        reading.pos = end
        if self.text[end - 1] != ",":
            reading.place = NEXT

    def _member(self, reading: Reading, match: lexis.re.Match[str]) -> list[Reading] | None:
        key, single, bare, colon, _, *value, nothing = match.groups()
        if key is None:
            if single is not None:
                reading.note(
                    "use_double_quotes", match.start(2) - 1, match.end(2) + 1, f'"{single}"'
                )
            else:
                reading.note("quote_key", match.start(3), match.end(3), f'"{bare}"')
        if colon != ":":
            reading.note("use_colon", match.start(4), match.end(4), ":")
        if self.guided:
            others = self._known(reading, key[1:-1] if key else single or bare or "", match.end(4))
            if others is not None:
                return others
        if nothing is not None:
            reading.go(match.start(5), VALUE)
            return None
        return self._loose(reading, match, 5, value)

    def _known(self, reading: Reading, key: str, after: int) -> list[Reading] | None:
        """Note what is expected under `key`; trouble when a closed object does not know it."""
        expect = reading.frame.expect if reading.frame else ANYTHING
        reading.want = expect.child(key)
        if (
            self.careful
            and key not in expect.keys
            and recover.strange(self.text, reading.frame, key)
        ):
            return recover.unknown_key(self, reading, key, after)
        return None

    def _loose(
        self, reading: Reading, match: lexis.re.Match[str], first: int, value: list[str | None]
    ) -> list[Reading] | None:
        """A value in one of the common spellings; its groups begin after `first`."""
        plain, single, word, comma, opener = value
        start = match.start(first)
        if opener is not None:
            return self._open(reading, start, opener)
        reading.remember(start)
        if single is not None:
            reading.note("use_double_quotes", start, start + len(single) + 2, f'"{single}"')
        elif word == "undefined" and self.guided and reading.frame and reading.frame.kind == "{":
            return read_bare(self, reading, start)
        elif word is not None:
            self._literal(reading, word, start)
        if (
            self.careful
            and plain is not None
            and (others := recover.misfit(self, reading, plain, start)) is not None
        ):
            return others
        end = match.end()
        reading.safe = match.end(first + 1) if plain is not None else match.end(first + 3)
        if single is not None:
            reading.safe = match.end(first + 2) + 1
        reading.pos = end
        reading.place = (
            NEXT if comma is None else KEY if reading.frame and reading.frame.kind == "{" else VALUE
        )
        return None

    def _literal(self, reading: Reading, word: str, start: int) -> None:
        """A literal of another language as JSON, or as text where only text may stand."""
        if self.guided and reading.want.kinds == {"string"}:
            reading.note("quote_phrase", start, start + len(word), f'"{word}"')
        else:
            reading.note("respell_literal", start, start + len(word), _LITERALS.get(word, "null"))

    def _at_value(self, reading: Reading) -> list[Reading] | None:
        pos, frame = reading.pos, reading.frame
        if frame is None and self.text[pos : pos + 1] in ("{", "["):
            return self._open(reading, pos, self.text[pos])
        if frame is not None and frame.kind != "{":
            if self.guided:
                reading.want = frame.expect.item()
            if not self.careful:
                run = self._items.match(self.text, pos)
                if run is not None and run.end() > pos:
                    return self._passed(reading, run.start("at"), run.end("end"), run.end())
            match = lexis.ITEM.match(self.text, pos)
            if match is not None and not (
                self.guided and match.group(4) and not reading.want.takes("null")
            ):
                return self._loose(reading, match, 1, list(match.groups()[1:]))
        return self._odd_value(reading)

    def _at_next(self, reading: Reading) -> list[Reading] | None:
        frame, pos = reading.frame, reading.pos
        if frame is None:
            return recover.after_root(self, reading)
        mark = self.text[pos : pos + 1]
        if mark in _SPACES:
            pos = lexis.SPACES.match(self.text, pos).end()  # type: ignore[union-attr]
            mark = self.text[pos : pos + 1]
        if mark == ",":
            reading.pos = pos + 1
            reading.place = KEY if frame.kind == "{" else VALUE
            return None
        if mark == frame.closer:
            return self._close(reading, pos)
        if self._skip(reading):
            return None
        if not mark:
            return ending.after_value(self, reading)
        if lexis.LAST_COMMENT.match(self.text, pos):
            return ending.in_comment(self, reading, pos)
        if mark in "，、；":
            reading.note("use_comma", pos, pos + 1, ",").go(
                pos + 1, KEY if frame.kind == "{" else VALUE
            )
            return None
        if mark == "+" and (joined := self._join(reading, pos)) is not None:
            return joined
        if mark in ".…" and self._ellipsis(reading, pos):
            return None
        return recover.at_next(self, reading, pos)

    # ── odd spellings, one reading each ───────────────────────────────────────

    def _skip(self, reading: Reading) -> bool:
        """Drop odd white space and a comment; True when there was something to drop."""
        pos = reading.pos
        mark = lexis.SPACES.match(self.text, pos)
        if mark is not None and self.text[mark.end() : mark.end() + 1] in _NOTHING_TO_SKIP:
            return False
        odd = lexis.ODD_RUN.match(self.text, pos)
        if odd is not None:
            end = odd.end()
            reading.note("plain_space", pos, end, " ")
        else:
            pos = lexis.BLANK.match(self.text, pos).end()  # type: ignore[union-attr]
            comment = lexis.COMMENT.match(self.text, pos)
            if comment is None or (
                reading.place == VALUE and self.text[pos] == "#" and not self._is_comment(pos)
            ):
                return False
            end = comment.end()
            if reading.place == NEXT and self._in_string(reading, comment.group()):
                return False
            if end == self.size and reading.frame is not None:
                return False
            reading.note("drop_comment", pos, end, "")
        if reading.safe == reading.pos:
            reading.safe = end
        reading.pos = end
        return True

    def _in_string(self, reading: Reading, comment: str) -> bool:
        """After a string, a comment that holds an odd number of quotes is the rest of the string."""
        return (
            self.text[reading.safe - 1] in "\"'"
            and comment.count('"') % 2 == 1
            and comment[:2] != "/*"
        )

    def _is_comment(self, pos: int) -> bool:
        """After a colon `#fff` is a value; `# why` before a line break is a comment."""
        return self.text[pos + 1 : pos + 2] == " " and "\n" in self.text[pos:]

    def _odd_key(self, reading: Reading) -> list[Reading] | None:
        frame = reading.frame
        assert frame is not None
        pos = lexis.SPACES.match(self.text, reading.pos).end()  # type: ignore[union-attr]
        mark = self.text[pos : pos + 1]
        if not mark:
            return ending.before_key(self, reading)
        if self._skip(reading):
            return None
        if lexis.LAST_COMMENT.match(self.text, pos):
            return ending.in_comment(self, reading, pos)
        if mark == "}":
            return recover.wrong_first_quote(self, reading, pos) or self._close(reading, pos)
        if mark == "," and self._drop_comma(reading, pos):
            return None
        if mark in ".…" and self._ellipsis(reading, pos):
            return None
        if (
            mark == "{"
            and reading.pos == frame.start + 1
            and lexis.DOUBLED_BRACE.match(self.text, pos + 1)
        ):
            reading.note("drop_doubled_brace", pos, pos + 1, "")
            reading.frame = frame._replace(doubled=True)
            reading.pos = reading.safe = pos + 1
            return None
        if mark in lexis.QUOTES or self.text.startswith('\\"', pos):
            return self._quoted_key(reading, pos)
        prefix = lexis.PREFIX.match(self.text, pos)
        if prefix is not None:
            reading.note("use_double_quotes", pos, prefix.end(), "")
            reading.pos = prefix.end()
            return None
        return self._number_key(reading, pos) or recover.at_key(self, reading, pos)

    def _drop_comma(self, reading: Reading, pos: int) -> bool:
        reading.note("drop_comma", pos, pos + 1, "")
        reading.pos = pos + 1
        return True

    def _ellipsis(self, reading: Reading, pos: int) -> bool:
        """Drop `...` with one comma beside it."""
        dots = lexis.ELLIPSIS.match(self.text, pos)
        if dots is None:
            return False
        end = dots.end()
        frame = reading.frame
        last = lexis.CLOSER.match(self.text, end) is not None or not self.text[end:].strip()
        first = frame is not None and reading.safe == frame.start + 1
        if first == last:
            return False
        comma = lexis.COMMA.match(self.text, end) if first else None
        end = comma.end() if comma else end
        reading.note("drop_ellipsis", pos, end, "")
        reading.pos = end
        return True

    def _number_key(self, reading: Reading, pos: int) -> list[Reading] | None:
        """A bare number as a key becomes the text of it."""
        match = lexis.NUMBER_KEY.match(self.text, pos)
        if match is None:
            return None
        other = reading.fork().note("quote_key", pos, match.end(1), f'"{match.group(1)}"')
        if self.guided and other.frame:
            other.want = other.frame.expect.child(match.group(1))
        return [other.go(match.end(), VALUE)]

    def _quoted_key(self, reading: Reading, pos: int) -> list[Reading] | None:
        """A key in quotes of any kind, with content of any kind, and its colon."""
        token = lexis.string_at(self.text, pos)
        if token is None:
            return ending.in_key(self, reading, pos)
        colon = lexis.COLON_AFTER.match(self.text, token.end)
        if colon is None:
            return recover.at_key_string(self, reading, pos, token.end)
        body = respell(token.body, token.quote)
        if body is None:
            return recover.at_key(self, reading, pos)
        others = (
            [*recover.at_key(self, reading.fork(), pos)]
            if body.rank >= Rank.GUESS or token.quote == "\\"
            else []
        )
        if token.quote != '"' or body.body != token.body:
            reading.note("use_double_quotes", pos, token.end, f'"{body.body}"', body.note)
        if colon.group(1).strip(" \t\r\n"):
            name = "drop_comment" if "/" in colon.group(1) else "plain_space"
            reading.note(name, colon.start(1), colon.end(1), "")
        if colon.group(2) != ":":
            reading.note("use_colon", colon.start(2), colon.end(2), ":")
        reading.go(colon.end(), VALUE)
        found = self._known(reading, token.body, colon.end()) if self.guided else None
        return [*others, *found] if found is not None else [reading, *others] if others else None

    def _odd_value(self, reading: Reading) -> list[Reading] | None:
        if self._skip(reading):
            return None
        pos = lexis.BLANK.match(self.text, reading.pos).end()  # type: ignore[union-attr]
        mark = self.text[pos : pos + 1]
        frame = reading.frame
        if not mark:
            return ending.before_value(self, reading)
        if (
            lexis.LAST_COMMENT.match(self.text, pos)
            and frame is not None
            and self.text[pos] in "/."
        ):
            return ending.in_comment(self, reading, pos)
        if mark in "{[" or (mark == "(" and frame is not None):
            return self._open(reading, pos, mark)
        if mark in lexis.QUOTES or self.text.startswith('\\"', pos):
            return self._string(reading, pos)
        if frame is None and mark == "(":
            return []
        if frame is not None and frame.kind != "{":
            if mark == frame.closer:
                return self._close(reading, pos)
            if mark in "}])":
                return recover.closer_for_value(self, reading, pos)
            if (mark == "," and self._drop_comma(reading, pos)) or (
                mark in ".…" and self._ellipsis(reading, pos)
            ):
                return None
        if mark in ":=" and frame is not None and frame.kind == "{":
            reading.note("drop_colon", pos, pos + 1, "")
            reading.pos = pos + 1
            return None
        return read_bare(self, reading, pos)

    def _string(self, reading: Reading, pos: int) -> list[Reading] | None:
        """A value in quotes of any kind, up to its first unescaped closer."""
        reading.remember(pos)
        token = lexis.string_at(self.text, pos)
        if token is None:
            return (
                ending.in_string(self, reading, pos)
                if self.text[pos] != "\\"
                else read_bare(self, reading, pos)
            )
        body = respell(token.body, token.quote)
        if body is None:
            self.reason = "ambiguous"
            return recover.reread(self, reading, token.end)
        if token.quote != '"' or body.body != token.body:
            name = body.name if token.quote == '"' else "use_double_quotes"
            name = body.name if body.rank >= Rank.GUESS else name
            reading.note(name, pos, token.end, f'"{body.body}"', body.note)
        if self.careful and (others := recover.misfit(self, reading, '"', pos)) is not None:
            return others
        reading.settle(token.end)
        return None

    def _join(self, reading: Reading, plus: int) -> list[Reading] | None:
        """Join `"a" + "b"`: drop the quotes and the plus between two strings; None without two."""
        pos = lexis.BLANK.match(self.text, plus + 1).end()  # type: ignore[union-attr]
        if self.text[pos : pos + 1] not in ('"', "'", "`"):
            return None
        start, head, edits = reading.pos - 1, "", reading.edits
        if edits is not None and edits[1].end == reading.pos:
            edits, last = edits
            start, head = last.start, last.new[:-1]
        elif self.text[start] != '"':
            return None
        token = lexis.string_at(self.text, pos)
        body = respell(token.body, token.quote) if token is not None else None
        reading.edits = edits
        if token is None:
            return ending.in_joined_string(self, reading, pos, start, head)
        if body is None:
            return []
        reading.note("join_strings", start, token.end, f'{head}{body.body}"')
        reading.settle(token.end)
        return [reading]

    # ── containers ────────────────────────────────────────────────────────────

    def _open(self, reading: Reading, pos: int, mark: str) -> list[Reading] | None:
        reading.remember(pos)
        frame = reading.frame
        depth = frame.depth + 1 if frame else 1
        if depth > MAX_DEPTH:
            self.reason = "too_deep"
            return []
        if mark == "(":
            if lexis.KEY_AHEAD.match(self.text, pos + 1):
                return []
            reading.note("list_for_tuple", pos, pos + 1, "[")
        if self.careful and (others := recover.misfit(self, reading, mark, pos)) is not None:
            return others
        self.enter(reading, pos, mark)
        return None

    def enter(self, reading: Reading, pos: int, mark: str, *, invented: bool = False) -> None:
        """Stand inside the container that `mark` opens at `pos`."""
        frame = reading.frame
        depth = frame.depth + 1 if frame else 1
        reading.frame = tuple.__new__(
            Frame, (frame, mark, CLOSERS[mark], reading.want, pos, depth, False, invented)
        )
        reading.pos = reading.safe = pos + 1
        reading.place = KEY if mark == "{" else VALUE

    def _close(self, reading: Reading, pos: int) -> list[Reading] | None:
        """Close the innermost container, dropping a comma that stands before the closer."""
        frame = reading.frame
        assert frame is not None
        if reading.place != NEXT:
            self.drop_trailing_comma(reading, pos)
        if (
            frame.parent is None
            and pos + 1 < self.size
            and (others := recover.early_closer(self, reading, pos)) is not None
        ):
            return others
        if frame.kind == "(":
            if reading.place == NEXT and reading.recent[0].safe == frame.start + 1:
                self.reason = "expression"
                return []
            reading.note("list_for_tuple", pos, pos + 1, "]")
        self.leave(reading, pos)
        again = lexis.BLANK.match(self.text, pos + 1).end() if frame.doubled else 0  # type: ignore[union-attr]
        if frame.doubled and self.text.startswith("}", again):
            reading.note("drop_doubled_brace", again, again + 1, "")
            reading.settle(again + 1)
        return None

    def drop_trailing_comma(self, reading: Reading, pos: int) -> None:
        """Note the comma between the last value and `pos`, when there is one."""
        comma = self.text.rfind(",", reading.safe, pos)
        if comma >= 0 and not lexis.COMMENT.search(self.text, reading.safe, comma):
            reading.note("drop_trailing_comma", comma, comma + 1, "")

    def leave(self, reading: Reading, pos: int) -> None:
        """Stand after the container whose closer is at `pos`."""
        frame = reading.frame
        assert frame is not None
        reading.closed = tuple.__new__(Closed, (frame, pos))
        reading.frame = frame.parent
        reading.settle(pos + 1)
        reading.want = frame.expect
