"""The text of a reply while it arrives in chunks.

Parsers are generators. They search the tape for a mark or match a pattern at a position, and the
tape yields `WAIT` until enough text has arrived for a result that no later chunk can change.
"""

from __future__ import annotations

import re
from collections.abc import Generator
from functools import lru_cache
from io import SEEK_END, StringIO
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, TypeVar

if TYPE_CHECKING:
    import regex

Match: TypeAlias = "re.Match[str] | regex.Match[str]"
T = TypeVar("T")
# A running parser: it yields `WAIT` and events, and returns its result.
Steps = Generator[Any, None, T]

# How many characters `look` sees: more than the longest header of any format.
MOST_HEADER = 600
# How often a character may be read on average.
MOST_WORK = 8
# How many character reads any text may take, however short it is.
FREE_WORK = 100_000
# How many readings without a call any text may have, however short it is.
MOST_IN_VAIN = 2_000
# How many characters of text allow one more of them.
TEXT_FOR_ONE_MORE = 300
# How many searched characters stay in the window.
BLOCK = 2048
# The result of a search over more characters than this is cached.
WORTH_KEEPING = 256
MOST_KEPT = 256
# No mark is longer than this.
LONGEST_MARK = 96


# The text so far is not enough to decide.
WAIT = object()


class Hit(NamedTuple):
    """A mark in the text: its start, its end and the match."""

    start: int
    end: int
    match: re.Match[str]


