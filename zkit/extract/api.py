"""`find_calls` reads a whole reply; `Extractor` reads one that arrives in chunks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Any

from zkit.calls import Call
from zkit.extract import call_openers, call_shapes, events, quoting, turn_marks
from zkit.extract.declared import Declared, declared
from zkit.extract.events import Doubtful, Event, Incomplete, Refusal, Span, Unknown
from zkit.extract.formats.table import wanted_formats
from zkit.extract.parsers.arguments import Task
from zkit.extract.scan import Handler, Scanner
from zkit.extract.standing import Outcome
from zkit.extract.tape import WAIT, T, Tape
from zkit.required import require_text

# The handler of each kind of hook.
HANDLERS: dict[str, Handler] = {
    "start": call_openers.opening, "functools": call_openers.opening, "tag": call_openers.tool_tag,
    "functions": call_shapes.headed("functions_colon"), "fence": call_openers.fenced,
    "first": call_shapes.first_name, "json": call_shapes.bracket, "name": call_shapes.named,
    "label": call_shapes.labelled, "functionary": call_shapes.recipient, "stripped": call_shapes.headed("harmony"),
    "marked": quoting.delimited(turn_marks.MARKED_REASONING, "reasoning"), "orphan": quoting.orphan,
    "think": quoting.delimited(turn_marks.TAGGED_REASONING, "reasoning", begins_line=True),
    "answer": quoting.delimited(turn_marks.ANSWERS, "text"),
    "spoken": quoting.spoken, "channel": quoting.channel,
    "result": quoting.result, "turn": quoting.turn, "speaker": quoting.speaker, "stop": quoting.token,
    "quote": quoting.block_quote, "row": quoting.row, "quoting": quoting.quoting,
    "comment": quoting.comment, "tick": quoting.tick,
}  # fmt: skip
# How deep quotations are searched for calls: a block quote may hold a fence.
DEEPEST_QUOTE = 2
IN_REASONING = (
    "{name} was called inside the reasoning, where nothing is run. "
    "To call it, write the call again after the end of the reasoning."
)


@dataclass(frozen=True, slots=True)
class Extraction:
    """Everything that was found in a reply.

    `calls` are ready to be decoded. `doubtful` calls are followed by more text, or a sentence only
    mentions them; each has a reason and a message for the model. `refused` are call-shaped and stay
    in the text: the model can fix those with a message, and those with the reason `quoted` are only
    shown. `content` is the text without the `spans`. `ended_at` is where a leaked turn or a
    made-up tool result begins, if there is one; nothing after it counts.
    """

    calls: tuple[Call, ...] = ()
    doubtful: tuple[Doubtful, ...] = ()
    refused: tuple[Refusal, ...] = ()
    unknown: tuple[Unknown, ...] = ()
    incomplete: tuple[Incomplete, ...] = ()
    content: str = ""
    reasoning: str = ""
    spans: tuple[Span, ...] = ()
    ended_at: int | None = None


class Extractor:
    """Finds calls in a reply that arrives in chunks; the chunk boundaries do not change the result."""

    def __init__(self, tools: Any, *, formats: Iterable[str] | None = None) -> None:
        self._wanted = wanted_formats(formats)
        self._declared = declared(tools)
        self._tape = Tape()
        task = Task(self._tape, self._declared)
        self._scan = Scanner(task, self._wanted, HANDLERS, self._shown_in)
        self._standing = self._scan.standing
        self._steps = self._scan.run()
        self._depth = 0

    def feed(self, chunk: str) -> list[Event]:
        """Take the next chunk; return the events that no later chunk can change."""
        scan = self._scan
        if scan.idle and chunk and isinstance(chunk, str) and scan.is_plain(chunk):
            return [scan.pass_over(chunk)]
        if self._tape.final:
            raise ValueError("the reply was closed; use a new Extractor for the next one")
        require_text("chunk", chunk)
        self._tape.add(chunk)
        return self._advance()

    def close(self, finish_reason: str | None = None, *, last: str = "") -> list[Event]:
        """End the reply with the server's finish reason; return the events that were held back.

        `last` is the last chunk, or the whole reply if it was not streamed.
        """
        self._tape.add(last)
        self._tape.final = True
        self._tape.finish_reason = finish_reason
        return [*self._advance(), *self._only_reasoned(), *self._unread()]

    def _advance(self) -> list[Event]:
        return list(takewhile(lambda step: step is not WAIT, self._steps))

    def _shown_in(self, text: str) -> Iterator[Outcome]:
        """Yield the well-formed calls of declared tools in a quoted text."""
        if self._depth >= DEEPEST_QUOTE:
            return
        inner = Extractor(self._declared, formats=self._wanted)
        inner._depth = self._depth + 1
        inner._tape.add(text)
        inner._tape.final = True
        inner._advance()
        for outcome in inner._standing.outcomes:
            named = isinstance(outcome, Refusal) and (
                outcome.message or outcome.reason in ("quoted", "positional")
            )
            if named or isinstance(outcome, Call | Doubtful):
                yield outcome

    def _only_reasoned(self) -> list[Event]:
        """Refuse, with a message, the calls in a reply that is nothing but reasoning.

        The text does not show whether the model meant them; the message asks it to send them again
        (corpus/extract/ends).
        """
        made = self._standing
        if self._depth or made.holds or not made.reasoning or made.content.strip():
            return []
        found: list[Event] = []
        for at, outcome in enumerate(made.outcomes):
            if isinstance(outcome, Refusal) and outcome.reason == "quoted":
                message = IN_REASONING.format(name=outcome.name)
                refusal = replace(outcome, reason="in_reasoning", message=message)
                made.outcomes[at] = refusal
                found.append(events.CandidateRefused(refusal))
        return found

    def _unread(self) -> list[Event]:
        """Refuse, with a message, calls in a form that no format describes (`unread`).

        Only if every format was searched for and nothing was found.
        """
        made = self._standing
        limited = self._depth or self._wanted is not wanted_formats(None)
        if limited or made.outcomes or not self._declared.named_in(made.content):
            return []
        found = list(unread_calls(made.content, self._declared, (0, self.size)))
        made.outcomes.extend(found)
        return [events.CandidateRefused(refusal) for refusal in found]

    @property
    def size(self) -> int:
        """How many characters have arrived."""
        return self._tape.size

    @property
    def spans(self) -> Sequence[Span]:
        """The parts that are not content so far; the last one may still grow."""
        return self._standing.spans

    def written(self, start: int, end: int) -> str:
        """Return the text between two positions as the model wrote it."""
        return self._tape.slice(start, end)

    @property
    def extraction(self) -> Extraction:
        """Everything that was found so far; complete after `close`."""
        made = self._standing

        def of(kind: type[T]) -> tuple[T, ...]:
            return tuple(one for one in made.outcomes if isinstance(one, kind))

        listed = (of(Call), of(Doubtful), of(Refusal), of(Unknown), of(Incomplete))
        thought = "".join(made.reasoning)
        return Extraction(*listed, made.content, thought, tuple(made.spans), made.ended_at)


def find_calls(
    text: str,
    tools: Any,
    *,
    formats: Iterable[str] | None = None,
    finish_reason: str | None = None,
) -> Extraction:
    """Find the calls that a model wrote as text, in any of the known formats.

    `tools` is anything that names tools and their schemas; without tools there are no calls.
    `formats` limits the search to formats or families by name. No text makes it raise.
    """
    if text == "":
        wanted_formats(formats)
        return Extraction()
    extractor = Extractor(tools, formats=formats)
    extractor.close(finish_reason, last=text)
    return extractor.extraction


# ── the last check of a reply without any call ───────────────────────────────

UNREAD = (
    "Your reply names {name} in a form that is not read as a call, so nothing was run. "
    "To call it, use the form that you were given for tool calls."
)
# Only the first names are checked: a document may name many tools.
MOST_NAMES = 8
# How many characters after the name an argument's key may be.
NEAR = 2_000
# The text before a name that is a value, an attribute or the name of a tag.
_BEFORE = re.compile(r"(?:[\w\"'*＂”]\s*+[:=：]\s*+[\\\"'`*＂“]*+|[<>]\s*+[\"']?+)\Z")
# The text after a name that begins a line: a bracket, maybe after an arrow, or an attribute.
_AFTER = re.compile(r"[ \t]*+(?:[-=]?>|→|:)?+\s*+[{\[(<]|[ \t]++\w++=")
_LONGEST_BEFORE = 40
_STRUCTURE = re.compile(
    r"\s*+(?:```\w*+\s*+)?+[\"']?+[\[{<｛].*[\]}>｝][\"']?+\s*+(?:```\s*+)?+", re.DOTALL
)
# A reply in which all quotes are escaped; otherwise an escaped quote is inside a string.
_ESCAPED = re.compile(r"\s*+(?:```\w*+\s*+)?+[\"']?+[\[{]\s*+\\\"")
_FENCED = re.compile(r"(```|~~~).*?(?:\1|\Z)", re.DOTALL)


def unread_calls(content: str, tools: Declared, span: tuple[int, int]) -> Iterator[Refusal]:
    """Yield a refusal for each tool that a reply seems to call.

    The tool's name must be a value, an attribute or a tag, with a key of its arguments after it. A
    reply that is nothing but an object or a tag needs no such key, unless the name is an ordinary
    word. Fences count only if there is no other text. `span` is the span of the reply.
    """
    outside = _FENCED.sub("", content)
    content = outside if any(map(str.isalnum, outside)) else content
    alone = _STRUCTURE.fullmatch(content) is not None
    seen: set[str] = set()
    names = "|".join(map(re.escape, sorted(tools.spellings, key=len, reverse=True)))
    for count, found in enumerate(
        re.finditer(rf"(?<![\w./-])(?:functions\.)?(?:{names})(?![\w-])", content)
    ):
        if count >= MOST_NAMES:
            return
        name = tools.name_of(found[0])
        if name is None or name in seen:
            continue
        before = content[max(0, found.start() - _LONGEST_BEFORE) : found.start()]
        first = not before.rpartition("\n")[2].strip() and _AFTER.match(content, found.end())
        if not first and _BEFORE.search(before) is None:
            continue
        if before.endswith('\\"') and _ESCAPED.match(content) is None:
            continue
        after = content[found.end() : found.end() + NEAR]
        if (alone and not name.isalpha()) or _has_argument(after, tools.expect(name).keys):
            seen.add(name)
            yield Refusal(name, "unread", span, UNREAD.format(name=name), "")


def _has_argument(after: str, keys: frozenset[str]) -> bool:
    """True if the text has one of the keys, in quotes, as an attribute or as a tag."""
    words = "|".join(map(re.escape, keys))
    written = rf"[\"'](?:{words})[\"']\s*+[:=,]|<(?:{words})>|(?<![\w\"'])(?:{words})\s*+[:=]\s*+\S"
    return bool(words) and re.search(written, after) is not None
