"""One attempt to turn a parsed value into typed arguments: unwrap, coerce, validate, or refuse."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from pydantic import ValidationError
from pydantic_core import to_json

from zkit.arguments.candidate_values import CandidateValue, is_schema_of_arguments
from zkit.arguments.coerce import Coercer
from zkit.arguments.coercions import COERCIONS, MOST_VALUES_OF_A_KEY
from zkit.arguments.field_names import nearest
from zkit.arguments.object_keys import same_tool, unwrapped
from zkit.arguments.plain_slips import Coerced
from zkit.arguments.prepare import Prepared
from zkit.arguments.refusals import refuse
from zkit.arguments.shape import Shape
from zkit.arguments.source_text import Place, Source, part_at, part_of, steps_of, value_at
from zkit.arguments.validation_errors import FieldError, error_tree
from zkit.arguments.wording import as_json, expected, expected_instead, path_text, shortened, shown
from zkit.receipt import Fix, Rank
from zkit.results import Problem, Validation
from zkit.schema import MisfitError

if TYPE_CHECKING:
    from zkit.repair import Repaired
    from zkit.repair.repeated_keys import Repeat


class Attempt(NamedTuple):
    """One reading of what arrived: the value, the text it came from, and the repairs it took."""

    prepared: Prepared
    value: object
    source: Source | None
    fixes: tuple[Fix, ...]
    errors: list[FieldError] | None = None
    """The validator's error, if it has run already."""
    repeats: tuple[Repeat, ...] = ()
    """The keys that were given twice, with different values."""

    @classmethod
    def of_text(
        cls, prepared: Prepared, text: str, value: object, errors: list[FieldError]
    ) -> Attempt:
        """Return the reading of strict JSON that was rejected."""
        return cls(prepared, value, Source(text), (), errors)

    @classmethod
    def of_repeats(
        cls, prepared: Prepared, text: str, value: object, repeats: Sequence[Repeat]
    ) -> Attempt:
        """Return the reading of strict JSON that gives a key more than once."""
        same = tuple(_same_twice(one) for one in repeats if one.is_harmless)
        return cls(prepared, value, Source(text), same, None, _different(repeats))

    @classmethod
    def of_repair(cls, prepared: Prepared, repaired: Repaired) -> Attempt:
        """Return the reading of a text that was repaired."""
        from zkit.repair.repeated_keys import repeats_of

        source = Source(repaired.text, repaired.fixes)
        repeats = _different(repeats_of(repaired))
        return cls(prepared, repaired.value, source, repaired.fixes, None, repeats)

    def settle(self) -> Coerced | Validation:
        """Return the typed arguments with all fixes, or a refusal."""
        outcome = self._settled()
        if not self.repeats:
            return outcome
        fixes = self.fixes if isinstance(outcome, Validation) else outcome.fixes
        problems = [_given_twice(one) for one in self.repeats if not _is_text(one, fixes)]
        return refuse(self.prepared, self.value, problems, self.fixes) if problems else outcome

    def _settled(self) -> Coerced | Validation:
        """The same without looking at repeated keys."""
        text = self.source.text if self.source else _json(self.value)
        errors = self.errors
        if errors is None:
            errors = self.prepared.errors(_json(self.value))
        if not errors:
            return self._checked(self.value, self.fixes)
        shape, value, place = self.prepared.shape, self.value, Place((), self.source)
        coercer = Coercer.of(len(text))
        # If every key is a field and none is missing, only values can be wrong.
        if type(value) is not dict or any(one.kind != "other" for one in errors):
            if is_schema_of_arguments(value, shape):
                return refuse(self.prepared, value, [_ECHO], self.fixes)
            opened = self._opened(coercer, errors)
            if isinstance(opened, Validation):
                return opened
            value, place = opened
            if value is not self.value:
                errors = self.prepared.errors(_json(value))
        if errors:
            value = coercer.settle(value, shape, place, error_tree(errors))
        fixes = (*self.fixes, *coercer.fixes)
        if not coercer.problems:
            return self._checked(value, fixes)
        return refuse(self.prepared, value, coercer.problems, fixes)

    def _opened(
        self, coercer: Coercer, errors: list[FieldError]
    ) -> tuple[object, Place] | Validation:
        """Return the arguments without a wrapper; `{}` for nothing at all where nothing is required."""
        shape, value, tool = self.prepared.shape, self.value, self.prepared.tool
        place = Place((), self.source)
        if not shape.takes("object"):
            return value, place
        if value in (None, "", []) and not shape.required:
            note = "read nothing at all as no arguments"
            coercer.note(CandidateValue("nothing_for_no_arguments", {}, note), Place())
            return {}, Place()
        found = unwrapped(value, shape, tool, place)
        if found is None or not (found.is_sure or self._must_be(found.value, errors)):
            return value, place
        if is_schema_of_arguments(found.value, shape):
            return refuse(self.prepared, None, [_ECHO], self.fixes)
        if found.tool and tool and not same_tool(found.tool, tool):
            got, due = f"a whole call to {shown(found.tool)}", f"the arguments of {shown(tool)}"
            return refuse(self.prepared, None, [Problem("", "bad_value", got, due)], self.fixes)
        note = "took the arguments out of a wrapper"
        coercer.note(CandidateValue("unwrap_arguments", found.value, note, found.rank), Place())
        return found.value, found.place

    def _must_be(self, inner: object, errors: list[FieldError]) -> bool:
        """True if what looks like a wrapper is one: a field is missing outside, none inside."""
        missing = any(error.kind == "missing" for error in errors)
        return missing and not self.prepared.errors(_json(inner))

    def _checked(self, value: Any, fixes: tuple[Fix, ...]) -> Coerced | Validation:
        """Return the value, typed by the target; its own validators have the last word."""
        text = _json(value)
        try:
            return Coerced(self.prepared.check(text), fixes, value)
        except (ValidationError, MisfitError):
            problems = [self._problem(value, one) for one in self.prepared.errors(text)]
            problems = [one for one in problems if one.code != "unknown"] or problems
            return refuse(self.prepared, value, problems, fixes)

    def _problem(self, value: object, error: FieldError) -> Problem:
        """Return an error of the validator as a problem, in the words of the shape at that place."""
        shape, path, got = _follow(value, self.prepared.shape, error.path)
        text = path_text(path)
        if error.kind == "missing":
            return Problem(text, "missing", "nothing", expected(shape))
        if error.kind == "unknown":
            return Problem(text, "unknown", shown(got), "")
        return Problem(text, "bad_value", shown(got), error.words or expected_instead(got, shape))

    def refuse_over(self, limit: Rank, settled: Coerced) -> Validation:
        """Refuse a reading that changes more than the limit allows; the example shows the value
        that was read."""
        over = [fix for fix in settled.fixes if fix.rank > limit]
        problems = [self._over(fix) for fix in over]
        return refuse(self.prepared, settled.data, problems, settled.fixes, is_right=True)

    def _over(self, fix: Fix) -> Problem:
        """Return what a fix over the limit would have changed."""
        if fix.name == "drop_unknown_key":
            return Problem(fix.path, "unknown", shown(value_at(self.value, steps_of(fix.path))), "")
        if fix.name.startswith("key_by_"):
            return self._misspelt(fix.path)
        got = value_at(self.value, steps_of(fix.path))
        return Problem(fix.path, "inexact", shown(got), "", shortened(fix.new))

    def _misspelt(self, path: str) -> Problem:
        """Return a field that was sent under another key: the nearest key is named, if there is one."""
        *outer, name = steps = steps_of(path)
        held, within = value_at(self.value, outer), part_at(self.prepared.shape, outer)
        keys = held if isinstance(held, dict) else ()
        like = nearest(str(name), [key for key in keys if key not in within.fields], 1)
        due = expected(part_at(self.prepared.shape, steps))
        return Problem(path, "missing", "nothing", due, shown(like[0]) if like else "")


