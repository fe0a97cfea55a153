"""Lists the possible meanings of a rejected value: numbers, words, known values, lists, texts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from zkit.arguments.coercions import (
    LARGEST_EXACT,
    LONGEST_LEAK,
    LONGEST_NUMBER,
    LONGEST_WORD,
    MOST_LEAKS,
    SHORTEST_ABBREVIATED,
)
from zkit.arguments.dates import TEMPORAL, from_timestamp, iso_spelling
from zkit.arguments.field_names import folded, words
from zkit.arguments.shape import KINDS, Shape, kind_of
from zkit.arguments.source_text import Place, Source
from zkit.arguments.wording import as_json
from zkit.json_types import JsonObject
from zkit.receipt import Rank

if TYPE_CHECKING:
    from zkit.repair import Repaired

_NUMBER = re.compile(r"[+-]?(?:\d++(?:_\d++)*+(?:\.\d*+)?|\.\d++)(?:[eE][+-]?\d++)?", re.ASCII)
_WHOLE = re.compile(r"([+-]?\d++)\.0*+", re.ASCII)
_HEX = re.compile(r"[+-]?0[xX][0-9a-fA-F]++")
_GROUPED = re.compile(r"[+-]?\d{1,3}(?:,\d{3})++(?:\.\d++)?", re.ASCII)
# A dot may also group thousands: `5.000` may be 5 or 5000.
_DOTTED = re.compile(r"[+-]?\d{1,3}(?:\.\d{3})++", re.ASCII)
_SECONDS = re.compile(r"\d{9,13}", re.ASCII)
"""Seconds or milliseconds since 1970; ambiguous where a number is accepted too."""
_LEAK = re.compile(r"<\|[^|<>]{1,64}\|>|</[A-Za-z_][\w:.-]{0,64}>|\[/[A-Z_]{2,32}\]")
_LEAK_ENDS = (">", "]")
_LETTERS = re.compile(r"[^\W\d_]+(?:[\s_-][^\W\d_]+)*\.?")
_TRUE = frozenset({"true", "t", "yes", "y", "on", "1"})
_FALSE = frozenset({"false", "f", "no", "n", "off", "0"})
_NULL = frozenset({"null", "none", "nil", "undefined"})
_WORDY = frozenset({"boolean", "null"})
_MEAN_SOMETHING = frozenset(word for word in _TRUE | _FALSE | _NULL if len(word) > 1)


class CandidateValue(NamedTuple):
    """One possible meaning of a value, the coercion that gives it, and the note for the receipt.

    `rank` is set if it is higher than the coercion's own.
    """

    name: str
    value: Any
    note: str
    rank: Rank | None = None


def from_text(text: str, shape: Shape) -> list[CandidateValue]:
    """Return what a text may mean where it is rejected."""
    clean = text.strip()
    found = known_values(text, shape) if shape.values is not None else []
    if not found and len(clean) <= LONGEST_WORD and not _WORDY.isdisjoint(shape.kinds):
        found += _words(clean.lower(), shape)
    if shape.values is not None or "string" not in shape.kinds:
        if "integer" in shape.kinds and len(clean) <= LONGEST_NUMBER:
            found += _numbers(clean, shape)
    elif shape.format is not None:
        iso = iso_spelling(shape.format, text)
        if iso is not None and iso != text:
            found.append(
                CandidateValue("date_by_spelling", iso, "wrote a date or time the ISO way")
            )
        if iso is None and shape.format == "date-time" and _SECONDS.fullmatch(clean):
            found += _moment(int(clean))
    if text.endswith(_LEAK_ENDS) and (without := _without_leaks(text)) != text:
        note = "dropped a token that leaked into the value"
        found.append(CandidateValue("drop_leaked_token", without, note))
    return found


def _without_leaks(text: str) -> str:
    """Return a text without the special tokens and closing tags at its end."""
    for _ in range(MOST_LEAKS):
        if not text.endswith(_LEAK_ENDS):
            break
        at = max(text.rfind("<", -LONGEST_LEAK), text.rfind("[/", -LONGEST_LEAK))
        if at < 0 or not _LEAK.fullmatch(text, at):
            break
        text = text[:at].rstrip()
    return text


def _numbers(text: str, shape: Shape) -> list[CandidateValue]:
    whole = "number" not in shape.kinds
    number: float | None = None
    name = "number_from_text"
    if _NUMBER.fullmatch(text) and not (whole and "." in text and _DOTTED.fullmatch(text)):
        number = _number(text.replace("_", ""))
    elif _HEX.fullmatch(text):
        number = int(text, 16)
    elif _GROUPED.fullmatch(text) and (text.count(",") > 1 or "." in text or whole):
        # A single group may be a decimal comma, so it counts only where no fraction is expected.
        number, name = _number(text.replace(",", "")), "number_without_thousands"
    if number is None:
        return []
    return [CandidateValue(name, number, "read a number that was sent as text")]


def _number(text: str) -> float | None:
    """Return an int if the text has no fraction, else a float; None if a float cannot hold it."""
    try:
        return int(text)
    except ValueError:
        number = float(text)
    if match := _WHOLE.fullmatch(text):
        return number if abs(number) < LARGEST_EXACT else int(match[1])
    return number if abs(number) != float("inf") else None


def _words(word: str, shape: Shape) -> list[CandidateValue]:
    found = []
    free = "string" in shape.kinds and shape.values is None
    if "boolean" in shape.kinds and (word in _TRUE or word in _FALSE) and not free:
        note = "read a boolean that was sent as text"
        found.append(CandidateValue("boolean_from_text", word in _TRUE, note))
    if "null" in shape.kinds and word in _NULL:
        found.append(CandidateValue("null_from_text", None, "read null that was sent as text"))
    return found


def means_nothing(value: object, shape: Shape) -> bool:
    """True if a value is null, or a word for null that is not a known value here."""
    if not isinstance(value, str):
        return value is None
    if value.strip().lower() not in _NULL:
        return False
    if shape.values is not None:
        return not known_values(value, shape)
    return not shape.takes("string") or not shape.allows(value)


def omission(item: object, shape: Shape) -> CandidateValue | None:
    """Return the coercion by which null or an empty text means "not given" in an optional field, or
    None."""
    if item is not None and type(item) is not str:
        return None
    if "null" not in shape.kinds and means_nothing(item, shape):
        return CandidateValue("null_means_omitted", None, "left out a field sent as null")
    if item == "" and ("string" not in shape.kinds or shape.format in TEMPORAL):
        return CandidateValue("empty_means_omitted", None, "left out an empty field")
    return None


def known_values(text: str, shape: Shape) -> list[CandidateValue]:
    """Return the known values that a text may mean: only those of the closest kind of match."""
    name = "value_by_spelling"
    found = shape.by_letters.get(text.strip().casefold()) or shape.by_words.get(folded(text))
    if not found:
        name = "value_by_beginning"
        found = [one for ones in shape.by_letters.values() for one in ones if _beginning(text, one)]
        if len(found) == 1 and len(found[0]) < SHORTEST_ABBREVIATED:
            found = []  # a short code is not an abbreviation of another: `US` is not `USD`
    note = "found the known value in another spelling"
    return [CandidateValue(name, value, note) for value in found]


def _beginning(text: str, value: str) -> bool:
    """True if a text is a value cut inside a word, or its initials.

    A complete word may mean something else: `read` is not `read_write`, `no` is not `normal`.
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


