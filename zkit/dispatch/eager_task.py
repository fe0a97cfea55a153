"""Start a task of asyncio at once: work that never waits ends without a round of the event loop."""

from __future__ import annotations

import asyncio
import sys
from asyncio import AbstractEventLoop, Task
from collections.abc import Coroutine
from typing import Any

if sys.version_info >= (3, 12):

    def eager_task(loop: AbstractEventLoop, work: Coroutine[Any, Any, None]) -> Task[None]:
        """Return a task that has run as far as it can without waiting."""
        return Task(work, loop=loop, eager_start=True)

else:
    from asyncio import _enter_task, _leave_task, _register_task
    from asyncio.futures import _PyFuture  # type: ignore[attr-defined]
    from asyncio.tasks import _PyTask  # type: ignore[attr-defined]
    from contextvars import copy_context

    class _EagerTask(_PyTask):  # type: ignore[misc]
        """What `eager_start` of Python 3.12 does, for 3.11, whose classes do not change any more."""

        def __init__(self, work: Coroutine[Any, Any, None], loop: AbstractEventLoop) -> None:
            _PyFuture.__init__(self, loop=loop)
            self._name = "zkit call"
            self._num_cancels_requested = 0
            self._must_cancel = False
            self._fut_waiter = None
            self._coro = work
            self._context = copy_context()

    def eager_task(loop: AbstractEventLoop, work: Coroutine[Any, Any, None]) -> Task[None]:
        """Return a task that has run as far as it can without waiting."""
        task: Any = _EagerTask(work, loop)
        around = asyncio.current_task(loop)
        if around is not None:
            _leave_task(loop, around)
        try:
            task._context.run(task._Task__step)
        finally:
            if around is not None:
                _enter_task(loop, around)
        if not task.done():
            _register_task(task)
        started: Task[None] = task
        return started
