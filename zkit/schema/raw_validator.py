"""Validates values against a raw JSON Schema, and reports what is wrong as data."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cache, cached_property, partial
from typing import TYPE_CHECKING, Any

from pydantic_core import SchemaError as CannotBuildError
from pydantic_core import from_json

from zkit.errors import SchemaError
from zkit.json_types import JsonMapping, JsonObject
from zkit.schema.compiled_schema import CHECKED_FORMATS, acceptor, compiled, has_format, matcher
from zkit.schema.references import check_references
from zkit.schema.schema_tree import Schema, distinct, malformed, rebuilt, subschemas

if TYPE_CHECKING:
    from jsonschema import FormatChecker
    from jsonschema.exceptions import ValidationError as Complaint
    from jsonschema.protocols import Validator
    from pydantic import JsonValue

Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Misfit:
    """One place where a value does not fit its schema.

    `kind` is the keyword of JSON Schema that is not met, but `missing` for an absent property and
    `unknown` for one that is not allowed (both with the property in `path`), `enum` for `const`
    too, `json` for a text that is not JSON and `depth` for a value nested too deep to check.
    `facts` hold `expected` (types), `allowed` (values), `limit`, `format`, `pattern`, or
    `branches` (the misfits of each branch of a union, where no branch is nearest).
    """

    path: Path
    kind: str
    facts: JsonMapping = field(default_factory=dict)


class MisfitError(ValueError):
    """A value does not fit a raw JSON Schema; `misfits` say where and why."""

    def __init__(self, misfits: Iterable[Misfit]) -> None:
        self.misfits = tuple(misfits)
        super().__init__("; ".join(f"{'.'.join(map(str, m.path))}: {m.kind}" for m in self.misfits))


def misfits_of(error: Complaint) -> list[Misfit]:
    """Return an error of jsonschema as misfits."""
    path: Path = tuple(error.absolute_path)
    reader = _READERS.get(str(error.validator))
    if reader is not None:
        return reader(error, path)
    return [Misfit(path, str(error.validator), _facts(str(error.validator), _due(error)))]


def _due(error: Complaint) -> Any:
    """Return the value of the keyword that is not met."""
    return error.validator_value


def _facts(keyword: str, value: object) -> JsonObject:
    if keyword in ("format", "pattern"):
        return {keyword: value}
    return {"limit": value}


def _missing(error: Complaint, path: Path) -> list[Misfit]:
    there: Any = error.instance
    return [Misfit((*path, name), "missing") for name in _due(error) if name not in there]


def _unknown(error: Complaint, path: Path) -> list[Misfit]:
    """Return the properties that a closed object does not declare."""
    if not isinstance(error.instance, dict) or _due(error) is not False:
        return [Misfit(path, str(error.validator), {"limit": _due(error)})]
    schema: Any = error.schema
    extra = _undeclared(error.instance, schema)
    known = tuple(schema.get("properties", {}))
    return [Misfit((*path, name), "unknown", {"allowed": known}) for name in extra]


def _wrong_type(error: Complaint, path: Path) -> list[Misfit]:
    expected = _due(error)
    return [
        Misfit(
            path,
            "type",
            {"expected": (expected,) if isinstance(expected, str) else tuple(expected)},
        )
    ]


def _not_allowed(error: Complaint, path: Path) -> list[Misfit]:
    value = _due(error)
    return [
        Misfit(path, "enum", {"allowed": tuple(value) if error.validator == "enum" else (value,)})
    ]


def _no_branch(error: Complaint, path: Path) -> list[Misfit]:
    """Return what is wrong with the nearest branch; the accepted types, if no branch has the type."""
    branches: dict[int, list[Misfit]] = {}
    for inner in error.context or ():
        branches.setdefault(int(inner.relative_schema_path[0]), []).extend(misfits_of(inner))
    fitting = [found for found in branches.values() if not _is_of_other_type(found, path)]
    if branches and not fitting:
        expected = [
            t for found in branches.values() for m in found for t in m.facts.get("expected", ())
        ]
        return [Misfit(path, "type", {"expected": tuple(dict.fromkeys(expected))})]
    tagged = [found for found in fitting if not _is_other_variant(found, path)] or fitting
    if len(tagged) == 1:
        return tagged[0]
    if tagged and all(len(f) == 1 and f[0].kind == "enum" and f[0].path == path for f in tagged):
        allowed = [value for found in tagged for value in found[0].facts["allowed"]]
        return [Misfit(path, "enum", {"allowed": tuple(allowed)})]
    return [Misfit(path, str(error.validator), {"branches": tuple(map(tuple, tagged))})]


def _is_of_other_type(found: list[Misfit], path: Path) -> bool:
    return any(m.kind == "type" and m.path == path for m in found)


def _is_other_variant(found: list[Misfit], path: Path) -> bool:
    """True if a property selects a variant, and it is not this one."""
    return any(
        m.kind == "enum" and m.path[:-1] == path and len(m.path) == len(path) + 1 for m in found
    )


_READERS: dict[str, Callable[[Complaint, Path], list[Misfit]]] = {
    "required": _missing,
    "additionalProperties": _unknown,
    "unevaluatedProperties": _unknown,
    "type": _wrong_type,
    "enum": _not_allowed,
    "const": _not_allowed,
    "anyOf": _no_branch,
    "oneOf": _no_branch,
}


@cache
def format_checker() -> FormatChecker:
    """Return the checker of jsonschema for the formats that are always checked."""
    from jsonschema import FormatChecker

    checker = FormatChecker(())
    for name in CHECKED_FORMATS:
        checker.checks(name)(partial(_has_format, name))
    return checker


def _has_format(name: str, value: object) -> bool:
    return not isinstance(value, str) or has_format(name, value)


class RawValidator:
    """Validates against a raw JSON Schema; compiled once, safe to share between threads.

    Where possible, pydantic-core accepts valid values; jsonschema reports what is wrong, and
    decides for schemas that pydantic-core cannot check exactly. `core_schema` is None for those.
    """

    def __init__(self, schema: JsonMapping) -> None:
        self._schema = dict(schema)
        for path, problem in malformed(self._schema):
            raise SchemaError(f"not a JSON Schema: {path}: {problem}")
        check_references(self._schema)
        self.core_schema = compiled(self._schema)
        try:
            self._accepts = acceptor(self.core_schema) if self.core_schema else None
        except CannotBuildError:  # such as for a lone surrogate in the name of a property
            self.core_schema = self._accepts = None
        if self._accepts is None:
            assert self._validator  # a malformed schema is refused here, not at the first call

    @cached_property
    def _validator(self) -> Validator:
        return _by_jsonschema(self._schema)

    def validate_json(self, raw: str | bytes, *, strict: bool | None = None) -> object:
        """Return the value of a JSON text that fits; raise `MisfitError`."""
        try:
            value = from_json(raw, allow_inf_nan=False)
        except ValueError as error:
            raise MisfitError([Misfit((), "json", {"error": str(error)})]) from None
        return self.validate_python(value)

    def validate_python(self, value: object, *, strict: bool | None = None) -> object:
        """Return the value unchanged if it fits; raise `MisfitError`."""
        misfits = self.misfits(value)
        if misfits:
            raise MisfitError(misfits)
        return value

    def misfits(self, value: Any) -> tuple[Misfit, ...]:
        """List what does not fit."""
        if self._accepts is not None and self._accepts(value):
            return ()
        try:
            return self._check(value)
        except RecursionError:
            # jsonschema takes about four frames a level: a fresh thread has the whole stack.
            from concurrent.futures import ThreadPoolExecutor

            with ThreadPoolExecutor(1) as fresh:
                return fresh.submit(self._check_deep, value).result()

    def _check(self, value: Any) -> tuple[Misfit, ...]:
        token = _SEEN.set({})
        try:
            found = [m for error in self._validator.iter_errors(value) for m in misfits_of(error)]
        finally:
            _SEEN.reset(token)
        return tuple({(m.path, m.kind): m for m in found}.values())

    def _check_deep(self, value: object) -> tuple[Misfit, ...]:
        try:
            return self._check(value)
        except RecursionError:
            return (Misfit((), "depth"),)


# The result of a union for a value, by the identity of both, during one validation. Without it a
# recursive union takes 2^depth steps to reject a nested value, which a model can send.
_SEEN: ContextVar[dict[tuple[int | str, int, str], bool]] = ContextVar("seen unions")
_COMPILING = threading.Lock()


def _by_jsonschema(schema: Schema) -> Validator:
    from jsonschema import FormatChecker
    from jsonschema.exceptions import SchemaError as InvalidSchemaError
    from jsonschema.exceptions import UnknownType
    from jsonschema.validators import Draft202012Validator, validator_for
    from referencing.jsonschema import EMPTY_REGISTRY

    plain = rebuilt(schema, _without_slow_keywords)
    with _COMPILING:
        known: Any = validator_for(plain, default=Draft202012Validator)
        try:
            known.check_schema(plain, format_checker=FormatChecker(()))
        except (InvalidSchemaError, UnknownType, RecursionError) as error:
            place = ".".join(map(str, getattr(error, "absolute_path", ())))
            reason = str(getattr(error, "message", "it is nested too deep")).split("\n")[0]
            raise SchemaError(
                f"not a JSON Schema: {place + ': ' if place else ''}{reason}"
            ) from None
        return _guarded(known)(plain, registry=EMPTY_REGISTRY, format_checker=format_checker())


def _without_slow_keywords(schema: Schema, path: str) -> Schema:
    """Drop `unevaluatedProperties` beside patterns: jsonschema runs those with backtracking.

    The server that wrote the schema validates the arguments again.
    """
    if "unevaluatedProperties" not in schema:
        return schema
    inner = subschemas({key: part for key, part in schema.items() if key != "properties"})
    if not any("patternProperties" in place.schema or "$ref" in place.schema for place in inner):
        return schema
    return {key: part for key, part in schema.items() if key != "unevaluatedProperties"}


@cache
def _guarded(known: type[Validator]) -> Callable[..., Validator]:
    """Return the validator class of a draft, with patterns in linear time and cached results."""
    from jsonschema import validators

    once = [name for name in ("anyOf", "oneOf", "$ref", "$dynamicRef") if name in known.VALIDATORS]
    checks = {name: _cached_keyword(name, known.VALIDATORS[name]) for name in once}
    extend: Callable[..., Callable[..., Validator]] = validators.extend
    return extend(known, {**checks, **_LINEAR})


Check = Callable[[Any, Any, Any, Any], Iterable["Complaint"]]
"""A keyword of jsonschema: the validator, the keyword's value, the instance and the schema."""


