"""Runs a piece of work over a whole log on a process pool; a killed run can be continued.

Rows are processed in chunks. Each finished chunk is a file of its own beside the output, renamed into
place when it is complete; the output is joined from them at the end. A run that is started again
skips the chunks that are there, so nothing is lost and nothing is written twice.
"""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import os
import shutil
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from zkit.batch.columns import COLUMNS, Columns, Work, as_text
from zkit.batch.logs import BatchError, Row, join_parts, read_log, write_part
from zkit.json_types import JsonObject
from zkit.required import (
    require_count,
    require_flag,
    require_function,
    require_kind,
    require_path,
    require_text,
)

CHUNK = 2_000
"""Rows in a chunk: a second of work, so that a kill costs little and a file system is not flooded."""
AHEAD = 2
"""Chunks that wait for each process: enough to keep it busy, and memory stays bounded."""


class Progress(NamedTuple):
    """How far a run is: chunks and rows that are finished, and rows taken from an earlier run."""

    chunks: int
    rows: int
    resumed: int


class Chunk(NamedTuple):
    """Some rows of a log that follow each other."""

    number: int
    rows: Sequence[Row]


def run_batch(
    log: str | Path,
    out: str | Path,
    work: Work,
    *,
    column: str | None = None,
    processes: int | None = None,
    chunk: int = CHUNK,
    keep_text: bool = True,
    force: bool = False,
    on_progress: Callable[[Progress], None] | None = None,
) -> Progress:
    """Apply the work to every row of a log and write the columns to `out`.

    `processes` is the size of the pool; 1 uses this process. An unfinished run of the same work on
    the same log continues where it stopped; `force` starts over. A row that cannot be processed has
    the outcome `failed`, and the others are not affected. Raises `BatchError` if the log cannot be
    read or the output cannot be written.
    """
    require_path("log", log)
    require_path("out", out)
    require_kind("work", work, Work, "a Work")
    require_text("column", column, or_none=True)
    require_count("processes", processes, least=1, or_none=True)
    require_count("chunk", chunk, least=1)
    require_flag("keep_text", keep_text)
    require_flag("force", force)
    require_function("on_progress", on_progress, or_none=True)
    target = Path(out)
    parts = _begin(Path(log), target, work, column, chunk, keep_text, force)
    finished, rows, resumed = [], 0, 0
    try:
        for part, count, is_old in _parts(
            read_log(log, column), parts, target, work, processes, chunk, keep_text
        ):
            finished.append(part)
            rows += count
            resumed += count if is_old else 0
            if on_progress is not None:
                on_progress(Progress(len(finished), rows, resumed))
        _finish(finished, parts, target)
    except OSError as error:
        raise BatchError(f"{error.filename or target}: {error.strerror or error}") from error
    return Progress(len(finished), rows, resumed)


def _begin(
    log: Path, out: Path, work: Work, column: str | None, chunk: int, text: bool, force: bool
) -> Path:
    """Return the folder for the parts of this run: a new one, or that of an unfinished run."""
    parts = out.with_name(f"{out.name}.parts")
    try:
        known = log.stat()
    except OSError as error:
        raise BatchError(f"{log}: {error.strerror}") from error
    about = {
        "log": [known.st_size, known.st_mtime_ns],
        "work": hashlib.sha256(repr((work, column, chunk, text)).encode()).hexdigest(),
    }
    plan = parts / "run.json"
    if force:
        shutil.rmtree(parts, ignore_errors=True)
    elif out.exists() and not parts.exists():
        raise BatchError(f"{out}: is there already; force the run to replace it")
    if plan.exists() and json.loads(plan.read_text("utf-8")) != about:
        raise BatchError(f"{parts}: left by another run; force this run to start over")
    parts.mkdir(parents=True, exist_ok=True)
    _replace(plan, lambda file: file.write_text(json.dumps(about), "utf-8"))
    return parts


def _finish(finished: Sequence[Path], parts: Path, out: Path) -> None:
    """Join the parts. Each step can be repeated, so a kill at any point is harmless."""
    _replace(out, lambda file: join_parts(finished, file))
    done = parts.with_name(f"{parts.name}.done")
    shutil.rmtree(done, ignore_errors=True)
    parts.rename(done)
    shutil.rmtree(done)


def _replace(file: Path, write: Callable[[Path], object]) -> None:
    """Write a file under another name in the same folder, then move it into place."""
    temporary = file.with_name(f".{os.getpid()}.{file.name}")
    try:
        write(temporary)
        os.replace(temporary, file)
    finally:
        temporary.unlink(missing_ok=True)


