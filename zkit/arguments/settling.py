"""A value and the shape that is due in, the value as the shape accepts it out, or the problems.

Only what a validator blamed is looked at, and only what is rejected is changed. Where two different
changes would do, none is made.
"""

from __future__ import annotations

from typing import Any

from zkit.arguments.candidates import candidates
from zkit.arguments.coercions import COERCIONS
from zkit.arguments.containers import list_from
from zkit.arguments.keys import renamed
from zkit.arguments.names import nearest, same_name
from zkit.arguments.scalars import Candidate, omission
from zkit.arguments.shape import Shape, kind_of
from zkit.arguments.source import Place
from zkit.arguments.troubles import Blamed
from zkit.arguments.words import as_json, expected, path_text, shown
from zkit.receipt import Fix, highest
from zkit.results import Problem

MAX_DEPTH = 64
"""Deeper down nothing is coerced."""
FREE_STEPS = 2_000
STEPS_PER_CHARACTER = 4
"""How many places one decoding may look at, over all the readings that it tries."""
_MOST_IN_A_ROW = 3
# Coercions that keep the kind of the value stray less than those that change it.
_KEEPS_KIND = frozenset(
    [
        *("value_by_spelling", "value_by_beginning", "key_by_spelling", "key_by_near_miss"),
        *("date_by_spelling", "integer_from_float", "drop_leaked_token", "null_means_omitted"),
    ]
)


