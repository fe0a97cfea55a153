"""A function in, what it says it returns out: the schema, and whether it is a record."""

from __future__ import annotations

import dataclasses
import inspect
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel, PydanticUserError, TypeAdapter
from typing_extensions import is_typeddict

from zkit.errors import SchemaError
from zkit.results import Result
from zkit.schema.pydantic_schema import json_schema_of
from zkit.schema.signature import plain_function

_UNIONS = (Union, types.UnionType)
_SAYS_NOTHING = (None, type(None), Any, object)


def hints_of(
    function: Callable[..., Any], names: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Return the annotations of a function that can be resolved; `names` are known besides.

    Each is resolved alone: one that names something unknown does not take the others with it.
    """
    inner = inspect.unwrap(plain_function(function))
    known = {**getattr(inner, "__globals__", {}), **(names or {})}
    found: dict[str, Any] = {}
    for name, hint in getattr(inner, "__annotations__", {}).items():
        holder = types.SimpleNamespace(__annotations__={name: hint})
        try:
            found |= typing.get_type_hints(holder, known, include_extras=True)
        except (NameError, TypeError, AttributeError, SyntaxError):
            continue
    return found


def useful_return(hints: Mapping[str, Any]) -> Any:
    """Return the annotation of what comes back; None when it says nothing of the data."""
    hint = hints.get("return")
    return None if hint in _SAYS_NOTHING or _is_result(hint) else hint


def _is_result(hint: Any) -> bool:
    """Whether a tool says that it returns results: they say nothing of the data in them."""
    parts = get_args(hint) if get_origin(hint) in _UNIONS else (hint,)
    return any(isinstance(part, type) and issubclass(part, Result) for part in parts)


def output_schema(hint: Any) -> dict[str, Any] | None:
    """Return the JSON Schema of what comes back; None when there is none to tell."""
    if hint is None:
        return None
    try:
        return json_schema_of(TypeAdapter(hint), "the return value")
    except (SchemaError, PydanticUserError):
        return None


def is_record(hint: Any) -> bool:
    """Whether an annotation names data with fields, or a list or mapping of such data."""
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
