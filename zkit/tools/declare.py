"""Make tools from functions and classes: `@tool`, `as_tool`, and finding declared tools."""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Iterator
from difflib import get_close_matches
from typing import Any, ParamSpec, TypeVar, Unpack, overload

from typing_extensions import TypedDict

from zkit.errors import ToolDefinitionError
from zkit.grade import Grade, GradeName
from zkit.json_types import JsonObject
from zkit.receipt import Rank, RankName
from zkit.tools.python_tools import FunctionTool, TypedTool
from zkit.tools.spec import Tool
from zkit.tools.spec_fields import Example, Guide, Preference

P = ParamSpec("P")
R = TypeVar("R")


class Declared(TypedDict, total=False):
    """What `@tool(...)` takes: the fields of `ToolSpec`, and `formats`."""

    name: str
    description: str
    summary: str
    output: JsonObject | None
    examples: list[Example | JsonObject]
    tags: list[str] | tuple[str, ...]
    grade: Grade | tuple[int, int] | GradeName
    destructive: bool | dict[str, list[object]]
    idempotent: bool
    error_modes: list[str] | tuple[str, ...]
    guide: Guide | dict[str, list[str]]
    docs: str
    preference: Preference
    timeout: float
    provider: str
    provider_config: JsonObject
    cacheable: bool
    touches: list[str] | tuple[str, ...]
    limit: Rank | RankName
    parallel: bool
    formats: bool


@overload
def tool(function: Callable[P, R], /) -> FunctionTool[P, R]: ...
@overload
def tool(
    **declared: Unpack[Declared],
) -> Callable[[Callable[P, R]], FunctionTool[P, R]]: ...
def tool(function: Callable[..., object] | None = None, /, **declared: object) -> Any:
    """Make a tool from a function or method; it can still be called as before.

    Used as `@tool` or `@tool(grade=READ, tags=["files"])`. Name, description and parameters come
    from the function: its name, its docstring, its signature. A parameter annotated with `Context`
    is filled in by zkit and hidden from the model. For what is not declared, the worst case is
    assumed.
    """
    if function is None:
        return lambda found: tool_of(found, **declared)
    return tool_of(function, **declared)


def tool_of(function: Any, **declared: Any) -> FunctionTool[..., object]:
    """Make a tool from a function with what is declared about it."""
    if isinstance(function, FunctionTool):
        raise ToolDefinitionError(f"{function!r} is a tool already")
    if not callable(function) and not isinstance(function, staticmethod | classmethod):
        raise ToolDefinitionError(f"a tool is made from a function, not from {function!r}")
    if isinstance(function, type):
        raise ToolDefinitionError(
            f"{function.__name__} is a class; a tool as a class inherits from TypedTool"
        )
    unknown = [name for name in declared if name not in Declared.__annotations__]
    if unknown:
        near = get_close_matches(unknown[0], Declared.__annotations__, 1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise ToolDefinitionError(f"a tool has no option {unknown[0]!r}{hint}")
    return FunctionTool(function, **declared)


def as_tool(x: object, name: str | None = None) -> Tool:
    """Return the tool for a tool, a function or a tool class.

    `name` is for a function that has none, or another.
    """
    if isinstance(x, types.MethodType) and isinstance(x.__func__, FunctionTool):
        return x.__func__.__get__(x.__self__, type(x.__self__))
    if isinstance(x, type) and issubclass(x, TypedTool):
        return _instance(x)
    if isinstance(x, FunctionTool):
        return _bound(x)
    if not isinstance(x, type) and isinstance(x, Tool):
        return x
    if callable(x) and not isinstance(x, type):
        return _bound(FunctionTool(x, name=name))
    raise ToolDefinitionError(f"{x!r} is not a tool; use a function, or make one with @tool")


def _bound(made: FunctionTool[..., object]) -> Tool:
    if made.needs_instance:
        raise ToolDefinitionError(
            f"{made.definition().name} belongs to an instance: use the one of an object of its class"
        )
    return made


def _instance(kind: type[TypedTool]) -> Tool:
    """Return an instance of a class whose constructor needs no arguments."""
    try:
        inspect.signature(kind).bind()
    except TypeError as error:
        raise ToolDefinitionError(
            f"{kind.__name__} cannot be made without arguments ({error}): give an object of it"
        ) from error
    return kind()


def tools_in(x: object) -> Iterator[Tool]:
    """Find the tools among the attributes of an object or a module, by name."""
    yield from map(as_tool, declared_in(x))


def declared_in(x: object) -> Iterator[object]:
    """Find the attributes of an object or a module that are declared as tools, each once."""
    seen: list[object] = []
    for name in sorted(dir(x)):
        # Attributes are looked up without running properties, which may do anything.
        found = inspect.getattr_static(x, name, None)
        is_known = any(found is one for one in seen)
        if not name.startswith("__") and not is_known and _is_made_here(found, x):
            seen.append(found)
            yield getattr(x, name)


def _is_made_here(found: object, x: object) -> bool:
    """True if an attribute is a tool; of a module, one that was made in it and not imported."""
    inner = found.__func__ if isinstance(found, staticmethod | classmethod) else found
    if isinstance(inner, type):
        is_one = issubclass(inner, TypedTool) and hasattr(inner, "_spec")
    else:
        is_one = isinstance(inner, FunctionTool | TypedTool)
    if not is_one or not isinstance(x, types.ModuleType):
        return is_one
    return getattr(inner, "__module__", None) == x.__name__