class Settling:
    """One attempt to make a value fit: what it changed, and what it could not mend."""

    __slots__ = ("fixes", "left", "lost", "problems")

    def __init__(self, left: list[int]) -> None:
        self.fixes: list[Fix] = []
        self.problems: list[Problem] = []
        self.lost: set[str] = set()
        """The keys that no field stands for, which are dropped or ignored."""
        self.left = left

    @classmethod
    def of(cls, size: int) -> Settling:
        """A first attempt at a value of that many characters."""
        return cls([FREE_STEPS + STEPS_PER_CHARACTER * size])

    def settle(
        self, value: Any, shape: Shape, place: Place, blamed: Blamed | None = None, row: int = 0
    ) -> Any:
        """The value as the shape accepts it; what cannot be mended is noted as a problem."""
        self.left[0] -= 1
        if len(place.path) > MAX_DEPTH or self.left[0] < 0:
            return value
        if shape.branches:
            return self._union(value, shape, place, blamed, row)
        kind = kind_of(value)
        if kind in shape.kinds:
            if kind == "object" and shape.values is None:
                return self._object(value, shape, place, blamed)
            if kind == "array" and shape.values is None:
                settle = self._list if _has_items(value, shape) else self._items_or_item
                return settle(value, shape, place, blamed)
            if shape.allows(value) and not (blamed is not None and "other" in blamed.sorts):
                return value
        return self._coerced(value, shape, place, row, blamed.words if blamed else "")

    def _list(self, value: list[Any], shape: Shape, place: Place, blamed: Blamed | None) -> Any:
        blamed = blamed.inside(value) if blamed else None
        result = list(value)
        for index, item in enumerate(value):
            below = blamed.below.get(index) if blamed else None
            if blamed is None or below is not None:
                result[index] = self.settle(item, shape.at(index), place.at(index), below)
        if not shape.allows(result):
            self._blame(value, shape, place, [], blamed.words if blamed else "")
        return result

    def _items_or_item(
        self, value: list[Any], shape: Shape, place: Place, blamed: Blamed | None
    ) -> Any:
        """A list where a list of lists is due: it may be one of the lists, or each item may be."""
        items, item = Settling(self.left), Settling(self.left)
        item.note(next(list_from(value)), place)
        readings = [
            (items._list(value, shape, place, blamed), items),
            ([item.settle(value, shape.at(0), place.inside(0))], item),
        ]
        done = [one for one in readings if not one[1].problems]
        return self._chosen(value, shape, place, _distinct(done), [items])

    def _object(
        self, value: dict[str, Any], shape: Shape, place: Place, blamed: Blamed | None
    ) -> Any:
        blamed = blamed.inside(value) if blamed else None
        if blamed is not None and blamed.only_values:
            return self._values(value, shape, place, blamed)
        names = renamed(self, value, shape, place, blamed)
        result: dict[str, Any] = {}
        for key, item in value.items():
            name = names.get(key, key)
            if name is None:
                continue
            below = blamed.below.get(key) if blamed and name == key else None
            if blamed is not None and below is None and name == key:
                result[name] = item
            elif not self._omitted(name, item, shape, place):
                there = place.at(name, key)
                result[name] = self.settle(item, _field(shape, name), there, below)
        missing = [name for name in shape.fields if name in shape.required and name not in result]
        if blamed is not None:  # a field may also go by a name that the schema does not tell
            missing = [name for name in missing if name in blamed.below]
        if missing:
            self._note_missing(missing, names, value, shape, place)
        return result

    def _note_missing(
        self,
        missing: list[str],
        names: dict[str, str | None],
        value: dict[str, Any],
        shape: Shape,
        place: Place,
    ) -> None:
        """Note the required fields that were not sent, each with the key that may stand for it."""
        known = {*shape.fields, *(key for key, name in names.items() if name is not None)}
        strays = [key for key in value if key not in known]
        for name in missing:
            like = strays if len(missing) == len(strays) == 1 else nearest(name, strays, 1)
            hint = shown(like[0]) if like else ""
            due = expected(shape.at(name))
            path = path_text((*place.path, name))
            self.problems.append(Problem(path, "missing", "nothing", due, hint))

    def _values(
        self, value: dict[str, Any], shape: Shape, place: Place, blamed: Blamed
    ) -> dict[str, Any]:
        """An object whose keys are all right: only the values that are blamed are looked at."""
        result = dict(value)
        for key, below in blamed.below.items():
            assert isinstance(key, str)
            if self._omitted(key, value[key], shape, place):
                del result[key]
            else:
                part = self.settle(value[key], _field(shape, key), place.at(key), below)
                result[key] = part
        return result

    def _omitted(self, name: str, item: Any, shape: Shape, place: Place) -> bool:
        """Whether null, or an empty text, stands for "not given" in an optional field."""
        if name in shape.required or name not in shape.fields:
            return False
        left_out = omission(item, shape.at(name))
        if left_out is not None:
            self.note(left_out, place.at(name))
        return left_out is not None

    def note(self, done: Candidate, place: Place) -> None:
        """Put a coercion on the receipt."""
        rank = COERCIONS[done.name].rank if done.rank is None else done.rank
        path = path_text(place.path)
        self.fixes.append(Fix(done.name, rank, 0, 0, as_json(done.value), done.note, path))

    def _coerced(self, value: Any, shape: Shape, place: Place, row: int, due: str) -> Any:
        """The one thing that a rejected value can be meant as."""
        done: list[tuple[Any, Settling]] = []
        failed: list[Settling] = []
        found = candidates(value, shape, place) if row < _MOST_IN_A_ROW else ()
        for candidate, there in found:
            trial = Settling(self.left)
            trial.note(candidate, place)
            settled = candidate.value
            if not shape.is_plain(settled):
                settled = trial.settle(settled, shape, there, None, row + 1)
            if trial.problems or (
                candidate.name == "arguments_by_position" and len(trial.fixes) > 1
            ):
                failed.append(trial)
            else:
                done.append((settled, trial))
        return self._chosen(value, shape, place, _distinct(done), failed, due)

    def _chosen(
        self,
        value: Any,
        shape: Shape,
        place: Place,
        done: list[tuple[Any, Settling]],
        failed: list[Settling],
        due: str = "",
    ) -> Any:
        """Take the only reading; note a problem when there is none, or more than one."""
        if len(done) == 1:
            settled, trial = done[0]
            self.fixes += trial.fixes
            return settled
        deeper = [p for trial in failed for p in trial.problems if p.path != path_text(place.path)]
        if not done and len(failed) == 1 and deeper:
            self.problems += failed[0].problems
            return value
        self._blame(value, shape, place, [settled for settled, _ in done], due)
        return value

    def _blame(self, value: Any, shape: Shape, place: Place, readings: list[Any], due: str) -> None:
        wrong = "wrong_type" if kind_of(value) not in shape.kinds else "bad_value"
        hint = " or ".join(shown(one) for one in readings[:3])
        problem = Problem(
            path_text(place.path),
            "ambiguous" if readings else wrong,  # type: ignore[arg-type]
            shown(value),
            due or expected(shape),
            hint or _nearest_value(value, shape),
        )
        self.problems.append(problem)

    def _union(
        self, value: Any, shape: Shape, place: Place, blamed: Blamed | None, row: int
    ) -> Any:
        """The value as one branch of a union accepts it, by the shortest way.

        A branch that loses a key which another one declares is not the one that was meant.
        """
        if value is None and shape.takes("null"):
            return value
        fields = {name for branch in shape.branches for name in branch.fields}
        done: list[tuple[Any, Settling]] = []
        failed: list[Settling] = []
        for branch, below in zip(shape.branches, _blamed_by_branch(shape, blamed), strict=True):
            trial = Settling(self.left)
            settled = trial.settle(value, branch, place, below, row)
            if not trial.problems and trial.lost.isdisjoint(fields):
                done.append((settled, trial))
            elif kind_of(value) in branch.kinds:
                failed.append(trial)
        done = [one for one in done if _keeps_kind(value, *one)] or done
        shortest = min((_length(trial) for _, trial in done), default=0)
        nearest_ones = [one for one in done if _length(one[1]) == shortest]
        return self._chosen(value, shape, place, _distinct(nearest_ones), failed)


