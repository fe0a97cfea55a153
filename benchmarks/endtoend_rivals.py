"""The frameworks of the end-to-end benchmark: each in an environment of its own, outside of git."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
import venv
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
AGENT = Path(__file__).with_name("endtoend_agent.py")
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "zkit" / "rivals"
LONGEST = 60.0
"""How many seconds one question may take."""

PACKAGES: dict[str, tuple[str, ...]] = {
    "zkit": (),
    "pydantic-ai": ("pydantic-ai-slim[openai]",),
    "openai-agents": ("openai-agents",),
    "langchain": ("langchain", "langchain-openai"),
    "strands": ("strands-agents[openai]",),
    "agno": ("agno", "openai"),
    "smolagents": ("smolagents[openai]",),
}
PLAIN = "openai"
"""A loop on the client alone, which is measured only if it is named."""
WRAPPED = {"pydantic-ai + wrap": "pydantic-ai", "openai-agents + wrap": "openai-agents"}
"""Frameworks that take a client of the user's: the same, with zkit's `wrap` around it."""


def environment_of(name: str) -> Path | None:
    """The Python that runs a framework; makes and fills its environment if need be.

    None when it cannot be installed.
    """
    own = WRAPPED.get(name, name)
    if not PACKAGES.get(own):
        return Path(sys.executable)
    folder = CACHE / own
    python = folder / "bin" / "python"
    if not python.exists():
        venv.create(folder, with_pip=True)
    wanted = [*PACKAGES[own], *([str(ROOT)] if name in WRAPPED else [])]
    done = folder / f"ready-{len(wanted)}"
    if not done.exists():
        pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        if subprocess.run([*pip, *wanted], check=False).returncode:
            return None
        done.touch()
    return python


def version_of(name: str) -> str:
    """The name of a framework with the version that is measured."""
    python = environment_of(name)
    package = PACKAGES.get(WRAPPED.get(name, name))
    if python is None or not package:
        return name
    code = "import sys; from importlib.metadata import version; print(version(sys.argv[1]))"
    found = subprocess.run(
        [python, "-c", code, package[0].split("[")[0]], capture_output=True, text=True, check=True
    )
    return f"{name} {found.stdout.strip()}"


class Worker:
    """A process that runs one framework's hello world as often as it is asked."""

    def __init__(self, name: str, python: Path) -> None:
        # -P: the modules of this folder must not hide packages of the same name (`mcp`).
        self._command = [str(python), "-P", str(AGENT), name]
        self._start()

    def _start(self) -> None:
        self._process = subprocess.Popen(
            self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True, env={**os.environ, "PYTHONPATH": str(ROOT)},
        )  # fmt: skip
        self._lines: queue.Queue[str] = queue.Queue()
        threading.Thread(target=self._read, args=(self._process,), daemon=True).start()

    def _read(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        for line in process.stdout:
            self._lines.put(line)

    def ask(self, url: str, stream: bool) -> dict[str, Any]:
        """Ask the question; what came, or that the framework hangs or died."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"url": url, "stream": stream}) + "\n")
        self._process.stdin.flush()
        try:
            told: dict[str, Any] = json.loads(self._lines.get(timeout=LONGEST))
        except queue.Empty:
            self.stop()
            self._start()
            return {"error": "hangs", "received": []}
        return told

    def stop(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.wait()


@contextmanager
def worker(name: str) -> Iterator[Worker | None]:
    """A running worker for a framework; None when it cannot be installed."""
    python = environment_of(name)
    if python is None:
        yield None
        return
    made = Worker(name, python)
    try:
        yield made
    finally:
        made.stop()
