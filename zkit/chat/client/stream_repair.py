"""Streams of a wrapped client: repaired chunk by chunk, or made of a whole completion.

Text passes as soon as it cannot be a call. The parts of calls are held until the reply ends: only
then can they be repaired, and each goes out whole, in one chunk.
"""

from __future__ import annotations

import operator
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from zkit.chat.assembler import Assembled, CallParts, call_entries
from zkit.chat.call_checker import NOTHING_DONE, CallChecker, RefusedCall, Report, joined
from zkit.chat.client.message_repair import (
    MAX_HELD,
    added,
    as_entry,
    entry_of,
    finish_for,
    is_function,
    refused_entry,
    repair_native,
    with_text_calls,
)
from zkit.chat.client.text_calls import TextCalls
from zkit.chat.wire_data import REASONING, dumps, entries, index_of, plain
from zkit.errors import MissingExtraError
from zkit.json_types import JsonMapping, JsonObject

Remake = Callable[[Any, JsonObject], object]
"""Makes a chunk of the same type as another, from data."""
Plain = Callable[[object], JsonObject]
"""Returns the data of a chunk."""
MAX_CHOICES = 128
"""As many choices as OpenAI's own server gives; others pass unchanged."""
BROKE_OFF = "The reply broke off before its end, so this call of {name} was not run. Send it again."
_TOO_LONG = f"The arguments are longer than {MAX_HELD:,} characters, so the call was not run."


@dataclass(slots=True)
class _Choice:
    """One choice while it arrives."""

    checker: CallChecker
    text: TextCalls
    parts: CallParts
    is_native: bool = False
    finish_reason: str | None = None
    held: int = 0
    written: int = 0
    reasoning: dict[str, str] = field(default_factory=dict)
    made: list[JsonObject] = field(default_factory=list)
    report: Report = field(default_factory=Report)

    def take(self, choice: JsonObject) -> JsonObject:
        """Take in one choice of a chunk; return what of it can be passed on now."""
        delta = choice.get("delta")
        if not isinstance(delta, dict):
            delta = {}
        delta = self._without_calls(delta)
        content = delta.get("content")
        if isinstance(content, str) and content:
            shown = self.read(content)
            if shown != content:
                delta = {**delta, "content": shown} if shown else _but(delta, "content")
        for name in delta.keys() & REASONING if len(delta) > 1 or not content else ():
            if isinstance(delta[name], str):
                self.reasoning[name] = self.reasoning.get(name, "") + delta[name]
        reason = choice.get("finish_reason")
        if not reason:
            return choice if delta is choice.get("delta") else {**choice, "delta": delta}
        self.finish_reason = str(reason)
        return {**choice, "delta": delta, "finish_reason": None}

    def read(self, content: str) -> str:
        """Read a piece of text; return what can be shown now."""
        self.written += len(content)
        if self.written > MAX_HELD:
            return self.text.stop() + content
        return self.text.feed(content)

    def _without_calls(self, delta: JsonObject) -> JsonObject:
        """Take in the parts of calls; return the delta without those of functions."""
        if not delta.get("tool_calls") and not delta.get("function_call"):
            return delta
        given = list(call_entries(delta))
        others = [entry for entry in given if not is_function(entry)]
        self.is_native = self.is_native or bool(given)
        for entry in given:
            if is_function(entry):
                self._add(entry)
        if len(others) == len(given):
            return delta
        left = {k: v for k, v in delta.items() if k not in ("tool_calls", "function_call")}
        return left | ({"tool_calls": others} if others else {})

    def _add(self, entry: JsonObject) -> None:
        function = next(entries(entry.get("function")), {})
        arguments = function.get("arguments")
        self.held += 64 + (len(arguments) if isinstance(arguments, str) else 0)
        if self.held <= MAX_HELD:
            self.parts.add(entry)

    def end(self, truncated: bool) -> list[JsonObject]:
        """Return the deltas that were held back; each call is one of them."""
        reason = self.finish_reason
        end = self.text.close(reason, native=self.is_native or truncated)
        found = end.report
        if self.held > MAX_HELD:
            found = replace(found, calls=(), refusals=(_too_long(self.parts), *found.refusals))
        elif self.parts:
            self.made, report = repair_native(self.parts.calls(), reason, self.checker)
            found = with_text_calls(report, end)
        elif not (self.is_native or truncated):
            self.made = [entry_of(call) for call in end.calls]
        if truncated and (self.made or found != NOTHING_DONE):
            found, reason = self._broken_off(found), "length"
        self.report = found
        self.finish_reason = finish_for(reason, bool(self.made) or self.is_native)
        text = [{"content": end.rest}] if end.rest else []
        return text + [{"tool_calls": [{"index": i, **one}]} for i, one in enumerate(self.made)]

    def _broken_off(self, found: Report) -> Report:
        """Return the report of a stream that broke off: nothing in it can be run."""
        refused = [
            RefusedCall(
                call.id if call.tier == "native" else "",
                call.name, "truncated", BROKE_OFF.format(name=call.name),
                dumps(call.arguments), call.origin,
            )
            for call in (*found.calls, *(one.call for one in found.doubtful))
        ]  # fmt: skip
        by_id = {one.id: one for one in refused if one.id}
        self.made = [
            as_entry(refused_entry(_assembled(entry), by_id[entry["id"]], self.checker.names))
            if entry["id"] in by_id
            else entry
            for entry in self.made
        ]
        return Report((), (*refused, *found.refusals))


