"""Tools made from a function or from a class with typed arguments."""

from __future__ import annotations

import copy
import functools
import inspect
import re
import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields, replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Generic, ParamSpec, Self, TypeVar

from pydantic import BaseModel

from zkit.calls import Call
from zkit.errors import ToolDefinitionError
from zkit.json_types import JsonMapping, JsonObject
from zkit.receipt import Rank
from zkit.schema import Target, arguments_model, hidden_parameters, target_for
from zkit.schema.signature import describe, function_description, function_name, is_hidden
from zkit.tools.context import Context
from zkit.tools.execution import executed, is_async, typed_arguments
from zkit.tools.frozen_data import thaw
from zkit.tools.policy import policy_for
from zkit.tools.return_types import (
    OUTPUT,
    hints_of,
    output_schema,
    useful_return,
    wants_formats,
    with_output,
)
from zkit.tools.spec import ToolSpec
from zkit.tools.spec_fields import Example, parameters_of, schema_of


def check_function(function: Any, name: str | None, injected: Iterable[str]) -> None:
    """Raise `ToolDefinitionError` that says what to do; `injected` are parameters that we fill in."""
    shown_name = function_name(function)
    if shown_name == "<lambda>" and not name:
        raise ToolDefinitionError("a lambda has no name: give it one with @tool(name=...)")
    if isinstance(function, types.MethodDescriptorType | types.WrapperDescriptorType):
        raise ToolDefinitionError(f"{shown_name} is a method of a type: use the one of an object")
    if _takes_self(function) and not waits_for_instance(function):
        raise ToolDefinitionError(
            f"{shown_name}: 'self' is for methods, and this is not one; give the parameter another name"
        )
    parameters = inspect.signature(getattr(function, "__func__", function)).parameters
    for parameter in (parameters[one] for one in injected):
        if parameter.kind is parameter.POSITIONAL_ONLY:
            raise ToolDefinitionError(
                f"{shown_name}: the context {parameter.name!r} is passed by name; move it behind the"
                " '/' in the signature"
            )


def waits_for_instance(function: object) -> bool:
    """True if a function is defined in the body of a class and not bound to an object yet."""
    place = getattr(function, "__qualname__", "").rpartition(".")[0]
    return _takes_self(function) and bool(place) and not place.endswith("<locals>")


def _takes_self(function: object) -> bool:
    if isinstance(function, staticmethod) or inspect.ismethod(function):
        return False
    inner = getattr(function, "__func__", function)
    if not inspect.isfunction(inner):
        return False
    first = next(iter(inspect.signature(inner).parameters.values()), None)
    return first is not None and first.name in ("self", "cls") and first.annotation is first.empty


def illustrated(target: Target, examples: Sequence[Example]) -> Target:
    """Return the target with the values that the examples have for its parameters.

    A message about wrong arguments shows them instead of invented values. The parameters in the
    spec stay as they are: there they would cost tokens in every request.
    """
    if not examples:
        return target
    return replace(target, _schema=lambda: _with_values(target.schema, examples))


def _with_values(schema: JsonObject, examples: Sequence[Example]) -> JsonObject:
    properties = schema.get("properties", {})
    shown = {name: _shown(name, part, examples) for name, part in properties.items()}
    return {**schema, "properties": shown}


def _shown(name: str, part: object, examples: Sequence[Example]) -> object:
    values = [thaw(one.arguments[name]) for one in examples if name in one.arguments]
    if not values or not isinstance(part, Mapping) or "examples" in part:
        return part
    return {**part, "examples": values}


P = ParamSpec("P")
R = TypeVar("R")


class FunctionTool(Generic[P, R]):
    """A tool made from a function. Called as a function, it is that function.

    A tool that returns records also takes `output`, `"labeled"` (the default) or `"json"`, unless
    `formats` is False.
    """

    __name__: str
    __qualname__: str
    runs_async: bool
    needs_instance: bool

    def __init__(
        self, function: Callable[P, R], *, formats: bool | None = None, **declared: Any
    ) -> None:
        inner = function.__func__ if isinstance(function, staticmethod | classmethod) else function
        functools.update_wrapper(self, inner)  # first: a decorated tool has its own fields
        self._function = function
        self.runs_async = is_async(inner)
        self.needs_instance = waits_for_instance(function)
        returns = useful_return(hints_of(inner))
        self._injected = hidden_parameters(inner, {Context})
        check_function(function, declared.get("name"), self._injected)
        name = declared.get("name") or function_name(inner)
        target = target_for(inner, hide={Context})
        self._formats = wants_formats(schema_of(target), returns, formats, name)
        if self._formats:
            target = with_output(arguments_model(inner, hide={Context}))
        self.target = replace(target, name=name)
        self._promised = declared.get("output")
        declared.setdefault("output", output_schema(returns))
        self._spec = ToolSpec(**_spec_fields(inner, self.target, declared))
        self.target = illustrated(self.target, self._spec.examples)
        self._limit = policy_for(self._spec).limit

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Call the function itself."""
        function: Any = self._function
        if isinstance(function, staticmethod):
            function = function.__func__
        result: R = function(*args, **kwargs)
        return result

    def __repr__(self) -> str:
        return f"<tool {self._spec.signature()}>"

    def __get__(self, instance: object, owner: type | None = None) -> FunctionTool[..., R]:
        """Bind a tool that is defined in a class, as Python binds a method."""
        if isinstance(self._function, staticmethod):
            return self
        if instance is None and not isinstance(self._function, classmethod):
            return self
        bound: FunctionTool[..., R] = copy.copy(self)
        bound._function = self._function.__get__(instance, owner)
        bound.needs_instance = False
        return bound

    def definition(self) -> ToolSpec:
        """Return the tool's spec: its name, parameters and description."""
        return self._spec

    def execute(self, call: Call, /) -> Any:
        """Run one call; return the result, or an awaitable of it if the function is async."""
        begin = functools.partial(self._begin, call)
        return executed(begin, call, self.runs_async, self._promised)

    def _begin(self, call: Call, context: Context) -> tuple[object, str | None]:
        arguments = typed_arguments(self, call, self._limit, context)
        if self._injected:
            arguments |= dict.fromkeys(self._injected, context)
        output = arguments.pop(OUTPUT, "labeled") if self._formats else None
        return self._function(**arguments), output  # type: ignore[call-arg]


