"""A tool, its provider and an overlay in, the tool as a toolbox keeps it out."""

from __future__ import annotations

from dataclasses import dataclass

from zkit.sources.overlays import Overlay
from zkit.sources.shown import ShownTool, without
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
