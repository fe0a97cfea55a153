"""The settings of a dispatcher, checked when it is made."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, get_args

from zkit.calls import Call
from zkit.dispatch.approval import Approver, Confirm, Confirmations
from zkit.dispatch.budgets import Budget, Limits, PerTask, rough_tokens
from zkit.dispatch.call_policy import CallPolicy, Cells, call_policy
from zkit.dispatch.guards import Guard
from zkit.dispatch.hooks import Hooks
from zkit.dispatch.metrics import Metrics
from zkit.dispatch.permissions import Permissions
from zkit.required import (
    require_count,
    require_flag,
    require_function,
    require_kind,
    require_one_of,
    require_seconds,
)
from zkit.results import Result
from zkit.sources import Memory, ToolSource
from zkit.tools import Tool

if TYPE_CHECKING:
    from zkit.dispatch.recorder import Recorder


Execute = Callable[[Tool, Call, Any], Awaitable[Result]]
_MOST_POLICIES = 4096


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings that the chain of one dispatcher uses."""

    source: ToolSource
    execute: Execute
    hooks: Hooks
    metrics: Metrics
    permissions: Permissions
    approver: Approver | None
    confirm: Confirm
    confirmations: PerTask[Confirmations]
    limits: Limits | None
    budgets: PerTask[Budget]
    memory: Memory | None
    remember_always: bool
    guards: tuple[Guard, ...]
    recorder: Recorder | None
    cells: Cells
    timeout: float | None
    attempts: int
    longest_wait: float
    grace: float
    max_parallel: int
    record_content: bool
    count_tokens: Callable[[str], int] = rough_tokens
    call_guards: tuple[Guard, ...] = field(init=False)
    guards_outside: tuple[Guard, ...] = field(init=False)
    """The guards that also check calls outside of any task."""
    outcome_guards: tuple[Guard, ...] = field(init=False)
    _policies: dict[int, tuple[Tool, CallPolicy]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        require_function("approve", self.approver, or_none=True)
        require_one_of("confirm", self.confirm, get_args(Confirm))
        require_function("count_tokens", self.count_tokens)
        require_kind("budget", self.limits, Limits, "Limits", or_none=True)
        require_kind("hooks", self.hooks, Hooks, "Hooks")
        require_kind("metrics", self.metrics, Metrics, "Metrics")
        require_seconds("timeout", self.timeout, above_zero=True, or_none=True)
        require_seconds("longest_wait", self.longest_wait)
        require_seconds("grace", self.grace)
        require_count("attempts", self.attempts, least=1)
        require_count("max_parallel", self.max_parallel, least=1)
        require_flag("record_content", self.record_content)
        of_calls = tuple(guard for guard in self.guards if not guard.every)
        of_outcomes = tuple(guard for guard in self.guards if guard.every)
        object.__setattr__(self, "call_guards", of_calls)
        outside = tuple(guard for guard in of_calls if not guard.in_tasks)
        object.__setattr__(self, "guards_outside", outside)
        object.__setattr__(self, "outcome_guards", of_outcomes)

    def policy_of(self, tool: Tool) -> CallPolicy:
        """Return how the calls of a tool are treated; made once for each tool."""
        known = self._policies.get(id(tool))
        if known is not None and known[0] is tool:
            return known[1]
        policy = call_policy(tool, self.cells, self.timeout, self.attempts)
        if len(self._policies) >= _MOST_POLICIES:
            self._policies.clear()
        self._policies[id(tool)] = (tool, policy)
        return policy
