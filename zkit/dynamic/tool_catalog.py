"""Keep tools, connections and pins in one SQLite file that survives a crash and is shared by processes."""

from __future__ import annotations

import difflib
import hashlib
import json
import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from pydantic import JsonValue

from zkit.errors import CatalogError
from zkit.private_files import make_private
from zkit.required import require_path

Document = dict[str, JsonValue]
SCHEMA_VERSION = 1
DYNAMIC = "dynamic"
"""The name under which tools made at run time are pinned, beside the names of MCP servers."""
_SCHEMA = (
    "create table tools (name text primary key, version integer not null) strict",
    "create table versions (name text not null, version integer not null, created text not null,"
    " note text not null, definition text not null, primary key (name, version)) strict",
    "create table connections (name text primary key, document text not null) strict",
    "create table servers (server text primary key, created text not null) strict",
    "create table pins (server text not null, tool text not null, definition text, waiting text,"
    " primary key (server, tool)) strict",
    "create table revision (number integer not null) strict",
    "insert into revision values (0)",
)
_PATIENCE = 30.0  # seconds to wait for another process that writes


def default_catalog() -> Path:
    """Return the file that is used when none is named: `$ZKIT_CATALOG`, or `.zkit/catalog.db` here."""
    named = os.environ.get("ZKIT_CATALOG", "")
    return Path(named) if named else Path(".zkit") / "catalog.db"


def digest_of(document: Mapping[str, object]) -> str:
    """Return the SHA-256 of a document, whatever the order of its keys."""
    return hashlib.sha256(_text(document).encode()).hexdigest()


class ToolVersion(NamedTuple):
    """One version of a tool that was made at run time. `current` is the one that is registered."""

    name: str
    version: int
    created: str
    note: str
    definition: Document
    current: bool


@dataclass(frozen=True, slots=True)
class Pin:
    """The approved definition of a tool, and the one that the server offers now, if it differs.

    `definition` is None for a tool that nobody approved yet, `waiting` is None while nothing
    waits for approval.
    """

    server: str
    tool: str
    definition: Document | None = None
    waiting: Document | None = None

    @property
    def digest(self) -> str:
        """The SHA-256 of what was approved; empty when nothing was."""
        return "" if self.definition is None else digest_of(self.definition)

    def diff(self) -> str:
        """Return what would change by an approval, as a unified diff; empty when nothing waits."""
        if self.waiting is None:
            return ""
        before, after = _lines(self.definition), _lines(self.waiting)
        return "\n".join(difflib.unified_diff(before, after, "approved", "offered", lineterm=""))


