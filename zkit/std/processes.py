"""Run commands in a process group of their own: bounded output, a deadline, and a sure end."""

from __future__ import annotations

import atexit
import os
import selectors
import signal
import subprocess
import threading
import time
import uuid
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from zkit.effects import ProcessEffect
from zkit.results import Transient, Validation
from zkit.tools import Context

MAX_KEPT = 200_000  # bytes of output that are kept of each end; what is between is counted only
_POLL = 0.05  # seconds between two checks of the deadline and of cancellation
_GRACE = 0.5  # seconds between asking a group to end and killing it
_MARK = "ZKIT_RUN"  # names a run in the environment of all of its processes


class HeadAndTail:
    """Collects bytes, and keeps the first and the last of them."""

    def __init__(self, most: int = MAX_KEPT) -> None:
        self._most = most
        self._head = bytearray()
        self._tail = bytearray()
        self.total = 0

    def add(self, data: bytes) -> None:
        """Take more bytes."""
        self.total += len(data)
        room = self._most - len(self._head)
        self._head += data[:room]
        self._tail += data[max(0, room) :] if room < len(data) else b""
        if len(self._tail) > 2 * self._most:
            del self._tail[: -self._most]

    def take(self) -> str:
        """Return what was collected since the last time as text, and start again."""
        tail = bytes(self._tail[-self._most :])
        left_out = self.total - len(self._head) - len(tail)
        between = f"\n[… {left_out:,} bytes left out here]\n".encode() if left_out else b""
        text = (bytes(self._head) + between + tail).decode("utf-8", "replace")
        self._head, self._tail, self.total = bytearray(), bytearray(), 0
        return text


@dataclass(frozen=True, slots=True)
class Finished:
    """What a command wrote, and how it ended."""

    output: str
    exit_code: int | None
    timed_out: bool
    seconds: float
    pid: int


@dataclass
class Command:
    """A command that runs, with its group and its output."""

    shown: str
    process: subprocess.Popen[bytes]
    mark: str
    output: HeadAndTail = field(default_factory=HeadAndTail)
    began: float = field(default_factory=time.monotonic)

    def stop(self) -> None:
        """End the whole group: ask, wait a moment, kill. Nothing of it is left running."""
        for sign, wait in ((signal.SIGTERM, _GRACE), (signal.SIGKILL, _GRACE)):
            self._signal(sign)
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(wait)
            if self.process.poll() is not None and not self._left():
                return
        self.process.wait()

    def sweep(self) -> None:
        """Kill the processes that a finished command left behind."""
        self._signal(signal.SIGKILL)

    def _signal(self, sign: signal.Signals) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, sign)
        for pid in self._left():
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, sign)

    def _left(self) -> list[int]:
        """Processes of this run that left its group: they still have its mark in the environment."""
        wanted = f"{_MARK}={self.mark}".encode()
        found = []
        for name in os.listdir("/proc") if os.path.isdir("/proc/self") else ():
            if name.isdigit() and int(name) not in (self.process.pid, os.getpid()):
                with suppress(OSError):
                    if wanted in Path(f"/proc/{name}/environ").read_bytes().split(b"\0"):
                        found.append(int(name))
        return found


def start(
    arguments: Sequence[str],
    *,
    cwd: str | Path,
    shown: str = "",
    environment: dict[str, str] | None = None,
    stdin: bytes | None = None,
    errors: bool = True,
) -> Command:
    """Start a command in a session of its own; its output and its `errors` come together."""
    mark = uuid.uuid4().hex
    given = {**(environment if environment is not None else os.environ), _MARK: mark}
    try:
        process = subprocess.Popen(
            list(arguments),
            cwd=cwd,
            env=given,
            stdin=subprocess.DEVNULL if stdin is None else subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT if errors else subprocess.DEVNULL,
            start_new_session=True,
        )
    except FileNotFoundError:
        raise Validation(f"{arguments[0]} is not installed here.", code="not_found") from None
    except (OSError, ValueError) as error:
        raise Validation(f"the command could not be started: {error}.") from error
    if process.stdin is not None:
        threading.Thread(target=_fed, args=(process, stdin), daemon=True).start()
    return Command(shown or " ".join(arguments), process, mark)


def _fed(process: subprocess.Popen[bytes], data: bytes | None) -> None:
    with suppress(BrokenPipeError, ValueError):
        assert process.stdin is not None
        process.stdin.write(data or b"")
        process.stdin.close()


