"""Calls that run in; whether any of their code still runs, though nobody waits for it, out."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar, Token
from typing import TypeVar

T = TypeVar("T")


class Watch:
    """Knows whether code of a tool is running inside a block of ours.

    A thread cannot be stopped: when a call is cancelled, its function runs on. Whoever must act
    when it has really ended asks the watch.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running = 0
        self._actions: list[Callable[[], None]] = []

    @property
    def busy(self) -> bool:
        """Whether code of a tool still runs."""
        return self._running > 0

    def when_idle(self, action: Callable[[], None]) -> None:
        """Have something done once no code of a tool runs; at once, if none does."""
        with self._lock:
            if self._running:
                self._actions.append(action)
                return
        action()

    def enter(self) -> None:
        """Note that code of a tool begins."""
        with self._lock:
            self._running += 1

    def leave(self) -> None:
        """Note that code of a tool has ended."""
        with self._lock:
            self._running -= 1
            ready, self._actions = (self._actions, []) if not self._running else ([], self._actions)
        for action in ready:
            action()


def reset(variable: ContextVar[T], token: Token[T]) -> None:
    """Set a variable back. In another context, where a generator may be closed, there is no need."""
    with suppress(ValueError):
        variable.reset(token)


_WATCHES: ContextVar[tuple[Watch, ...]] = ContextVar("zkit watches", default=())


@contextmanager
def watching() -> Iterator[Watch]:
    """Watch the tools that are run inside the block, and those that they run in turn."""
    watch = Watch()
    token = _WATCHES.set((*_WATCHES.get(), watch))
    try:
        yield watch
    finally:
        reset(_WATCHES, token)


@contextmanager
def watched() -> Iterator[None]:
    """Tell every watch around that code of a tool runs during the block."""
    watches = _WATCHES.get()
    for watch in watches:
        watch.enter()
    try:
        yield
    finally:
        for watch in watches:
            watch.leave()
