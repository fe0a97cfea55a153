"""Measure what a call of an MCP tool costs through zkit, next to the bare SDK."""

from __future__ import annotations

import argparse
import asyncio
import gc
import platform
import sys
import tempfile
from collections.abc import Awaitable, Callable, Mapping
from importlib.metadata import version
from pathlib import Path
from time import perf_counter
from typing import Any

from mcp import Client, StdioServerParameters
from mcp.server.mcpserver import MCPServer

from benchmarks.recovery_page import compact_json, table
from zkit.calls import Call
from zkit.dispatch import Dispatcher
from zkit.dynamic import DynamicTools
from zkit.mcp import server_for
from zkit.sources import Toolbox
from zkit.tools import tool

RESULTS = Path(__file__).parent / "results"
BATCH = 10
Invoke = Callable[[], Awaitable[Any]]
SERVER = """
from mcp.server.mcpserver import MCPServer
server = MCPServer("bench")
@server.tool()
def add(a: int, b: int) -> int:
    "Add two numbers."
    return a + b
server.run()
"""
GIVEN = {"a": 1, "b": 2}
BARE, OURS, BROKEN = (
    "client: the bare SDK",
    "client: through zkit",
    "client: through zkit, arguments to be repaired",
)
SDK_SERVER, OUR_SERVER = "server: the SDK's MCPServer", "server: zkit's"
MONTY, PROCESS = "a tool made at run time, in monty", "a tool made at run time, in a process"


async def measure(rounds: int) -> dict[str, Any]:
    """Return the best time of one call of each kind, measured in turns, as plain data."""
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "server.py"
        script.write_text(SERVER, "utf-8")
        command = [sys.executable, str(script)]
        box = Toolbox()
        box.mcp.catalog = Path(folder) / "catalog.db"
        try:
            await box.mcp.connect("s", command, grades="pure")
            parameters = StdioServerParameters(command=command[0], args=command[1:])
            async with (
                Client(parameters) as bare,
                Client(_sdk_server()) as sdk,
                Client(server_for([_add()])) as own,
            ):
                cases = {**_clients(box, bare), **_servers(sdk, own), **await _dynamic(box, folder)}
                times = await _times(cases, rounds)
        finally:
            await box.mcp.close()
    return {
        "python": platform.python_version(),
        "versions": {name: version(name) for name in ("mcp", "anyio", "pydantic")},
        "microseconds": {name: 1e6 * time for name, time in times.items()},
    }


def _clients(box: Toolbox, bare: Client) -> dict[str, Invoke]:
    dispatcher = Dispatcher(box, guards=(), memory=False)
    return {
        BARE: lambda: bare.call_tool("add", GIVEN),
        OURS: lambda: dispatcher.call(Call("s_add", GIVEN)),
        BROKEN: lambda: dispatcher.call(Call("s_add", "{'a': '1', 'b': 2,}")),
    }


def _servers(sdk: Client, own: Client) -> dict[str, Invoke]:
    return {
        SDK_SERVER: lambda: sdk.call_tool("add", GIVEN),
        OUR_SERVER: lambda: own.call_tool("add", GIVEN),
    }


async def _dynamic(box: Toolbox, folder: str) -> dict[str, Invoke]:
    tools = DynamicTools(box, catalog=Path(folder) / "tools.db", grade="pure")
    fields, examples = ["a: int", "b: int"], [{"arguments": GIVEN, "result": 3}]
    made = await tools.new_tool("quick", "Add.", fields, "return a + b", examples=examples)
    assert made.runner == "monty"
    await tools.new_tool("safe", "Add.", fields, "return a + b")
    dispatcher = Dispatcher(box, guards=(), memory=False)
    return {
        MONTY: lambda: dispatcher.call(Call("quick", GIVEN)),
        PROCESS: lambda: dispatcher.call(Call("safe", GIVEN)),
    }


def _add() -> Any:
    @tool(grade="pure", cacheable=False)
    def add(a: int, b: int) -> int:
        """Add two numbers."""
        return a + b

    return add


def _sdk_server() -> MCPServer:
    server = MCPServer("bench")

    @server.tool()
    def add(a: int, b: int) -> int:
        """Add two numbers."""
        return a + b

    return server


async def _times(cases: Mapping[str, Invoke], rounds: int) -> dict[str, float]:
    for invoke in cases.values():
        await invoke()
    taken: dict[str, list[float]] = {name: [] for name in cases}
    gc.collect()
    gc.freeze()
    for _ in range(rounds):
        for name, invoke in cases.items():
            batch = 1 if name == PROCESS else BATCH
            start = perf_counter()
            for _ in range(batch):
                await invoke()
            taken[name].append((perf_counter() - start) / batch)
    return {name: min(times) for name, times in taken.items()}


def page(found: Mapping[str, Any]) -> str:
    """Return the results as Markdown."""
    times: Mapping[str, float] = found["microseconds"]
    versions = ", ".join(f"{name} {number}" for name, number in found["versions"].items())
    beside = {OURS: BARE, BROKEN: BARE, OUR_SERVER: SDK_SERVER}
    rows = [
        [name, f"{time:,.0f}", f"{time - times[beside[name]]:+,.0f}" if name in beside else ""]
        for name, time in times.items()
    ]
    return "\n".join(
        [
            "# MCP\n",
            f"Written by `python -m benchmarks.mcp`; Python {found['python']}; {versions}. Best of"
            " several, in turns.\n",
            table(["one call of `add(1, 2)`", "µs", "over the SDK"], rows),
            "The client talks to a server process over stdio; through zkit a call also passes the"
            " dispatcher and goes to the event loop in which connections live, and back. The servers are"
            " in the process of the client, without a transport.\n",
        ]
    )


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.mcp", description=__doc__)
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--out", type=Path, default=RESULTS)
    asked = parser.parse_args()
    found = asyncio.run(measure(asked.rounds))
    text = page(found)
    print(text)
    asked.out.mkdir(parents=True, exist_ok=True)
    (asked.out / "mcp.json").write_text(compact_json(found), encoding="utf-8")
    (asked.out / "mcp.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
