"""The endpoint `/responses`: its requests, its whole replies and its events, for an exchange.

A stream passes as it is until something may be a call. From then on its events are held until the
server has sent the whole response: if nothing had to be changed they go out as they came, otherwise
events are made from the repaired response.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from zkit.chat.assembler import Assembled
from zkit.chat.call_checker import CallChecker, RefusedCall, Report, joined
from zkit.chat.client.exchange import (
    StreamReader,
    answer_to,
    functions_in,
    is_made_up,
    sent_function,
    text_answers,
)
from zkit.chat.client.message_repair import (
    MAX_HELD,
    added,
    entry_of,
    read_text,
    repair_native,
    with_text_calls,
)
from zkit.chat.client.stream_repair import BROKE_OFF, Plain, Remake
from zkit.chat.client.text_calls import TextCalls, TextEnd
from zkit.chat.wire_data import arguments_of, entries, id_of, text_of
from zkit.json_types import JsonMapping, JsonObject

Data = JsonObject
_ENDS = ("response.completed", "response.incomplete", "response.failed")
_BEGINS = ("response.created", "response.in_progress", "response.queued")


class ResponsesApi:
    """What an exchange must know about the endpoint."""

    def tools(self, request: JsonMapping) -> object:
        """Return the functions among the tools of a request."""
        return functions_in(request.get("tools"))

    def messages(self, request: JsonMapping) -> list[Data]:
        """Return the calls of the input, in the form of chat completions; their ids are in use."""
        calls = [one for one in _items(request) if one.get("type") == "function_call"]
        return [{"tool_calls": [{"id": one.get("call_id")} for one in calls]}] if calls else []

    def repair(self, reply: Data, checker: CallChecker) -> tuple[Data, Report, Data]:
        """Repair the items of a response."""
        if not isinstance(reply.get("output"), list) or reply.get("error"):
            return reply, Report(), {}
        given = reply["output"]
        made, report = repair_output(given, finish_reason(reply), checker)
        repaired = {**reply, "output": made} if made != given else reply
        return repaired, report, {"output": _as_written(given, made)}

    def stream(self, checker: CallChecker, remake: Remake, plain: Plain) -> StreamReader:
        """Return a reader for streamed responses."""
        return ResponseStream(checker, remake, plain)

    def again(self, request: Data, message: Data, report: Report) -> Data:
        """Return the request with the items of the reply and, for each call, why it was not run."""
        is_kept = not is_made_up(report)
        items = list(_sent_back(entries(message.get("output")), report)) if is_kept else []
        in_text = text_answers(report)
        if in_text:
            items.append({"type": "message", "role": "user", "content": in_text})
        return {**request, "input": [*_items(request), *items]}

    def in_words(self, request: Data) -> None:
        """Return None: programs that use this endpoint need the items, so results are not turned
        into text."""


def finish_reason(response: JsonMapping) -> str | None:
    """Return the finish reason of a response, in the terms of chat completions."""
    return "length" if response.get("status") == "incomplete" else None


def repair_output(
    output: Sequence[object], finish: str | None, checker: CallChecker
) -> tuple[list[object], Report]:
    """Repair the items of a response; native calls win over calls in the text."""
    if not checker.declared:
        return list(output), Report()
    calls = [one for one in entries(list(output)) if one.get("type") == "function_call"]
    is_native = any(str(one.get("type", "")).endswith("_call") for one in entries(list(output)))
    ends = {at: _read_item(item, finish, is_native, checker) for at, item in enumerate(output)}
    texts = _joined(ends.values())
    if is_native:
        made, report = repair_native([_assembled(one) for one in calls], finish, checker)
        return list(_replaced(output, made)), with_text_calls(report, texts)
    found = Report(texts.calls, texts.refusals, texts.doubtful)
    if not texts.calls:
        return list(output), found
    items = [_with_text(item, ends[at]) for at, item in enumerate(output)]
    return [*items, *(_item(entry_of(call)) for call in texts.calls)], found


def _read_item(item: object, finish: str | None, native: bool, checker: CallChecker) -> TextEnd:
    return read_text(_text_in(item), finish, native, checker)


def _joined(ends: Any) -> TextEnd:
    found = joined(Report(end.calls, end.refusals, end.doubtful) for end in ends)
    return TextEnd("", found.calls, found.refusals, found.doubtful)


def _as_written(given: Sequence[object], made: Sequence[object]) -> Sequence[object]:
    """Return what is sent back: native calls as they were read, else what the model wrote."""
    is_native = any(one.get("type") == "function_call" for one in entries(list(given)))
    return made if is_native else given


def _text_in(item: Any) -> str:
    """Return the text of a message that is one piece of text; empty for anything else."""
    content = item.get("content") if isinstance(item, Mapping) else None
    parts = [one for one in entries(content) if one.get("type") == "output_text"]
    if not isinstance(item, Mapping) or item.get("type") != "message" or len(parts) != 1:
        return ""
    return text_of(parts[0].get("text"))


def _with_text(item: Any, end: TextEnd) -> object:
    """Return the item with the text that is left without the calls."""
    if not end.calls:
        return item
    parts = [
        {**one, "text": end.rest} if one.get("type") == "output_text" else one
        for one in entries(item.get("content"))
    ]
    return {**item, "content": parts}


def _replaced(output: Sequence[object], made: Sequence[Data]) -> Iterator[object]:
    """Return the items with the repaired calls in the places of those that the server sent."""
    waiting = list(made)
    for item in output:
        if not isinstance(item, Mapping) or item.get("type") != "function_call":
            yield item
        elif waiting:
            entry = waiting.pop(0)
            own = {**item, "call_id": entry["id"], **entry["function"]}
            yield own if own != item else item
    yield from map(_item, waiting)


def _item(entry: JsonMapping) -> Data:
    id = entry["id"]
    own = {"type": "function_call", "id": f"fc_{id}", "call_id": id, "status": "completed"}
    return {**own, **entry["function"]}


def _assembled(item: JsonMapping) -> Assembled:
    arguments = arguments_of(item.get("arguments"))
    return Assembled(id_of(item.get("call_id")), text_of(item.get("name")), arguments)


def _items(request: JsonMapping) -> list[Data]:
    """Return the input of a request as a list of items."""
    given = request.get("input")
    if isinstance(given, str):
        return [{"role": "user", "content": given}]
    return list(entries(given)) if isinstance(given, list | tuple) else []


def _sent_back(items: Any, report: Report) -> Iterator[Data]:
    for item in items:
        if item.get("type") != "function_call":
            yield item
            continue
        id = id_of(item.get("call_id"))
        refusal = report.refusal(id)
        own = {} if refusal is None else sent_function(refusal)
        yield {**item, **own}
        answer = answer_to(id, report)
        yield {"type": "function_call_output", "call_id": id, "output": answer}


class ResponseStream:
    """Repairs streamed responses. `feed` each event, then `close`."""

    def __init__(self, checker: CallChecker, remake: Remake, plain: Plain) -> None:
        self._remake = remake
        self._plain = plain
        self._delivered: list[Data] = []
        """The items of earlier responses of which something was passed on."""
        self._usages: list[object] = []
        self._number = 0
        self._begin(checker)

    def _begin(self, checker: CallChecker) -> None:
        self._checker = checker
        self._texts: dict[int, TextCalls] = {}
        self._shown: dict[int, str] = {}
        """What of the text of an item was passed on, by the index of the item."""
        self._open: dict[int, Data] = {}
        self._done: dict[int, Data] = {}
        """The items that were passed on whole."""
        self._items: dict[int, Data] = {}
        self._held: list[object] = []
        self._held_size = 0
        self._is_holding = False
        self._end: object = None
        self._last: object = None
        self._message: Data = {}
        self.report = Report()

    @property
    def is_finished(self) -> bool:
        """True if the server has sent the whole response."""
        return self._end is not None

    def message(self) -> Data:
        """Return the response as the server sent it."""
        return self._message

    def feed(self, event: object) -> Sequence[object]:
        """Take in one event; return what can be passed on now."""
        data = self._plain(event)
        self._last = event
        kind = data.get("type")
        if kind in _ENDS:
            self._end = event
            return ()
        if self._usages:
            if kind in _BEGINS:
                return ()
            event = self._continued(event, data)
            data = self._plain(event)
        self._note(kind, data)
        if self._is_holding:
            return self._hold(event, data)
        if kind == "response.output_text.delta":
            return self._text(event, data)
        if self._begins_a_call(kind, data) or self._ends_held_text(kind, data):
            self._is_holding = True
            return self._hold(event, data)
        return self._pass(event, data)

    def _note(self, kind: object, data: Data) -> None:
        index, item = self._index(data), data.get("item")
        if kind == "response.output_item.done" and isinstance(item, dict):
            self._items[index] = item

    def _index(self, data: Data) -> int:
        index = data.get("output_index")
        return index if isinstance(index, int) else 0

    def _hold(self, event: object, data: Data) -> Sequence[object]:
        self._held_size += 64 + len(text_of(data.get("delta")))
        if self._held_size <= MAX_HELD:
            self._held.append(event)
        return ()

    def _pass(self, event: object, data: Data) -> Sequence[object]:
        item, kind = data.get("item"), data.get("type")
        if isinstance(item, dict) and kind == "response.output_item.added":
            self._open[self._index(data)] = item
        elif isinstance(item, dict) and kind == "response.output_item.done":
            self._done[self._index(data)] = item
        number = data.get("sequence_number")
        self._number = number if isinstance(number, int) else self._number
        return (event,)

    def _text(self, event: object, data: Data) -> Sequence[object]:
        """Pass on what of a piece of text cannot be a call."""
        index, piece = self._index(data), text_of(data.get("delta"))
        text = self._texts.setdefault(index, TextCalls(self._checker))
        shown = text.feed(piece)
        self._shown[index] = self._shown.get(index, "") + shown
        if shown == piece:
            return self._pass(event, data)
        return self._pass(self._remake(event, {**data, "delta": shown}), data) if shown else ()

    def _begins_a_call(self, kind: object, data: Data) -> bool:
        item = data.get("item")
        return (
            kind == "response.output_item.added"
            and isinstance(item, dict)
            and item.get("type") == "function_call"
        )

    def _ends_held_text(self, kind: object, data: Data) -> bool:
        """True if a text ends of which something is still held back."""
        if kind != "response.output_text.done":
            return False
        index = self._index(data)
        text = self._texts.get(index)
        return text is not None and text.whole() != self._shown.get(index)

    def close(self, *, truncated: bool = False) -> Sequence[object]:
        """The stream has ended; return what was held back."""
        if self._end is None:
            return self._broken_off()
        data = self._plain(self._end)
        response = data.get("response")
        response = response if isinstance(response, dict) else {}
        given = response.get("output") or [self._items[at] for at in sorted(self._items)]
        made, self.report = repair_output(given, finish_reason(response), self._checker)
        self._message = {"output": _as_written(given, made)}
        if self._held_size > MAX_HELD:
            self._held, given = [], []
        whole = {**response, "output": [*self._delivered, *made]}
        if isinstance(response.get("usage"), Mapping):
            whole["usage"] = added(response["usage"], *self._usages)
        if made == given and not self._usages:
            return [*self._held_text(), *self._held, self._end]
        events = list(self._made_events(made))
        return [*events, self._event({**data, "response": whole})]

    def _held_text(self) -> Iterator[object]:
        """Return the text that was held back, as one more piece of each text."""
        for index, text in self._texts.items():
            rest = text.whole()[len(self._shown.get(index, "")) :]
            if rest:
                yield self._delta(index, rest)

    def _delta(self, index: int, text: str, item_id: object = None) -> object:
        item = self._open.get(index, {})
        own = {"item_id": item_id or item.get("id", ""), "output_index": index, "content_index": 0}
        return self._event({"type": "response.output_text.delta", **own, "delta": text})

    def _made_events(self, made: Sequence[object]) -> Iterator[object]:
        """Return the events of the items that were not passed on yet."""
        base = len(self._delivered)
        for at, item in enumerate(made, base):
            if at in self._done or not isinstance(item, dict):
                continue
            where = {"output_index": at}
            if at not in self._open:
                begun = {**item, "status": "in_progress"} | _EMPTY.get(item.get("type", ""), {})
                yield self._event({"type": "response.output_item.added", **where, "item": begun})
            if item.get("type") == "function_call":
                yield from self._call_events(item, at)
            elif item.get("type") == "message":
                yield from self._text_events(item, at)
            yield self._event({"type": "response.output_item.done", **where, "item": item})

    def _call_events(self, item: Data, at: int) -> Iterator[object]:
        own = {"item_id": item.get("id", ""), "output_index": at}
        kind, text = "response.function_call_arguments", item.get("arguments", "")
        yield self._event({"type": f"{kind}.delta", **own, "delta": text})
        done = {"name": item.get("name", ""), "arguments": text}
        yield self._event({"type": f"{kind}.done", **own, **done})

    def _text_events(self, item: Data, at: int) -> Iterator[object]:
        text, shown = _text_in(item), self._shown.get(at, "")
        own = {"item_id": item.get("id", ""), "output_index": at, "content_index": 0}
        part = next(entries(item.get("content")), {"type": "output_text", "text": ""})
        if at not in self._open:
            empty = {**part, "text": ""} if "text" in part else part
            kind = "response.content_part.added"
            yield self._event({"type": kind, **own, "part": empty})
        if len(text) > len(shown):
            yield self._delta(at, text[len(shown) :], item.get("id"))
        yield self._event(
            {"type": "response.output_text.done", **own, "text": text, "logprobs": []}
        )
        yield self._event({"type": "response.content_part.done", **own, "part": part})

    def _event(self, data: Data) -> object:
        self._number += 1
        return self._remake(self._last, {**data, "sequence_number": self._number})

    def _broken_off(self) -> Sequence[object]:
        """Return what is left of a stream without an end: its text, and no call."""
        calls = [one for one in self._items.values() if one.get("type") == "function_call"]
        self.report = Report(
            refusals=tuple(
                RefusedCall(
                    id_of(one.get("call_id")), text_of(one.get("name")), "truncated",
                    BROKE_OFF.format(name=text_of(one.get("name"))), arguments_of(one.get("arguments")),
                )
                for one in calls
            )
        )  # fmt: skip
        self._message = {"output": list(self._items.values())}
        return list(self._held_text())

    def abandon(self) -> Sequence[object]:
        """The connection failed: return the text that was held back, and no call."""
        return list(self._held_text()) if self._last is not None else ()

    def restart(self, checker: CallChecker) -> Sequence[object]:
        """Another response follows: items of which something was passed on are ended first."""
        events: list[object] = []
        items = [self._done.get(at) or self._cut_short(at) for at in sorted(self._open)]
        for at in sorted(set(self._open) - set(self._done)):
            item = self._cut_short(at)
            if item.get("type") == "message":
                events += self._text_events(item, at)
            kind = "response.output_item.done"
            events.append(self._event({"type": kind, "output_index": at, "item": item}))
        self._delivered = items
        data = self._plain(self._end) if self._end is not None else {}
        response = data.get("response")
        self._usages.append(response.get("usage") if isinstance(response, Mapping) else None)
        number = self._number
        self._begin(checker)
        self._number = number
        return events

    def _cut_short(self, at: int) -> Data:
        """Return an item that was passed on in part, as far as it was passed on."""
        item, shown = self._open[at], self._shown.get(at, "")
        if item.get("type") != "message":
            return item
        part = {"type": "output_text", "text": shown, "annotations": []}
        return {**item, "status": "completed", "content": [part]}

    def _continued(self, event: object, data: Data) -> object:
        """Return an event of a later response, with the indexes and numbers that follow the first one's."""
        self._number += 1
        own: Data = {"sequence_number": self._number}
        if isinstance(data.get("output_index"), int):
            own["output_index"] = data["output_index"] + len(self._delivered)
        return self._remake(event, {**data, **own})


_EMPTY: Mapping[str, Data] = {"function_call": {"arguments": ""}, "message": {"content": []}}

RESPONSES = ResponsesApi()
