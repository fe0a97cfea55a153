"""Run the calls of a model: one chain of steps for every tool, and a typed result for every call.

A middleware is one async function `(call, next) -> result`; `chain` holds their order. The package
has more than a dozen modules because each step is a subject of its own:

| module | holds |
|---|---|
| `dispatcher`, `dispatch_settings`, `chain` | the `Dispatcher`, its checked settings, the order of the steps |
| `live_call` | a call in progress, its outcome, notes on results |
| `observation`, `hooks`, `metrics` | step `observe`: hooks, numbers, OpenTelemetry spans |
| `tool_lookup` | steps `resolve` and `decode_arguments` |
| `permissions` | step `permit`: allow, deny, roles |
| `approval` | step `approve`: destructive calls, doubtful calls, pausing |
| `budgets` | step `spend`: limits of calls and tokens |
| `memo_step` | step `remember`: answers from memory |
| `guards`, `loop_guards`, `file_guards` | step `guard`, and the guards that are shipped |
| `recorder`, `diffs` | step `record`: what changed in files |
| `retries`, `timeout` | steps `retry` and `limit_time` |
| `run_step` | the end of the chain: run the tool, check its output, redact its crashes |
| `call_policy` | how the calls of a tool are treated, by grade and by the operator |
| `turns`, `portal` | the calls of one turn; async code from plain code |
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from zkit.lazy_names import lazy_names

if TYPE_CHECKING:
    from zkit.dispatch.approval import approval_key as approval_key
    from zkit.dispatch.approval import approve as approve
    from zkit.dispatch.approval import ask_later as ask_later
    from zkit.dispatch.approval import wait_for_answer as wait_for_answer
    from zkit.dispatch.budgets import Budget as Budget
    from zkit.dispatch.budgets import Limits as Limits
    from zkit.dispatch.budgets import budget as budget
    from zkit.dispatch.budgets import current_budget as current_budget
    from zkit.dispatch.budgets import spend as spend
    from zkit.dispatch.call_policy import CallPolicy as CallPolicy
    from zkit.dispatch.call_policy import PolicyError as PolicyError
    from zkit.dispatch.chain import CHAIN as CHAIN
    from zkit.dispatch.chain import with_step as with_step
    from zkit.dispatch.dispatcher import Dispatcher as Dispatcher
    from zkit.dispatch.file_guards import VERIFIERS as VERIFIERS
    from zkit.dispatch.file_guards import read_before_write as read_before_write
    from zkit.dispatch.file_guards import verify_files as verify_files
    from zkit.dispatch.guards import Guard as Guard
    from zkit.dispatch.guards import GuardError as GuardError
    from zkit.dispatch.guards import guard as guard
    from zkit.dispatch.hooks import POINTS as POINTS
    from zkit.dispatch.hooks import HookError as HookError
    from zkit.dispatch.hooks import HookEvent as HookEvent
    from zkit.dispatch.hooks import Hooks as Hooks
    from zkit.dispatch.live_call import LiveCall as LiveCall
    from zkit.dispatch.live_call import Middleware as Middleware
    from zkit.dispatch.live_call import Next as Next
    from zkit.dispatch.loop_guards import fan_out as fan_out
    from zkit.dispatch.loop_guards import repeated_calls as repeated_calls
    from zkit.dispatch.loop_guards import repeated_failures as repeated_failures
    from zkit.dispatch.memo_step import remember as remember
    from zkit.dispatch.metrics import Metrics as Metrics
    from zkit.dispatch.metrics import ToolMetrics as ToolMetrics
    from zkit.dispatch.observation import observe as observe
    from zkit.dispatch.permissions import permit as permit
    from zkit.dispatch.recorder import Change as Change
    from zkit.dispatch.recorder import Recorder as Recorder
    from zkit.dispatch.recorder import record as record
    from zkit.dispatch.retries import retry as retry
    from zkit.dispatch.timeout import limit_time as limit_time
    from zkit.dispatch.tool_lookup import decode_arguments as decode_arguments
    from zkit.dispatch.tool_lookup import resolve as resolve
    from zkit.dispatch.turns import Outcome as Outcome
    from zkit.dispatch.turns import Turn as Turn

HOME = {
    "zkit.dispatch.approval": (
        "approval_key",
        "approve",
        "ask_later",
        "wait_for_answer",
    ),
    "zkit.dispatch.budgets": (
        "Budget",
        "Limits",
        "budget",
        "current_budget",
        "spend",
    ),
    "zkit.dispatch.call_policy": (
        "CallPolicy",
        "PolicyError",
    ),
    "zkit.dispatch.chain": (
        "CHAIN",
        "with_step",
    ),
    "zkit.dispatch.dispatcher": ("Dispatcher",),
    "zkit.dispatch.file_guards": (
        "VERIFIERS",
        "read_before_write",
        "verify_files",
    ),
    "zkit.dispatch.guards": (
        "Guard",
        "GuardError",
        "guard",
    ),
    "zkit.dispatch.hooks": (
        "POINTS",
        "HookError",
        "HookEvent",
        "Hooks",
    ),
    "zkit.dispatch.live_call": (
        "LiveCall",
        "Middleware",
        "Next",
    ),
    "zkit.dispatch.loop_guards": (
        "fan_out",
        "repeated_calls",
        "repeated_failures",
    ),
    "zkit.dispatch.memo_step": ("remember",),
    "zkit.dispatch.metrics": (
        "Metrics",
        "ToolMetrics",
    ),
    "zkit.dispatch.observation": ("observe",),
    "zkit.dispatch.permissions": ("permit",),
    "zkit.dispatch.recorder": (
        "Change",
        "Recorder",
        "record",
    ),
    "zkit.dispatch.retries": ("retry",),
    "zkit.dispatch.timeout": ("limit_time",),
    "zkit.dispatch.tool_lookup": (
        "decode_arguments",
        "resolve",
    ),
    "zkit.dispatch.turns": (
        "Outcome",
        "Turn",
    ),
}
"""Where each name lives; a module is loaded when one of its names is first used."""

__getattr__, __dir__, __all__ = lazy_names(__name__, HOME)
