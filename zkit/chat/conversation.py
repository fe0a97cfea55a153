"""The logic of the loop: a generator that yields actions, receives their outcomes, and does no I/O.

One turn: limits, messages from outside, compaction, a request, and what the reply asks for. The
drivers in `zkit.chat.drivers` do the actions, in sync or in async code.
"""

from __future__ import annotations

from collections.abc import Iterable

from zkit.chat import loop_messages
from zkit.chat.call_answers import answer_calls
from zkit.chat.client.text_calls import begins_like_a_result
from zkit.chat.client_errors import Trouble, explain, trouble_of
from zkit.chat.drivers import Ask, Do, Steps, Wait
from zkit.chat.history import as_facts, as_messages, assistant_message, ids_in, size_of, with_system
from zkit.chat.loop_events import (
    Compacted,
    Corrected,
    Message,
    MessageAdded,
    Reason,
    Retrying,
    RunFinished,
    RunResult,
    Steered,
    TextRevoked,
    TurnRecord,
    TurnStarted,
)
from zkit.chat.reply_reader import ModelReply, ReplyReader, begins_like_a_call
from zkit.chat.resuming import take_up
from zkit.chat.run_state import RunState
from zkit.chat.server_profile import fitted
from zkit.chat.tool_offer import Offering, examples_of
from zkit.json_types import JsonObject
from zkit.results import Success

_ONE_MORE_REPLY = ("loop", "max_calls")
"""After these the model may still answer, without tools."""


def conversation(run: RunState) -> Steps[RunResult]:
    """Run until there is an answer, or a reason to end without one."""
    result = yield from _turns(run)
    yield RunFinished(result)
    return result


def _turns(run: RunState) -> Steps[RunResult]:
    if run.resumed is not None:
        result = _ended(run, (yield from take_up(run, run.resumed)))
        if result is not None:
            return result
    while True:
        yield from _take_steering(run)
        reason = run.limit_reached()
        if reason is not None:
            return run.finish(run.ending or reason)
        if _is_full(run):
            yield from _compact(run)
        reply = yield from _ask(run)
        if isinstance(reply, RunResult):
            return reply
        result = _ended(run, (yield from _take(run, reply)))
        if result is not None:
            return result


def _ended(run: RunState, reason: Reason | None) -> RunResult | None:
    """Return the end of the run after a reply; None when the model is asked again."""
    if run.ending is not None:
        return run.finish(run.ending)
    if reason in _ONE_MORE_REPLY and run.closing is None:
        run.ending = reason
        return None
    return None if reason is None else run.finish(reason)


# ── before a request ─────────────────────────────────────────────────────────


def _take_steering(run: RunState) -> Steps[None]:
    for note in run.steering.drain():
        yield Steered(note.text, note.trusted)
        message = {"role": "user", "content": note.content}
        run.messages.append(message)
        yield MessageAdded(message)


def _is_full(run: RunState) -> bool:
    context = run.settings.context
    if run.settings.compact is None or context is None:
        return False
    return size_of(run.messages) > context * run.settings.compact_at


def _compact(run: RunState) -> Steps[bool]:
    """Let the user's function shorten the history; the result is made valid. True if it is shorter."""
    if run.settings.compact is None:
        return False
    before = size_of(run.messages)
    shorter = yield Do(run.settings.compact, list(run.messages))
    if not isinstance(shorter, list) or not shorter:
        return False
    run.messages[:] = as_messages(shorter)
    after = size_of(run.messages)
    yield Compacted(before, after)
    return after < before


# ── a request ────────────────────────────────────────────────────────────────


def _ask(run: RunState) -> Steps[ModelReply | RunResult]:
    """Send the request until there is a reply; errors of the server are handled here."""
    run.turn += 1
    offering = run.offering()
    yield TurnStarted(run.turn, offering.names)
    while True:
        taken = ids_in(run.messages)
        settings = run.settings
        reader = ReplyReader(offering.offers, taken, settings.formats, settings.reasoning)
        limit = run.settings.most_tokens
        reply = yield Ask(_request(run, offering), reader, limit, run.task.deadline)
        if isinstance(reply, ModelReply):
            run.usage = run.usage.plus(reply.usage)
            return reply
        if reader.has_shown:
            yield TextRevoked("connection")
        explain(reply)
        trouble = trouble_of(reply)
        goes_on = yield from _REMEDIES[trouble.remedy](run, trouble)
        reason = run.limit_reached()
        if reason in ("max_seconds", "stopped"):
            return run.finish(reason)
        if not goes_on:
            return run.finish("error", reply)


def _request(run: RunState, offering: Offering) -> JsonObject:
    """Return what goes to the server. Notes are sent once, and never enter the history."""
    if offering.specs and (run.closing is not None or run.tells_facts):
        note = loop_messages.HAVE_RESULTS if run.closing is None else loop_messages.LAST_TURN
        messages = [*as_facts(run.messages), *_as_messages([note])]
        offering = Offering(())
    else:
        messages = [*run.messages, *_as_messages(run.notes)]
        about = run.prompt_about(offering)
        messages = with_system(messages, about) if about else messages
    request: JsonObject = {"model": run.model, "messages": messages}
    if offering.specs:
        request["tools"] = offering.entries
    if run.streaming:
        request |= {"stream": True, "stream_options": {"include_usage": True}}
    if run.seconds_left is not None:
        request["timeout"] = max(0.001, run.seconds_left)
    return fitted({**request, **run.settings.options}, run.server, examples_of(offering))


