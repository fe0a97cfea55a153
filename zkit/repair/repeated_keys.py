"""Find the keys that a JSON object holds more than once, with their values (decision 11)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from pydantic_core import to_json

from zkit.repair.limits import MOST_DIGITS
from zkit.repair.outcome import Repaired
from zkit.text.edits import apply_edits

Path = tuple[str | int, ...]
# The members of an object in the order of the text.
Pairs = list[tuple[str, Any]]


class Repeat(NamedTuple):
    """A key that an object holds more than once: its path, and its distinct values in order."""

    path: Path
    values: tuple[object, ...]

    @property
    def is_harmless(self) -> bool:
        """True if the key has the same value each time."""
        return len(self.values) == 1


def repeats_a_key(text: str, value: object) -> bool:
    """True if an object in strict JSON holds a key twice; `value` is the value of the text.

    It compares the colons of the text with those of the value written again: a lost member lacks its colon.
    """
    colons = text.count(":")
    if type(value) is dict and len(value) == colons:
        return False
    if "\\" in text and "\\u003" in text:  # an escaped colon
        return bool(_looked_for(text))
    try:
        return to_json(value).count(b":") != colons
    except ValueError:  # lone surrogates
        return bool(_looked_for(text))


def repeats_in(text: str, value: object) -> list[Repeat]:
    """Return the keys that strict JSON repeats in an object; `value` is the value of the text."""
    return _looked_for(text) if repeats_a_key(text, value) else []


def _looked_for(text: str) -> list[Repeat]:
    try:
        return list(_repeats(_DECODER.decode(text)))
    except (ValueError, RecursionError):
        return [Repeat((), ("a value", "another one"))]


def repeats_of(repaired: Repaired) -> list[Repeat]:
    """Return the keys that the repaired JSON repeats in an object."""
    edits = ((fix.start, fix.end, fix.new) for fix in repaired.fixes)
    text = apply_edits(repaired.text, edits) if repaired.fixes else repaired.text
    return repeats_in(text, repaired.value)


class _Members(dict[str, Any]):
    """An object that keeps its members as they were written."""

    pairs: Pairs


def _members(pairs: Pairs) -> _Members:
    found = _Members(pairs)
    found.pairs = pairs
    return found


def _whole(digits: str) -> int | str:
    return int(digits) if len(digits) < MOST_DIGITS else digits


_DECODER = json.JSONDecoder(object_pairs_hook=_members, parse_int=_whole, strict=False)


def _repeats(root: object) -> Iterator[Repeat]:
    todo: list[tuple[Path, object]] = [((), root)]
    for path, part in todo:
        if isinstance(part, _Members):
            if len(part) < len(part.pairs):
                yield from _repeats_of_object(path, part)
            todo += [((*path, key), item) for key, item in part.items()]
        elif isinstance(part, list):
            todo += [((*path, index), item) for index, item in enumerate(part)]


def _repeats_of_object(path: Path, members: _Members) -> Iterator[Repeat]:
    given: dict[str, list[object]] = {}
    for key, item in members.pairs:
        given.setdefault(key, []).append(item)
    for key, items in given.items():
        if len(items) > 1:
            # 1, 1.0 and true are equal in Python, and three things in JSON
            distinct = {json.dumps(item, sort_keys=True): item for item in items}
            yield Repeat((*path, key), tuple(distinct.values()))