class StreamRepair:
    """Repairs one streamed completion. `feed` each chunk, then `close`."""

    def __init__(self, checker: CallChecker, remake: Remake, plain: Plain = plain) -> None:
        self._remake = remake
        self._plain = plain
        self._head: JsonObject = {}
        """What the chunks of a later stream take over from the first one."""
        self._usages: list[object] = []
        self._begin(checker)

    def _begin(self, checker: CallChecker) -> None:
        self._checker = checker
        self._choices: dict[int, _Choice] = {}
        self._endings: list[object] = []
        """The chunks that end a choice, and what follows them."""
        self._last: object = None
        self._over = False
        self.usage: object = None

    @property
    def report(self) -> Report:
        """What was done; complete when the stream has ended."""
        return joined(choice.report for choice in self._choices.values())

    @property
    def is_finished(self) -> bool:
        """True if a choice has given the reason of its end."""
        return any(choice.finish_reason for choice in self._choices.values())

    def message(self) -> JsonObject:
        """Return what the model wrote, with its native calls as they were read; empty for several choices."""
        if len(self._choices) != 1:
            return {}
        (choice,) = self._choices.values()
        calls = choice.made if choice.is_native else []
        return {"content": choice.text.whole(), "tool_calls": calls, **choice.reasoning}

    def restart(self, checker: CallChecker) -> Sequence[object]:
        """Another stream follows: its chunks go on under the id of the first one."""
        data = {} if self._last is None else self._plain(self._last)
        self._head = {key: data[key] for key in ("id", "created") if key in data} | self._head
        self._usages.append(self.usage)
        self._begin(checker)
        return ()

    def _continued(self, chunk: object) -> object:
        """Return a chunk of a later stream, as a part of the first one."""
        data = {**self._plain(chunk), **self._head}
        if isinstance(data.get("usage"), dict):
            data["usage"] = added(data["usage"], *self._usages)
        data["choices"] = [
            {**one, "delta": _but(one["delta"], "role")}
            if isinstance(one, dict) and isinstance(one.get("delta"), dict)
            else one
            for one in data.get("choices") or ()
        ]
        return self._remake(chunk, data)

    def feed(self, chunk: object) -> Sequence[Any]:
        """Take in one chunk; return what can be passed on now."""
        if self._head:
            chunk = self._continued(chunk)
        data = self._plain(chunk)
        choices = data.get("choices")
        self.usage = data.get("usage") or self.usage
        given = choices if isinstance(choices, list) else []
        if len(given) != 1 or not isinstance(given[0], dict):
            given = [one for one in given if isinstance(one, dict)]
        if not given or self._over:
            if not self._endings:
                return (chunk,)
            self._endings.append(chunk)
            return ()
        self._last = chunk
        made = [self._take(one) for one in given]
        if all(map(operator.is_, made, given)):
            return (chunk,)
        if any(one.get("finish_reason") for one in given):
            self._endings.append(chunk)
            data = _but(data, "usage")
        if any(map(_says_something, made)) or data.get("usage"):
            return (self._remake(chunk, {**data, "choices": made}),)
        return ()

    def feed_text(self, index: int, text: str) -> str:
        """Take in the text of a chunk that holds nothing else; return what can be passed on now.

        The choice must be known from an earlier chunk, and the stream be the first one.
        """
        return self._choices[index].read(text)

    def _take(self, choice: JsonObject) -> JsonObject:
        index = index_of(choice.get("index")) or 0
        if index not in self._choices:
            if len(self._choices) >= MAX_CHOICES:
                return choice
            self._choices[index] = _Choice(
                self._checker, TextCalls(self._checker), CallParts(self._checker.names)
            )
        return self._choices[index].take(choice)

    def close(self, *, truncated: bool = False) -> list[object]:
        """The stream has ended; return what was held back.

        `truncated` says that it broke off: nothing in it can be run then.
        """
        if self._over:
            return []
        self._over = True
        held = [
            self._chunk(index, delta)
            for index, choice in sorted(self._choices.items())
            for delta in choice.end(truncated)
        ]
        ends = [self._ending(one) for one in self._endings] or self._missing_endings()
        return [*held, *ends]

    def abandon(self) -> list[object]:
        """The connection failed: return the text that was held back, and no call."""
        if self._over:
            return []
        self._over = True
        held = [(i, choice.text.abandon()) for i, choice in sorted(self._choices.items())]
        return [self._chunk(index, {"content": text}) for index, text in held if text]

    def _chunk(self, index: int, delta: JsonObject, reason: str | None = None) -> object:
        """Return a chunk like the last one, with another delta."""
        choice = {"index": index, "delta": delta, "finish_reason": reason}
        data = _but(self._plain(self._last), "usage")
        return self._remake(self._last, {**data, "choices": [choice]})

    def _ending(self, chunk: object) -> object:
        """Return a chunk that ends a choice, with the reason that agrees with what was found."""
        data = self._plain(chunk)
        given = [one for one in data.get("choices") or () if isinstance(one, dict)]
        made = [{**one, "delta": {}, "finish_reason": self._reason(one)} for one in given]
        is_same = not any(map(_says_something, given)) and all(
            old.get("finish_reason") == new["finish_reason"]
            for old, new in zip(given, made, strict=True)
        )
        return chunk if is_same else self._remake(chunk, {**data, "choices": made})

    def _reason(self, choice: JsonObject) -> object:
        known = self._choices.get(index_of(choice.get("index")) or 0)
        given = choice.get("finish_reason")
        return known.finish_reason if known is not None and given else given

    def _missing_endings(self) -> list[object]:
        """Return the endings for a server that gives no reason, though it delivered calls."""
        found = sorted(self._choices.items())
        return [self._chunk(i, {}, one.finish_reason) for i, one in found if one.finish_reason]


