"""Run async functions from plain code, in any thread and beside any event loop."""

from __future__ import annotations

import os
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from typing import Any, TypeVar

import anyio
from anyio.from_thread import BlockingPortal

T = TypeVar("T")
_LOCK = threading.Lock()
_SHARED: list[BlockingPortal] = []
_THREADS: set[int] = set()  # those in which an event loop of ours runs


def run_sync(function: Callable[..., Awaitable[T]], *args: Any) -> T:
    """Run an async function to its end and return what it returns; the context goes with it.

    All calls share one event loop in a thread of its own, so that a tool may keep a connection
    open from one call to the next. It makes no difference whether an event loop runs in the
    thread that calls. When the wait is interrupted, the function is cancelled.
    """
    if threading.get_ident() in _THREADS:  # a tool that blocks our loop: it would wait for itself
        portal = _started()
        try:
            return _waited(portal, function, args)
        finally:
            portal.start_task_soon(portal.stop, True)
    return _waited(_shared(), function, args)


def _waited(portal: BlockingPortal, function: Callable[..., Awaitable[T]], args: Any) -> T:
    future = portal.start_task_soon(function, *args)
    try:
        return future.result()
    except BaseException:
        future.cancel()
        raise


def _shared() -> BlockingPortal:
    with _LOCK:
        if not _SHARED:
            _SHARED.append(_started())
        return _SHARED[0]


def _started() -> BlockingPortal:
    """A portal to an event loop in a thread that does not keep the interpreter from ending."""
    ready: Future[BlockingPortal] = Future()

    async def serve() -> None:
        _THREADS.add(threading.get_ident())
        try:
            async with BlockingPortal() as portal:
                ready.set_result(portal)
                await portal.sleep_until_stopped()
        finally:
            _THREADS.discard(threading.get_ident())

    threading.Thread(target=anyio.run, args=(serve,), name="zkit", daemon=True).start()
    return ready.result()


def _forget() -> None:
    """Begin anew in a forked process, where no thread of ours runs."""
    global _LOCK
    _LOCK = threading.Lock()
    _SHARED.clear()
    _THREADS.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
