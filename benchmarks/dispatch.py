"""Measures the CPU time of one call through the dispatcher, beside its rivals in the same run."""

from __future__ import annotations

import argparse
import asyncio
import gc
import platform
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from time import process_time
from typing import Any

from anyio import to_thread

from benchmarks.dispatch_rivals import ARGUMENTS, RIVALS, Invoke, add, installed_rivals
from benchmarks.recovery_page import compact_json, table
from zkit.calls import Call
from zkit.dispatch import Dispatcher, Limits, Recorder, budget
from zkit.grade import PURE
from zkit.tools import scope, tool

RESULTS = Path(__file__).parent / "results"
BATCH = 40
BARE, ROUND, THREAD = "the bare function, awaited", "one round of the event loop", "a bare thread"
ZKIT = "zkit, the whole default chain"


def add_plain(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


def zkit_cases() -> dict[str, Invoke]:
    """One call in several settings; what is remembered would not run, so nothing is."""
    made = tool(grade=PURE, cacheable=False)(add)
    plain = tool(grade=PURE, cacheable=False)(add_plain)
    default = Dispatcher([made, plain])
    full = Dispatcher([made], budget=Limits(calls=10**9, tokens=10**12), recorder=Recorder("."))
    full.hooks.add("before", lambda event: None)
    full.hooks.add("after", lambda event: None)
    sent = Call("add", ARGUMENTS, id="c1")
    broken = Call("functions.Add", "{'a': 1, 'b': '2',}", id="c1")

    async def everything() -> Any:
        with scope("bench"), budget(calls=10):
            return await full.call(sent)

    async def sync_face() -> Any:
        return default.call_sync(sent)

    return {
        ZKIT: lambda: default.call(sent),
        "zkit, in a task with hooks, budgets and a recorder": everything,
        "zkit, name and arguments to be repaired": lambda: default.call(broken),
        "zkit, a plain function in a thread": lambda: default.call(Call("add_plain", ARGUMENTS)),
        "zkit, call_sync from inside a loop": sync_face,
    }


def bare_cases() -> dict[str, Invoke]:
    """What everything else is measured by."""
    return {
        BARE: lambda: add(1, 2),
        ROUND: lambda: asyncio.sleep(0),
        THREAD: lambda: to_thread.run_sync(add_plain, 1, 2),
    }


async def best_times(cases: Mapping[str, Invoke], rounds: int) -> dict[str, float]:
    """The least CPU time of one call of each in seconds, all threads counted, measured in turns."""
    for invoke in cases.values():
        await invoke()
    best = dict.fromkeys(cases, float("inf"))
    gc.collect()
    gc.freeze()
    for _ in range(rounds):
        for name, invoke in cases.items():
            start = process_time()
            for _ in range(BATCH):
                await invoke()
            best[name] = min(best[name], (process_time() - start) / BATCH)
    return best


async def measure(rounds: int) -> dict[str, Any]:
    """Everything that the page needs, as plain data."""
    cases = {**bare_cases(), **zkit_cases(), **await installed_rivals()}
    times = await best_times(cases, rounds)
    packages = ["zkit", "anyio", "pydantic", *(package for _, package, _ in RIVALS.values())]
    return {
        "python": platform.python_version(),
        "versions": {name: found for name in packages if (found := _version(name))},
        "microseconds": {name: 1e6 * time for name, time in times.items()},
    }


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def page(found: Mapping[str, Any]) -> str:
    """The results as Markdown."""
    times: Mapping[str, float] = found["microseconds"]
    versions = ", ".join(f"{name} {number}" for name, number in found["versions"].items())
    rows = [
        [name, f"{time:.1f}", f"{time - times[BARE]:.1f}", f"{time / times[ROUND]:.1f}"]
        for name, time in times.items()
    ]
    head = [
        "one call of `add(1, 2)`",
        "µs of CPU time",
        "over the bare function",
        "rounds of the loop",
    ]
    return "\n".join(
        [
            "# Dispatch\n",
            f"Written by `python -m benchmarks.dispatch`; Python {found['python']}; {versions}. CPU"
            " time, best of several, in turns, in one process. Instructions of the same calls:"
            " `python -m benchmarks.costs`.\n",
            table(head, rows),
            "Rivals are called with their defaults, where a model's call reaches a tool: pydantic-ai's tool manager, a"
            " structured tool of LangChain (which takes arguments that are parsed already), a function tool of"
            " openai-agents. zkit's chain does more there: it runs the tool in a task of its own under a time limit,"
            " checks what comes back against the output schema, counts and guards. The last column is the first one"
            " in rounds of the event loop (`asyncio.sleep(0)`) of the same run.\n",
        ]
    )


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.dispatch", description=__doc__)
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--out", type=Path, default=RESULTS)
    asked = parser.parse_args()
    found = asyncio.run(measure(asked.rounds))
    text = page(found)
    print(text)
    asked.out.mkdir(parents=True, exist_ok=True)
    (asked.out / "dispatch.json").write_text(compact_json(found), encoding="utf-8")
    (asked.out / "dispatch.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
