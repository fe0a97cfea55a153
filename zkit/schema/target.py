"""One way to validate arguments for models, functions, tools and raw schemas, and the JSON Schemas of pydantic."""

from __future__ import annotations

import json
import typing
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MethodType
from typing import Any, Literal, Protocol, TypeVar, get_args, get_type_hints

from pydantic import PydanticSchemaGenerationError, PydanticUserError, TypeAdapter
from pydantic.errors import PydanticInvalidForJsonSchema
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue, JsonSchemaWarningKind
from pydantic_core import core_schema

from zkit.errors import SchemaError, ToolDefinitionError
from zkit.json_types import JsonMapping, JsonObject
from zkit.schema.offers import NO_ARGUMENTS, PARAMETER_NAMES, parameters_of
from zkit.schema.raw_validator import RawValidator
from zkit.schema.schema_limits import MAX_CHARACTERS, MAX_KEPT
from zkit.schema.signature import (
    arguments_model,
    describe,
    function_description,
    function_name,
    readable,
)

ADVICE = "use plain types, a pydantic model, a dataclass or a TypedDict"


class PlainJsonSchema(GenerateJsonSchema):
    """Pydantic's generator, without made-up titles and with the keys in the order of declaration.

    A title made from a name tells a model nothing that the name does not, and costs tokens in
    every request. Descriptions come from class docstrings where no field has its own.
    """

    ignored_warning_kinds: set[JsonSchemaWarningKind] = {  # noqa: RUF012 (as declared there)
        "skipped-choice",
        "non-serializable-default",
    }

    def field_title_should_be_set(self, schema: object) -> bool:
        """Return False: only explicit titles are kept."""
        return False

    def sort(self, value: JsonSchemaValue, parent_key: str | None = None) -> JsonSchemaValue:
        """Keep the order: a model writes the keys in the order in which it reads them."""
        return value

    def model_schema(self, schema: core_schema.ModelSchema) -> JsonSchemaValue:
        """Return the schema of a pydantic model."""
        return _without_class_title(super().model_schema(schema), schema["cls"], schema)

    def dataclass_schema(self, schema: core_schema.DataclassSchema) -> JsonSchemaValue:
        """Return the schema of a dataclass."""
        made = _without_class_title(super().dataclass_schema(schema), schema["cls"], schema)
        return _as_declared(made, getattr(schema["cls"], "__dataclass_fields__", {}))

    def typed_dict_schema(self, schema: core_schema.TypedDictSchema) -> JsonSchemaValue:
        """Return the schema of a TypedDict."""
        return _without_class_title(super().typed_dict_schema(schema), schema.get("cls"), schema)

    def enum_schema(self, schema: core_schema.EnumSchema) -> JsonSchemaValue:
        """Return the schema of an enum."""
        return _without_class_title(super().enum_schema(schema), schema["cls"], schema)


def _without_class_title(
    json_schema: JsonSchemaValue, cls: type | None, schema: object
) -> JsonSchemaValue:
    """Drop the title that is only the class's name, and spread its docstring over its fields."""
    if cls is None or json_schema.get("title") == cls.__name__:
        json_schema.pop("title", None)
    description = json_schema.get("description")
    if description and "\n" in description:
        described = describe(description)
        _spread(json_schema, described.entries)
        if described.entries:
            json_schema["description"] = described.prose
    return json_schema


def _as_declared(json_schema: JsonSchemaValue, fields: JsonMapping) -> JsonSchemaValue:
    """Put a dataclass's properties in the order of declaration; drop fields that are not in
    `__init__`."""
    order = {name: place for place, name in enumerate(fields)}
    sent = [n for n in json_schema.get("properties", {}) if n not in fields or fields[n].init]
    sent.sort(key=lambda name: order.get(name, len(order)))
    made = {**json_schema, "properties": {name: json_schema["properties"][name] for name in sent}}
    return made if "properties" in json_schema else json_schema


def _spread(json_schema: JsonSchemaValue, entries: Any) -> None:
    for name, text in entries.items():
        own = json_schema.get("properties", {}).get(name)
        if isinstance(own, dict) and "description" not in own:
            own["description"] = text


def json_schema_of(adapter: TypeAdapter[object], name: str) -> JsonObject:
    """Return the JSON Schema of what an adapter accepts, its root never behind a `$ref`."""
    try:
        schema = adapter.json_schema(schema_generator=PlainJsonSchema, mode="validation")
    except (PydanticInvalidForJsonSchema, PydanticUserError) as error:
        place = f"{name}{_culprit(adapter)}"
        raise SchemaError(f"{place}: {_first_line(error)}; {ADVICE}") from error
    return with_open_root(_without_names(schema))


