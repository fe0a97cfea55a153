"""Measure the best time of a function, and the exponent of its growth with size."""

from __future__ import annotations

import gc
import math
from collections.abc import Callable, Sequence
from time import perf_counter


def best_times(
    *calls: Callable[[], object],
    budget: float = 0.02,
    clock: Callable[[], float] = perf_counter,
) -> list[float]:
    """The best time of one call of each, measured in turns so that noise meets all alike.

    The best, not the mean: noise only ever adds. The first call of each only warms it up: it may
    prepare a schema or load a module, and says nothing about how many calls fill a round. A round
    of a quick call is a millisecond of calls, after half as many that are not counted; there are at
    least three rounds (none but the first call where that takes half a second), and more within the
    budget of seconds.
    """
    gc.collect()
    gc.disable()
    try:
        best = [_timed(call, 1, clock) for call in calls]
        if max(best) < 0.5:
            best = [_timed(call, 1, clock) for call in calls]
        numbers = [max(1, int(0.001 / max(once, 1e-9))) for once in best]
        rounds = max(3, int(budget / max(best))) if max(best) < 0.5 else 0
        for _ in range(min(rounds, 20)):
            took = [
                _timed(call, number, clock) / number
                for call, number in zip(calls, numbers, strict=True)
            ]
            best = list(map(min, best, took))
        return best
    finally:
        gc.enable()


def _timed(call: Callable[[], object], number: int, clock: Callable[[], float]) -> float:
    for _ in range(number // 2):  # until the caches hold nothing of what was called before
        call()
    start = clock()
    for _ in range(number):
        call()
    return clock() - start


def exponent(sizes: Sequence[int], times: Sequence[float]) -> float:
    """The slope of log time over log size, by least squares: 1 is linear, 2 is quadratic."""
    xs = [math.log(size) for size in sizes]
    ys = [math.log(time) for time in times]
    mean_x, mean_y = sum(xs) / len(xs), sum(ys) / len(ys)
    above = sum((x - mean_x) * (y - mean_y) for x, y in zip(xs, ys, strict=True))
    return above / sum((x - mean_x) ** 2 for x in xs)
