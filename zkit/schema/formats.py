"""Texts in, whether they have a format out: the formats that a raw schema's validator checks.

jsonschema checks some of them only when further packages are installed; these few are always
checked, so that the same call is never valid on one machine and refused on another.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime, time
from functools import cache
from typing import Any
from urllib.parse import urlsplit


@cache
def format_checker() -> Any:
    """Return the checker of jsonschema for the formats that are always checked."""
    from jsonschema import FormatChecker

    checker = FormatChecker(("email", "ipv4", "ipv6", "uuid"))
    for name, (check, raises) in _OWN_FORMATS.items():
        checker.checks(name, raises)(_of_text(check))
    return checker


def _of_text(check: Callable[[str], object]) -> Callable[[object], bool]:
    return lambda value: not isinstance(value, str) or bool(check(value))


def _is_date(text: str) -> bool:
    return len(text) == 10 and bool(date.fromisoformat(text))


def _is_date_time(text: str) -> bool:
    """A date and a time. An offset may be missing: `format` is an annotation, not a contract."""
    return len(text) > 10 and text[10] in "Tt " and bool(datetime.fromisoformat(text.upper()))


def _is_time(text: str) -> bool:
    return ":" in text and bool(time.fromisoformat(text.upper()).isoformat())


def _is_uri(text: str) -> bool:
    return bool(urlsplit(text).scheme) and not any(c.isspace() for c in text)


_OWN_FORMATS: dict[str, tuple[Callable[[str], object], type[Exception]]] = {
    "date": (_is_date, ValueError),
    "date-time": (_is_date_time, ValueError),
    "time": (_is_time, ValueError),
    "uri": (_is_uri, ValueError),
}