def _but(data: JsonObject, key: str) -> JsonObject:
    return {name: value for name, value in data.items() if name != key}


def _says_something(choice: JsonObject) -> bool:
    delta = choice.get("delta")
    return isinstance(delta, dict) and any(value not in (None, "", []) for value in delta.values())


def _too_long(parts: CallParts) -> RefusedCall:
    name = next((call.name for call in parts.calls()), "")
    return RefusedCall("", name, "truncated", _TOO_LONG, "")


def _assembled(entry: JsonMapping) -> Assembled:
    function = entry["function"]
    return Assembled(entry["id"], function["name"], function["arguments"])


def chunks_of(completion: object) -> Iterator[object]:
    """Return the chunks that a server would have sent: the message, the end, the usage."""
    data = plain(completion)
    head = {key: data.get(key) for key in ("id", "created", "model")}
    head["object"] = "chat.completion.chunk"
    choices = list(entries(data.get("choices")))
    for at, choice in enumerate(choices):
        delta = dict(next(entries(choice.get("message")), {}))
        calls = list(entries(delta.pop("tool_calls", None)))
        if calls:
            delta["tool_calls"] = [{"index": i, **one} for i, one in enumerate(calls)]
        yield _chunk(head, {"index": at, "delta": delta, "finish_reason": None})
    for at, choice in enumerate(choices):
        reason = choice.get("finish_reason")
        yield _chunk(head, {"index": at, "delta": {}, "finish_reason": reason})
    if data.get("usage"):
        yield _chunk({**head, "usage": data["usage"]})


def _chunk(head: JsonObject, *choices: JsonObject) -> object:
    try:
        from openai.types.chat import ChatCompletionChunk
    except ImportError as error:
        raise MissingExtraError("openai", "a stream from a server that has none") from error
    return ChatCompletionChunk.construct(**head, choices=list(choices))


class WholeStream:
    """A whole completion as a stream; `.zkit` is its report."""

    def __init__(self, completion: object) -> None:
        self.zkit = getattr(completion, "zkit", Report())
        self._chunks = chunks_of(completion)

    def __iter__(self) -> Iterator[object]:
        return self._chunks

    def __next__(self) -> object:
        return next(self._chunks)

    def __enter__(self) -> WholeStream:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Do nothing: the answer came whole."""


class AsyncWholeStream:
    """The same in async code."""

    def __init__(self, completion: object) -> None:
        self.zkit = getattr(completion, "zkit", Report())
        self._chunks = chunks_of(completion)

    def __aiter__(self) -> AsyncIterator[object]:
        return self

    async def __anext__(self) -> object:
        for chunk in self._chunks:
            return chunk
        raise StopAsyncIteration

    async def __aenter__(self) -> AsyncWholeStream:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Do nothing: the answer came whole."""
