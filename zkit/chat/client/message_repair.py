"""Repair the calls of one whole message: valid calls, the text that is left, and a report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from zkit.calls import Call
from zkit.chat.assembler import OWN_KEYS, Assembled, call_entries, split_concatenated
from zkit.chat.call_checker import NOTHING_DONE, CallChecker, RefusedCall, Report
from zkit.chat.client.text_calls import MAX_CALLS, TextCalls, TextEnd, too_many_calls
from zkit.chat.loop_messages import cut_call
from zkit.chat.wire_data import arguments_of, dumps, entries, id_of, text_of
from zkit.extract import Doubtful
from zkit.json_types import JsonMapping, JsonObject
from zkit.tools import to_wire

MAX_HELD = 8_000_000
"""How many characters of one reply are held back; far more than any model writes in one reply."""
REFUSED_NAME = "refused_"
"""The beginning of the name under which a refused call is passed on; see `refused_entry`."""
_LONGEST_NAME = 64
_CUT = ("length", "max_tokens")
_CUT_SHORT = (*_CUT, "content_filter")
_BESIDE = (
    "Your reply holds a call of {name} in its text beside calls in the tool call format, so the one"
    " in the text was not run. Send all calls in the tool call format."
)


class RepairedMessage(NamedTuple):
    """A message and its finish reason, with the report."""

    message: JsonObject
    finish_reason: str | None
    report: Report


def repair_message(
    message: JsonObject, finish_reason: str | None, checker: CallChecker
) -> RepairedMessage:
    """Repair the calls of one message. Native calls win: calls in the text are then only listed."""
    if not checker.declared:
        return RepairedMessage(message, finish_reason, NOTHING_DONE)
    given = [one for one in call_entries(message) if is_function(one)]
    others = [one for one in entries(message.get("tool_calls")) if not is_function(one)]
    text = message.get("content")
    found = read_text(text, finish_reason, bool(given or others), checker)
    if given or others:
        made, report = repair_native([_assembled(one) for one in given], finish_reason, checker)
        report = with_text_calls(report, found)
        repaired = _without_old_call({**message, "tool_calls": [*made, *others]})
        return RepairedMessage(
            repaired if given else message, finish_for(finish_reason, True), report
        )
    report = found.report
    if not found.calls:
        return RepairedMessage(message, finish_for(finish_reason, False), report)
    made = [entry_of(call) for call in found.calls]
    repaired = {**message, "content": found.rest or None, "tool_calls": made}
    return RepairedMessage(repaired, finish_for(finish_reason, True), report)


def read_text(
    text: object, finish_reason: str | None, native: bool, checker: CallChecker
) -> TextEnd:
    """Read the calls in a whole text."""
    if not isinstance(text, str) or not text or len(text) > MAX_HELD:
        return TextEnd(text if isinstance(text, str) else "")
    return TextCalls(checker).close(finish_reason, native=native, last=text)


def repair_native(
    calls: Sequence[Assembled], finish_reason: str | None, checker: CallChecker
) -> tuple[list[JsonObject], Report]:
    """Repair the calls that a server delivered; the entries that are passed on, and the report."""
    made, judged = [], []
    found = split_concatenated(calls, frozenset(checker.names))
    for number, given in enumerate(found[:MAX_CALLS], 1):
        entry, outcome = checker.native(given, finish_reason)
        # A server may close what was cut, so that the cut is invisible: as in `ChatLoop`, the last
        # call of a cut reply is refused.
        if finish_reason in _CUT and number == len(found) and isinstance(outcome, Call):
            outcome = _cut_off(outcome, given)
        if isinstance(outcome, RefusedCall):
            entry = refused_entry(entry, outcome, checker.names)
        made.append(as_entry(entry))
        judged.append(outcome)
    valid = tuple(one for one in judged if isinstance(one, Call))
    refusals = [one for one in judged if isinstance(one, RefusedCall)]
    if len(found) > MAX_CALLS:
        refusals.append(too_many_calls(len(found)))
    return made, Report(valid, tuple(refusals))


def _cut_off(call: Call, given: Assembled) -> RefusedCall:
    said = cut_call(call.name, len(given.arguments))
    return RefusedCall(call.id, call.name, "truncated", said, given.arguments, call.origin)


def refused_entry(entry: Assembled, refusal: RefusedCall, names: Sequence[str]) -> Assembled:
    """Return a refused call in a form that no framework runs: under a name that is not a tool.

    The id stays, the arguments are valid JSON that holds what the model wrote and why it was
    refused. A framework answers such a call like that of any unknown tool, and the model reads the
    reason in its own call. (Left as they are, smolagents runs the raw string, LlamaIndex runs the
    tool with no arguments, and LangChain's streams run it with arguments that were cut.)
    """
    name = (REFUSED_NAME + to_wire(refusal.name.strip() or "call"))[:_LONGEST_NAME]
    while name in names:
        name = f"_{name}"[:_LONGEST_NAME]
    arguments = dumps({"reason": refusal.message, "arguments": entry.arguments})
    return entry._replace(name=name, arguments=arguments)


def with_text_calls(report: Report, found: TextEnd) -> Report:
    """Return the report of native calls with those that are in the text beside them, each once."""
    known = {dumps([call.name, call.arguments]) for call in report.calls}
    beside = [
        Doubtful(call, "beside_native", _BESIDE.format(name=call.name))
        for call in (*found.calls, *(one.call for one in found.doubtful))
        if dumps([call.name, call.arguments]) not in known
    ]
    return Report(report.calls, (*report.refusals, *found.refusals), tuple(beside))


def finish_for(reason: str | None, has_calls: bool) -> str | None:
    """Return the finish reason that agrees with what the message holds."""
    if has_calls:
        return reason if reason in _CUT_SHORT else "tool_calls"
    return "stop" if reason == "tool_calls" else reason


def entry_of(call: Call) -> JsonObject:
    """Return a valid call as an entry of `tool_calls`."""
    return as_entry(Assembled(call.id, call.name, dumps(call.arguments)))


def is_function(entry: JsonObject) -> bool:
    """True if an entry of `tool_calls` calls a function, and not another kind of tool."""
    return entry.get("type") in ("function", None, "") or "function" in entry


def _without_old_call(message: JsonObject) -> JsonObject:
    """Return the message without the deprecated field `function_call`."""
    return {key: value for key, value in message.items() if key != "function_call" or not value}


def _assembled(entry: JsonObject) -> Assembled:
    function = next(entries(entry.get("function")), {})
    extra = {key: value for key, value in entry.items() if key not in OWN_KEYS}
    name, arguments = text_of(function.get("name")), arguments_of(function.get("arguments"))
    return Assembled(id_of(entry.get("id")), name, arguments, extra)


def as_entry(call: Assembled) -> JsonObject:
    """Return a call as an entry of `tool_calls`."""
    function = {"name": call.name, "arguments": call.arguments}
    return {**call.extra, "id": call.id, "type": "function", "function": function}


def added(first: JsonMapping, *more: object) -> JsonObject:
    """Return the sum of counts, key by key; what is not a count is taken from the first."""
    total = dict(first)
    for other in more:
        for key, value in other.items() if isinstance(other, Mapping) else ():
            known = total.get(key)
            if isinstance(value, Mapping):
                total[key] = added(known if isinstance(known, Mapping) else {}, value)
            elif _is_count(value) and (known is None or _is_count(known)):
                total[key] = (known or 0) + value
    return total


def _is_count(x: object) -> bool:
    return isinstance(x, int | float) and not isinstance(x, bool)