def _without_names(schema: JsonObject) -> JsonObject:
    """Drop the titles of definitions that only repeat their name."""
    for name, part in schema.get("$defs", {}).items():
        if part.get("title") == name:
            del part["title"]
    return schema


def with_open_root(schema: JsonObject) -> JsonObject:
    """Put the definition that a recursive schema's root refers to in the root itself."""
    definitions = schema.get("$defs", {})
    target = definitions.get(str(schema.get("$ref", "")).removeprefix("#/$defs/"))
    if target is None:
        return schema
    own = {key: value for key, value in schema.items() if key not in ("$ref", "$defs")}
    return {**target, **own, "$defs": definitions}


def _culprit(adapter: TypeAdapter[object]) -> str:
    """Name the field whose type has no JSON Schema, when one field alone is the reason."""
    for name, hint in _fields(adapter._type).items():
        try:
            TypeAdapter(hint).json_schema(schema_generator=PlainJsonSchema)
        except PydanticUserError:
            return f".{name}"
    return ""


def _fields(cls: object) -> JsonObject:
    try:
        hints = get_type_hints(cls, include_extras=True)
    except (NameError, TypeError):
        return {}
    return {name: get_args(hint)[0] if _is_marked(hint) else hint for name, hint in hints.items()}


def _is_marked(hint: object) -> bool:
    return str(getattr(hint, "__origin__", "")).endswith(("Required", "ReadOnly", "ClassVar"))


def _first_line(error: Exception) -> str:
    return str(error).split("\n", 1)[0]


K = TypeVar("K")
V = TypeVar("V")


class Validate(Protocol):
    """Returns the validated value, or raises `pydantic.ValidationError` or `MisfitError`."""

    def __call__(self, value: Any, /, *, strict: bool | None = None) -> Any:
        """Validate."""


@dataclass(frozen=True)
class Target:
    """What arguments must look like, and how to check that they do.

    `kind` is `model` for a Python type, `function` (the value is a dict of keyword arguments) or
    `raw` for a JSON Schema (the value is what arrived; failures raise `MisfitError`, those of the
    other kinds `pydantic.ValidationError`). `schema` is made on first use.
    """

    name: str
    kind: Literal["model", "function", "raw"]
    validate_json: Validate = field(repr=False)
    validate_python: Validate = field(repr=False)
    _schema: Callable[[], JsonObject] = field(repr=False)
    core_schema: object = field(default=None, repr=False)
    """What pydantic compiles its validator from; None for a JSON Schema that it cannot express."""

    @cached_property
    def schema(self) -> JsonObject:
        """The JSON Schema of what must be sent; do not change it."""
        return self._schema()

    @property
    def description(self) -> str:
        """The description of the whole schema."""
        return str(self.schema.get("description", ""))


@dataclass(frozen=True, slots=True)
class _Known:
    """A target, and its subject, which is kept alive so that its identity stays unique."""

    subject: object
    target: Target


# The most recent targets, by the identity of their subject. Bounded and not weak: a validator
# refers to its class, so a weak key would never be removed.
_KNOWN: dict[object, _Known] = {}
_RAW: dict[str, Target] = {}
_SENT: dict[int, tuple[JsonMapping, JsonObject, Target]] = {}


def target_for(x: object, *, hide: Collection[type] = ()) -> Target:
    """Return the target for a model, TypedDict, dataclass, function, tool, or raw JSON Schema.

    Compiled once. Parameters of a function annotated with a type in `hide` are left out. If an
    object has a `Target` as its attribute `target`, that one is returned.
    """
    if hide:
        return _make(x, hide)
    known = _KNOWN.get(id(x))
    if known is not None and known.subject is x:
        return known.target
    return _known_raw(x) or _made_once(x)


def _made_once(x: object) -> Target:
    """Make a target, or find the one that another object for the same method made."""
    subject: object = x
    key: object = id(x)
    if isinstance(x, MethodType):
        subject, key = x.__func__, ("bound", id(x.__func__))
    known = _KNOWN.get(key)
    if known is not None and known.subject is subject:
        return known.target
    target = _make(x, ())
    if target.kind != "raw":  # those are compared by content, because they can be changed
        _remember(_KNOWN, key, _Known(subject, target))
    return target