def from_number(value: float, shape: Shape) -> list[CandidateValue]:
    """Return what a number may mean where it is rejected."""
    found = []
    kinds = shape.kinds
    whole = isinstance(value, float) and value.is_integer() and abs(value) < LARGEST_EXACT
    if whole and "integer" in kinds and "number" not in kinds:
        note = "wrote a whole number without its fraction"
        found.append(CandidateValue("integer_from_float", int(value), note))
    if value in (0, 1) and "boolean" in kinds and "number" not in kinds:
        found.append(CandidateValue("boolean_from_text", bool(value), "read 1 or 0 as a boolean"))
    return found + (_moment(value) if shape.format == "date-time" else [])


def _moment(value: float) -> list[CandidateValue]:
    """Return the moment that many seconds after the beginning of 1970."""
    moment = from_timestamp(value)
    note = "read seconds since 1970 as a moment"
    return [] if moment is None else [CandidateValue("moment_from_timestamp", moment, note)]


_SCHEMA_WORDS = frozenset(
    [
        *("type", "description", "title", "default", "enum", "const", "format", "examples"),
        *("items", "prefixItems", "properties", "required", "additionalProperties", "nullable"),
        *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "pattern"),
        *("minLength", "maxLength", "minItems", "maxItems", "uniqueItems", "anyOf", "oneOf"),
        *("allOf", "not", "deprecated", "readOnly", "writeOnly", "contentEncoding", "example"),
        *("patternProperties", "minProperties", "maxProperties", "contains", "definitions"),
    ]
)
_OPENERS = ("[", "{")
_SEPARATORS = ("\n", ";", ",")
"""Separators, the strongest first: in `1,5; 2,5` the commas are part of the items."""
_PADDED = re.compile(r"0\d++", re.ASCII)
"""A part such as `000` belongs to the number before it, or is a code."""
_DECIMAL_COMMA = re.compile(r"[+-]?\d{1,15},\d{1,15}", re.ASCII)


