"""Calls a function with a time limit; raises `TooSlowError` after it."""

from __future__ import annotations

import signal
from collections.abc import Callable
from types import FrameType
from typing import ParamSpec, TypeVar

TIME_LIMIT = 1.0
P = ParamSpec("P")
R = TypeVar("R")


class TooSlowError(BaseException):
    """Not an Exception, so that no library swallows it."""


def limited(call: Callable[P, R], *args: P.args, **options: P.kwargs) -> R:
    """Call it, and raise when it takes longer than the limit."""
    signal.signal(signal.SIGALRM, _stop)
    signal.setitimer(signal.ITIMER_REAL, TIME_LIMIT)
    try:
        return call(*args, **options)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _stop(_number: int, _frame: FrameType | None) -> None:
    raise TooSlowError
