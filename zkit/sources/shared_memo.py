"""One memory for many processes: a store that they share, and the protocol that keeps it
consistent.

Every workspace has a version. A call that may change something raises it before and after, so an
entry that was written under another version is never served. While such a call runs, nothing is
stored and nothing is served. One process runs a call, the others wait for its entry. If the store
cannot be reached, a warning is logged and the call runs; a stale result is never served.
"""

from __future__ import annotations

import hashlib
import json
import logging
import secrets
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

from anyio import from_thread, to_thread

from zkit.private_files import make_private
from zkit.required import require_count, require_path, require_seconds
from zkit.results import Success, from_dict
from zkit.sources.memo_keys import Key
from zkit.tools import ToolSpec, thaw

if TYPE_CHECKING:
    import sqlite3

log = logging.getLogger("zkit")

POLL = 0.02
"""Seconds between two checks for the entry of another process: short compared with any call worth
sharing."""
QUIET = 30.0
"""Seconds between two warnings that a store cannot be reached; one per call would flood a log."""


class StoreDownError(Exception):
    """The store cannot be reached; raised by stores, caught here."""


class Looked(NamedTuple):
    """What a store has for a key: the version of its workspace, and an entry of that version.

    `quiet` is False while a call that may change something runs anywhere.
    """

    version: str
    quiet: bool
    entry: str | None


class MemoStore(Protocol):
    """Where entries are kept. All methods may block, and raise `StoreDownError`."""

    def look(self, workspace: str, key: str) -> Looked:
        """Return what is stored for a key."""

    def begin_change(self, workspace: str, token: str) -> None:
        """Raise the version; from now on a change is under way."""

    def end_change(self, workspace: str, token: str) -> None:
        """Raise the version again; that change is over."""

    def lead(self, key: str, token: str) -> bool:
        """True if the caller may run the call; others wait until `release`, or until the lease ends."""

    def release(self, key: str, token: str) -> None:
        """Let others run the call."""

    def put(self, workspace: str, key: str, version: str, entry: str) -> None:
        """Keep an entry for its time to live, unless the version has changed or a change runs."""

    def clear(self, workspace: str) -> None:
        """Raise the version: everything of the workspace is forgotten."""


class Lead(NamedTuple):
    """The right to run a call whose result others wait for."""

    workspace: str
    key: str
    version: str
    token: str


