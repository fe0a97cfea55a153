"""Changes that an operator makes to tools at run time, in memory or in a SQLite file."""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from zkit.errors import OverlayError, ToolDefinitionError
from zkit.json_types import JsonMapping, JsonObject
from zkit.private_files import make_private
from zkit.tools import Preference, ToolSpec, thaw

Listener = Callable[[frozenset[str]], None]
Check = Callable[[Mapping[str, "Overlay | None"]], None]


@dataclass(frozen=True, slots=True)
class Overlay:
    """Another description and other settings for a tool. None leaves a field as it is."""

    description: str | None = None
    summary: str | None = None
    preference: Preference | None = None

    def __post_init__(self) -> None:
        if isinstance(self.preference, Mapping):
            object.__setattr__(self, "preference", Preference(**self.preference))

    def on(self, spec: ToolSpec) -> ToolSpec:
        """Return the spec with these changes."""
        changes = {f.name: getattr(self, f.name) for f in fields(self)}
        return spec.replace(**{name: value for name, value in changes.items() if value is not None})

    def to_dict(self) -> JsonObject:
        """Return the overlay as plain data."""
        plain = {
            name: asdict(value) if isinstance(value, Preference) else value
            for name, value in ((f.name, getattr(self, f.name)) for f in fields(self))
        }
        return {name: thaw(value) for name, value in plain.items() if value is not None}


class Overlays:
    """Overlays by the name of the tool, in memory. Every change has a number, and listeners are notified."""

    def __init__(self, overlays: Mapping[str, Overlay] | None = None) -> None:
        self._lock = threading.RLock()
        self._known: dict[str, Overlay] = dict(overlays or {})
        self._listeners: list[Listener] = []
        self._checks: list[Check] = []
        self._revision = 0

    @property
    def revision(self) -> int:
        """A number that grows with every change."""
        return self._revision

    def get(self, name: str) -> Overlay | None:
        """Return the overlay of a tool; None when there is none."""
        return self._known.get(name)

    def refresh(self) -> bool:
        """Load the changes of others; True if there were any. In memory there are no others."""
        return False

    def all(self) -> dict[str, Overlay]:
        """Return every overlay, by name."""
        with self._lock:
            return dict(sorted(self._known.items()))

    def set(self, name: str, overlay: Overlay) -> None:
        """Set the overlay of a tool, replacing any other."""
        with self._lock:
            if self._known.get(name) == overlay:
                return
            self._notify({name: overlay})

    def change(self, name: str, **changes: Any) -> Overlay:
        """Change parts of an overlay: its texts, or fields of its preference; return it."""
        with self._lock:
            old = self._known.get(name, Overlay())
            own = {f.name: changes.pop(f.name) for f in fields(Overlay) if f.name in changes}
            merged: JsonObject = {f.name: getattr(old, f.name) for f in fields(Overlay)} | own
            if changes:
                merged["preference"] = _changed(merged["preference"] or Preference(), changes)
            new = Overlay(**merged)
            self.set(name, new)
            return new

    def delete(self, name: str) -> bool:
        """Remove an overlay; return False, without a change, if there is none."""
        with self._lock:
            if name not in self._known:
                return False
            self._notify({name: None})
            return True

    def load(self, overlays: Mapping[str, Overlay]) -> None:
        """Replace all overlays at once: one change."""
        with self._lock:
            gone = dict.fromkeys(set(self._known) - set(overlays))
            changed = {k: v for k, v in overlays.items() if self._known.get(k) != v}
            if gone or changed:
                self._notify({**gone, **changed})

    def listen(self, listener: Listener, *, check: Check | None = None) -> Callable[[], None]:
        """Call a listener with the names of tools whose overlay changed; return a function that stops it.

        `check` is called before a change is stored, and may raise to refuse it.
        """
        self._listeners.append(listener)
        if check is not None:
            self._checks.append(check)

        def stop() -> None:
            if listener in self._listeners:
                self._listeners.remove(listener)
            if check in self._checks:
                self._checks.remove(check)

        return stop

    def _notify(self, changes: Mapping[str, Overlay | None], *, keep: bool = True) -> None:
        for check in tuple(self._checks):
            check(changes)
        if keep:
            self._store(changes)
        for name, overlay in changes.items():
            if overlay is None:
                self._known.pop(name, None)
            else:
                self._known[name] = overlay
        self._revision += 1
        for listener in tuple(self._listeners):
            listener(frozenset(changes))

    def _store(self, changes: Mapping[str, Overlay | None]) -> None:
        """Store the changes persistently; overlays in memory do nothing."""


