"""Find the line and column of an offset, and an excerpt with a caret under it."""

from __future__ import annotations

from typing import NamedTuple

EXCERPT = 60


class Place(NamedTuple):
    """A line and a column, both counted from one, as an editor shows them."""

    line: int
    column: int


def place_of(text: str, at: int) -> Place:
    """Line and column of the character at offset `at`."""
    at = min(max(at, 0), len(text))
    return Place(text.count("\n", 0, at) + 1, at - (text.rfind("\n", 0, at) + 1) + 1)


def printable(text: str) -> str:
    """The text on one line, with one printable character for each character of it."""
    if text.isprintable():
        return text
    return "".join(_SHOWN.get(ch, ch if ch.isprintable() else "\ufffd") for ch in text)


def excerpt(
    text: str, start: int, end: int | None = None, *, width: int = EXCERPT
) -> tuple[str, str]:
    """The line around a span, shortened to `width`, and a line of carets under the span."""
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
