"""Measure what zkit costs before and beside the work, next to its rivals: the goals and the figures.

    python -m benchmarks.costs               every row in instructions (valgrind) and in CPU time
    python -m benchmarks.costs --only chain  the rows whose name contains the word
    python -m benchmarks.costs --cpu         CPU time alone, as without valgrind
    python -m benchmarks.costs --save        keep the run in benchmarks/results/costs.json
    python -m benchmarks.costs --check       exit 1 if a row of ours is more than 10 % above the kept run

Instructions are the same on a busy machine. Rows with one set-up share a process. The cost of a
round is that of many rounds less that of one, after as many to warm up. An import is the cost of a
whole process less that of an empty one. CPU times are the least of several. For growth a row is what
one more costs at full size, as a multiple of what it costs at a tenth.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from itertools import groupby
from pathlib import Path
from typing import Any

from benchmarks.cost_page import COUNTED, TIMED, goals_table, is_growth, rows_table
from benchmarks.cost_rows import ROWS, Row

RESULTS = Path(__file__).parent / "results" / "costs.json"
WORSE = 1.10
STEEP = 1.5
"""Growth that is called worse than linear: a quadratic cost would be near 10."""
PACKAGES = ("pydantic", "json_repair", "openai", "pydantic-ai-slim", "openai-agents", "langchain-core")  # fmt: skip

# An installed package has its bytecode; without it an import row would measure the compiler.
_ENV = {
    **os.environ,
    "PYTHONPYCACHEPREFIX": str(Path(tempfile.gettempdir()) / "zkit-costs-bytecode"),
    "PYTHONHASHSEED": "0",  # sets and dicts alike in every run
}
_ENV.pop("PYTHONDONTWRITEBYTECODE", None)
CONTROL = """
import os as _os, subprocess as _subprocess
def _control(*options):
    _subprocess.run(["callgrind_control", *options, str(_os.getpid())], check=True, stdout=-3, stderr=-3)
"""
_CLOCK = """
import gc as _gc, sys as _sys
from time import process_time as _now
def _least(work, times):
    least = float("inf")
    for _ in range(times):
        _gc.collect()
        start = _now()
        work()
        least = min(least, _now() - start)
    print("least", least, file=_sys.stderr)
