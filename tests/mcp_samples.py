"""What the tests of MCP share: servers as processes, and a toolbox that connects to them."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from zkit import Call, Dispatcher, Toolbox, ToolSpec
from zkit.chat import Steering

FOLDER = Path(__file__).parent
SDK = str(FOLDER / "mcp_server.py")
RAW = str(FOLDER / "mcp_raw_server.py")
NAMES = (
    "echo", "pid", "fail", "structured", "lie", "picture", "slow", "change", "note", "ask",
    "sample", "die", "hang", "empty",
)  # fmt: skip
SUM = {"type": "object", "properties": {"sum": {"type": "integer"}}, "required": ["sum"]}


def described(*names: str) -> list[dict[str, Any]]:
    outputs = {"structured": SUM, "lie": SUM}
    return [
        {"name": name, "description": f"Do {name}.", "outputSchema": outputs[name]}
        if name in outputs
        else {"name": name, "description": f"Do {name}."}
        for name in names
    ]


class World:
    """A server's state in a file, and a toolbox with a dispatcher."""

    def __init__(self, folder: Path, tools: list[dict[str, Any]] | None = None) -> None:
        self.state = folder / "state.json"
        self.write(described(*NAMES) if tools is None else tools)
        self.catalog = folder / "catalog.db"
        self.steering = Steering()
        self.renew()

    def renew(self) -> None:
        """A new program: another toolbox, the same catalog."""
        self.box = Toolbox()
        self.box.mcp.catalog = self.catalog
        self.box.mcp.steering = self.steering
        self.dispatcher = Dispatcher(self.box, guards=(), timeout=30)

    def write(self, tools: list[dict[str, Any]], **more: Any) -> None:
        self.state.write_text(json.dumps({"tools": tools, **more}), "utf-8")

    def command(self, program: str = RAW) -> list[str]:
        return [sys.executable, program, str(self.state)]

    def connect(self, program: str = RAW, **options: Any) -> Any:
        return self.box.mcp.connect_sync("s", self.command(program), **options)

    def spec(self, name: str) -> ToolSpec:
        found = self.box.get(name)
        assert found is not None
        return found.definition()

    def call(self, name: str, **arguments: Any) -> Any:
        return self.dispatcher.call_sync(Call(f"s_{name}", arguments, id="1"))


def wait_until(check: Callable[[], Any], seconds: float = 20.0) -> Any:
    """Return what the check returns once it is true; fail when it never is."""
    ends = time.monotonic() + seconds
    while time.monotonic() < ends:
        found = check()
        if found:
            return found
        time.sleep(0.02)
    raise AssertionError("it did not happen")


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


class HttpServer:
    """A server process at an address; it can be killed and started again."""

    def __init__(self, *command: str) -> None:
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}/mcp"
        self._command = [sys.executable, *command, "--http", str(self.port)]
        self.start()

    def start(self) -> None:
        self.process = subprocess.Popen(self._command, stdin=subprocess.DEVNULL)
        wait_until(self._is_up, 60)

    def _is_up(self) -> bool:
        assert self.process.poll() is None, "the server ended"
        with socket.socket() as found:
            return found.connect_ex(("127.0.0.1", self.port)) == 0

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
