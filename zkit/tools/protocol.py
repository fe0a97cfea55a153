"""What a tool is: something that says what it takes, and runs a call."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Protocol, runtime_checkable

from zkit.calls import Call
from zkit.results import Result
from zkit.tools.spec import ToolSpec


@runtime_checkable
class Tool(Protocol):
    """A tool. `execute` may be plain or async; what it raises becomes a result like any other."""

    def definition(self) -> ToolSpec:
        """Say what the tool is called, takes and does."""

    def execute(self, call: Call, /) -> Result | Awaitable[Result]:
        """Run one call."""
