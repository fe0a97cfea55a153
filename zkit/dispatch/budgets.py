"""Limit what a task may spend (calls, calls of single tools, tokens) and how often tools are called."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Awaitable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any

from zkit.dispatch.live_call import LiveCall, Next, with_notes
from zkit.json_types import JsonMapping, JsonObject
from zkit.required import require_count, require_mapping
from zkit.results import Refused, Result, Transient
from zkit.sources.shared_counts import (
    Count,
    CountStore,
    Exceeded,
    LocalCounts,
    SharedStore,
    rates,
    without,
)
from zkit.tools import render_result
from zkit.tools.context import PerTask, current_scope, reset
from zkit.tools.result_text import as_json

__all__ = ["Budget", "Limits", "PerTask", "Reservation", "budget", "current_budget", "rough_tokens"]


@dataclass(frozen=True, slots=True)
class Limits:
    """How much a task may spend: calls in all, calls of single tools (globs allowed), tokens.

    `per_minute` limits how often tools are called (globs allowed), over all tasks. With a `store`
    (`RedisCounts`) the processes that use it share the budget of a task, by the name of the task, and
    the rates. If the store cannot be reached, these limits hold for each process alone.
    """

    calls: int | None = None
    tokens: int | None = None
    per_tool: Mapping[str, int] = field(default_factory=dict)
    per_minute: Mapping[str, int] = field(default_factory=dict)
    store: CountStore | None = field(default=None, compare=False)
    _rates: LocalCounts = field(default_factory=LocalCounts, repr=False, compare=False)
    _shared: SharedStore | None = field(default=None, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        require_count("calls", self.calls, or_none=True)
        require_count("tokens", self.tokens, or_none=True)
        for setting in ("per_tool", "per_minute"):
            given = getattr(self, setting)
            require_mapping(setting, given)
            for name, most in given.items():
                require_count(f"{setting}[{name!r}]", most)
        if self.store is not None:
            object.__setattr__(self, "_shared", SharedStore(self.store))

    def shared_counts(self, task: str, tool: str, tokens: int) -> tuple[Count, ...]:
        """Return what one call takes from the store: from the budget of its task, and from the rates.

        Without a task, processes share only the rates.
        """
        wanted = [("calls", 1, self.calls), ("tokens", tokens, self.tokens)]
        wanted += [
            (f"per_tool[{pattern!r}]", 1, most)
            for pattern, most in self.per_tool.items()
            if fnmatchcase(tool, pattern)
        ]
        found = [
            Count(f"task:{task}:{setting}", amount, limit, setting)
            for setting, amount, limit in wanted
            if task and limit is not None
        ]
        return (*found, *rates(self.per_minute, tool))


@dataclass(frozen=True, slots=True)
class Shortage:
    """Which limit a call would exceed."""

    what: str
    limit: int
    setting: str
    of: str = ""

    def refused(self) -> Refused:
        """Return the refusal, which names the budget and its setting."""
        amount = f"{self.limit} {self.what}{'' if self.limit == 1 else 's'}{self.of}"
        return Refused(
            f"the budget of {amount} is used up ({self.setting})",
            code="budget",
            meta={"setting": self.setting, "limit": self.limit},
        )


# One lock for all budgets: a reservation takes from a budget and from all outer ones, or from none.
_LOCK = threading.Lock()


class Budget:
    """What was spent of some limits. A budget inside another one also spends from that one.

    Tokens that were spent can be more than the limit: a call that has run keeps its result, and
    the next one is refused.
    """

    def __init__(self, limits: Limits, around: Budget | None = None) -> None:
        self.limits = limits
        self.around = around
        self._calls: Counter[str] = Counter()
        self._tokens = 0

    @property
    def calls(self) -> int:
        """How many calls were made, or are being made."""
        return self._calls.total()

    @property
    def tokens(self) -> int:
        """How many tokens were spent, or are reserved."""
        return self._tokens

    def calls_of(self, tool: str) -> int:
        """Return how many calls of one tool were made, or are being made."""
        return self._calls[tool]

    def spend_tokens(self, tokens: int) -> None:
        """Note tokens that were spent elsewhere, as by the model itself."""
        require_count("tokens", tokens)
        with _LOCK:
            for budget in self.all_around():
                budget._tokens += tokens

    def to_dict(self) -> JsonObject:
        """Return what was spent, as plain data."""
        with _LOCK:
            return {"calls": dict(self._calls), "tokens": self._tokens}

    def add(self, spent: JsonMapping) -> None:
        """Add what `to_dict` returned elsewhere: what the same task spent before a pause."""
        calls, tokens = spent.get("calls", {}), spent.get("tokens", 0)
        require_mapping("calls", calls)
        require_count("tokens", tokens)
        for tool, made in calls.items():
            require_count(f"calls[{tool!r}]", made)
        with _LOCK:
            self._calls.update(calls)
            self._tokens += tokens

    def all_around(self) -> Iterator[Budget]:
        """This budget and the outer ones."""
        budget: Budget | None = self
        while budget is not None:
            yield budget
            budget = budget.around

    def _shortage(self, tool: str, tokens: int) -> Shortage | None:
        limits = self.limits
        if limits.calls is not None and self.calls >= limits.calls:
            return Shortage("call", limits.calls, "calls")
        if limits.tokens is not None and self._tokens + tokens > limits.tokens:
            return Shortage("token", limits.tokens, "tokens")
        for pattern, most in limits.per_tool.items():
            made = sum(n for name, n in self._calls.items() if fnmatchcase(name, pattern))
            if fnmatchcase(tool, pattern) and made >= most:
                return Shortage("call", most, f"per_tool[{pattern!r}]", f" of {pattern}")
        return None

    def _move(self, tool: str, calls: int, tokens: int) -> None:
        self._calls[tool] += calls
        self._tokens += tokens


class Reservation:
    """What one call has reserved; settled once, even if the call fails."""

    def __init__(self, budgets: tuple[Budget, ...], tool: str, tokens: int) -> None:
        self._budgets = budgets
        self._tool = tool
        self._reserved = tokens
        self._open = True

    def settle(self, *, ran: bool, tokens: int | None) -> int:
        """Give back what was not used: the call, if nothing ran, and the difference in tokens.

        Without a number of tokens, the reserved ones count as used if something ran. Returns the
        difference.
        """
        used = (self._reserved if ran else 0) if tokens is None else tokens
        with _LOCK:
            if not self._open:
                return 0
            self._open = False
            for budget in self._budgets:
                budget._move(self._tool, 0 if ran else -1, used - self._reserved)
        return used - self._reserved


def reserve(budgets: Iterable[Budget], tool: str, tokens: int) -> Reservation | Refused:
    """Take one call and some tokens from every budget and the outer ones, or from none."""
    wanted = tuple({id(one): one for budget in budgets for one in budget.all_around()}.values())
    with _LOCK:
        for budget in wanted:
            shortage = budget._shortage(tool, tokens)
            if shortage is not None:
                return shortage.refused()
        for budget in wanted:
            budget._move(tool, 1, tokens)
    return Reservation(wanted, tool, tokens)


_BUDGET: ContextVar[Budget | None] = ContextVar("zkit budget", default=None)


def current_budget() -> Budget | None:
    """Return the budget from which calls spend here; None when there is none."""
    return _BUDGET.get()


@contextmanager
def budget(
    *,
    calls: int | None = None,
    tokens: int | None = None,
    per_tool: Mapping[str, int] | None = None,
) -> Iterator[Budget]:
    """Limit what is spent inside the block, including the tasks and threads that it starts.

    A nested block also spends from the outer one; separate blocks do not share.
    """
    budget = Budget(Limits(calls, tokens, per_tool or {}), _BUDGET.get())
    token = _BUDGET.set(budget)
    try:
        yield budget
    finally:
        reset(_BUDGET, token)


def rough_tokens(text: str) -> int:
    """Return a rough number of tokens of a text: a quarter of its characters."""
    return (len(text) + 3) // 4


_SPENT = "The budget of tokens is used up with this answer; finish with what you have."


def spend(call: LiveCall, proceed: Next) -> Awaitable[Result]:
    """Reserve before the call and settle after it, even if it fails.

    A call that did not run costs nothing; one that ran keeps its result, even above the limit.
    """
    if call.settings.limits is None and _BUDGET.get() is None:
        return proceed(call)
    return _spent(call, proceed, _budgets(call))


async def _spent(call: LiveCall, proceed: Next, budgets: list[Budget]) -> Result:
    counts = any(one.limits.tokens is not None for budget in budgets for one in budget.all_around())
    asked = _count(call, call.arguments) if counts else 0
    held = reserve(budgets, call.name, asked)
    if isinstance(held, Refused):
        return held
    limits = call.settings.limits
    taken = None if limits is None else await _take(limits, call, asked)
    if isinstance(taken, Refused | Transient):
        held.settle(ran=False, tokens=None)
        return taken
    result: Result | None = None
    try:
        result = await proceed(call)
    finally:
        more = _settle(call, held, asked, result, counts)
        if taken and limits is not None and limits._shared is not None:
            await limits._shared.add(_difference(taken, more, call.trace.ran))
    return with_notes(result, _SPENT) if counts and _overdrawn(budgets) else result


def _budgets(call: LiveCall) -> list[Budget]:
    """Return the caller's budget, and that of the task, if the dispatcher limits tasks."""
    settings, here = call.settings, current_budget()
    found = [] if here is None else [here]
    return found if settings.limits is None else [*found, settings.budgets.always()]