def read_container(text: str, schema: JsonObject) -> Repaired | None:
    """Return the list or object that is the whole content of a text, or None."""
    if not text.lstrip().startswith(_OPENERS):
        return None
    from zkit.repair import Repaired, repair_json
    from zkit.repair.repeated_keys import repeats_of

    found = repair_json(text, schema=schema, limit=Rank.GUESS)
    if not isinstance(found, Repaired) or not isinstance(found.value, dict | list):
        return None
    if any(fix.name == "drop_prose" for fix in found.fixes):
        return None
    return found if all(one.is_harmless for one in repeats_of(found)) else None


def from_json_text(text: str, shape: Shape) -> Iterator[tuple[CandidateValue, Repaired]]:
    """Return the list or object that a text holds, where no text is expected."""
    found = read_container(text, dict(shape.schema))
    if found is not None:
        how = f", after {', '.join(fix.name for fix in found.fixes)}" if found.fixes else ""
        note = f"read the JSON that was sent as text{how}"
        rank = max(Rank.RESPELL, found.rank)
        yield CandidateValue("json_from_text", found.value, note, rank), found


def list_from(value: Any, item: Shape) -> Iterator[CandidateValue]:
    """Return a list with the one value, and a list of the parts of a text, where a list is expected."""
    text = isinstance(value, str)
    if text and (_is_no_item(value.strip()) or value.lstrip().startswith(_OPENERS)):
        return
    if isinstance(value, bool) and "boolean" not in item.kinds:
        return  # two changes at once: a flag is neither a list nor a text
    yield CandidateValue("list_from_one", [value], "made a list of the one value")
    if not text or not any(mark in value for mark in _SEPARATORS):
        return
    if "number" in item.kinds and _DECIMAL_COMMA.fullmatch(value):
        # Where a single number is accepted too, `1,5` may be a number with a decimal comma.
        yield CandidateValue("list_from_one", [float(value.replace(",", "."))], "read one number")
    mark = next(mark for mark in _SEPARATORS if mark in value)
    parts = [part.strip() for part in value.split(mark)]
    if "number" in item.kinds and all(_DOTTED.fullmatch(part) for part in parts):
        return  # `1.000,2.000`: thousands, or fractions
    if all(parts) and not any(_PADDED.fullmatch(part) for part in parts):
        yield CandidateValue("list_from_text", parts, "split a text at its commas")


def _is_no_item(text: str) -> bool:
    """True if a text is empty, a word for null, or still in quotes of its own."""
    return not text or text.lower() in _NULL or (text[0] in "\"'`" and text[-1] == text[0])


def one_from(value: list[object], shape: Shape) -> Iterator[CandidateValue]:
    """Return the only value of a list, where no list is expected.

    Where a text is expected, a list of something else may also be meant as text.
    """
    if len(value) != 1 or shape.takes("array"):
        return
    if shape.takes(kind_of(value[0])) or not shape.takes("string"):
        yield CandidateValue("one_from_list", value[0], "took the only value out of a list")


def by_position(value: list[object], shape: Shape) -> Iterator[CandidateValue]:
    """Return the values of a list under the names of the fields, in their order.

    An item that holds a field itself is a call of its own, not the value of the first field.
    """
    names = list(shape.fields)
    calls = any(isinstance(one, dict) and not shape.fields.keys().isdisjoint(one) for one in value)
    if 0 < len(value) <= len(names) and not calls:
        named = dict(zip(names, value, strict=False))
        yield CandidateValue(
            "arguments_by_position", named, "named the values by the order of fields"
        )


