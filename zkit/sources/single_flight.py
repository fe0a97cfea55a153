"""One call that runs in, its result out for everybody who asked the same meanwhile."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from anyio import Event
from anyio.lowlevel import current_token

from zkit.results import Result
from zkit.tools import Tool


class Flight:
    """A call on its way. Others wait for it, in other event loops and threads as well."""

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
        """Give everybody who waits the result."""
        with self._lock:
            self._landed = True
            self._result = result
            wakers, self._wakers = self._wakers, []
        for wake in wakers:
            wake()


def _waker(event: Event) -> Callable[[], None]:
    """How to set an event of this event loop from anywhere."""
    loop: Any = current_token().native_token
    soon = getattr(loop, "call_soon_threadsafe", None) or loop.run_sync_soon  # asyncio, trio

    def wake() -> None:
        try:
            soon(event.set)
        except RuntimeError:
            return  # that loop is closed, and with it whoever waited

    return wake
