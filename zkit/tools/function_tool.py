"""A function in, a tool out that still is that function."""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Generic, ParamSpec, TypeVar

from zkit.calls import Call
from zkit.schema import Target, arguments_model, hidden_parameters, target_for
from zkit.schema.signature import function_description, function_name
from zkit.tools.context import Context
from zkit.tools.function_check import check_function, waits_for_instance
from zkit.tools.illustrating import illustrated
from zkit.tools.invoking import executed, is_async, typed_arguments
from zkit.tools.output_choice import OUTPUT, wants_formats, with_output
from zkit.tools.policy import policy_for
from zkit.tools.return_types import hints_of, output_schema, useful_return
from zkit.tools.schema_check import parameters_of, schema_of
from zkit.tools.spec import ToolSpec

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
        functools.update_wrapper(self, inner)  # first: a decorated tool brings fields of its own
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
        self._spec = ToolSpec(**_told(inner, self.target, declared))
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

    def __get__(self, instance: Any, owner: type | None = None) -> FunctionTool[..., R]:
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
        """Say what the tool is called, takes and does."""
        return self._spec

    def execute(self, call: Call, /) -> Any:
        """Run one call: a result, or for an async function something to await that gives one."""
        begin = functools.partial(self._begin, call)
        return executed(begin, call, self.runs_async, self._promised)

    def _begin(self, call: Call, context: Context) -> tuple[Any, str | None]:
        arguments = typed_arguments(self, call, self._limit) | dict.fromkeys(
            self._injected, context
        )
        output = arguments.pop(OUTPUT, "labeled") if self._formats else None
        return self._function(**arguments), output  # type: ignore[call-arg]


def _told(function: Any, target: Target, declared: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of the spec: what was declared, then what the function says of itself."""
    own = {
        "name": target.name,
        "description": function_description(function).prose,
        "parameters": parameters_of(target),
    }
    return {**own, **{name: value for name, value in declared.items() if value is not None}}
