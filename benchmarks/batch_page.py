"""The results of `benchmarks.batch` and `benchmarks.shared_memo` as tables, and as parts of docs/scale.md."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TypedDict

from benchmarks.clock import exponent
from benchmarks.recovery_page import table

ROOT = Path(__file__).parent.parent
SCALE = ROOT / "docs" / "scale.md"
REPLIES_A_DAY = 100_000_000
PEAK = 3
SHARED = 0.1
"""The share of replies with a call that may be answered from the shared memory."""
WRITES = 0.01
"""The share of replies with a call that changes something."""
TTL = 300


class Run(TypedDict):
    """What one piece of work took, with all processes that it started."""

    work: str
    rows: int
    processes: int
    seconds: float
    megabytes: int


class Found(TypedDict):
    """The runs on our own pool by size, and those of the engines."""

    runs: list[Run]
    engines: list[Run]


class Traffic(TypedDict):
    """What one call costs a Redis server: commands, round trips, bytes, and its CPU time."""

    step: str
    commands: float
    round_trips: float
    received: float
    sent: float
    microseconds: float


class Shared(TypedDict):
    """The traffic by step, and the memory that an entry takes."""

    steps: list[Traffic]
    value_bytes: int
    entry_bytes: float
    counters: list[Traffic]


def rate(run: Run) -> float:
    """Return the rows per CPU second."""
    return run["rows"] / run["seconds"]


def page(found: Found) -> str:
    """Return the page benchmarks/results/batch.md."""
    return (
        "# Batches: rows per CPU second\n\n"
        "`python -m benchmarks.batch --save`. Whole runs: start, reading, work and writing are"
        " included. Every row of arguments is damaged; a reply has 50 to 130 characters, and every second one"
        " has a call. The exponent is that of CPU time over rows: 1 is linear, and less is the cost of"
        f" starting.\n\n{sizes(found)}\n## Engines\n\n{engines(found)}"
    )


def sizes(found: Found) -> str:
    """Return one row for each kind of work and number of processes, one column for each size."""
    kinds = list(dict.fromkeys((run["work"], run["processes"]) for run in found["runs"]))
    head = ["work", "processes", "rows", "rows per CPU second", "peak memory, MB", "exponent"]
    rows = []
    for work, processes in kinds:
        runs = [one for one in found["runs"] if (one["work"], one["processes"]) == (work, processes)]  # fmt: skip
        slope = exponent([one["rows"] for one in runs], [one["seconds"] for one in runs]) if len(runs) > 1 else None  # fmt: skip
        cells = (
            " / ".join(f"{value:,.0f}" for value in column)
            for column in (
                [one["rows"] for one in runs],
                [rate(one) for one in runs],
                [one["megabytes"] for one in runs],
            )
        )
        rows.append([work, str(processes), *cells, "–" if slope is None else f"{slope:.2f}"])
    return table(head, rows)


def engines(found: Found) -> str:
    """Return what each engine adds to the function alone."""
    if not found["engines"]:
        return "Not measured yet.\n"
    alone = found["engines"][0]
    head = ["engine", "rows", "CPU seconds", "added per row, µs", "peak memory, MB"]
    rows = []
    for run in found["engines"]:
        added = (run["seconds"] - alone["seconds"]) / run["rows"] * 1e6
        more = "–" if run is alone else f"{added:,.0f}"
        rows.append([run["work"], f"{run['rows']:,}", f"{run['seconds']:.1f}", more, f"{run['megabytes']:,}"])  # fmt: skip
    return table(head, rows)


def traffic(shared: Shared) -> str:
    """Return what each step costs the Redis server."""
    head = ["step", "commands", "round trips", "bytes to Redis", "bytes from Redis", "CPU of Redis, µs"]  # fmt: skip
    rows = [
        [one["step"], f"{one['commands']:.1f}", f"{one['round_trips']:.1f}",
         f"{one['received']:,.0f}", f"{one['sent']:,.0f}", f"{one['microseconds']:.0f}"]
        for one in (*shared["steps"], *shared["counters"])
    ]  # fmt: skip
    return table(head, rows)


def fleet(found: Found, shared: Shared) -> str:
    """Return what a hundred million replies a day need, from the measured costs."""
    average = REPLIES_A_DAY / 86_400
    peak = PEAK * average
    largest = {work: max((run for run in found["runs"] if run["work"] == work and run["processes"] == 1), key=lambda run: run["rows"]) for work in ("repair", "extract")}  # fmt: skip
    repair, extract = (rate(largest[work]) for work in ("repair", "extract"))
    step = {one["step"]: one for one in shared["steps"]}
    hit, miss, write = step["hit"], step["miss"], step["write"]
    calls, writes = SHARED * peak, WRITES * peak
    half = calls / 2
    commands = half * (hit["commands"] + miss["commands"]) + writes * write["commands"]
    size = sum(
        part * (one["received"] + one["sent"])
        for part, one in ((half, hit), (half, miss), (writes, write))
    )
    busy = sum(
        part * one["microseconds"] for part, one in ((half, hit), (half, miss), (writes, write))
    )
    rows = [
        ["cores for repair of arguments, if every reply is short and damaged", f"{average / repair:.2f} on average, {peak / repair:.2f} at the peak", f"{repair:,.0f} rows per CPU second ({largest['repair']['rows']:,} rows, one process)"],
        ["cores for extraction from replies of 50 to 130 characters", f"{average / extract:.2f} on average, {peak / extract:.2f} at the peak", f"{extract:,.0f} rows per CPU second ({largest['extract']['rows']:,} rows)"],
        ["memory of a process", f"{largest['repair']['megabytes']} MB, independent of the number of rows", "peak memory in the table above"],
        [f"Redis, if {SHARED:.0%} of the replies have a call that may be shared (half are hits) and {WRITES:.0%} one that writes", f"{commands:,.0f} commands a second, {size / 1e6:.2f} MB/s, {busy / 1e6:.1%} of one core at the peak", "the table of steps"],
        [f"Redis memory, entries of {shared['value_bytes']:,} bytes", f"{half * TTL * shared['entry_bytes'] / 1e6:,.0f} MB", f"misses per second × {TTL} s × {shared['entry_bytes']:,.0f} bytes an entry"],
    ]  # fmt: skip
    return table(["what", "needed", "from"], rows)


def scale_parts() -> dict[str, str]:
    """Return the generated parts of docs/scale.md from the committed results."""
    results = ROOT / "benchmarks" / "results"
    found: Found = json.loads((results / "batch.json").read_text("utf-8"))
    shared: Shared = json.loads((results / "shared_memo.json").read_text("utf-8"))
    return {
        "sizes": sizes(found),
        "engines": engines(found),
        "traffic": traffic(shared),
        "fleet": fleet(found, shared),
    }


def write_scale() -> None:
    """Put the generated parts into docs/scale.md."""
    from benchmarks.report import put_between_markers

    SCALE.write_text(put_between_markers(SCALE.read_text("utf-8"), scale_parts()), "utf-8")
