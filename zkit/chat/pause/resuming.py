"""A run that was paused in; the calls it left open run, and their answers in the history out."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import replace
from typing import Any

from zkit.chat.events import Message, MessageChanged, Resumed
from zkit.chat.outcome import Reason
from zkit.chat.pause.deciding import Resumption
from zkit.chat.replies.wire import entries
from zkit.chat.requests.history import call_entry
from zkit.chat.run_state import RunState
from zkit.chat.running import run_calls
from zkit.chat.settling import answer_to, diff_of, open_turn, told, verdict_on, with_times
from zkit.chat.wants import Want
from zkit.dispatch import Outcome
from zkit.results import Success


def take_up(run: RunState, resumed: Resumption) -> Generator[Want, Any, Reason | None]:
    """Run the calls that the pause left open; their answers take the place of its words.

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
    known = {outcome.call.id for outcome in answered}
    calls = [call for call in left.calls if call.id not in known]
    ran = yield from run_calls(
        run, calls, left.finish_reason, keep=lambda ran: _put(run, [*answered, *ran])
    )
    outcomes = _in_order(resumed, [*answered, *with_times(ran, left.times)])
    changed = _put(run, outcomes)
    run.open = open_turn(run, outcomes, calls, left.finish_reason, left.times)
    of_the_turn = run.turns[-1].outcomes if run.turns else outcomes
    verdict = verdict_on(run, of_the_turn, left.finish_reason)
    yield from told(run, outcomes, [run.messages[at] for at in changed], left.calls)
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
    """Where in the history the calls stand, and where their answers."""
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
