"""What the command lines of the benchmarks share: options, a progress bar, a file of what went wrong."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

RESULTS = Path(__file__).parent / "results"


def parser_of(benchmark: str, doc: str | None, *, cases: int, of: str) -> argparse.ArgumentParser:
    """The options that every benchmark of right and wrong has; `of` says what its cases belong to."""
    parser = argparse.ArgumentParser(prog=f"python -m benchmarks.{benchmark}", description=doc)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cases", type=int, default=cases, help=f"cases for each {of}")
    parser.add_argument("--only", default="", help="libraries whose names contain this")
    parser.add_argument("--dump", type=Path, help="write zkit's wrong and refused cases as JSONL")
    parser.add_argument(
        "--out", type=Path, help="folder for results (default: results/, full runs only)"
    )
    return parser


def progress_bar() -> Progress:
    """A bar with a title, a count and the time that is left."""
    return Progress(
        TextColumn("{task.description:18}"),
        BarColumn(),
        TextColumn("{task.completed}/{task.total}"),
        TimeRemainingColumn(),
    )


@contextmanager
def dump_file(path: Path | None) -> Iterator[TextIO | None]:
    """The file to dump into, open; None when none is asked for."""
    if path is None:
        yield None
        return
    with path.open("w", encoding="utf-8", errors="surrogatepass") as dump:
        yield dump
