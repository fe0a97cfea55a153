"""The line before a call and the call in, whether the line is about this very call out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from zkit.extract.around.meaning import ABOUT_TEXTS, means

_WORD = re.compile(r"[^\W\d_]{4,}+|[^\W_]{2,}+(?<=[0-9])")
"""A word that is no article, or a number."""
_STOPS = tuple(".!…。！।۔｡．")
_PLAIN = re.compile(r"[\w\s,.'’-]++[:：]?\s*+")
"""A line of words and nothing that belongs to a document."""
SHORT = 30
"""How long a value may be that is looked for as it is."""
MOST_READ = 400
"""How much of a value is looked at."""


def restates(before: str, name: str, arguments: Mapping[str, Any]) -> bool:
    """Whether the last line says little but what the call says: "Weather in Oslo:".

    One of its words must be in a value, and all but one in a value, a key or the tool's name.
    """
    line = _last_line(before)
    said, values = set(_words([line])), set(_words(map(str, _scalars(arguments.values()))))
    if len(said) < 2 or not said & values or _PLAIN.fullmatch(line) is None:
        return False
    left = said - values - set(_words([name, *arguments]))
    return len(left) <= 1 and not means(line, ABOUT_TEXTS)


def mentions(before: str, name: str, arguments: Mapping[str, Any]) -> bool:
    """Whether the last line has a word of a value or of the tool's name: "Oslo is an hour ahead."."""
    line = _last_line(before)
    known = set(_words([name, *map(str, _scalars(arguments.values()))]))
    return not known.isdisjoint(_words([line])) or _names(line, arguments)


def ends_sentence(before: str) -> bool:
    """Whether the text ends with a whole sentence."""
    return before.rstrip().endswith(_STOPS)


def _last_line(before: str) -> str:
    return before.rstrip().rpartition("\n")[2].lower()


def _names(line: str, arguments: Mapping[str, Any]) -> bool:
    """Whether a line has a short value as it is: a name, a code."""
    short = (value.lower() for value in _scalars(arguments.values()) if isinstance(value, str))
    return any(
        re.search(rf"(?<!\w){re.escape(value)}(?!\w)", line) is not None
        for value in short
        if 2 < len(value) <= SHORT
    )


def _words(texts: Iterable[str]) -> Iterator[str]:
    for text in texts:
        yield from _WORD.findall(text[:MOST_READ].lower().replace("_", " "))


def _scalars(values: Iterable[Any]) -> Iterator[Any]:
    """The values themselves, and those of lists; not what lies deeper."""
    for value in values:
        if isinstance(value, list):
            yield from (item for item in value if isinstance(item, str | int | float))
        elif not isinstance(value, dict):
            yield value
