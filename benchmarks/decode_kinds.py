"""One tool declared in every way that `decode` takes, each with the plain validator next to it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NotRequired

from jsonschema import Draft202012Validator
from pydantic import BaseModel, TypeAdapter
from pydantic_core import from_json
from typing_extensions import TypedDict

from zkit import ToolSpec
from zkit.schema import arguments_model, schema_for

TEXT = '{"query": "northern lights", "max_results": 5, "safe": false}'


class AsModel(BaseModel):
    """A pydantic model."""

    query: str
    max_results: int = 10
    site: str | None = None
    safe: bool = True


class AsTypedDict(TypedDict):
    """A TypedDict."""

    query: str
    max_results: NotRequired[int]
    site: NotRequired[str | None]
    safe: NotRequired[bool]


@dataclass
class AsDataclass:
    """A dataclass."""

    query: str
    max_results: int = 10
    site: str | None = None
    safe: bool = True


def as_function(
    query: str, max_results: int = 10, site: str | None = None, safe: bool = True
) -> None:
    """A function."""


def ways() -> Iterator[tuple[str, Any, Callable[[str], object]]]:
    """Each declaration by its name, with what validates the same text without zkit."""
    schema = schema_for(AsModel)
    plain = Draft202012Validator(schema)

    def by_schema(text: str) -> object:
        value = from_json(text)
        plain.validate(value)
        return value

    yield "a model", AsModel, AsModel.model_validate_json
    yield "a TypedDict", AsTypedDict, TypeAdapter(AsTypedDict).validate_json
    yield "a dataclass", AsDataclass, TypeAdapter(AsDataclass).validate_json
    function = TypeAdapter(arguments_model(as_function))
    yield "a function", as_function, function.validate_json
    yield "a ToolSpec with a JSON Schema", ToolSpec("search", "", schema), by_schema
    yield "a JSON Schema in a dict", schema, by_schema
