"""A value of the wrong kind in, what it may have been meant as out: texts, numbers, known values."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from zkit.arguments.formats import from_timestamp, iso_spelling
from zkit.arguments.names import folded, words
from zkit.arguments.shape import Shape

_NUMBER = re.compile(r"[+-]?(?:\d[\d_]*+(?:\.\d*+)?|\.\d++)(?:[eE][+-]?\d++)?", re.ASCII)
_HEX = re.compile(r"[+-]?0[xX][0-9a-fA-F]++")
_GROUPED = re.compile(r"[+-]?\d{1,3}(?:,\d{3})++(?:\.\d++)?", re.ASCII)
_LEAKED = re.compile(
    r"(?:\s*+(?:<\|[^|<>]{1,64}\|>|</[A-Za-z_][\w:.-]{0,64}>|\[/[A-Z_]{2,32}\]))++\Z"
)
_WORDS = re.compile(r"[\w\s-]++\.?")
_LONGEST_NUMBER = 64
_LONGEST_WORD = 9
_TRUE = frozenset({"true", "t", "yes", "y", "on", "1"})
_FALSE = frozenset({"false", "f", "no", "n", "off", "0"})
_NULL = frozenset({"null", "none", "nil", "undefined"})


class Candidate(NamedTuple):
    """What a value may have been meant as, by which coercion, and the note for the receipt."""

    name: str
    value: Any
    note: str


def from_text(text: str, shape: Shape) -> Iterator[Candidate]:
    """What a text may mean where it is rejected."""
    clean = text.strip()
    if len(clean) <= _LONGEST_WORD:
        yield from _words(clean.lower(), shape)
    if not shape.takes("string"):
        yield from _numbers(clean, shape)
    elif shape.format is not None:
        spelt = iso_spelling(shape.format, text)
        if spelt is not None and spelt != text:
            yield Candidate("date_by_spelling", spelt, "wrote a date or time the ISO way")
    if shape.values is not None:
        yield from known_values(text, shape.values)
    without = _LEAKED.sub("", text) if text[-1:] in (">", "]") else text
    if without != text:
        yield Candidate("drop_leaked_token", without, "dropped a token that leaked into the value")


def _numbers(text: str, shape: Shape) -> Iterator[Candidate]:
    if not shape.takes("integer") or len(text) > _LONGEST_NUMBER:
        return
    number: float | None = None
    name = "number_from_text"
    if _NUMBER.fullmatch(text):
        number = _number(text.replace("_", ""))
    elif _HEX.fullmatch(text):
        number = int(text, 16)
    elif _GROUPED.fullmatch(text) and (
        text.count(",") > 1 or "." in text or not shape.takes("number")
    ):
        # One group alone may be a decimal comma, so it counts only where no fraction is due.
        number, name = _number(text.replace(",", "")), "number_without_thousands"
    if number is not None:
        yield Candidate(name, number, "read a number that was sent as text")


def _number(text: str) -> float | None:
    """An int where the text has no fraction, else a float; None beyond what a float holds."""
    try:
        return int(text)
    except ValueError:
        number = float(text)
    return number if abs(number) != float("inf") else None


def _words(word: str, shape: Shape) -> Iterator[Candidate]:
    if shape.takes("boolean") and (word in _TRUE or word in _FALSE) and not shape.takes("string"):
        yield Candidate("boolean_from_text", word in _TRUE, "read a boolean that was sent as text")
    if shape.takes("null") and word in _NULL:
        yield Candidate("null_from_text", None, "read null that was sent as text")


def is_null_word(value: Any) -> bool:
    """Whether a text says null in some language."""
    return isinstance(value, str) and value.strip().lower() in _NULL


def known_values(text: str, values: tuple[Any, ...]) -> Iterator[Candidate]:
    """The known values that a text may stand for, by the surest likeness that any of them has."""
    texts = [value for value in values if isinstance(value, str)]
    for likeness, name in _LIKENESSES:
        found = [value for value in texts if likeness(text, value)]
        if found:
            note = "found the known value in another spelling"
            yield from (Candidate(name, value, note) for value in found)
            return


def _same_letters(text: str, value: str) -> bool:
    return text.strip().casefold() == value.casefold()


def _same_words(text: str, value: str) -> bool:
    return _spaceless(text) == _spaceless(value)


def _spaceless(text: str) -> str:
    return "".join(c for c in text.casefold() if c not in " \t\n_-")


def _beginning(text: str, value: str) -> bool:
    wanted = folded(text)
    if not _WORDS.fullmatch(text.strip()):
        return False
    initials = "".join(word[0] for word in words(value) if word)
    return folded(value).startswith(wanted) or (len(initials) > 1 and initials == wanted)


_LIKENESSES = (
    (_same_letters, "value_by_spelling"),
    (_same_words, "value_by_spelling"),
    (_beginning, "value_by_beginning"),
)


def from_number(value: float, shape: Shape) -> Iterator[Candidate]:
    """What a number may mean where it is rejected."""
    whole = isinstance(value, float) and value.is_integer()
    if whole and shape.takes("integer") and not shape.takes("number"):
        note = "wrote a whole number without its fraction"
        yield Candidate("integer_from_float", int(value), note)
    if value in (0, 1) and shape.takes("boolean") and not shape.takes("number"):
        yield Candidate("boolean_from_text", bool(value), "read 1 or 0 as a boolean")
    if shape.format == "date-time":
        moment = from_timestamp(value)
        if moment is not None:
            yield Candidate("moment_from_timestamp", moment, "read seconds since 1970 as a moment")
