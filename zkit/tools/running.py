"""A tool and a call in, a result out, whatever the tool does."""

from __future__ import annotations

import inspect
import threading
from collections.abc import Awaitable
from typing import Any

from anyio import get_cancelled_exc_class, to_thread

from zkit.calls import Call
from zkit.results import Result
from zkit.tools.context import Context, inside
from zkit.tools.outcomes import failure_of, result_of, with_effects
from zkit.tools.protocol import Tool
from zkit.tools.still_running import watched


async def run_tool(tool: Tool, call: Call) -> Result:
    """Run one call and return its result; nothing that the tool raises gets out.

    A plain `execute` runs in a thread, so that it cannot hold up others. When the waiting is
    cancelled the thread runs on, is told so by its context, and every `watching()` block around
    knows when it has ended. A call that is cancelled before its thread begins never runs.
    """
    context = Context(call)
    with inside(context):
        try:
            result = result_of(await _returned(tool, call))
        except get_cancelled_exc_class():
            context.cancel()
            raise
        except (Exception, SystemExit) as error:
            result = failure_of(error, call.name)
    return with_effects(result, context.effects)


async def _returned(tool: Tool, call: Call) -> Any:
    if getattr(tool, "runs_async", False) or inspect.iscoroutinefunction(tool.execute):
        with watched():
            return await tool.execute(call)  # type: ignore[misc]
    found = await _in_thread(tool, call)
    if not isinstance(found, Awaitable):
        return found
    with watched():
        return await found


async def _in_thread(tool: Tool, call: Call) -> Any:
    ticket = _Ticket()
    block = watched()
    block.__enter__()

    def work() -> Any:
        if not ticket.take():
            return None
        try:
            return tool.execute(call)
        finally:
            block.__exit__(None, None, None)

    try:
        return await to_thread.run_sync(work, abandon_on_cancel=True)
    finally:
        if ticket.take():  # cancelled before a thread was free: it will not begin any more
            block.__exit__(None, None, None)


class _Ticket:
    """Is taken once: by the thread that runs the tool, or by whoever gives up before that."""

    def __init__(self) -> None:
        self._lock = threading.Lock()

    def take(self) -> bool:
        return self._lock.acquire(blocking=False)
