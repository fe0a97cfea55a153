"""Compiles a raw JSON Schema to a core schema of pydantic, which validates about ten times faster.

Only what pydantic-core checks exactly as JSON Schema says is compiled. `NotCompiledError` says that a
schema needs more; then `raw_validator` uses jsonschema. A law in the tests compares the two.

Patterns and formats are checked by the same functions in both, and patterns in linear time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date, datetime, time
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address
from math import ceil, floor
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit
from uuid import UUID

from pydantic_core import (
    CoreSchema,
    PydanticCustomError,
    SchemaError,
    SchemaValidator,
    ValidationError,
    core_schema,
)

from zkit.schema.schema_limits import LONGEST_PATTERN, MAX_EXACT_FLOAT, PATTERN_SECONDS
from zkit.schema.schema_tree import Schema, identity, is_of, pointer_target, types_of

if TYPE_CHECKING:
    from pydantic import JsonValue

SILENT: Final = "zkit_silent"
"""Marks an object that declares fields and neither allows nor forbids others, in the metadata of
its schema."""


class NotCompiledError(Exception):
    """A keyword, or a combination of keywords, that pydantic-core cannot check exactly."""


def compiled(schema: Schema) -> CoreSchema | None:
    """Return the core schema that accepts the same JSON values; None when there is none.

    Values keep their kind: an integer stays one where any number may be sent.
    """
    try:
        return _Compiler(schema).whole()
    except (NotCompiledError, SchemaError):
        return None


# --- patterns ---------------------------------------------------------------------------------


@lru_cache(1024)
def matcher(pattern: str) -> Callable[[str], bool] | None:
    """Return a function that is true for texts in which a pattern is found; None for an invalid
    pattern.

    Rust's engine takes linear time. It has no look-around and no back references; patterns with
    those run in `regex` under a time limit, and what takes longer does not match.
    """
    if len(pattern) > LONGEST_PATTERN:
        return None
    try:
        return SchemaValidator(core_schema.str_schema(pattern=pattern)).isinstance_python
    except SchemaError as error:
        if "look-around" not in str(error) and "backreferences" not in str(error):
            return None
    import regex

    try:
        search = regex.compile(pattern).search
    except (regex.error, OverflowError, RecursionError):
        return None

    def found(text: str) -> bool:
        try:
            return search(text, timeout=PATTERN_SECONDS) is not None
        except TimeoutError:
            return False

    return found


def _is_linear(pattern: str) -> bool:
    """True if Rust's engine runs the pattern, so that a core schema may hold it."""
    found = matcher(pattern)
    return found is not None and getattr(found, "__self__", None) is not None


# --- formats ----------------------------------------------------------------------------------


def _is_uuid(text: str) -> bool:
    return bool(UUID(text)) and len(text) == 36 and all(text[at] == "-" for at in (8, 13, 18, 23))


def _is_date_time(text: str) -> bool:
    """Return a date and a time. An offset may be missing: `format` is an annotation, not a contract."""
    return len(text) > 10 and text[10] in "Tt " and bool(datetime.fromisoformat(text.upper()))


def _is_uri(text: str) -> bool:
    return bool(urlsplit(text).scheme) and not any(c.isspace() for c in text)


_FORMATS: dict[str, Callable[[str], object]] = {
    "email": lambda text: "@" in text,
    "ipv4": lambda text: bool(IPv4Address(text)) or True,
    "ipv6": lambda text: not IPv6Address(text).scope_id,
    "uuid": lambda text: _is_uuid(text) or UUID(text).int == 0,
    "date": lambda text: len(text) == 10 and bool(date.fromisoformat(text)),
    "date-time": _is_date_time,
    "time": lambda text: ":" in text and bool(time.fromisoformat(text.upper()).isoformat()),
    "uri": _is_uri,
}
"""The formats that are checked, on every machine alike; the others are annotations."""
CHECKED_FORMATS = frozenset(_FORMATS)


def has_format(name: str, text: str) -> bool:
    """True if a text has the format, or if the format is not one of those that are checked."""
    check = _FORMATS.get(name)
    try:
        return check is None or bool(check(text))
    except ValueError:
        return False


# --- the compiler -----------------------------------------------------------------------------

