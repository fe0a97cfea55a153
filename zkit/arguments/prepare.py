"""Prepares a model, function, tool or schema for decoding, once: validators, shape, tool name."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from functools import cached_property
from math import isinf
from typing import Any

from pydantic import ValidationError
from pydantic_core import SchemaValidator, from_json

from zkit.arguments.coercions import LONGEST_WORDS, MOST_PREPARED, MOST_REQUIRED, MOST_WAYS
from zkit.arguments.shape import Shape
from zkit.arguments.strict_validator import exact_validator
from zkit.arguments.validation_errors import FieldError
from zkit.arguments.wording import as_json, shortened
from zkit.json_types import JsonObject
from zkit.schema import Misfit, MisfitError, Target, target_for
from zkit.schema.schema_tree import subschemas

ERROR_KINDS = {
    "missing": "missing",
    "missing_argument": "missing",
    "missing_keyword_only_argument": "missing",
    "extra_forbidden": "unknown",
    "unexpected_keyword_argument": "unknown",
    "unknown": "unknown",
}
_UNSAID = frozenset(
    [
        *("pattern", "dependentRequired", "not", "if", "contains", "uniqueItems"),
        *("minProperties", "maxProperties", "propertyNames", "oneOf"),
    ]
)
OWN_WORDS = ("value_error", "assertion_error")


class Prepared:
    """A target with its validators and its shape.

    `validate` accepts a JSON text that needs no change: strict types, and nothing silently ignored,
    such as an unknown key.
    """

    def __init__(self, subject: object, target: Target) -> None:
        self.subject = subject
        self.target = target
        self.validate = self._exact(declared_only=True)
        self.tool = _tool_name(subject, target)

    @cached_property
    def check(self) -> Callable[[object], object]:
        """Accept the same, and other keys where the target takes or ignores them."""
        return self._exact(declared_only=False)

    def _exact(self, *, declared_only: bool) -> Callable[[Any], object]:
        target = self.target
        if target.core_schema is None:
            return exact_by_schema(target.validate_python, self.shape, declared_only=declared_only)
        validator = exact_validator(target.core_schema, declared_only=declared_only)
        if target.kind == "raw" and _requires_many(target.schema):
            return _by_value(validator)
        return validator.validate_json

    @property
    def schema(self) -> JsonObject:
        """The JSON Schema of the arguments."""
        return self.target.schema

    @cached_property
    def shape(self) -> Shape:
        """What is allowed at each place."""
        return Shape(self.schema, self.schema)

    def errors(self, text: str | bytes) -> list[FieldError]:
        """Return what is wrong with a JSON text; empty if it fits."""
        try:
            self.validate(text)
        except (ValidationError, MisfitError) as error:
            return errors_of(error)
        return []


def _requires_many(schema: JsonObject) -> bool:
    return any(
        len(place.schema.get("required", ())) > MOST_REQUIRED for place in subschemas(schema)
    )


def _by_value(validator: SchemaValidator) -> Strict:
    """Return a validator that parses a text first: otherwise pydantic copies the object for each
    missing name."""

    def validate(raw: Any) -> object:
        try:
            value = from_json(raw, allow_inf_nan=False)
        except ValueError:
            return validator.validate_json(raw)  # which reports what is wrong
        return validator.validate_python(value)

    return validate


def _tool_name(subject: object, target: Target) -> str | None:
    """Return the name by which a model calls the tool; None for a type or a schema."""
    own = (getattr(subject, "__name__", None), target.schema.get("title"), "arguments")
    return target.name if target.kind == "function" or target.name not in own else None


def errors_of(error: ValidationError | MisfitError) -> list[FieldError]:
    """Return the errors of a validator."""
    if isinstance(error, ValidationError):
        found = error.errors(include_url=False, include_context=False, include_input=False)
        return [_of_pydantic(one) for one in found]
    return [
        FieldError(one.path, ERROR_KINDS.get(one.kind, "other"), _words(one))
        for one in error.misfits
    ]


def _of_pydantic(error: Any) -> FieldError:
    """Return one error of pydantic: the text of a custom validator is kept, pydantic's own is not."""
    kind = ERROR_KINDS.get(error["type"], "other")
    own = error["type"] in OWN_WORDS
    words = f"another value: {error['msg'].split(', ', 1)[-1]}" if own else ""
    return FieldError(tuple(error["loc"]), kind, " ".join(words.split())[:LONGEST_WORDS])


