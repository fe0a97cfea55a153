"""Count the results of calls by tool."""

from __future__ import annotations

import threading
from collections import Counter
from dataclasses import dataclass, field, replace

from zkit.json_types import JsonObject
from zkit.results import Failure, Result, meta_of

UNKNOWN = "(unknown)"


@dataclass(slots=True)
class ToolMetrics:
    """The numbers of one tool; `failures` by code, seconds in total and at most."""

    calls: int = 0
    successes: int = 0
    failures: Counter[str] = field(default_factory=Counter)
    cached: int = 0
    repaired: int = 0
    retries: int = 0
    abandoned: int = 0
    cancelled: int = 0
    seconds: float = 0.0
    slowest: float = 0.0

    @property
    def success_rate(self) -> float:
        """The share of calls that succeeded; 1 when there were none."""
        return self.successes / self.calls if self.calls else 1.0

    def add(self, result: Result, seconds: float, attempts: int, fixes: int) -> None:
        """Count one call."""
        self.calls += 1
        if isinstance(result, Failure):
            self.failures[code_of(result)] += 1
        else:
            self.successes += 1
        meta = result.meta  # type: ignore[attr-defined]
        if meta:
            self.cached += bool(meta.get("cached"))
            self.cancelled += bool(meta.get("cancelled"))
            self.abandoned += bool(meta.get("abandoned"))
        if fixes:
            self.repaired += 1
        if attempts > 1:
            self.retries += attempts - 1
        self.seconds += seconds
        if seconds > self.slowest:
            self.slowest = seconds


def code_of(result: Result) -> str:
    """Return the code of a failure, or `cancelled`; empty for a success."""
    if meta_of(result).get("cancelled"):
        return "cancelled"
    return str(getattr(result, "code", ""))


class Metrics:
    """Counts calls by tool. Safe to use from many threads.

    Unknown names are counted together: a model can invent any number of them.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._tools: dict[str, ToolMetrics] = {}

    def count(
        self, tool: str, result: Result, seconds: float, *, attempts: int = 1, fixes: int = 0
    ) -> None:
        """Count one call."""
        with self._lock:
            found = self._tools.get(tool)
            if found is None:
                found = self._tools[tool] = ToolMetrics()
            found.add(result, seconds, attempts, fixes)

    def of(self, tool: str) -> ToolMetrics:
        """Return the numbers of a tool as they are now."""
        with self._lock:
            found = self._tools.get(tool, ToolMetrics())
            return replace(found, failures=Counter(found.failures))

    def summary(self) -> dict[str, JsonObject]:
        """Return all numbers as plain data, by tool, sorted."""
        with self._lock:
            names = sorted(self._tools)
        return {name: _plain(self.of(name)) for name in names}

    def reset(self) -> None:
        """Reset all numbers."""
        with self._lock:
            self._tools.clear()


def _plain(of: ToolMetrics) -> JsonObject:
    return {
        "calls": of.calls,
        "successes": of.successes,
        "success_rate": round(of.success_rate, 4),
        "failures": dict(sorted(of.failures.items())),
        "cached": of.cached,
        "repaired": of.repaired,
        "retries": of.retries,
        "abandoned": of.abandoned,
        "cancelled": of.cancelled,
        "seconds": round(of.seconds, 6),
        "slowest": round(of.slowest, 6),
    }