class SharedMemo:
    """Reads and writes results in a store, without raising its errors."""

    def __init__(self, store: MemoStore, *, max_value: int = 1_000_000, wait: float = 60.0) -> None:
        if not callable(getattr(store, "look", None)):
            raise TypeError(
                f"store must be a SqliteMemo, a RedisMemo or like them, not {store!r:.80}"
            )
        require_count("max_value", max_value)
        require_seconds("wait", wait, above_zero=True)
        self._store, self._max_value, self._wait = store, max_value, wait
        self._warned = float("-inf")
        self._unreported: set[str] = set()
        self._lock = threading.Lock()

    async def find(self, spec: ToolSpec, key: Key) -> Success | Lead | None:
        """Return the shared result, or the right to lead, or None where nothing can be shared."""
        return await to_thread.run_sync(
            self._find, key.workspace, _digest(spec, key), abandon_on_cancel=True
        )

    def _find(self, workspace: str, key: str) -> Success | Lead | None:
        end = time.monotonic() + self._wait
        token = secrets.token_hex(8)
        try:
            self._report(workspace)
            while True:
                looked = self._store.look(workspace, key)
                if not looked.quiet:
                    return None
                found = _read(looked.entry)
                if found is not None:
                    return found
                if self._store.lead(key, token):
                    # Another process may have run the call between `look` and `lead`.
                    again = self._store.look(workspace, key)
                    found = _read(again.entry) if again.quiet else None
                    if found is None:
                        return Lead(workspace, key, again.version, token)
                    self._store.release(key, token)
                    return found
                if time.monotonic() > end:
                    return None
                from_thread.check_cancelled()
                time.sleep(POLL)
        except StoreDownError as error:
            self._warn(error)
            return None

    async def keep(self, lead: Lead, result: Success | None) -> None:
        """Share the result of a leader, if it can be written, and let the others continue."""
        entry = None if result is None else _written(result, self._max_value)
        await to_thread.run_sync(self._keep, lead, entry)

    def _keep(self, lead: Lead, entry: str | None) -> None:
        try:
            if entry is not None:
                self._store.put(lead.workspace, lead.key, lead.version, entry)
            self._store.release(lead.key, lead.token)
        except StoreDownError as error:
            self._warn(error)

    async def begin_change(self, workspace: str) -> str:
        """Tell every process that something may change from now on; return the token of the change."""
        token = secrets.token_hex(8)
        await to_thread.run_sync(
            self._tell, workspace, lambda: self._store.begin_change(workspace, token)
        )
        return token

    def end_change(self, workspace: str, token: str) -> None:
        """Tell every process that the change is over."""
        self._tell(workspace, lambda: self._store.end_change(workspace, token))

    def clear(self, workspace: str) -> None:
        """Forget everything of a workspace, everywhere."""
        self._tell(workspace, lambda: self._store.clear(workspace))

    def _tell(self, workspace: str, tell: Callable[[], None]) -> None:
        try:
            tell()
        except StoreDownError as error:
            self._warn(error)
            with self._lock:
                self._unreported.add(workspace)

    def _report(self, workspace: str) -> None:
        """Write a change that could not be written before, so that the store is current again."""
        if workspace in self._unreported:
            self._store.clear(workspace)
            with self._lock:
                self._unreported.discard(workspace)

    def _warn(self, error: StoreDownError) -> None:
        now = time.monotonic()
        with self._lock:
            is_due, self._warned = now - self._warned > QUIET, max(now, self._warned)
        if is_due:
            log.warning("the shared memory cannot be reached, calls run as usual: %s", error)


