"""Tools, calls and a way to run them, for the tests of tools and sources."""

from __future__ import annotations

from typing import Any

import anyio

from zkit.calls import Call
from zkit.grade import PURE, READ, WRITE
from zkit.results import Result, Success
from zkit.sources import ToolSource
from zkit.tools import FunctionTool, Tool, ToolSpec, run_tool, tool


def call(source: ToolSource, name: str, arguments: Any = None, id: str = "") -> Result:
    """Call a tool of a source and wait for the result."""
    return anyio.run(source.call, Call(name, {} if arguments is None else arguments, id=id))


def execute(one: Tool, arguments: Any = None, id: str = "") -> Result:
    """Run a tool and wait for the result."""
    found = Call(one.definition().name, {} if arguments is None else arguments, id=id)
    return anyio.run(run_tool, one, found)


def data_of(result: Result) -> Any:
    """The data of a success; anything else is a failed test."""
    assert isinstance(result, Success), result
    return result.data


def simple(name: str, grade: Any = READ, **declared: Any) -> FunctionTool[..., str]:
    """A tool that says its name."""

    def function(text: str = "") -> str:
        return f"{name}:{text}"

    return tool(name=name, description=f"Does {name}.", grade=grade, **declared)(function)


def undeclared() -> None:
    """A function without a declared grade."""


class Counter:
    """Tools over one counter: one that reads it, one that is pure, one that changes it."""

    def __init__(self) -> None:
        self.value = 0
        self.reads = 0

    @tool(grade=READ)
    def look(self, path: str = "a", lines: int = 10) -> dict[str, Any]:
        """Look at the counter."""
        self.reads += 1
        return {"value": self.value, "path": path, "parts": [1, {"deep": 2}]}

    @tool(grade=PURE)
    def double(self, n: int) -> int:
        """Double a number."""
        self.reads += 1
        return n * 2

    @tool(grade=WRITE)
    def change(self, path: str = "a", fail: bool = False) -> int:
        """Change the counter."""
        self.value += 1
        if fail:
            raise RuntimeError("half done")
        return self.value


class PlainSpecTool:
    """A tool that only follows the protocol, with a raw schema."""

    def __init__(self, name: str, parameters: dict[str, Any] | None = None) -> None:
        schema = parameters or {"type": "object", "properties": {"text": {"type": "string"}}}
        self.spec = ToolSpec(name, f"Does {name}.", schema, grade=READ)
        self.calls: list[Call] = []

    def definition(self) -> ToolSpec:
        return self.spec

    async def execute(self, call: Call, /) -> Result:
        self.calls.append(call)
        return Success(call.arguments)
