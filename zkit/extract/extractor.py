"""Chunks of a reply in, events out; and at the end everything that was found in it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from zkit.calls import Call
from zkit.extract.arriving_text import WAIT, Tape
from zkit.extract.bodies.arguments import Task
from zkit.extract.declared import Declared
from zkit.extract.events import CallRefused, Event, Incomplete, Refusal, Unknown
from zkit.extract.formats.table import wanted_formats
from zkit.extract.handlers import (
    fenced_calls,
    labelled_calls,
    marked_calls,
    quoted,
    reasoning,
    unmarked_calls,
)
from zkit.extract.pending import Settler
from zkit.extract.pieces import Span
from zkit.extract.scanner import Handler, Scanner
from zkit.required import require_text

HANDLERS: dict[str, Handler] = {
    "first": unmarked_calls.first_name,
    "start": marked_calls.opening,
    "functools": marked_calls.opening,
    "tag": marked_calls.tool_tag,
    "functions": marked_calls.functions_colon,
    "fence": fenced_calls.fenced,
    "json": unmarked_calls.bracket,
    "label": labelled_calls.labelled,
    "functionary": unmarked_calls.recipient,
    "stripped": unmarked_calls.stripped_channel,
    "marked": reasoning.marked,
    "think": reasoning.tagged,
    "orphan": reasoning.orphan,
    "spoken": reasoning.spoken,
    "answer": reasoning.answer,
    "channel": reasoning.channel,
    "result": quoted.result,
    "quote": quoted.line_of_text,
    "row": quoted.line_of_text,
    "quoting": quoted.quoting,
    "comment": quoted.comment,
    "tick": quoted.tick,
    "stop": quoted.token,
}
"""What is done at each kind of mark: the table of the scan."""
IN_REASONING = (
    "{name} was called inside the reasoning, where nothing is run. "
    "To call it, write the call again after the end of the reasoning."
)


@dataclass(frozen=True, slots=True)
class Extraction:
    """What a reply holds.

    `content` is the text without the `spans`; put back in their places, content and spans give
    the text again. `refused` are candidates that stay in the text: those with a message are calls
    that the model can mend, and one for the reason `too_much` marks where the reading was given up,
    after thousands of candidates that were none. `ended_at` is the place where the model began to write a tool's result
    itself, if it did: nothing from there on counts.
    """

    calls: tuple[Call, ...] = ()
    content: str = ""
    reasoning: str = ""
    unknown: tuple[Unknown, ...] = ()
    incomplete: tuple[Incomplete, ...] = ()
    refused: tuple[Refusal, ...] = ()
    spans: tuple[Span, ...] = ()
    ended_at: int | None = None


class Extractor:
    """Finds calls in a reply that arrives in chunks; any chunking gives the same calls and text."""

    def __init__(self, tools: Any, *, formats: Iterable[str] | None = None) -> None:
        self._tools = tools
        self._formats = None if formats is None else wanted_formats(formats)
        self._tape = Tape()
        self._settler = Settler()
        task = Task(self._tape, Declared(tools))
        self._steps = Scanner(task, wanted_formats(formats), self._settler, HANDLERS).run()

    def feed(self, chunk: str) -> list[Event]:
        """Take the next chunk; return what is sure now."""
        if self._tape.final:
            raise ValueError("the reply was closed; use a new Extractor for the next one")
        require_text("chunk", chunk)
        if not chunk:
            return []
        self._tape.add(chunk)
        return self._advance()

    def close(self, finish_reason: str | None = None, *, last: str = "") -> list[Event]:
        """The reply has ended, for the reason that the server gave; return what was held back.

        `last` is a chunk that came with the end: all of it, for a reply that was not streamed.
        """
        self._tape.add(last)
        return [*self._end(finish_reason), *self._rehearsed()]

    def _end(self, finish_reason: str | None) -> list[Event]:
        self._tape.final = True
        self._tape.finish_reason = finish_reason
        return self._advance()

    def _rehearsed(self) -> list[Event]:
        """A call inside the reasoning of a reply that holds nothing else: told, never returned.

        Whether the model meant it cannot be known from the text; asked, it can make the call.
        """
        made = self._settler
        if made.outcomes or not made.reasoning or "".join(made.content).strip():
            return []
        inner = Extractor(self._tools, formats=self._formats)
        inner._tape.add("".join(made.reasoning))
        inner._end(None)
        span = (made.spans[0].start, made.spans[-1].end)
        told = [
            Refusal(
                call.name, "in_reasoning", span, IN_REASONING.format(name=call.name), call.origin
            )
            for call in inner.extraction.calls
        ]
        made.outcomes += told
        return [CallRefused(refusal) for refusal in told]

    def _advance(self) -> list[Event]:
        events: list[Event] = []
        for step in self._steps:
            if step is WAIT:
                break
            events.append(step)
        return events

    @property
    def size(self) -> int:
        """How much text has arrived."""
        return self._tape.size

    @property
    def spans(self) -> Sequence[Span]:
        """What is no content so far; the last one may still grow."""
        return self._settler.spans

    def written(self, start: int, end: int) -> str:
        """The text between two places as the model wrote it."""
        return self._tape.slice(start, end)

    @property
    def extraction(self) -> Extraction:
        """Everything that was found so far; whole after `close`."""
        made = self._settler
        of = made.outcomes
        return Extraction(
            tuple(o for o in of if isinstance(o, Call)),
            "".join(made.content),
            "".join(made.reasoning),
            tuple(o for o in of if isinstance(o, Unknown)),
            tuple(o for o in of if isinstance(o, Incomplete)),
            tuple(o for o in of if isinstance(o, Refusal)),
            tuple(made.spans),
            made.ended_at,
        )


def find_calls(
    text: str,
    tools: Any,
    *,
    formats: Iterable[str] | None = None,
    finish_reason: str | None = None,
) -> Extraction:
    """Find the calls that a model wrote as text, in any of the known formats.

    `tools` is anything that names tools and their schemas: without tools there are no calls.
    `formats` limits the search to formats or families by name. Never raises, whatever the text.
    """
    extractor = Extractor(tools, formats=formats)
    extractor.close(finish_reason, last=text)
    return extractor.extraction
