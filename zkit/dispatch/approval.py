"""Ask before a call that can destroy something, or that the model may not have meant."""

from __future__ import annotations

import inspect
import json
import threading
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import replace
from time import monotonic
from typing import Any, Literal

from anyio import move_on_after, to_thread

from zkit.calls import Call
from zkit.dispatch.live_call import LiveCall, Next, plain_call
from zkit.dispatch.tool_lookup import looked_up_again
from zkit.json_types import JsonMapping, JsonObject
from zkit.results import Failure, Refused, Result, Success, Validation
from zkit.sources.shown_tool import ShownTool, can_destroy
from zkit.tools import ToolSpec, call_key, canonical_arguments, current_scope, text_call_action
from zkit.tools.context import log_failure
from zkit.tools.execution import is_contained

Approver = Callable[[Call], Any]
"""A function that approves a call, plain or async; only `True` is an approval."""
Confirm = Literal["doubtful", "never"]


_MOST_QUESTIONS = 3  # questions about one call, if its tool changes while an approver decides


def ask_later(call: Call) -> Refused:
    """Approve nothing now: the run pauses before the call, and the decision is made when it is resumed.

    An approver to be given as `approve=`, or to be called by one that decides some calls itself.
    """
    return Refused(
        f"{call.name} waits for approval", code="approval", meta={"pause": {"for": "approval"}}
    )


def wait_for_answer(question: str, options: tuple[str, ...] = ()) -> Success:
    """Return the result with which a tool pauses the run until somebody answers a question."""
    asked = {"for": "answer", "question": question, "options": list(options)}
    return Success("The question waits for an answer.", meta={"pause": asked})


def pause_in(result: Result) -> JsonMapping | None:
    """Return what a result waits for, under `for`: an approval or an answer; None if it does not
    wait."""
    given = getattr(result, "meta", {}).get("pause")
    if not given:
        return None
    return {"for": "answer", **given} if isinstance(given, Mapping) else {"for": "answer"}


def before_its_turn() -> Refused:
    """Return the result of a call that comes after one at which the turn was paused."""
    return Refused(
        "the turn is paused before this call", code="approval", meta={"not_run": "paused"}
    )


def was_held_back(result: Result) -> bool:
    """True if a call was not run because its turn is paused before it."""
    return getattr(result, "meta", {}).get("not_run") == "paused"


_MOST_WAITING = 64  # more than a reply holds; the oldest are forgotten

Waiting = JsonMapping
"""A call that waits, as plain data: `tool`, `digest` (of the tool's spec) and `arguments`."""


