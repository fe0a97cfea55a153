"""Slips of value: right arguments with one value written differently, with only one reading."""

from __future__ import annotations

import json
import re
from datetime import date, datetime, time

from benchmarks.decode_sent import Sent, Slip
from benchmarks.decode_values import Spot, core, put, spelled

# ── values ────────────────────────────────────────────────────────────────────


def is_number(spot: Spot) -> bool:
    """True if a number is expected and is there."""
    return spot.kind in ("integer", "number") and spot.value is not None


def valid(sent: Sent) -> Slip:
    """No slip at all."""
    return Slip(spelled(sent.rng, sent.arguments), sent.arguments)


def number_as_text(sent: Sent) -> Slip | None:
    """`"5"` for 5."""
    return sent.with_value(sent.any_spot(is_number), str)


def boolean_as_text(sent: Sent) -> Slip | None:
    """`"True"` for true."""
    spell = sent.rng.choice((str.lower, str.upper, str.title))
    return sent.with_value(
        sent.any_spot(lambda spot: spot.kind == "boolean"), lambda value: spell(str(value))
    )


def null_as_text(sent: Sent) -> Slip | None:
    """`"None"` for null, where no string may stand."""
    spot = sent.any_spot(lambda spot: spot.value is None and not spot.free)
    return sent.with_value(spot, lambda _: sent.rng.choice(("null", "None", "NULL")))


def integral_float(sent: Sent) -> Slip | None:
    """5.0 for 5."""
    spot = sent.any_spot(lambda spot: spot.kind == "integer" and spot.value is not None)
    return sent.with_value(spot, float)


def json_as_text(sent: Sent) -> Slip | None:
    """A list or an object as a string that holds its JSON, or its Python repr."""
    spot = sent.any_spot(lambda spot: bool(spot.value) and spot.kind in ("array", "object"))
    write = sent.rng.choice((json.dumps, json.dumps, repr))
    return sent.with_value(spot, write)


def _sliced(sent: Sent, written: str) -> Slip | None:
    spot = sent.any_spot(lambda spot: spot.free)
    if spot is None:
        return None
    mark = "\x1aslice\x1a"
    text = spelled(sent.rng, put(sent.arguments, spot.path, mark))
    truth = put(sent.arguments, spot.path, written)
    return Slip(text.replace(json.dumps(mark), written), truth)


def object_for_string(sent: Sent) -> Slip | None:
    """JSON that was not quoted; the text as it stands is the truth."""
    made = {"id": sent.rng.randint(1, 99), "tags": ["a", "b"], "note": "ä"}
    fragments = (
        json.dumps(made),
        json.dumps(made, separators=(",", ":")),
        json.dumps(made, indent=1, ensure_ascii=False),
        '{ "price": 10.00, "n": 1e3 }',
    )
    return _sliced(sent, sent.rng.choice(fragments))


def number_for_string(sent: Sent) -> Slip | None:
    """Digits that were not quoted."""
    digits = (str(sent.rng.randint(10, 10**9)), f"{sent.rng.randint(1, 9)}.10", "1" + "0" * 24)
    return _sliced(sent, sent.rng.choice(digits))


def scalar_for_list(sent: Sent) -> Slip | None:
    """The only item without its list."""

    def single(spot: Spot) -> bool:
        return spot.kind == "array" and bool(spot.value) and len(spot.value) == 1

    def plain(spot: Spot) -> bool:
        # A text with separators may be several items, one that begins like JSON may be JSON.
        return single(spot) and not (
            isinstance(spot.value[0], str)
            and re.search(r"[,;\n\[{]|^\s*$|null|None", spot.value[0])
        )

    return sent.with_value(sent.any_spot(plain), lambda items: items[0])


def one_item_list(sent: Sent) -> Slip | None:
    """The value in a list of its own."""

    def scalar(spot: Spot) -> bool:
        return spot.kind != "array" and spot.value is not None

    return sent.with_value(sent.any_spot(scalar), lambda value: [value])


# ── choices, dates ────────────────────────────────────────────────────────────


def _choice(spot: Spot) -> bool:
    return spot.kind == "enum" and isinstance(spot.value, str)


def enum_case(sent: Sent) -> Slip | None:
    """A choice in other letters."""
    return sent.with_value(sent.any_spot(_choice), sent.rng.choice((str.swapcase, str.title)))


def enum_spacing(sent: Sent) -> Slip | None:
    """A choice of two words with another mark between them."""
    spot = sent.any_spot(lambda spot: _choice(spot) and "_" in spot.value)
    mark = sent.rng.choice((" ", "-", ""))
    return sent.with_value(spot, lambda value: value.title().replace("_", mark))


def enum_prefix(sent: Sent) -> Slip | None:
    """The beginning of a choice, where no other begins so."""
    spot = sent.any_spot(_choice)
    if spot is None:
        return None
    others = [one for one in core(spot.schema)["enum"] if one != spot.value]
    short = [spot.value[:end] for end in range(1, len(spot.value))]
    alone = [part for part in short if not any(other.startswith(part) for other in others)]
    return sent.with_value(spot, lambda _: sent.rng.choice(alone)) if alone else None


DATES = ("%B %d, %Y", "%d %B %Y", "%b %d, %Y", "%Y/%m/%d", "%d %b %Y", "%A, %B %d, %Y")


def date_spelling(sent: Sent) -> Slip | None:
    """A day in words or with slashes, in an order that is plain."""
    spot = sent.any_spot(lambda spot: core(spot.schema).get("format") == "date" and spot.value)
    layouts = list(DATES)
    if spot is not None and date.fromisoformat(spot.value).day > 12:
        layouts += ["%m/%d/%Y", "%d/%m/%Y", "%d.%m.%Y"]
    layout = sent.rng.choice(layouts)
    return sent.with_value(spot, lambda value: date.fromisoformat(value).strftime(layout))


MOMENTS = ("%B %d, %Y %I:%M %p", "%d %b %Y %H:%M", "%Y/%m/%d %H:%M:%S", "%Y-%m-%d %H:%M")


def moment_spelling(sent: Sent) -> Slip | None:
    """A day and a time, without a time zone; none may be made up."""
    spot = sent.any_spot(lambda spot: core(spot.schema).get("format") == "date-time" and spot.value)
    if spot is None:
        return None
    moment = datetime.fromisoformat(spot.value).replace(tzinfo=None)
    truth = put(sent.arguments, spot.path, moment.isoformat())
    told = moment.strftime(sent.rng.choice(MOMENTS))
    return Slip(spelled(sent.rng, put(sent.arguments, spot.path, told)), truth)


def time_spelling(sent: Sent) -> Slip | None:
    """A time with the half of the day."""
    spot = sent.any_spot(lambda spot: core(spot.schema).get("format") == "time" and spot.value)
    layout = sent.rng.choice(("%I:%M %p", "%I:%M%p", "%H:%M"))
    return sent.with_value(spot, lambda value: time.fromisoformat(value).strftime(layout))
