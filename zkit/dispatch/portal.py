"""Run async functions from plain code, in any thread and beside any event loop."""

from __future__ import annotations

import os
import threading
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, TypeVar

import anyio

from zkit.tools.execution import is_contained

if TYPE_CHECKING:
    from concurrent.futures import Future

    from anyio.from_thread import BlockingPortal

T = TypeVar("T")
_LOCK = threading.Lock()
_SHARED: list[tuple[BlockingPortal, threading.Thread]] = []
_THREADS: set[int] = set()  # threads in which our event loop runs


def run_sync(function: Callable[..., Awaitable[T]], *args: object) -> T:
    """Run an async function to its end and return what it returns; the context goes with it.

    All calls share one event loop in a thread of its own, so that a tool may keep a connection open
    from one call to the next. It works whether or not an event loop runs in the calling thread.
    When the wait is interrupted, the function is cancelled.
    """
    if threading.get_ident() in _THREADS:  # a tool that blocks our loop would wait for itself
        portal, _ = _started()
        try:
            own: T = _waited(portal.start_task_soon(_contained, function, args))
            return own
        finally:
            portal.start_task_soon(portal.stop, True)
    portal = _shared()
    try:
        future = portal.start_task_soon(_contained, function, args)
    except RuntimeError:  # it has stopped, but its thread has not ended yet
        future = _shared(portal).start_task_soon(_contained, function, args)
    found: T = _waited(future)
    return found


def _waited(future: Future[Any]) -> Any:
    try:
        value, error = future.result()
    except BaseException:
        future.cancel()
        raise
    if error is not None:
        raise error
    return value


async def _contained(
    function: Callable[..., Awaitable[T]], args: Any
) -> tuple[T | None, BaseException | None]:
    """Return what a function returns or raises as a value: an exception must not end the event loop."""
    try:
        return await function(*args), None
    except BaseException as error:
        if not is_contained(error) and not isinstance(error, GeneratorExit):
            raise
        return None, error


def _shared(stopped: BlockingPortal | None = None) -> BlockingPortal:
    """Return the shared portal; a new one if it has stopped or its thread has died."""
    with _LOCK:
        if _SHARED and (_SHARED[0][0] is stopped or not _SHARED[0][1].is_alive()):
            _SHARED.clear()
        if not _SHARED:
            _SHARED.append(_started())
        return _SHARED[0][0]


def _started() -> tuple[BlockingPortal, threading.Thread]:
    """Return a portal to an event loop in a thread that does not keep the interpreter from ending."""
    from concurrent.futures import Future

    from anyio.from_thread import BlockingPortal  # loads a sixth of what pydantic does

    ready: Future[BlockingPortal] = Future()

    async def serve() -> None:
        _THREADS.add(threading.get_ident())
        try:
            async with BlockingPortal() as portal:
                ready.set_result(portal)
                await portal.sleep_until_stopped()
        finally:
            _THREADS.discard(threading.get_ident())

    thread = threading.Thread(target=anyio.run, args=(serve,), name="zkit", daemon=True)
    thread.start()
    return ready.result(), thread


def _forget() -> None:
    """Start over in a forked process, where none of our threads runs."""
    global _LOCK
    _LOCK = threading.Lock()
    _SHARED.clear()
    _THREADS.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
