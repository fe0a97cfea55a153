"""Rows per second and peak memory of `zkit.batch`, next to json_repair in the same pool, and by engine.

    python -m benchmarks.batch                         the table, up to 100,000 rows
    python -m benchmarks.batch --save                  the same, kept in benchmarks/results
    python -m benchmarks.batch --save --sizes 1000000 --work repair --engines    more rows for it
    python -m benchmarks.batch --data LOG --column P   throughput on a log of your own

Times are CPU times of all processes that do the work, so a busy machine gives the same answer.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import resource
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from importlib.util import find_spec
from itertools import product
from pathlib import Path
from random import Random
from typing import TypedDict

from benchmarks.batch_page import Found, Run, page, write_scale
from benchmarks.batch_work import ENGINES, OURS
from benchmarks.recovery_page import compact_json

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "benchmarks" / "results"
ENGINE_ROWS = 100_000
REPLIES = 5
"""Rows of arguments for each reply that is searched for calls: extraction takes longer."""
INTERVAL = 0.1
"""Seconds between two looks at the processes."""


class Process(TypedDict):
    """The figures of a process in /proc."""

    parent: int
    seconds: float
    megabytes: float


# ── logs ─────────────────────────────────────────────────────────────────────


def make_log(path: Path, rows: int, damaged: float = 1.0, seed: int = 5) -> None:
    """Write a log of short arguments, of which a share has one of the commonest damages."""
    chance = Random(seed)
    with open(path, "w", encoding="utf-8") as out:
        for at in range(rows):
            value = {"path": f"src/module_{at % 977}.py", "lines": at % 500, "tags": ["a", f"b{at % 7}"], "force": at % 2 == 0}  # fmt: skip
            text = json.dumps(value)
            if chance.random() < damaged:
                text = chance.choice(_DAMAGES)(text)
            out.write(json.dumps({"text": text}) + "\n")


_DAMAGES = (
    lambda text: text.replace('"', "'"),
    lambda text: text[:-1] + ",}",
    lambda text: f"```json\n{text}\n```",
    lambda text: f"Here you are: {text}",
    lambda text: text.replace("true", "True").replace("false", "False"),
    lambda text: text[:-1],
    lambda text: text.replace('", "', '" "', 1),
)


def make_replies(path: Path, rows: int) -> None:
    """Write a log of replies, half of them with a call in the text."""
    call = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n</tool_call>'
    with open(path, "w", encoding="utf-8") as out:
        for at in range(rows):
            text = f"Let me look that up for you, request {at}.\n"
            out.write(json.dumps({"text": text + (call if at % 2 else "It is sunny.")}) + "\n")


def as_parquet(log: Path) -> Path:
    """Write the log again as Parquet, which every engine reads."""
    from pyarrow import json as reader
    from pyarrow import parquet

    written = log.with_suffix(".parquet")
    parquet.write_table(reader.read_json(log), written)
    return written


# ── measuring ────────────────────────────────────────────────────────────────


def measure(kind: str, log: Path, rows: int, processes: int) -> Run:
    """Run one kind of work over a log in a process of its own, and count all that it starts."""
    with (
        tempfile.TemporaryDirectory() as folder,
        open(Path(folder) / "errors", "w+", encoding="utf-8") as errors,
    ):
        out = Path(folder) / ("out" if kind in ENGINES else "out.jsonl")
        command = [sys.executable, "-m", "benchmarks.batch_work", kind, log, out, processes]
        running = subprocess.Popen(
            list(map(str, command)), stdout=subprocess.PIPE, stderr=errors, text=True, cwd=ROOT
        )
        seconds, megabytes = _watched(running)
        printed = running.stdout.read() if running.stdout else ""
        if running.returncode:
            errors.seek(0)
            raise SystemExit(f"{kind} failed:\n{errors.read()[-4_000:]}")
    own = json.loads(printed.strip().splitlines()[-1])
    run = Run(
        work=kind,
        rows=rows,
        processes=processes,
        seconds=round(max(seconds, own["seconds"]), 2),
        megabytes=round(max(megabytes, own["megabytes"])),
    )
    print(json.dumps(run), flush=True)
    return run


def _watched(running: subprocess.Popen[str]) -> tuple[float, float]:
    """Wait for a process; return the CPU seconds and the peak memory of it and all that it started.

    Engines leave their work to daemons, whose time is not in `getrusage`. What was started with a
    session of its own stays below this process, because orphans are given to it (Linux only).
    """
    pr_set_child_subreaper = 36
    ctypes.CDLL(None).prctl(pr_set_child_subreaper, 1)
    before = set(_descendants(os.getpid())) - {running.pid}
    spent: dict[int, float] = {}
    peak = 0.0
    while True:
        ended = running.poll() is not None
        below = {pid: one for pid, one in _descendants(os.getpid()).items() if pid not in before}
        spent |= {pid: one["seconds"] for pid, one in below.items()}
        peak = max(peak, sum(one["megabytes"] for one in below.values()))
        if ended:
            return sum(spent.values()), peak
        try:
            running.wait(INTERVAL)
        except subprocess.TimeoutExpired:
            continue


def _descendants(root: int) -> dict[int, Process]:
    """Return the processes below one, by their id; none where there is no /proc."""
    every = {int(entry.name): _process(entry) for entry in Path("/proc").glob("[0-9]*")}
    found: dict[int, Process] = {}
    level = {root}
    while level:
        level = {pid for pid, one in every.items() if one is not None and one["parent"] in level}
        found |= {pid: one for pid in level if (one := every[pid]) is not None}
    return found


def _process(entry: Path) -> Process | None:
    try:
        fields = (entry / "stat").read_text().rpartition(")")[2].split()
    except OSError:  # it has ended
        return None
    tick, page_size = os.sysconf("SC_CLK_TCK"), os.sysconf("SC_PAGE_SIZE")
    return Process(
        parent=int(fields[1]),
        seconds=(int(fields[11]) + int(fields[12])) / tick,
        megabytes=int(fields[21]) * page_size / 2**20,
    )


def measure_all(sizes: list[int], works: list[str], engines: list[str]) -> Iterator[Run]:
    """Run every kind of work on logs of these sizes, and the engines on one; yield what each took."""
    with tempfile.TemporaryDirectory() as folder:
        log, replies = Path(folder) / "log.jsonl", Path(folder) / "replies.jsonl"
        for size in sizes:
            make_log(log, size)
            make_replies(replies, size // REPLIES)
            for processes, work in product((1, 2), works):
                given = (replies, size // REPLIES) if work == "extract" else (log, size)
                yield measure(work, *given, processes)
        if engines:
            make_log(log, ENGINE_ROWS)
            table = as_parquet(log)
        for name in engines:
            if find_spec(ENGINES[name][0].partition(".")[0]):
                yield measure(name, table, ENGINE_ROWS, 1)


def merged(known: Found, run: Run) -> Found:
    """Return the results with a run added, in the place of an older one of the same work."""
    key = run["work"], run["rows"], run["processes"]
    order = [*OURS, *ENGINES]

    def added(runs: list[Run]) -> list[Run]:
        kept = [one for one in runs if (one["work"], one["rows"], one["processes"]) != key]
        return sorted([*kept, run], key=lambda one: (order.index(one["work"]), one["processes"], one["rows"]))  # fmt: skip

    if run["work"] in ENGINES:
        return Found(runs=known["runs"], engines=added(known["engines"]))
    return Found(runs=added(known["runs"]), engines=known["engines"])


def main() -> None:
    """Print the table; with `--save` keep it, row by row."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", nargs="*", type=int, default=[10_000, 100_000])
    parser.add_argument("--work", nargs="*", default=list(OURS), choices=list(OURS))
    parser.add_argument("--engines", nargs="*", default=list(ENGINES), choices=list(ENGINES))
    parser.add_argument("--data", type=Path, help="a log of your own instead of generated rows")
    parser.add_argument("--column", help="the column or path of its text")
    parser.add_argument("--tools", type=Path, help="extract calls of these tools from the log")
    parser.add_argument("--save", action="store_true", help="merge with the results that are kept")
    options = parser.parse_args()
    if options.data:
        print(own_log(options.data, options.column, options.tools))
        return
    kept = RESULTS / "batch.json"
    found: Found = {"runs": [], "engines": []}
    if options.save and kept.exists():
        found = json.loads(kept.read_text("utf-8"))
    for run in measure_all(options.sizes, options.work, options.engines):
        found = merged(found, run)
        if options.save:
            kept.write_text(compact_json(found), "utf-8")
    print(page(found))
    if options.save:
        (RESULTS / "batch.md").write_text(page(found), "utf-8")
        write_scale()


def own_log(path: Path, column: str | None, tools: Path | None) -> str:
    """Return the throughput of repair or extraction on a log of real replies, in this process."""
    from zkit.batch import Work, read_log

    texts = [row.text for row in read_log(path, column)]
    work = Work("extract", json.loads(tools.read_text("utf-8"))) if tools else Work("repair")
    before = resource.getrusage(resource.RUSAGE_SELF)
    made = work(texts)
    after = resource.getrusage(resource.RUSAGE_SELF)
    seconds = after.ru_utime - before.ru_utime
    size = sum(len(text) for text in texts if isinstance(text, str)) / max(1, len(texts))
    outcomes = ", ".join(f"{n:,} {name}" for name, n in Counter(made["outcome"]).most_common())
    return f"{work.kind}: {len(texts):,} rows of {size:,.0f} characters in {seconds:.2f} CPU s, {len(texts) / seconds:,.0f} per second; {outcomes}"


if __name__ == "__main__":
    main()
