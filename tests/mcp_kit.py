"""The tools of the server in the tests: run as `zkit mcp serve --from tests/mcp_kit.py`."""

from __future__ import annotations

import time
from typing import Any

from zkit.results import Transient
from zkit.tools import Context, tool


@tool(grade="pure")
def add(a: int, b: int = 1) -> int:
    """Add two numbers."""
    return a + b


@tool(grade="read", docs="weather.md")
def weather(city: str, days: int = 1) -> dict[str, Any]:
    """Tell the weather of a city."""
    return {"city": city, "days": days}


@tool(grade="write", destructive=True)
def wipe(path: str) -> str:
    """Delete everything below a path."""
    return f"{path} is gone"


@tool(grade="read")
def slow(context: Context) -> str:
    """Take some time, and tell how much is left."""
    for step in range(3):
        context.progress(step + 1, 3, f"step {step + 1}")
        time.sleep(0.01)
    return "done"


@tool(grade="read")
def busy() -> str:
    """Have no time."""
    raise Transient("too many requests", retry_after=7, code="rate_limited")


@tool(grade="read")
def broken() -> str:
    """Fail."""
    raise KeyError("a bug")