_ANNOTATIONS = frozenset(
    [
        *("title", "description", "default", "examples", "example", "deprecated", "readOnly"),
        *("writeOnly", "$schema", "$comment", "$defs", "definitions", "contentMediaType"),
        *("contentEncoding", "contentSchema", "strict"),
    ]
)
_NUMBERS = frozenset({"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"})
_OF_KIND: dict[str, frozenset[str]] = {
    "string": frozenset({"minLength", "maxLength", "pattern", "format"}),
    "integer": _NUMBERS,
    "number": _NUMBERS,
    "array": frozenset({"items", "minItems", "maxItems"}),
    "object": frozenset({"properties", "required", "additionalProperties"}),
    "boolean": frozenset(),
    "null": frozenset(),
}
_CHOICES = frozenset({"enum", "const"})
_SCALARS = frozenset({"string", "integer", "number", "boolean", "null"})
_KNOWN = _ANNOTATIONS.union(_CHOICES, {"type", "$ref", "anyOf", "oneOf"}, *_OF_KIND.values())


class _Compiler:
    """Compiles one document; definitions are compiled once, under the pointer that leads there."""

    def __init__(self, root: Schema) -> None:
        self.root = root
        self.definitions: dict[str, CoreSchema] = {}
        self.waiting: list[tuple[str, Schema]] = []
        self.known: set[str] = set()

    def whole(self) -> CoreSchema:
        """Return the core schema of the document."""
        made = self.schema(self.root)
        while self.waiting:
            reference, target = self.waiting.pop()
            inner = self.schema(target)
            self.definitions[reference] = {**inner, "ref": reference}
        if not self.definitions:
            return made
        return core_schema.definitions_schema(made, list(self.definitions.values()))

    def schema(self, schema: JsonValue) -> CoreSchema:
        """Return the core schema of one schema."""
        if schema is True or schema == {}:
            return core_schema.any_schema()
        if not isinstance(schema, dict) or not schema.keys() <= _KNOWN:
            raise NotCompiledError
        present = schema.keys() - _ANNOTATIONS
        if "$ref" in present:
            return self._reference(schema, present)
        if not present.isdisjoint(_CHOICES):
            return _choice(schema, present)
        unions = [key for key in ("anyOf", "oneOf") if key in present]
        if unions:
            return self._union(schema, unions[0], present)
        if "type" not in present:
            if present:  # a keyword without a type applies only to values of its own type
                raise NotCompiledError
            return core_schema.any_schema()
        return self._typed(schema, present)

    def _reference(self, schema: Schema, present: set[str]) -> CoreSchema:
        """Return what a `$ref` leads to. A recursive definition refers to itself by the same name."""
        reference = schema["$ref"]
        target = pointer_target(self.root, reference) if isinstance(reference, str) else None
        if present != {"$ref"} or not isinstance(target, dict) or "$id" in self.root:
            raise NotCompiledError
        if reference not in self.known:
            self.known.add(reference)
            self.waiting.append((reference, target))
        return core_schema.definition_reference_schema(reference)

    def _union(self, schema: Schema, keyword: str, present: set[str]) -> CoreSchema:
        """Return a union. In `oneOf` only one branch may fit, so the branches must exclude each other."""
        branches = schema[keyword]
        if present != {keyword} or not isinstance(branches, list) or not branches:
            raise NotCompiledError
        if keyword == "oneOf" and not _are_disjoint(branches):
            raise NotCompiledError
        rest = [branch for branch in branches if branch != {"type": "null"}]
        if sum(map(_holds_more, rest)) > 1:
            # Which keys are known, and what is wrong, depends on all of them; and a recursive
            # union takes 2^depth steps to reject a value unless what it found is remembered.
            raise NotCompiledError
        made = self._one_of([self.schema(branch) for branch in rest], all(map(_is_scalar, rest)))
        return made if len(rest) == len(branches) else core_schema.nullable_schema(made)

    def _typed(self, schema: Schema, present: set[str]) -> CoreSchema:
        names = types_of(schema)
        kinds = [name for name in names if name != "null"]
        if not names or not set(names) <= _OF_KIND.keys():
            raise NotCompiledError
        if not present <= {"type"}.union(*(_OF_KIND[kind] for kind in kinds)):
            raise NotCompiledError
        if not kinds:
            return core_schema.none_schema()
        made = self._one_of([self._of_kind(k, schema) for k in kinds], set(kinds) <= _SCALARS)
        return made if len(kinds) == len(names) else core_schema.nullable_schema(made)

    def _one_of(self, made: list[CoreSchema], scalars: bool) -> CoreSchema:
        if not made:
            return core_schema.none_schema()
        return made[0] if len(made) == 1 else _union_of(made, scalars)

    def _of_kind(self, kind: str, schema: Schema) -> CoreSchema:
        if kind == "object":
            return self._object(schema)
        if kind == "array":
            items = schema.get("items", True)
            return core_schema.list_schema(
                None if items is True or items == {} else self.schema(items),
                min_length=_count(schema.get("minItems")),
                max_length=_count(schema.get("maxItems")),
            )
        return _SCALAR_MAKERS[kind](schema)

    def _object(self, schema: Schema) -> CoreSchema:
        fields, others = schema.get("properties", {}), schema.get("additionalProperties", True)
        required = schema.get("required", [])
        if not isinstance(required, list) or not isinstance(fields, dict):
            raise NotCompiledError
        if not set(required) <= fields.keys():
            raise NotCompiledError
        if not fields and others is not False:
            values = None if others is True or others == {} else self.schema(others)
            return core_schema.dict_schema(core_schema.str_schema(), values)
        made = {
            name: core_schema.typed_dict_field(self.schema(part), required=name in required)
            for name, part in fields.items()
        }
        if others is False:
            return core_schema.typed_dict_schema(made, extra_behavior="forbid")
        if others is True or others == {}:
            silent = {SILENT: True} if "additionalProperties" not in schema else None
            return core_schema.typed_dict_schema(made, extra_behavior="allow", metadata=silent)
        extras = self.schema(others)
        return core_schema.typed_dict_schema(made, extra_behavior="allow", extras_schema=extras)


