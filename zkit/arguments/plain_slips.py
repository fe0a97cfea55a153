"""The fast path: a few wrong values or misspelt keys, fixed or refused without trying every reading.

Most slips are a value of the wrong kind somewhere, or a key of the arguments in another spelling.
If each has only one reading and that fits, the general path (`zkit/arguments/coerce.py`) would give
the same result; a law in the tests proves it. The same holds for a refusal because a field is
missing and no other key was sent, or because a value has no accepted meaning.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from pydantic import ValidationError
from pydantic_core import from_json, to_json

from zkit.arguments.candidate_values import CandidateValue, Found, candidates, omission
from zkit.arguments.coerce import missing_field, wrong_value
from zkit.arguments.coercions import (
    DEEPEST_PLAIN,
    LONGEST_NAME_KEPT,
    MOST_NAMES_KEPT,
    MOST_PLAIN_ERRORS,
    RANKS,
)
from zkit.arguments.field_names import folded
from zkit.arguments.object_keys import CALLS, ENVELOPES, renaming
from zkit.arguments.prepare import ERROR_KINDS, OWN_WORDS, Prepared
from zkit.arguments.refusals import refuse
from zkit.arguments.shape import Shape
from zkit.arguments.source_text import Place, Source
from zkit.arguments.wording import as_json, path_text
from zkit.json_types import JsonObject
from zkit.receipt import Fix, Rank
from zkit.results import Problem, Validation

if TYPE_CHECKING:
    from pydantic import JsonValue

Path = tuple[str | int, ...]
_WRAPPING = frozenset((*ENVELOPES, *CALLS))
_SCALARS = frozenset({str, int, float, bool, type(None)})


class Coerced(NamedTuple):
    """Typed arguments, the changes made to read them, and the JSON data behind them."""

    value: object
    fixes: tuple[Fix, ...]
    data: JsonValue


_Errors = tuple[list[Path], list[str], list[str], bool]
"""The places of wrong values, the unknown keys, the missing ones, and whether the error comes from
the model's own validator."""
# This runs on every slip: every avoidable call is avoided.
_new = tuple.__new__


def coerce_plain_slips(
    prepared: Prepared, text: str, error: ValidationError
) -> Coerced | Validation | None:
    """Return the typed arguments or a refusal; None if the case is not that simple."""
    errors = _blamed(error)
    if errors is None:
        return None
    value = from_json(text)
    if type(value) is not dict:
        return None
    wrong, unknown_keys, missing, in_own_words = errors
    shape = prepared.shape
    fixes: list[Fix] = []
    problems: list[Problem] = []
    if unknown_keys or missing:
        settles = _rename if unknown_keys else _are_missing
        if not settles(value, shape, unknown_keys, missing, fixes):
            return None
        if len(wrong) > 1:
            wrong = [loc for key in value for loc in wrong if loc[0] == key]
    for loc in wrong:
        if not _settle(value, loc, shape, text, fixes, problems):
            return None
    if missing and not unknown_keys:
        problems += [missing_field((), name, shape) for name in shape.fields if name in missing]
    if problems:
        return None if in_own_words else refuse(prepared, value, problems, tuple(fixes))
    try:
        return _new(Coerced, (prepared.check(to_json(value)), tuple(fixes), value))
    except Exception:  # the general path reports it
        return None


def _blamed(error: ValidationError) -> _Errors | None:
    """Return what is wrong; None if there are many errors, or wrong keys in nested objects."""
    if error.error_count() > MOST_PLAIN_ERRORS:
        return None
    wrong: list[Path] = []
    unknown_keys: list[str] = []
    missing: list[str] = []
    in_own_words = False
    lists = {"unknown": unknown_keys, "missing": missing}
    for one in error.errors(include_url=False, include_context=False, include_input=False):
        loc, name = one["loc"], one["type"]
        if not loc:
            return None
        if name not in ERROR_KINDS:
            wrong.append(loc)
            in_own_words = in_own_words or name in OWN_WORDS
        elif len(loc) != 1:
            return None
        else:
            lists[ERROR_KINDS[name]].append(str(loc[0]))
    return wrong, unknown_keys, missing, in_own_words


def _are_missing(
    arguments: JsonObject,
    shape: Shape,
    unknown_keys: list[str],
    missing: list[str],
    fixes: list[Fix],
) -> bool:
    """True if fields are missing and no other key was sent that could be meant for them."""
    return (
        not shape.branches
        and shape.required.issuperset(missing)
        and arguments.keys() <= shape.fields.keys()
        and _WRAPPING.isdisjoint(arguments)
    )