def _parts(
    rows: Iterator[Row],
    folder: Path,
    out: Path,
    work: Work,
    processes: int | None,
    size: int,
    keep_text: bool,
) -> Iterator[tuple[Path, int, bool]]:
    """Yield the file of every chunk in order, with its rows and whether it was there before."""

    def part_of(number: int) -> Path:
        return folder / f"{number:08}{''.join(out.suffixes)}"

    todo = _chunks(rows, size)
    waiting = iter(lambda: next(todo, None), None)
    results = _results(waiting, lambda number: part_of(number).exists(), work, processes)
    start = 0
    for chunk, columns in results:
        part = part_of(chunk.number)
        if columns is not None:
            table = _table(start, chunk.rows, columns, keep_text)
            _replace(part, lambda file, table=table: write_part(file, table))  # type: ignore[misc]
        start += len(chunk.rows)
        yield part, len(chunk.rows), columns is None


def _chunks(rows: Iterator[Row], size: int) -> Iterator[Chunk]:
    number = 0
    while found := list(islice(rows, size)):
        yield Chunk(number, found)
        number += 1


def _table(start: int, rows: Sequence[Row], columns: Columns, keep_text: bool) -> list[JsonObject]:
    """Return the rows of an output file."""
    return [
        {
            "row": start + at,
            "model": row.model,
            "time": row.time,
            "text": as_text(row.text) if keep_text else None,
            **{name: columns[name][at] for name in COLUMNS},
        }
        for at, row in enumerate(rows)
    ]


# ── the pool ─────────────────────────────────────────────────────────────────


def _results(
    chunks: Iterator[Chunk],
    is_done: Callable[[int], bool],
    work: Work,
    processes: int | None,
) -> Iterator[tuple[Chunk, Columns | None]]:
    """Yield every chunk with its columns, in order; None for one that was done before."""
    count = processes or os.cpu_count() or 1
    if count == 1:
        for chunk in chunks:
            yield chunk, None if is_done(chunk.number) else _apply(work, chunk.rows)
        return
    pool = _Pool(work, count)
    try:
        queue: deque[tuple[Chunk, _Job | None]] = deque()
        for chunk in chunks:
            queue.append((chunk, None if is_done(chunk.number) else pool.submit(chunk.rows)))
            if len(queue) > AHEAD * count:
                yield pool.settled(*queue.popleft())
        while queue:
            yield pool.settled(*queue.popleft())
    finally:
        pool.close()


class _Job(NamedTuple):
    """Rows that a pool works on."""

    future: Future[Columns]
    pool: ProcessPoolExecutor


class _Pool:
    """A process pool that survives the death of a worker: only the row that caused it fails."""

    def __init__(self, work: Work, count: int) -> None:
        self.work, self.count = work, count
        self._context = multiprocessing.get_context("spawn")
        self._pool = self._started(count)

    def _started(self, count: int) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(count, mp_context=self._context, initializer=_end_with_parent)

    def submit(self, rows: Sequence[Row]) -> _Job:
        try:
            return _Job(self._pool.submit(_apply, self.work, rows), self._pool)
        except BrokenProcessPool:
            self._replace(self._pool)
            return _Job(self._pool.submit(_apply, self.work, rows), self._pool)

    def _replace(self, broken: ProcessPoolExecutor) -> None:
        """Start a new pool, unless that was done since the broken one was used."""
        if self._pool is broken:
            broken.shutdown(wait=False, cancel_futures=True)
            self._pool = self._started(self.count)

    def settled(self, chunk: Chunk, job: _Job | None) -> tuple[Chunk, Columns | None]:
        if job is None:
            return chunk, None
        try:
            return chunk, job.future.result()
        except BrokenProcessPool:
            self._replace(job.pool)
            return chunk, self._one_by_one(chunk.rows)

    def _one_by_one(self, rows: Sequence[Row]) -> Columns:
        """Halve the rows until the one that ends its process is alone; that one fails."""
        found: dict[int, Columns] = {}
        todo = [(0, len(rows))]
        while todo:
            start, end = todo.pop()
            with self._started(1) as alone:
                try:
                    found[start] = alone.submit(_apply, self.work, rows[start:end]).result()
                except BrokenProcessPool:
                    if end - start == 1:
                        found[start] = _crashed()
                    else:
                        middle = (start + end) // 2
                        todo += [(start, middle), (middle, end)]
        ordered = [found[start] for start in sorted(found)]
        return {name: [cell for one in ordered for cell in one[name]] for name in COLUMNS}

    def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)


def _end_with_parent() -> None:
    """End this worker when its parent process has ended, even by `kill -9`.

    The queue of a pool has no end of file: a worker holds both ends of its pipe, and would wait for ever.
    """
    parent = multiprocessing.parent_process()

    def watch() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _apply(work: Work, rows: Sequence[Row]) -> Columns:
    return work([row.text for row in rows], [row.finish_reason for row in rows])


def _crashed() -> Columns:
    cells: dict[str, object] = {"outcome": "failed", "fixes": [], "reason": "crashed"}
    return {name: [cells.get(name)] for name in COLUMNS}
