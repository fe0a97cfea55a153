"""Paused runs in, the same runs out in another process: a store in one SQLite file."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from zkit.chat.paused_run import PausedRun, Waiting, release, require_paused
from zkit.errors import ResumeError
from zkit.required import require_path

SCHEMA_VERSION = 1
_SCHEMA = """
    create table paused_runs (
        id text primary key,
        created text not null,
        model text not null,
        waits_for text not null,
        document text not null,
        resumed text
    ) strict
"""
_PATIENCE = 30.0  # seconds to wait for another process that writes


class Stored(NamedTuple):
    """A line of the list of paused runs. `resumed` is when it was taken; None while it waits."""

    id: str
    created: str
    model: str
    waits_for: str
    resumed: str | None = None


class PauseStore:
    """Keeps paused runs in a file, for any number of processes and threads.

    `take` is the way to resume: of two that take the same run, one gets it. A run that was only
    looked at (`load`), or the one that was saved, asks the store too when it is resumed. A run that was
    taken stays in the list until it is deleted; `release` gives it free again, for when the process
    that took it died. Only the owner of the file can read it: a paused run decides what is run.
    """

    def __init__(self, path: str | Path) -> None:
        require_path("path", path)
        self.path = Path(path)
        with self._open() as database:
            self._prepare(database)

    def save(self, paused: PausedRun) -> str:
        """Keep a paused run and return its id; one that is there already stays as it is."""
        require_paused(paused)
        waits_for = "; ".join(map(_said, paused.waiting))
        row = (paused.id, paused.created, paused.model, waits_for, paused.to_json())
        with self._open() as database:
            database.execute("insert or ignore into paused_runs values (?, ?, ?, ?, ?, null)", row)
        paused.claim.ask_too(str(self.path.resolve()), self._give)
        return paused.id

    def load(self, id: str) -> PausedRun:
        """Look at a paused run; it goes on waiting."""
        paused = self._read(id)
        paused.claim.ask_too(str(self.path.resolve()), self._give)
        return paused

    def _read(self, id: str) -> PausedRun:
        with self._open() as database:
            row = database.execute(
                "select document from paused_runs where id = ?", (id,)
            ).fetchone()
        if row is None:
            raise ResumeError(f"{self.path}: there is no paused run {id}")
        return PausedRun.from_json(row[0])

    def take(self, id: str) -> PausedRun:
        """Take a paused run to resume it; raises `ResumeError` when somebody has taken it."""
        paused = self._read(id)
        if not self._give(id):
            raise ResumeError(f"the paused run {id} was resumed already")
        return paused

    def _give(self, id: str) -> bool:
        """Give a run away; False when somebody has it, or it was deleted."""
        with self._open() as database:
            now = datetime.now(UTC).isoformat(timespec="seconds")
            done = database.execute(
                "update paused_runs set resumed = ? where id = ? and resumed is null", (now, id)
            )
        return done.rowcount == 1

    def release(self, id: str) -> None:
        """Let a run be taken again. What it did since is not undone: look before you do this."""
        with self._open() as database:
            database.execute("update paused_runs set resumed = null where id = ?", (id,))
        release(id)

    def list(self) -> list[Stored]:
        """All runs in the store, the oldest first."""
        with self._open() as database:
            rows = database.execute(
                "select id, created, model, waits_for, resumed from paused_runs"
                " order by created, rowid"
            ).fetchall()
        return [Stored(*row) for row in rows]

    def delete(self, id: str) -> bool:
        """Forget a run; False when there is none of that id."""
        with self._open() as database:
            return database.execute("delete from paused_runs where id = ?", (id,)).rowcount == 1

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        """A connection for one step, which happens whole or not at all."""
        try:
            if not self.path.exists():
                os.close(os.open(self.path, os.O_CREAT | os.O_WRONLY, 0o600))
            with closing(sqlite3.connect(self.path, timeout=_PATIENCE)) as database, database:
                yield database
        except (sqlite3.DatabaseError, OSError) as error:
            raise ResumeError(f"{self.path}: no store of paused runs: {error}") from error

    def _prepare(self, database: sqlite3.Connection) -> None:
        """Make the table, or refuse a file that a newer zkit wrote."""
        database.execute("pragma journal_mode = wal")
        database.execute("begin immediate")
        (version,) = database.execute("pragma user_version").fetchone()
        if version > SCHEMA_VERSION:
            raise ResumeError(
                f"{self.path}: written by a newer zkit (version {version} of the store; this one"
                f" reads {SCHEMA_VERSION})"
            )
        if version == 0:
            database.execute(_SCHEMA)
            database.execute(f"pragma user_version = {SCHEMA_VERSION}")


def _said(waiting: Waiting) -> str:
    if waiting.kind == "answer":
        return f"an answer: {waiting.question}"
    return f"approval of {waiting.call.name}"
