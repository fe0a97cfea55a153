"""A call in, its result out if nobody must approve it or somebody did, a refusal if not."""

from __future__ import annotations

import inspect
import logging
from dataclasses import replace
from time import monotonic
from typing import Any

from anyio import move_on_after, to_thread

from zkit.calls import Call
from zkit.dispatch.live import LiveCall, Next, plain_call
from zkit.dispatch.settings import Approver
from zkit.results import Failure, Refused, Result
from zkit.tools import call_key, canonical_arguments, current_scope

log = logging.getLogger("zkit")


async def approve(call: LiveCall, proceed: Next) -> Result:
    """Ask before a call that can destroy something; with nobody to ask, refuse it."""
    if not needs_approval(call):
        return await proceed(call)
    approver = call.settings.approver
    if approver is None:
        return nobody_to_ask(call)
    refusal = _refusal(call, await _answer(approver, call))
    if refusal is not None:
        return refusal
    return await proceed(replace(call, approved=call.arguments))


def nobody_to_ask(call: Call) -> Refused:
    """Refuse a call that needs an approval which nobody can give."""
    return Refused(f"{call.name} needs approval, and there is nobody to ask", code="approval")


def needs_approval(call: LiveCall) -> bool:
    """Whether somebody must approve the call: by policy, or because it can destroy something."""
    if call.policy.approve is not None:
        return call.policy.approve
    spec = call.spec
    if isinstance(spec.destructive, bool):
        return spec.destructive
    return spec.is_destructive(canonical_arguments(spec, call.arguments))


def is_settled(call: LiveCall) -> bool:
    """Whether the call may run: it needs no approval, or it is exactly what was approved."""
    if call.approved is None:
        return not needs_approval(call)
    return call.approved is call.arguments


def approval_key(call: Call) -> str:
    """Return a key for what is approved: the tool and its arguments, in one task, by call id.

    A run that was paused and is resumed asks for the same key.
    """
    return call_key(current_scope().task, call)


async def _answer(approver: Approver, call: LiveCall) -> Any:
    """What the approver says before the deadline of the task."""
    deadline = current_scope().deadline
    if deadline is None:
        return await _asked(approver, call)
    with move_on_after(max(0.0, deadline - monotonic())):
        return await _asked(approver, call)
    return Refused(f"nobody has approved {call.name} in time", code="approval")


async def _asked(approver: Approver, call: LiveCall) -> Any:
    """What the approver says; one that is not async may wait for a human, so it has a thread."""
    shown = plain_call(call)
    try:
        if inspect.iscoroutinefunction(approver):
            return await approver(shown)
        answer = await to_thread.run_sync(approver, shown, abandon_on_cancel=True)
        return await answer if inspect.isawaitable(answer) else answer
    except Failure as failure:
        return failure
    except Exception:
        log.exception("asking for approval of %r failed", call.name)
        return Refused(f"asking for approval of {call.name} failed", code="approval")


def _refusal(call: LiveCall, answer: Any) -> Failure | None:
    """Only True is an approval."""
    if answer is True:
        return None
    if isinstance(answer, Failure):
        return answer
    return Refused(f"{call.name} was not approved", code="approval")
