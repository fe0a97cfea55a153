"""The keys of an object in, the declared names that they stand for out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from zkit.arguments.names import folded, near_misses, same_name, words
from zkit.arguments.scalars import Candidate
from zkit.arguments.shape import Shape
from zkit.arguments.source import Place
from zkit.arguments.troubles import Blamed
from zkit.arguments.words import path_text, shown
from zkit.arguments.wrappers import ENVELOPES
from zkit.results import Problem

if TYPE_CHECKING:
    from zkit.arguments.settling import Settling

MOST_STRAYS = 64
"""With more keys than these that nobody declared, none is read as another."""
Likeness = Callable[[str, Iterable[str]], list[str]]


def renamed(
    settling: Settling,
    value: Mapping[str, Any],
    shape: Shape,
    place: Place,
    blamed: Blamed | None,
) -> dict[str, str | None]:
    """A declared name for each key that is another spelling of it; None for a key to leave out."""
    strays = _strays(value, shape, blamed)
    if not strays:
        return {}
    names: dict[str, str | None] = {}
    for likeness, coercion in _LIKENESSES if len(strays) <= MOST_STRAYS else ():
        taken = set(names.values())
        wanted = [name for name in _wanted(value, shape) if name not in taken]
        found = _matches([key for key in strays if key not in names], wanted, likeness)
        for key, name in found.items():
            names[key] = name
            settling.note(renaming(coercion, key, name), place.at(name))
    rest = [key for key in strays if key not in names]
    if _is_open(shape):
        return names
    nothing_left = bool(shape.fields) and len(rest) == len(value)
    settling.lost.update(rest)
    for key in rest:
        meant = _may_mean(key, value, shape)
        if meant is not None or nothing_left or len(rest) > MOST_STRAYS:
            path = path_text((*place.path, key))
            hint = shown(meant) if meant else ""
            settling.problems.append(Problem(path, "unknown", shown(value[key]), "", hint))
        elif shape.closed:
            names[key] = None
            note = f"left out the undeclared key {shown(key)}"
            settling.note(Candidate("drop_unknown_key", value[key], note), place.at(key))
    return names


def renaming(coercion: str, key: str, name: str) -> Candidate:
    """A key read as the name of a field, for the receipt."""
    return Candidate(coercion, name, f"read the key {shown(key)} as {shown(name)}")


def _may_mean(key: str, value: Mapping[str, Any], shape: Shape) -> str | None:
    """The field that an undeclared key may mean, so that it cannot be left out; None if none.

    Nothing is left out that may be meant: another spelling of a field that was sent as well, a
    word of a field that was not, an object that holds fields, a wrapper.
    """
    sent = value[key]
    mine = {word for word in words(key) if len(word) > 2}
    for name in shape.fields:
        if name in value and (value[name] == sent or not _alike(key, name)):
            continue
        if _alike(key, name) or (name not in value and not mine.isdisjoint(words(name))):
            return name
    holds_fields = isinstance(sent, dict) and not shape.fields.keys().isdisjoint(sent)
    return "" if shape.fields and (holds_fields or key in ENVELOPES) else None


def _alike(key: str, name: str) -> bool:
    """Whether two names are one but for case, a slip, a number or an ending."""
    one, other = folded(key), folded(name)
    shorter = min(len(one), len(other))
    begun = one[: max(shorter - 1, 3)] == other[: max(shorter - 1, 3)] and shorter > 2
    return one == other or begun or bool(near_misses(key, [name]))


def _strays(value: Mapping[str, Any], shape: Shape, blamed: Blamed | None) -> list[str]:
    """The keys that are not declared: those that the validator did not know, where it said so."""
    if blamed is not None and not _is_open(shape):
        return [k for k in value if k in blamed.below and "unknown" in blamed.below[k].sorts]
    return [key for key in value if key not in shape.fields] if shape.fields else []


def _is_open(shape: Shape) -> bool:
    """Whether keys that are not declared are data."""
    return shape.additional is not None and not shape.closed


def _wanted(value: Mapping[str, Any], shape: Shape) -> list[str]:
    """The declared names that were not sent; only required ones where any key may be added."""
    is_open = _is_open(shape)
    return [n for n in shape.fields if n not in value and (not is_open or n in shape.required)]


def _matches(strays: list[str], wanted: list[str], likeness: Likeness) -> dict[str, str]:
    """The pairs of a key and a name that are like each other and like no other."""
    likes = {key: likeness(key, wanted) for key in strays}
    counts: dict[str, int] = {}
    for names in likes.values():
        for name in names:
            counts[name] = counts.get(name, 0) + 1
    return {
        key: names[0] for key, names in likes.items() if len(names) == 1 and counts[names[0]] == 1
    }


_LIKENESSES: tuple[tuple[Likeness, str], ...] = (
    (same_name, "key_by_spelling"),
    (near_misses, "key_by_near_miss"),
)
