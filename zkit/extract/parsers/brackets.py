"""Find where a bracketed value ends; brackets inside strings do not count."""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Literal, NamedTuple

from zkit.extract.tape import Steps, Tape, compiled

# How strings are written: `loose` is Python with unescaped quotes inside strings, and `tokens` is
# Gemma's notation, in which tokens are quotes.
Notation = Literal["json", "python", "loose", "tokens"]
_BRACKETS = {"json": r"[{}\[\]]", "tokens": r"[{}\[\]]"}
_QUOTES = {"python": r"\"{3}|'{3}|[\"']", "tokens": r"<escape>|<\|\"\|>|(?<!\|)\""}
# What follows the closing quote of a key without its colon: a value that is not a string
# (corpus/extract/damaged).
_VALUE_AFTER = (
    r"\s{0,40}+(?:(?:true|false|null|True|False|None|-?[0-9][0-9.eE+-]{0,40}+)\s{0,40}+[,}\]]"
    r"|\{\s{0,40}+[\"}]|\[\s{0,40}+[\"{\[\]0-9])"
)
_AFTER_STRING = r"\s*+(?:[,:}\]]|\Z)"
# What must follow a quote that ends a string, since quotes inside may be unescaped (Llama 3.1 8B).
_AFTER = {"json": rf"{_AFTER_STRING}|{_VALUE_AFTER}", "loose": r"\s*+(?:[,:}\])]|\Z)"}
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


_STRING = re.compile(r"\"(?:[^\"\\]|\\.)*+\"", re.DOTALL)
_CLOSER = re.compile(rf"(?:\\.|(?!\"{_AFTER_STRING}).)*+\"", re.DOTALL)


def torn_at(text: str, stop: re.Pattern[str]) -> int | None:
    """Return where a damaged value ends if one of its strings runs past the end of its envelope.

    Such a string contains a stop mark, and the quote that seems to close it opens a string of the
    next call. None if there is no such string. The length of the text if the mark may also be part
    of the string, so that nothing after it is certain (corpus/extract/ends).
    """
    at = 0
    while (found := _STRING.search(text, at)) is not None:
        at = found.end()
        if compiled(_AFTER["json"]).match(text, at):
            continue
        closer = _CLOSER.search(text, at)
        at = len(text) if closer is None else closer.end()
        marks = list(stop.finditer(text, found.start(), at))
        if marks:
            passed = marks[0].group() != marks[-1].group()
            return marks[0].start() if passed else len(text)
    return None


_LAST_STRING = re.compile(
    r"(?:[^\"']|\"(?:[^\"\\]|\\.)*+\"|'(?:[^'\\]|\\.)*+')*+(?P<quote>[\"'])(?P<text>[^\n]*+)\Z",
    re.DOTALL,
)
# A string without its closing quote must not contain this: it may be the next argument
# (corpus/extract/around).
NEXT_ARGUMENT = re.compile(r"[,(]\s*+\w++\s*+=(?!=)")
_EACH_BRACKET = re.compile(r"[()\[\]{}]")


def last_quote(text: str, tail: re.Pattern[str]) -> tuple[int, str] | None:
    """Return the missing closing quote of the last string, and its position before the text's `tail`.

    Llama 3.1 8B leaves it out: `{"name": "f", "parameters": {"a": "x}}`, `[f(a='x', b='y)]`. None if
    the brackets or another argument may be part of the string (corpus/extract/damaged).
    """
    end, last = tail.search(text), _LAST_STRING.match(text)
    if end is None or last is None or end.start() < last.start("text"):
        return None
    held = text[last.start("text") : end.start()]
    marks = _EACH_BRACKET.findall(held)
    balanced = all(marks.count(a) == marks.count(b) for a, b in ("()", "[]", "{}"))
    return (end.start(), last["quote"]) if balanced and not NEXT_ARGUMENT.search(held) else None


@cache
def _outside(notation: Notation, stop: str) -> re.Pattern[str]:
    brackets, quotes = _BRACKETS.get(notation, r"[{}\[\]()]"), _QUOTES.get(notation, "[\"']")
    return re.compile(rf"{brackets}|(?P<quote>{quotes})|{stop or '(?!)'}")


@cache
def _inside(quote: str) -> re.Pattern[str]:
    return re.compile(rf"\\.|{quote}" if quote[0] in "\"'" else re.escape(quote), re.DOTALL)


def extent(tape: Tape, pos: int, notation: Notation = "json", stop: str = "") -> Steps[Extent]:
    """Return where the value that opens at `pos` ends; a match of `stop` outside strings ends it too."""
    if notation == "json" and (end := _strict_end(tape, pos)) is not None:
        return Extent(end, True)
    if tape.exhausted:
        return Extent(tape.size, False)
    marks, at, depth = _outside(notation, stop), pos, 0
    while (hit := (yield from tape.find(marks, at))) is not None:
        at, mark = hit.end, hit.match.group()
        if mark in "{[(":
            depth += 1
        elif mark in "}])":
            depth -= 1
            if depth <= 0:
                return Extent(at, True)
        elif mark == "'" and notation in _AFTER and not _may_open(tape, hit.start):
            continue
        elif hit.match["quote"]:
            at = yield from _string_end(tape, at, mark, notation)
        else:
            return Extent(hit.start, False)
    return Extent(tape.size, False, depth)


def _may_open(tape: Tape, at: int) -> bool:
    """True if an apostrophe is where a string may begin; it is not in a comment."""
    return tape.slice(at - 60, at).rstrip()[-1:] in _BEFORE_STRING


def _string_end(tape: Tape, at: int, quote: str, notation: Notation) -> Steps[int]:
    """Return the position after a string; the end of the text if it is not closed."""
    closer, after = _inside(quote), _AFTER.get(notation)
    while (hit := (yield from tape.find(closer, at))) is not None:
        at = hit.end
        if hit.match.group()[0] == "\\":
            continue
        if after is None or (yield from tape.look(after, at)) is not None:
            return at
    return tape.size


def _strict_end(tape: Tape, pos: int) -> int | None:
    """Return the end of a valid JSON value that has arrived completely, otherwise None.

    This is the common case, and the C parser is fast.
    """
    text, base = tape.window(pos)
    try:
        return int(_DECODER.raw_decode(text, pos - base)[1]) + base
    except (ValueError, RecursionError):
        return None
