"""Something to be kept for each task in, the one of the task that is running here out."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

from zkit.tools import current_scope

T = TypeVar("T")


class PerTask(Generic[T]):
    """Keeps one thing for each task, and forgets it when the task ends.

    Outside of any task nothing ends, so there is nothing to keep, unless it is asked for.
    """

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._lock = threading.Lock()
        self._kept: dict[str, T] = {}

    def __len__(self) -> int:
        return len(self._kept)

    def here(self) -> T | None:
        """The thing of this task; None outside of any task, and when the task is over."""
        scope = current_scope()
        return None if not scope.task or scope.is_over else self.always()

    def always(self) -> T:
        """The thing of this task; outside of any task, the one for all such calls."""
        scope = current_scope()
        with self._lock:
            kept = self._kept.get(scope.task)
            if kept is None:
                kept = self._make()
                if scope.when_over(self, lambda: self.forget(scope.task)):
                    self._kept[scope.task] = kept
        return kept

    def forget(self, task: str) -> None:
        """Forget what was kept for a task."""
        with self._lock:
            self._kept.pop(task, None)
