"""The registry of tools: the one source that can change."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ParamSpec, TypeVar, Unpack, overload
from weakref import finalize

from zkit.errors import ProviderError, ToolNameTakenError
from zkit.required import require_kind, require_list, require_path, require_seconds
from zkit.results import Failure, Refused
from zkit.sources.kit import Kit
from zkit.sources.overlays import Overlay, Overlays
from zkit.sources.shown_tool import Provider, PythonProvider, ShownTool, provided, without
from zkit.sources.source import SourceView, spec_or_none, warn_if_shadowing
from zkit.sources.tool_folder import LOAD_TIMEOUT, Loaded, forget_package, read_folder
from zkit.tools import FunctionTool, Tool, ToolSpec, as_tool
from zkit.tools.declare import Declared, tool_of


@dataclass(frozen=True, slots=True)
class Entry:
    """A tool, its provider, and how it is shown."""

    tool: Tool
    provider: str
    shown: Tool
    wire_name: str

    name: str

    @property
    def spec(self) -> ToolSpec | None:
        """The shown spec; None if `definition()` raises now."""
        return spec_or_none(self.shown)

    @property
    def is_enabled(self) -> bool:
        """Whether the tool is listed and can be called."""
        spec = self.spec
        return spec is not None and spec.preference.enabled

    @property
    def names(self) -> frozenset[str]:
        """The names under which calls find the tool."""
        return frozenset((self.name, self.wire_name))


def entry_for(own: ToolSpec, tool: Tool, provider: str | None, overlay: Overlay | None) -> Entry:
    """Return the entry of a tool: with its provider and its overlay."""
    tag = own.provider if provider is None else provider
    spec = own if own.provider == tag else own.replace(provider=tag)
    spec = spec if overlay is None else overlay.on(spec)
    preset = spec.preference.overrides
    shown = without(spec, preset) if preset else spec
    seen = tool if shown is own else ShownTool(tool, shown, preset)
    return Entry(tool, tag, seen, own.wire_name, own.name)


def _same_on_the_wire(name: str, other: str) -> ToolNameTakenError:
    return ToolNameTakenError(
        f"{name!r} and {other!r} would be one name in calls: rename one of the tools"
    )


class EntryTable:
    """Entries by name and by wire name.

    A name belongs to the provider that took it first: the same provider replaces its tool, another
    one is refused unless it says so. Callers that change the table must hold a lock.
    """

    def __init__(self) -> None:
        self._entries: dict[str, Entry] = {}
        self._by_wire: dict[str, str] = {}

    def find(self, name: str) -> Entry | None:
        """Return the entry of a name or wire name."""
        return self._entries.get(name) or self._entries.get(self._by_wire.get(name, ""))

    def named(self, name: str) -> Entry | None:
        """Return the entry of a name, and of no wire name."""
        return self._entries.get(name)

    def all(self, provider: str | None = None) -> list[Entry]:
        """Return the entries, or those of a provider, sorted by name."""
        found = sorted(self._entries.items(), key=lambda item: item[0])
        return [entry for _, entry in found if provider is None or entry.provider == provider]

    def check(self, entries: Sequence[Entry], *, replace: bool) -> None:
        """Refuse a name that another provider has, or that two of the tools have.

        Names and wire names are one namespace: a call of either must mean one tool.
        """
        seen: dict[str, Entry] = {}
        for entry in entries:
            for name in entry.names:
                twin = seen.setdefault(name, entry)
                if twin.tool is not entry.tool and twin.name == entry.name:
                    raise ToolNameTakenError(
                        f"two of the tools are called {entry.name!r}; rename one"
                    )
                if twin.name != entry.name:
                    raise _same_on_the_wire(entry.name, twin.name)
            old = self._entries.get(entry.name)
            if old is not None and old.provider != entry.provider and not replace:
                raise ToolNameTakenError(
                    f"{entry.name!r} belongs to the provider {old.provider or '(none)'!r};"
                    " pass replace=True to take it over"
                )
            for name in entry.names:
                other = name if name in self._entries else self._by_wire.get(name, entry.name)
                if other != entry.name:
                    raise _same_on_the_wire(entry.name, other)

    def change(self, *, add: Sequence[Entry] = (), remove: Sequence[Entry] = ()) -> None:
        """Remove entries and add others, which may replace some; warn about new names that shadow Python's.

        A reader without the lock sees the old entry of a name or the new one.
        """
        for entry in add:
            # No warning for standard tools: the user cannot choose their names.
            if entry.name not in self._entries and entry.provider != "std":
                warn_if_shadowing(entry.name)
        if remove:
            gone = {entry.name for entry in remove} - {entry.name for entry in add}
            kept = {name: entry for name, entry in self._entries.items() if name not in gone}
            self._by_wire = {entry.wire_name: name for name, entry in kept.items()}
            self._entries = kept
        for entry in add:
            self._entries[entry.name] = entry
            self._by_wire[entry.wire_name] = entry.name


Listener = Callable[[int], None]
P = ParamSpec("P")
R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The tools of one provider at one time, to be restored."""

    provider: str
    tools: tuple[Tool, ...]


