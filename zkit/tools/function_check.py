"""A function in, a refusal out when it could be declared as a tool but never called."""

from __future__ import annotations

import inspect
import types
from collections.abc import Iterable
from typing import Any

from zkit.errors import ToolDefinitionError
from zkit.schema.signature import function_name


def check_function(function: Any, name: str | None, injected: Iterable[str]) -> None:
    """Raise `ToolDefinitionError` that says what to do; `injected` are parameters that we fill in."""
    said = function_name(function)
    if said == "<lambda>" and not name:
        raise ToolDefinitionError("a lambda has no name: give it one with @tool(name=...)")
    if isinstance(function, types.MethodDescriptorType | types.WrapperDescriptorType):
        raise ToolDefinitionError(f"{said} is a method of a type: use the one of an object")
    if _takes_self(function) and not waits_for_instance(function):
        raise ToolDefinitionError(
            f"{said}: 'self' is for methods, and this is none; give the parameter another name"
        )
    parameters = inspect.signature(getattr(function, "__func__", function)).parameters
    for parameter in (parameters[one] for one in injected):
        if parameter.kind is parameter.POSITIONAL_ONLY:
            raise ToolDefinitionError(
                f"{said}: the context {parameter.name!r} is passed by name; move it behind the"
                " '/' in the signature"
            )


def waits_for_instance(function: Any) -> bool:
    """Whether a function is defined in the body of a class and not bound to an object yet."""
    place = getattr(function, "__qualname__", "").rpartition(".")[0]
    return _takes_self(function) and bool(place) and not place.endswith("<locals>")


def _takes_self(function: Any) -> bool:
    if isinstance(function, staticmethod) or inspect.ismethod(function):
        return False
    inner = getattr(function, "__func__", function)
    if not inspect.isfunction(inner):
        return False
    first = next(iter(inspect.signature(inner).parameters.values()), None)
    return first is not None and first.name in ("self", "cls") and first.annotation is first.empty
