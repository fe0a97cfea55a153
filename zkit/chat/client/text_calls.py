"""Read the calls in the text of a reply, and pass on the text around them while it arrives.

Text goes out as soon as it cannot be a call. From the first call on it waits for the end of the
reply: the server may still deliver calls of its own, and then the text stays as it is. What is no
call (reasoning among it) stays in the text where the server put it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from zkit.calls import Call
from zkit.chat.call_checker import NOTHING_DONE, CallChecker, RefusedCall, Report
from zkit.chat.loop_messages import NO_RESULT
from zkit.extract import (
    FORMATS,
    CallDoubtful,
    Doubtful,
    Event,
    Extraction,
    Extractor,
    Incomplete,
    Refusal,
    Span,
    Text,
    TextWasReasoning,
    Unknown,
)
from zkit.extract.turn_marks import RESULTS

if TYPE_CHECKING:
    import regex

_OPENING = ("call", "ended")
_LOOSE = ("frame", "token")
_REASONS = {
    "cut": "truncated",
    "arguments": "invalid_arguments",
    "ambiguous": "ambiguous",
    "unannounced": "ambiguous",
}
_LONGEST_OPENER = 256
"""Characters after which it is clear whether a text begins with the mark of a result, blanks included."""
MADE_UP = "made_up_result"
"""The code of a reply that is a made-up tool result: no tool ran, so it is not an answer."""


@cache
def _result_openers() -> regex.Pattern[str]:
    import regex

    return regex.compile(RESULTS)


def begins_like_a_result(text: str) -> bool:
    """True if a text begins with the mark of a tool's result: the model made the result up.

    Qwen2.5-Coder-1.5B writes one file of two, and then the result of the second write itself.
    """
    if text[:1].isalnum():  # no mark begins with a letter, and nearly every answer does
        return False
    return _result_openers().match(text) is not None


class TextEnd(NamedTuple):
    """The end of a text: what is left to show, the calls in it, and those that must not run."""

    rest: str
    calls: tuple[Call, ...] = ()
    refusals: tuple[RefusedCall, ...] = ()
    doubtful: tuple[Doubtful, ...] = ()

    @property
    def report(self) -> Report:
        """What was found, as a report."""
        if not (self.calls or self.refusals or self.doubtful):
            return NOTHING_DONE
        return Report(self.calls, self.refusals, self.doubtful)


class _Places:
    """An extractor, with the places of its events: how far the reply is settled, and its text."""

    def __init__(self, checker: CallChecker) -> None:
        self._extractor = Extractor(checker.declared, formats=checker.rules.formats)
        self._shown = self._marked = self._known = self._reached = 0
        self.doubtful_texts: list[str] = []
        """The text of each doubtful call, with its envelope."""

    @property
    def settled(self) -> int:
        """The position up to which the text is settled."""
        return self._shown + self._marked

    @property
    def size(self) -> int:
        """How much text there is."""
        return self._extractor.size

    @property
    def extraction(self) -> Extraction:
        """Everything that was found."""
        return self._extractor.extraction

    def written(self, start: int, end: int) -> str:
        """Return the text between two places as the model wrote it."""
        return self._extractor.written(start, end)

    def feed(self, text: str) -> tuple[list[Event], list[Span]]:
        """Take in text; return the events, and the spans that are not text."""
        return self._placed(self._extractor.feed(text))

    def close(self, finish_reason: str | None, last: str) -> tuple[list[Event], list[Span]]:
        """The text has ended, with a last piece."""
        return self._placed(self._extractor.close(finish_reason, last=last))

    def _placed(self, events: list[Event]) -> tuple[list[Event], list[Span]]:
        """Return the events with the spans that are new, or the part by which the last one has grown."""
        spans = self._extractor.spans
        is_known = len(spans) == self._known and (not spans or spans[-1].end == self._reached)
        if is_known and len(events) == 1 and type(events[0]) is Text:
            self._shown += len(events[0].text)
            return events, []
        is_doubtful = False
        for event in events:
            if isinstance(event, Text):
                self._shown += len(event.text)
                if is_doubtful:
                    self.doubtful_texts.append(event.text)
            is_doubtful = isinstance(event, CallDoubtful)
            if is_doubtful:
                continue
            if isinstance(event, TextWasReasoning):
                self._shown = self._marked = self._known = self._reached = 0
        new = list(spans[self._known :])
        last = spans[self._known - 1] if self._known else None
        if last is not None and last.end > self._reached:
            new.insert(0, Span(last.kind, self._reached, last.end))
        self._known = len(spans)
        self._reached = spans[-1].end if spans else 0
        self._marked += sum(span.end - span.start for span in new)
        return events, new


class TextCalls:
    """Follows the text of one reply."""

    def __init__(self, checker: CallChecker) -> None:
        self._checker = checker
        reads = checker.reads_text and bool(checker.declared)
        self._extractor = _Places(checker) if reads else None
        self._out = 0
        """The text before this place is shown."""
        self._seen = 0
        """The text before this place was looked at."""
        self._hold: int | None = None
        self._last: Span | None = None
        self._is_result: bool | None = None
        """Whether the text begins with the mark of a result; None while that is open."""

    def feed(self, text: str) -> str:
        """Take in text; return what can be shown now."""
        extractor = self._extractor
        if extractor is None or not text:
            return text
        start = self._out
        events, spans = extractor.feed(text)
        size = extractor.size
        if self._is_result is None:
            self._look_for_result(extractor)
        is_shown = not spans and extractor.settled == size and self._hold is None
        if (
            is_shown
            and not self._is_result
            and start == self._seen == size - len(text)
            and not text.isspace()
        ):
            self._out = self._seen = size  # as most chunks: text, and nothing before it waits
            return text
        self._follow(extractor, events, spans)
        return extractor.written(start, self._out)

    def _follow(self, extractor: _Places, events: list[Event], spans: list[Span]) -> None:
        """Move the place up to which text is shown.

        Blanks, leaked tokens and the marks around calls wait for what follows them: before text
        they are text, before a call they belong to it.
        """
        if any(isinstance(event, TextWasReasoning) for event in events):
            self._hold = None
        loose = []
        for span in spans:
            if span.kind in _OPENING and self._hold is None:
                self._hold = span.start
            elif _is_loose(span, self._last):
                loose.append(span)
            self._last = span
        until = extractor.settled if self._hold is None else self._hold
        if self._is_result is not False:
            until = 0
        for start, end in _between(self._seen, until, loose):
            if extractor.written(start, end).strip():
                self._out = end
        self._seen = max(self._seen, until)

    def close(self, finish_reason: str | None, *, native: bool, last: str = "") -> TextEnd:
        """The text has ended; with calls of the server's own there is nothing to look for.

        `last` is a piece of text that came with the end: all of it, for a reply that was not
        streamed.
        """
        extractor = self._extractor
        if extractor is None:
            return TextEnd(last)
        start = self._out
        events, spans = extractor.close(finish_reason, last)
        found = self._judged(extractor, extractor.written(start, extractor.size), native)
        calls = found.calls
        if native or not calls:
            return found
        self._is_result = False
        self._follow(extractor, events, spans)
        spans = [*extractor.extraction.spans, *self._doubtful_spans(extractor)]
        taken = list(_taken(sorted(spans, key=lambda span: span.start), calls))
        rest = [extractor.written(a, b) for a, b in _between(self._out, extractor.size, taken)]
        calls_only = [span for span in taken if span.kind == "call"]
        before = [extractor.written(a, b) for a, b in _between(start, self._out, calls_only)]
        shown = "".join([*before, *rest])
        return found._replace(rest=shown if self._out or shown.strip() else "")

    def _look_for_result(self, extractor: _Places) -> None:
        """Check whether the text begins with the mark of a result, which is held back."""
        begun = extractor.written(0, extractor.size).lstrip()
        found = _result_openers().match(begun, partial=True)
        if found is None or extractor.size > _LONGEST_OPENER:
            self._is_result = False
        elif not found.partial:
            self._is_result = True

    def _doubtful_spans(self, extractor: _Places) -> Iterator[Span]:
        """Return the spans of the doubtful calls, with their envelopes: a call that may run is
        taken out of the text."""
        whole = extractor.written(0, extractor.size)
        for one in extractor.extraction.doubtful:
            start, end = one.span
            for text in extractor.doubtful_texts:
                at = whole.find(text, max(0, end - len(text)), start + len(text))
                if 0 <= at <= start:
                    yield Span("call", at, at + len(text))
                    break
            else:
                yield Span("call", start, end)

    def abandon(self) -> str:
        """Return what was held back, as it was written, after the stream broke."""
        extractor = self._extractor
        return "" if extractor is None else extractor.written(self._out, extractor.size)

    def stop(self) -> str:
        """Read no more; return what was held back, as it was written."""
        rest = self.abandon()
        self._extractor = None
        return rest

    def whole(self) -> str:
        """Return all text that was taken in."""
        return "" if self._extractor is None else self._extractor.written(0, self._extractor.size)

    def _judged(self, extractor: _Places, rest: str, native: bool) -> TextEnd:
        """Return the calls that can run, those that must not, and those that may not be meant.

        `rest` is the text that is left if no call is taken out of it.
        """
        found = extractor.extraction
        if not (
            found.calls or found.doubtful or found.refused or found.unknown or found.incomplete
        ):
            text = found.content.lstrip()
            if native or not begins_like_a_result(text):
                return TextEnd(rest)
            return TextEnd(rest, refusals=(RefusedCall("", "", MADE_UP, NO_RESULT, text),))
        doubtful = [one.call for one in found.doubtful]
        read = [*found.calls, *doubtful, *map(unknown_as_call, found.unknown)]
        judged: list[Call | RefusedCall | Doubtful] = []
        for call in sorted(read, key=lambda call: call.span or (0, 0))[:MAX_CALLS]:
            start, end = call.span or (0, 0)
            judged.append(self._checker.from_text(call, extractor.written(start, end)))
        judged += refused_calls(found, extractor.written(0, extractor.size))[:MAX_CALLS]
        if len(read) > MAX_CALLS:
            judged.append(too_many_calls(len(read)))
        return TextEnd(
            rest,
            tuple(one for one in judged if isinstance(one, Call)),
            tuple(one for one in judged if isinstance(one, RefusedCall)),
            tuple(one for one in judged if isinstance(one, Doubtful)),
        )


MAX_CALLS = 128
"""Calls that are read from one reply; the rest is listed as too many. Far above what a model means to
send, far below what takes noticeable time."""


def too_many_calls(count: int) -> RefusedCall:
    """Return the calls beyond the limit, as one."""
    message = f"A reply may hold {MAX_CALLS} calls; {count - MAX_CALLS} more were not read."
    return RefusedCall("", "", "budget", message, "")


def _between(start: int, end: int, spans: Iterable[Span]) -> Iterator[tuple[int, int]]:
    """Return the stretches between two places that are left when some spans are taken out."""
    for span in spans:
        if span.end > start and span.start < end:
            yield start, max(start, span.start)
            start = span.end
    yield start, max(start, end)


def _is_loose(span: Span, before: Span | None) -> bool:
    """True if a span belongs to the call that follows it; the end of a thought does not."""
    follows = before is not None and before.kind == "reasoning" and before.end == span.start
    return span.kind in _LOOSE and not follows


def _taken(spans: Sequence[Span], calls: tuple[Call, ...]) -> Iterator[Span]:
    """Return the spans that leave the text: calls that can run, and the surrounding text."""
    for before, span, after in zip((None, *spans), spans, (*spans[1:], None), strict=False):
        if span.kind == "call":
            if any(call.span and span.start <= call.span[0] < span.end for call in calls):
                yield span
        elif span.kind == "ended" or _is_loose(span, before):
            opens = after is not None and after.kind == "reasoning" and after.start == span.end
            if not opens:
                yield span


def unknown_as_call(unknown: Unknown) -> Call:
    """Return a call of a tool that is not on offer, to be judged like any other."""
    return Call(
        unknown.name,
        unknown.arguments,
        origin=unknown.origin,
        tier=FORMATS[unknown.origin].tier,
        rank=unknown.rank,
        fixes=unknown.fixes,
        span=unknown.span,
    )


def refused_calls(found: Extraction, text: str) -> tuple[RefusedCall, ...]:
    """Return the unreadable calls in a text, with the messages for the model."""
    mistaken = [_mistaken(one, text) for one in found.refused if one.message]
    return (*map(_cut, found.incomplete), *mistaken)


def _cut(one: Incomplete) -> RefusedCall:
    name = one.name or "a tool"
    message = (
        f"The call of {name} was cut off after {len(one.text)} characters, so it was not run."
        " Send it again with less in it, or in parts."
    )
    return RefusedCall("", one.name, "truncated", message, one.text, one.origin)


def _mistaken(one: Refusal, text: str) -> RefusedCall:
    code = _REASONS.get(one.reason, "invalid_json")
    start, end = one.span
    return RefusedCall("", one.name, code, one.message, text[start:end], one.origin)