def _words(misfit: Misfit) -> str:
    """Return what a keyword of a raw schema requires, where the shape does not express it."""
    if misfit.kind not in _UNSAID:
        return ""
    asked = misfit.facts.get("pattern", misfit.facts.get("limit"))
    return shortened(f'something that meets "{misfit.kind}": {as_json(asked)}')


PREPARED: dict[int, tuple[object, Prepared, Callable[[object], object]]] = {}
"""Prepared targets by the identity of their subject, with the validator of each."""


def prepared_for(model: object) -> Prepared:
    """Return what decoding needs of a model; cached for the most recent models."""
    target = target_for(model)
    subject = target if target.kind == "raw" and _may_change(model) else model
    known = PREPARED.get(id(subject))
    if known is not None and known[0] is subject:
        return known[1]
    while len(PREPARED) >= MOST_PREPARED:
        PREPARED.pop(next(iter(PREPARED)), None)
    made = Prepared(subject, target)
    PREPARED[id(subject)] = subject, made, made.validate
    return made


def _may_change(model: object) -> bool:
    """True if a schema is mutable, so that it is compared by content, not identity."""
    if type(model) is dict:
        return True
    frozen = getattr(type(model), "__dataclass_params__", None)
    parameters = getattr(model, "parameters", None)
    return not (frozen and frozen.frozen and isinstance(parameters, Hashable))


Strict = Callable[[object], object]


def exact_by_schema(validate: Strict, shape: Shape, *, declared_only: bool) -> Strict:
    """Return the validator of a JSON Schema for texts that ignores nothing silently.

    JSON Schema allows any other key unless it forbids them; a model that sends one may have
    misspelt a field, or wrapped the arguments. With `declared_only` such a key is an error. A
    number too large for a float is always an error: it would arrive as infinity.
    """

    def checked(raw: Any) -> object:
        try:
            sent = from_json(raw, allow_inf_nan=False)
        except ValueError as error:
            raise MisfitError([Misfit((), "json")]) from error
        found = [Misfit(path, "finite") for path in _infinite(sent)]
        if declared_only:
            found += [Misfit(path, "unknown") for path in _undeclared(sent, shape)]
        try:
            validate(sent)
        except MisfitError as error:
            raise MisfitError([*error.misfits, *found]) from None
        if found:
            raise MisfitError(found)
        return sent

    return checked


Path = tuple[str | int, ...]


def _infinite(value: object) -> Iterator[Path]:
    todo: list[tuple[Path, object]] = [((), value)]
    while todo:
        path, part = todo.pop()
        for step, below in _parts(part):
            if isinstance(below, dict | list):
                todo.append(((*path, step), below))
            elif type(below) is float and isinf(below):
                yield (*path, step)


def _undeclared(value: object, shape: Shape) -> Iterator[Path]:
    """Return the keys of objects that no shape at their place declares; a union has several shapes."""
    todo: list[tuple[Path, object, list[Shape]]] = [((), value, _ways(shape))]
    while todo:
        path, part, shapes = todo.pop()
        if isinstance(part, dict) and shapes and all(_is_silent(due) for due in shapes):
            declared = {name for due in shapes for name in due.fields}
            yield from ((*path, key) for key in part if key not in declared)
        for step, below in _parts(part):
            if isinstance(below, dict | list):
                knowing = [due for due in shapes if step in due.fields] or shapes
                ways = {_identity(way): way for due in knowing for way in _ways(due.at(step))}
                if len(ways) <= MOST_WAYS:
                    todo.append(((*path, step), below, list(ways.values())))


def _identity(shape: Shape) -> tuple[int, ...]:
    """Return an identity for a shape: in a recursive union the same shapes occur again."""
    return tuple(id(shape.schema.get(key)) for key in _BELOW)


_BELOW = ("properties", "items", "prefixItems", "additionalProperties", "patternProperties")


def _is_silent(shape: Shape) -> bool:
    """True if a shape declares fields and neither allows nor forbids others."""
    others = shape.additional is not None or "patternProperties" in shape.schema
    return bool(shape.fields) and not others


def _parts(value: object) -> Iterable[tuple[str | int, object]]:
    if isinstance(value, dict):
        return value.items()
    return enumerate(value) if isinstance(value, list) else ()


def _ways(shape: Shape) -> list[Shape]:
    """Return the shape, or the branches of its union."""
    if not shape.branches:
        return [shape]
    return [way for branch in shape.branches for way in _ways(branch)]
