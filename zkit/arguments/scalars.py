"""A value of the wrong kind in, what it may have been meant as out: texts, numbers, known values."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from zkit.arguments.formats import TEMPORAL, from_timestamp, iso_spelling
from zkit.arguments.names import folded, words
from zkit.arguments.shape import Shape
from zkit.receipt import Rank

_NUMBER = re.compile(r"[+-]?(?:\d[\d_]*+(?:\.\d*+)?|\.\d++)(?:[eE][+-]?\d++)?", re.ASCII)
_WHOLE = re.compile(r"([+-]?\d++)\.0*+", re.ASCII)
_HEX = re.compile(r"[+-]?0[xX][0-9a-fA-F]++")
GROUPED = re.compile(r"[+-]?\d{1,3}(?:,\d{3})++(?:\.\d++)?", re.ASCII)
# A dot may group thousands as well: `5.000` is no sure integer.
_DOTTED = re.compile(r"[+-]?\d{1,3}(?:\.\d{3})++", re.ASCII)
_LEAK = re.compile(r"<\|[^|<>]{1,64}\|>|</[A-Za-z_][\w:.-]{0,64}>|\[/[A-Z_]{2,32}\]")
_LEAK_ENDS = (">", "]")
_LONGEST_LEAK = 70
_MOST_LEAKS = 8
_LETTERS = re.compile(r"[^\W\d_]+(?:[\s_-][^\W\d_]+)*\.?")
_LONGEST_NUMBER = 64
_LONGEST_WORD = 9
_LARGEST_EXACT = 2**53
_TRUE = frozenset({"true", "t", "yes", "y", "on", "1"})
_FALSE = frozenset({"false", "f", "no", "n", "off", "0"})
_NULL = frozenset({"null", "none", "nil", "undefined"})
_MEAN_SOMETHING = frozenset(word for word in _TRUE | _FALSE | _NULL if len(word) > 1)


class Candidate(NamedTuple):
    """What a value may have been meant as, by which coercion, and the note for the receipt.

    `rank` is given where it is higher than the coercion's own.
    """

    name: str
    value: Any
    note: str
    rank: Rank | None = None


def from_text(text: str, shape: Shape) -> list[Candidate]:
    """What a text may mean where it is rejected."""
    clean = text.strip()
    found = known_values(text, shape) if shape.values is not None else []
    if not found and len(clean) <= _LONGEST_WORD:
        found += _words(clean.lower(), shape)
    if shape.values is not None or "string" not in shape.kinds:
        if "integer" in shape.kinds and len(clean) <= _LONGEST_NUMBER:
            found += _numbers(clean, shape)
    elif shape.format is not None:
        iso = iso_spelling(shape.format, text)
        if iso is not None and iso != text:
            found.append(Candidate("date_by_spelling", iso, "wrote a date or time the ISO way"))
    if text.endswith(_LEAK_ENDS) and (without := _without_leaks(text)) != text:
        note = "dropped a token that leaked into the value"
        found.append(Candidate("drop_leaked_token", without, note))
    return found


def _without_leaks(text: str) -> str:
    """A text without the special tokens and closing tags at its end."""
    for _ in range(_MOST_LEAKS):
        if not text.endswith(_LEAK_ENDS):
            break
        at = max(text.rfind("<", -_LONGEST_LEAK), text.rfind("[/", -_LONGEST_LEAK))
        if at < 0 or not _LEAK.fullmatch(text, at):
            break
        text = text[:at].rstrip()
    return text


def _numbers(text: str, shape: Shape) -> list[Candidate]:
    whole = "number" not in shape.kinds
    number: float | None = None
    name = "number_from_text"
    if _NUMBER.fullmatch(text) and not (whole and "." in text and _DOTTED.fullmatch(text)):
        number = _number(text.replace("_", ""))
    elif _HEX.fullmatch(text):
        number = int(text, 16)
    elif GROUPED.fullmatch(text) and (text.count(",") > 1 or "." in text or whole):
        # One group alone may be a decimal comma, so it counts only where no fraction is due.
        number, name = _number(text.replace(",", "")), "number_without_thousands"
    if number is None:
        return []
    return [Candidate(name, number, "read a number that was sent as text")]


def _number(text: str) -> float | None:
    """An int where the text has no fraction, else a float; None beyond what a float holds."""
    try:
        return int(text)
    except ValueError:
        number = float(text)
    if match := _WHOLE.fullmatch(text):
        return number if abs(number) < _LARGEST_EXACT else int(match[1])
    return number if abs(number) != float("inf") else None


def _words(word: str, shape: Shape) -> list[Candidate]:
    found = []
    free = "string" in shape.kinds and shape.values is None
    if "boolean" in shape.kinds and (word in _TRUE or word in _FALSE) and not free:
        note = "read a boolean that was sent as text"
        found.append(Candidate("boolean_from_text", word in _TRUE, note))
    if "null" in shape.kinds and word in _NULL:
        found.append(Candidate("null_from_text", None, "read null that was sent as text"))
    return found


def means_nothing(value: Any, shape: Shape) -> bool:
    """Whether a value is null, or a text that says so and nothing that is known here."""
    if not isinstance(value, str):
        return value is None
    if value.strip().lower() not in _NULL:
        return False
    if shape.values is not None:
        return not known_values(value, shape)
    return not shape.takes("string") or not shape.allows(value)


def omission(item: Any, shape: Shape) -> Candidate | None:
    """How null, or an empty text, stands for "not given" in an optional field; None when it does not."""
    if item is not None and type(item) is not str:
        return None
    if "null" not in shape.kinds and means_nothing(item, shape):
        return Candidate("null_means_omitted", None, "left out a field sent as null")
    if item == "" and ("string" not in shape.kinds or shape.format in TEMPORAL):
        return Candidate("empty_means_omitted", None, "left out an empty field")
    return None


def known_values(text: str, shape: Shape) -> list[Candidate]:
    """The known values that a text may stand for, by the surest likeness that any of them has."""
    name = "value_by_spelling"
    found = shape.by_letters.get(text.strip().casefold()) or shape.by_words.get(folded(text))
    if not found:
        name = "value_by_beginning"
        found = [one for ones in shape.by_letters.values() for one in ones if _beginning(text, one)]
    note = "found the known value in another spelling"
    return [Candidate(name, value, note) for value in found]


def _beginning(text: str, value: str) -> bool:
    """Whether a text is the beginning of a value, cut inside a word, or its initials.

    A text that is a whole word of the value, or a word of its own, may mean something else: `read`
    is not `read_write`, `no` is not `normal`.
    """
    clean = text.strip().rstrip(".")
    if not _LETTERS.fullmatch(text.strip()) or clean.casefold() in _MEAN_SOMETHING:
        return False
    initials = "".join(word[0] for word in words(value) if word)
    begun, whole = folded(clean), folded(value)
    if len(initials) > 1 and initials == begun:
        return True
    mine, theirs = words(clean), words(value)
    return whole.startswith(begun) and mine != theirs[: len(mine)]


def from_number(value: float, shape: Shape) -> list[Candidate]:
    """What a number may mean where it is rejected."""
    found = []
    kinds = shape.kinds
    whole = isinstance(value, float) and value.is_integer() and abs(value) < _LARGEST_EXACT
    if whole and "integer" in kinds and "number" not in kinds:
        note = "wrote a whole number without its fraction"
        found.append(Candidate("integer_from_float", int(value), note))
    if value in (0, 1) and "boolean" in kinds and "number" not in kinds:
        found.append(Candidate("boolean_from_text", bool(value), "read 1 or 0 as a boolean"))
    if shape.format == "date-time":
        moment = from_timestamp(value)
        if moment is not None:
            note = "read seconds since 1970 as a moment"
            found.append(Candidate("moment_from_timestamp", moment, note))
    return found
