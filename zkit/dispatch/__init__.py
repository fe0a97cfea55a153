"""Calls in, results out: one chain for every tool, every outcome typed."""

from zkit.dispatch.budgets import Limits, Purse, budget, current_purse
from zkit.dispatch.chain import CHAIN, with_step
from zkit.dispatch.dispatcher import Dispatcher
from zkit.dispatch.guards.failing import repeated_failures
from zkit.dispatch.guards.fan_out import fan_out
from zkit.dispatch.guards.guard import Guard, GuardError
from zkit.dispatch.guards.read_first import read_before_write
from zkit.dispatch.guards.repetition import repeated_calls
from zkit.dispatch.guards.verification import VERIFIERS, verify_files
from zkit.dispatch.hooks import POINTS, HookError, HookEvent, Hooks
from zkit.dispatch.live import LiveCall, Middleware, Next
from zkit.dispatch.metrics import Metrics, ToolMetrics
from zkit.dispatch.pausing import ask_later, wait_for_answer
from zkit.dispatch.policies import CallPolicy, PolicyError
from zkit.dispatch.recorder import Change, Recorder
from zkit.dispatch.steps.approving import approval_key, approve
from zkit.dispatch.steps.budgeting import spend
from zkit.dispatch.steps.decoding import decode
from zkit.dispatch.steps.guarding import guard
from zkit.dispatch.steps.observing import observe
from zkit.dispatch.steps.permitting import permit
from zkit.dispatch.steps.recording import record
from zkit.dispatch.steps.remembering import remember
from zkit.dispatch.steps.resolving import resolve
from zkit.dispatch.steps.retrying import retry
from zkit.dispatch.steps.timing import limit_time
from zkit.dispatch.turns import Outcome, Turn

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
    "ask_later",
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
    "repeated_failures",
    "resolve",
    "retry",
    "spend",
    "verify_files",
    "wait_for_answer",
    "with_step",
]
