"""Toolboxes of 10 to 10,000 tools in; what finding, listing, searching and calling cost, out."""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any

from benchmarks.clock import best_times
from zkit.calls import Call
from zkit.grade import READ
from zkit.results import Success
from zkit.sources import Catalog, Kit, MemoSource, Toolbox
from zkit.tools import FunctionTool, tool

SIZES = (10, 100, 1_000, 10_000)
SUBJECTS = [
    "file",
    "issue",
    "branch",
    "page",
    "user",
    "invoice",
    "ticket",
    "comment",
    "message",
    "table",
]
VERBS = ["read", "write", "list", "find", "open", "close", "move", "copy", "delete", "rename"]


def made(number: int) -> FunctionTool[..., Any]:
    """A small async tool with a name of its own."""
    verb, subject = VERBS[number % 10], SUBJECTS[number // 10 % 10]

    async def function(id: str, limit: int = 10) -> str:
        return id

    return tool(
        name=f"{verb}_{subject}_{number:05}",
        description=f"{verb.title()} a {subject} of project {number}. It takes an id and a limit.",
        tags=[verb, subject],
        grade=READ,
    )(function)


def measures(size: int) -> dict[str, Callable[[], object]]:
    """What is measured with a toolbox of that size."""
    box = Toolbox([made(number) for number in range(size)])
    kit = Kit(box, ["#read", {"the_one": box.names()[size // 2]}])
    memo = MemoSource(box)
    name = box.names()[size // 2]
    loop = asyncio.new_event_loop()

    def called(source: Any, name: str) -> None:
        result = loop.run_until_complete(source.call(Call(name, {"id": "x"})))
        assert isinstance(result, Success)

    def relisted() -> None:
        box.overlays.change(name, weight=2.0 if box.overlays.revision % 2 else 3.0)
        box.tools()

    box.openai()
    box.catalog()
    return {
        "first list for OpenAI": lambda: [spec.openai() for spec in box.specs()],
        "first index for a search": lambda: Catalog(box.specs()),
        "find one": partial(box.get, name),
        "list again": box.tools,
        "list for OpenAI again": box.openai,
        "search": partial(box.search, "find invoice project 77"),
        "nearest names": partial(box.catalog().nearest, name[1:]),
        "call": partial(called, box, name),
        "call in a kit": partial(called, kit, "the_one"),
        "call, remembered": partial(called, memo, name),
        "list after a change": relisted,
    }


def main() -> None:
    """Print the table: microseconds, and the largest as a multiple of the smallest."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    sizes = parser.parse_args().sizes
    columns = [measures(size) for size in sizes]
    print(f"{'µs, best of several':<24}" + "".join(f"{size:>10,}" for size in sizes) + "     ratio")
    for what in columns[0]:
        times = best_times(*(column[what] for column in columns), budget=0.2)
        cells = "".join(f"{time * 1e6:>10.1f}" for time in times)
        print(f"{what:<24}{cells}{times[-1] / times[0]:>10.1f}")


if __name__ == "__main__":
    main()
