"""The command line in this process, as a process with pipes, or on a terminal."""

from __future__ import annotations

import io
import logging
import os
import pty
import subprocess
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest import mock

from zkit.cli.main import run

ZKIT = [sys.executable, "-m", "zkit.cli.main"]
ESCAPE = "\x1b["


class Done:
    """The outcome of a command."""

    def __init__(self, code: int, out: bytes, err: bytes) -> None:
        self.code, self.out, self.err = code, out.decode("utf-8"), err.decode("utf-8")


def clean_environment(**env: str) -> dict[str, str]:
    """Return the environment of a user who has set nothing, and what is given."""
    odd = ("FORCE_COLOR", "NO_COLOR", "COLUMNS", "LINES", "OPENAI_API_KEY", "OPENAI_BASE_URL")
    known = {n: v for n, v in os.environ.items() if n not in odd and not n.startswith("ZKIT_")}
    return {**known, **env}


def zkit(
    *args: str | Path,
    given: str | bytes = "",
    cwd: Path | None = None,
    err_with_out: bool = False,
    **env: str,
) -> Done:
    """Run zkit in this process, with pipes for its streams: starting a process takes half a second.

    With `err_with_out`, standard error goes where standard output goes, as with `2>&1`.
    """
    data = given.encode("utf-8") if isinstance(given, str) else given
    out = io.BytesIO()
    err = out if err_with_out else io.BytesIO()
    with (
        mock.patch.object(sys, "argv", ["zkit", *map(str, args)]),
        mock.patch.object(sys, "stdin", io.TextIOWrapper(io.BytesIO(data), "utf-8")),
        mock.patch.object(sys, "stdout", _unbuffered(out)),
        mock.patch.object(sys, "stderr", _unbuffered(err, "backslashreplace")),
        mock.patch.dict(os.environ, clean_environment(**env), clear=True),
        warnings.catch_warnings(),
        _as_it_was(cwd),
    ):
        try:
            code = run()
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 1
        sys.stdout.flush()
        sys.stderr.flush()
        return Done(code, out.getvalue(), b"" if err_with_out else err.getvalue())


def _unbuffered(stream: io.BytesIO, errors: str = "strict") -> io.TextIOWrapper:
    return io.TextIOWrapper(stream, "utf-8", errors, write_through=True)


def zkit_process(
    *args: str | Path, given: str | bytes = "", cwd: Path | None = None, **env: str
) -> Done:
    """Run zkit as a process with pipes."""
    data = given.encode("utf-8") if isinstance(given, str) else given
    done = subprocess.run(
        [*ZKIT, *map(str, args)],
        input=data,
        capture_output=True,
        cwd=cwd,
        env=clean_environment(**env),
    )
    return Done(done.returncode, done.stdout, done.stderr)


@contextmanager
def _as_it_was(cwd: Path | None) -> Iterator[None]:
    """Go to a folder, and forget the modules and paths that a command loads from there."""
    here, paths, modules = os.getcwd(), list(sys.path), set(sys.modules)
    level = logging.getLogger("zkit").level
    try:
        os.chdir(here if cwd is None else cwd)
        yield
    finally:
        os.chdir(here)
        sys.path[:] = paths
        logging.getLogger("zkit").setLevel(level)
        for name in set(sys.modules) - modules:
            if not name.startswith(("zkit", "rich", "click", "pygments")):
                file = getattr(sys.modules[name], "__file__", None) or ""
                if "site-packages" not in file and not file.startswith(sys.base_prefix):
                    del sys.modules[name]


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