class Toolbox(SourceView):
    """All tools, by name, with the provider that each comes from.

    A name belongs to the provider that took it first: the same provider replaces its tool, another
    one is refused unless it says `replace=True`. The listing is sorted by name and stays byte for
    byte the same until something changes; `version` then grows. Safe to use from many threads.
    `docs_root` is the folder that the documents of the tools are in.
    """

    def __init__(
        self,
        tools: Iterable[object] = (),
        *,
        providers: Iterable[Provider] = (),
        overlays: Overlays | None = None,
        docs_root: str | Path | None = None,
    ) -> None:
        super().__init__()
        require_path("docs_root", docs_root, or_none=True)
        require_list("tools", tools, "tools")
        require_list("providers", providers, "providers")
        require_kind("overlays", overlays, Overlays, "Overlays", or_none=True)
        self.docs_root = docs_root
        self._lock = threading.RLock()
        self._table = EntryTable()
        self._providers: dict[str, Provider] = {"python": PythonProvider()}
        self._version = 0
        self._listeners: list[Listener] = []
        self._folders: dict[str, Loaded] = {}
        self._mcp: Any = None
        self._dynamic: Any = None
        self.overlays = overlays if overlays is not None else Overlays()
        self.overlays.listen(self._overlaid, check=self._check_overlays)
        for provider in providers:
            self.register_provider(provider)
        self.register_all(tools)

    # Changing it

    def register(self, tool: Any, *, provider: str | None = None, replace: bool = False) -> Any:
        """Add a tool: a tool, a function, a `TypedTool`, or a `ToolSpec` of a provider.

        Returns the tool, so that it also works as a decorator.
        """
        [found] = self.register_all([tool], provider=provider, replace=replace)
        return found

    def register_all(
        self, tools: Iterable[object], *, provider: str | None = None, replace: bool = False
    ) -> list[Tool]:
        """Add several tools, all or none; two of the same name among them are a mistake.

        One whose `definition()` raises is not added, with a warning.
        """
        with self._lock:
            found = [
                self._resolved(one) if isinstance(one, ToolSpec) else as_tool(one) for one in tools
            ]
            made = [
                entry_for(spec, one, provider, self.overlays.get(spec.name))
                for one in found
                if (spec := spec_or_none(one)) is not None
            ]
            self._table.check(made, replace=replace)
            self._table.change(add=made)
            if made:
                self._bump()
        return found

    @overload
    def tool(self, function: Callable[P, R], /) -> FunctionTool[P, R]: ...
    @overload
    def tool(
        self, /, **declared: Unpack[Declared]
    ) -> Callable[[Callable[P, R]], FunctionTool[P, R]]: ...
    def tool(self, function: Any = None, /, **declared: Any) -> Any:
        """Make a tool from a function, as `@tool` does, and add it."""
        if function is None:
            return lambda found: self.tool(found, **declared)
        return self.register(tool_of(function, **declared))

    def unregister(self, name: str) -> bool:
        """Remove a tool; False when there is none of that name."""
        with self._lock:
            entry = self._table.find(name)
            if entry is not None:
                self._table.change(remove=[entry])
                self._bump()
            return entry is not None

    def clear(self, provider: str) -> Snapshot:
        """Remove all tools of a provider and no others; `restore` brings them back."""
        with self._lock:
            snapshot = self.snapshot(provider)
            self._replace(provider, ())
            return snapshot

    def restore(self, snapshot: Snapshot, *, replace: bool = False) -> None:
        """Restore the tools of a provider as they were: all of them, or none if a name is taken."""
        with self._lock:
            self._replace(snapshot.provider, snapshot.tools, replace=replace)

    def snapshot(self, provider: str) -> Snapshot:
        """Return the tools of a provider as they are now."""
        return Snapshot(provider, tuple(self.of_provider(provider)))

    # Providers

    def register_provider(self, provider: Provider) -> tuple[str, ...]:
        """Register a provider and add the tools that it announces; return their names.

        A provider that is not available adds nothing.
        """
        require_kind(
            "provider", provider, Provider, "something with name, available() and resolve()"
        )
        with self._lock:
            self._providers[provider.name] = provider
            specs = getattr(provider, "specs", None)
            if specs is None or not provider.available():
                return ()
            found = [provided(spec, provider) for spec in specs()]
            self._replace(provider.name, found)
            return tuple(sorted(one.definition().name for one in found))

    def provider_of(self, name: str) -> str | None:
        """Return the provider of a tool; None when there is no such tool."""
        entry = self._table.find(name)
        return None if entry is None else entry.provider

    def of_provider(self, provider: str) -> list[Tool]:
        """Return the tools of a provider as they were registered, sorted by name."""
        with self._lock:
            return [entry.tool for entry in self._table.all(provider)]

    def providers(self) -> dict[str, int]:
        """Return how many tools each provider has."""
        with self._lock:
            counts = Counter(entry.provider for entry in self._table.all())
        return dict(sorted(counts.items()))

    # Folders

    def load_dir(
        self,
        path: str | Path,
        *,
        provider: str | None = None,
        replace: bool = False,
        timeout: float = LOAD_TIMEOUT,
    ) -> Loaded:
        """Add the tools in the Python files of a folder, and say what could not be loaded.

        Files that begin with `_` are helpers and are skipped. Loading again replaces what the same
        provider had: tools that are gone from the files are gone. `timeout` is for each file; a
        file that takes longer is reported, and goes on in the background.
        """
        if not str(path).strip():
            raise ValueError('path is empty: write "." for the current folder')
        require_seconds("timeout", timeout, above_zero=True)
        name = provider or f"dir:{Path(path).resolve().as_posix()}"
        read = read_folder(Path(path), name, timeout)
        finalize(self, forget_package, read.module)  # a collected box leaves no modules
        with self._lock:
            judged = [(found, self._conflict(found.tool, name, replace)) for found in read.found]
            kept = [found.tool for found, why in judged if why is None]
            self._replace(name, kept, replace=replace)
            refused = [found.problem(str(why)) for found, why in judged if why is not None]
            problems = (*read.problems, *refused)
            names = tuple(sorted(found.name for found, why in judged if why is None))
            loaded = Loaded(name, names, tuple(sorted(problems)), read.module)
            self._forget(name)
            self._folders[name] = loaded
        return loaded

    def unload(self, provider: str) -> bool:
        """Remove what `load_dir` added, with its modules; False when there is nothing."""
        with self._lock:
            had = bool(self.clear(provider).tools)
            return self._forget(provider) or had

    def _forget(self, provider: str) -> bool:
        loaded = self._folders.pop(provider, None)
        if loaded is not None:
            forget_package(loaded.module)
        return loaded is not None

    # Tools that are added at run time

    @property
    def mcp(self) -> Any:
        """The MCP servers of the toolbox, a `zkit.mcp.Connections`: `await box.mcp.connect(...)`."""
        from zkit.mcp import Connections

        with self._lock:
            if self._mcp is None:
                self._mcp = Connections(self)
            return self._mcp

    @property
    def dynamic(self) -> Any:
        """The tools made at run time, a `zkit.dynamic.DynamicTools`: `box.dynamic.new_tool(...)`."""
        from zkit.dynamic import DynamicTools

        with self._lock:
            if self._dynamic is None:
                self._dynamic = DynamicTools(self)
            return self._dynamic

    # Reading it

    def kit(self, selection: object = None, **options: Any) -> Kit:
        """Return a view of some of the tools, under names of your choice; see `Kit`."""
        return Kit(self, selection, **options)

    @property
    def version(self) -> int:
        """A number that grows with every change, also of the overlays by other processes."""
        self.overlays.refresh()
        return self._version

    def tools(self) -> tuple[Tool, ...]:
        """List the tools that are enabled, sorted by name."""
        listed: tuple[Tool, ...] = self._once("tools", self._list)
        return listed

    def _list(self) -> tuple[Tool, ...]:
        with self._lock:
            found = self._table.all()
        return tuple(entry.shown for entry in found if entry.is_enabled)

    def get(self, name: str) -> Tool | None:
        """Find an enabled tool by its name or its wire name."""
        self.overlays.refresh()
        entry = self._table.find(name)
        return entry.shown if entry is not None and entry.is_enabled else None

    def absent(self, name: str) -> Failure:
        """Say why there is no tool of that name: switched off, or unknown."""
        entry = self._table.find(name)
        spec = None if entry is None else entry.spec
        if spec is None or spec.preference.enabled:
            return super().absent(name)
        reason = spec.preference.reason or f"{spec.name} is switched off"
        return Refused(reason, code="disabled")

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Call a listener with the version after every change; return a function that stops it."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener) if listener in self._listeners else None

    # Inside

    def _resolved(self, spec: ToolSpec) -> Tool:
        provider = self._providers.get(spec.provider)
        if provider is None:
            known = ", ".join(sorted(self._providers))
            raise ProviderError(
                f"{spec.name}: no provider {spec.provider!r} is registered; there are: {known}"
            )
        return provided(spec, provider)

    def _replace(self, provider: str, tools: Iterable[Tool], *, replace: bool = False) -> None:
        """Replace all tools of a provider, all or none, in one change."""
        made = [self._entry_for(one, provider) for one in tools]
        self._table.check(made, replace=replace)
        gone = self._table.all(provider)
        self._table.change(add=made, remove=gone)
        if gone or made:
            self._bump()

    def _entry_for(self, tool: Tool, provider: str | None) -> Entry:
        own = tool.definition()
        return entry_for(own, tool, provider, self.overlays.get(own.name))

    def _conflict(self, tool: Tool, provider: str, replace: bool) -> ToolNameTakenError | None:
        try:
            self._table.check([self._entry_for(tool, provider)], replace=replace)
        except ToolNameTakenError as error:
            return error
        return None

    def _check_overlays(self, overlays: Mapping[str, Overlay | None]) -> None:
        """Refuse overlays that do not fit their tools, before they are kept."""
        for name in overlays:
            entry = self._table.named(name)
            if entry is not None:
                entry_for(entry.tool.definition(), entry.tool, entry.provider, overlays[name])

    def _overlaid(self, names: frozenset[str]) -> None:
        with self._lock:
            changed = [entry for name in names if (entry := self._table.named(name))]
            self._table.change(add=[self._entry_for(e.tool, e.provider) for e in changed])
            if changed:
                self._bump()

    def _bump(self) -> None:
        self._version += 1
        for listener in tuple(self._listeners):
            listener(self._version)