def _different(repeats: Iterable[Repeat]) -> tuple[Repeat, ...]:
    return tuple(one for one in repeats if not one.is_harmless)


def _given_twice(repeat: Repeat) -> Problem:
    """Return the problem of a key with two values."""
    values = " or ".join(shown(value) for value in repeat.values[:MOST_VALUES_OF_A_KEY])
    return Problem(path_text(repeat.path), "ambiguous", "this key more than once", "", values)


def _is_text(repeat: Repeat, fixes: Iterable[Fix]) -> bool:
    """True if a key is inside an object that was taken as text: the text holds both values."""
    texts = {fix.path for fix in fixes if fix.name == "text_from_object"}
    above = (repeat.path[:end] for end in range(1, len(repeat.path)))
    return not texts.isdisjoint(map(path_text, above))


def _same_twice(repeat: Repeat) -> Fix:
    coercion = COERCIONS["drop_equal_key"]
    new, path = as_json(repeat.values[0]), path_text(repeat.path)
    return Fix(coercion.name, coercion.rank, 0, 0, new, coercion.doc, path)


_ECHO = Problem("", "bad_value", "the declaration of the parameters", "values for them")


def _json(value: object) -> str | bytes:
    try:
        return to_json(value, inf_nan_mode="constants")
    except ValueError:
        return as_json(value)


def _follow(
    value: object, shape: Shape, path: tuple[str | int, ...]
) -> tuple[Shape, list[str | int], object]:
    """Follow a validator's path as far as the value goes; steps that are not places in the value
    are skipped."""
    steps: list[str | int] = []
    for index, step in enumerate(path):
        is_last = index == len(path) - 1
        if isinstance(value, dict) and isinstance(step, str) and (step in value or is_last):
            value = value.get(step)
        elif isinstance(value, list) and isinstance(step, int) and step < len(value):
            value = value[step]
        else:
            continue
        steps.append(step)
        shape = part_of(shape, step)
    return shape, steps, value
