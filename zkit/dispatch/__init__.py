"""Calls in, results out: one chain for every tool, every outcome typed."""

from zkit.dispatch.approving import approval_key, approve
from zkit.dispatch.budgeting import spend
from zkit.dispatch.budgets import Limits, Purse, budget, current_purse
from zkit.dispatch.chain import CHAIN, with_step
from zkit.dispatch.decoding import decode
from zkit.dispatch.dispatcher import Dispatcher
from zkit.dispatch.fan_out import fan_out
from zkit.dispatch.guarding import guard
from zkit.dispatch.guards import Guard, GuardError
from zkit.dispatch.hooks import POINTS, HookError, HookEvent, Hooks
from zkit.dispatch.live import LiveCall, Middleware, Next
from zkit.dispatch.loops import repeated_calls
from zkit.dispatch.metrics import Metrics, ToolMetrics
from zkit.dispatch.observing import observe
from zkit.dispatch.permitting import permit
from zkit.dispatch.policies import CallPolicy, PolicyError
from zkit.dispatch.read_first import read_before_write
from zkit.dispatch.recorder import Change, Recorder
from zkit.dispatch.recording import record
from zkit.dispatch.remembering import remember
from zkit.dispatch.resolving import resolve
from zkit.dispatch.retrying import retry
from zkit.dispatch.timing import limit_time
from zkit.dispatch.turns import Outcome, Turn
from zkit.dispatch.verifying import VERIFIERS, verify_files

__all__ = [
    "CHAIN",
    "POINTS",
    "VERIFIERS",
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
    "Purse",
    "Recorder",
    "ToolMetrics",
    "Turn",
    "approval_key",
    "approve",
    "budget",
    "current_purse",
    "decode",
    "fan_out",
    "guard",
    "limit_time",
    "observe",
    "permit",
    "read_before_write",
    "record",
    "remember",
    "repeated_calls",
    "resolve",
    "retry",
    "spend",
    "verify_files",
    "with_step",
]
