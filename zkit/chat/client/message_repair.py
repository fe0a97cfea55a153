"""A completion as plain data in, the same with sound calls out, and a report of what was done."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from zkit.calls import Call
from zkit.chat.assembler import OWN_KEYS, Assembled, call_entries, split_concatenated
from zkit.chat.call_checker import CallChecker, RefusedCall, Report
from zkit.chat.client.text_calls import TextCalls
from zkit.chat.wire_data import arguments_of, dumps, entries, id_of, text_of

_CUT_SHORT = ("length", "content_filter", "max_tokens")


@dataclass(frozen=True, slots=True)
class RepairedMessage:
    """A message and its finish reason, with the report."""

    message: dict[str, Any]
    finish_reason: str | None
    report: Report


def repair_message(
    message: dict[str, Any], finish_reason: str | None, checker: CallChecker
) -> RepairedMessage:
    """Make the calls of one message sound. Native calls win: text is read when there are none."""
    if not checker.declared:
        return RepairedMessage(message, finish_reason, Report())
    given = [one for one in call_entries(message) if is_function(one)]
    others = [one for one in entries(message.get("tool_calls")) if not is_function(one)]
    if given or others:
        made, report = repair_native([_assembled(one) for one in given], finish_reason, checker)
        mended = _without_old_call({**message, "tool_calls": [*made, *others]})
        return RepairedMessage(
            mended if given else message, finish_for(finish_reason, True), report
        )
    text = message.get("content")
    if not isinstance(text, str) or not text:
        return RepairedMessage(message, finish_for(finish_reason, False), Report())
    side = TextCalls(checker)
    shown = side.feed(text)
    end = side.close(finish_reason, native=False)
    report = Report(end.calls, end.refusals)
    if not end.calls:
        return RepairedMessage(message, finish_for(finish_reason, False), report)
    made = [entry_of(call) for call in end.calls]
    mended = {**message, "content": (shown + end.rest) or None, "tool_calls": made}
    return RepairedMessage(mended, finish_for(finish_reason, True), report)


def repair_native(
    calls: Sequence[Assembled], finish_reason: str | None, checker: CallChecker
) -> tuple[list[dict[str, Any]], Report]:
    """Make the calls that a server delivered sound; the entries as they go on, and the report."""
    made, judged = [], []
    for given in split_concatenated(calls, frozenset(checker.names)):
        entry, outcome = checker.native(given, finish_reason)
        made.append(_entry(entry))
        judged.append(outcome)
    sound = tuple(one for one in judged if isinstance(one, Call))
    return made, Report(sound, tuple(one for one in judged if isinstance(one, RefusedCall)))


def finish_for(reason: str | None, has_calls: bool) -> str | None:
    """The finish reason that goes with what the message holds."""
    if has_calls:
        return reason if reason in _CUT_SHORT else "tool_calls"
    return "stop" if reason == "tool_calls" else reason


def entry_of(call: Call) -> dict[str, Any]:
    """A sound call as an entry of `tool_calls`."""
    return _entry(Assembled(call.id, call.name, dumps(call.arguments)))


def is_function(entry: dict[str, Any]) -> bool:
    """Whether an entry of `tool_calls` is a call of a function, and not of another kind of tool."""
    return entry.get("type") in ("function", None, "") or "function" in entry


def _without_old_call(message: dict[str, Any]) -> dict[str, Any]:
    """The message without the field that held the one call before there was `tool_calls`."""
    return {key: value for key, value in message.items() if key != "function_call" or not value}


def _assembled(entry: dict[str, Any]) -> Assembled:
    function = next(entries(entry.get("function")), {})
    extra = {key: value for key, value in entry.items() if key not in OWN_KEYS}
    name, arguments = text_of(function.get("name")), arguments_of(function.get("arguments"))
    return Assembled(id_of(entry.get("id")), name, arguments, extra)


def _entry(call: Assembled) -> dict[str, Any]:
    function = {"name": call.name, "arguments": call.arguments}
    return {**call.extra, "id": call.id, "type": "function", "function": function}
