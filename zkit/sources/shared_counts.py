"""Count calls across tasks and processes: rates in a minute, and budgets that processes share.

If the store cannot be reached, a warning is logged and nothing is raised. The limits still hold
within this process, because every call is counted here too.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from fnmatch import fnmatchcase
from typing import NamedTuple, Protocol

from anyio import CancelScope, to_thread

from zkit.sources.shared_memo import QUIET, StoreDownError

log = logging.getLogger("zkit")
MINUTE = 60.0


class Count(NamedTuple):
    """An amount for one counter, and the limit of that counter.

    `setting` is the setting that the limit comes from. A counter with `seconds` restarts after that
    time; one without belongs to a task.
    """

    counter: str
    amount: int
    limit: int
    setting: str
    seconds: float | None = None


class Exceeded(NamedTuple):
    """The count that would exceed its limit, and the seconds until it restarts."""

    place: int
    retry_after: float | None = None


class CountStore(Protocol):
    """Where counters are kept. The methods may block, and raise `StoreDownError`."""

    def take(self, counts: tuple[Count, ...]) -> Exceeded | None:
        """Add every amount to its counter, or none of them if one would exceed its limit."""

    def add(self, counts: tuple[Count, ...]) -> None:
        """Add amounts, which may be negative, without checking the limits."""


class LocalCounts:
    """Counters in the memory of this process."""

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._counters: dict[str, tuple[int, int]] = {}

    def take(self, counts: tuple[Count, ...]) -> Exceeded | None:
        """Add every amount to its counter, or none of them if one would exceed its limit."""
        now = self._clock()
        with self._lock:
            for index, one in enumerate(counts):
                if self._spent(one, now) + one.amount > one.limit:
                    wait = None if one.seconds is None else one.seconds - now % one.seconds
                    return Exceeded(index, wait)
            self._add(counts, now)
        return None

    def add(self, counts: tuple[Count, ...]) -> None:
        """Add amounts, which may be negative, without checking the limits."""
        with self._lock:
            self._add(counts, self._clock())

    def _add(self, counts: tuple[Count, ...], now: float) -> None:
        for one in counts:
            self._counters[one.counter] = (_window(one, now), self._spent(one, now) + one.amount)

    def _spent(self, one: Count, now: float) -> int:
        window, spent = self._counters.get(one.counter, (0, 0))
        return spent if window == _window(one, now) else 0


def _window(one: Count, now: float) -> int:
    return 0 if one.seconds is None else int(now // one.seconds)


class SharedStore:
    """Uses a store without raising its errors; warnings are logged now and then."""

    def __init__(self, store: CountStore) -> None:
        self._store = store
        self._warned = float("-inf")

    async def take(self, counts: tuple[Count, ...]) -> Exceeded | None:
        """Take from the store; None if nothing is exceeded, or if the store cannot be reached."""
        return await to_thread.run_sync(self._take, counts)

    async def add(self, counts: tuple[Count, ...]) -> None:
        """Add to the store, even if the surrounding call was cancelled."""
        with CancelScope(shield=True):
            await to_thread.run_sync(self._add, counts)

    def _take(self, counts: tuple[Count, ...]) -> Exceeded | None:
        try:
            return self._store.take(counts)
        except StoreDownError as error:
            self._warn(error)
            return None

    def _add(self, counts: tuple[Count, ...]) -> None:
        try:
            self._store.add(counts)
        except StoreDownError as error:
            self._warn(error)

    def _warn(self, error: StoreDownError) -> None:
        if time.monotonic() - self._warned > QUIET:
            self._warned = time.monotonic()
            log.warning("the store of limits cannot be reached, limits are local: %s", error)


def rates(per_minute: Mapping[str, int], tool: str) -> tuple[Count, ...]:
    """Return the counts of one call for the rates that apply to its tool."""
    return tuple(
        Count(f"rate:{pattern}", 1, most, f"per_minute[{pattern!r}]", MINUTE)
        for pattern, most in per_minute.items()
        if fnmatchcase(tool, pattern)
    )


def without(counts: Iterable[Count]) -> tuple[Count, ...]:
    """Return counts that undo others."""
    return tuple(one._replace(amount=-one.amount) for one in counts)
