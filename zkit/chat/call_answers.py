"""Run the calls of a reply and put their answers into the history; decide if the run is over."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from zkit.calls import Call
from zkit.chat import loop_messages
from zkit.chat.call_checker import RefusedCall, new_id
from zkit.chat.drivers import RunCalls, Steps
from zkit.chat.history import assistant_message, tool_message
from zkit.chat.loop_events import (
    ApprovalNeeded,
    CallRefused,
    CallRepaired,
    LoopEvent,
    Message,
    MessageAdded,
    QuestionAsked,
    Reason,
    ToolFinished,
    ToolStarted,
    TurnRecord,
)
from zkit.chat.paused_run import OpenTurn, Waiting
from zkit.chat.reply_reader import ModelReply
from zkit.chat.run_state import RunState
from zkit.chat.wire_data import arguments_of, dumps
from zkit.coach import coach_of
from zkit.dispatch import Outcome
from zkit.dispatch.approval import pause_in, was_held_back
from zkit.dispatch.live_call import with_notes
from zkit.json_types import JsonMapping
from zkit.results import Refused, Result, Success, Validation
from zkit.tools import call_key, render_result, thaw

MAX_CALLS = "ChatLoop(max_calls=...)"
_MODELS_FAULT = frozenset(
    {"invalid_json", "truncated", "ambiguous", "invalid_arguments", "unknown_tool", "unconfirmed"}
)


def with_times(outcomes: Sequence[Outcome], times: Mapping[str, int]) -> list[Outcome]:
    """Return the outcomes, with a note where the model wrote a call several times."""
    return [_noted(one, times.get(one.call.id, 1)) for one in outcomes]


def _noted(outcome: Outcome, times: int) -> Outcome:
    if times < 2 or is_open(outcome):
        return outcome
    return replace(outcome, result=with_notes(outcome.result, loop_messages.written_often(times)))


# ── what a pause leaves open ─────────────────────────────────────────────────


def is_open(outcome: Outcome) -> bool:
    """True if a call waits for somebody, or for a call before it that does."""
    return pause_in(outcome.result) is not None or was_held_back(outcome.result)


def open_turn(
    run: RunState,
    outcomes: Sequence[Outcome],
    calls: Sequence[Call],
    finish_reason: str | None,
    times: Mapping[str, int],
) -> OpenTurn:
    """Return what the turn waits for, and which of its calls are still to run.

    A call that was held back is kept as the model made it; one that waits is kept as it was read,
    because that is what the user was shown.
    """
    as_made = {call.id: call for call in calls}
    held = [one for one in outcomes if is_open(one)]
    waiting = [_waiting(run, one) for one in held if not was_held_back(one.result)]
    shown = {one.call.id: one.call for one in waiting}
    left = [shown.get(one.call.id) or as_made[one.call.id] for one in held]
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


# ── events of outcomes ─────────────────────────────────────────────────


def answer_to(run: RunState, outcome: Outcome) -> Message:
    """Return the text of an outcome for the model."""
    if is_open(outcome):
        return tool_message(outcome.call.id, loop_messages.PAUSED)
    room, spill = run.settings.result_room, run.settings.spill
    return tool_message(outcome.call.id, render_result(outcome.result, limit=room, spill=spill))


def diff_of(run: RunState, outcomes: Sequence[Outcome]) -> str:
    """Return what the calls changed in files, if a recorder is set."""
    recorder = run.dispatcher.settings.recorder
    if recorder is None:
        return ""
    ids = {outcome.call.id for outcome in outcomes}
    return "".join(one.diff for one in recorder.changes() if one.call_id in ids)


def finished_events(
    run: RunState,
    outcomes: Sequence[Outcome],
    answers: Sequence[Message],
    before: Iterable[Call] = (),
) -> Iterator[LoopEvent]:
    """Return the outcome of each call, as events; the repairs of calls `before` a pause were
    reported then."""
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
    """Return why the run is over after these calls; None if it continues."""
    if run.closing == "max_turns":
        return "max_turns"
    metas: list[JsonMapping] = [getattr(one.result, "meta", {}) for one in outcomes]
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
    """True if the model can fix the result by writing the call differently."""
    return isinstance(result, Validation) and result.code in _MODELS_FAULT


def run_calls(
    run: RunState,
    calls: Sequence[Call],
    finish_reason: str | None,
    keep: Callable[[Sequence[Outcome]], object],
    *,
    resumed: bool = False,
) -> Steps[Sequence[Outcome]]:
    """Run calls as one turn.

    If it is cancelled, `keep` puts their outcomes so far into the history.
    """
    turn = run.dispatcher.turn(calls, finish_reason=finish_reason, resumed=resumed)
    try:
        for call in calls:
            yield ToolStarted(call)
        if calls:
            yield RunCalls(turn)
    except BaseException:
        keep(turn.outcomes)
        raise
    return turn.outcomes


def answer_calls(run: RunState, reply: ModelReply) -> Steps[Reason | None]:
    """Run the calls of a reply; whatever happens, each has exactly one answer in the history."""
    reply, times = _each_once(run, reply)
    repeated = _repeated(run, reply)
    settled = [*(repeated or _beforehand(run, reply)), *map(_unreadable, reply.refused)]
    settled = [_coached(run, one) for one in settled]
    known = {outcome.call.id for outcome in settled}
    calls = [call for call in reply.calls if call.id not in known]
    ran = yield from run_calls(
        run,
        calls,
        reply.finish_reason,
        keep=lambda ran: _added(run, reply, _in_order(reply, [*ran, *settled])),
    )
    outcomes = _in_order(reply, [*with_times(ran, times), *settled])
    outcomes = _with_ignored(run, outcomes, reply)
    messages = _added(run, reply, outcomes)
    run.open = open_turn(run, outcomes, calls, reply.finish_reason, times)
    verdict = verdict_on(run, outcomes, reply.finish_reason)
    if repeated and verdict is None:
        run.tells_facts = True
        verdict = None if run.spend("repeated") else "loop"
    run.calls += len(calls)
    yield from finished_events(run, outcomes, messages[1:])
    for one in reply.ignored:
        yield CallRefused("", one.name, one.code, one.message)
    yield from map(MessageAdded, messages)
    return verdict


def _with_ignored(run: RunState, outcomes: list[Outcome], reply: ModelReply) -> list[Outcome]:
    """Tell the model, below an answer that it gets anyway, which calls in its text were not run."""
    notes = [one.message for one in reply.ignored]
    at = next((at for at, one in enumerate(outcomes) if not is_open(one)), None)
    if not notes or at is None:
        run.notes += notes
        return outcomes
    noted = replace(outcomes[at], result=with_notes(outcomes[at].result, *notes))
    return [*outcomes[:at], noted, *outcomes[at + 1 :]]


def _each_once(run: RunState, reply: ModelReply) -> tuple[ModelReply, Counter[str]]:
    """Return the reply with each call of a reading tool once, and how often it was written.

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


