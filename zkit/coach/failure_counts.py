"""Count the failures of each model by mode, in memory or in a SQLite file."""

from __future__ import annotations

import json
import threading
from collections import Counter, deque
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from zkit.errors import StoreError
from zkit.private_files import make_private
from zkit.required import require_path

RECENT = 20
"""How many of a model's latest outcomes its history covers."""
_MOST_MODELS = 256
_TABLES = """
CREATE TABLE IF NOT EXISTS failures (
    model TEXT NOT NULL, mode TEXT NOT NULL, count INTEGER NOT NULL, PRIMARY KEY (model, mode)
);
CREATE TABLE IF NOT EXISTS recent (model TEXT PRIMARY KEY, modes TEXT NOT NULL);
"""


@dataclass(frozen=True, slots=True)
class History:
    """How many of a model's latest outcomes (`total`) were failures in one mode (`count`)."""

    count: int
    total: int


class FailureCounts:
    """Counts how often each model failed in each mode. Safe to use from many threads.

    With a path, the counts are kept in that SQLite file, which several processes may share.
    """

    def __init__(self, path: str | Path | None = None) -> None:
        require_path("path", path, or_none=True)
        self.path = path
        self._lock = threading.Lock()
        self._counts: dict[str, Counter[str]] = {}
        self._recent: dict[str, deque[str]] = {}
        if path is not None:
            with self._lock, self._opened() as database:
                database.executescript(_TABLES)

    def add(self, model: str | None, mode: str) -> None:
        """Count one outcome of a model: a failure by its mode, a success as the empty mode."""
        name = model or ""
        with self._lock:
            if self.path is None:
                self._add(name, mode)
            else:
                self._store(name, mode)

    def count(self, model: str | None, mode: str) -> int:
        """Return how often a model has failed in a mode in total."""
        return self.by_mode(model).get(mode, 0)

    def by_mode(self, model: str | None) -> dict[str, int]:
        """Return a model's failures by mode, the most frequent first."""
        name = model or ""
        with self._lock:
            found = dict(self._counts.get(name, {})) if self.path is None else self._stored(name)
        failures = {mode: count for mode, count in found.items() if mode}
        return dict(sorted(failures.items(), key=lambda item: (-item[1], item[0])))

    def history(self, model: str | None, mode: str) -> History | None:
        """Return how often a mode is among a model's latest outcomes; None if it has none yet."""
        name = model or ""
        with self._lock:
            if self.path is None:
                recent = list(self._recent.get(name, ()))
            else:
                with self._opened() as database:
                    recent = _recent(database, name)
        return History(recent.count(mode), len(recent)) if recent else None

    def _add(self, model: str, mode: str) -> None:
        if model not in self._counts and len(self._counts) >= _MOST_MODELS:
            oldest = next(iter(self._counts))
            del self._counts[oldest], self._recent[oldest]
        self._counts.setdefault(model, Counter())[mode] += 1
        self._recent.setdefault(model, deque(maxlen=RECENT)).append(mode)

    def _store(self, model: str, mode: str) -> None:
        with self._opened() as database:
            database.execute(
                "INSERT INTO failures VALUES (?, ?, 1)"
                " ON CONFLICT (model, mode) DO UPDATE SET count = count + 1",
                (model, mode),
            )
            latest = [*_recent(database, model), mode][-RECENT:]
            database.execute("REPLACE INTO recent VALUES (?, ?)", (model, json.dumps(latest)))

    def _stored(self, model: str) -> dict[str, int]:
        with self._opened() as database:
            rows = database.execute("SELECT mode, count FROM failures WHERE model = ?", (model,))
            return dict(rows.fetchall())

    def _opened(self) -> Any:
        return _transaction(self.path or "")


@contextmanager
def _transaction(path: str | Path) -> Iterator[object]:
    """Open a connection for one transaction; commit if the block succeeds, and close it in any case."""
    import sqlite3  # imported late: most loops keep their counts in memory

    try:
        make_private(path)
        with closing(sqlite3.connect(path, timeout=10.0, isolation_level=None)) as database:
            database.execute("BEGIN IMMEDIATE")
            yield database
            if database.in_transaction:
                database.execute("COMMIT")
    except (sqlite3.Error, OSError) as error:
        raise StoreError(f"{path}: no file of failure counts: {error}") from error


def _recent(database: Any, model: str) -> list[str]:
    row = database.execute("SELECT modes FROM recent WHERE model = ?", (model,)).fetchone()
    return [str(mode) for mode in json.loads(row[0])] if row else []
