"""A raw JSON Schema in, a validator out whose complaints are facts, not sentences."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar
from functools import cache
from typing import TYPE_CHECKING, Any

from pydantic_core import from_json

from zkit.errors import SchemaError
from zkit.schema.formats import format_checker
from zkit.schema.misfits import Misfit, MisfitError, misfits_of
from zkit.schema.walk import Schema, pointer_target, rebuilt, subschemas
from zkit.schema.wellformed import malformed

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError as Complaint
    from jsonschema.protocols import Validator


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
