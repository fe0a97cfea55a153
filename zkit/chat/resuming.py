"""Continues a paused run within its permissions, beginning with the calls it left open."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Protocol

from anyio import to_thread

from zkit.calls import Call
from zkit.chat.call_answers import (
    answer_to,
    diff_of,
    finished_events,
    is_open,
    open_turn,
    run_calls,
    verdict_on,
    with_times,
)
from zkit.chat.decisions import Resumption
from zkit.chat.drivers import Steps
from zkit.chat.history import call_entry
from zkit.chat.loop_events import Message, MessageChanged, Reason, Resumed
from zkit.chat.loop_settings import LoopSettings
from zkit.chat.paused_run import PausedRun
from zkit.chat.run_state import RunState, Steering, begin_task
from zkit.chat.wire_data import entries
from zkit.dispatch import Dispatcher, Outcome
from zkit.dispatch.dispatch_settings import Execute
from zkit.dispatch.permissions import narrowed
from zkit.errors import ResumeError
from zkit.results import Result, Success
from zkit.tools import Scope, Tool


class Loop(Protocol):
    """What a run needs of its loop."""

    model: str
    settings: LoopSettings
    workspace: str
    dispatcher: Dispatcher
    kit: str | None


def run_again(
    loop: Loop, resumed: Resumption, messages: list[Message], steering: Steering, live: bool
) -> RunState:
    """Claim the paused run, and continue where it stopped. Its messages stay as they are."""
    paused = resumed.paused
    used = paused.used
    try:
        settings = replace(loop.settings, **paused.limits)
        dispatcher = _as_allowed(loop, paused)
    except (TypeError, ValueError) as error:
        raise ResumeError(f"not a paused run: {error}") from error
    paused.take()
    messages[:] = paused.messages
    seconds = settings.max_seconds
    left = None if seconds is None else max(0.0, seconds - used.seconds)
    task = begin_task(loop.workspace or paused.workspace, left, paused.task, paused.role)
    dispatcher = dispatcher.changed(execute=_marked(dispatcher.settings.execute, paused))
    _restore_spent(dispatcher, paused, task)
    return RunState(
        loop.model,
        dispatcher,
        settings,
        messages,
        task,
        steering,
        live,
        paused.text_mode or settings.mode == "text",
        used.turn,
        used.calls,
        usage=used.usage,
        turns=deque(paused.turns),
        spent=Counter(used.spent),
        kit=paused.kit,
        resumed=resumed,
    )


def _as_allowed(loop: Loop, paused: PausedRun) -> Dispatcher:
    """Return the loop's dispatcher, within the permissions that the run had when it was paused.

    A run that had a kit keeps it: if the loop has another kit, or none, only the tools that the run
    saw remain.
    """
    allowed = narrowed(loop.dispatcher.settings.permissions, paused.permissions)
    if paused.kit is not None and not (paused.kit and paused.kit == loop.kit):
        seen = {"allow": list(paused.tools), "deny": [], "roles": None}
        allowed = narrowed(allowed, seen)
    return loop.dispatcher.changed(permissions=allowed)


def _restore_spent(dispatcher: Dispatcher, paused: PausedRun, task: Scope) -> None:
    """Restore what the task had spent and tried, and the calls that can be confirmed."""
    with task.entered():
        if dispatcher.settings.limits is not None:
            dispatcher.settings.budgets.always().add(paused.used.budget)
        try:
            dispatcher.restore_unconfirmed(paused.unconfirmed)
        except ValueError as error:
            raise ResumeError(f"not a paused run: {error}") from error
        before = (one for turn in paused.turns for one in turn.outcomes)
        dispatcher.recall(one for one in before if not is_open(one))


def _marked(execute: Execute, paused: PausedRun) -> Execute:
    """Run tools as before, and note in each store of the paused run which of its calls start.

    The note is written before the call starts: if the process is killed, somebody can see it.
    """
    holders = tuple(paused.claim.holders.values())
    ids = {call.id for call in paused.open.calls}
    if not holders:
        return execute

    async def marked(tool: Tool, call: Call, typed: object = None) -> Result:
        if call.id not in ids:
            return await execute(tool, call, typed)
        for holder in holders:
            await to_thread.run_sync(holder.mark_began, paused.id, call)
        result = await execute(tool, call, typed)
        for holder in holders:
            await to_thread.run_sync(holder.mark_ended, paused.id, call)
        return result

    return marked


def take_up(run: RunState, resumed: Resumption) -> Steps[Reason | None]:
    """Run the calls that the pause left open; their answers replace its placeholder messages.

    What ran before the pause is not run again. The turn may pause once more: at a call after the
    one that was decided.
    """
    yield Resumed(resumed.paused.id)
    left = resumed.paused.open
    answered = [
        Outcome(one.call, Success(resumed.answers[one.call.id]))
        for one in left.waiting
        if one.kind == "answer"
    ]
    with run.task.entered():
        run.dispatcher.recall(answered)
    known = {outcome.call.id for outcome in answered}
    calls = [call for call in left.calls if call.id not in known]
    ran = yield from run_calls(
        run,
        calls,
        left.finish_reason,
        keep=lambda ran: _put(run, [*answered, *ran]),
        resumed=True,
    )
    outcomes = _in_order(resumed, [*answered, *with_times(ran, left.times)])
    changed = _put(run, outcomes)
    run.open = open_turn(run, outcomes, calls, left.finish_reason, left.times)
    of_the_turn = run.turns[-1].outcomes if run.turns else outcomes
    verdict = verdict_on(run, of_the_turn, left.finish_reason)
    yield from finished_events(run, outcomes, [run.messages[at] for at in changed], left.calls)
    yield from (MessageChanged(at, run.messages[at]) for at in _all_changed(run, outcomes))
    return verdict


def _in_order(resumed: Resumption, outcomes: Sequence[Outcome]) -> list[Outcome]:
    places = {call.id: at for at, call in enumerate(resumed.paused.open.calls)}
    return sorted(outcomes, key=lambda one: places[one.call.id])


def _put(run: RunState, outcomes: Sequence[Outcome]) -> list[int]:
    """Put calls and answers in the place of what the pause left there; where the answers are."""
    found = {outcome.call.id: outcome for outcome in outcomes}
    for at in _all_changed(run, outcomes):
        message = run.messages[at]
        if message.get("role") == "tool":
            run.messages[at] = answer_to(run, found[message["tool_call_id"]])
        else:
            run.messages[at] = _with_calls(message, found)
    _record(run, found)
    places = {m.get("tool_call_id"): at for at, m in enumerate(run.messages)}
    return [places[outcome.call.id] for outcome in outcomes]


def _all_changed(run: RunState, outcomes: Sequence[Outcome]) -> Iterator[int]:
    """Return where in the history the calls stand, and where their answers."""
    ids = {outcome.call.id for outcome in outcomes}
    for at, message in enumerate(run.messages):
        made = {entry.get("id") for entry in entries(message.get("tool_calls") or ())}
        if made & ids or (message.get("role") == "tool" and message.get("tool_call_id") in ids):
            yield at


def _with_calls(message: Message, found: dict[str, Outcome]) -> Message:
    made = [
        {**entry, **call_entry(found[entry["id"]].call)} if entry["id"] in found else entry
        for entry in entries(message["tool_calls"])
    ]
    return {**message, "tool_calls": made}


def _record(run: RunState, found: dict[str, Outcome]) -> None:
    """Put the outcomes into the record of the turn that was paused."""
    if not run.turns:
        return
    last = run.turns[-1]
    outcomes = tuple(found.get(one.call.id, one) for one in last.outcomes)
    diff = last.diff + diff_of(run, list(found.values()))
    run.turns[-1] = replace(last, outcomes=outcomes, diff=diff)
