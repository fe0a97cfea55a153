"""The declared return type of a function: its schema, and whether the model may choose the format."""

from __future__ import annotations

import dataclasses
import inspect
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel, Field, PydanticUserError, TypeAdapter, create_model
from typing_extensions import TypedDict, is_typeddict

from zkit.errors import SchemaError, ToolDefinitionError
from zkit.json_types import JsonMapping, JsonObject
from zkit.results import Result
from zkit.schema import Target, target_for
from zkit.schema.signature import plain_function
from zkit.schema.target import json_schema_of

_UNIONS = (Union, types.UnionType)
_SAYS_NOTHING = (None, type(None), Any, object)


def hints_of(function: Callable[..., object], names: JsonMapping | None = None) -> JsonObject:
    """Return the annotations of a function that can be resolved; `names` are additional names.

    Each is resolved on its own: an unknown name in one does not affect the others.
    """
    inner = inspect.unwrap(plain_function(function))
    known = {**getattr(inner, "__globals__", {}), **(names or {})}
    found: JsonObject = {}
    for name, hint in getattr(inner, "__annotations__", {}).items():
        holder = types.SimpleNamespace(__annotations__={name: hint})
        try:
            found |= typing.get_type_hints(holder, known, include_extras=True)
        except (NameError, TypeError, AttributeError, SyntaxError):
            continue
    return found


def useful_return(hints: JsonMapping) -> object:
    """Return the annotation of the return value; None when it does not describe data."""
    hint = hints.get("return")
    return None if hint in _SAYS_NOTHING or _is_result(hint) else hint


def _is_result(hint: object) -> bool:
    """True if a tool is annotated to return results, which do not describe their data."""
    parts = get_args(hint) if get_origin(hint) in _UNIONS else (hint,)
    return any(isinstance(part, type) and issubclass(part, Result) for part in parts)


def output_schema(hint: Any) -> JsonObject | None:
    """Return the JSON Schema of the return value; None when there is none."""
    if hint is None:
        return None
    try:
        return json_schema_of(TypeAdapter(hint), "the return value")
    except (SchemaError, PydanticUserError):
        return None


def is_record(hint: object) -> bool:
    """True if an annotation names data with fields, or a list or mapping of such data."""
    if get_origin(hint) is Annotated:
        return is_record(get_args(hint)[0])
    if get_origin(hint) in _UNIONS:
        return any(is_record(part) for part in get_args(hint))
    outer = get_origin(hint)
    if isinstance(outer, type) and issubclass(outer, Sequence | Mapping):
        return any(is_record(part) for part in get_args(hint))
    return isinstance(hint, type) and _has_fields(hint)


def _has_fields(kind: type) -> bool:
    return (
        issubclass(kind, BaseModel)
        or dataclasses.is_dataclass(kind)
        or is_typeddict(kind)
        or (issubclass(kind, tuple) and hasattr(kind, "_fields"))
    )


OUTPUT = "output"
_ABOUT = "How the result is written: readable, or as JSON."
Output = Annotated[Literal["labeled", "json"], Field(default="labeled", description=_ABOUT)]


def wants_formats(schema: JsonObject, returns: object, formats: bool | None, name: str) -> bool:
    """True if a tool gets the parameter `output`: if it returns records, or if its author says so."""
    taken = OUTPUT in schema.get("properties", {})
    if formats and taken:
        raise ToolDefinitionError(f"{name}: has a parameter {OUTPUT!r} already")
    return not taken and (is_record(returns) if formats is None else formats)


def with_output(model: Any) -> Target:
    """Return the target of a pydantic model or a TypedDict that also takes `output`."""
    if isinstance(model, type) and issubclass(model, BaseModel):
        return target_for(create_model(model.__name__, __base__=model, output=(Output, "labeled")))
    make: Any = TypedDict
    wider = make(model.__name__, {**model.__annotations__, OUTPUT: Output})
    wider.__module__ = model.__module__
    wider.__pydantic_config__ = getattr(model, "__pydantic_config__", {})
    return replace(target_for(wider), kind="function")
