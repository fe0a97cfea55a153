"""Outcomes of calls in; what the model is told, what others are told, and a verdict on the run out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from zkit.calls import Call
from zkit.chat import words
from zkit.chat.events import (
    ApprovalNeeded,
    CallRefused,
    CallRepaired,
    LoopEvent,
    Message,
    QuestionAsked,
    ToolFinished,
)
from zkit.chat.outcome import Reason
from zkit.chat.pause.paused import OpenTurn, Waiting
from zkit.chat.requests.history import tool_message
from zkit.chat.run_state import RunState
from zkit.dispatch import Outcome
from zkit.dispatch.approval import pause_in, was_held_back
from zkit.dispatch.live_call import with_notes
from zkit.results import Result, Validation
from zkit.tools import call_key, render_result

MAX_CALLS = "ChatLoop(max_calls=...)"
_MODELS_FAULT = frozenset(
    {"invalid_json", "truncated", "ambiguous", "invalid_arguments", "unknown_tool"}
)


def with_times(outcomes: Sequence[Outcome], times: Mapping[str, int]) -> list[Outcome]:
    """The outcomes, with a note where the model wrote a call several times."""
    return [_noted(one, times.get(one.call.id, 1)) for one in outcomes]


def _noted(outcome: Outcome, times: int) -> Outcome:
    if times < 2 or is_open(outcome):
        return outcome
    return replace(outcome, result=with_notes(outcome.result, words.written_often(times)))


# ── what a pause leaves open ─────────────────────────────────────────────────


def is_open(outcome: Outcome) -> bool:
    """Whether a call waits for somebody, or for a call before it that does."""
    return pause_in(outcome.result) is not None or was_held_back(outcome.result)


def open_turn(
    run: RunState,
    outcomes: Sequence[Outcome],
    calls: Sequence[Call],
    finish_reason: str | None,
    times: Mapping[str, int],
) -> OpenTurn:
    """What the turn waits for, and which of its calls are still to run.

    A call that was held back is kept as the model made it; one that waits as it was read, for so
    it was shown.
    """
    as_made = {call.id: call for call in calls}
    held = [one for one in outcomes if is_open(one)]
    left = [as_made[one.call.id] if was_held_back(one.result) else one.call for one in held]
    waiting = [_waiting(run, one) for one in held if not was_held_back(one.result)]
    often = {call.id: times[call.id] for call in left if times.get(call.id, 1) > 1}
    return OpenTurn(tuple(waiting), tuple(left), finish_reason, often)


def _waiting(run: RunState, outcome: Outcome) -> Waiting:
    call, asked = outcome.call, pause_in(outcome.result) or {}
    key = call_key(run.task.task, call)
    if asked["for"] == "approval":
        approved_by, seen = run.approvals.seen.get(call.id, (key, call))
        return Waiting("approval", seen, approved_by, idempotency_key=key)
    question = str(asked.get("question") or render_result(outcome.result))
    options = tuple(map(str, asked.get("options") or ()))
    return Waiting("answer", call, key, question, options, key)


# ── what is said of outcomes ─────────────────────────────────────────────────


def answer_to(run: RunState, outcome: Outcome) -> Message:
    """What the model reads of an outcome."""
    if is_open(outcome):
        return tool_message(outcome.call.id, words.PAUSED)
    room, spill = run.settings.result_room, run.settings.spill
    return tool_message(outcome.call.id, render_result(outcome.result, limit=room, spill=spill))


def diff_of(run: RunState, outcomes: Sequence[Outcome]) -> str:
    """What the calls changed in files, as far as somebody looks."""
    recorder = run.dispatcher.settings.recorder
    if recorder is None:
        return ""
    ids = {outcome.call.id for outcome in outcomes}
    return "".join(one.diff for one in recorder.changes() if one.call_id in ids)


def told(
    run: RunState,
    outcomes: Sequence[Outcome],
    answers: Sequence[Message],
    before: Iterable[Call] = (),
) -> Iterator[LoopEvent]:
    """What came of each call, as events; the repairs of calls `before` a pause were told then."""
    known = {call.id: len(call.fixes) for call in before}
    for outcome, message in zip(outcomes, answers, strict=True):
        call, result = outcome.call, outcome.result
        if call.fixes and known.get(call.id) != len(call.fixes):
            yield CallRepaired(call)
        if is_open(outcome):
            continue
        if is_models_fault(result) and isinstance(result, Validation):
            yield CallRefused(call.id, call.name, result.code, message["content"])
        yield ToolFinished(call, result, message["content"], outcome.seconds)
    for one in run.open.waiting:
        if one.kind == "approval":
            yield ApprovalNeeded(one.call, one.key)
        else:
            yield QuestionAsked(one.call, one.question, one.options)


# ── how the run goes on ──────────────────────────────────────────────────────


def verdict_on(
    run: RunState, outcomes: Sequence[Outcome], finish_reason: str | None
) -> Reason | None:
    """Why the run is over after these calls; None when it goes on."""
    if run.closing == "max_turns":
        return "max_turns"
    metas: list[Mapping[str, Any]] = [getattr(one.result, "meta", {}) for one in outcomes]
    if any(meta.get("stop") for meta in metas):
        return "loop"
    if run.open.waiting:
        return "paused"
    if any(meta.get("setting") == MAX_CALLS for meta in metas):
        return "max_calls"
    if not all(is_models_fault(one.result) for one in outcomes):
        run.progress()
    elif not run.spend("malformed"):
        return "length" if finish_reason == "length" else "malformed"
    return None


def is_models_fault(result: Result) -> bool:
    """Whether the model can mend a result by writing the call otherwise."""
    return isinstance(result, Validation) and result.code in _MODELS_FAULT
