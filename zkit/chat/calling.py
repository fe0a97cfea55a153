"""The calls of a reply in; their answers in the history, and why the run is over if it is, out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterator, Sequence
from dataclasses import replace
from typing import Any

from zkit.calls import Call
from zkit.chat import words
from zkit.chat.desk import new_id
from zkit.chat.events import (
    CallRefused,
    CallRepaired,
    LoopEvent,
    Message,
    MessageAdded,
    ToolFinished,
    ToolStarted,
)
from zkit.chat.history import assistant_message, tool_message
from zkit.chat.outcome import Reason, TurnRecord
from zkit.chat.reply import ModelReply
from zkit.chat.report import RefusedCall
from zkit.chat.run_state import RunState
from zkit.chat.wants import RunCalls, Want
from zkit.chat.wire import arguments_of, dumps
from zkit.dispatch import Outcome
from zkit.dispatch.notes import with_notes
from zkit.results import Refused, Result, Validation
from zkit.tools import render_result

_SETTING = "ChatLoop(max_calls=...)"
_MODELS_FAULT = frozenset(
    {"invalid_json", "truncated", "ambiguous", "invalid_arguments", "unknown_tool"}
)


def answer_calls(run: RunState, reply: ModelReply) -> Generator[Want, Any, Reason | None]:
    """Run the calls of a reply; whatever happens, each has exactly one answer in the history."""
    reply, times = _each_once(run, reply)
    settled = [*_beforehand(run, reply), *map(_unreadable, reply.refused)]
    known = {outcome.call.id for outcome in settled}
    calls = [call for call in reply.calls if call.id not in known]
    turn = run.dispatcher.turn(calls, finish_reason=reply.finish_reason)
    try:
        for call in calls:
            yield ToolStarted(call)
        if calls:
            yield RunCalls(turn)
    except BaseException:
        # Cancelled: the history must be whole for whoever goes on with it.
        _added(run, reply, _in_order(reply, [*turn.outcomes, *settled]))
        raise
    found = [_with_times(outcome, times[outcome.call.id]) for outcome in turn.outcomes]
    outcomes = _in_order(reply, [*found, *settled])
    messages = _added(run, reply, outcomes)
    verdict = _verdict(run, reply, outcomes)
    run.calls += len(calls)
    yield from _events(outcomes, messages)
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


def _with_times(outcome: Outcome, times: int) -> Outcome:
    if times < 2:
        return outcome
    return replace(outcome, result=with_notes(outcome.result, words.written_often(times)))


def _beforehand(run: RunState, reply: ModelReply) -> Iterator[Outcome]:
    """The calls that must not run, whatever they say."""
    if run.closing in ("loop", "max_turns"):
        for call in reply.calls:
            yield Outcome(call, Refused(words.NO_MORE_CALLS, code="budget"))
        return
    room = max(0, run.settings.max_calls - run.calls)
    for call in reply.calls[room:]:
        said = words.too_many_calls(run.settings.max_calls)
        yield Outcome(call, Refused(said, code="budget", meta={"setting": _SETTING}))
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
    answers = [tool_message(one.call.id, _told(run, one.result)) for one in outcomes]
    run.messages += [said, *answers]
    run.text = reply.text
    diff = _diff(run, outcomes)
    run.record(TurnRecord(run.turn, reply.text, reply.reasoning, tuple(outcomes), diff))
    return [said, *answers]


def _told(run: RunState, result: Result) -> str:
    return render_result(result, limit=run.settings.result_room, spill=run.settings.spill)


def _diff(run: RunState, outcomes: Sequence[Outcome]) -> str:
    recorder = run.dispatcher.settings.recorder
    if recorder is None:
        return ""
    ids = {outcome.call.id for outcome in outcomes}
    return "".join(one.diff for one in recorder.changes() if one.call_id in ids)


def _events(outcomes: Sequence[Outcome], messages: list[Message]) -> Iterator[LoopEvent]:
    for outcome, message in zip(outcomes, messages[1:], strict=True):
        call, result = outcome.call, outcome.result
        if call.fixes:
            yield CallRepaired(call)
        if isinstance(result, Validation) and result.code in _MODELS_FAULT:
            yield CallRefused(call.id, call.name, result.code, message["content"])
        yield ToolFinished(call, result, message["content"], outcome.seconds)
    for message in messages:
        yield MessageAdded(message)


def _verdict(run: RunState, reply: ModelReply, outcomes: Sequence[Outcome]) -> Reason | None:
    """Why the run is over after these calls; None when it goes on."""
    if run.closing == "max_turns":
        return "max_turns"
    metas = [getattr(one.result, "meta", {}) for one in outcomes]
    if any(meta.get("stop") for meta in metas):
        return "loop"
    if any(meta.get("pause") for meta in metas):
        return "paused"
    if any(meta.get("setting") == _SETTING for meta in metas):
        return "max_calls"
    if not all(_is_models_fault(one.result) for one in outcomes):
        run.progress()
    elif not run.spend("malformed"):
        return "length" if reply.finish_reason == "length" else "malformed"
    return None


def _is_models_fault(result: Result) -> bool:
    return isinstance(result, Validation) and result.code in _MODELS_FAULT