def _spec_fields(function: Any, target: Target, declared: JsonMapping) -> JsonObject:
    """Return the fields of the spec: what was declared, then what comes from the function."""
    own = {
        "name": target.name,
        "description": function_description(function).prose,
        "parameters": parameters_of(target),
    }
    return {**own, **{name: value for name, value in declared.items() if value is not None}}


_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


class TypedTool:
    """A tool as a class: `Args` declares the parameters, `run` does the work.

        class ReadFile(TypedTool):
            \"\"\"Read a text file.\"\"\"
            grade = READ

            class Args(BaseModel):
                path: str

            def run(self, args: Args) -> str: ...

    Every field of `ToolSpec` may be set as an attribute of the class. `run` may be async and may
    take a `Context`. The name is the class's own in snake case, the description its docstring.
    """

    Args: ClassVar[object]
    target: ClassVar[Target]
    runs_async: ClassVar[bool]
    _spec: ClassVar[ToolSpec]
    _injected: ClassVar[tuple[str, ...]]
    _formats: ClassVar[bool]
    _limit: ClassVar[Rank]
    if TYPE_CHECKING:
        run: Any

    def __init_subclass__(cls, **options: object) -> None:
        super().__init_subclass__(**options)
        if hasattr(cls, "run"):
            _declare(cls)

    def __new__(cls, *args: object, **kwargs: object) -> Self:
        """Refuse a class without `run`, which is only a base class."""
        if not hasattr(cls, "_spec"):
            raise ToolDefinitionError(f"{cls.__name__}: needs a method run that does the work")
        return super().__new__(cls)

    def definition(self) -> ToolSpec:
        """Return the tool's spec: its name, parameters and description."""
        return self._spec

    def execute(self, call: Call, /) -> Any:
        """Run one call; return the result, or an awaitable of it if `run` is async."""
        promised = getattr(self, "output", None)
        return executed(partial(self._begin, call), call, self.runs_async, promised)

    def _begin(self, call: Call, context: Context) -> tuple[Any, str | None]:
        arguments = typed_arguments(self, call, self._limit, context)
        output = arguments.output if self._formats else None
        return self.run(arguments, **dict.fromkeys(self._injected, context)), output


def _declare(cls: type[TypedTool]) -> None:
    """Make the spec of a class when it is defined, so that mistakes are reported there."""
    if not hasattr(cls, "Args"):
        raise ToolDefinitionError(f"{cls.__name__}: needs a class Args that says what it takes")
    declared = {f.name: getattr(cls, f.name) for f in fields(ToolSpec) if hasattr(cls, f.name)}
    name = declared.pop("name", None) or _HUMP.sub("_", cls.__name__).lower()
    hints = hints_of(cls.run, {name: getattr(cls, name) for name in dir(cls)})
    target, returns = target_for(cls.Args), useful_return(hints)
    wanted = getattr(cls, "formats", None if _is_model(cls.Args) else False)
    cls._formats = wants_formats(schema_of(target), returns, wanted, name)
    cls.target = replace(
        with_output(cls.Args) if cls._formats else target, name=name, kind="function"
    )
    cls.runs_async = is_async(cls.run)
    cls._injected = tuple(name for name, hint in hints.items() if is_hidden(hint, {Context}))
    _check_run(cls)
    own = {
        "description": describe(cls.__doc__).prose if "__doc__" in vars(cls) else "",
        "output": output_schema(returns),
        "parameters": parameters_of(cls.target),
    }
    cls._spec = ToolSpec(name, **{**own, **declared})
    cls.target = illustrated(cls.target, cls._spec.examples)
    cls._limit = policy_for(cls._spec).limit


def _check_run(cls: type[TypedTool]) -> None:
    """Refuse a `run` that does not take exactly the arguments."""
    owner = [] if isinstance(inspect.getattr_static(cls, "run"), staticmethod) else [cls]
    signature = inspect.signature(inspect.getattr_static(cls, "run").__get__(None, cls))
    try:
        signature.bind(*owner, cls.Args, **dict.fromkeys(cls._injected))
    except TypeError as error:
        raise ToolDefinitionError(
            f"{cls.__name__}: write def run(self, args: Args), with a Context besides if you need"
            f" one ({error})"
        ) from error


def _is_model(x: object) -> bool:
    return isinstance(x, type) and issubclass(x, BaseModel)
