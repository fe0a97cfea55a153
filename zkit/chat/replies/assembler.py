"""Chunks of a streamed completion in, whole replies out: text, reasoning, calls, usage."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from zkit.chat.replies.call_parts import Assembled, CallParts, call_entries
from zkit.chat.replies.wire import REASONING, entries, index_of, reasoning_of, text_of


@dataclass(frozen=True, slots=True)
class Reply:
    """One choice of a completion, whole. `calls` are as the server delivered them."""

    content: str = ""
    reasoning: str = ""
    refusal: str = ""
    calls: tuple[Assembled, ...] = ()
    finish_reason: str | None = None


@dataclass(slots=True)
class _Choice:
    calls: CallParts
    names: tuple[str, ...] = REASONING
    content: list[str] = field(default_factory=list)
    reasoning: list[str] = field(default_factory=list)
    refusal: list[str] = field(default_factory=list)
    finish_reason: str | None = None

    def add(self, choice: Mapping[str, Any]) -> None:
        delta = choice.get("delta")
        delta = delta if isinstance(delta, Mapping) else {}
        self.content.append(text_of(delta.get("content")))
        self.reasoning.append(reasoning_of(delta, self.names))
        self.refusal.append(text_of(delta.get("refusal")))
        for entry in call_entries(delta):
            self.calls.add(entry)
        reason = choice.get("finish_reason")
        if isinstance(reason, str) and reason:
            self.finish_reason = reason

    def reply(self) -> Reply:
        return Reply(
            "".join(self.content),
            "".join(self.reasoning),
            "".join(self.refusal),
            tuple(self.calls.calls()),
            self.finish_reason,
        )


class Assembler:
    """Puts a streamed completion together, whatever the server's way of cutting it.

    Any chunking of the same stream gives the same reply. `names` are the tools on offer, if they
    are known: they tell two names that ran together from one. `reasoning` are the fields that
    reasoning may come in.
    """

    def __init__(self, names: Iterable[str] = (), reasoning: Iterable[str] = REASONING) -> None:
        self._names = tuple(names)
        self._reasoning = tuple(reasoning)
        self._choices: dict[int, _Choice] = {}
        self.usage: dict[str, Any] | None = None
        """What the server counted; it may come after the end, or grow with each chunk."""

    def add(self, chunk: Mapping[str, Any]) -> None:
        """Take in one chunk, as plain data."""
        usage = chunk.get("usage")
        if isinstance(usage, Mapping):
            self.usage = dict(usage)
        for choice in entries(chunk.get("choices")):
            self._choice(index_of(choice.get("index")) or 0).add(choice)

    def _choice(self, index: int) -> _Choice:
        if index not in self._choices:
            self._choices[index] = _Choice(CallParts(self._names), self._reasoning)
        return self._choices[index]

    def reply(self, index: int = 0) -> Reply:
        """One choice as it is so far."""
        choice = self._choices.get(index)
        return Reply() if choice is None else choice.reply()