def _as_messages(notes: Iterable[str]) -> list[Message]:
    return [{"role": "user", "content": note} for note in notes]


def _retry(run: RunState, trouble: Trouble) -> Steps[bool]:
    if not run.spend("retry"):
        return False
    attempt = run.spent["retry"]
    delay = trouble.delay
    if delay is None:
        delay = run.settings.backoff * 2 ** (attempt - 1)
    if run.seconds_left is not None:
        delay = min(delay, max(0.0, run.seconds_left))
    yield Retrying(trouble.reason, delay, attempt)
    yield Wait(delay)
    return True


def _correct_unreadable(run: RunState, trouble: Trouble) -> Steps[bool]:
    if not run.spend("unreadable"):
        return False
    run.notes = [loop_messages.UNREADABLE]
    yield Corrected("unreadable", loop_messages.UNREADABLE)
    return True


def _go_over_to_text(run: RunState, trouble: Trouble) -> Steps[bool]:
    if run.text_mode or run.settings.mode != "auto":
        return False
    run.text_mode = True
    yield Corrected("text_mode", trouble.reason)
    return True


def _compact_and_go_on(run: RunState, trouble: Trouble) -> Steps[bool]:
    return (yield from _compact(run))


def _give_up(run: RunState, trouble: Trouble) -> Steps[bool]:
    return False
    yield


_REMEDIES = {
    "retry": _retry,
    "correct": _correct_unreadable,
    "text_mode": _go_over_to_text,
    "compact": _compact_and_go_on,
    "give_up": _give_up,
}


# ── a reply ──────────────────────────────────────────────────────────────────


def _take(run: RunState, reply: ModelReply) -> Steps[Reason | None]:
    """Do what the reply asks for; return a reason if the run is over."""
    run.notes, run.tells_facts = [], False
    if reply.calls or reply.refused:
        return (yield from answer_calls(run, reply))
    if begins_like_a_call(reply.text) and run.dispatcher.tools():
        return (yield from _ask_for_a_call(run, loop_messages.NO_CALL))
    if begins_like_a_result(reply.text) and run.dispatcher.tools():
        return (yield from _ask_for_a_call(run, loop_messages.NO_RESULT))
    if reply.record_of and run.dispatcher.get(reply.record_of):
        return (yield from _ask_for_words(run))
    if reply.text or reply.declined:
        return (yield from _answer(run, reply))
    if reply.finish_reason == "content_filter":
        return "filtered"
    return (yield from _ask_again(run, reply))


def _answer(run: RunState, reply: ModelReply) -> Steps[Reason | None]:
    run.progress()
    run.text = reply.text or reply.declined
    message = assistant_message(run.text, ())
    run.messages.append(message)
    run.record(TurnRecord(run.turn, run.text, reply.reasoning))
    yield MessageAdded(message)
    if not reply.text:
        return "filtered"
    ends: dict[str | None, Reason] = {"length": "length", "content_filter": "filtered"}
    return ends.get(reply.finish_reason, "completed")


def _ask_for_a_call(run: RunState, note: str) -> Steps[Reason | None]:
    """Ask for a call after a reply that should have been one; the reply is not kept."""
    if not run.spend("malformed"):
        return "malformed"
    run.notes = [note]
    yield Corrected("malformed", note)
    return None


def _ask_for_words(run: RunState) -> Steps[Reason | None]:
    """Ask for words after a reply that repeats a call as data; the reply is not kept."""
    if not run.spend("malformed"):
        return "malformed"
    run.tells_facts = _ends_with_a_success(run)
    run.notes = [loop_messages.IN_WORDS]
    yield Corrected("malformed", loop_messages.IN_WORDS)
    return None


def _ends_with_a_result(run: RunState) -> bool:
    return run.messages[-1].get("role") == "tool"


def _ends_with_a_success(run: RunState) -> bool:
    last = run.turns[-1].outcomes[-1:] if run.turns else ()
    return _ends_with_a_result(run) and all(isinstance(one.result, Success) for one in last)


def _ask_again(run: RunState, reply: ModelReply) -> Steps[Reason | None]:
    """Ask again after a reply without text and without a call."""
    is_cut = reply.finish_reason == "length"
    kind = "reasoning_only" if reply.reasoning or is_cut else "empty"
    if not run.spend(kind):
        return "length" if is_cut else "empty"
    thought = loop_messages.OUT_OF_TOKENS if is_cut else loop_messages.REASONING_ONLY
    has_failed = _ends_with_a_result(run) and not _ends_with_a_success(run)
    nothing = loop_messages.EMPTY_AFTER_FAILURE if has_failed else loop_messages.EMPTY
    note = nothing if kind == "empty" else thought
    run.notes = [note]
    # A small model that says nothing after a result can use it if it gets it in words.
    run.tells_facts = kind == "empty" and _ends_with_a_success(run)
    yield Corrected(kind, note)
    return None
