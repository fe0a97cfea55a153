"""Run the code of a tool outside of our process: in a worker with limits, or in a sandbox."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
from anyio import to_thread
from anyio.abc import ByteReceiveStream, Process

from zkit.dynamic.tool_code import Data, ToolCode
from zkit.required import require_count, require_seconds

_WORKER = str(Path(__file__).with_name("worker_main.py"))
_GONE = (anyio.ClosedResourceError, anyio.BrokenResourceError, anyio.EndOfStream, OSError)


@dataclass(frozen=True, slots=True)
class WorkerLimits:
    """What one call of a tool may use: seconds, bytes of memory, and bytes of output."""

    seconds: float = 60.0
    memory: int = 512 * 1024 * 1024
    output: int = 1024 * 1024

    def __post_init__(self) -> None:
        require_seconds("seconds", self.seconds, above_zero=True)
        require_count("memory", self.memory, least=1)
        require_count("output", self.output, least=1)


@dataclass(frozen=True, slots=True)
class Ran:
    """The outcome of running some code: its data, or what went wrong, with the line of the body.

    `unfit` is true if the sandbox cannot run such code at all.
    """

    data: object = None
    problem: str = ""
    timed_out: bool = False
    unfit: bool = False
    printed: str = ""


async def run_code(code: ToolCode, arguments: Data, limits: WorkerLimits, cwd: str = "") -> Ran:
    """Run a tool in its runner and return the outcome."""
    if code.runner == "monty":
        return await to_thread.run_sync(run_in_monty, code, arguments, limits)
    return await run_in_process(code, arguments, limits, cwd)


# The worker process


async def run_in_process(
    code: ToolCode,
    arguments: Data | None,
    limits: WorkerLimits,
    cwd: str = "",
) -> Ran:
    """Run a tool in a Python process of its own; without arguments only describe it.

    The process does not get our environment, but it has the rights of its user: limits are not a
    sandbox.
    """
    request = {
        "source": code.source,
        "name": code.name,
        "arguments": arguments,
        "memory": limits.memory,
        "seconds": limits.seconds,
    }
    with tempfile.TemporaryDirectory(prefix="zkit-") as own:
        process = await anyio.open_process(
            [sys.executable, "-I", "-B", _WORKER, "--describe" if arguments is None else "--call"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=cwd or own,
            env={"PATH": os.defpath, "LANG": "C.UTF-8", "TMPDIR": own},
            start_new_session=True,
        )
        try:
            with anyio.move_on_after(limits.seconds + 0.5) as late:
                out, printed = await _exchange(process, json.dumps(request).encode(), limits.output)
            if late.cancelled_caught:
                reason = f"it took more than {limits.seconds:g} seconds and was stopped"
                return Ran(problem=reason, timed_out=True)
            return _read(code, out, printed, limits)
        finally:
            with anyio.CancelScope(shield=True):
                _kill(process)
                await process.wait()
                await process.aclose()


async def _exchange(process: Process, request: bytes, most: int) -> tuple[bytes, bytes]:
    outputs: dict[str, bytes] = {}

    async def collect(name: str, stream: ByteReceiveStream, limit: int) -> None:
        kept = bytearray()
        with suppress(*_GONE):
            async for chunk in stream:
                kept += chunk[: limit + 1 - len(kept)]
                if len(kept) > limit and name == "out":
                    _kill(process)
                    break
        outputs[name] = bytes(kept)

    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(collect, "out", process.stdout, most)
        tasks.start_soon(collect, "err", process.stderr, 65_536)
        with suppress(*_GONE):
            await process.stdin.send(request)
            await process.stdin.aclose()
    return outputs["out"], outputs["err"]


def _read(code: ToolCode, out: bytes, printed: bytes, limits: WorkerLimits) -> Ran:
    shown = printed.decode("utf-8", "replace")[-2_000:]
    if len(out) > limits.output:
        return Ran(problem=f"it returned more than {limits.output:,} bytes", printed=shown)
    try:
        reply = json.loads(out)
    except ValueError:
        return Ran(
            problem="its process ended without an answer (memory, time or a crash)", printed=shown
        )
    if "error" not in reply:
        return Ran(reply.get("data", reply), printed=shown)
    error = reply["error"]
    where = _where(code, error["line"], error["text"])
    return Ran(problem=f"{error['kind']}: {error['message']}{where}", printed=shown)


def _where(code: ToolCode, line: int | None, text: str) -> str:
    if line is None:
        return ""
    own = line - code.lines_before
    return f" (line {own} of the body: {text})" if own > 0 else f" ({text})"


def _kill(process: Process) -> None:
    with suppress(ProcessLookupError, PermissionError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()


# The sandbox

_LOCK = threading.Lock()
_POOL: list[Any] = []
_UNFIT = ("ModuleNotFoundError", "ImportError", "NotImplementedError", "PermissionError")


def has_monty() -> bool:
    """True if the sandbox is installed."""
    from importlib.util import find_spec

    return find_spec("pydantic_monty") is not None


def run_in_monty(code: ToolCode, arguments: Data, limits: WorkerLimits) -> Ran:
    """Run a tool in pydantic-monty, which reaches neither files, processes nor the network."""
    from pydantic_monty import CollectString, MontyError, MontyRuntimeError

    printed = CollectString(65_536)
    bounds: Any = {"max_feed_duration_secs": limits.seconds, "max_memory": limits.memory}
    try:
        with _pool().checkout(limits=bounds) as session:
            text = f"{code.source}\n{code.name}(**arguments)\n"
            found = session.feed_run(text, inputs={"arguments": arguments}, print_callback=printed)
        size = len(json.dumps(found, default=str))
    except MontyRuntimeError as error:
        return _failed_in_monty(code, error)
    except (MontyError, ValueError, TypeError, RecursionError) as error:
        return Ran(problem=str(error)[:2_000], unfit=True)
    if size > limits.output:
        return Ran(problem=f"it returned more than {limits.output:,} bytes")
    return Ran(found, printed=printed.output[-2_000:])


def _failed_in_monty(code: ToolCode, error: Any) -> Ran:
    kind = type(error.exception()).__name__
    frames = [frame for frame in error.traceback() if frame.function_name == code.name]
    lines = code.source.split("\n")
    line = frames[-1].line if frames else None
    text = lines[line - 1].strip() if line and line <= len(lines) else ""
    reason = f"{kind}: {error.display('msg')}{_where(code, line, text)}"
    return Ran(problem=reason[:2_000], timed_out=kind == "TimeoutError", unfit=kind in _UNFIT)


def _pool() -> Any:
    """Return the pool of sandbox processes of this program, started when it is first needed."""
    from pydantic_monty import Monty

    with _LOCK:
        if not _POOL or _POOL[0][0] != os.getpid():
            _POOL[:] = [(os.getpid(), Monty().__enter__())]
        return _POOL[0][1]
