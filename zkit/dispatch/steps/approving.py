"""The step that asks: for approval of what can destroy, for confirmation of doubtful calls."""

from __future__ import annotations

import inspect
import logging
from dataclasses import replace
from time import monotonic
from typing import Any

from anyio import move_on_after, to_thread

from zkit.calls import Call
from zkit.dispatch.confirmations import unconfirmed
from zkit.dispatch.live import LiveCall, Next, plain_call
from zkit.dispatch.settings import Approver
from zkit.results import Failure, Refused, Result
from zkit.tools import call_key, canonical_arguments, current_scope, text_call_action

log = logging.getLogger("zkit")


async def approve(call: LiveCall, proceed: Next) -> Result:
    """Ask before a call that can destroy something, or that the model may not have meant.

    The approver is asked once, also if both are true. With nobody to ask, what can destroy is
    refused, and what may not have been meant is confirmed by the model, which sends it again.
    """
    must_ask, is_doubtful = needs_approval(call), needs_confirmation(call)
    if not must_ask and not is_doubtful:
        return await proceed(call)
    approver = call.settings.approver
    refusal = (
        nobody_to_ask(call) if approver is None else _refusal(call, await _answer(approver, call))
    )
    if refusal is None:
        return await proceed(replace(call, approved=call.arguments))
    if must_ask or not _nobody_was_asked(refusal):
        return refusal
    return await proceed(call) if _model_confirms(call) else unconfirmed(call)


def nobody_to_ask(call: Call) -> Refused:
    """Refuse a call that needs an approval which nobody can give.

    An approver that cannot ask anybody returns this too.
    """
    reason = f"{call.name} needs approval, and there is nobody to ask"
    return Refused(reason, code="approval", meta={"nobody": True})


def _nobody_was_asked(refusal: Failure) -> bool:
    return isinstance(refusal, Refused) and bool(refusal.meta.get("nobody"))


def needs_confirmation(call: LiveCall) -> bool:
    """True if the call was found in text and may not have been meant."""
    if call.tier == "native" or call.settings.confirm == "never":
        return False
    if call.policy.confirm is not None:
        return call.policy.confirm
    return text_call_action(call.spec.grade, call.tier, call.position) == "confirm"


def _model_confirms(call: LiveCall) -> bool:
    """True if the model has sent the call before; otherwise it may do so in its next reply."""
    waiting = call.settings.confirmations.always()
    return waiting.confirms(call.spec, call, in_turn=call.trace.in_turn)


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