def _changed(preference: Preference, changes: JsonMapping) -> Preference:
    known = {f.name for f in fields(Preference)}
    unknown = sorted(set(changes) - known)
    if unknown:
        raise ToolDefinitionError(f"a preference has no {unknown[0]!r}; it has {sorted(known)}")
    return Preference(**{**asdict(preference), **changes})


class SqliteOverlays(Overlays):
    """Persistent overlays, in a SQLite file that several processes may share.

    A change reads, changes and writes one overlay in one transaction, so that changes of other
    processes are never undone. Changes of others are seen at the next access. Only the owner can
    read the file. Raises `OverlayError` if the file cannot be read or written.
    """

    def __init__(self, path: str | Path) -> None:
        super().__init__()
        self._path = str(path)
        with self._errors():
            make_private(self._path)
            self._db = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
            self._db.execute("PRAGMA busy_timeout = 5000")
            self._db.execute(
                "CREATE TABLE IF NOT EXISTS overlays (name TEXT PRIMARY KEY, data TEXT)"
            )
            self._known = self._read()
            self._seen = self._data_version()

    def change(self, name: str, **changes: Any) -> Overlay:
        """Change parts of an overlay as it is in the file now; return it."""
        with self._lock, self._transaction():
            self._catch_up(self._read())
            return super().change(name, **changes)

    def set(self, name: str, overlay: Overlay) -> None:
        """Set the overlay of a tool, replacing any other."""
        with self._lock, self._transaction():
            self._catch_up(self._read())
            super().set(name, overlay)

    def delete(self, name: str) -> bool:
        """Remove an overlay; return False, without a change, if there is none."""
        with self._lock, self._transaction():
            self._catch_up(self._read())
            return super().delete(name)

    def load(self, overlays: Mapping[str, Overlay]) -> None:
        """Replace all overlays at once: one change."""
        with self._lock, self._transaction():
            self._catch_up(self._read())
            super().load(overlays)

    def get(self, name: str) -> Overlay | None:
        """Return the overlay of a tool; None when there is none."""
        self.refresh()
        return super().get(name)

    def all(self) -> dict[str, Overlay]:
        """Return every overlay, by name."""
        self.refresh()
        return super().all()

    def refresh(self) -> bool:
        """Load the changes of other processes; True if there were any. Cheap if there were none."""
        with self._lock:
            if self._depth:
                return False
            with self._errors():
                version = self._data_version()
                if version == self._seen:
                    return False
                self._seen = version
                return self._catch_up(self._read())

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    # Inside

    _depth = 0  # open transactions; a change may contain another

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with self._errors():
            if not self._depth:
                self._db.execute("BEGIN IMMEDIATE")
            self._depth += 1
            try:
                yield
                if self._depth == 1:
                    self._db.execute("COMMIT")
            except BaseException:
                if self._depth == 1:
                    with suppress(sqlite3.Error):  # done already if the disk is full
                        self._db.execute("ROLLBACK")
                    with suppress(sqlite3.Error, OverlayError):
                        self._catch_up(self._read())  # the change that listeners received is undone
                raise
            finally:
                self._depth -= 1

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            raise OverlayError(f"{self._path}: {error}") from error

    def _data_version(self) -> int:
        """Return a number that changes when another connection has changed the file."""
        [number] = self._db.execute("PRAGMA data_version").fetchone()
        return int(number)

    def _catch_up(self, now: Mapping[str, Overlay]) -> bool:
        """Load the changes of others; True if there were any."""
        changed: dict[str, Overlay | None] = {
            name: now.get(name)
            for name in set(now) | set(self._known)
            if now.get(name) != self._known.get(name)
        }
        if changed:
            self._notify(changed, keep=False)
        return bool(changed)

    def _read(self) -> dict[str, Overlay]:
        rows = self._db.execute("SELECT name, data FROM overlays ORDER BY name").fetchall()
        return {name: self._row(name, data) for name, data in rows}

    def _row(self, name: str, data: str) -> Overlay:
        try:
            return Overlay(**json.loads(data))
        except (TypeError, ValueError, RecursionError, ToolDefinitionError) as error:
            raise OverlayError(
                f"{self._path}: the overlay of {name!r} is broken: {error}"
            ) from error

    def _store(self, changes: Mapping[str, Overlay | None]) -> None:
        for name, overlay in changes.items():
            self._db.execute("DELETE FROM overlays WHERE name = ?", (name,))
            if overlay is not None:
                row = (name, json.dumps(overlay.to_dict()))
                self._db.execute("INSERT INTO overlays VALUES (?, ?)", row)