class Catalog:
    """Tools made at run time with all their versions, connections to MCP servers, and pins.

    Every change is written before the method returns, whole or not at all, so that a process may be
    killed at any time and several may share the file. Only the owner can read and write the file:
    its content decides what runs. Without a path, `default_catalog()` names the file.
    """

    def __init__(self, path: str | Path | None = None) -> None:
        require_path("path", path, or_none=True)
        self.path = default_catalog() if path is None else Path(path)
        with self._change() as database:
            self._prepare(database)

    def __repr__(self) -> str:
        return f"Catalog({str(self.path)!r})"

    @property
    def revision(self) -> int:
        """A number that grows with every change, in whatever process."""
        with self._read() as database:
            (number,) = database.execute("select number from revision").fetchone()
        return int(number)

    # Tools

    def save_tool(self, definition: Mapping[str, JsonValue], note: str = "created") -> int:
        """Keep a new version of a tool as the current one, pin it, and return its number."""
        name = str(definition["name"])
        with self._change() as database:
            (latest,) = database.execute(
                "select coalesce(max(version), 0) from versions where name = ?", (name,)
            ).fetchone()
            row = (name, latest + 1, _now(), note, _text(definition))
            database.execute("insert into versions values (?, ?, ?, ?, ?)", row)
            database.execute("insert or replace into tools values (?, ?)", (name, latest + 1))
            pin = (DYNAMIC, name, _text(definition))
            database.execute("insert or replace into pins values (?, ?, ?, null)", pin)
        return int(latest) + 1

    def tools(self) -> list[ToolVersion]:
        """Return the current version of every tool, sorted by name."""
        return self._versions("tools.version = versions.version", ())

    def history(self, name: str) -> list[ToolVersion]:
        """Return all versions of a tool, the oldest first, also of one that was removed."""
        return self._versions("versions.name = ?", (name,))

    def restore(self, name: str, version: int) -> int:
        """Make an older version the current one again, as a new version; return its number."""
        found = [one for one in self.history(name) if one.version == version]
        if not found:
            raise CatalogError(f"{self.path}: there is no version {version} of {name!r}")
        return self.save_tool(found[0].definition, f"restored from version {version}")

    def remove_tool(self, name: str) -> bool:
        """Remove a tool; its versions stay. Return False if there is no tool of that name."""
        with self._change() as database:
            gone = database.execute("delete from tools where name = ?", (name,)).rowcount
            database.execute("delete from pins where server = ? and tool = ?", (DYNAMIC, name))
        return gone == 1

    def _versions(self, where: str, values: tuple[str, ...]) -> list[ToolVersion]:
        with self._read() as database:
            rows = database.execute(
                "select versions.name, versions.version, created, note, definition,"
                " tools.version is versions.version from versions"
                f" left join tools on tools.name = versions.name where {where}"
                " order by versions.name, versions.version",
                values,
            ).fetchall()
        return [
            ToolVersion(name, version, created, note, self._document(text), bool(current))
            for name, version, created, note, text, current in rows
        ]

    # Connections

    def save_connection(self, name: str, document: Mapping[str, JsonValue]) -> None:
        """Keep what is needed to connect to a server again."""
        with self._change() as database:
            row = (name, _text(document))
            database.execute("insert or replace into connections values (?, ?)", row)

    def connections(self) -> dict[str, Document]:
        """Return the connections that were not closed for good, by name."""
        with self._read() as database:
            rows = database.execute("select name, document from connections order by name")
            return {name: self._document(text) for name, text in rows.fetchall()}

    def remove_connection(self, name: str) -> bool:
        """Forget a connection; its pins stay. False when there is none of that name."""
        with self._change() as database:
            gone = database.execute("delete from connections where name = ?", (name,)).rowcount
        return gone == 1

    # Pins

    def admit(self, server: str, offered: Mapping[str, Mapping[str, JsonValue]]) -> set[str]:
        """Return the names that are offered exactly as they were approved; the others wait.

        On the first use of a server everything that it offers is approved, as a set: a tool that
        it adds later waits as well.
        """
        texts = {tool: _text(definition) for tool, definition in offered.items()}
        known = self._pinned(server)
        if known is not None and all(
            known.get(tool) == (text, None) for tool, text in texts.items()
        ):
            return set(texts)
        with self._change() as database:
            new = database.execute(
                "insert or ignore into servers values (?, ?)", (server, _now())
            ).rowcount
            approved = dict(
                database.execute("select tool, definition from pins where server = ?", (server,))
            )
            for tool, text in texts.items():
                kept = text if new else approved.get(tool)
                waiting = None if kept == text else text
                row = (server, tool, kept, waiting)
                database.execute("insert or replace into pins values (?, ?, ?, ?)", row)
            return {tool for tool, text in texts.items() if new or approved.get(tool) == text}

    def is_pinned(self, tool: ToolVersion) -> bool:
        """True if a tool made at run time is exactly what was approved."""
        known = self._pinned(DYNAMIC) or {}
        return known.get(tool.name, (None,))[0] == _text(tool.definition)

    def pins(self, server: str | None = None) -> list[Pin]:
        """Return the pins of a server, or of all of them."""
        with self._read() as database:
            rows = database.execute(
                "select server, tool, definition, waiting from pins order by server, tool"
            ).fetchall()
        read = [Pin(row[0], row[1], *map(self._or_none, row[2:])) for row in rows]
        return [pin for pin in read if server is None or _is_of(pin.server, server)]

    def approve(self, server: str, tools: Iterable[str] | None = None) -> list[Pin]:
        """Approve what waits, all of it or the named tools; return it as it was before."""
        wanted = None if tools is None else set(tools)
        waiting = [
            pin
            for pin in self.pins(server)
            if pin.waiting is not None and (wanted is None or pin.tool in wanted)
        ]
        missing = sorted((wanted or set()) - {pin.tool for pin in waiting})
        if missing:
            raise CatalogError(f"nothing of {server} waits for approval under {missing[0]!r}")
        with self._change() as database:
            for pin in waiting:  # exactly what was shown, not what arrived since
                database.execute(
                    "update pins set definition = waiting, waiting = null"
                    " where server = ? and tool = ? and waiting = ?",
                    (pin.server, pin.tool, _text(pin.waiting or {})),
                )
        return waiting

    def forget_pins(self, server: str) -> bool:
        """Forget all pins of a server: its next use is the first. False when there are none."""
        gone = False
        with self._change() as database:
            used = [row[0] for row in database.execute("select server from servers").fetchall()]
            for known in (one for one in used if _is_of(one, server)):
                database.execute("delete from pins where server = ?", (known,))
                database.execute("delete from servers where server = ?", (known,))
                gone = True
        return gone

    def _pinned(self, server: str) -> dict[str, tuple[str | None, str | None]] | None:
        """Return the texts that are pinned by tool; None when the server was never used."""
        with self._read() as database:
            used = database.execute("select 1 from servers where server = ?", (server,)).fetchone()
            rows = database.execute(
                "select tool, definition, waiting from pins where server = ?", (server,)
            ).fetchall()
        return {row[0]: row[1:] for row in rows} if used or server == DYNAMIC else None

    # The file

    def _document(self, text: str) -> Document:
        try:
            read = json.loads(text)
        except ValueError as error:
            raise CatalogError(f"{self.path}: holds something that is not JSON: {error}") from error
        if not isinstance(read, dict):
            raise CatalogError(
                f"{self.path}: holds {type(read).__name__} where an object is expected"
            )
        return read

    def _or_none(self, text: str | None) -> Document | None:
        return None if text is None else self._document(text)

    @contextmanager
    def _read(self) -> Iterator[sqlite3.Connection]:
        try:
            with closing(sqlite3.connect(self.path, timeout=_PATIENCE)) as database:
                yield database
        except (sqlite3.Error, OSError) as error:
            raise CatalogError(f"{self.path}: no catalog of tools: {error}") from error

    @contextmanager
    def _change(self) -> Iterator[sqlite3.Connection]:
        """Return a connection for one transaction."""
        self._create()
        with self._read() as database:
            database.isolation_level = None
            database.execute("begin immediate")
            try:
                yield database
                database.execute("update revision set number = number + 1")
            except BaseException:
                if database.in_transaction:
                    database.execute("rollback")
                raise
            database.execute("commit")

    def _create(self) -> None:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            make_private(self.path)
        except OSError as error:
            raise CatalogError(f"{self.path}: cannot be created: {error}") from error

    def _prepare(self, database: sqlite3.Connection) -> None:
        (version,) = database.execute("pragma user_version").fetchone()
        if version > SCHEMA_VERSION:
            raise CatalogError(
                f"{self.path}: written by a newer zkit (version {version} of the catalog; this one"
                f" reads {SCHEMA_VERSION})"
            )
        if version == 0:
            for statement in _SCHEMA:
                database.execute(statement)
            database.execute(f"pragma user_version = {SCHEMA_VERSION}")


def _is_of(pinned: str, server: str) -> bool:
    """True if pins belong to a server, named alone or with its target: `files` or `files@3f9a…`."""
    return pinned == server or pinned.partition("@")[0] == server


def _text(document: Mapping[str, object]) -> str:
    return json.dumps(document, sort_keys=True, ensure_ascii=True, separators=(",", ":"))


def _lines(document: Document | None) -> list[str]:
    """Return a document as lines in which texts of several lines read as such."""
    if document is None:
        return []
    return json.dumps(document, indent=2, sort_keys=True, ensure_ascii=False).split("\n")


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
