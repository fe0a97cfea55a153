"""Handlers for reasoning and channels: the parts of a reply beside its answer."""

from __future__ import annotations

import re

from zkit.extract import quoting, turn_marks
from zkit.extract.call_openers import message_call, opening
from zkit.extract.events import Kind
from zkit.extract.parsers.tag_calls import cut_header
from zkit.extract.scan import Handler, Scanner
from zkit.extract.tape import MOST_HEADER, Steps, searched
from zkit.extract.turn_marks import Region

_LINE_ENDS = r"[ \t]*+(?:\r?\n|\Z)"


def region(found: tuple[Region, ...], kind: Kind, *, begins_line: bool = False) -> Handler:
    """Return a handler for the parts of a reply between an opener and its closer, or up to its end.

    A tag counts only at the beginning of a line, since a sentence may mention it.
    """

    def read(scan: Scanner, at: int) -> Steps[int]:
        for one in found:
            head = yield from scan.tape.look(one.opener, at)
            if head is None or (begins_line and scan.before(at).rpartition("\n")[2].strip()):
                continue
            return (yield from _between(scan, at, at + head.end(), searched(one.closer), kind))
        return (yield from scan.skip(at))

    return read


def _between(scan: Scanner, at: int, begin: int, closer: re.Pattern[str], kind: Kind) -> Steps[int]:
    """Emit everything between an opener and its closer as pieces of one kind; drop the marks."""
    scan.reasoned = scan.reasoned or kind == "reasoning"
    yield from scan.piece("frame", at, begin)
    hit = yield from scan.pass_to(begin, closer, kind)
    start, end = (scan.tape.size,) * 2 if hit is None else (hit.start, hit.end)
    yield from scan.piece("frame", start, end)
    if kind == "reasoning":
        yield from scan.list_quoted(begin, start)
    return end


def orphan(scan: Scanner, at: int) -> Steps[int]:
    """Read a closer without an opener: the prompt opened the reasoning, so everything before it is reasoning.

    After an earlier block of reasoning this holds only if the closer is at an edge of its line: the
    model nested two blocks, or continued to think after closing one.
    """
    head = yield from scan.tape.look(turn_marks.ORPHANS, at)
    if head is None:
        return (yield from scan.skip(at))
    end = at + head.end()
    if scan.reasoned and (yield from scan.tape.look(r"\s*+\Z", end)) is not None:
        yield from scan.piece(
            "token", at, end
        )  # a stray closer at the end does not make the answer reasoning (Gemma 4)
        return end
    if scan.reasoned and not (yield from _at_edge(scan, at, end)):
        return (yield from scan.skip(at, head.end()))
    yield from scan.standing.all_was_reasoning(end)
    scan.reasoned = True
    scan.start_of_text(end)
    return end


def _at_edge(scan: Scanner, at: int, end: int) -> Steps[bool]:
    """True if a mark begins or ends its line; a mark that a sentence mentions does neither."""
    if not scan.before(at).rpartition("\n")[2].strip():
        return True
    return (yield from scan.tape.look(_LINE_ENDS, end)) is not None


def spoken(scan: Scanner, at: int) -> Steps[int]:
    """Read reasoning between two fixed sentences; without the second one it is text."""
    for one in turn_marks.SPOKEN_REASONING:
        head = yield from scan.tape.look(one.opener, at)
        if head is None:
            continue
        begin, closer = at + head.end(), searched(one.closer)
        if (yield from scan.tape.find(closer, begin, begin + turn_marks.LONGEST_SPOKEN)):
            return (yield from _between(scan, at, begin, closer, "reasoning"))
        return (yield from scan.skip(at, head.end()))
    return (yield from scan.skip(at))


def channel(scan: Scanner, at: int) -> Steps[int]:
    """Read a message whose header names its recipient or channel (corpus/extract/harmony)."""
    head = yield from scan.tape.look(turn_marks.CHANNEL, at)
    if head is None:
        addressed = "to=" in scan.tape.slice(at, at + MOST_HEADER)
        cut = cut_header(scan.task, turn_marks.CHANNEL, "harmony", at) if addressed else None
        return (yield from scan.skip(at) if cut is None else scan.offer(cut, at))
    begin, to = at + head.end(), head["to"] or ""
    if head["role"] not in (None, "assistant"):
        return (yield from quoting.turn(scan, at))
    if to == "self" or (not to and head["channel"] == "analysis"):
        return (yield from _between(scan, at, begin, turn_marks.CHANNEL_END, "reasoning"))
    if scan.task.tools and (head["channel"], head["kind"]) == ("final", "json"):
        yield from scan.piece("frame", at, begin)  # gpt-oss writes a call as JSON
        return begin
    if scan.task.tools and to == "tools":
        return (yield from opening(scan, at))
    if scan.task.tools and to not in ("", "user", "all"):
        done = yield from message_call(scan, to, at, begin)
        if done is not None:
            return done
    return (yield from _between(scan, at, begin, turn_marks.CHANNEL_END, "text"))