class Confirmations:
    """The calls of one task that were not run because the model may not have meant them.

    A call is confirmed when the same call (same tool, same decoded arguments) is in the next reply.
    Two equal calls in one reply do not confirm each other.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._last: dict[str, Waiting] = {}  # of the reply before this one
        self._now: dict[str, Waiting] = {}  # of this reply

    def next_reply(self) -> None:
        """Begin another reply: it can confirm the calls of the one before, and no older ones."""
        with self._lock:
            self._last, self._now = self._now, {}

    def confirms(self, spec: ToolSpec, call: Call, *, in_turn: bool) -> bool:
        """True if the call was waiting, and is now confirmed.

        Otherwise it waits from now on. A call outside of any turn counts as a reply of its own.
        """
        waiting = _waiting(spec, call)
        key = _key(waiting)
        with self._lock:
            known = (self._last,) if in_turn else (self._last, self._now)
            if any(calls.pop(key, None) is not None for calls in known):
                return True
            self._now[key] = waiting
            while len(self._now) > _MOST_WAITING:
                del self._now[next(iter(self._now))]
        return False

    def to_list(self) -> list[JsonObject]:
        """Return the calls that the next reply can confirm, as plain data."""
        with self._lock:
            return [dict(waiting) for waiting in self._now.values()]

    def restore(self, saved: Iterable[Waiting]) -> None:
        """Let the next reply confirm what `to_list` returned, in this process or another."""
        calls = [_checked(waiting) for waiting in saved]
        with self._lock:
            self._now = {_key(waiting): waiting for waiting in calls[-_MOST_WAITING:]}


def unconfirmed(call: Call) -> Validation:
    """Return the message for the model about a call that it may not have meant."""
    how = "followed by more text" if call.position == "followed" else "in plain text"
    message = (
        f"Your reply contains a call of {call.name} {how}, so nothing was run."
        " Send the call alone if you mean it."
    )
    return Validation(message, code="unconfirmed", fixes=call.fixes)


def _waiting(spec: ToolSpec, call: Call) -> Waiting:
    arguments = canonical_arguments(spec, call.arguments)
    return {"tool": spec.name, "digest": spec.digest, "arguments": arguments}


def _key(waiting: Waiting) -> str:
    return json.dumps(waiting, sort_keys=True, default=str)


def _checked(waiting: object) -> Waiting:
    fields = {"tool": str, "digest": str, "arguments": Mapping}
    if not isinstance(waiting, Mapping) or set(waiting) != set(fields):
        raise ValueError(f"a waiting call has {', '.join(fields)}, not {waiting!r:.80}")
    for name, kind in fields.items():
        if not isinstance(waiting[name], kind):
            raise ValueError(f"{name} of a waiting call cannot be {waiting[name]!r:.80}")
    return dict(waiting)


def approve(call: LiveCall, proceed: Next) -> Awaitable[Result]:
    """Ask before a call that can destroy something, or that the model may not have meant.

    The approver is called once, even if both are true. Without an approver, a destructive call is
    refused, and a doubtful one is confirmed by the model, which sends it again.
    """
    if needs_approval(call) or (call.tier != "native" and needs_confirmation(call)):
        return _approved(call, proceed)
    return proceed(call)


async def _approved(call: LiveCall, proceed: Next) -> Result:
    for _ in range(_MOST_QUESTIONS):
        must_ask, is_doubtful = needs_approval(call), needs_confirmation(call)
        if not must_ask and not is_doubtful:
            return await proceed(call)
        approver = call.settings.approver
        answer = nobody_to_ask(call) if approver is None else await _answer(approver, call)
        refusal = _refusal(call, answer)
        if refusal is not None:
            if must_ask or not _nobody_was_asked(refusal):
                return refusal
            return await proceed(call) if _model_confirms(call) else unconfirmed(call)
        now = looked_up_again(call)
        if isinstance(now, Failure):
            return now
        if now.arguments is call.arguments:
            return await proceed(replace(now, approved=(now.arguments, now.tool)))
        call = now  # the tool has changed meanwhile: the approval is not for what would run
    return Refused(f"{call.name} changes while approval is asked for", code="approval")


def nobody_to_ask(call: Call) -> Refused:
    """Refuse a call that needs approval when there is no approver.

    An approver that cannot reach anybody returns this too.
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
    """True if somebody must approve the call: by policy, or because it can destroy something."""
    asked, tool = call.policy.approve, call.tool
    if asked is not None:
        return asked
    if tool.definition().destructive is False and not isinstance(tool, ShownTool):
        return False  # most tools, on every call
    return can_destroy(tool, call, call.typed_arguments)


def is_settled(call: LiveCall) -> bool:
    """True if the call may run: it needs no approval, or it is exactly what was approved."""
    if call.approved is None:
        return not needs_approval(call)
    arguments, tool = call.approved
    return arguments is call.arguments and tool is call.tool


def approval_key(call: Call, spec: ToolSpec | None = None) -> str:
    """Return a key for what is approved: the tool and its arguments, in one task, by call id.

    A run that was paused and is resumed asks for the same key. With a spec, its digest is part of
    the key: an approval is not valid for a tool that has changed since.
    """
    if spec is not None:
        call = replace(call, name=f"{call.name} {spec.digest}")
    return call_key(current_scope().task, call)


async def _answer(approver: Approver, call: LiveCall) -> Any:
    """Return the approver's answer, within the deadline of the task."""
    deadline = current_scope().deadline
    if deadline is None:
        return await _asked(approver, call)
    with move_on_after(max(0.0, deadline - monotonic())):
        return await _asked(approver, call)
    return Refused(f"nobody has approved {call.name} in time", code="approval")


async def _asked(approver: Approver, call: LiveCall) -> Any:
    """Return the approver's answer; a plain function may wait for a person, so it runs in a thread."""
    shown = plain_call(call)
    try:
        if inspect.iscoroutinefunction(approver):
            return await approver(shown)
        answer = await to_thread.run_sync(_in_thread, approver, shown, abandon_on_cancel=True)
        return await answer if inspect.isawaitable(answer) else answer
    except Failure as failure:
        return failure
    except BaseException as error:
        if not is_contained(error):
            raise
        return _not_asked(call, error)


def _in_thread(approver: Approver, call: Call) -> Any:
    """Return the approver's answer; an exception as a value, because a SystemExit in a thread would
    end the loop."""
    try:
        return approver(call)
    except Failure as failure:
        return failure
    except BaseException as error:
        return _not_asked(call, error)


def _not_asked(call: Call, error: BaseException) -> Refused:
    log_failure("asking for approval of %r failed with %s", error, call.name)
    return Refused(f"asking for approval of {call.name} failed", code="approval")


def _refusal(call: LiveCall, answer: object) -> Failure | None:
    """Return the refusal for an answer; only True is an approval."""
    if answer is True:
        return None
    if isinstance(answer, Failure):
        return answer
    return Refused(f"{call.name} was not approved", code="approval")
