"""Results that wait for somebody outside: how a tool or an approver says so, and how it is read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from zkit.calls import Call
from zkit.results import Refused, Result, Success


def ask_later(call: Call) -> Refused:
    """Approve nothing now: the run pauses before the call, and whoever resumes it decides.

    An approver to be given as `approve=`, or to be called by one that decides some calls itself.
    """
    return Refused(
        f"{call.name} waits for approval", code="approval", meta={"pause": {"for": "approval"}}
    )


def wait_for_answer(question: str, options: tuple[str, ...] = ()) -> Success:
    """Return what a tool returns to pause the run until somebody answers a question."""
    asked = {"for": "answer", "question": question, "options": list(options)}
    return Success("The question waits for an answer.", meta={"pause": asked})


def pause_in(result: Result) -> Mapping[str, Any] | None:
    """What a result waits for, under `for`: an approval or an answer; None when it does not wait."""
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
    """Whether a call was not run because its turn is paused before it."""
    return getattr(result, "meta", {}).get("not_run") == "paused"
