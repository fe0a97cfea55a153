"""Runs all connections in one event loop of their own, which any thread and any loop can use.

A connection must be entered and left in one task, and outlives the loop that requested it:
`asyncio.run` may be called many times, and `call_sync` has a loop of its own.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import Future
from typing import TypeVar

import anyio
import sniffio
from anyio import to_thread
from anyio.abc import TaskGroup
from anyio.from_thread import BlockingPortal

T = TypeVar("T")
_LOCK = threading.Lock()
_PORTAL: list[BlockingPortal] = []
_TASKS: list[TaskGroup] = []


def start(function: Callable[..., Awaitable[T]], *args: object) -> Future[T]:
    """Begin an async function in the background loop."""
    return _portal().start_task_soon(function, *args)


def spawn(function: Callable[..., Coroutine[object, object, None]], *args: object) -> None:
    """Start an async function without waiting for it; call this in the background loop."""
    _TASKS[0].start_soon(function, *args)


def wait(function: Callable[..., Awaitable[T]], *args: object) -> T:
    """Run an async function in the background loop and return what it returns."""
    future = start(function, *args)
    try:
        return future.result()
    except BaseException:
        future.cancel()
        raise


async def awaited(function: Callable[..., Awaitable[T]], *args: object) -> T:
    """The same from an async function in any loop; cancelling the caller cancels it too."""
    future = start(function, *args)
    try:
        if sniffio.current_async_library() == "asyncio":
            return await asyncio.wrap_future(future)
        return await to_thread.run_sync(future.result, abandon_on_cancel=True)
    finally:
        future.cancel()


def _portal() -> BlockingPortal:
    with _LOCK:
        if not _PORTAL:
            _PORTAL.append(_started())
        return _PORTAL[0]


def _started() -> BlockingPortal:
    ready: Future[BlockingPortal] = Future()

    async def serve() -> None:
        async with BlockingPortal() as portal, anyio.create_task_group() as tasks:
            _TASKS[:] = [tasks]
            ready.set_result(portal)
            await portal.sleep_until_stopped()

    threading.Thread(target=anyio.run, args=(serve,), name="zkit mcp", daemon=True).start()
    return ready.result()


def _forget() -> None:
    """Start over in a forked process, where the thread does not run."""
    global _LOCK
    _LOCK = threading.Lock()
    _PORTAL.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
