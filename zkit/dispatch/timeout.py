"""Runs a tool in its own task for a limited time, and reports what still runs."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine
from contextvars import copy_context
from functools import cache
from itertools import count
from time import monotonic
from typing import TYPE_CHECKING, Any, Protocol

from anyio import CancelScope, Event, get_cancelled_exc_class, move_on_after, sleep

from zkit.dispatch.live_call import LiveCall, Next
from zkit.results import Crashed, Result, Transient
from zkit.tools import current_scope
from zkit.tools.context import Watch, enter_scope, scope_until, watch_here
from zkit.tools.worker_threads import running_loop

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop, Future, Task

Work = Callable[[], Awaitable[Any]]


class Ended:
    """How the work ended: with a value, by an exception, in time or not, or not yet."""

    __slots__ = ("error", "late", "left", "value")

    def __init__(
        self,
        value: Any = None,
        error: BaseException | None = None,
        late: bool = False,
        left: bool = False,
    ) -> None:
        self.value = value
        self.error = error
        self.late = late
        self.left = left  # it was cancelled, and kept running


class Child(Protocol):
    """Work that runs in its own task: the waiter can leave."""

    ended: Ended | None

    async def wait(self, seconds: float | None) -> None:
        """Wait until the work has ended, or for some seconds."""

    def cancel(self) -> None:
        """Cancel the work."""


async def run_apart(work: Work, seconds: float | None, grace: float) -> Ended:
    """Run the work in its own task for some seconds, then cancel it.

    Cancelled work has `grace` seconds to stop. A task that catches its cancellation and keeps
    running is left behind. When the wait itself is cancelled, the work is cancelled in the same
    way, and the cancellation propagates.
    """
    return await outcome_of_child(start_child(work), seconds, grace)


async def outcome_of_child(child: Child, seconds: float | None, grace: float) -> Ended:
    """Wait for work that runs, as `run_apart` does."""
    try:
        await child.wait(seconds)
    except get_cancelled_exc_class() as stop:
        stop.zkit_left = not await _stopped(child, grace)  # type: ignore[attr-defined]
        raise
    if child.ended is not None:
        return child.ended
    if not await _stopped(child, grace):
        return Ended(late=True, left=True)
    ended: Ended = child.ended  # type: ignore[assignment]
    return ended if ended.error is None else Ended(error=ended.error, late=True)


async def _stopped(child: Child, grace: float) -> bool:
    """Cancel the work; return whether it stopped."""
    child.cancel()
    with CancelScope(shield=True):
        await child.wait(grace)
    return child.ended is not None


# A task that nobody refers to may be collected while it runs.
_RUNNING: set[Any] = set()


@cache
def _starter() -> Callable[[AbstractEventLoop, Coroutine[object, None, None]], Task[None]]:
    from zkit.dispatch.eager_task import (
        eager_task,
    )  # loads asyncio, which is running here

    return eager_task


class _AsyncioChild:
    """An asyncio task, without the cost of a cancel scope: every call uses it."""

    def __init__(self, work: Work, loop: AbstractEventLoop) -> None:
        self.ended: Ended | None = None
        self._loop = loop
        self._waiter: Future[None] | None = None
        self._task = _starter()(loop, self._run(work))
        if self.ended is None:
            _RUNNING.add(self._task)
            self._task.add_done_callback(self._over)

    async def _run(self, work: Work) -> None:
        try:
            self.ended = Ended(await work())
        except GeneratorExit:
            raise
        except BaseException as error:
            self.ended = Ended(error=error)
        if self._waiter is not None:
            self._wake()  # one cycle of the event loop earlier than `_over`

    def _over(self, task: Task[None]) -> None:
        _RUNNING.discard(task)
        if self.ended is None:  # cancelled before it began
            from asyncio import CancelledError

            self.ended = Ended(error=CancelledError())
        self._wake()

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    def cancel(self) -> None:
        self._task.cancel()

    async def wait(self, seconds: float | None) -> None:
        if self.ended is not None:
            return
        self._waiter = self._loop.create_future()
        timer = None if seconds is None else self._loop.call_later(seconds, self._wake)
        try:
            await self._waiter
        finally:
            if timer is not None:
                timer.cancel()


class _TrioChild:
    """A trio system task: the cancellation of the waiter does not reach it."""

    def __init__(self, work: Work) -> None:
        import trio

        self.ended: Ended | None = None
        self._scope = CancelScope()
        self._done = Event()
        trio.lowlevel.spawn_system_task(self._run, work, context=copy_context())

    async def _run(self, work: Work) -> None:
        error: BaseException = get_cancelled_exc_class().__new__(get_cancelled_exc_class())
        try:
            with self._scope:
                try:
                    self.ended = Ended(await work())
                except get_cancelled_exc_class():
                    raise
                except BaseException as raised:
                    self.ended = Ended(error=raised)
        finally:
            self.ended = self.ended or Ended(error=error)
            self._done.set()

    def cancel(self) -> None:
        self._scope.cancel()

    async def wait(self, seconds: float | None) -> None:
        with move_on_after(seconds):
            await self._done.wait()


def start_child(work: Work) -> Child:
    """Start the work in a task of its own; under asyncio it has run until it first waits."""
    loop = running_loop()
    return _TrioChild(work) if loop is None else _AsyncioChild(work, loop)


# Calls that never wait would block the event loop, cancellation included: one in this many yields
# to it. A cycle of the loop costs a tenth of a call.
_BETWEEN_PAUSES = 32
_AT_ONCE = count(1)

_LATE = "no answer within {seconds:g} seconds"
_STILL = "; it could not be stopped and still runs, so it may yet have an effect"


async def limit_time(call: LiveCall, proceed: Next) -> Result:
    """Limit the time of a call; the tool knows its deadline.

    Code that keeps running after the timeout or a cancellation is reported as abandoned: a thread
    cannot be stopped, and a task may ignore its cancellation.
    """
    inner, watch = scope_until(call.policy.timeout), Watch()
    seconds = None if inner.deadline is None else max(0.0, inner.deadline - monotonic())
    if seconds == 0:
        return Transient("the time for the task is over", code="timeout")

    def work() -> Awaitable[Result]:
        # In its own context, so nothing needs to be reset.
        enter_scope(inner)
        watch_here(watch)
        return proceed(call)

    child = start_child(work)
    if child.ended is not None:  # it had nothing to wait for
        if next(_AT_ONCE) % _BETWEEN_PAUSES == 0:
            await sleep(0)
        return _result(child.ended)
    try:
        ended = await outcome_of_child(child, seconds, call.settings.grace)
    except get_cancelled_exc_class() as stop:
        call.trace.abandoned = watch.busy or getattr(stop, "zkit_left", False)
        raise
    if not ended.late:
        return _result(ended)
    abandoned = ended.left or watch.busy
    # The wait may have started a little late; the configured limit counts.
    is_own = inner.deadline != current_scope().deadline
    return _late(call, (call.policy.timeout if is_own else seconds) or 0.0, abandoned=abandoned)


def _result(ended: Ended) -> Result:
    if ended.error is None:
        result: Result = ended.value
        return result
    if isinstance(ended.error, get_cancelled_exc_class()):
        return Crashed("it was cancelled from within")
    raise ended.error


def _late(call: LiveCall, seconds: float, *, abandoned: bool) -> Transient:
    call.trace.abandoned = abandoned
    said = _LATE.format(seconds=round(seconds, 3))
    meta = {"abandoned": True} if abandoned else {}
    return Transient(said + _STILL if abandoned else said, code="timeout", meta=meta)
