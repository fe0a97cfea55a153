"""Remembers the results of reading tools until something may have changed, and a source that does so."""

from __future__ import annotations

import json
import os
import threading
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from anyio import CancelScope, Event
from anyio.lowlevel import current_token

from zkit.calls import Call
from zkit.effects import ProcessEffect
from zkit.required import require_count, require_kind, require_path
from zkit.results import Failure, Result, Success
from zkit.sources.memo_keys import Files, Key, Paths, Remembered, as_hit, key_of, overlap, shareable
from zkit.sources.shared_memo import MemoStore
from zkit.sources.source import SourceView, ToolSource, as_source, ready_call, vouched
from zkit.tools import Tool, ToolSpec, current_scope, policy_for
from zkit.tools.context import Watch, reset, watching

if TYPE_CHECKING:
    from zkit.sources.shared_memo import MemoStore, SharedMemo


class Flight:
    """A running call. Others wait for its result, in other event loops and threads too."""

    def __init__(self, tool: Tool) -> None:
        self.tool = tool
        self._lock = threading.Lock()
        self._landed = False
        self._result: Result | None = None
        self._wakers: list[Callable[[], None]] = []

    async def wait(self) -> Result | None:
        """Wait for the result; None when the call ended without one."""
        event = Event()
        with self._lock:
            if self._landed:
                return self._result
            self._wakers.append(_waker(event))
        await event.wait()
        return self._result

    def land(self, result: Result | None) -> None:
        """Pass the result to all waiters."""
        with self._lock:
            self._landed = True
            self._result = result
            wakers, self._wakers = self._wakers, []
        for wake in wakers:
            wake()


def _waker(event: Event) -> Callable[[], None]:
    """Return a function that sets an event of this event loop from any thread."""
    loop: Any = current_token().native_token
    soon = getattr(loop, "call_soon_threadsafe", None) or loop.run_sync_soon  # asyncio, trio

    def wake() -> None:
        try:
            soon(event.set)
        except RuntimeError:
            return  # that loop is closed, and its waiters with it

    return wake


Proceed = Callable[[Call], Awaitable[Result]]


class MemoryPolicy(Protocol):
    """What a memory must know about a tool. A call that clears is never remembered."""

    @property
    def remember(self) -> bool:
        """Whether its answers may be remembered."""

    @property
    def clear(self) -> bool:
        """Whether its calls may have changed what was remembered."""


@dataclass(slots=True)
class Room:
    """A workspace: how many calls change it now, and what still runs in its background."""

    writers: int = 0
    background: set[tuple[str, int | None]] = field(default_factory=set)


_LEADING: ContextVar[frozenset[Key]] = ContextVar("zkit leading", default=frozenset())


