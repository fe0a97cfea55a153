"""Edits of a text, and the places in it that messages show."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from typing import NamedTuple


class Edit(NamedTuple):
    """`text[start:end]` becomes `new`."""

    start: int
    end: int
    new: str


def apply_edits(text: str, edits: Iterable[tuple[int, int, str]], until: int | None = None) -> str:
    """Apply edits that are sorted and do not overlap; what comes after `until` is left out."""
    pieces: list[str] = []
    at = 0
    for start, end, new in edits:
        pieces += (text[at:start], new)
        at = end
    pieces.append(text[at:until])
    return "".join(pieces)


class Layer(NamedTuple):
    """A text that was made from another one by edits, with the way back for positions."""

    text: str
    edits: Sequence[Edit]
    # Where in `text` the replacement of each edit begins.
    starts: Sequence[int]

    @classmethod
    def over(cls, source: str, edits: Sequence[Edit], until: int | None = None) -> Layer:
        """Apply `edits` to `source`, up to a place of it, and remember how places map back."""
        starts: list[int] = []
        drift = 0
        for start, end, new in edits:
            starts.append(start + drift)
            drift += len(new) - (end - start)
        return cls(apply_edits(source, edits, until), edits, starts)

    def between(self, start: int, end: int) -> range:
        """Return the indexes of the edits between two places of the source."""
        first = bisect_left(self.edits, (start,))
        last = bisect_right(self.edits, end, lo=first, key=lambda edit: edit.end)
        return range(first, last)

    def place_of(self, at: int) -> int | None:
        """Return the place in `text` of a place of the source; None if an edit covers it."""
        index = bisect_left(self.edits, (at,)) - 1
        if index < 0:
            return at
        edit = self.edits[index]
        if edit.end > at:
            return None
        return self.starts[index] + len(edit.new) + at - edit.end

    def source_start(self, at: int) -> int:
        """Return the place in the source of `text[at]`, or the beginning of the edit that made it."""
        index = bisect_right(self.starts, at) - 1
        if index < 0:
            return at
        edit, began = self.edits[index], self.starts[index]
        inside = at - began
        return edit.start if inside < len(edit.new) else edit.end + inside - len(edit.new)

    def source_end(self, at: int) -> int:
        """Return the place in the source just after `text[at - 1]`."""
        if at == 0:
            return 0
        index = bisect_right(self.starts, at - 1) - 1
        if index < 0:
            return at
        edit, began = self.edits[index], self.starts[index]
        inside = at - 1 - began
        return edit.end if inside < len(edit.new) else edit.end + inside - len(edit.new) + 1


EXCERPT = 60


class Place(NamedTuple):
    """A line and a column, both counted from one, as an editor shows them."""

    line: int
    column: int


def place_of(text: str, at: int) -> Place:
    """Return the line and column of the character at offset `at`."""
    at = min(max(at, 0), len(text))
    return Place(text.count("\n", 0, at) + 1, at - (text.rfind("\n", 0, at) + 1) + 1)


def printable(text: str) -> str:
    """Return the text on one line, with one printable character for each character."""
    if text.isprintable():
        return text
    return "".join(_SHOWN.get(ch, ch if ch.isprintable() else "\ufffd") for ch in text)


def excerpt(
    text: str, start: int, end: int | None = None, *, width: int = EXCERPT
) -> tuple[str, str]:
    """Return the line around a span, shortened to `width`, and a line of carets under the span."""
    end = start if end is None else end
    line_start = text.rfind("\n", 0, start) + 1
    line_end = text.find("\n", start)
    line_end = len(text) if line_end < 0 else line_end
    left = max(line_start, start - width // 2)
    right = min(line_end, left + width)
    left = max(line_start, min(left, right - width))
    before, after = ("…" if left > line_start else ""), ("…" if right < line_end else "")
    shown = printable(text[left:right])
    carets = max(1, min(end, right) - start)
    return before + shown + after, " " * (len(before) + start - left) + "^" * carets


_SHOWN = {"\n": "⏎", "\r": "␍", "\t": "␉", "\x00": "␀", "\u00a0": "␣", "\ufeff": "␣", "\u200b": "␣"}
