"""Toolboxes of 10 to 10,000 tools in; what finding, listing, searching and calling cost, out."""

from __future__ import annotations

import argparse
import asyncio
import json
import platform
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.clock import best_times
from benchmarks.recovery_page import compact_json, table
from zkit.calls import Call
from zkit.grade import READ
from zkit.results import Success
from zkit.sources import Catalog, Discovery, Kit, MemoSource, Toolbox, catalog_text
from zkit.tools import FunctionTool, tool

RESULTS = Path(__file__).parent / "results"
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


def characters(size: int) -> dict[str, int]:
    """How much of a request a listing takes: all tools, one line for each, and two to find them."""
    box = Toolbox([made(number) for number in range(size)])
    return {
        "all tools, with their schemas": len(json.dumps(box.openai())),
        "a catalogue, one line for each": len(catalog_text(box.specs())),
        "`Discovery`: two tools that find the others": len(json.dumps(Discovery(box).openai())),
    }


def measure(sizes: Sequence[int]) -> dict[str, Any]:
    """Everything that the page needs, as plain data."""
    columns = [measures(size) for size in sizes]
    times = {
        what: best_times(*(column[what] for column in columns), budget=0.2) for what in columns[0]
    }
    listings = [characters(size) for size in sizes]
    return {
        "python": platform.python_version(),
        "sizes": list(sizes),
        "microseconds": {what: [1e6 * time for time in row] for what, row in times.items()},
        "characters": {what: [listing[what] for listing in listings] for what in listings[0]},
    }


def page(found: Mapping[str, Any]) -> str:
    """The results as Markdown."""
    sizes = [f"{size:,}" for size in found["sizes"]]
    times = [
        [what, *(f"{time:.1f}" for time in row), f"{row[-1] / row[0]:.1f}"]
        for what, row in found["microseconds"].items()
    ]
    listings = [[what, *map("{:,}".format, row)] for what, row in found["characters"].items()]
    return "\n".join(
        [
            "# Sources\n",
            f"Written by `python -m benchmarks.sources`; Python {found['python']}. Best of several, in"
            " turns, in one process; one column for each number of tools.\n",
            table(["µs", *sizes, "last : first"], times),
            "Finding and calling a tool must not depend on how many there are: their last column should be"
            " near 1. What is made once for a listing, and a search, may grow with it.\n",
            table(["characters in a request", *sizes], listings),
        ]
    )


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.sources", description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--out", type=Path, default=RESULTS)
    asked = parser.parse_args()
    found = measure(asked.sizes)
    text = page(found)
    print(text)
    asked.out.mkdir(parents=True, exist_ok=True)
    (asked.out / "sources.json").write_text(compact_json(found), encoding="utf-8")
    (asked.out / "sources.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