"""
_TIMES = 40
"""How often a short piece of work is timed: some of the times are not disturbed by other processes."""
_STARTS = 9
"""How often a whole process is."""


def sizes_of(row: Row) -> tuple[int, ...]:
    """Return how many rounds are measured at a time."""
    return (1, row.rounds // 10 + 1, row.rounds + 1) if is_growth(row) else (1, row.rounds + 1)


def warm_up_of(row: Row) -> int:
    """Return how many rounds run before: as many as are measured, for Python specialises what it runs."""
    return 1 if is_growth(row) else max(row.rounds, 50)


def figure_of(row: Row, costs: Sequence[float]) -> float:
    """Return the figure of a row from what its sizes cost."""
    sizes = sizes_of(row)
    steps = [
        (costs[at + 1] - costs[at]) / (sizes[at + 1] - sizes[at]) for at in range(len(sizes) - 1)
    ]
    return steps[1] / steps[0] if is_growth(row) else steps[0]


# Instructions


def counted(rows: Sequence[Row]) -> dict[str, float]:
    """Return the instructions of the rows, counted by valgrind in several processes at once."""
    whole = [row for row in rows if not row.rounds]
    groups = [list(group) for _, group in groupby((r for r in rows if r.rounds), _setup_of)]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        empty = pool.submit(_counted_whole, "pass")
        alone = [(row, pool.submit(_counted_whole, row.setup)) for row in whole]
        found = {}
        for one in pool.map(_counted_group, groups):
            found.update(one)
        found.update({row.name: cost.result() - empty.result() for row, cost in alone})
    return {row.name: found[row.name] for row in rows if row.name in found}


def _note(unit: str, names: Iterable[str]) -> None:
    print(f"{unit}: {', '.join(names)}", file=sys.stderr, flush=True)


def _setup_of(row: Row) -> str:
    return row.setup


def _counted_whole(program: str) -> float:
    _run(program)  # to compile modules
    return instructions_of(program)[-1]


def _counted_group(rows: Sequence[Row]) -> dict[str, float]:
    """The instructions of rows that share a set-up; counting begins after it, and after a warm-up."""
    rows = [row for row in rows if row.rounds < 10_000]  # those would take an hour
    if not rows:
        return {}
    parts = [rows[0].setup, CONTROL]
    _run("\n".join([rows[0].setup, *(row.work.format(n=1) for row in rows)]))  # to compile modules
    for row in rows:
        parts.append(row.work.format(n=warm_up_of(row)))
        for n in sizes_of(row):
            parts += ['_control("-i", "on")', row.work.format(n=n), '_control("-i", "off")']
            parts.append('_control("-d")')
    costs = iter(instructions_of("\n".join(parts), "--instr-atstart=no"))
    _note(COUNTED, (row.name for row in rows))
    return {row.name: figure_of(row, [next(costs) for _ in sizes_of(row)]) for row in rows}


def instructions_of(program: str, *options: str) -> list[float]:
    """Return the instructions of a program: before each dump that it makes, and at last up to its end."""
    with tempfile.TemporaryDirectory() as folder:
        tool = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out", *options]
        done = _run(program, *tool)
        dumps = sorted(Path(folder).iterdir(), key=lambda file: int(file.suffix[1:] or 1_000_000))
        found = [re.search(r"^totals: (\d+)", file.read_text(), re.M) for file in dumps]
    if not found or None in found:
        raise SystemExit(f"valgrind reported no instructions:\n{done.stderr[-500:]}")
    return [float(one[1]) for one in found if one is not None]


def _run(program: str, *before: str) -> subprocess.CompletedProcess[str]:
    command = [*before, sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, env=_ENV, check=False)
    if done.returncode:
        raise SystemExit(f"a measured program failed:\n{program}\n{done.stderr[-2000:]}")
    return done


# CPU time


def timed(rows: Sequence[Row]) -> Iterator[tuple[str, float]]:
    """Yield the CPU time of the rows in microseconds, one process after the other."""
    empty = _seconds("pass")
    for setup, group in groupby(rows, _setup_of):
        same = list(group)
        if not same[0].rounds:
            yield same[0].name, 1e6 * (_seconds(setup) - empty)
            continue
        # With 10,000 tools alive Python's collector visits all of them again and again: a third more
        # time, and nothing of it is ours. Without it the growth is that of our own work.
        parts = [setup, _CLOCK, "_gc.disable()" if is_growth(same[0]) else ""]
        for row in same:
            parts.append(row.work.format(n=warm_up_of(row)))
            for n in sizes_of(row):
                times = 1 if n >= 10_000 else 3 if is_growth(row) else _TIMES
                work = row.work.format(n=n).replace("\n", "\n    ")
                parts.append(f"def _work():\n    {work}\n_least(_work, {times})")
        lines = _run("\n".join(parts)).stderr.splitlines()
        _note(TIMED, (row.name for row in same))
        least = iter([float(line.split()[1]) for line in lines if line.startswith("least ")])
        for row in same:
            cost = figure_of(row, [next(least) for _ in sizes_of(row)])
            yield row.name, cost if is_growth(row) else 1e6 * cost


def _seconds(program: str) -> float:
    """Return the least CPU time of a whole process, its modules compiled before."""
    _run(program)
    found = []
    for _ in range(_STARTS):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        _run(program)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        found.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(found)


# The whole run


def worse(found: Mapping[str, float], kept: Mapping[str, float]) -> list[str]:
    """Return the rows of ours that are more than 10 % above the kept run, or no longer linear."""
    return [
        f"{row.name}: {found[row.name]:,.2f}, kept {kept[row.name]:,.2f}"
        for row in ROWS
        if row.ours
        and row.name in found
        and row.name in kept
        and found[row.name] > (STEEP if is_growth(row) else WORSE * kept[row.name])
    ]


def measured(rows: Sequence[Row], *, by_valgrind: bool, by_clock: bool) -> dict[str, Any]:
    """Return all figures of the rows by unit, and what they were measured with."""
    found: dict[str, Any] = {"python": platform.python_version(), "versions": _versions()}
    if by_valgrind:
        found[COUNTED] = counted(rows)
    if by_clock:
        found["python_start"] = 1e6 * _seconds("pass")
        found[TIMED] = dict(timed(rows))
    return found


def _versions() -> dict[str, str]:
    found = {}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def main() -> None:
    """Measure, print, and save or compare."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", help="rows whose name contains one of these, with commas between")
    parser.add_argument("--cpu", action="store_true", help="no valgrind")
    parser.add_argument("--save", action="store_true")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    words = options.only.split(",") if options.only else [""]
    rows = [row for row in ROWS if any(word in row.name for word in words) and find_spec(row.needs)]
    by_valgrind = not options.cpu and shutil.which("valgrind") is not None
    if options.check:
        rows = [row for row in rows if row.ours]
    found = measured(rows, by_valgrind=by_valgrind, by_clock=not (options.check and by_valgrind))
    print(goals_table(found))
    print(rows_table(found))
    kept = json.loads(RESULTS.read_text("utf-8")) if RESULTS.exists() else {}
    if options.save:
        RESULTS.write_text(json.dumps(found, indent=1) + "\n", "utf-8")
    unit = COUNTED if by_valgrind else TIMED
    grown = worse(found[unit], kept.get(unit, {}))
    if options.check and grown:
        raise SystemExit("more than 10 % above the kept run:\n" + "\n".join(grown))


if __name__ == "__main__":
    main()
