"""Calls that run in; whether any of their code still runs, though nobody waits for it, out."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextvars import ContextVar, Token
from typing import Any, Generic, TypeVar

T = TypeVar("T")
V = TypeVar("V")


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
    try:
        variable.reset(token)
    except ValueError:
        return


class Held(Generic[T, V]):
    """A block in which a variable of the context holds a value; `with` gives something of it.

    A class, for a generator would cost more than all else here: this stands on every call's path.
    """

    __slots__ = ("_given", "_token", "_value", "_variable")

    def __init__(self, variable: ContextVar[Any], value: T, given: V) -> None:
        self._variable = variable
        self._value = value
        self._given = given

    def __enter__(self) -> V:
        self._token = self._variable.set(self._value)
        return self._given

    def __exit__(self, *raised: object) -> None:
        reset(self._variable, self._token)


_WATCHES: ContextVar[tuple[Watch, ...]] = ContextVar("zkit watches", default=())


def watching() -> Held[tuple[Watch, ...], Watch]:
    """Watch the tools that are run inside the block, and those that they run in turn."""
    watch = Watch()
    return Held(_WATCHES, (*_WATCHES.get(), watch), watch)


class watched:  # noqa: N801, read as a verb: `with watched():`
    """Tell every watch around that code of a tool runs during the block."""

    __slots__ = ("_watches",)

    def __enter__(self) -> None:
        self._watches = _WATCHES.get()
        for watch in self._watches:
            watch.enter()

    def __exit__(self, *raised: object) -> None:
        for watch in self._watches:
            watch.leave()
