"""A value and the shape that is due in, the value as the shape accepts it out, or the problems.

Only what a validator blamed is looked at, and only what is rejected is changed. Where two different
changes would do, none is made.
"""

from __future__ import annotations

from typing import Any

from zkit.arguments.candidates import candidates
from zkit.arguments.coercions import COERCIONS
from zkit.arguments.keys import renamed
from zkit.arguments.names import nearest
from zkit.arguments.scalars import is_null_word
from zkit.arguments.shape import Shape, kind_of
from zkit.arguments.source import Place
from zkit.arguments.troubles import Blamed
from zkit.arguments.words import as_json, expected, path_text, shown
from zkit.receipt import Fix
from zkit.results import Problem

MAX_DEPTH = 64
"""Deeper down nothing is coerced."""
MAX_STEPS = 20_000
"""How many places one decoding may look at, over all the readings that it tries."""
_MOST_IN_A_ROW = 3


class Settling:
    """One attempt to make a value fit: what it changed, and what it could not mend."""

    __slots__ = ("fixes", "left", "problems")

    def __init__(self, left: list[int] | None = None) -> None:
        self.fixes: list[Fix] = []
        self.problems: list[Problem] = []
        self.left = [MAX_STEPS] if left is None else left

    def settle(
        self, value: Any, shape: Shape, place: Place, blamed: Blamed | None = None, row: int = 0
    ) -> Any:
        """The value as the shape accepts it; what cannot be mended is noted as a problem."""
        self.left[0] -= 1
        if len(place.path) > MAX_DEPTH or self.left[0] < 0:
            return value
        if shape.branches:
            return self._union(value, shape, place, row)
        kind = kind_of(value)
        if kind in shape.kinds:
            if kind == "object" and shape.values is None:
                return self._object(value, shape, place, blamed)
            if kind == "array" and shape.values is None:
                return self._list(value, shape, place, blamed)
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
        return result

    def _object(
        self, value: dict[str, Any], shape: Shape, place: Place, blamed: Blamed | None
    ) -> Any:
        blamed = blamed.inside(value) if blamed else None
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
                result[name] = self.settle(item, shape.at(name), there, below)
        missing = [name for name in shape.fields if name in shape.required and name not in result]
        if blamed is not None:  # a field may also go by a name that the schema does not tell
            missing = [name for name in missing if name in blamed.below]
        strays = [key for key in value if key not in shape.fields and key not in names.values()]
        for name in missing:
            like = strays if len(missing) == len(strays) == 1 else nearest(name, strays, 1)
            hint = shown(like[0]) if like else ""
            due = expected(shape.at(name))
            path = path_text((*place.path, name))
            self.problems.append(Problem(path, "missing", "nothing", due, hint))
        return result

    def _omitted(self, name: str, item: Any, shape: Shape, place: Place) -> bool:
        """Whether null, or an empty text, stands for "not given" in an optional field."""
        field = shape.at(name)
        if name in shape.required or name not in shape.fields or field.takes("null"):
            return False
        free_text = field.takes("string") and isinstance(item, str) and field.allows(item)
        if item is None or (is_null_word(item) and not free_text):
            self.note("null_means_omitted", None, "left out a field sent as null", place.at(name))
            return True
        if item == "" and not field.takes("string"):
            self.note("empty_means_omitted", None, "left out an empty field", place.at(name))
            return True
        return False

    def note(self, name: str, value: Any, note: str, place: Place) -> None:
        """Put a coercion on the receipt."""
        rank = COERCIONS[name].rank
        path = path_text(place.path)
        self.fixes.append(Fix(name, rank, 0, 0, as_json(value), note, path))

    def _coerced(self, value: Any, shape: Shape, place: Place, row: int, due: str) -> Any:
        """The one thing that a rejected value can be meant as."""
        done: list[tuple[Any, Settling]] = []
        failed: list[Settling] = []
        found = candidates(value, shape, place) if row < _MOST_IN_A_ROW else ()
        for candidate, there in found:
            trial = Settling(self.left)
            trial.note(candidate.name, candidate.value, candidate.note, place)
            settled = trial.settle(candidate.value, shape, there, None, row + 1)
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

    def _union(self, value: Any, shape: Shape, place: Place, row: int) -> Any:
        """The value as one branch of a union accepts it."""
        trials: list[tuple[Any, Settling, Shape]] = []
        for branch in shape.branches:
            trial = Settling(self.left)
            settled = trial.settle(value, branch, place, None, row)
            if not trial.problems and not trial.fixes:
                return value
            trials.append((settled, trial, branch))
        if value is None and shape.takes("null"):
            return value
        done = _distinct([(v, trial) for v, trial, _ in trials if not trial.problems])
        alike = [trial for _, trial, branch in trials if kind_of(value) in branch.kinds]
        failed = [trial for trial in alike if trial.problems]
        return self._chosen(value, shape, place, done, failed)


def _distinct(done: list[tuple[Any, Settling]]) -> list[tuple[Any, Settling]]:
    """The readings that differ, each by the way that strays least."""
    if len(done) < 2:
        return done
    best: dict[str, tuple[Any, Settling]] = {}
    for settled, trial in sorted(done, key=lambda one: max(fix.rank for fix in one[1].fixes)):
        best.setdefault(as_json(settled), (settled, trial))
    return list(best.values())


def _nearest_value(value: Any, shape: Shape) -> str:
    """The known value that is most like what was sent, for the message."""
    texts = [one for one in shape.values or () if isinstance(one, str)]
    found = nearest(value, texts, 1) if isinstance(value, str) else []
    return shown(found[0]) if found else ""
