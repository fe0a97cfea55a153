"""A store of paused runs in one SQLite file, for any number of processes."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from zkit.calls import Call
from zkit.chat.paused_run import PausedRun, Waiting, release, require_paused
from zkit.errors import ResumeError
from zkit.private_files import make_private
from zkit.required import require_kind, require_path, require_seconds

SCHEMA_VERSION = 2
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
_STEPS = (
    (_SCHEMA,),
    (
        "alter table paused_runs add column lease_until real",
        """create table started_calls (
            run text not null,
            call text not null,
            name text not null,
            arguments text not null,
            began text not null,
            ended text,
            primary key (run, call)
        ) strict""",
    ),
)
"""The migrations from each version of the file to the next."""
_PATIENCE = 30.0  # seconds to wait for another process that writes
LEASE = 600.0
"""How long a process may hold a run before a call has started: long enough to load a model, short
enough that a dead process does not hold the run for a day."""
_LONGEST_ARGUMENTS = 2_000  # characters of a call's arguments that are kept to be shown


class StartedCall(NamedTuple):
    """A started call of a resumed run; `ended` is None if no end was recorded."""

    id: str
    name: str
    arguments: str
    began: str
    ended: str | None


class Stored(NamedTuple):
    """A line of the list of paused runs.

    `resumed` is when it was taken, `lease_until` until when (seconds since 1970); both are None
    while it waits. `started` are the calls that its taker has started.
    """

    id: str
    created: str
    model: str
    waits_for: str
    resumed: str | None = None
    lease_until: float | None = None
    started: tuple[StartedCall, ...] = ()

    @property
    def is_free(self) -> bool:
        """True if the run can be taken: it waits, or its lease ran out before a call started."""
        if self.resumed is None:
            return True
        return not self.started and self.is_expired

    @property
    def is_expired(self) -> bool:
        """True if the lease of the process that took the run is over."""
        return self.lease_until is not None and self.lease_until < time.time()


class PauseStore:
    """Keeps paused runs in a file, for any number of processes and threads.

    Use `take` to resume: if two processes take the same run, one gets it. A run from `load`, or the
    one that was saved, is claimed in the store too when it is resumed. A process that takes a run
    has it for `lease` seconds. If no call has started by then, it can be taken again; if one has,
    it may have had an effect, so `list` shows it and only `release` frees the run.

    Only the owner of the file can read it, and links are not followed. With a `secret`, runs are
    signed, and what was changed in the file is rejected. Everything that goes wrong with the store
    or a run in it raises `ResumeError`.
    """

    def __init__(
        self, path: str | Path, *, secret: str | bytes | None = None, lease: float = LEASE
    ) -> None:
        require_path("path", path)
        require_seconds("lease", lease)
        require_kind("secret", secret, (str, bytes), "a text or bytes", or_none=True)
        if secret is not None and not secret:
            raise ValueError("secret must not be empty")
        self.path = Path(path)
        self.lease = lease
        self._secret = secret
        with self._open() as database:
            self._prepare(database)

    @property
    def _place(self) -> str:
        return str(self.path.absolute())

    def save(self, paused: PausedRun) -> str:
        """Keep a paused run and return its id; one that is there already stays as it is."""
        require_paused(paused)
        waits_for = "; ".join(map(_waits_for, paused.waiting))
        document = paused.to_json(self._secret)
        row = (paused.id, paused.created, paused.model, waits_for, document)
        with self._open() as database:
            database.execute(
                "insert or ignore into paused_runs (id, created, model, waits_for, document)"
                " values (?, ?, ?, ?, ?)",
                row,
            )
        paused.claim.ask_too(self._place, self)
        return paused.id

    def load(self, id: str) -> PausedRun:
        """Read a paused run without taking it."""
        paused = self._read(id)
        paused.claim.ask_too(self._place, self)
        return paused

    def _read(self, id: str) -> PausedRun:
        with self._open() as database:
            row = database.execute(
                "select document from paused_runs where id = ?", (id,)
            ).fetchone()
        if row is None:
            raise ResumeError(f"{self.path}: there is no paused run {id}")
        paused = PausedRun.from_json(row[0], self._secret)
        if paused.id != id:
            raise ResumeError(f"{self.path}: the paused run {id} is stored as {paused.id}")
        return paused

    def take(self, id: str) -> PausedRun:
        """Take a paused run to resume it; raises `ResumeError` when somebody has taken it."""
        paused = self._read(id)
        lease = self._lease(id)
        if lease is None:
            raise ResumeError(self._taken(id))
        paused.claim.given_by(self._place, self, lease)
        return paused

    def _taken(self, id: str) -> str:
        line = next((one for one in self.list() if one.id == id), None)
        text = f"the paused run {id} was resumed already"
        if line is None or not line.started:
            return text
        calls = ", ".join(f"{one.name} at {one.began}" for one in line.started)
        return f"{text}, and started {calls}; release it if it may go on"

    def give(self, id: str) -> bool:
        """Lease a run to the caller; return False if another process has it, or it was deleted."""
        return self._lease(id) is not None

    def renew(self, id: str, lease: float) -> bool:
        """Renew a lease; False if another process has the run by now."""
        with self._open() as database:
            done = database.execute(
                "update paused_runs set lease_until = ? where id = ? and lease_until = ?",
                (time.time() + self.lease, id, lease),
            )
        return done.rowcount == 1

    def _lease(self, id: str) -> float | None:
        """Lease a run; return the end of the lease, or None if another process has it, or it was
        deleted."""
        now = time.time()
        until = now + self.lease
        with self._open() as database:
            done = database.execute(
                "update paused_runs set resumed = ?, lease_until = ? where id = ? and (resumed is"
                " null or (lease_until < ? and not exists"
                " (select 1 from started_calls where run = paused_runs.id)))",
                (_now(), until, id, now),
            )
        return until if done.rowcount == 1 else None

    def mark_began(self, id: str, call: Call) -> None:
        """Record that a call starts; the record is on the disk before this returns."""
        arguments = json.dumps(call.arguments, ensure_ascii=True, default=str)
        row = (id, call.id, call.name, arguments[:_LONGEST_ARGUMENTS], _now())
        with self._open() as database:
            database.execute(
                "insert or replace into started_calls values (?, ?, ?, ?, ?, null)", row
            )

    def mark_ended(self, id: str, call: Call) -> None:
        """Note that a call has a result."""
        with self._open() as database:
            database.execute(
                "update started_calls set ended = ? where run = ? and call = ?",
                (_now(), id, call.id),
            )

    def release(self, id: str) -> None:
        """Let a run be taken again. Nothing that it did is undone: check `list` first."""
        with self._open() as database:
            database.execute(
                "update paused_runs set resumed = null, lease_until = null where id = ?", (id,)
            )
            database.execute("delete from started_calls where run = ?", (id,))
        release(id)

    def list(self) -> list[Stored]:
        """Return all runs in the store, the oldest first."""
        with self._open() as database:
            rows = database.execute(
                "select id, created, model, waits_for, resumed, lease_until from paused_runs"
                " order by created, rowid"
            ).fetchall()
            marks = database.execute(
                "select run, call, name, arguments, began, ended from started_calls order by rowid"
            ).fetchall()
        started: dict[str, list[StartedCall]] = {}
        for run, *mark in marks:
            started.setdefault(run, []).append(StartedCall(*mark))
        return [Stored(*row)._replace(started=tuple(started.get(row[0], ()))) for row in rows]

    def delete(self, id: str) -> bool:
        """Forget a run; False when there is none of that id."""
        with self._open() as database:
            database.execute("delete from started_calls where run = ?", (id,))
            return database.execute("delete from paused_runs where id = ?", (id,)).rowcount == 1

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        """Return a connection for one transaction."""
        try:
            make_private(self.path)
            with closing(sqlite3.connect(self.path, timeout=_PATIENCE)) as database, database:
                yield database
        except (sqlite3.Error, OSError, UnicodeError) as error:
            raise ResumeError(f"{self.path}: no store of paused runs: {error}") from error

    def _prepare(self, database: sqlite3.Connection) -> None:
        """Make the tables, or refuse a file that a newer zkit wrote."""
        database.execute("pragma journal_mode = wal")
        # The record that a call starts must survive a power failure, not only the end of the
        # process.
        database.execute("pragma synchronous = full")
        database.execute("begin immediate")
        (version,) = database.execute("pragma user_version").fetchone()
        if version > SCHEMA_VERSION:
            raise ResumeError(
                f"{self.path}: written by a newer zkit (version {version} of the store; this one"
                f" reads {SCHEMA_VERSION})"
            )
        for statements in _STEPS[version:]:
            for statement in statements:
                database.execute(statement)
        database.execute(f"pragma user_version = {SCHEMA_VERSION}")


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _waits_for(waiting: Waiting) -> str:
    if waiting.kind == "answer":
        return f"an answer: {waiting.question}"
    return f"approval of {waiting.call.name}"
