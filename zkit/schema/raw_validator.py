"""A raw JSON Schema in, a validator out whose complaints are facts, not sentences."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import date, datetime, time
from functools import cache
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from pydantic_core import from_json

from zkit.errors import SchemaError
from zkit.schema.schema_tree import Schema, malformed, pointer_target, rebuilt, subschemas

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError as Complaint
    from jsonschema.protocols import Validator

Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Misfit:
    """One place where a value does not fit its schema.

    `kind` is the keyword of JSON Schema that is not met, but `missing` for an absent property and
    `unknown` for one that is not allowed (both with the property in `path`), `enum` for `const`
    too, `json` for a text that is no JSON and `depth` for a value nested too deep to check.
    `facts` hold `expected` (types), `allowed` (values), `limit`, `format`, `pattern`, or
    `branches` (the misfits of each branch of a union, where no branch is nearest).
    """

    path: Path
    kind: str
    facts: Mapping[str, Any] = field(default_factory=dict)


class MisfitError(ValueError):
    """A value does not fit a raw JSON Schema; `misfits` say where and why."""

    def __init__(self, misfits: Iterable[Misfit]) -> None:
        self.misfits = tuple(misfits)
        super().__init__("; ".join(f"{'.'.join(map(str, m.path))}: {m.kind}" for m in self.misfits))


def misfits_of(error: Complaint) -> list[Misfit]:
    """Return what a complaint of jsonschema comes down to."""
    path: Path = tuple(error.absolute_path)
    reader = _READERS.get(str(error.validator))
    if reader is not None:
        return reader(error, path)
    return [Misfit(path, str(error.validator), _facts(str(error.validator), _due(error)))]


def _due(error: Complaint) -> Any:
    """The value of the keyword that is not met."""
    return error.validator_value


def _facts(keyword: str, value: Any) -> dict[str, Any]:
    if keyword in ("format", "pattern"):
        return {keyword: value}
    return {"limit": value}


def _missing(error: Complaint, path: Path) -> list[Misfit]:
    there: Any = error.instance
    return [Misfit((*path, name), "missing") for name in _due(error) if name not in there]


def _unknown(error: Complaint, path: Path) -> list[Misfit]:
    """The properties that a closed object does not know."""
    if not isinstance(error.instance, dict) or _due(error) is not False:
        return [Misfit(path, str(error.validator), {"limit": _due(error)})]
    schema: Any = error.schema
    patterns = schema.get("patternProperties", {})
    extra = [
        name
        for name in error.instance
        if name not in schema.get("properties", {})
        and not any(re.search(pattern, name) for pattern in patterns)
    ]
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
    """What is wrong with the nearest branch; the types that would do, if no branch has the type."""
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
    """Whether a property says which variant is meant, and it is not this one."""
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
def format_checker() -> Any:
    """Return the checker of jsonschema for the formats that are always checked."""
    from jsonschema import FormatChecker

    checker = FormatChecker(("email", "ipv4", "ipv6", "uuid"))
    for name, (check, raises) in _OWN_FORMATS.items():
        checker.checks(name, raises)(_of_text(check))
    return checker


def _of_text(check: Callable[[str], object]) -> Callable[[object], bool]:
    return lambda value: not isinstance(value, str) or bool(check(value))


def _is_date(text: str) -> bool:
    return len(text) == 10 and bool(date.fromisoformat(text))


def _is_date_time(text: str) -> bool:
    """A date and a time. An offset may be missing: `format` is an annotation, not a contract."""
    return len(text) > 10 and text[10] in "Tt " and bool(datetime.fromisoformat(text.upper()))


def _is_time(text: str) -> bool:
    return ":" in text and bool(time.fromisoformat(text.upper()).isoformat())


def _is_uri(text: str) -> bool:
    return bool(urlsplit(text).scheme) and not any(c.isspace() for c in text)


_OWN_FORMATS: dict[str, tuple[Callable[[str], object], type[Exception]]] = {
    "date": (_is_date, ValueError),
    "date-time": (_is_date_time, ValueError),
    "time": (_is_time, ValueError),
    "uri": (_is_uri, ValueError),
}


class RawValidator:
    """Validates against a raw JSON Schema; compiled once, safe to share between threads."""

    def __init__(self, schema: Mapping[str, Any]) -> None:
        self._validator = _compiled(schema)

    def validate_json(self, raw: str | bytes, *, strict: bool | None = None) -> Any:
        """Return the value of a JSON text that fits; raise `MisfitError`."""
        try:
            value = from_json(raw, allow_inf_nan=False)
        except ValueError as error:
            raise MisfitError([Misfit((), "json", {"error": str(error)})]) from None
        return self.validate_python(value)

    def validate_python(self, value: Any, *, strict: bool | None = None) -> Any:
        """Return the value unchanged if it fits; raise `MisfitError`."""
        misfits = self.misfits(value)
        if misfits:
            raise MisfitError(misfits)
        return value

    def misfits(self, value: Any) -> tuple[Misfit, ...]:
        """List what does not fit."""
        try:
            return self._check(value)
        except RecursionError:
            # jsonschema takes about four frames a level: a fresh thread has the whole stack.
            with ThreadPoolExecutor(1) as fresh:
                return fresh.submit(self._check_deep, value).result()

    def _check(self, value: Any) -> tuple[Misfit, ...]:
        token = _SEEN.set({})
        try:
            found = [m for error in self._validator.iter_errors(value) for m in misfits_of(error)]
        finally:
            _SEEN.reset(token)
        return tuple({(m.path, m.kind): m for m in found}.values())

    def _check_deep(self, value: Any) -> tuple[Misfit, ...]:
        try:
            return self._check(value)
        except RecursionError:
            return (Misfit((), "depth"),)


# What a union said of a value, by the identity of both, during one validation. Without it a
# recursive union takes 2^depth steps to reject a nested value, which a model can send.
_SEEN: ContextVar[dict[tuple[int, int, str], bool]] = ContextVar("seen unions")
_COMPILING = threading.Lock()


def _compiled(schema: Mapping[str, Any]) -> Validator:
    from jsonschema.exceptions import SchemaError as InvalidSchemaError
    from jsonschema.exceptions import UnknownType
    from jsonschema.validators import Draft202012Validator, validator_for
    from referencing.jsonschema import EMPTY_REGISTRY

    plain = dict(schema)
    for path, problem in malformed(plain):
        raise SchemaError(f"not a JSON Schema: {path}: {problem}")
    _check_references(plain)
    plain = rebuilt(plain, _with_readable_patterns)
    with _COMPILING:
        known = validator_for(plain, default=Draft202012Validator)
        try:
            known.check_schema(plain)
        except (InvalidSchemaError, UnknownType, RecursionError) as error:
            place = ".".join(map(str, getattr(error, "absolute_path", ())))
            reason = str(getattr(error, "message", "it is nested too deep")).split("\n")[0]
            raise SchemaError(
                f"not a JSON Schema: {place + ': ' if place else ''}{reason}"
            ) from None
        return _guarded(known)(plain, registry=EMPTY_REGISTRY, format_checker=format_checker())  # type: ignore[no-any-return]


def _check_references(schema: dict[str, Any]) -> None:
    """Refuse references that lead nowhere here: nothing is fetched, and nothing fails later."""
    for place in subschemas(schema):
        reference = place.schema.get("$ref")
        if isinstance(reference, str) and pointer_target(schema, reference) is None:
            raise SchemaError(
                f"{place.path or 'the root'}: {reference!r} refers to nothing in the schema"
            )


def _with_readable_patterns(schema: Schema, path: str) -> Schema:
    """Drop patterns that Python cannot read (`\\p{L}`): the server that wrote them checks them."""
    made = dict(schema)
    if "pattern" in made and not _is_readable(made["pattern"]):
        del made["pattern"]
    if "patternProperties" in made:
        named = made["patternProperties"].items()
        made["patternProperties"] = {name: part for name, part in named if _is_readable(name)}
    return made


def _is_readable(pattern: str) -> bool:
    try:
        re.compile(pattern)
    except (re.error, OverflowError, RecursionError):
        return False
    return True


@cache
def _guarded(known: Any) -> Any:
    """The validator class of a draft, its unions asked only once about the same value."""
    from jsonschema import validators

    extend: Any = validators.extend

    unions = {
        name: known.VALIDATORS[name] for name in ("anyOf", "oneOf") if name in known.VALIDATORS
    }
    return extend(known, {name: _asked_once(name, check) for name, check in unions.items()})


def _asked_once(name: str, check: Callable[..., Iterable[Complaint]]) -> Callable[..., Any]:
    from jsonschema.exceptions import ValidationError

    def union(validator: Any, branches: Any, instance: Any, schema: Any) -> Iterator[Complaint]:
        seen, key = _SEEN.get(), (id(branches), id(instance), name)
        if key in seen:
            if not seen[key]:
                yield ValidationError("no branch fits", validator=name)
            return
        found = list(check(validator, branches, instance, schema))
        seen[key] = not found
        yield from found

    return union