def is_schema(value: object) -> bool:
    """True if an object is a piece of JSON Schema: a declaration sent back in place of a value."""
    if not isinstance(value, dict):
        return False
    words = [key for key in value if not key.startswith(("x-", "$"))]
    names_a_kind = value.get("type") in KINDS if isinstance(value.get("type"), str) else False
    names_a_kind = names_a_kind or "$ref" in value or "anyOf" in value or "enum" in value
    return names_a_kind and all(word in _SCHEMA_WORDS for word in words)


def is_schema_of_arguments(value: object, shape: Shape) -> bool:
    """True if the arguments are the tool's own declaration, echoed."""
    if not isinstance(value, dict) or "properties" in shape.fields:
        return False
    inner = value.get("properties")
    if inner == {}:
        return value.get("type") == "object"
    return isinstance(inner, dict) and all(is_schema(one) for one in inner.values())


def text_of_object_is_sure(value: JsonObject) -> bool:
    """True if an object where a text is expected can only be meant as text.

    That excludes a piece of schema, and an object with one text in it, which may be the value
    itself.
    """
    lone = len(value) < 2 and all(isinstance(part, str) for part in value.values())
    return not lone and not is_schema(value) and not set(value) <= {"value", "type", "text"}


Found = list[tuple[CandidateValue, Place]]


def candidates(value: object, shape: Shape, place: Place) -> Found:
    """Return the possible meanings of a value where a value of this shape is expected."""
    return _BY_TYPE[type(value)](value, shape, place)


def _of_text(value: str, shape: Shape, place: Place) -> Found:
    found: Found = [(one, place) for one in from_text(value, shape)]
    if "string" not in shape.kinds and value.lstrip()[:1] in _OPENERS:
        for candidate, repaired in from_json_text(value, shape):
            source = Source(repaired.text, repaired.fixes)
            found.append((candidate, Place(place.path, source)))
    if "array" in shape.kinds:
        found += _in_list(value, shape, place)
    return found


def _of_number(value: float, shape: Shape, place: Place) -> Found:
    found = [(candidate, place) for candidate in from_number(value, shape)]
    return found + _of_boolean(value, shape, place)


def _of_boolean(value: float, shape: Shape, place: Place) -> Found:
    return _as_text("text_from_value", value, shape, place) + _in_list(value, shape, place)


def _of_object(value: JsonObject, shape: Shape, place: Place) -> Found:
    # An object that a coercion has put into a list is not taken as text: it has other meanings.
    sure = place.is_sent and text_of_object_is_sure(value)
    found = _as_text("text_from_object", value, shape, place) if sure else []
    return found + _in_list(value, shape, place)


def _of_list(value: list[object], shape: Shape, place: Place) -> Found:
    if shape.schema.get("contentMediaType") == "application/json":
        return _as_text("text_from_object", value, shape, place)
    below = place.inside(0)
    in_list = bool(place.path) and isinstance(place.path[-1], int)
    if in_list and value and not shape.takes(kind_of(value[0])):
        return []  # `[["1"]]` where numbers are expected differs in more than one way
    found = [(candidate, below) for candidate in one_from(value, shape)]
    if not place.path:
        found += [(candidate, Place()) for candidate in by_position(value, shape)]
    return found


def _in_list(value: object, shape: Shape, place: Place) -> Found:
    if not shape.takes("array") or shape.takes(kind_of(value)):
        return []
    item = shape.at(0)
    if (
        isinstance(value, str)
        and "number" in item.kinds
        and shape.schema.get("minItems", 0) > 1
        and _DECIMAL_COMMA.fullmatch(value.strip())
    ):
        return []  # `1,5` is half of the pair that is expected, or both
    return [(candidate, place.in_list()) for candidate in list_from(value, item)]


def _as_text(name: str, value: object, shape: Shape, place: Place) -> Found:
    """Return the value as text, where a text is expected that is not a date or time."""
    if not shape.takes("string") or shape.format in TEMPORAL or shape.takes(kind_of(value)):
        return []
    written = place.text()
    text = as_json(value) if written is None else written
    return [(CandidateValue(name, text, "took the value as it was written"), place)]


_BY_TYPE: dict[type, Callable[[Any, Shape, Place], Found]] = {
    str: _of_text,
    int: _of_number,
    float: _of_number,
    bool: _of_boolean,
    dict: _of_object,
    list: _of_list,
    type(None): lambda *_: [],
}