class Tape:
    """The text so far. Only the part that is still searched is kept in one string, the window.

    All of it is in a buffer, so that 200,000 chunks of four characters cost as much as one text.
    """

    def __init__(self) -> None:
        self.size = 0
        self.final = False
        self.finish_reason: str | None = None
        # How many characters were read so far; one that was read twice counts twice.
        self.work = 0
        # How many readings held no call.
        self.in_vain = 0
        # The furthest position that was read.
        self._reach = 0
        # Patterns, and the positions between which they have no match.
        self._absent: dict[re.Pattern[str], tuple[int, int]] = {}
        self._all = StringIO()
        self._window = ""
        # Where the window begins.
        self._base = 0
        self._keep = 0

    @property
    def cut(self) -> bool:
        """True if the server cut the reply at a limit."""
        return self.finish_reason in ("length", "max_tokens", "max_output_tokens")

    @property
    def stopped(self) -> bool:
        """True if the server says that the model itself ended the reply."""
        return self.finish_reason == "stop"

    @property
    def exhausted(self) -> bool:
        """True if the text was read so often that no more closers are searched for.

        The limit depends on how far the text was read, not on how much has arrived, so that chunk
        boundaries make no difference.
        """
        return self.work > MOST_WORK * self._reach + FREE_WORK

    @property
    def hopeless(self) -> bool:
        """True if so many readings held no call that the scan gives up."""
        return self.in_vain > MOST_IN_VAIN + self._reach // TEXT_FOR_ONE_MORE

    def looked(self, start: int, end: int) -> None:
        """Count the text between two positions as read."""
        self._reach = max(self._reach, end)
        self.work += max(end - start, 0)

    def add(self, chunk: str) -> None:
        """Take the next chunk."""
        self.size += len(chunk)
        self._all.write(chunk)
        if self._keep - self._base > BLOCK:
            self._window, self._base = self._window[self._keep - self._base :], self._keep
        self._window += chunk

    def slice(self, start: int, end: int) -> str:
        """Return the text between two positions."""
        start, end = max(start, 0), min(end, self.size)
        if start >= self._base:
            return self._window[start - self._base : end - self._base]
        self._all.seek(start)
        text = self._all.read(max(end - start, 0))
        self._all.seek(0, SEEK_END)
        return text

    def window(self, pos: int) -> tuple[str, int]:
        """Return a string with everything from `pos` on, and the position where it begins.

        It includes the character before `pos`, for patterns that look back.
        """
        begin = max(pos - 1, 0)
        if begin < self._base:
            self._window, self._base = self.slice(begin, self.size), begin
        return self._window, self._base

    def wait(self, keep: int) -> Steps[None]:
        """Wait for more text; nothing before `keep` is searched again."""
        self._keep = max(keep - 1, 0)
        yield WAIT

    @property
    def last(self) -> str:
        """The last character that has arrived."""
        return self._window[-1:]

    def pass_all(self) -> int:
        """Mark all text so far as not to be searched again; return where it ends."""
        self._keep = max(self.size - 1, 0)
        return self.size

    def find(
        self, pattern: re.Pattern[str], pos: int, until: int | None = None
    ) -> Steps[Hit | None]:
        """Return the first match from `pos` on, up to `until`; None if there is none."""
        begin, absent = self._absent.get(pattern, (pos, pos))
        begin, pos = (begin, absent) if begin <= pos < absent else (pos, pos)
        searched_from = pos
        while True:
            text, base = self.window(pos)
            last = len(text) if until is None else min(until - base, len(text))
            match = pattern.search(text, pos - base, last)
            if match is not None and (self.final or match.end() + base < self.size):
                hit = Hit(match.start() + base, match.end() + base, match)
                self.looked(searched_from, hit.end)
                self._keep_absent(pattern, begin, hit.start)
                return hit
            if self.final or (until is not None and self.size > until):
                absent = self.size if until is None else until - LONGEST_MARK
                self.looked(searched_from, absent)
                self._keep_absent(pattern, begin, absent)
                return None
            reach = max(pos, self.size - LONGEST_MARK)
            pos = reach if match is None else min(reach, match.start() + base)
            yield from self.wait(pos)

    def _keep_absent(self, pattern: re.Pattern[str], begin: int, end: int) -> None:
        """Remember that no match begins between two positions."""
        if end - begin > WORTH_KEEPING:
            if len(self._absent) > MOST_KEPT:
                self._absent.clear()
            self._absent[pattern] = (begin, end)

    def look(
        self, pattern: str | regex.Pattern[str], pos: int, reach: int = MOST_HEADER
    ) -> Steps[Match | None]:
        """Return the match at `pos`; None as soon as there can be none.

        Patterns see at most `reach` characters. A pattern given as a string is compiled on first
        use; if all text has arrived and is ASCII, Python's `re` is used, so `regex` is not loaded.
        """
        if isinstance(pattern, str):
            if self.final and (text := self.slice(pos, pos + reach)).isascii():
                return _for_ascii(pattern).match(text)
            pattern = compiled(pattern)
        while True:
            text = self.slice(pos, pos + reach)
            open_end = not self.final and len(text) < reach
            match = pattern.match(text, partial=open_end)
            if match is None or not open_end:
                return match
            # The next chunk might give a longer match.
            if not match.partial and pattern.fullmatch(text, partial=True) is None:
                return match
            yield from self.wait(pos)

    def next_solid(self, pos: int) -> Steps[int]:
        """Return the first position from `pos` on that is not white space, or the end of the text."""
        hit = yield from self.find(_SOLID, pos)
        return self.size if hit is None else hit.start

    def char(self, pos: int) -> str:
        """Return the character at a position; empty at the end of the text so far."""
        return self.slice(pos, pos + 1)


@lru_cache(maxsize=1024)
def compiled(pattern: str) -> regex.Pattern[str]:
    """Return a compiled pattern that supports partial matches, for `look`."""
    import regex  # imported late: loading it costs half as much as pydantic

    return regex.compile(pattern)


@lru_cache(maxsize=1024)
def _for_ascii(pattern: str) -> re.Pattern[str] | regex.Pattern[str]:
    """Return a compiled pattern for ASCII text, where `\\s` and `\\w` mean the same in `re` and `regex`."""
    try:
        return re.compile(pattern, re.ASCII)
    except re.error:  # such as two groups of one name
        return compiled(pattern)


@lru_cache(maxsize=1024)
def searched(pattern: str) -> re.Pattern[str]:
    """Return a compiled pattern for `find`."""
    return re.compile(pattern)


_SOLID = re.compile(r"\S(?=.|\Z)", re.DOTALL)
