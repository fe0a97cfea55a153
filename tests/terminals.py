"""Runs zkit on a real pseudo-terminal, with typed input, and returns what is shown."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time
from pathlib import Path
from types import TracebackType

from command_line import ZKIT, clean_environment

_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_PATIENCE = 120.0  # seconds; a busy machine starts a process in twenty


class Terminal:
    """One zkit command on a terminal of its own."""

    def __init__(self, *args: str, cwd: Path, columns: int = 100, **env: str) -> None:
        self.main, terminal = pty.openpty()
        self.resize(columns)
        self.process = subprocess.Popen(
            [*ZKIT, *args],
            stdin=terminal,
            stdout=terminal,
            stderr=terminal,
            cwd=cwd,
            env=clean_environment(TERM="xterm-256color", PYTHONUTF8="1", **env),
            preexec_fn=_own_terminal,
        )
        os.close(terminal)
        self.raw = b""
        self._seen = 0

    def __enter__(self) -> Terminal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, e: BaseException | None, t: TracebackType | None
    ) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self.main)

    @property
    def text(self) -> str:
        """All that was shown, without colours and carriage returns."""
        return _ESCAPES.sub("", self.raw.decode("utf-8", "replace")).replace("\r", "")

    def resize(self, columns: int) -> None:
        """Give the terminal another width."""
        fcntl.ioctl(self.main, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))

    def type(self, text: str) -> None:
        """Type a text; `\\n` is the Enter key, `\\x03` Ctrl-C, `\\x04` Ctrl-D."""
        os.write(self.main, text.encode())

    def wait_for(self, text: str) -> str:
        """Wait until a text is shown that was not waited for before; all that is new."""
        deadline = time.monotonic() + _PATIENCE
        while text not in self.text[self._seen :]:
            assert time.monotonic() < deadline, f"no {text!r} in:\n{self.text}"
            if not self._read(0.2) and self.process.poll() is not None:
                assert text in self.text[self._seen :], f"ended without {text!r}:\n{self.text}"
        at = self.text.index(text, self._seen) + len(text)
        new, self._seen = self.text[self._seen : at], at
        return new

    def interrupt_prompt(self) -> None:
        """Press Ctrl-C at the next prompt, once it is sure to listen.

        Between the prompt and the wait for a key, readline does not see a signal before the next key.
        """
        self.wait_for("> ")
        time.sleep(1.0)
        self.type("\x03")

    def leave(self) -> int:
        """Press Ctrl-D at the next prompt; the exit code."""
        self.wait_for("> ")
        self.type("\x04")
        return self.end()

    def end(self) -> int:
        """Wait for the end; the exit code."""
        deadline = time.monotonic() + _PATIENCE
        while self.process.poll() is None and time.monotonic() < deadline:
            self._read(0.2)
        while self._read(0.1):
            pass
        return self.process.wait(1)

    def kill(self) -> None:
        """Kill it at once, and see what it showed until then."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        while self._read(0.1):
            pass

    def _read(self, seconds: float) -> bool:
        if not select.select([self.main], [], [], seconds)[0]:
            return False
        try:
            data = os.read(self.main, 65536)
        except OSError:
            return False
        self.raw += data
        return bool(data)


def _own_terminal() -> None:
    """Make the terminal that of the process, and let Ctrl-C reach it.

    In a shell's background jobs it is ignored, and that is inherited.
    """
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    os.setsid()
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
