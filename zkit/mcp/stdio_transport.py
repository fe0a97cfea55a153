"""Run an MCP server as a process and exchange messages with it, whatever it writes.

The transport of the SDK keeps a line that never ends, and writes the server's standard error to our
terminal. This one bounds both.
"""

from __future__ import annotations

import os
import signal
import subprocess
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress

import anyio
from anyio.abc import ByteReceiveStream, ByteSendStream, Process
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.client.stdio import get_default_environment
from mcp.shared.message import SessionMessage
from mcp_types import jsonrpc_message_adapter

from zkit.mcp.server_limits import EXIT_SECONDS, MOST_JUNK, MOST_LINE, MOST_STDERR

Incoming = SessionMessage | Exception
Streams = tuple[MemoryObjectReceiveStream[Incoming], MemoryObjectSendStream[SessionMessage]]
_GONE = (anyio.ClosedResourceError, anyio.BrokenResourceError, anyio.EndOfStream, OSError)


class Stderr:
    """The last characters that a server wrote to its standard error."""

    def __init__(self) -> None:
        self._parts: deque[str] = deque(maxlen=64)

    def add(self, data: bytes) -> None:
        """Keep some output."""
        self._parts.append(data.decode("utf-8", "replace")[-MOST_STDERR:])

    def __str__(self) -> str:
        return "".join(self._parts)[-MOST_STDERR:].strip()


@asynccontextmanager
async def stdio_transport(
    command: list[str],
    env: Mapping[str, str],
    cwd: str | None,
    stderr: Stderr,
    ended: Callable[[str], None],
) -> AsyncIterator[Streams]:
    """Start a server and yield the streams to it; `ended` is called when it closes its output.

    The server inherits a handful of variables (PATH, HOME, …) and those of `env`, nothing else.
    """
    process = await anyio.open_process(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=cwd,
        env={**get_default_environment(), **env},
        start_new_session=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    to_session, incoming = anyio.create_memory_object_stream[Incoming](0)
    outgoing, from_session = anyio.create_memory_object_stream[SessionMessage](0)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_read, process.stdout, to_session, ended)
        tasks.start_soon(_write, process.stdin, from_session)
        tasks.start_soon(_collect, process.stderr, stderr)
        try:
            yield incoming, outgoing
        finally:
            with anyio.CancelScope(shield=True):
                await _stop(process)
            tasks.cancel_scope.cancel()
    for stream in (to_session, incoming, outgoing, from_session):
        stream.close()


async def _read(
    stdout: ByteReceiveStream,
    session: MemoryObjectSendStream[Incoming],
    ended: Callable[[str], None],
) -> None:
    """Hand on messages line by line; other lines are skipped, up to a limit."""
    why, junk, begun = "the server closed the connection", 0, bytearray()
    with suppress(*_GONE):
        async with session:
            async for chunk in stdout:
                *lines, rest = chunk.split(b"\n")
                for line in lines:
                    message = _parsed(bytes(begun) + line)
                    begun.clear()
                    junk = junk + 1 if message is None else 0
                    if message is not None:
                        await session.send(message)
                begun += rest
                if len(begun) > MOST_LINE or junk > MOST_JUNK:
                    why = "the server sends something else than messages"
                    break
    ended(why)


def _parsed(line: bytes) -> SessionMessage | None:
    try:
        return SessionMessage(jsonrpc_message_adapter.validate_json(line, by_name=False))
    except (ValueError, RecursionError):
        return None


async def _write(stdin: ByteSendStream, session: MemoryObjectReceiveStream[SessionMessage]) -> None:
    with suppress(*_GONE):
        async with session:
            async for sent in session:
                text = sent.message.model_dump_json(by_alias=True, exclude_unset=True)
                await stdin.send(text.encode() + b"\n")


async def _collect(stream: ByteReceiveStream, stderr: Stderr) -> None:
    with suppress(*_GONE):
        async for chunk in stream:
            stderr.add(chunk)


async def _stop(process: Process) -> None:
    """Close the input, wait, then end the whole process group."""
    if process.stdin is not None:
        with suppress(*_GONE):
            await process.stdin.aclose()
    for number in (signal.SIGTERM, signal.SIGKILL):
        if await _exited(process):
            break
        _signal(process, number)
    else:
        await _exited(process)
    _signal(process, signal.SIGKILL)  # children that outlived the server
    with suppress(*_GONE):
        await process.aclose()


async def _exited(process: Process) -> bool:
    """True if the process ends in time. `wait` also waits for the pipes, which a child may hold."""
    with anyio.move_on_after(EXIT_SECONDS):
        while process.returncode is None:
            await anyio.sleep(0.01)
    return process.returncode is not None


def _signal(process: Process, number: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, number)
        else:
            process.send_signal(number)
