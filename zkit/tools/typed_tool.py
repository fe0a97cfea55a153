"""A tool that is a class with typed arguments, for tools that hold state."""

from __future__ import annotations

import inspect
import re
from dataclasses import fields, replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Self

from pydantic import BaseModel

from zkit.calls import Call
from zkit.errors import ToolDefinitionError
from zkit.receipt import Rank
from zkit.schema import Target, target_for
from zkit.schema.signature import describe, is_hidden
from zkit.tools.context import Context
from zkit.tools.execution import executed, is_async, typed_arguments
from zkit.tools.function_tool import illustrated
from zkit.tools.policy import policy_for
from zkit.tools.return_types import (
    hints_of,
    output_schema,
    useful_return,
    wants_formats,
    with_output,
)
from zkit.tools.spec import ToolSpec
from zkit.tools.spec_fields import parameters_of, schema_of

_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


class TypedTool:
    """A tool as a class: `Args` says what it takes, `run` does it.

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
        """Refuse a class that does nothing yet: one to inherit from."""
        if not hasattr(cls, "_spec"):
            raise ToolDefinitionError(f"{cls.__name__}: needs a method run that does the work")
        return super().__new__(cls)

    def definition(self) -> ToolSpec:
        """Say what the tool is called, takes and does."""
        return self._spec

    def execute(self, call: Call, /) -> Any:
        """Run one call: a result, or for an async `run` something to await that gives one."""
        promised = getattr(self, "output", None)
        return executed(partial(self._begin, call), call, self.runs_async, promised)

    def _begin(self, call: Call, context: Context) -> tuple[Any, str | None]:
        arguments = typed_arguments(self, call, self._limit, context)
        output = arguments.output if self._formats else None
        return self.run(arguments, **dict.fromkeys(self._injected, context)), output


def _declare(cls: type[TypedTool]) -> None:
    """Make the spec of a class when it is defined, so that a mistake shows there."""
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
    """Refuse a `run` that cannot take the arguments, or not only them."""
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