async def _take(
    limits: Limits, call: LiveCall, tokens: int
) -> tuple[Count, ...] | Refused | Transient | None:
    """Take from the rates of this process and from the shared store; return what was taken from the
    store."""
    local = rates(limits.per_minute, call.name)
    exceeded = limits._rates.take(local) if local else None
    if exceeded is not None:
        return _too_often(local[exceeded.place], exceeded)
    if limits._shared is None:
        return None
    counts = limits.shared_counts(current_scope().task, call.name, tokens)
    exceeded = await limits._shared.take(counts) if counts else None
    if exceeded is None:
        return counts
    limits._rates.add(without(local))
    over = counts[exceeded.place]
    if over.seconds is not None:
        return _too_often(over, exceeded)
    unit = "token" if over.setting == "tokens" else "call"
    return Shortage(unit, over.limit, over.setting).refused()


def _too_often(over: Count, exceeded: Exceeded) -> Transient:
    pattern = over.counter.removeprefix("rate:")
    message = f"{pattern} may be called {over.limit} times a minute, and was ({over.setting})"
    return Transient(message, exceeded.retry_after, code="rate_limited")


def _difference(taken: tuple[Count, ...], tokens: int, ran: bool) -> tuple[Count, ...]:
    """Return what is added to the store after a call: more tokens, or the call back if nothing ran."""
    return tuple(
        one._replace(amount=tokens if one.setting == "tokens" else -one.amount)
        for one in taken
        if one.setting == "tokens" or not ran
    )


def _settle(
    call: LiveCall, held: Reservation, asked: int, result: Result | None, counts: bool
) -> int:
    if result is None or not counts:
        return held.settle(ran=call.trace.ran, tokens=None)
    meta: Any = result.meta  # type: ignore[attr-defined]
    told = meta.get("tokens_used")
    is_count = type(told) is int and told >= 0
    answered = told if is_count else max(0, call.settings.count_tokens(render_result(result)))
    return held.settle(ran=call.trace.ran, tokens=asked + answered)


def _count(call: LiveCall, data: object) -> int:
    return max(0, call.settings.count_tokens(as_json(data)))


def _overdrawn(budgets: list[Budget]) -> bool:
    around = [one for budget in budgets for one in budget.all_around()]
    return any(p.limits.tokens is not None and p.tokens >= p.limits.tokens for p in around)
