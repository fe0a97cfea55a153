"""Starts an asyncio task at once: work that never waits ends without a cycle of the event loop."""

from __future__ import annotations

import sys
from asyncio import AbstractEventLoop, Future, Task
from collections.abc import Coroutine

if sys.version_info >= (3, 12):

    def eager_task(loop: AbstractEventLoop, work: Coroutine[object, None, None]) -> Task[None]:
        """Return a task that has run as far as it can without waiting."""
        return Task(work, loop=loop, eager_start=True)

else:
    from asyncio import _register_task
    from asyncio.futures import _FINISHED, _PyFuture  # type: ignore[attr-defined]
    from asyncio.tasks import _current_tasks, _PyTask  # type: ignore[attr-defined]
    from contextvars import copy_context

    class _Begun:
        """The first answer of a coroutine that was already started."""

        def __init__(self, answer: object) -> None:
            self.answer = answer

        def send(self, _: None) -> object:
            """Return the answer."""
            return self.answer

    class _EagerTask(_PyTask):  # type: ignore[misc]
        """A replacement for `eager_start` of Python 3.12, for Python 3.11."""

        def __init__(self, work: Coroutine[object, None, None], loop: AbstractEventLoop) -> None:
            _PyFuture.__init__(self, loop=loop)
            self._name = "zkit call"
            self._num_cancels_requested = 0
            self._must_cancel = False
            self._fut_waiter: Future[object] | None = None
            self._coro: Coroutine[object, None, None] | _Begun = work
            self._context = copy_context()

        def begin(self) -> None:
            """Run until the work first waits. A task that is not done then goes on like any other."""
            try:
                answer = self._coro.send(None)
            except StopIteration:
                self._result, self._state = None, _FINISHED
                return
            del _current_tasks[self._loop]
            work, is_cancelled = self._coro, self._must_cancel  # it may have cancelled itself
            self._coro, self._must_cancel = _Begun(answer), False
            try:
                self._Task__step()  # which waits for what the work waits for
            finally:
                self._coro = work
            if is_cancelled and not (self._fut_waiter and self._fut_waiter.cancel()):
                self._must_cancel = True

    def eager_task(loop: AbstractEventLoop, work: Coroutine[object, None, None]) -> Task[None]:
        """Return a task that has run as far as it can without waiting."""
        task = _EagerTask(work, loop)
        around = _current_tasks.get(loop)
        _current_tasks[loop] = task
        try:
            task._context.run(task.begin)
        finally:
            if around is not None:
                _current_tasks[loop] = around
            else:
                _current_tasks.pop(loop, None)
        if task._state is not _FINISHED:
            _register_task(task)
        started: Task[None] = task
        return started
