"""What everything downstream sees of tools: a listing, a way to find one, a way to call one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from zkit.calls import Call
from zkit.required import require_kind
from zkit.results import Result
from zkit.tools import Tool


@runtime_checkable
class ToolSource(Protocol):
    """Where tools come from. What is listed can be called, and what is not listed cannot."""

    @property
    def version(self) -> int:
        """A number that grows whenever the listing changes."""

    def tools(self) -> Sequence[Tool]:
        """List the tools, sorted by name; cheap, and without any input or output."""

    def get(self, name: str) -> Tool | None:
        """Find a listed tool by its name or its wire name; None when there is none."""

    async def call(self, call: Call, /) -> Result:
        """Run a call; nothing that a model or a tool did is raised."""


def require_source(given: object) -> None:
    """Refuse what lists no tools and runs none."""
    require_kind("source", given, ToolSource, "a Toolbox, or another source of tools")
