"""The threads in which plain tools run, kept from one call to the next."""

from __future__ import annotations

import os
import sys
import threading
from collections import deque
from collections.abc import Callable
from contextvars import Context, copy_context
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, TypeVar, cast

from anyio import to_thread

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop, Future

T = TypeVar("T")

MAX_BUSY = 40  # as many as anyio allows; abandoned calls do not count
_AT_ONCE = 1e-4  # seconds; a function that ends within them costs no cycle of the event loop
_IDLE = 10.0  # seconds after which an idle thread ends


async def run_in_thread(work: Callable[[], T]) -> T:
    """Run a function in a thread and return what it returns; it must not raise.

    The event loop keeps running meanwhile, except for the first tenth of a millisecond. When the
    wait is cancelled, the function keeps running and its result is dropped.
    """
    loop = running_loop()
    if loop is None:  # trio
        return await to_thread.run_sync(work, abandon_on_cancel=True)
    job = _Job(work, copy_context())
    if _pool.begin(job) and job.done.acquire(timeout=_AT_ONCE):
        return cast(T, job.value)
    job.waiter = loop, loop.create_future()
    # The worker releases `done` before it looks for a waiter: one of the two sees the other.
    if not job.done.acquire(blocking=False):
        try:
            await job.waiter[1]
        except BaseException:
            _pool.abandon(job)
            raise
    return cast(T, job.value)


def running_loop() -> AbstractEventLoop | None:
    """Return the event loop of asyncio that runs in this thread; None for another library's."""
    asyncio = sys.modules.get("asyncio")  # it is loaded if it runs
    return None if asyncio is None else asyncio._get_running_loop()


class _Job:
    """A function to run, and its waiter."""

    __slots__ = ("context", "done", "is_counted", "value", "waiter", "work")

    def __init__(self, work: Callable[[], object], context: Context) -> None:
        self.work = work
        self.context = context
        self.value: object = None
        self.done = threading.Lock()
        self.done.acquire()
        self.waiter: tuple[AbstractEventLoop, Future[None]] | None = None
        self.is_counted = False  # as one of those that are busy

    def run(self) -> None:
        self.value = self.context.run(self._work)

    def _work(self) -> object:
        if "sniffio" in sys.modules:  # otherwise this thread would appear to have a running loop
            sys.modules["sniffio"].current_async_library_cvar.set(None)
        return self.work()

    def end(self) -> None:
        self.done.release()
        if self.waiter is not None:
            loop, future = self.waiter
            try:
                loop.call_soon_threadsafe(_wake, future)
            except RuntimeError:
                return  # the event loop is closed


def _wake(future: Future[None]) -> None:
    if not future.done():
        future.set_result(None)


class _Worker(threading.Thread):
    """A thread that runs one job after the other, and ends when there are none for a while."""

    def __init__(self) -> None:
        super().__init__(name="zkit tool", daemon=True)
        self.jobs: SimpleQueue[_Job] = SimpleQueue()
        self.start()

    def run(self) -> None:
        while True:
            try:
                job = self.jobs.get(timeout=_IDLE)
            except Empty:
                if _pool.forgets(self):
                    return
                continue
            job.run()
            following = _pool.next_for(self, job)
            job.end()
            if following is not None:
                self.jobs.put(following)


class _Pool:
    """The idle workers, the waiting jobs, and the number of busy workers."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.idle: list[_Worker] = []
        self.waiting: deque[_Job] = deque()
        self.busy = 0

    def begin(self, job: _Job) -> bool:
        """Give a job to a worker; False if it must wait for one."""
        with self.lock:
            if self.busy >= MAX_BUSY:
                self.waiting.append(job)
                return False
            self._count(job)
            worker = self.idle.pop() if self.idle else None
        (worker or _Worker()).jobs.put(job)
        return True

    def next_for(self, worker: _Worker, ended: _Job) -> _Job | None:
        """Return the next job of a worker; None if there is none."""
        with self.lock:
            self._uncount(ended)
            job = self._next()
            if job is None:
                self.idle.append(worker)
            return job

    def abandon(self, job: _Job) -> None:
        """Note that nobody waits for a job: it no longer counts against the limit."""
        with self.lock:
            if not job.is_counted:
                return
            self._uncount(job)
            following = self._next()
        if following is not None:
            _Worker().jobs.put(following)

    def forgets(self, worker: _Worker) -> bool:
        """Remove a worker if it is idle; return whether it was."""
        with self.lock:
            if worker not in self.idle:
                return False
            self.idle.remove(worker)
            return True

    def _next(self) -> _Job | None:
        if not self.waiting or self.busy >= MAX_BUSY:
            return None
        job = self.waiting.popleft()
        self._count(job)
        return job

    def _count(self, job: _Job) -> None:
        job.is_counted = True
        self.busy += 1

    def _uncount(self, job: _Job) -> None:
        self.busy -= job.is_counted
        job.is_counted = False


_pool = _Pool()


def _forget() -> None:
    """Start over in a forked process, where none of our threads runs."""
    global _pool
    _pool = _Pool()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