class Memory:
    """The results of pure and reading tools, by task, tool and arguments.

    Equal calls at the same time run once. Every call that executes or writes clears the workspace,
    before and after, whether it succeeds or not, for all tasks; while it runs, or a process that
    it left in the background, nothing is remembered there. With `root`, the folder to which paths
    are relative, a call that only touches declared files clears only what depends on them. With
    `store` (`SqliteMemo`, `RedisMemo`) the answers are shared with other processes: one of them runs
    a call, and a change anywhere clears the workspace everywhere.
    """

    def __init__(
        self,
        *,
        max_entries: int = 1024,
        max_bytes: int = 32_000_000,
        root: str | Path | None = None,
        store: MemoStore | None = None,
    ) -> None:
        require_count("max_entries", max_entries)
        require_count("max_bytes", max_bytes)
        require_path("root", root, or_none=True)
        self._lock = threading.RLock()
        self._entries: OrderedDict[Key, Remembered] = OrderedDict()
        self._flights: dict[Key, Flight] = {}
        self._rooms: dict[str, Room] = {}
        self._size = 0
        self._max_entries = max_entries
        self._max_bytes = max_bytes
        self._files = Files(root)
        self._shared = None
        if store is not None:
            from zkit.sources.shared_memo import SharedMemo  # with SQLite, which few memories need

            self._shared = SharedMemo(store)

    def __len__(self) -> int:
        return len(self._entries)

    async def run(
        self, tool: Tool, call: Call, proceed: Proceed, *, policy: MemoryPolicy | None = None
    ) -> Result:
        """Answer a call from memory, or let it proceed. Its arguments must be decoded.

        `policy` says whether the call clears the memory, and whether its answer is remembered;
        without it, the tool's declaration decides.
        """
        spec = tool.definition()
        policy = policy_for(spec) if policy is None else policy
        if policy.clear:
            return await self._change(spec, call, proceed)
        key = key_of(spec, call) if policy.remember else None
        return await proceed(call) if key is None else await self._read(tool, key, call, proceed)

    def forget(self, task: str) -> None:
        """Forget everything of a task; it is over."""
        with self._lock:
            self._drop(lambda key: key.task == task)
            for workspace, room in list(self._rooms.items()):
                room.background = {one for one in room.background if one != (task, None)}
                self._tidy(workspace, room)

    def clear(self, workspace: str | None = None) -> None:
        """Forget everything of a workspace, or of all workspaces; a shared store clears the given
        workspace only."""
        if self._shared is not None and workspace is not None:
            self._shared.clear(workspace)
        with self._lock:
            self._drop(lambda key: workspace is None or key.workspace == workspace)

    # Reading

    async def _read(self, tool: Tool, key: Key, call: Call, proceed: Proceed) -> Result:
        if key in _LEADING.get():  # the tool calls itself: waiting would never end
            return await proceed(call)
        while True:
            with self._lock:
                if not self._is_quiet(key.workspace):
                    break
                known = self._known(tool, key)
                if known is not None:
                    return known
                flight = self._flights.get(key)
                leads = flight is None or flight.tool is not tool
                if leads:
                    flight = self._flights[key] = Flight(tool)
            assert flight is not None
            if leads:
                return await self._lead(flight, key, call, proceed)
            shared = await flight.wait()
            if shared is not None:
                return as_hit(shared, 1) if isinstance(shared, Success) else shared
        return await proceed(call)

    async def _lead(self, flight: Flight, key: Key, call: Call, proceed: Proceed) -> Result:
        token = _LEADING.set(_LEADING.get() | {key})
        shared: Result | None = None
        current_scope().when_over(self, lambda: self.forget(key.task))
        try:
            if self._shared is not None:
                result = await self._ask_others(self._shared, flight, key, call, proceed)
                shared = shareable(result)
                return result
            result = await proceed(call)
            shared = shareable(result)
            self._keep(flight, key, call, shared)
            return result
        finally:
            reset(_LEADING, token)
            with self._lock:
                if self._flights.get(key) is flight:
                    del self._flights[key]
            flight.land(shared)

    async def _ask_others(
        self, others: SharedMemo, flight: Flight, key: Key, call: Call, proceed: Proceed
    ) -> Result:
        """Return what another process found, or run the call and share its result.

        The store is read each time: only it knows about changes by other processes.
        """
        found = await others.find(flight.tool.definition(), key)
        if isinstance(found, Success):
            return as_hit(found, 1)
        if found is None:
            return await proceed(call)
        kept: Success | None = None
        try:
            result = await proceed(call)
            safe = shareable(result)
            with self._lock:  # a change in this process removes the flight from the table
                if self._flights.get(key) is flight and isinstance(safe, Success):
                    kept = safe
            return result
        finally:
            with CancelScope(shield=True):
                await others.keep(found, kept)

    def _known(self, tool: Tool, key: Key) -> Success | None:
        entry = self._entries.get(key)
        if entry is None or entry.tool is not tool:
            return None
        self._entries.move_to_end(key)
        entry.hits += 1
        return as_hit(entry.result, entry.hits)

    def _keep(self, flight: Flight, key: Key, call: Call, result: Result | None) -> None:
        """Remember a success, unless something changed since the call began, or its task ended."""
        if not isinstance(result, Success) or current_scope().is_over:
            return
        size = len(json.dumps(result.data, default=str)) + len(key.arguments)
        paths = self._files.of_call(flight.tool.definition(), call, result.effects)
        if size > self._max_bytes:  # it would evict all others, and then itself
            return
        with self._lock:
            # A change of the workspace removes the flight from the table: then the result may be
            # stale.
            if self._flights.get(key) is not flight or not self._is_quiet(key.workspace):
                return
            self._take_out(key)
            self._entries[key] = Remembered(flight.tool, result, paths, size)
            self._size += size
            while len(self._entries) > self._max_entries or self._size > self._max_bytes:
                self._take_out(next(iter(self._entries)))

    # Changing

    async def _change(self, spec: ToolSpec, call: Call, proceed: Proceed) -> Result:
        scope = current_scope()
        workspace, task = scope.workspace, scope.task
        scope.when_over(self, lambda: self.forget(task))
        touched = self._files.of_call(spec, call) if spec.effective_grade.w == 3 else None
        with self._lock:
            self._room(workspace).writers += 1
            self._clear_paths(workspace, touched)
        result: Result | None = None
        change = None
        with watching() as watch:
            try:
                if self._shared is not None:
                    change = await self._shared.begin_change(workspace)
                result = await proceed(call)
                return result
            finally:
                self._settle(workspace, task, watch, touched, result, change)

    def _settle(
        self,
        workspace: str,
        task: str,
        watch: Watch,
        touched: Paths,
        result: Result | None,
        change: str | None,
    ) -> None:
        """Clear again when the tool's code has really ended, which may be after the call."""
        effects = getattr(result, "effects", ())
        only_files = isinstance(result, Success) and all(e.kind == "file" for e in effects)
        paths = touched
        if touched is not None and only_files:
            paths = touched | self._files.of_effects(effects)
        if watch.busy or not only_files:
            paths = None
        running = {
            (task, effect.pid)
            for effect in effects
            if isinstance(effect, ProcessEffect) and effect.background
        }

        def over() -> None:
            with self._lock:
                room = self._room(workspace)
                room.writers -= 1
                room.background |= running
                self._clear_paths(workspace, paths)
                self._tidy(workspace, room)
            # A process in the background holds the change until its lease ends.
            if self._shared is not None and change is not None and not running:
                self._shared.end_change(workspace, change)

        watch.when_idle(over)

    def _is_quiet(self, workspace: str) -> bool:
        room = self._rooms.get(workspace)
        if room is None:
            return True
        alive = {one for one in room.background if _is_alive(one[1])}
        if alive != room.background:
            room.background = alive
            self._clear_paths(workspace, None)
        return not room.writers and not alive

    # Inside; the lock is held

    def _room(self, workspace: str) -> Room:
        return self._rooms.setdefault(workspace, Room())

    def _tidy(self, workspace: str, room: Room) -> None:
        if not room.writers and not room.background:
            self._rooms.pop(workspace, None)

    def _clear_paths(self, workspace: str, paths: Paths) -> None:
        """Drop what may depend on paths, and every running call, whatever it reads."""
        for key in [key for key in self._flights if key.workspace == workspace]:
            del self._flights[key]
        for key, entry in list(self._entries.items()):
            if key.workspace == workspace and overlap(entry.paths, paths):
                self._take_out(key)

    def _drop(self, which: Callable[[Key], bool]) -> None:
        for key in [key for key in self._flights if which(key)]:
            del self._flights[key]
        for key in [key for key in self._entries if which(key)]:
            self._take_out(key)

    def _take_out(self, key: Key) -> None:
        entry = self._entries.pop(key, None)
        self._size -= entry.size if entry is not None else 0


