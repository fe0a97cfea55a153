"""Generates the JSON Schema of a Python type, with fields in the order of declaration."""

from __future__ import annotations

from typing import Any, get_args, get_type_hints

from pydantic import TypeAdapter
from pydantic.errors import PydanticInvalidForJsonSchema, PydanticUserError
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue, JsonSchemaWarningKind
from pydantic_core import core_schema

from zkit.errors import SchemaError
from zkit.json_types import JsonMapping, JsonObject
from zkit.schema.signature import describe

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
        """Never: only a title that somebody wrote is a title."""
        return False

    def sort(self, value: JsonSchemaValue, parent_key: str | None = None) -> JsonSchemaValue:
        """Leave the order as it is: a model writes the keys in the order in which it reads them."""
        return value

    def model_schema(self, schema: core_schema.ModelSchema) -> JsonSchemaValue:
        """Return the schema of a pydantic model."""
        return _told(super().model_schema(schema), schema["cls"], schema)

    def dataclass_schema(self, schema: core_schema.DataclassSchema) -> JsonSchemaValue:
        """Return the schema of a dataclass."""
        made = _told(super().dataclass_schema(schema), schema["cls"], schema)
        return _as_declared(made, getattr(schema["cls"], "__dataclass_fields__", {}))

    def typed_dict_schema(self, schema: core_schema.TypedDictSchema) -> JsonSchemaValue:
        """Return the schema of a TypedDict."""
        return _told(super().typed_dict_schema(schema), schema.get("cls"), schema)

    def enum_schema(self, schema: core_schema.EnumSchema) -> JsonSchemaValue:
        """Return the schema of an enum."""
        return _told(super().enum_schema(schema), schema["cls"], schema)


def _told(json_schema: JsonSchemaValue, cls: type | None, schema: object) -> JsonSchemaValue:
    """Drop the title that is only the class's name, and spread its docstring over its fields."""
    if cls is None or json_schema.get("title") == cls.__name__:
        json_schema.pop("title", None)
    description = json_schema.get("description")
    if description and "\n" in description:
        said = describe(description)
        _spread(json_schema, said.entries)
        if said.entries:
            json_schema["description"] = said.prose
    return json_schema


def _as_declared(json_schema: JsonSchemaValue, fields: JsonMapping) -> JsonSchemaValue:
    """Put a dataclass's properties in their order, keyword-only ones too; drop what it makes itself."""
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