def run(
    arguments: Sequence[str],
    *,
    cwd: str | Path,
    timeout: float,
    context: Context,
    shown: str = "",
    environment: dict[str, str] | None = None,
    stdin: bytes | None = None,
    errors: bool = True,
    most: int = MAX_KEPT,
) -> Finished:
    """Run a command to its end, or to the end of its time, and record it as an effect.

    When the call is cancelled, the whole group is killed.
    """
    limit = timeout if context.remaining is None else min(timeout, context.remaining)
    command = start(
        arguments, cwd=cwd, shown=shown, environment=environment, stdin=stdin, errors=errors
    )
    command.output = HeadAndTail(most)
    try:
        timed_out = not _read(command, time.monotonic() + limit, lambda: context.cancelled)
    finally:
        command.stop() if command.process.poll() is None else command.sweep()
        if command.process.stdout is not None:
            command.process.stdout.close()
    process = command.process
    context.record(
        ProcessEffect(
            command=command.shown,
            pid=process.pid,
            exit_code=process.returncode,
            timed_out=timed_out,
        )
    )
    if context.cancelled:
        raise Transient("the call was cancelled; the command was killed")
    seconds = round(time.monotonic() - command.began, 2)
    code = None if timed_out else process.returncode
    return Finished(command.output.take(), code, timed_out, seconds, process.pid)


def _read(command: Command, ends: float, cancelled: Callable[[], bool]) -> bool:
    """Read the output until the command ends; False when its time was over before."""
    pipe = command.process.stdout
    assert pipe is not None
    os.set_blocking(pipe.fileno(), False)
    ended: float | None = None
    with selectors.DefaultSelector() as selector:
        selector.register(pipe, selectors.EVENT_READ)
        while True:
            if time.monotonic() >= ends or cancelled():
                return False
            if ended is not None and time.monotonic() >= ended + _GRACE:
                return True  # it has ended; a process that it left behind holds the pipe
            ready = selector.select(_POLL)
            data = _available(pipe.fileno()) if ready else None
            if data:
                command.output.add(data)
            elif data == b"":
                return _ended(command, ends, cancelled)
            elif ended is None and command.process.poll() is not None:
                ended = time.monotonic()


def _available(handle: int) -> bytes | None:
    try:
        return os.read(handle, 1 << 16)
    except BlockingIOError:
        return None


def _ended(command: Command, ends: float, cancelled: Callable[[], bool]) -> bool:
    """Wait for a command that has closed its output; False when its time was over before."""
    while command.process.poll() is None:
        if time.monotonic() >= ends or cancelled():
            return False
        time.sleep(_POLL / 5)
    return True


class Background:
    """Commands in the background, each for the task that started it."""

    def __init__(self) -> None:
        self._running: dict[str, tuple[str, Command, threading.Thread]] = {}
        self._lock = threading.Lock()
        self._count = 0
        atexit.register(self.stop_all)

    def add(self, command: Command, context: Context) -> str:
        """Keep a command until its task ends; return its id."""
        task = context.task
        thread = threading.Thread(target=_drained, args=(command,), daemon=True)
        with self._lock:
            self._count += 1
            name = f"b{self._count}"
            self._running[name] = (task, command, thread)
        thread.start()
        if not context.scope.when_over((Background, id(self)), lambda: self.stop_all(task)):
            self.stop_all(task)
        return name

    def find(self, name: str, context: Context) -> Command | None:
        """Return a command of the task of a call; None when it has none of that id."""
        found = self._running.get(name)
        return None if found is None or found[0] != context.task else found[1]

    def names(self, context: Context) -> list[str]:
        """Name the commands of the task of a call."""
        return [name for name, (task, _, _) in self._running.items() if task == context.task]

    def remove(self, name: str) -> None:
        """Forget a command that has ended and was read."""
        with self._lock:
            self._running.pop(name, None)

    def wait(self, name: str, seconds: float) -> None:
        """Wait until a command has ended and its output is read, or the seconds are over."""
        found = self._running.get(name)
        if found is not None:
            found[2].join(seconds)

    def stop_all(self, task: str | None = None) -> None:
        """Stop the commands of a task, or all of them."""
        with self._lock:
            ending = [
                (name, command)
                for name, (owner, command, _) in self._running.items()
                if task is None or owner == task
            ]
            for name, _ in ending:
                del self._running[name]
        for _, command in ending:
            command.stop()
        if task is None:
            atexit.unregister(self.stop_all)


def _drained(command: Command) -> None:
    """Read the output of a background command to its end."""
    pipe = command.process.stdout
    assert pipe is not None
    with pipe:
        while True:
            try:
                data = os.read(pipe.fileno(), 1 << 16)
            except OSError:
                break
            if not data:
                break
            command.output.add(data)
    command.process.wait()