def _union_of(made: list[CoreSchema], scalars: bool) -> CoreSchema:
    """Return a union that takes the first branch that fits; for scalars it gives one error for all
    branches."""
    if not scalars:
        return core_schema.union_schema([*made], mode="left_to_right")
    return core_schema.union_schema(
        [*made],
        mode="left_to_right",
        custom_error_type="other_type",
        custom_error_message="a value of another type",
    )


def _holds_more(branch: JsonValue) -> bool:
    """True if a branch may be an object, a list, or anything that a reference leads to."""
    return not _is_scalar(branch)


def _is_scalar(branch: JsonValue) -> bool:
    if not isinstance(branch, dict):
        return False
    if not branch.keys().isdisjoint(_CHOICES):
        return True
    return bool(types_of(branch)) and set(types_of(branch)) <= _SCALARS


def _are_disjoint(branches: list[JsonValue]) -> bool:
    """True if no value fits two branches: each names types of its own; an integer is a number."""
    seen: set[str] = set()
    for branch in branches:
        if not isinstance(branch, dict) or not types_of(branch):
            return False
        names = {"number" if name == "integer" else name for name in types_of(branch)}
        if names & seen:
            return False
        seen |= names
    return True


def _choice(schema: Schema, present: set[str]) -> CoreSchema:
    """One of several known values, each of its own kind: `true` is not 1, and 1 is 1.0."""
    known = schema["enum"] if "enum" in present else [schema["const"]]
    if not present <= {"type", "enum"} and not present <= {"type", "const"}:
        raise NotCompiledError
    if not isinstance(known, list):
        raise NotCompiledError
    if "type" in present:
        known = [value for value in known if is_of(value, types_of(schema))]
    if any(isinstance(value, dict | list) for value in known) or not known:
        raise NotCompiledError
    texts = [value for value in known if isinstance(value, str)]
    if len(texts) == len(known):
        return core_schema.literal_schema(texts)
    accepted = {identity(value) for value in known}

    def check(value: JsonValue) -> JsonValue:
        if isinstance(value, dict | list) or identity(value) not in accepted:
            raise PydanticCustomError("enum", "not a known value")
        return value

    return core_schema.no_info_plain_validator_function(check)


def _count(limit: JsonValue) -> int | None:
    """Return a limit of a length, which JSON may write as `3.0`."""
    if limit is None:
        return None
    if isinstance(limit, bool) or not isinstance(limit, int | float) or limit != int(limit):
        raise NotCompiledError
    if not 0 <= limit < MAX_EXACT_FLOAT:  # pydantic-core takes no more than a machine word
        raise NotCompiledError
    return int(limit)