def _cached_keyword(name: str, check: Check) -> Check:
    """Return the keyword with its result for one object or list cached during a validation."""
    from jsonschema.exceptions import ValidationError

    def remembered(
        validator: Validator, due: JsonValue, instance: JsonValue, schema: Schema
    ) -> Iterator[Complaint]:
        if not isinstance(instance, dict | list):
            yield from check(validator, due, instance, schema)
            return
        asked = due if isinstance(due, str) else id(due)
        seen, key = _SEEN.get(), (asked, id(instance), name)
        if key in seen:
            if not seen[key]:
                yield ValidationError("no branch fits", validator=name)
            return
        found = list(check(validator, due, instance, schema))
        seen[key] = not found
        yield from found

    return remembered


def _pattern(
    _: Validator, pattern: str, instance: JsonValue, schema: Schema
) -> Iterator[Complaint]:
    from jsonschema.exceptions import ValidationError

    found = matcher(pattern) if isinstance(instance, str) else None
    if found is not None and not found(str(instance)):
        yield ValidationError("the pattern is not found", validator="pattern")


def _pattern_properties(
    validator: Validator, patterns: Schema, instance: JsonValue, schema: Schema
) -> Iterator[Complaint]:
    if not isinstance(instance, dict):
        return
    for pattern, part in patterns.items():
        found = matcher(pattern)
        for name, value in instance.items() if found else ():
            if found and found(name):
                yield from validator.descend(value, part, path=name, schema_path=pattern)  # type: ignore[attr-defined]


