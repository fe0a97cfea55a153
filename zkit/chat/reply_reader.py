"""Read one completion, chunk by chunk or whole: its text, its reasoning and its calls."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING

from pydantic_core import from_json

from zkit.calls import Call
from zkit.chat import loop_messages
from zkit.chat.assembler import Assembler, Reply
from zkit.chat.call_checker import RefusedCall, new_id
from zkit.chat.client.text_calls import refused_calls, unknown_as_call
from zkit.chat.loop_events import LoopEvent, ReasoningDelta, TextDelta, TextRevoked
from zkit.chat.wire_data import REASONING, entries, index_of, plain, reasoning_of, text_of
from zkit.extract import FORMATS, Extraction, Extractor, Reasoning, Text, TextWasReasoning
from zkit.extract import Event as TextEvent
from zkit.json_types import JsonMapping, JsonObject
from zkit.schema import Offer

if TYPE_CHECKING:
    import regex


@dataclass(frozen=True, slots=True)
class ModelReply:
    """The reply of a model in one turn.

    `calls` are as they were made, to be dispatched: native ones, or those in the text, doubtful and
    unknown ones among them. `refused` are calls in the text that cannot be read. `ignored` are
    calls in the text beside native ones: they stay in the text and are not run. `record_of` names the
    tool if the text is nothing but an object like a call with its result or other data. `extra` are
    fields that must go back to the server with the calls, `entry_extra` those of single calls, by id.
    """

    text: str = ""
    reasoning: str = ""
    calls: tuple[Call, ...] = ()
    refused: tuple[RefusedCall, ...] = ()
    ignored: tuple[RefusedCall, ...] = ()
    record_of: str = ""
    finish_reason: str | None = None
    declined: str = ""
    usage: JsonObject | None = None
    extra: JsonMapping = field(default_factory=dict)
    entry_extra: Mapping[str, JsonMapping] = field(default_factory=dict)


class TruncatedStreamError(ConnectionError):
    """A stream ended without a finish reason and without `[DONE]`: nothing in it counts."""


@cache
def _openers() -> regex.Pattern[str]:
    import regex

    marks = {f"(?:{one.opener})" for one in FORMATS.values() if one.opener}
    return regex.compile("|".join(sorted(marks)))


def begins_like_a_call(text: str) -> bool:
    """True if a text begins with the mark of a call, though no call could be read from it."""
    return _openers().match(text) is not None


class ReplyReader:
    """Reads one completion. Native calls win; text is looked at when there are none."""

    def __init__(
        self,
        tools: Iterable[Offer],
        taken: set[str],
        formats: tuple[str, ...] | None = None,
        reasoning: str = "",
    ) -> None:
        offers = list(tools)
        self._reasoning = (reasoning, *REASONING)
        self._assembler = Assembler((offer.name for offer in offers), reasoning=self._reasoning)
        self._extractor = Extractor(offers, formats=formats)
        self._taken = set(taken)
        self._extra: dict[str, list[str]] = {}
        self._fed = False
        self.has_shown = False
        """True if an event of the reply was already sent."""

    def feed(self, chunk: object) -> list[LoopEvent]:
        """Take in one chunk of a stream; return what can be shown."""
        data = plain(chunk)
        self._assembler.add(data)
        self._fed = self._fed or bool(data.get("choices"))
        events: list[LoopEvent] = []
        for choice in entries(data.get("choices")):
            if not index_of(choice.get("index")):
                events += self._delta(next(entries(choice.get("delta")), {}))
        self.has_shown = self.has_shown or bool(events)
        return events

    def _delta(self, delta: JsonMapping) -> list[LoopEvent]:
        thought = reasoning_of(delta, self._reasoning)
        if thought:
            name = next(name for name in self._reasoning if text_of(delta.get(name)))
            self._extra.setdefault(name, []).append(thought)
        found: list[LoopEvent] = [ReasoningDelta(thought)] if thought else []
        return found + _as_loop_events(self._extractor.feed(text_of(delta.get("content"))))

    def read(self, completion: object) -> list[LoopEvent]:
        """Take in a whole completion; it is a stream of one chunk."""
        data = plain(completion)
        choices = []
        if not data.get("choices"):
            raise ValueError("the server sent something that is not a completion")
        for choice in entries(data.get("choices")):
            message = dict(next(entries(choice.get("message")), {}))
            calls = list(entries(message.get("tool_calls")))
            message["tool_calls"] = [{"index": at, **one} for at, one in enumerate(calls)]
            choices.append({**choice, "delta": message})
        return self.feed({**data, "choices": choices})

    def close(
        self, most_tokens: int | None = None, *, is_whole: bool = True
    ) -> tuple[list[LoopEvent], ModelReply]:
        """End the completion and return the reply.

        `is_whole` is false for a stream without an end mark.

        Raises `TruncatedStreamError` if it has no finish reason either.
        """
        if not self._fed:
            raise ValueError("the server sent an empty stream")
        reply = self._assembler.reply()
        usage = self._assembler.usage
        if reply.finish_reason is None and not is_whole:
            raise TruncatedStreamError("the stream ended before the reply was complete")
        finish = _finish(reply.finish_reason, usage, most_tokens)
        events = _as_loop_events(self._extractor.close(finish))
        made = self._made(reply, self._extractor.extraction)
        return events, replace(made, finish_reason=finish, usage=usage)

    def _made(self, reply: Reply, found: Extraction) -> ModelReply:
        calls = [Call(one.name, one.arguments, one.id) for one in reply.calls]
        refused = refused_calls(found, reply.content)
        doubtful = [one.call for one in found.doubtful]
        read = [*found.calls, *doubtful, *map(unknown_as_call, found.unknown)]
        ignored: tuple[RefusedCall, ...] = ()
        if calls:
            text = self._with_calls()
            ignored = tuple(_ignored(one) for one in read if not _is_among(one, calls))
            refused = ()
        else:
            held = [reply.content[slice(*(call.span or (0, 0)))] for call in doubtful]
            text = _without(_cut_out(found.content, held), refused)
            calls = sorted(read, key=lambda call: call.span or (0, 0))
        reasoning = "\n\n".join(part for part in (reply.reasoning, found.reasoning) if part)
        own = tuple(self._with_own_id(call) for call in calls)
        extra = {name: "".join(parts) for name, parts in self._extra.items()}
        entry_extra = {
            call.id: one.extra for call, one in zip(own, reply.calls, strict=False) if one.extra
        }
        return ModelReply(
            text.strip(), reasoning, own, refused, ignored, _record_of(found),
            declined=reply.refusal, extra=extra, entry_extra=entry_extra,
        )  # fmt: skip

    def _with_calls(self) -> str:
        """Return the text as it was written, calls included, without reasoning and leaked tokens."""
        extractor, start, kept = self._extractor, 0, []
        for span in extractor.spans:
            if span.kind != "call":
                kept.append(extractor.written(start, span.start))
                start = span.end
        return "".join([*kept, extractor.written(start, extractor.size)])

    def _with_own_id(self, call: Call) -> Call:
        id = call.id
        while not id or id in self._taken or (call.span and id.startswith("call_")):
            id = new_id()
        self._taken.add(id)
        return replace(call, id=id)


def _is_among(call: Call, calls: Iterable[Call]) -> bool:
    """True if a call in the text repeats one that the server delivered, as LFM2's do."""
    return any(
        one.name == call.name and _value(one.arguments) == _value(call.arguments) for one in calls
    )