def _text(schema: Schema) -> CoreSchema:
    pattern, form = schema.get("pattern"), schema.get("format")
    if pattern is not None and not (isinstance(pattern, str) and _is_linear(pattern)):
        raise NotCompiledError
    made = core_schema.str_schema(
        strict=True,
        pattern=pattern,
        min_length=_count(schema.get("minLength")),
        max_length=_count(schema.get("maxLength")),
    )
    if not isinstance(form, str) or form not in CHECKED_FORMATS:
        return made

    def check(text: str) -> str:
        if not has_format(form, text):
            raise PydanticCustomError("format", "not of the format")
        return text

    return core_schema.no_info_after_validator_function(check, made)


def _number(schema: Schema) -> CoreSchema:
    if "multipleOf" in schema:  # pydantic allows a fraction to be off by 1e-9
        raise NotCompiledError
    least, most = _bounds(schema)
    integer = core_schema.int_schema(
        strict=True, ge=_whole(least, up=True), le=_whole(most, up=False)
    )
    return _union_of([integer, _float(schema)], scalars=True)


def _integer(schema: Schema) -> CoreSchema:
    """Return an integer; `3.0` is one to JSON Schema."""
    step = schema.get("multipleOf")
    if step is not None and (isinstance(step, bool) or not isinstance(step, int) or step < 1):
        raise NotCompiledError
    least, most = _bounds(schema)
    integer = core_schema.int_schema(
        strict=True, ge=_whole(least, up=True), le=_whole(most, up=False), multiple_of=step
    )

    def check(value: float) -> float:
        if not value.is_integer() or (step is not None and value % step):
            raise PydanticCustomError("integer", "not an integer")
        return value

    whole = core_schema.no_info_after_validator_function(check, _float(schema))
    return _union_of([integer, whole], scalars=True)


def _float(schema: Schema) -> CoreSchema:
    return core_schema.float_schema(
        strict=True,
        allow_inf_nan=False,
        ge=schema.get("minimum"),
        le=schema.get("maximum"),
        gt=schema.get("exclusiveMinimum"),
        lt=schema.get("exclusiveMaximum"),
    )


Bound = tuple[float, bool] | None
"""A bound, and whether the bound itself is excluded."""


def _bounds(schema: Schema) -> tuple[list[Bound], list[Bound]]:
    """Return the lower and upper bounds, each only where a float can hold it."""
    for key in _NUMBERS & schema.keys():
        bound = schema[key]
        if isinstance(bound, bool) or not isinstance(bound, int | float):
            raise NotCompiledError
        if not abs(bound) < MAX_EXACT_FLOAT:
            raise NotCompiledError
    least = [_bound(schema, "minimum", False), _bound(schema, "exclusiveMinimum", True)]
    return least, [_bound(schema, "maximum", False), _bound(schema, "exclusiveMaximum", True)]


def _bound(schema: Schema, key: str, excluded: bool) -> Bound:
    return (schema[key], excluded) if key in schema else None


def _whole(bounds: Iterable[Bound], *, up: bool) -> int | None:
    """Return the tightest bound as the integer next to it."""
    found = list(_rounded(bounds, up))
    if not found:
        return None
    return max(found) if up else min(found)


def _rounded(bounds: Iterable[Bound], up: bool) -> Iterator[int]:
    for bound in bounds:
        if bound is not None and up:
            yield floor(bound[0]) + 1 if bound[1] else ceil(bound[0])
        elif bound is not None:
            yield ceil(bound[0]) - 1 if bound[1] else floor(bound[0])


_SCALAR_MAKERS: Mapping[str, Callable[[Schema], CoreSchema]] = {
    "string": _text,
    "number": _number,
    "integer": _integer,
    "boolean": lambda _: core_schema.bool_schema(strict=True),
    "null": lambda _: core_schema.none_schema(),
}


def acceptor(made: CoreSchema) -> Callable[[JsonValue], bool]:
    """Return a function that is true for parsed JSON values that fit a compiled schema."""
    validate = SchemaValidator(made, {"strict": True}).validate_python

    def accepts(value: JsonValue) -> bool:
        try:
            validate(value)
        except (ValidationError, RecursionError):
            return False
        return True

    return accepts
