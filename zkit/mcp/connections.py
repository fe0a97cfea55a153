"""Connect a toolbox to MCP servers: their tools come and go under the provider `mcp:NAME`."""

from __future__ import annotations

import atexit
import os
import re
import threading
import time
import weakref
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, TypedDict, Unpack

import mcp_types as types
from pydantic import JsonValue

from zkit.calls import Call
from zkit.chat import Steering
from zkit.dynamic import Catalog, Pin
from zkit.errors import McpError
from zkit.mcp import background
from zkit.mcp.foreign_text import note_of
from zkit.mcp.remote_tool import Grades, Offered, RemoteTool, offered
from zkit.mcp.server_connection import ConnectionOptions, Sample, ServerConnection, State
from zkit.mcp.server_limits import NOTES_PER_MINUTE
from zkit.mcp.server_target import Given, ServerTarget, target_of
from zkit.results import Result, Transient
from zkit.sources import Snapshot, Toolbox
from zkit.tools import Context

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,31}")


class Connected(NamedTuple):
    """One connection as it is now.

    `withheld` are tools that changed or are new since they were approved, `problems` what is wrong
    with others, `problem` why it is not ready.
    """

    name: str
    target: str
    state: State
    protocol: str
    server: str
    tools: tuple[str, ...]
    withheld: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    problem: str = ""


Everyone = list[Connected]  # inside the class, `list` is its method
Pins = list[Pin]
Listing = list[types.Tool]
Remotes = list[RemoteTool]


class Options(TypedDict, total=False):
    """The options of `connect`, next to a name and a target.

    `grades` declares tools by their names on the server (`{"read_file": "read"}`, `"*"` for all
    others), or all at once (`"read"`); without it a tool counts as one that writes. `prefix` goes before
    the names; without it `NAME_` does. `remember` keeps the connection in the catalog. The rest is
    described in `ConnectionOptions`.
    """

    grades: Grades
    prefix: str
    remember: bool
    timeout: float
    patience: float
    mode: str
    elicitation: object
    sampling: Sample | None
    public_only: bool


@dataclass(slots=True, eq=False)
class _Entry:
    """A connection and its registered tools."""

    name: str
    target: ServerTarget
    prefix: str
    grades: Grades
    connection: ServerConnection
    offer: Offered | None = None
    tools: tuple[str, ...] = ()
    withheld: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    minute: tuple[int, int] = (0, 0)
    process: int = field(default_factory=os.getpid)

    @property
    def is_ours(self) -> bool:
        """Whether the connection was made here, and not by a process that forked into this one."""
        return self.process == os.getpid()

    @property
    def provider(self) -> str:
        return f"mcp:{self.name}"

    @property
    def pinned_as(self) -> str:
        return f"{self.name}@{self.target.identity}"


