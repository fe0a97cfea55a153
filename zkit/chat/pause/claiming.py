"""The right to resume a paused run: it is there once, however many copies of the run there are."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock

_MOST = 100_000
_RESUMED: dict[str, None] = {}
"""The ids of the runs whose open calls this process has run, the newest of them."""
_LOCK = Lock()


class Claim:
    """What a paused run must ask before it goes on: itself, this process, and each store that holds it."""

    def __init__(self) -> None:
        self._own = Lock()
        self._stores: dict[str, Callable[[str], bool]] = {}

    def ask_too(self, store: str, take: Callable[[str], bool]) -> None:
        """Let a store be asked as well: it must give the run away, and only once."""
        self._stores[store] = take

    def take(self, id: str, *, runs_calls: bool) -> bool:
        """Whether the run may go on now.

        A call must not run twice. So where calls are open, no other copy of the run may have gone on in
        this process; an answer to a question alone may be tried with several copies.
        """
        if runs_calls and not _mark(id):
            return False
        try:
            free = all(take(id) for take in self._stores.values())
        except BaseException:
            release(id)  # a store could not be asked, so nothing was resumed
            raise
        return free and self._own.acquire(blocking=False)


def _mark(id: str) -> bool:
    with _LOCK:
        if id in _RESUMED:
            return False
        _RESUMED[id] = None
        while len(_RESUMED) > _MOST:
            del _RESUMED[next(iter(_RESUMED))]
        return True


def release(id: str) -> None:
    """Let a run be resumed again in this process."""
    with _LOCK:
        _RESUMED.pop(id, None)
