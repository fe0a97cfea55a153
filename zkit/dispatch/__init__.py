"""Run the calls of a model: one chain of steps for every tool, and a typed result for every call.

A middleware is one async function `(call, next) -> result`; `chain` holds their order. The package
has more than a dozen modules because each step is a subject of its own:

| module | holds |
|---|---|
| `dispatcher`, `dispatch_settings`, `chain` | the `Dispatcher`, its checked settings, the order of the steps |
| `live_call` | a call on its way, what became of it, notes on results |
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

from zkit.dispatch.approval import approval_key, approve, ask_later, wait_for_answer
from zkit.dispatch.budgets import Budget, Limits, budget, current_budget, spend
from zkit.dispatch.call_policy import CallPolicy, PolicyError
from zkit.dispatch.chain import CHAIN, with_step
from zkit.dispatch.dispatcher import Dispatcher
from zkit.dispatch.file_guards import VERIFIERS, read_before_write, verify_files
from zkit.dispatch.guards import Guard, GuardError, guard
from zkit.dispatch.hooks import POINTS, HookError, HookEvent, Hooks
from zkit.dispatch.live_call import LiveCall, Middleware, Next
from zkit.dispatch.loop_guards import fan_out, repeated_calls, repeated_failures
from zkit.dispatch.memo_step import remember
from zkit.dispatch.metrics import Metrics, ToolMetrics
from zkit.dispatch.observation import observe
from zkit.dispatch.permissions import permit
from zkit.dispatch.recorder import Change, Recorder, record
from zkit.dispatch.retries import retry
from zkit.dispatch.timeout import limit_time
from zkit.dispatch.tool_lookup import decode_arguments, resolve
from zkit.dispatch.turns import Outcome, Turn

__all__ = [
    "CHAIN",
    "POINTS",
    "VERIFIERS",
    "Budget",
    "CallPolicy",
    "Change",
    "Dispatcher",
    "Guard",
    "GuardError",
    "HookError",
    "HookEvent",
    "Hooks",
    "Limits",
    "LiveCall",
    "Metrics",
    "Middleware",
    "Next",
    "Outcome",
    "PolicyError",
    "Recorder",
    "ToolMetrics",
    "Turn",
    "approval_key",
    "approve",
    "ask_later",
    "budget",
    "current_budget",
    "decode_arguments",
    "fan_out",
    "guard",
    "limit_time",
    "observe",
    "permit",
    "read_before_write",
    "record",
    "remember",
    "repeated_calls",
    "repeated_failures",
    "resolve",
    "retry",
    "spend",
    "verify_files",
    "wait_for_answer",
    "with_step",
]
