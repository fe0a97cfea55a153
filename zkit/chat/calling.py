"""The calls of a reply in; their answers in the history, and why the run is over if it is, out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterator, Sequence
from dataclasses import replace
from typing import Any

from zkit.calls import Call
from zkit.chat import words
from zkit.chat.events import Message, MessageAdded
from zkit.chat.outcome import Reason, TurnRecord
from zkit.chat.replies.call_checker import new_id
from zkit.chat.replies.reply import ModelReply
from zkit.chat.replies.report import RefusedCall
from zkit.chat.replies.wire import arguments_of, dumps
from zkit.chat.requests.history import assistant_message
from zkit.chat.run_state import RunState
from zkit.chat.running import run_calls
from zkit.chat.settling import (
    MAX_CALLS,
    answer_to,
    diff_of,
    open_turn,
    told,
    verdict_on,
    with_times,
)
from zkit.chat.wants import Want
from zkit.dispatch import Outcome
from zkit.results import Refused, Validation


def answer_calls(run: RunState, reply: ModelReply) -> Generator[Want, Any, Reason | None]:
    """Run the calls of a reply; whatever happens, each has exactly one answer in the history."""
    reply, times = _each_once(run, reply)
    settled = [*_beforehand(run, reply), *map(_unreadable, reply.refused)]
    known = {outcome.call.id for outcome in settled}
    calls = [call for call in reply.calls if call.id not in known]
    ran = yield from run_calls(
        run,
        calls,
        reply.finish_reason,
        keep=lambda ran: _added(run, reply, _in_order(reply, [*ran, *settled])),
    )
    outcomes = _in_order(reply, [*with_times(ran, times), *settled])
    messages = _added(run, reply, outcomes)
    run.open = open_turn(run, outcomes, calls, reply.finish_reason, times)
    verdict = verdict_on(run, outcomes, reply.finish_reason)
    run.calls += len(calls)
    yield from told(run, outcomes, messages[1:])
    yield from map(MessageAdded, messages)
    return verdict


def _each_once(run: RunState, reply: ModelReply) -> tuple[ModelReply, Counter[str]]:
    """The reply with each call of a tool that only reads once, and how often it stood there.

    Small models write the same call over and over until their tokens are used up. Where a call
    could change something, twice may be meant; and a call that the server delivered has its own
    id, and gets its own answer.
    """
    first: dict[str, Call] = {}
    times: Counter[str] = Counter()
    kept = []
    for call in reply.calls:
        is_same = call.span is not None and _only_reads(run, call.name)
        key = dumps([call.name, call.arguments]) if is_same else call.id
        first.setdefault(key, call)
        times[first[key].id] += 1
        if first[key] is call:
            kept.append(call)
    return replace(reply, calls=tuple(kept)), times


def _only_reads(run: RunState, name: str) -> bool:
    tool = run.dispatcher.get(name)
    return tool is not None and not run.dispatcher.settings.policy_of(tool).clear


def _beforehand(run: RunState, reply: ModelReply) -> Iterator[Outcome]:
    """The calls that must not run, whatever they say."""
    if run.closing in ("loop", "max_turns"):
        for call in reply.calls:
            yield Outcome(call, Refused(words.NO_MORE_CALLS, code="budget"))
        return
    room = max(0, run.settings.max_calls - run.calls)
    for call in reply.calls[room:]:
        said = words.too_many_calls(run.settings.max_calls)
        yield Outcome(call, Refused(said, code="budget", meta={"setting": MAX_CALLS}))
    last = reply.calls[-1] if reply.calls else None
    # A server may close what was cut, so that nobody sees it: the last call of a cut reply is lost.
    if last is not None and last.tier == "native" and reply.finish_reason == "length" and room:
        said = words.cut_call(last.name, len(arguments_of(last.arguments)))
        if len(reply.calls) <= room:
            yield Outcome(last, Validation(said, "truncated"))


def _unreadable(one: RefusedCall) -> Outcome:
    """A call in the text that cannot be read: it gets an answer like any other."""
    call = Call(one.name or "unknown", {}, new_id(), one.origin)
    return Outcome(call, Validation(one.message, one.code))  # type: ignore[arg-type]


def _in_order(reply: ModelReply, outcomes: Sequence[Outcome]) -> list[Outcome]:
    """The outcomes in the order of the calls; those that were not readable last."""
    places = {call.id: at for at, call in enumerate(reply.calls)}
    return sorted(outcomes, key=lambda one: places.get(one.call.id, len(places)))


def _added(run: RunState, reply: ModelReply, outcomes: Sequence[Outcome]) -> list[Message]:
    """Put the calls and their answers into the history."""
    said = assistant_message(
        reply.text, [one.call for one in outcomes], reply.extra, reply.entry_extra
    )
    answers = [answer_to(run, one) for one in outcomes]
    run.messages += [said, *answers]
    run.text = reply.text
    diff = diff_of(run, outcomes)
    run.record(TurnRecord(run.turn, reply.text, reply.reasoning, tuple(outcomes), diff))
    return [said, *answers]
