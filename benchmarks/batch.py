"""Rows per second and peak memory of `zkit.batch`, next to json_repair in the same pool, and by engine.

    python -m benchmarks.batch                        the table, up to 100,000 rows
    python -m benchmarks.batch --rows 1000000 --save  a longer one, kept in benchmarks/results
    python -m benchmarks.batch --data LOG --column P  throughput on a log of your own

Times are CPU times of the processes that do the work, so a busy machine gives the same answer.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
from collections import Counter
from importlib.util import find_spec
from pathlib import Path
from random import Random
from typing import Any

from benchmarks.recovery_page import table

RESULTS = Path(__file__).parent / "results"
ENGINES = ("polars", "daft", "ray")
RUN = """
import multiprocessing, resource, sys, json
from zkit.batch import Work, run_batch
from benchmarks.batch import json_repair_rows
kind, log, out, processes = sys.argv[1:5]
if kind == "json_repair":
    json_repair_rows(log, out, int(processes))
elif kind in ("repair", "extract"):
    target = None if kind == "repair" else [{"name": "get_weather", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}}]
    run_batch(log, out, Work(kind, target), processes=int(processes))
else:
    from zkit.batch.engines import run_engine
    run_engine(kind, log, out, Work("repair"), "text")
for child in multiprocessing.active_children():
    child.join()  # only the time of processes that have ended is counted
own, children = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
print(json.dumps({"cpu": own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime,
                  "memory": max(own.ru_maxrss, children.ru_maxrss) / 1024}))
"""


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


def json_repair_rows(log: str, out: str, processes: int) -> None:
    """Do with json_repair what `run_batch` does: read, repair on a pool, write."""
    from concurrent.futures import ProcessPoolExecutor

    with open(log, encoding="utf-8") as lines, open(out, "w", encoding="utf-8") as written:
        texts = [json.loads(line)["text"] for line in lines]
        chunks = [texts[at : at + 2_000] for at in range(0, len(texts), 2_000)]
        with ProcessPoolExecutor(processes) as pool:
            apply = map if processes == 1 else pool.map
            for chunk in apply(_json_repaired, chunks):
                written.writelines(f"{value}\n" for value in chunk)


def _json_repaired(texts: list[str]) -> list[str]:
    from json_repair import repair_json

    return [str(repair_json(text)) for text in texts]


def measure(kind: str, log: Path, rows: int, processes: int) -> dict[str, Any]:
    """Run one kind of work over a log in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / ("out.parquet" if kind == "polars" else "out" if kind in ENGINES else "out.jsonl")  # fmt: skip
        done = subprocess.run(
            [sys.executable, "-c", RUN, kind, str(log), str(out), str(processes)],
            capture_output=True, text=True, check=True, cwd=Path(__file__).parent.parent,
        )  # fmt: skip
    found = json.loads(done.stdout.strip().splitlines()[-1])
    print(f"{kind}, {rows:,} rows, {processes} processes: {rows / found['cpu']:,.0f}", flush=True)
    return {
        "work": kind,
        "rows": f"{rows:,}",
        "processes": str(processes),
        "rows per CPU second": f"{rows / found['cpu']:,.0f}",
        "CPU seconds": f"{found['cpu']:.1f}",
        "peak memory, MB": f"{found['memory']:.0f}",
    }


def main() -> None:
    """Print the table; with `--save` keep it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--data", type=Path, help="a log of your own instead of generated rows")
    parser.add_argument("--column", help="the column or path of its text")
    parser.add_argument("--tools", type=Path, help="extract calls of these tools from the log")
    parser.add_argument("--engines", nargs="*", default=ENGINES, choices=ENGINES)
    parser.add_argument("--save", action="store_true")
    options = parser.parse_args()
    if options.data:
        print(own_log(options.data, options.column, options.tools))
        return
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        size = 10_000
        while size <= options.rows:
            log, replies = Path(folder) / "log.jsonl", Path(folder) / "replies.jsonl"
            make_log(log, size)
            make_replies(replies, size // 5)
            for processes in (1, 2):
                rows.append(measure("repair", log, size, processes))
                if size <= 100_000:  # minutes beyond that, and linear as well
                    rows.append(measure("json_repair", log, size, processes))
            rows.append(measure("extract", replies, size // 5, 1))
            if size == 100_000 or options.rows < 100_000:
                rows += [measure(e, log, size, 1) for e in options.engines if find_spec(e)]
            size *= 10
    page = table(list(rows[0]), [list(row.values()) for row in rows])
    print(page)
    if options.save:
        title = "# Batches: rows per CPU second\n\n`python -m benchmarks.batch --save`. Every row is damaged; whole runs, reading, starting and writing included.\n\n"
        (RESULTS / "batch.md").write_text(f"{title}{page}\n", "utf-8")


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
