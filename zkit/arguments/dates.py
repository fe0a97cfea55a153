"""Reads dates and times in common spellings, and writes them in ISO 8601 if there is one reading."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time
from functools import cache

from pydantic_core import SchemaValidator, core_schema

from zkit.arguments.coercions import LIKELY_TIMESTAMPS
from zkit.json_types import JsonObject

_MONTHS = "january february march april may june july august september october november december"
MONTHS = {name: number for number, name in enumerate(_MONTHS.split(), 1)}
_COMPACT = re.compile(r"((?:19|20)\d\d)(\d\d)(\d\d)")
TEMPORAL = frozenset({"date", "date-time", "time", "duration"})
_YEAR_FIRST = re.compile(r"(\d{4})([/.\-\s])(\d{1,2})\2(\d{1,2})")
_YEAR_LAST = re.compile(r"(\d{1,2})([/.\-])(\d{1,2})\2(\d{4})")
_DAY_NAME = r"(?:(mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?\.?,?\s++)?+"
_MONTH = r"([a-z]{3,9})\.?+"
_MONTH_FIRST = re.compile(rf"{_DAY_NAME}{_MONTH}\s++(\d{{1,2}})(?:st|nd|rd|th)?+,?+\s++(\d{{4}})")
_DAY_FIRST = re.compile(
    rf"{_DAY_NAME}(\d{{1,2}})(?:st|nd|rd|th)?+[\s-]++(?:of\s++)?+{_MONTH},?+[\s-]++(\d{{4}})"
)
_CLOCK = re.compile(r"(\d{1,2})(?:[:.h](\d{2}))?+(?::(\d{2}))?+\s*+([ap])?+\.?+(m)?+\.?+")

_ZONE = re.compile(r"(?<=[\dm.])\s?(z|utc|gmt|[+-]\d\d:?\d\d)$")
_BEFORE_HALF = re.compile(r"\s++(?=[ap]\.?m\.?$)")


@cache
def _validator(format: str) -> SchemaValidator | None:
    """Return pydantic's validator for dates, date-times or times; None for other formats."""
    schemas: JsonObject = {
        "date": core_schema.date_schema,
        "date-time": core_schema.datetime_schema,
        "time": core_schema.time_schema,
    }
    return SchemaValidator(schemas[format]()) if format in schemas else None


def follows_format(format: str | None, text: str) -> bool:
    """True if a text has the format; formats other than dates and times are not checked."""
    validator = _validator(format) if format else None
    if validator is None:
        return True
    # pydantic takes a number in a text for a timestamp; a model that wrote 20261116 meant a day.
    return not text.lstrip("+-").isdecimal() and validator.isinstance_python(text)


def iso_spelling(format: str | None, text: str) -> str | None:
    """Return the text as ISO 8601 writes it; None when it has no reading, or two."""
    reader = {"date": _date, "date-time": _moment, "time": _time}.get(format or "")
    if reader is None or len(text) > 64:
        return None
    return reader(text.strip().lower())


def from_timestamp(number: float) -> str | None:
    """Return the moment for a number of seconds or milliseconds since 1970, if it is a likely one."""
    for seconds in (number, number / 1000):
        if LIKELY_TIMESTAMPS[0] <= seconds <= LIKELY_TIMESTAMPS[1]:
            return datetime.fromtimestamp(seconds, UTC).isoformat().replace("+00:00", "Z")
    return None


def _date(text: str) -> str | None:
    found = _calendar_day(text.removesuffix("z").removesuffix("t00:00:00"))
    return found.isoformat() if found else None


def _moment(text: str) -> str | None:
    """Return a day and a time of day; no time is invented for a day alone."""
    zone = _ZONE.search(text)
    text = _BEFORE_HALF.sub("", text[: zone.start()] if zone else text)
    offset = "" if zone is None else "Z" if zone[1][0] not in "+-" else zone[1]
    for separator in (" at ", ", ", " ", "t"):
        day, found, clock = text.rpartition(separator)
        moment = (_calendar_day(day), _time(clock)) if found else (None, None)
        if all(moment):
            return f"{moment[0]}T{moment[1]}{offset}"
    return None


def _time(text: str) -> str | None:
    match = _CLOCK.fullmatch(text)
    if not match:
        return None
    hour, minute, second, half, m = match.groups()
    if bool(half) != bool(m) or (half is None and minute is None):
        return None
    number = int(hour)
    if half and not 1 <= number <= 12:
        return None
    if half:
        number = number % 12 + (12 if half == "p" else 0)
    try:
        return time(number, int(minute or 0), int(second or 0)).isoformat()
    except ValueError:
        return None


def _calendar_day(text: str) -> date | None:
    """Return the day a text names; None when day and month could be swapped."""
    if match := _COMPACT.fullmatch(text):
        return _day(int(match[1]), int(match[2]), int(match[3]))
    if match := _YEAR_FIRST.fullmatch(text):
        return _day(int(match[1]), int(match[3]), int(match[4]))
    if match := _YEAR_LAST.fullmatch(text):
        return _day_of_numbers(int(match[1]), int(match[3]), int(match[4]), match[2])
    if match := _MONTH_FIRST.fullmatch(text):
        return _on(match[1], _day(int(match[4]), _month(match[2]), int(match[3])))
    if match := _DAY_FIRST.fullmatch(text):
        return _on(match[1], _day(int(match[4]), _month(match[3]), int(match[2])))
    return None


def _on(weekday: str | None, day: date | None) -> date | None:
    """Return the day, unless the text names another day of the week."""
    if weekday is None or day is None:
        return day
    return day if day.strftime("%A").lower().startswith(weekday[:3]) else None


def _day_of_numbers(one: int, two: int, year: int, mark: str) -> date | None:
    """Return the day if the numbers show which is the day; a dotted date never has the month first."""
    if one > 12 or one == two:
        return _day(year, two, one)
    return _day(year, one, two) if two > 12 and mark != "." else None


def _month(name: str) -> int:
    """Return the number of a month by its name or first letters; 0 if there is no such month."""
    found = [number for full, number in MONTHS.items() if full.startswith(name)]
    if name == "sept":
        return 9
    return found[0] if len(found) == 1 and (len(name) == 3 or name in MONTHS) else 0


def _day(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None