def _additional_properties(
    validator: Validator, due: JsonValue, instance: JsonValue, schema: Schema
) -> Iterator[Complaint]:
    from jsonschema.exceptions import ValidationError

    extras = _undeclared(instance, schema) if isinstance(instance, dict) else []
    if isinstance(due, dict) and isinstance(instance, dict):
        for name in extras:
            yield from validator.descend(instance[name], due, path=name)  # type: ignore[attr-defined]
    elif due is False and extras:
        yield ValidationError("undeclared properties", validator="additionalProperties")


def _undeclared(instance: Mapping[str, JsonValue], schema: Schema) -> list[str]:
    """Return the properties that an object has and its schema does not declare, by name or by pattern."""
    declared = schema.get("properties", {})
    patterns = [matcher(pattern) for pattern in schema.get("patternProperties", {})]
    return [
        name
        for name in instance
        if name not in declared and not any(found(name) for found in patterns if found)
    ]


def _required(
    _: Validator, names: JsonValue, instance: JsonValue, schema: Schema
) -> Iterator[Complaint]:
    """Report all missing names in one error; jsonschema gives one for each."""
    from jsonschema.exceptions import ValidationError

    if not isinstance(names, list) or not isinstance(instance, dict):  # draft 3 has no list here
        return
    if any(name not in instance for name in names):
        yield ValidationError("missing properties", validator="required")


def _unique_items(
    _: Validator, wanted: JsonValue, instance: JsonValue, schema: Schema
) -> Iterator[Complaint]:
    """Check `uniqueItems` in one pass; jsonschema compares each object with every other."""
    from jsonschema.exceptions import ValidationError

    if wanted is True and isinstance(instance, list) and len(distinct(instance)) < len(instance):
        yield ValidationError("an item is there twice", validator="uniqueItems")


_LINEAR: dict[str, Check] = {
    "uniqueItems": _unique_items,
    "required": _required,
    "pattern": _pattern,
    "patternProperties": _pattern_properties,
    "additionalProperties": _additional_properties,
}