def _value(arguments: object) -> object:
    try:
        return from_json(arguments) if isinstance(arguments, str) else arguments
    except ValueError:
        return arguments


def _ignored(call: Call) -> RefusedCall:
    message = loop_messages.beside_native(call.name)
    return RefusedCall("", call.name, "ignored", message, str(call.arguments), call.origin)


def _record_of(found: Extraction) -> str:
    """Return the tool of a reply that is only an object like a call, but not a call; empty for
    others.

    Qwen2.5-Coder-1.5B answers with its call and a key `result` beside the arguments.
    """
    records = [one for one in found.refused if one.reason in ("result", "other_object")]
    if not records or found.calls or found.doubtful:
        return ""
    size = sum(end - start for start, end in {one.span for one in records})
    is_all = size >= len(found.content.strip().strip("`").removeprefix("json").strip())
    return records[0].name if is_all else ""


def _cut_out(text: str, parts: Iterable[str]) -> str:
    """Return the text without some parts, and without fences that hold nothing else."""
    for part in filter(None, parts):
        before, _, after = text.partition(part)
        opening = before.rstrip().rpartition("\n")[2].strip()
        closing = after.lstrip().partition("\n")[0].strip()
        if closing in ("```", "~~~") and opening.startswith(closing):
            before = before.rstrip()[: -len(opening)]
            after = after.lstrip()[len(closing) :]
        text = before + after
    return text


def _without(text: str, refused: Iterable[RefusedCall]) -> str:
    """Return the text without calls that cannot be read, and the marks that close them."""
    import regex

    for one in refused:
        before, found, after = text.partition(one.text)
        closing = FORMATS[one.origin].closer if one.origin else ""
        closer = regex.match(rf"\s*+(?:{closing})", after)
        if found:
            text = before + (after[closer.end() :] if closer else after)
    return text


def _as_loop_events(events: list[TextEvent]) -> list[LoopEvent]:
    found: list[LoopEvent] = []
    for event in events:
        if isinstance(event, Text):
            found.append(TextDelta(event.text))
        elif isinstance(event, Reasoning):
            found.append(ReasoningDelta(event.text))
        elif isinstance(event, TextWasReasoning):
            found.append(TextRevoked("reasoning"))
    return found


def _finish(reason: str | None, usage: JsonMapping | None, most: int | None) -> str | None:
    """Return why the reply ended; a server may call a reply complete that reached the token limit.

    (https://github.com/vllm-project/vllm/issues/58228)
    """
    written = (usage or {}).get("completion_tokens")
    if most is not None and isinstance(written, int) and written >= most:
        return "length"
    return reason
