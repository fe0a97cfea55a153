"""Coerces the values that a validator rejected, and collects the problems that remain.

Only values that the validator rejected are looked at and changed. If two different changes would be
accepted, none is made.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from zkit.arguments.candidate_values import CandidateValue, candidates, list_from, omission
from zkit.arguments.coercions import (
    FREE_STEPS,
    MAX_DEPTH,
    MOST_IN_A_ROW,
    MOST_UNKNOWN_KEYS,
    RANKS,
    STEPS_PER_CHARACTER,
)
from zkit.arguments.field_names import nearest, same_name
from zkit.arguments.object_keys import renamed
from zkit.arguments.shape import Shape, errors_by_branch, kind_of, tag_of, tagged
from zkit.arguments.source_text import Path, Place
from zkit.arguments.validation_errors import ErrorTree
from zkit.arguments.wording import as_json, expected, expected_instead, path_text, shown
from zkit.json_types import JsonObject
from zkit.receipt import Fix, Rank, highest
from zkit.results import Problem

if TYPE_CHECKING:
    from pydantic import JsonValue

Done = list[tuple[object, "Coercer"]]
# Coercions that keep the kind of the value change less than the others.
_KEEPS_KIND = frozenset(
    [
        *("value_by_spelling", "value_by_beginning", "key_by_spelling", "key_by_near_miss"),
        *("date_by_spelling", "integer_from_float", "drop_leaked_token", "null_means_omitted"),
    ]
)


def distinct(done: Done) -> Done:
    """Return the different readings, each reached by the smallest change."""
    if len(done) < 2:
        return done
    best: dict[str, tuple[object, Coercer]] = {}
    for settled, trial in sorted(done, key=lambda one: highest(tuple(one[1].fixes))):
        best.setdefault(as_json(settled), (settled, trial))
    return list(best.values())


def nearest_to(value: object, done: Done) -> Done:
    """Return the readings closest to what was sent: without a guess, of the same kind, then by the number of changes.

    Digits in quotes are evidence neither for a text nor for a number: where a number or a date is
    expected, `"20240304"` may be either.
    """
    done = [one for one in done if highest(tuple(one[1].fixes)) < Rank.GUESS] or done
    if isinstance(value, str) and value.replace(",", "").strip().isdecimal():
        return distinct(done)
    done = [one for one in done if _keeps_kind(value, *one)] or done
    shortest = min((_length(trial) for _, trial in done), default=0)
    return distinct([one for one in done if _length(one[1]) == shortest])


def _keeps_kind(value: object, settled: object, trial: Coercer) -> bool:
    """True if a reading is of the kind that was sent, and leaves nothing out."""
    return kind_of(settled) == kind_of(value) and not trial.lost


def _length(trial: Coercer) -> int:
    """Return how much a reading changes: each coercion counts once, or twice if it changes the kind."""
    return sum(1 if fix.name in _KEEPS_KIND else 2 for fix in trial.fixes)


class Coercer:
    """One attempt to make a value fit: what it changed, and what it could not fix."""

    __slots__ = ("fixes", "left", "lost", "problems")

    def __init__(self, left: list[int]) -> None:
        self.fixes: list[Fix] = []
        self.problems: list[Problem] = []
        self.lost: set[str] = set()
        """Keys without a field, which are dropped or ignored."""
        self.left = left

    @classmethod
    def of(cls, size: int) -> Coercer:
        """Return the first attempt for a value of that many characters."""
        return cls([FREE_STEPS + STEPS_PER_CHARACTER * size])

    def settle(
        self, value: Any, shape: Shape, place: Place, errors: ErrorTree | None = None, row: int = 0
    ) -> object:
        """Return the value as the shape accepts it; what cannot be fixed is noted as a problem."""
        self.left[0] -= 1
        if len(place.path) > MAX_DEPTH or self.left[0] < 0:
            return value
        if shape.branches:
            return self._union(value, shape, place, errors, row)
        kind = kind_of(value)
        if kind in shape.kinds:
            if kind == "object" and shape.values is None:
                return self._object(value, shape, place, errors)
            if kind == "array" and shape.values is None:
                if _has_items(value, shape) or row >= MOST_IN_A_ROW:
                    return self._list(value, shape, place, errors)
                return self._items_or_item(value, shape, place, errors, row)
            if shape.allows(value) and not (errors is not None and "other" in errors.kinds):
                return value
        return self._coerced(value, shape, place, row, errors.words if errors else "")

    def _list(
        self, value: list[object], shape: Shape, place: Place, errors: ErrorTree | None
    ) -> object:
        errors = errors.inside(value) if errors else None
        result = list(value)
        for index, item in enumerate(value):
            below = errors.below.get(index) if errors else None
            if errors is None or below is not None:
                result[index] = self.settle(item, shape.at(index), place.at(index), below)
        if not shape.allows(result):
            self._blame(value, shape, place, [], errors.words if errors else "")
        return result

    def _items_or_item(
        self, value: list[object], shape: Shape, place: Place, errors: ErrorTree | None, row: int
    ) -> object:
        """Return a list where a list of lists is expected: it may be one of the lists, or each item
        may be."""
        items, item = Coercer(self.left), Coercer(self.left)
        item.note(next(list_from(value, shape.at(0))), place)
        readings = [
            (items._list(value, shape, place, errors), items),
            ([item.settle(value, shape.at(0), place.inside(0), None, row + 1)], item),
        ]
        done = [one for one in readings if not one[1].problems]
        return self._chosen(value, shape, place, distinct(done), [items])

    def _object(
        self, value: JsonObject, shape: Shape, place: Place, errors: ErrorTree | None
    ) -> object:
        errors = errors.inside(value) if errors else None
        if errors is not None and errors.only_values:
            return self._values(value, shape, place, errors)
        names = renamed(self, value, shape, place, errors)
        result: JsonObject = {}
        for key, item in value.items():
            name = names.get(key, key)
            if name is None:
                continue
            below = errors.below.get(key) if errors and name == key else None
            if errors is not None and below is None and name == key:
                result[name] = item
            elif not self._omitted(name, item, shape, place):
                there = place.at(name, key)
                result[name] = self.settle(item, _field(shape, name), there, below)
        missing = [name for name in shape.fields if name in shape.required and name not in result]
        if errors is not None:  # a field may also have a name that is not in the schema
            missing = [name for name in missing if name in errors.below]
        if missing:
            self._note_missing(missing, names, value, shape, place)
        return result

    def _note_missing(
        self,
        missing: list[str],
        names: dict[str, str | None],
        value: JsonObject,
        shape: Shape,
        place: Place,
    ) -> None:
        """Note the required fields that were not sent, each with a key that may have been meant for
        it."""
        known = {*shape.fields, *(key for key, name in names.items() if name is not None)}
        unknown_keys = [key for key in value if key not in known]
        near = unknown_keys if len(unknown_keys) <= MOST_UNKNOWN_KEYS else []
        for name in missing:
            like = (
                unknown_keys if len(missing) == len(unknown_keys) == 1 else nearest(name, near, 1)
            )
            hint = shown(like[0]) if like else ""
            if like:
                stray = path_text((*place.path, *like[:1]))
                self.problems = [p for p in self.problems if p.code != "unknown" or p.path != stray]
            self.problems.append(missing_field(place.path, name, shape, hint))

    def _values(
        self, value: JsonObject, shape: Shape, place: Place, errors: ErrorTree
    ) -> JsonObject:
        """Return an object whose keys are all correct; only rejected values are looked at."""
        result = dict(value)
        for key, below in errors.below.items():
            assert isinstance(key, str)
            if self._omitted(key, value[key], shape, place):
                del result[key]
            else:
                part = self.settle(value[key], _field(shape, key), place.at(key), below)
                result[key] = part
        return result

    def _omitted(self, name: str, item: object, shape: Shape, place: Place) -> bool:
        """True if null, or an empty text, stands for "not given" in an optional field."""
        if name in shape.required or name not in shape.fields:
            return False
        left_out = omission(item, shape.at(name))
        if left_out is not None:
            self.note(left_out, place.at(name))
        return left_out is not None

    def note(self, done: CandidateValue, place: Place) -> None:
        """Put a coercion on the receipt."""
        rank = RANKS[done.name] if done.rank is None else done.rank
        path = path_text(place.path)
        self.fixes.append(Fix(done.name, rank, 0, 0, as_json(done.value), done.note, path))

    def _coerced(self, value: object, shape: Shape, place: Place, row: int, due: str) -> object:
        """Return the only possible meaning of a rejected value."""
        done: list[tuple[object, Coercer]] = []
        failed: list[Coercer] = []
        found = candidates(value, shape, place) if row < MOST_IN_A_ROW else ()
        for candidate, there in found:
            trial = Coercer(self.left)
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
        return self._chosen(value, shape, place, distinct(done), failed, due)

    def _chosen(
        self,
        value: object,
        shape: Shape,
        place: Place,
        done: list[tuple[object, Coercer]],
        failed: list[Coercer],
        due: str = "",
    ) -> object:
        """Return the only reading; note a problem if there is none or more than one."""
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

    def _blame(
        self, value: Any, shape: Shape, place: Place, readings: list[object], due: str
    ) -> None:
        if not readings:
            self.problems.append(wrong_value(value, shape, place.path, due))
            return
        got, due = shown(value), due or expected_instead(value, shape)
        hint = " or ".join(shown(one) for one in readings[:3])
        self.problems.append(Problem(path_text(place.path), "ambiguous", got, due, hint))

    def _union(
        self, value: object, shape: Shape, place: Place, errors: ErrorTree | None, row: int
    ) -> object:
        """Return the value as one branch of a union accepts it, with the fewest changes.

        A branch that would lose a key that another branch declares is not the one that was meant.
        """
        if value is None and shape.takes("null"):
            return value
        fields = {name for branch in shape.branches for name in branch.fields}
        trials = [
            self._tried(value, branch, place, below, row)
            for branch, below in zip(shape.branches, errors_by_branch(shape, errors), strict=True)
        ]
        done = [one for one in trials if not one[1].problems and one[1].lost.isdisjoint(fields)]
        unsure = [p for _, trial in trials for p in trial.problems if p.code == "ambiguous"]
        if unsure and all(highest(tuple(trial.fixes)) >= Rank.GUESS for _, trial in done):
            self.problems.append(unsure[0])  # a guess beside another branch with two readings
            return value
        if not done and isinstance(value, dict) and self._blame_tag(value, shape, place, trials):
            return value
        kinds = zip(shape.branches, trials, strict=True)
        failed = [one[1] for branch, one in kinds if kind_of(value) in branch.kinds]
        return self._chosen(value, shape, place, nearest_to(value, done), failed)

    def _tried(
        self, value: object, branch: Shape, place: Place, errors: ErrorTree | None, row: int
    ) -> tuple[object, Coercer]:
        trial = Coercer(self.left)
        return trial.settle(value, branch, place, errors, row), trial

    def _blame_tag(
        self,
        value: JsonObject,
        shape: Shape,
        place: Place,
        trials: list[tuple[object, Coercer]],
    ) -> bool:
        """Note what is wrong with an object's tag, or with the object by its tag; False if the
        union has no tag."""
        worn = tagged(value, shape)
        if len(worn) == 1:
            trial = trials[worn[0]][1]
            unknown_keys = [path_text((*place.path, key)) for key in value if key in trial.lost]
            self.problems += trial.problems or [
                Problem(one, "unknown", "", "") for one in unknown_keys
            ]
            return True
        tag = tag_of(shape)
        if tag is None:
            return False
        name, due = tag
        if name in value:
            self._blame(value[name], due, place.at(name), [], "")
        else:
            path = path_text((*place.path, name))
            self.problems.append(Problem(path, "missing", "nothing", expected(due)))
        return True


def _field(shape: Shape, name: str) -> Shape:
    """Return the expected shape under a field's name or one of its aliases."""
    if name in shape.fields or shape.additional is not None:
        return shape.at(name)
    same = same_name(name, shape.fields)
    return shape.at(same[0] if len(same) == 1 else name)


def _has_items(value: list[object], shape: Shape) -> bool:
    """True if the items of a list are of the expected kind; False where each item should be a list
    itself."""
    due = shape.at(0)
    return not value or not due.takes("array") or any(due.takes(kind_of(one)) for one in value)


def missing_field(path: Path, name: str, shape: Shape, hint: str = "") -> Problem:
    """Return the problem of a missing required field; the hint is a key that may have been meant
    for it."""
    due = expected(shape.at(name))
    return Problem(path_text((*path, name)), "missing", "nothing", due, hint)


def wrong_value(value: JsonValue, shape: Shape, path: Path, due: str = "") -> Problem:
    """Return the problem of a value without any accepted meaning; `due` is the text of a validator."""
    return Problem(
        path_text(path),
        "bad_value" if kind_of(value) in shape.kinds else "wrong_type",
        shown(value),
        due or expected_instead(value, shape),
        _nearest_value(value, shape),
    )


def _nearest_value(value: object, shape: Shape) -> str:
    """Return the known value that is most like what was sent, for the message."""
    texts = [one for one in shape.values or () if isinstance(one, str)]
    found = nearest(value, texts, 1) if texts and isinstance(value, str) else []
    return shown(found[0]) if found else ""
