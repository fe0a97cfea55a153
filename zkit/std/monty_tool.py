"""The tool `code_exec`: a part of Python in pydantic-monty, with limits of time and memory."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import Field

from zkit.errors import MissingExtraError
from zkit.grade import PURE
from zkit.results import Transient, Validation
from zkit.std.std_tool import MAX_OUTPUT, Workspace, std_tool
from zkit.tools import Context, FunctionTool
from zkit.tools.result_text import shortened

MAX_SECONDS = 30.0
MAX_MEMORY = 200_000_000  # bytes
_POLL = 0.05
# What the interpreter says, and what a model can do about it.
_HINTS = {
    "NotImplementedError": "This part of Python is not supported here; write it in another way.",
    "ModuleNotFoundError": "Only a few standard modules are here, such as json, re, math, datetime."
    " For packages use bash or test_runner.",
    "PermissionError": "There are no files here; pass the data in the code, or use the tools for files.",
    "TimeoutError": "It took too long; do less, or raise timeout.",
    "MemoryError": "It needed too much memory; work with less data at a time.",
    "NameError": "Not every builtin exists here.",
    "AttributeError": "Not every method of the standard library exists here.",
}


@dataclass(frozen=True, slots=True)
class CodeResult:
    """What a piece of code printed, and the value of its last expression."""

    value: str
    printed: str = ""

    def __str__(self) -> str:
        parts = [self.printed.rstrip("\n")] if self.printed else []
        return "\n".join([*parts, f"value: {self.value}"])


def monty_tools(space: Workspace) -> list[FunctionTool[..., Any]]:
    """Make `code_exec`."""
    del space

    @std_tool(
        "code",
        grade=PURE,
        cacheable=False,
        idempotent=True,
        timeout=MAX_SECONDS + 15,
        examples=[
            {
                "arguments": {
                    "code": "from datetime import date\n(date(2026, 3, 1) - date(2026, 1, 1)).days"
                },
                "description": "Days between two dates",
            }
        ],
        error_modes=[
            "invalid_arguments: the code fails, or uses what this part of Python lacks",
            "unavailable: the interpreter could not be started",
        ],
    )
    def code_exec(
        code: Annotated[str, Field(min_length=1, max_length=100_000, description="Python code.")],
        context: Context,
        timeout: Annotated[float, Field(gt=0, le=MAX_SECONDS, description="Seconds.")] = 5,
    ) -> CodeResult:
        """Run a piece of Python without files, network or packages, and return its value.

        It is a part of Python: functions, comprehensions, classes without inheritance, and some of
        the standard library. Nothing outside can be reached.
        """
        try:
            import pydantic_monty as monty
        except ImportError as error:
            raise MissingExtraError("sandbox", "code_exec") from error
        limits: Any = {"max_feed_duration_secs": timeout, "max_memory": MAX_MEMORY}
        printed = monty.CollectString()
        try:
            with (
                monty.Monty() as pool,
                pool.checkout(limits=limits) as session,
                _killed_if_cancelled(session.worker_pid, context),
            ):
                value = session.feed_run(code, print_callback=printed)
        except monty.MontyCrashedError as error:
            context.check()
            raise Transient(f"the interpreter ended: {error}") from error
        except monty.MontyError as error:
            raise _failed(str(error), str(printed.output)) from error
        text = shortened(str(printed.output), MAX_OUTPUT)
        return CodeResult(shortened(repr(value), MAX_OUTPUT), text)

    return [code_exec]


@contextmanager
def _killed_if_cancelled(pid: int | None, context: Context) -> Iterator[None]:
    """Kill the worker when the call is cancelled."""
    over = threading.Event()

    def watch() -> None:
        while not over.wait(_POLL):
            if context.cancelled:
                with suppress(ProcessLookupError):
                    os.kill(pid or 0, signal.SIGKILL) if pid else None
                return

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        over.set()
        watcher.join()


def _failed(message: str, printed: str) -> Validation:
    kind = message.split(":", 1)[0].strip()
    hint = f" {_HINTS[kind]}" if kind in _HINTS else ""
    before = f" It printed before: {shortened(printed, 1000)}" if printed else ""
    return Validation(f"code: {message[:2000]}.{hint}{before}")
