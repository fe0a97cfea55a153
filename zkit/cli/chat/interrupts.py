"""Ctrl-C in, `KeyboardInterrupt` out, but only where a chat waits.

A turn that is stopped halfway through a line, or between a byte and what it means, could not be
shown again as it was: there the interrupt is kept until the next wait.
"""

from __future__ import annotations

import signal
from types import TracebackType
from typing import Any


class Interrupts:
    """While it is entered, Ctrl-C raises at once, or when the last `hold` is released."""

    def __init__(self) -> None:
        self._holds = 0
        self._is_pending = False
        self._before: Any = None

    def __enter__(self) -> Interrupts:
        self._holds, self._is_pending = 0, False
        self._before = signal.signal(signal.SIGINT, self._take)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, e: BaseException | None, t: TracebackType | None
    ) -> None:
        signal.signal(signal.SIGINT, self._before)

    def _take(self, number: int, frame: Any) -> None:
        if self._holds:
            self._is_pending = True
        else:
            raise KeyboardInterrupt

    def hold(self) -> None:
        """Keep an interrupt until the release."""
        self._holds += 1

    def release(self, *, quietly: bool = False) -> None:
        """End a hold; what was kept is raised now, or quietly kept for the next release."""
        self._holds -= 1
        if self._is_pending and not self._holds and not quietly:
            self._is_pending = False
            raise KeyboardInterrupt
