"""Tools with their providers in; a table of them by name, and the rule of who may take one, out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from zkit.errors import ToolNameTakenError
from zkit.sources.overlays import Overlay
from zkit.sources.shadowing import warn_if_shadowing
from zkit.sources.shown_tool import ShownTool, without
from zkit.tools import Tool, ToolSpec


@dataclass(frozen=True, slots=True)
class Entry:
    """A tool, who registered it, and what is shown of it."""

    tool: Tool
    provider: str
    shown: Tool
    wire_name: str

    @property
    def spec(self) -> ToolSpec:
        """What is shown of the tool."""
        return self.shown.definition()


def entry_for(tool: Tool, provider: str | None, overlay: Overlay | None) -> Entry:
    """Return the entry of a tool: under its provider, described as the overlay says."""
    own = tool.definition()
    tag = own.provider if provider is None else provider
    spec = own if own.provider == tag else own.replace(provider=tag)
    spec = spec if overlay is None else overlay.on(spec)
    preset = spec.preference.overrides
    shown = without(spec, preset) if preset else spec
    seen = tool if shown is own else ShownTool(tool, shown, preset)
    return Entry(tool, tag, seen, own.wire_name)


class EntryTable:
    """Entries by name and by wire name.

    A name belongs to the provider that took it first: the same provider replaces its tool, another
    one is refused unless it says so. Whoever changes the table must hold a lock.
    """

    def __init__(self) -> None:
        self._entries: dict[str, Entry] = {}
        self._by_wire: dict[str, str] = {}

    def find(self, name: str) -> Entry | None:
        """The entry of a name or wire name."""
        return self._entries.get(name) or self._entries.get(self._by_wire.get(name, ""))

    def named(self, name: str) -> Entry | None:
        """The entry of a name, and of no wire name."""
        return self._entries.get(name)

    def all(self, provider: str | None = None) -> list[Entry]:
        """The entries, or those of a provider, sorted by name."""
        found = sorted(self._entries.items(), key=lambda item: item[0])
        return [entry for _, entry in found if provider is None or entry.provider == provider]

    def check(self, entries: Sequence[Entry], *, replace: bool) -> None:
        """Refuse a name that another provider has, or that two of the entries bear."""
        seen: dict[str, Tool] = {}
        for entry in entries:
            name = entry.spec.name
            if seen.setdefault(name, entry.tool) is not entry.tool:
                raise ToolNameTakenError(f"two of the tools are called {name!r}; rename one")
            old = self._entries.get(name)
            if old is not None and old.provider != entry.provider and not replace:
                raise ToolNameTakenError(
                    f"{name!r} belongs to the provider {old.provider or '(none)'!r};"
                    " pass replace=True to take it over"
                )
            other = self._by_wire.get(entry.wire_name, name)
            if other != name:
                raise ToolNameTakenError(f"{name!r} and {other!r} have the same name on the wire")

    def change(self, *, add: Sequence[Entry] = (), remove: Sequence[Entry] = ()) -> None:
        """Take entries away and add others, which may replace some; a new name may be warned of.

        Whoever looks meanwhile, without a lock, finds the old one of a name or the new.
        """
        for entry in add:
            # Nobody can choose other names for the standard tools when they are registered.
            if entry.spec.name not in self._entries and entry.provider != "std":
                warn_if_shadowing(entry.spec.name)
        if remove:
            gone = {entry.spec.name for entry in remove} - {entry.spec.name for entry in add}
            kept = {name: entry for name, entry in self._entries.items() if name not in gone}
            self._by_wire = {entry.wire_name: name for name, entry in kept.items()}
            self._entries = kept
        for entry in add:
            self._entries[entry.spec.name] = entry
            self._by_wire[entry.wire_name] = entry.spec.name
