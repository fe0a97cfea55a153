"""A source in; how its tools are run, and what is remembered of them, out."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

from zkit.calls import Call
from zkit.dispatch.settings import Execute
from zkit.errors import ToolDefinitionError
from zkit.required import require_kind
from zkit.results import Failure, Result
from zkit.sources import Kit, Memory, MemoSource, ShownTool, Toolbox, ToolSource
from zkit.tools import Tool, run_tool


def source_of(given: Any) -> ToolSource:
    """Return the source itself, or one of the tools and functions in a list."""
    if isinstance(given, ToolSource):
        return given
    if isinstance(given, Iterable) and not isinstance(given, str | bytes):
        return Toolbox(given)
    raise ToolDefinitionError(f"{given!r} is neither a source of tools nor a list of tools")


def reached(source: ToolSource) -> Execute:
    """Return how to run a tool of a source.

    Tools of a `Toolbox`, and of kits of one, are run as they are. Any other source may do more in
    its `call` than run a tool (another dispatcher does), so the call goes by way of it.
    """
    if _is_plain(source.source if isinstance(source, MemoSource) else source):
        return run_shown

    async def by_source(tool: Tool, call: Call) -> Result:
        return await source.call(call)

    return by_source


async def run_shown(tool: Tool, call: Call) -> Result:
    """Run a tool under its own name, with the arguments that are set for it.

    A kit shows tools under other names; the context of the call, by which a tool hears that
    nobody waits any more, must be the one of the tool that runs.
    """
    while isinstance(tool, ShownTool):
        ready = tool.prepared(call)
        if isinstance(ready, Failure):
            return ready
        tool, call = tool.inner, ready
    return await run_tool(tool, call)


def _is_plain(source: Any) -> bool:
    while type(source) is Kit:
        source = source.source
    return isinstance(source, Toolbox) and type(source).call is Toolbox.call


def memory_for(
    source: ToolSource, given: Memory | Literal[False] | None
) -> tuple[Memory | None, bool]:
    """Return the memory to use, and whether it is used outside of tasks as well.

    A `MemoSource` brings its own. What is remembered without a task is remembered until something
    is written, so that is for whoever asks for it.
    """
    if given is False:
        return None, False
    require_kind("memory", given, Memory, "a Memory, False", or_none=True)
    if given is not None:
        return given, True
    if isinstance(source, MemoSource):
        return source.memory, True
    return Memory(), False