def _settle(
    value: Any,
    path: Path,
    shape: Shape,
    text: str,
    fixes: list[Fix],
    problems: list[Problem],
) -> bool:
    """Replace a rejected value by its only meaning; False if that is not clear."""
    for step in path[:-1]:
        if shape.branches or not _is_place(value, step):
            return False
        value, shape = value[step], shape.at(step)
    step = path[-1]
    if shape.branches or not _is_place(value, step):
        return False
    due = shape.at(step)
    if due.branches or (type(value) is list and "array" in due.kinds):
        return False  # where lists of lists are expected, the whole list may be one of them
    item = value[step]
    if step in shape.fields and step not in shape.required:
        left_out = omission(item, due)
        if left_out is not None:
            del value[step]
            fixes.append(_fix(left_out, path))
            return True
    # The meaning of a text does not depend on how it was escaped.
    source = None if type(item) is str else Source(text)
    found = candidates(item, due, Place(path, source, path))
    if not found and len(path) == 1 and step in shape.fields and type(item) in _SCALARS:
        problems.append(wrong_value(item, due, path))
        return True
    meant = _only_meaning(found, due)
    if meant is None:
        return False
    value[step] = meant.value
    fixes.append(_fix(meant, path))
    return True


def _only_meaning(found: Found, due: Shape) -> CandidateValue | None:
    """Return the one value that all candidates share, with the smallest change."""
    if not found or not _stands(found[0][0].value, due):
        return None
    if len(found) == 1:
        return found[0][0]
    meanings = [one for one, _ in found]
    first = meanings[0].value
    if any(type(one.value) is not type(first) or one.value != first for one in meanings):
        return None
    return min(meanings, key=_rank)


def _rank(meant: CandidateValue) -> Rank:
    return RANKS[meant.name] if meant.rank is None else meant.rank


def _is_place(value: object, step: str | int) -> bool:
    """True if a step is a place in a value: a validator also names branches of unions."""
    if type(value) is dict:
        return step in value
    return type(value) is list and type(step) is int and step < len(value)


def _fix(meant: CandidateValue, path: Path) -> Fix:
    name, value, note, rank = meant
    if rank is None:
        rank = RANKS[name]
    return _new(Fix, (name, rank, 0, 0, as_json(value), note, path_text(path)))


def _renaming(key: str, name: str) -> Fix:
    return _fix(renaming("key_by_spelling", key, name), (name,))


# A model that misspells a name does so in every call.
_renaming_of_short = lru_cache(MOST_NAMES_KEPT)(_renaming)


def _stands(value: JsonValue, shape: Shape, depth: int = 0) -> bool:
    """True if a value and everything in it is accepted here as it is; False if that is unknown."""
    parts: Iterable[tuple[str | int, JsonValue]]
    if type(value) in _SCALARS:
        return shape.is_plain(value)
    if isinstance(value, list):
        parts = enumerate(value)
        fits = "array" in shape.kinds and shape.allows(value)
    elif isinstance(value, dict):
        parts = value.items()
        fits = "object" in shape.kinds and _has_its_keys(value, shape)
    else:
        return shape.is_plain(value)
    if not fits or shape.branches or shape.values is not None or depth == DEEPEST_PLAIN:
        return False
    return all(_stands(part, shape.at(step), depth + 1) for step, part in parts)


def _has_its_keys(value: JsonObject, shape: Shape) -> bool:
    if not shape.fields:
        return isinstance(shape.additional, dict)
    return value.keys() <= shape.fields.keys() and shape.required <= value.keys()


def _rename(
    arguments: JsonObject,
    shape: Shape,
    unknown_keys: list[str],
    missing: list[str],
    fixes: list[Fix],
) -> bool:
    """Give keys in another spelling their names, in place; False if that does not fix everything."""
    if not _WRAPPING.isdisjoint(arguments):
        return False  # the whole may be a wrapper
    names: dict[str, str] = {}
    for key in unknown_keys:
        if type(arguments[key]) is dict:
            return False  # which may be a wrapper, too
        same = shape.fields_by_words.get(folded(key), ())
        if len(same) != 1 or same[0] in arguments or same[0] in names.values():
            return False
        names[key] = same[0]
        if not _stands(arguments[key], shape.at(same[0])):
            return False
        fix = _renaming_of_short if len(key) <= LONGEST_NAME_KEPT else _renaming
        fixes.append(fix(key, same[0]))
    if not set(missing).issubset(names.values()):
        return False
    items = list(arguments.items())
    arguments.clear()
    for key, item in items:  # in the order in which they were sent
        arguments[names.get(key, key)] = item
    return True