def _repeated(run: RunState, reply: ModelReply) -> list[Outcome]:
    """Return the outcomes of calls in text that the previous reply made too; empty unless all are
    such.

    Qwen2.5-Coder-1.5B, given its call and the result, wrote the same call again in both tasks that
    were tried without this step. Such a call is not run: the model gets the result in words.
    """
    before = run.turns[-1].outcomes if run.turns else ()
    known = {_call_text(one.call): one.result for one in before if isinstance(one.result, Success)}
    found = []
    for call in reply.calls:
        result = known.get(_call_text(call)) if call.span is not None else None
        if result is None or not _may_be_skipped(run, call.name):
            return []
        found.append(Outcome(call, with_notes(result, loop_messages.REPEATED)))
    return [] if reply.refused else found


def _call_text(call: Call) -> str:
    return dumps([call.name, thaw(call.arguments)])


def _may_be_skipped(run: RunState, name: str) -> bool:
    """False if a tool is declared to change something: the same call twice may be meant.

    One that executes and is declared idempotent may be skipped: a 1.5B model ran the same tests six
    times, because each report had another duration.
    """
    tool = run.dispatcher.get(name)
    if tool is None:
        return False
    spec = tool.definition()
    return spec.grade is None or spec.grade.w <= (2 if spec.idempotent else 1)


def _only_reads(run: RunState, name: str) -> bool:
    tool = run.dispatcher.get(name)
    return tool is not None and not run.dispatcher.settings.policy_of(tool).clear


def _beforehand(run: RunState, reply: ModelReply) -> Iterator[Outcome]:
    """Return the calls that must not run, whatever their arguments."""
    if run.closing in ("loop", "max_turns"):
        for call in reply.calls:
            yield Outcome(call, Refused(loop_messages.NO_MORE_CALLS, code="budget"))
        return
    room = max(0, run.settings.max_calls - run.calls)
    for call in reply.calls[room:]:
        wording = loop_messages.too_many_calls(run.settings.max_calls)
        yield Outcome(call, Refused(wording, code="budget", meta={"setting": MAX_CALLS}))
    last = reply.calls[-1] if reply.calls else None
    # A server may close what was cut, so that the cut is invisible: the last call of a cut reply is
    # not run.
    if last is not None and last.tier == "native" and reply.finish_reason == "length" and room:
        wording = loop_messages.cut_call(last.name, len(arguments_of(last.arguments)))
        if len(reply.calls) <= room:
            yield Outcome(last, Validation(wording, "truncated"))


def _unreadable(one: RefusedCall) -> Outcome:
    """Return a call in the text that cannot be read: it gets an answer like any other."""
    call = Call(one.name or "unknown", {}, new_id(), one.origin)
    return Outcome(call, Validation(one.message, one.code))  # type: ignore[arg-type]


def _coached(run: RunState, outcome: Outcome) -> Outcome:
    """Return an outcome that the dispatcher has not seen, with what its coach adds."""
    coach = coach_of(run.dispatcher)
    if coach is None:
        return outcome
    with run.task.entered():
        return replace(outcome, result=coach.advise(outcome.call, outcome.result, run.dispatcher))


def _in_order(reply: ModelReply, outcomes: Sequence[Outcome]) -> list[Outcome]:
    """Return the outcomes in the order of the calls; those that were not readable last."""
    places = {call.id: at for at, call in enumerate(reply.calls)}
    return sorted(outcomes, key=lambda one: places.get(one.call.id, len(places)))


def _added(run: RunState, reply: ModelReply, outcomes: Sequence[Outcome]) -> list[Message]:
    """Put the calls and their answers into the history.

    The text around a call that the model must send again is left out: Qwen2.5-Coder-1.5B copies it
    without the call.
    """
    is_in_text = not any(call.tier == "native" for call in reply.calls)
    must_be_sent_again = is_in_text and any(is_models_fault(one.result) for one in outcomes)
    text = "" if must_be_sent_again else reply.text
    assistant = assistant_message(
        text, [one.call for one in outcomes], reply.extra, reply.entry_extra
    )
    answers = [answer_to(run, one) for one in outcomes]
    run.messages += [assistant, *answers]
    run.text = reply.text
    diff = diff_of(run, outcomes)
    ignored = tuple(one.name for one in reply.ignored)
    run.record(TurnRecord(run.turn, reply.text, reply.reasoning, tuple(outcomes), diff, ignored))
    return [assistant, *answers]