def _remember(table: dict[K, V], key: K, value: V) -> None:
    while len(table) >= MAX_KEPT:
        table.pop(next(iter(table)), None)
    table[key] = value


def _make(x: Any, hide: Collection[type]) -> Target:
    if isinstance(x, Mapping):
        return _of_mapping(x)
    if isinstance(x, type) or typing.get_origin(x) is not None:
        return _of_type(x)
    if isinstance(getattr(x, "target", None), Target):
        return x.target  # type: ignore[no-any-return]
    if callable(getattr(x, "definition", None)):
        return target_for(x.definition())
    parameters = parameters_of(x)
    if parameters is not None:
        return _named(target_for(parameters), getattr(x, "name", ""))
    if callable(x) or isinstance(x, (staticmethod, classmethod)):
        return _of_function(x, hide)
    raise ToolDefinitionError(
        f"{x!r} describes no arguments: pass a pydantic model, a TypedDict, a dataclass,"
        " an annotated function, a tool, or a JSON Schema"
    )


def _named(target: Target, name: object) -> Target:
    if not isinstance(name, str) or not name or target.name == name:
        return target
    key = (id(target), name)
    known = _KNOWN.get(key)
    if known is None or known.subject is not target:
        known = _Known(target, replace(target, name=name, _schema=lambda: target.schema))
        _remember(_KNOWN, key, known)
    return known.target


def _of_mapping(x: JsonMapping) -> Target:
    inner = x.get("function") if x.get("type") == "function" else None
    tool = inner if isinstance(inner, Mapping) else x
    if isinstance(tool.get("name"), str):
        found = next((tool[name] for name in PARAMETER_NAMES if tool.get(name)), NO_ARGUMENTS)
        return _named(target_for(found), tool["name"])
    return _of_raw(x)


def _known_raw(x: object) -> Target | None:
    """Return the target of a dict that was seen before and has not changed.

    A dict may be changed at any time, so it is compared. That is far cheaper than serialising it;
    only a change from 1 to `true` is not noticed.
    """
    sent = _SENT.get(id(x))
    return sent[2] if sent is not None and sent[0] is x and sent[1] == x else None


def _of_raw(schema: JsonMapping) -> Target:
    try:
        key = json.dumps(schema, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise SchemaError(f"not a JSON Schema: {error}") from None
    if len(key) > MAX_CHARACTERS:
        raise SchemaError(f"the schema has {len(key):,} characters; {MAX_CHARACTERS:,} are allowed")
    target = _RAW.get(key)
    if target is None:
        plain = json.loads(key)  # a copy: the caller may change the schema later
        validator = RawValidator(plain)
        name = str(plain.get("title") or "arguments")
        target = Target(
            name,
            "raw",
            validator.validate_json,
            validator.validate_python,
            lambda: plain,
            validator.core_schema,
        )
        _remember(_RAW, key, target)
    if type(schema) is dict:
        _remember(_SENT, id(schema), (schema, json.loads(key), target))
    return target


def _of_type(x: object) -> Target:
    name = getattr(x, "__name__", None) or str(x)
    adapter = _adapter(x, name)
    return Target(
        name,
        "model",
        adapter.validator.validate_json,
        adapter.validator.validate_python,
        lambda: json_schema_of(adapter, name),
        adapter.core_schema,
    )


def _of_function(x: Callable[..., object], hide: Collection[type]) -> Target:
    name = function_name(x)
    adapter = _adapter(arguments_model(x, hide=hide), name)
    summary = function_description(x).summary
    about = {"description": summary} if summary else {}
    return Target(
        name,
        "function",
        adapter.validator.validate_json,
        adapter.validator.validate_python,
        lambda: {**about, **json_schema_of(adapter, name)},
        adapter.core_schema,
    )


def _adapter(x: object, name: str) -> TypeAdapter[object]:
    try:
        adapter: TypeAdapter[object] = TypeAdapter(readable(x))
        adapter.rebuild(raise_errors=True)
    except PydanticSchemaGenerationError as error:
        what = str(error).partition(" for ")[2].partition(". Set ")[0]
        raise ToolDefinitionError(f"{name}: JSON cannot express {what}; {ADVICE}") from error
    except PydanticUserError as error:
        raise ToolDefinitionError(f"{name}: {str(error).splitlines()[0]}") from error
    return adapter
