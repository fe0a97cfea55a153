"""Arguments in which a few plain values were rejected in, the arguments out, without a search.

Most slips are one scalar of the wrong kind. Where each rejected value is a field of its own and can
only be meant as one scalar, the general way (`zkit/arguments/settling.py`) would come to the same
result; a law in the tests says so.
"""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError
from pydantic_core import from_json, to_json

from zkit.arguments.candidates import candidates
from zkit.arguments.coercions import COERCIONS
from zkit.arguments.ready import SORTS, Ready
from zkit.arguments.scalars import Candidate, means_nothing
from zkit.arguments.shape import Shape
from zkit.arguments.source import Place, Source
from zkit.arguments.words import as_json
from zkit.receipt import Fix

MOST_FIELDS = 4
_PLAIN = (str, int, float, bool)
_NOT_OF_A_VALUE = frozenset({*SORTS, "json_invalid"})


def settle_plain_fields(
    ready: Ready, text: str, error: ValidationError
) -> tuple[Any, list[Fix]] | None:
    """The typed arguments and what was changed; None when the case is not that plain."""
    if error.error_count() > MOST_FIELDS:
        return None
    troubles = error.errors(include_url=False, include_context=False, include_input=False)
    if any(len(one["loc"]) != 1 or one["type"] in _NOT_OF_A_VALUE for one in troubles):
        return None
    value = from_json(text)
    source = Source(text)
    fixes: list[Fix] = []
    for one in troubles:
        key = one["loc"][0]
        if type(key) is not str or key not in value or key not in ready.shape.fields:
            return None
        meant = _meant(value[key], ready.shape.at(key), Place((key,), source, (key,)))
        if meant is None:
            return None
        value[key] = meant.value
        rank = COERCIONS[meant.name].rank
        fixes.append(Fix(meant.name, rank, 0, 0, as_json(meant.value), meant.note, key))
    try:
        return ready.check(to_json(value)), fixes
    except ValidationError:
        return None


def _meant(item: Any, shape: Shape, place: Place) -> Candidate | None:
    """The one scalar that a rejected scalar can be meant as; None when there is none, or more."""
    if type(item) not in _PLAIN or shape.branches or means_nothing(item, shape) or item == "":
        return None
    found = candidates(item, shape, place)
    if len(found) != 1 or type(found[0][0].value) not in _PLAIN:
        return None
    return found[0][0]  # whether it fits is for the validator to say
