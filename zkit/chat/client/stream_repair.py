"""Chunks of a streamed completion in, chunks with sound calls out; what is fine passes as it is.

Text passes as soon as it cannot be a call. The parts of calls are held until the reply ends: only
then can they be repaired, and each goes out whole, in one chunk.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from zkit.chat.assembler import CallParts, call_entries
from zkit.chat.call_checker import CallChecker, Report, joined
from zkit.chat.client.message_repair import entry_of, finish_for, is_function, repair_native
from zkit.chat.client.text_calls import TextCalls
from zkit.chat.wire_data import entries, index_of, plain

Remake = Callable[[Any, dict[str, Any]], Any]
"""Makes a chunk of the same type as another, from data."""


@dataclass(slots=True)
class _Choice:
    """One choice on its way."""

    text: TextCalls
    parts: CallParts
    is_native: bool = False
    finish_reason: str | None = None
    report: Report = field(default_factory=Report)

    def take(self, choice: dict[str, Any]) -> dict[str, Any]:
        """Take in one choice of a chunk; return what of it can go on now."""
        delta = dict(next(entries(choice.get("delta")), {}))
        self._take_calls(delta)
        content = delta.get("content")
        if isinstance(content, str) and content:
            shown = self.text.feed(content)
            delta = {**delta, "content": shown} if shown else _but(delta, "content")
        reason = choice.get("finish_reason")
        if not reason:
            return {**choice, "delta": delta}
        self.finish_reason = str(reason)
        return {**choice, "delta": delta, "finish_reason": None}

    def _take_calls(self, delta: dict[str, Any]) -> None:
        given = list(call_entries(delta))
        others = [entry for entry in given if not is_function(entry)]
        self.is_native = self.is_native or bool(given)
        for entry in given:
            if is_function(entry):
                self.parts.add(entry)
        if len(others) < len(given):
            delta.pop("tool_calls", None)
            delta.pop("function_call", None)
            delta |= {"tool_calls": others} if others else {}

    def end(self, checker: CallChecker) -> Iterator[dict[str, Any]]:
        """The deltas that were held back until the end."""
        end = self.text.close(self.finish_reason, native=self.is_native)
        if self.parts:
            made, self.report = repair_native(self.parts.calls(), self.finish_reason, checker)
        else:
            made, self.report = [entry_of(c) for c in end.calls], Report(end.calls, end.refusals)
        if end.rest:
            yield {"content": end.rest}
        for index, entry in enumerate(made):
            yield {"tool_calls": [{"index": index, **entry}]}
        self.finish_reason = finish_for(self.finish_reason, bool(made) or self.is_native)


class StreamRepair:
    """Mends one streamed completion. `feed` each chunk, then `close`."""

    def __init__(self, checker: CallChecker, remake: Remake) -> None:
        self._checker = checker
        self._remake = remake
        self._choices: dict[int, _Choice] = {}
        self._endings: list[Any] = []
        self._last: Any = None
        self._over = False

    @property
    def report(self) -> Report:
        """What was done; complete when the stream has ended."""
        return joined(choice.report for choice in self._choices.values())

    def feed(self, chunk: Any) -> Iterator[Any]:
        """Take in one chunk; give out what is sure now."""
        data = plain(chunk)
        choices = list(entries(data.get("choices")))
        if not choices and self._endings:
            yield from self.close()
        if not choices or self._over:
            yield chunk
            return
        self._last = chunk
        made = [self._choice(one).take(one) for one in choices]
        ends = any(one.get("finish_reason") for one in choices)
        if ends:
            self._endings.append(chunk)
            data = _but(data, "usage")
        if made == choices:
            yield chunk
        elif any(_says_something(one) for one in made) or data.get("usage"):
            yield self._remake(chunk, {**data, "choices": made})

    def _choice(self, choice: dict[str, Any]) -> _Choice:
        index = index_of(choice.get("index")) or 0
        if index not in self._choices:
            self._choices[index] = _Choice(TextCalls(self._checker), CallParts(self._checker.names))
        return self._choices[index]

    def close(self) -> Iterator[Any]:
        """The stream has ended; give out what was held back."""
        if self._over:
            return
        self._over = True
        for index, choice in sorted(self._choices.items()):
            for delta in choice.end(self._checker):
                yield self._chunk(index, delta)
        for chunk in self._endings:
            yield self._ending(chunk)
        if not self._endings:
            yield from self._unsaid_endings()

    def abandon(self) -> Iterator[Any]:
        """The stream broke: the text that was held back, and no call."""
        if not self._over:
            self._over = True
            for index, choice in sorted(self._choices.items()):
                held = choice.text.abandon()
                if held:
                    yield self._chunk(index, {"content": held})

    def _chunk(self, index: int, delta: dict[str, Any], reason: str | None = None) -> Any:
        """A chunk like the last one, with another delta."""
        choice = {"index": index, "delta": delta, "finish_reason": reason}
        return self._remake(self._last, {**_but(plain(self._last), "usage"), "choices": [choice]})

    def _ending(self, chunk: Any) -> Any:
        """A chunk that ends a choice, with the reason that goes with what was found."""
        data = plain(chunk)
        given = list(entries(data.get("choices")))
        made = [
            {**one, "delta": {}, "finish_reason": self._choice(one).finish_reason}
            if one.get("finish_reason")
            else {**one, "delta": {}}
            for one in given
        ]
        if [_but(one, "delta") for one in made] == [_but(one, "delta") for one in given]:
            said_nothing = not any(_says_something(one) for one in given)
            made = given if said_nothing else made
        return chunk if made == given else self._remake(chunk, {**data, "choices": made})

    def _unsaid_endings(self) -> Iterator[Any]:
        """A server that never says why it stops, and yet delivered calls."""
        for index, choice in sorted(self._choices.items()):
            if choice.finish_reason:
                yield self._chunk(index, {}, choice.finish_reason)


def _but(data: dict[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in data.items() if name != key}


def _says_something(choice: dict[str, Any]) -> bool:
    delta = choice.get("delta")
    return isinstance(delta, dict) and any(value not in (None, "", []) for value in delta.values())
