"""Find where a bracketed value ends; brackets inside strings do not count."""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Literal, NamedTuple

from zkit.extract.tape import LONGEST_MARK, Steps, Tape, compiled
from zkit.text.blanks import skip_blank

# How strings are written; `loose` is Python with unescaped quotes inside strings.
Notation = Literal["json", "python", "loose"]
# What must follow a quote that ends a string, since quotes inside may be unescaped (Llama 3.1 8B).
_AFTER_STRING = {
    "json": re.compile(r"\s*+(?:[,:}\]]|\Z)"),
    "loose": re.compile(r"\s*+(?:[,:}\])]|\Z)"),
}
# What may follow the closing quote of a key without its colon: a value that is not a string
# (corpus/extract/damaged).
_VALUE_AFTER = (
    r"\s{0,40}+(?:(?:true|false|null|True|False|None|-?[0-9][0-9.eE+-]{0,40}+)\s{0,40}+[,}\]]"
    r"|\{\s{0,40}+[\"}]|\[\s{0,40}+[\"{\[\]0-9])"
)
_BEFORE_STRING = frozenset("{[(,:=")
_DECODER = json.JSONDecoder(parse_int=str)  # int() refuses 5,000 digits


class Extent(NamedTuple):
    """Where a bracketed value ends. `closed` is False if a stop mark or the end of the text came first.

    `open` is how many brackets were open at the end of the text. `torn` is True if a string in the
    value was not closed: the text after that string's beginning may belong to another call.
    """

    end: int
    closed: bool
    open: int = 0
    torn: bool = False


class Balance:
    """Follows brackets and strings through a text that arrives in pieces."""

    def __init__(self, notation: Notation, stop: str) -> None:
        self.depth = 0
        self.quote = ""
        self.done = False
        self.stopped = False
        self._notation = notation
        self._after = _AFTER_STRING.get(notation)
        self._outside = _outside(notation, stop)

    def run(self, text: str, at: int, final: bool) -> int:
        """Continue from `at` as far as the text allows; return the position to continue from next."""
        while not self.done:
            begun = at
            step = self._in_string if self.quote else self._outside_strings
            at, stuck = step(text, at, final)
            if stuck:
                return max(at, begun)
        return at

    def _outside_strings(self, text: str, at: int, final: bool) -> tuple[int, bool]:
        match = self._outside.search(text, at)
        if match is None:
            return (len(text) if final else max(at, len(text) - LONGEST_MARK)), True
        mark = match.group()
        if not final and match.end() == len(text) and mark not in "{}[]()":
            return match.start(), True
        if mark in "{[(":
            self.depth += 1
        elif mark in "}])":
            self.depth -= 1
            self.done = self.depth <= 0
        elif mark[0] in "\"'":
            self.quote = mark if self._after is None or _opens(text, match.start()) else ""
        else:
            self.done = self.stopped = True
            return match.start(), False
        return match.end(), False

    def _in_string(self, text: str, at: int, final: bool) -> tuple[int, bool]:
        match = _inside(self.quote).search(text, at)
        if match is None:
            held = 0 if final else len(self.quote) + 1
            return max(at, len(text) - held), True
        if match.group()[0] != "\\":
            ends = self._ends_string(text, match.end(), final)
            if ends is None:
                return match.start(), True
            self.quote = "" if ends else self.quote
        return match.end(), False

    def _ends_string(self, text: str, end: int, final: bool) -> bool | None:
        """True if the quote before `end` closes its string; None if only more text can tell."""
        if not final and end == len(text):
            return None
        if self._after is None:
            return True
        if self._after.match(text, end) is not None:
            return True if final or skip_blank(text, end) < len(text) else None
        if self._notation != "json":
            return False
        value = compiled(_VALUE_AFTER).match(text, end, partial=not final)
        return None if value is not None and value.partial else value is not None


_STRING = re.compile(r"\"(?:[^\"\\]|\\.)*+\"", re.DOTALL)


def torn_at(text: str, stop: re.Pattern[str]) -> int | None:
    """Return where a damaged value ends if one of its strings runs past the end of its envelope.

    Such a string contains a stop mark, and the quote that seems to close it opens a string of the
    next call. None if there is no such string. The length of the text if the mark may also be part
    of the string, so that nothing after it is certain (corpus/extract/ends).
    """
    at = 0
    while (found := _STRING.search(text, at)) is not None:
        at = found.end()
        if _AFTER_STRING["json"].match(text, at) or compiled(_VALUE_AFTER).match(text, at):
            continue
        while (quote := _inside('"').search(text, at)) is not None:
            at = quote.end()
            if quote.group() == '"' and _AFTER_STRING["json"].match(text, at):
                break
        marks = list(stop.finditer(text, found.start(), at))
        if marks:
            passed = marks[0].group() != marks[-1].group()
            return marks[0].start() if passed else len(text)
    return None


def _opens(text: str, at: int) -> bool:
    """True if a quote is where a JSON string may begin; an apostrophe in a comment is not."""
    return text[at] == '"' or text[max(0, at - 60) : at].rstrip()[-1:] in _BEFORE_STRING


@cache
def _outside(notation: Notation, stop: str) -> re.Pattern[str]:
    brackets = r"[{}\[\]]" if notation == "json" else r"[{}\[\]()]"
    triples = "\"{3}|'{3}|" if notation == "python" else ""
    return re.compile(rf"{brackets}|{triples}[\"']" + (f"|{stop}" if stop else ""))


@cache
def _inside(quote: str) -> re.Pattern[str]:
    return re.compile(rf"\\.|{quote}", re.DOTALL)


def extent(tape: Tape, pos: int, notation: Notation = "json", stop: str = "") -> Steps[Extent]:
    """Return where the value that opens at `pos` ends; a match of `stop` outside strings ends it too."""
    if notation == "json" and (end := _strict_end(tape, pos)) is not None:
        return Extent(end, True)
    if tape.exhausted:
        return Extent(tape.size, False)
    balance = Balance(notation, stop)
    at = pos
    while True:
        text, base = tape.window(at)
        at = balance.run(text, at - base, tape.final) + base
        if balance.done:
            tape.looked(pos, at)
            return Extent(at, not balance.stopped)
        if tape.final:
            tape.looked(pos, tape.size)
            return Extent(tape.size, False, balance.depth)
        yield from tape.wait(max(pos, at - 64))


def _strict_end(tape: Tape, pos: int) -> int | None:
    """Return the end of a valid JSON value that has arrived completely, otherwise None.

    This is the common case, and the C parser is fast.
    """
    text, base = tape.window(pos)
    try:
        return int(_DECODER.raw_decode(text, pos - base)[1]) + base
    except (ValueError, RecursionError):
        return None