class Connections:
    """The MCP servers of a toolbox; `box.mcp` is one. Safe to use from any thread and event loop.

    `catalog` is where pins and connections are kept, a `Catalog` or its path; without one,
    `default_catalog()`. `steering` is the queue into a running task: what servers send on their own
    goes there, marked as data.
    """

    def __init__(
        self,
        box: Toolbox,
        *,
        catalog: Catalog | str | Path | None = None,
        steering: Steering | None = None,
    ) -> None:
        self._box = box
        self._catalog = catalog
        self.steering = steering
        self._entries: dict[str, _Entry] = {}
        self._lock = threading.RLock()
        _ALL.add(self)

    @property
    def catalog(self) -> Catalog:
        """Where pins and connections are kept; opened when it is first needed."""
        if not isinstance(self._catalog, Catalog):
            self._catalog = Catalog(self._catalog)
        return self._catalog

    @catalog.setter
    def catalog(self, given: Catalog | str | Path) -> None:
        self._catalog = given

    # Connecting

    async def connect(self, name: str, target: Given, /, **options: Unpack[Options]) -> Connected:
        """Connect to a server and add its tools; a connection of that name is replaced.

        `target` is a command over stdio (a text or a list of words), the URL of a server over
        streamable HTTP, or an entry of `mcpServers`. Raises `McpError` when the server cannot be
        reached, or offers nothing that can be read.
        """
        return await background.awaited(self._connect, name, target, options)

    def connect_sync(self, name: str, target: Given, /, **options: Unpack[Options]) -> Connected:
        """The same from plain code, in any thread."""
        return background.wait(self._connect, name, target, options)

    async def disconnect(self, name: str) -> bool:
        """Disconnect from a server, remove its tools and forget the connection; its pins stay.

        False when there is no connection of that name.
        """
        return await background.awaited(self._disconnect, name, True)

    def disconnect_sync(self, name: str) -> bool:
        """The same from plain code, in any thread."""
        return background.wait(self._disconnect, name, True)

    async def restore(self) -> Everyone:
        """Connect to all servers of the catalog again; one that cannot be reached is tried again."""
        return await background.awaited(self._restore)

    def restore_sync(self) -> Everyone:
        """The same from plain code, in any thread."""
        return background.wait(self._restore)

    async def close(self) -> None:
        """Disconnect from all servers; they stay in the catalog."""
        await background.awaited(self._close)

    def close_sync(self) -> None:
        """The same from plain code, in any thread."""
        background.wait(self._close)

    # Looking

    def list(self) -> Everyone:
        """Return the connections as they are now, sorted by name."""
        with self._lock:
            return [_described(entry) for _, entry in sorted(self._entries.items())]

    def pins(self, name: str | None = None) -> Pins:
        """Return the approved tools of a server, or of all, and what waits for approval."""
        return self.catalog.pins(name)

    def approve(self, name: str, tools: Iterable[str] | None = None) -> Pins:
        """Approve what waits of a server, all or the named tools, and add it; return what waited."""
        approved = self.catalog.approve(name, tools)
        entry = self._entries.get(name)
        if entry is not None and entry.offer is not None:
            self._register(entry, entry.offer)
        return approved

    # Inside

    def _entry(self, name: str, target: Given, options: Options) -> _Entry:
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            raise McpError(
                f"a connection needs a name of letters, digits, _ and - (32 at most), not {name!r:.80}"
            )
        read = target_of(target)
        known = Options.__annotations__
        for option in options:
            if option not in known:
                raise TypeError(f"connect has no option {option!r}; it has {', '.join(known)}")
        own = {"grades", "prefix", "remember"}
        given = {option: value for option, value in options.items() if option not in own}
        made = ConnectionOptions(**given)  # type: ignore[arg-type]
        prefix = options.get("prefix", f"{name}_")
        entry = _Entry(name, read, prefix, options.get("grades"), None)  # type: ignore[arg-type]
        entry.connection = ServerConnection(
            name,
            read,
            made,
            lambda listed, dropped: self._listed(entry, listed, dropped),
            lambda method, params: self._notified(entry, method, params),
        )
        return entry

    async def _connect(
        self, name: str, target: Given, options: Options, patient: bool = False
    ) -> Connected:
        entry = self._entry(name, target, options)
        await self._disconnect(name, False)
        connection = entry.connection
        with self._lock:
            self._entries[name] = entry
        background.spawn(connection.own, patient)
        try:
            await connection.first_over.wait()
        except BaseException:
            connection.close()
            self._drop(entry)
            raise
        if connection.failure is not None:
            self._drop(entry)
            raise connection.failure
        if options.get("remember", True):
            self._remember(entry)
        return _described(entry)

    def _remember(self, entry: _Entry) -> None:
        kept = entry.target.kept()
        if kept is None:
            return
        grades: Any = entry.grades
        if isinstance(grades, Mapping):
            grades = {
                name: grade if isinstance(grade, str) else list(grade)
                for name, grade in grades.items()
            }
        elif grades is not None and not isinstance(grades, str):
            grades = list(grades)
        document: dict[str, JsonValue] = {"target": kept, "prefix": entry.prefix, "grades": grades}
        self.catalog.save_connection(entry.name, document)

    async def _restore(self) -> Everyone:
        for name, document in self.catalog.connections().items():
            if name not in self._entries:
                target: Any = document["target"]
                options: Any = {key: document[key] for key in ("prefix", "grades")}
                await self._connect(name, target, options | {"remember": False}, True)
        return self.list()

    async def _disconnect(self, name: str, forget: bool) -> bool:
        entry = self._entries.get(name)
        if forget:
            self.catalog.remove_connection(name)
        if entry is None:
            return False
        if entry.is_ours:
            entry.connection.close()
            await entry.connection.ended.wait()
        self._drop(entry)
        return True

    async def _close(self) -> None:
        for name in tuple(self._entries):
            await self._disconnect(name, False)

    def _drop(self, entry: _Entry) -> None:
        """Remove the tools of a connection, unless another one of that name was made since."""
        with self._lock:
            if self._entries.get(entry.name) is entry:
                del self._entries[entry.name]
                self._box.clear(entry.provider)

    # Listings and notifications

    def _listed(self, entry: _Entry, listed: Listing, dropped: tuple[str, ...]) -> bool:
        """Register a listing; True when some of it waits for approval."""

        async def caller(tool: str, call: Call, context: Context) -> Result:
            if not entry.is_ours:
                message = f"the MCP server {entry.name} was connected before a fork; connect again"
                return Transient(message, code="unavailable")
            return await background.awaited(entry.connection.call, tool, call, context)

        offer = offered(listed, entry.name, entry.prefix, entry.grades, caller)
        self._register(entry, offer._replace(problems=(*dropped, *offer.problems)))
        return bool(entry.withheld)

    def _register(self, entry: _Entry, offer: Offered) -> None:
        admitted = self.catalog.admit(entry.pinned_as, offer.definitions)
        with self._lock:
            if self._entries.get(entry.name) is not entry:
                return
            entry.offer = offer
            problems = list(offer.problems)
            kept = []
            for tool, remote in sorted(offer.tools.items()):
                taken = self._taken(remote, entry.provider) if tool in admitted else None
                if taken is not None:
                    problems.append(taken)
                elif tool in admitted:
                    kept.append(remote)
            entry.withheld = tuple(sorted(set(offer.tools) - admitted))
            entry.problems = tuple(problems)
            if self._is_new(entry, kept):
                self._box.restore(Snapshot(entry.provider, tuple(kept)))
            entry.tools = tuple(one.definition().name for one in kept)

    def _is_new(self, entry: _Entry, kept: Remotes) -> bool:
        """True if something changed: a new version of the listing costs the model's prompt cache."""
        known = [tool.definition() for tool in self._box.of_provider(entry.provider)]
        specs = [tool.definition().replace(provider=entry.provider) for tool in kept]
        return [one.digest for one in known] != [
            one.replace(provider=old.provider).digest
            for one, old in zip(specs, known, strict=False)
        ] or len(known) != len(specs)

    def _taken(self, remote: RemoteTool, provider: str) -> str | None:
        """Return why a tool cannot have its name: existing tools are never replaced."""
        spec = remote.definition()
        for name in (spec.name, spec.wire_name):
            owner = self._box.provider_of(name)
            if owner is not None and owner != provider:
                return f"{spec.name}: the name belongs to the provider {owner or '(none)'!r}"
        return None

    def _notified(self, entry: _Entry, method: str, params: JsonValue) -> None:
        """Put what a server sends on its own into the queue of the task, as data."""
        if self.steering is None:
            return
        minute, sent = int(time.monotonic() // 60), entry.minute[1]
        if entry.minute[0] != minute:
            sent = 0
        entry.minute = (minute, sent + 1)
        if sent < NOTES_PER_MINUTE:
            self.steering.send(note_of(entry.name, method, params))
        elif sent == NOTES_PER_MINUTE:
            self.steering.send(f"MCP server {entry.name}: more notifications were left out.")


def _described(entry: _Entry) -> Connected:
    made = entry.connection
    return Connected(
        entry.name,
        str(entry.target),
        made.state,
        made.protocol,
        made.server,
        entry.tools,
        entry.withheld,
        entry.problems,
        made.problem,
    )


_ALL: weakref.WeakSet[Connections] = weakref.WeakSet()


@atexit.register
def _leave_all() -> None:
    """Stop the servers when the program ends."""
    for one in tuple(_ALL):
        if any(entry.is_ours for entry in one._entries.values()):
            one.close_sync()
