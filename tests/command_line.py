"""zkit as a process: with pipes, or on a terminal."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

ZKIT = [sys.executable, "-m", "zkit.cli.main"]
ESCAPE = "\x1b["


class Done:
    """What came of a command."""

    def __init__(self, code: int, out: bytes, err: bytes) -> None:
        self.code, self.out, self.err = code, out.decode("utf-8"), err.decode("utf-8")


def zkit(*args: str | Path, given: str | bytes = "", cwd: Path | None = None, **env: str) -> Done:
    """Run zkit as a process with pipes."""
    data = given.encode("utf-8") if isinstance(given, str) else given
    clean = {k: v for k, v in os.environ.items() if k not in ("FORCE_COLOR", "NO_COLOR", "COLUMNS")}
    done = subprocess.run(
        [*ZKIT, *map(str, args)], input=data, capture_output=True, cwd=cwd, env={**clean, **env}
    )
    return Done(done.returncode, done.stdout, done.stderr)


def on_a_terminal(*args: str | Path, given: str = "", **env: str) -> tuple[int, str]:
    """Run zkit with standard output and error on a terminal; return exit code and screen."""
    main, terminal = pty.openpty()
    process = subprocess.Popen(
        [*ZKIT, *map(str, args)],
        stdin=subprocess.PIPE,
        stdout=terminal,
        stderr=terminal,
        env={**os.environ, "TERM": "xterm-256color", "COLUMNS": "100", **env},
    )
    os.close(terminal)
    assert process.stdin is not None
    process.stdin.write(given.encode("utf-8"))
    process.stdin.close()
    screen = b"".join(iter(lambda: read_screen(main), b""))
    os.close(main)
    return process.wait(), screen.decode("utf-8")


def read_screen(main: int) -> bytes:
    try:
        return os.read(main, 65536)
    except OSError:  # Linux says "no terminal any more" instead of "end of file"
        return b""