def _is_alive(pid: int | None) -> bool:
    """True if a process still runs, or if that is unknown."""
    if pid is None or os.name != "posix":
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True


class MemoSource(SourceView):
    """Remembers the results of pure and reading tools until the task ends.

    A hit is marked (`meta["cached"]`), carries no effects, and its data cannot be changed. See
    `Memory` for what clears it. `MemoSource(box, root=".")` narrows that by the files that tools
    declare and report. The same memory can serve several sources. `store` shares the answers with
    other processes: `SqliteMemo(path)` on one machine, `RedisMemo(url)` on many.
    """

    def __init__(
        self,
        source: ToolSource | Iterable[object],
        *,
        max_entries: int = 1024,
        max_bytes: int = 32_000_000,
        root: str | Path | None = None,
        memory: Memory | None = None,
        store: MemoStore | None = None,
    ) -> None:
        super().__init__()
        require_kind("memory", memory, Memory, "a Memory", or_none=True)
        self.source = as_source(source)
        if memory is None:
            memory = Memory(max_entries=max_entries, max_bytes=max_bytes, root=root, store=store)
        elif store is not None:
            raise ValueError("a memory has its own store: Memory(store=...)")
        self.memory = memory

    @property
    def version(self) -> int:
        """A number that grows whenever the listing changes."""
        return self.source.version

    def tools(self) -> Sequence[Tool]:
        """List the tools of the source."""
        return self.source.tools()

    def get(self, name: str) -> Tool | None:
        """Find a tool of the source."""
        return self.source.get(name)

    def absent(self, name: str) -> Failure:
        """Say why there is no tool of that name."""
        why: Any = getattr(self.source, "absent", super().absent)
        failure: Failure = why(name)
        return failure

    async def call(self, call: Call, /) -> Result:
        """Answer from memory, or run the call through the source; a destructive call is refused."""
        tool = self.source.get(call.name)
        if tool is None:
            return await self.source.call(call)
        ready = ready_call(tool, call)
        if isinstance(ready, Failure):
            return ready
        with vouched(ready):
            return await self.memory.run(tool, ready, self.source.call)

    def forget(self, task: str) -> None:
        """Forget everything of a task."""
        self.memory.forget(task)
