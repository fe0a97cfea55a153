"""The fast path: a few wrong values or misspelt keys, fixed without trying every reading.

Most slips are a value of the wrong kind somewhere, or a key of the arguments in another spelling. Where each
has one reading only, and that fits as it is, the general way (`zkit/arguments/coercer.py`) would come to
the same result; a law in the tests says so.
"""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError
from pydantic_core import from_json, to_json

from zkit.arguments.candidate_values import CandidateValue, Found, candidates, omission
from zkit.arguments.coercions import DEEPEST_PLAIN, MOST_PLAIN_ERRORS, RANKS
from zkit.arguments.field_names import folded
from zkit.arguments.object_keys import CALLS, ENVELOPES, renaming
from zkit.arguments.prepare import ERROR_KINDS, Prepared
from zkit.arguments.shape import Shape
from zkit.arguments.source_text import Place, Source
from zkit.arguments.wording import as_json, path_text
from zkit.receipt import Fix, Rank

Path = tuple[str | int, ...]
_WRAPPING = frozenset((*ENVELOPES, *CALLS))


def coerce_plain_slips(
    prepared: Prepared, text: str, error: ValidationError
) -> tuple[Any, tuple[Fix, ...], Any] | None:
    """The typed arguments, what was changed, and the data; None when the case is not that plain."""
    errors = _blamed(error)
    value = None if errors is None else from_json(text)
    if errors is None or type(value) is not dict:
        return None
    wrong, strays, missing = errors
    fixes: list[Fix] = []
    if strays or missing:
        if not _rename(value, prepared.shape, strays, missing, fixes):
            return None
        wrong = [loc for key in value for loc in wrong if loc[:1] == (key,)]
    for loc in wrong:
        if not _settle(value, loc, prepared.shape, text, fixes):
            return None
    try:
        return prepared.check(to_json(value)), tuple(fixes), value
    except Exception:  # whatever it is, the general way says it
        return None


def _blamed(error: ValidationError) -> tuple[list[Path], list[Any], list[Any]] | None:
    """The places of wrong values, the keys that nobody knows, and those that are missing.

    None where there are many, or where more than the arguments' own keys is errors.
    """
    if error.error_count() > MOST_PLAIN_ERRORS:
        return None
    wrong: list[Path] = []
    strays: list[Any] = []
    missing: list[Any] = []
    for one in error.errors(include_url=False, include_context=False, include_input=False):
        loc = one["loc"]
        kind = ERROR_KINDS.get(one["type"])
        if not loc or (kind is not None and len(loc) != 1):
            return None
        if kind is None:
            wrong.append(loc)
        else:
            (strays if kind == "unknown" else missing).append(loc[0])
    return wrong, strays, missing


def _settle(value: Any, path: Path, shape: Shape, text: str, fixes: list[Fix]) -> bool:
    """Put what a rejected value is meant as in its place; False when that is not plain."""
    for step in path[:-1]:
        if shape.branches or not _is_place(value, step):
            return False
        value, shape = value[step], shape.at(step)
    step = path[-1]
    if shape.branches or not _is_place(value, step):
        return False
    due = shape.at(step)
    if due.branches or (type(value) is list and "array" in due.kinds):
        return False  # where lists of lists are due, the whole list may be one of them
    item = value[step]
    if step in shape.fields and step not in shape.required:
        left_out = omission(item, due)
        if left_out is not None:
            del value[step]
            fixes.append(_fix(left_out, path))
            return True
    # What a text means is not a matter of how it was written.
    source = None if type(item) is str else Source(text)
    meant = _only_meaning(candidates(item, due, Place(path, source, path)), due)
    if meant is None:
        return False
    value[step] = meant.value
    fixes.append(_fix(meant, path))
    return True


def _only_meaning(found: Found, due: Shape) -> CandidateValue | None:
    """The one value that all candidates come to, by the way that strays least."""
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


def _is_place(value: Any, step: str | int) -> bool:
    """Whether a step leads somewhere in a value: a validator also names branches of unions."""
    if type(value) is dict:
        return step in value
    return type(value) is list and type(step) is int and step < len(value)


def _fix(meant: CandidateValue, path: Path) -> Fix:
    rank, new = _rank(meant), as_json(meant.value)
    return Fix(meant.name, rank, 0, 0, new, meant.note, path_text(path))


def _stands(value: Any, shape: Shape, depth: int = 0) -> bool:
    """Whether a value may stand here as it is, with all that is in it; False also where that is unsure."""
    kind = type(value)
    if kind is not dict and kind is not list:
        return shape.is_plain(value)
    if shape.branches or shape.values is not None or depth == DEEPEST_PLAIN:
        return False
    if kind is list:
        parts = enumerate(value)
        fits = "array" in shape.kinds and shape.allows(value)
    else:
        parts = value.items()
        fits = "object" in shape.kinds and _has_its_keys(value, shape)
    return fits and all(_stands(part, shape.at(step), depth + 1) for step, part in parts)


def _has_its_keys(value: dict[str, Any], shape: Shape) -> bool:
    if not shape.fields:
        return isinstance(shape.additional, dict)
    return value.keys() <= shape.fields.keys() and shape.required <= value.keys()


def _rename(
    arguments: dict[str, Any],
    shape: Shape,
    strays: list[str],
    missing: list[str],
    fixes: list[Fix],
) -> bool:
    """Give keys in another spelling their names, in place; False if that does not fix everything."""
    if not _WRAPPING.isdisjoint(arguments) or any(type(arguments[key]) is dict for key in strays):
        return False  # the whole may be a wrapper
    names: dict[str, str] = {}
    for key in strays:
        same = shape.fields_by_words.get(folded(key), ())
        if len(same) != 1 or same[0] in arguments or same[0] in names.values():
            return False
        names[key] = same[0]
        if not _stands(arguments[key], shape.at(same[0])):
            return False
        fixes.append(_fix(renaming("key_by_spelling", key, same[0]), (same[0],)))
    if not set(missing) <= set(names.values()):
        return False
    renamed = {names.get(key, key): item for key, item in arguments.items()}
    arguments.clear()
    arguments.update(renamed)
    return True