def _field(shape: Shape, name: str) -> Shape:
    """What is due under a name: that of a field, or another that a model takes for the field."""
    if name in shape.fields or shape.additional is not None:
        return shape.at(name)
    same = same_name(name, shape.fields)
    return shape.at(same[0] if len(same) == 1 else name)


def _has_items(value: list[Any], shape: Shape) -> bool:
    """Whether a list holds what a list of this shape may hold: not so where each item is due as a list."""
    due = shape.at(0)
    return not value or not due.takes("array") or any(due.takes(kind_of(one)) for one in value)


def _keeps_kind(value: Any, settled: Any, trial: Settling) -> bool:
    """Whether a reading is of the kind that was sent, and leaves nothing out."""
    return kind_of(settled) == kind_of(value) and not trial.lost


def _distinct(done: list[tuple[Any, Settling]]) -> list[tuple[Any, Settling]]:
    """The readings that differ, each by the way that strays least."""
    if len(done) < 2:
        return done
    best: dict[str, tuple[Any, Settling]] = {}
    for settled, trial in sorted(done, key=lambda one: highest(tuple(one[1].fixes))):
        best.setdefault(as_json(settled), (settled, trial))
    return list(best.values())


def _length(trial: Settling) -> int:
    """How far a reading strays: each coercion counts, one that changes the kind counts twice."""
    return sum(1 if fix.name in _KEEPS_KIND else 2 for fix in trial.fixes)


def _blamed_by_branch(shape: Shape, blamed: Blamed | None) -> list[Blamed | None]:
    """The blame of each branch of a union: a validator names the branches as steps of the path.

    Untagged, it names them all, in their order; tagged, the one by the value of its tag.
    """
    branches = shape.branches
    if blamed is None:
        return [None] * len(branches)
    named = list(blamed.below.items())
    if len(named) == len(branches) and not any(isinstance(step, int) for step, _ in named):
        return [part for _, part in named]
    if len(named) == 1:
        tag, part = named[0]
        return [part if tag in branch.tags else None for branch in branches]
    return [None] * len(branches)


def _nearest_value(value: Any, shape: Shape) -> str:
    """The known value that is most like what was sent, for the message."""
    texts = [one for one in shape.values or () if isinstance(one, str)]
    found = nearest(value, texts, 1) if isinstance(value, str) else []
    return shown(found[0]) if found else ""