def _digest(spec: ToolSpec, key: Key) -> str:
    """Return the name of an entry: the tool as it is defined, and everything that makes calls equal."""
    parts = [spec.digest, *map(str, key)]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def _written(result: Success, most: int) -> str | None:
    """Return a result as text; None if it is too large or would not survive the round trip."""
    plain = replace(result, effects=(), data=thaw(result.data), meta=thaw(result.meta))
    try:
        entry = json.dumps(plain.to_dict(), allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        return None
    found = _read(entry)
    same = found is not None and (found.data, found.meta) == (plain.data, plain.meta)
    return entry if len(entry) <= most and same else None


def _read(entry: str | None) -> Success | None:
    """Return the result of an entry; None if the entry is not ours."""
    try:
        found = None if entry is None else from_dict(json.loads(entry))
    except (ValueError, TypeError, AttributeError, RecursionError):
        return None
    return found if isinstance(found, Success) else None


class SqliteMemo:
    """A shared memory in an SQLite file, for the processes of one machine.

    `ttl` is how long an entry is served, `lease` how long a process that died may hold a call or a
    change, both in seconds.
    """

    def __init__(self, path: str | Path, *, ttl: float = 300.0, lease: float = 60.0) -> None:
        require_path("path", path)
        require_seconds("ttl", ttl, above_zero=True)
        require_seconds("lease", lease, above_zero=True)
        self._path, self._ttl, self._lease = str(path), ttl, lease
        with self._connected() as base:
            # A write-ahead log without a sync for each commit: eight times faster, and as safe
            # against a kill.
            base.executescript(
                "PRAGMA journal_mode = WAL;"
                "CREATE TABLE IF NOT EXISTS versions (workspace TEXT PRIMARY KEY, version INTEGER);"
                "CREATE TABLE IF NOT EXISTS changes (token TEXT PRIMARY KEY, workspace TEXT, until REAL);"
                "CREATE TABLE IF NOT EXISTS leads (key TEXT PRIMARY KEY, token TEXT, until REAL);"
                "CREATE TABLE IF NOT EXISTS entries"
                " (key TEXT PRIMARY KEY, version INTEGER, entry TEXT, until REAL);"
            )

    @contextmanager
    def _connected(self) -> Iterator[sqlite3.Connection]:
        """Connect for one transaction: nothing stays open between calls or across a fork."""
        import sqlite3  # few programs use a file for their memo

        base = None
        try:
            make_private(self._path)
            base = sqlite3.connect(self._path, timeout=5.0, isolation_level="IMMEDIATE")
            base.execute("PRAGMA synchronous = NORMAL")
            with base:
                yield base
        except (sqlite3.Error, OSError) as error:
            raise StoreDownError(f"{self._path}: {error}") from error
        finally:
            if base is not None:
                base.close()

    def look(self, workspace: str, key: str) -> Looked:
        """Return what is stored for a key."""
        now = time.time()
        with self._connected() as base:
            version = self._version(base, workspace)
            row = base.execute(
                "SELECT entry FROM entries WHERE key = ? AND version = ? AND until > ?",
                (key, version, now),
            ).fetchone()
            return Looked(str(version), not self._changing(base, workspace), row and row[0])

    def _version(self, base: sqlite3.Connection, workspace: str) -> int:
        row = base.execute(
            "SELECT version FROM versions WHERE workspace = ?", (workspace,)
        ).fetchone()
        return int(row[0]) if row else 0

    def _changing(self, base: sqlite3.Connection, workspace: str) -> bool:
        asked = "SELECT 1 FROM changes WHERE workspace = ? AND until > ?"
        return base.execute(asked, (workspace, time.time())).fetchone() is not None

    def _raise(self, base: sqlite3.Connection, workspace: str) -> None:
        base.execute(
            "INSERT INTO versions VALUES (?, 1)"
            " ON CONFLICT (workspace) DO UPDATE SET version = version + 1",
            (workspace,),
        )

    def begin_change(self, workspace: str, token: str) -> None:
        """Raise the version; from now on a change is under way."""
        with self._connected() as base:
            self._raise(base, workspace)
            until = time.time() + self._lease
            base.execute(
                "INSERT OR REPLACE INTO changes VALUES (?, ?, ?)", (token, workspace, until)
            )

    def end_change(self, workspace: str, token: str) -> None:
        """Raise the version again; that change is over."""
        with self._connected() as base:
            self._raise(base, workspace)
            base.execute("DELETE FROM changes WHERE token = ? OR until < ?", (token, time.time()))

    def clear(self, workspace: str) -> None:
        """Raise the version: everything of the workspace is forgotten."""
        with self._connected() as base:
            self._raise(base, workspace)

    def lead(self, key: str, token: str) -> bool:
        """True if the caller may run the call."""
        now = time.time()
        with self._connected() as base:
            base.execute("DELETE FROM leads WHERE key = ? AND until < ?", (key, now))
            made = base.execute(
                "INSERT OR IGNORE INTO leads VALUES (?, ?, ?)", (key, token, now + self._lease)
            )
            return made.rowcount == 1

    def release(self, key: str, token: str) -> None:
        """Let others run the call."""
        with self._connected() as base:
            base.execute("DELETE FROM leads WHERE key = ? AND token = ?", (key, token))

    def put(self, workspace: str, key: str, version: str, entry: str) -> None:
        """Keep an entry for its time to live, unless the version has changed or a change runs."""
        now = time.time()
        with self._connected() as base:
            if str(self._version(base, workspace)) != version or self._changing(base, workspace):
                return
            base.execute("DELETE FROM entries WHERE until < ?", (now,))
            base.execute(
                "INSERT OR REPLACE INTO entries VALUES (?, ?, ?, ?)",
                (key, int(version), entry, now + self._ttl),
            )
