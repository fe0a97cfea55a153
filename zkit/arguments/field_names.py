"""Compares names: case, snake, camel and kebab spellings, near misses, nearest names."""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import get_close_matches
from functools import lru_cache
from itertools import islice

from zkit.arguments.coercions import LONGEST_NAME_KEPT, MOST_COMPARED, MOST_NAMES_KEPT

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]++|[0-9]++|[^\W_]", re.ASCII)
_LEAKED = re.compile(r"<\|[^|<>]{0,64}\|>|</?[A-Za-z_][\w:.=-]{0,64}\s?/?>")
# A separator between letters does not matter. At the front it is a sign, between digits it counts.
_SEPARATORS = re.compile(r"(?<=[^\W\d_])[\s_.-]+(?=[^\W_])|(?<=\d)[\s_.-]+(?=[^\W\d_])")


def words(name: str) -> tuple[str, ...]:
    """Return the words of a name, lower case: `maxResults`, `max-results` and `max_results` have two."""
    return _words_of_short(name) if len(name) <= LONGEST_NAME_KEPT else _words(name)


def _words(name: str) -> tuple[str, ...]:
    found = _WORD.findall(name) if name.isascii() else None
    return tuple(word.lower() for word in found) if found else (name.strip().casefold(),)


def folded(name: str) -> str:
    """Return a name without case, separators and leaked tokens."""
    return _fold_of_short(name) if len(name) <= LONGEST_NAME_KEPT else _folded(name)


def _folded(name: str) -> str:
    if "<" in name:
        name = _LEAKED.sub("", name)
    return _SEPARATORS.sub("", name.strip()).casefold()


# The same names occur again and again: those of fields, and their misspellings.
_words_of_short = lru_cache(MOST_NAMES_KEPT)(_words)
_fold_of_short = lru_cache(MOST_NAMES_KEPT)(_folded)


def same_name(name: str, known: Iterable[str]) -> list[str]:
    """Return the known names that differ from `name` only in case and separators."""
    wanted = folded(name)
    return [other for other in known if folded(other) == wanted] if wanted else []


def near_misses(name: str, known: Iterable[str]) -> list[str]:
    """Return the known names that are `name` with one misspelt word."""
    if len(name) > LONGEST_NAME_KEPT:
        return [other for other in known if _is_near_miss(name, other)]
    return [other for other in known if _is_near_miss_of_short(name, other)]


def _is_near_miss(name: str, other: str) -> bool:
    return _one_slip(words(name), words(other))


_is_near_miss_of_short = lru_cache(MOST_NAMES_KEPT)(_is_near_miss)


def nearest(name: str, known: Iterable[str], most: int = 3) -> list[str]:
    """Return the names that a model may have meant; used only in messages."""
    some = list(islice(known, MOST_COMPARED))
    if not some:
        return []
    by_fold = {folded(other[:80]): other for other in some}
    close = get_close_matches(folded(name[:80]), list(by_fold), most, 0.6)
    return [by_fold[one] for one in close]


def _one_slip(mine: tuple[str, ...], theirs: tuple[str, ...]) -> bool:
    """True if two names differ in one word, which is misspelt."""
    if len(mine) != len(theirs):
        mine, theirs = ("".join(mine),), ("".join(theirs),)
    other = [(a, b) for a, b in zip(mine, theirs, strict=True) if a != b]
    if len(other) != 1:
        return False
    return _misspelt(*other[0]) or (len(mine) > 1 and _swapped(*other[0]))


def _misspelt(a: str, b: str) -> bool:
    """True if a long enough word has one letter too many, too few, wrong or swapped.

    The first letter and all digits must be the same: `include` is not `exclude`, `x1` is not `x2`.
    """
    if min(len(a), len(b)) < 3 or max(len(a), len(b)) < 4 or a[0] != b[0]:
        return False
    if [c for c in a if c.isdigit()] != [c for c in b if c.isdigit()]:
        return False
    return _one_edit(a, b)


def _swapped(a: str, b: str) -> bool:
    """True if two neighbouring letters are swapped."""
    return len(a) == len(b) and sorted(a) == sorted(b) and a.isalpha() and _one_edit(a, b)


def _one_edit(a: str, b: str) -> bool:
    if len(a) > len(b):
        a, b = b, a
    if len(b) - len(a) > 1:
        return False
    at = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), len(a))
    if len(a) < len(b):
        return a[at:] == b[at + 1 :]
    swapped = a[at : at + 2] == b[at : at + 2][::-1] and a[at + 2 :] == b[at + 2 :]
    return a[at + 1 :] == b[at + 1 :] or swapped
