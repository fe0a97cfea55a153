"""Readings of one value in, those that differ and stray least out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from zkit.arguments.shape import kind_of
from zkit.arguments.words import as_json
from zkit.receipt import highest

if TYPE_CHECKING:
    from zkit.arguments.settling import Settling

    Done = list[tuple[Any, Settling]]
# Coercions that keep the kind of the value stray less than those that change it.
_KEEPS_KIND = frozenset(
    [
        *("value_by_spelling", "value_by_beginning", "key_by_spelling", "key_by_near_miss"),
        *("date_by_spelling", "integer_from_float", "drop_leaked_token", "null_means_omitted"),
    ]
)


def distinct(done: Done) -> Done:
    """The readings that differ, each by the way that strays least."""
    if len(done) < 2:
        return done
    best: dict[str, tuple[Any, Settling]] = {}
    for settled, trial in sorted(done, key=lambda one: highest(tuple(one[1].fixes))):
        best.setdefault(as_json(settled), (settled, trial))
    return list(best.values())


def nearest_to(value: Any, done: Done) -> Done:
    """The readings that stray least from what was sent: of its kind if there are any, then by length."""
    done = [one for one in done if _keeps_kind(value, *one)] or done
    shortest = min((_length(trial) for _, trial in done), default=0)
    return distinct([one for one in done if _length(one[1]) == shortest])


def _keeps_kind(value: Any, settled: Any, trial: Settling) -> bool:
    """Whether a reading is of the kind that was sent, and leaves nothing out."""
    return kind_of(settled) == kind_of(value) and not trial.lost


def _length(trial: Settling) -> int:
    """How far a reading strays: each coercion counts, one that changes the kind counts twice."""
    return sum(1 if fix.name in _KEEPS_KIND else 2 for fix in trial.fixes)
