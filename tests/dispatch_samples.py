"""Tools, and short ways to call them, for the tests of dispatch."""

from __future__ import annotations

import threading
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

import anyio

from zkit.calls import Call
from zkit.dispatch import Dispatcher
from zkit.grade import EXECUTE, PURE, READ, WRITE
from zkit.results import Failure, Result, Success
from zkit.tools import FunctionTool, tool

F = TypeVar("F", bound=Failure)


class Bench:
    """Some tools that count how often they ran."""

    def __init__(self) -> None:
        self.ran: list[str] = []
        self._lock = threading.Lock()

    def note(self, what: str) -> None:
        with self._lock:
            self.ran.append(what)

    def tools(self) -> list[FunctionTool[..., Any]]:
        @tool(grade=PURE)
        async def add(a: int, b: int) -> int:
            """Add two numbers."""
            self.note(f"add {a} {b}")
            return a + b

        @tool(grade=READ)
        def read_file(path: str) -> str:
            """Read a file."""
            self.note(f"read {path}")
            return f"text of {path}"

        @tool(grade=WRITE)
        def write_file(path: str, content: str) -> str:
            """Write a file."""
            self.note(f"write {path}")
            return "written"

        @tool(grade=EXECUTE)
        def run_shell(command: str) -> str:
            """Run a command."""
            self.note(f"run {command}")
            return "done"

        @tool(grade=WRITE, destructive=True)
        def delete_file(path: str) -> str:
            """Delete a file."""
            self.note(f"delete {path}")
            return "deleted"

        return [add, read_file, write_file, run_shell, delete_file]


def made(name: str, function: Callable[..., Any], **declared: Any) -> FunctionTool[..., Any]:
    """A tool of that name from a function without arguments."""
    return tool(name=name, description=f"Does {name}.", **declared)(function)


def send(dispatcher: Dispatcher, name: str, arguments: Any = None, **more: Any) -> Result:
    """Call a tool from plain code."""
    return dispatcher.call_sync(Call(name, {} if arguments is None else arguments, **more))


def data_of(result: Result) -> Any:
    """The data of a success; anything else is a failed test."""
    assert isinstance(result, Success), result
    return result.data


def failed(result: Result, kind: type[F], code: str = "") -> F:
    """The failure, of the kind and code that it must have."""
    assert isinstance(result, kind), repr(result)
    assert not code or result.code == code, result
    return result


async def cancel_when(
    ready: Callable[[], bool], work: Callable[[], Coroutine[Any, Any, Any]]
) -> None:
    """Run something, and cancel it once something else is true."""
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(work)
        while not ready():
            await anyio.sleep(0.002)
        tasks.cancel_scope.cancel()


def notes_of(result: Result) -> list[str]:
    """What the model is told besides."""
    return list(result.meta.get("notes", ()))  # type: ignore[attr-defined]
