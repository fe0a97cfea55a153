"""Decide what is only quoted or reasoning: code, quotations, logs, markup, thoughts, text after the turn.

Structure decides, so it works in every language; the only words that count are the labels and marks
that templates define (`turn_marks`).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from zkit.extract import turn_marks
from zkit.extract.events import Kind
from zkit.extract.formats.record import Format
from zkit.extract.parsers.headers import read_arguments
from zkit.extract.parsers.tag_calls import cut_header
from zkit.extract.scan_marks import ARGUMENTS_AHEAD, FORMAT_LABEL, MOST_TICKS
from zkit.extract.tape import MOST_HEADER, Steps, compiled, searched
from zkit.extract.turn_marks import Region

if TYPE_CHECKING:
    from zkit.extract.scan import Handler, Scanner

# The beginning of a line in a log, a chat export or a shell session
# (corpus/untouched/results_and_logs).
_LOG = re.compile(
    r"\s*+(?:\[?[0-9]{4}-[0-9]{2}-[0-9]{2}[T _,|]{1,3}+\[?[0-9]{1,2}:[0-9]{2}|\[?[0-9]{4}-[0-9]{2}-[0-9]{2}\]|\[?[0-9]{1,2}:[0-9]{2}(?::[0-9]{2}|\])"
    r"|\[?(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL)\b|level=|\$ [\w./]|[A-Za-z]{3} [ 0-9][0-9] [0-9]{2}:)"
)
# The beginning of a code comment or a footnote, but not of a Markdown heading.
_COMMENT = re.compile(r"\s*+(?://|#(?!#{1,5} )|--\s|/\*|\* >|;;|%|\[\^\w+\]:)")
_INDENTED = re.compile(r"(?: {4,}|\t)\s*+\Z")
# Quotation marks right before and right after a call.
_BEFORE = frozenset("\"'`“‘«„「『‹")
_AFTER = frozenset("\"'`”’»“」』›")
# The key of a JSON object: the value after it is data (corpus/untouched/json_answers).
_MEMBER = re.compile(r"[\"'”]\s*+:\s*+(?:\[\s*+)?\Z")


# The beginning of a compound statement in Python: `if dark: lights(on=True)` is code
# (corpus/untouched/calls_in_code).
_BLOCK = re.compile(r"[ \t]*+(?:if|elif|else|for|while|with|try|except|finally)\b")


# Vicuna's template puts both speakers on one line; the text after `ASSISTANT:` is another turn
# (corpus/untouched/conversations).
_INLINE_TURN = re.compile(r"\bUSER: ?\S.*\bASSISTANT:", re.DOTALL)


def quotes(before: str, record: Format) -> bool:
    """True if the text before a call shows that it is quoted, whatever follows.

    The files in corpus/untouched have the cases, by kind of text.
    """
    head, _, line = before.rpartition("\n")
    code = record.values == "python" and record.tier == "shape" and line.rstrip().endswith(":")
    if code and _BLOCK.match(line):
        return True
    if "ASSISTANT:" in before and _INLINE_TURN.search(before):
        return True
    if " | " in line or _MEMBER.search(before[-80:]):
        return True
    if "&lt;" in line or "&gt;" in line:  # a page that shows markup escapes it
        return True
    above = line if line.strip() else head.rpartition("\n")[2]
    if _LOG.match(above) or _COMMENT.match(line):
        return True
    return _INDENTED.match(line) is not None and bool(head.strip())


_ASKS = re.compile(r"[?？؟]\s*+\Z")
_LABELLED = re.compile(r"[^.!?,;:：。，！\n]++[:：][ \t]++\Z")
_FENCES = ("```", "~~~")


def only_shows(before: str, text: str, record: Format) -> bool:
    """True if the text before a call leaves open whether it is meant, even if nothing follows it.

    This holds after a question, and for calls with a marker after a label on the same line, in a
    code fence, or as a message with a header in the middle of plain text (corpus/extract/shown).
    """
    if _ASKS.search(before):
        return True
    if record.tier != "marker" or not any(map(str.isalnum, before)):
        return False
    if text.startswith(_FENCES) and not record.fenced:
        return True
    if record.framed and not text.startswith("<|start|>"):
        return True
    line = before.rpartition("\n")[2]
    return _LABELLED.match(line) is not None and compiled(FORMAT_LABEL).match(line) is None


_ELEMENT_END = re.compile(r"\s*+</(?P<tag>[A-Za-z][\w:.-]{0,63}+)\s*+>\s*+\Z")


def in_element(before: str, after: str, record: Format) -> bool:
    """True if a call is the whole content of an element, and nothing follows the element.

    Small models put tags of their own around a JSON call (corpus/extract/json_tag) and misspell the
    closing tag of a marker (corpus/extract/position).
    """
    end = _ELEMENT_END.match(after)
    if end is None or (record.tier == "marker" and record.closer):
        return end is not None
    return record.values == "json" and before.rstrip().endswith(f"<{end['tag']}>")


_SENTENCE_END = re.compile(r"[ \t]*+[)\]\"'”’»*_`]*+[.!?…。！？।؟]")


def ends_sentence(line: str, after: str) -> bool:
    """True if a call ends a sentence: text before it on its line, and a full stop after it.

    The end of a remark in parentheses counts like a full stop (corpus/extract/shown).
    """
    remark = after.lstrip().startswith(")") and line.count("(") > line.count(")")
    return (remark or _SENTENCE_END.match(after) is not None) and any(map(str.isalnum, line))


# Lines around a Markdown container or formula (corpus/extract/shown).
_CONTAINERS = (":::", "$$")


def closes_quote(before: str, after: str) -> bool:
    """True if a quotation that opens before a call closes right after it.

    See corpus/untouched/calls_quoted.
    """
    solid = after.lstrip()
    if before.strip() == after.strip() == '"':
        return False  # the reply is only the call, written as a string
    if before[-1:] in _BEFORE and after[:1] in _AFTER:
        return True
    line, last = before.rpartition("\n")[2], before.rstrip().rpartition("\n")[2]
    if solid.startswith(_CONTAINERS):
        return last.startswith(solid.split()[0])
    return solid.startswith('"') and line.count('"') % 2 == 1


def indented(before: str) -> bool:
    """True if the last line is indented like code."""
    return _INDENTED.match(before.rpartition("\n")[2]) is not None


# ── regions that quote ───────────────────────────────────────────────────────

_LINE_END = re.compile(r"(?=\n)")
_COMMENT_END = {"<!--": re.compile(r"-->"), "<![C": re.compile(r"\]\]>")}
_TAG_NAME = r"<(?P<tag>[\w:-]{1,40}+)"
_TICKS = "`++"
_QUOTED_LINE = re.compile(r"(?m)^[ \t]*+(?:>[ \t]?)++")
# The opener and the closer of each kind of tool result.
RESULT_ENDS: tuple[tuple[str, str], ...] = (
    (r"\[TOOL_RESULTS?\]", r"\[/TOOL_RESULTS?\]|\[END_TOOL_RESULTS?\]"),
    (r"<[｜|]tool(?:▁|_| )outputs(?:▁|_| )begin", r"<[｜|]tool(?:▁|_| )outputs(?:▁|_| )end[｜|]>"),
    (r"<[｜|]tool(?:▁|_| )output", r"<[｜|]tool(?:▁|_| )outputs?(?:▁|_| )end[｜|]>"),
    (r"<\|START_TOOL_RESULT", r"<\|END_TOOL_RESULT\|>"),
    (r"<\|tool_response", r"<tool_response\|>|<\|/tool_response\|>"),
    (r"<start_function_response>", r"<end_function_response>"),
    (r"✿RESULT✿:", r"(?=✿(?:RETURN|FUNCTION)✿)"),
    (r"✿RETURN✿:", r"(?=✿FUNCTION✿)"),
    (r"\[\[ ## observation", r"(?=\[\[ ## (?!observation))"),
)  # fmt: skip
# Words that a page strikes out with `<s>`, which is also a token of templates, and more text after
# them (corpus/untouched/markers_in_prose).
_STRUCK_OUT = r"(?P<words><s>[^<\n]{1,300}+</s>)\s{0,100}+[^\s<]"


def block_quote(scan: Scanner, at: int) -> Steps[int]:
    """Pass over the lines of a block quote."""
    hit = yield from scan.pass_to(at, searched(r"\n(?=[ \t]*+[^> \t])|\n\Z"))
    end = scan.tape.size if hit is None else hit.start
    yield from scan.list_quoted(at, end, _QUOTED_LINE.sub("", scan.tape.slice(at, end)))
    return end


def row(scan: Scanner, at: int) -> Steps[int]:
    """Pass over a row of a table, up to the end of its line."""
    return (yield from region(scan, at, at + 1, _LINE_END))


def comment(scan: Scanner, at: int) -> Steps[int]:
    """Pass over an HTML comment or a CDATA section."""
    return (yield from region(scan, at, at + 4, _COMMENT_END[scan.tape.slice(at, at + 4)]))


def quoting(scan: Scanner, at: int) -> Steps[int]:
    """Pass over a tag whose content is quoted, such as code or a document.

    A tool result after a call is made up, so it ends the reply.
    """
    head = yield from scan.tape.look(_TAG_NAME, at)
    tag = "" if head is None else head["tag"].lower()
    if tag in turn_marks.RESULT_TAGS and scan.standing.holds:
        return (yield from scan.end_reply(at))
    stop = r"|(?=\n)" if tag in turn_marks.ONE_LINE else ""
    return (yield from region(scan, at, at + len(tag) + 1, searched(rf"</(?i:{tag})\s*+>{stop}")))


def tick(scan: Scanner, at: int) -> Steps[int]:
    """Pass over inline code, from a run of backticks to the next run of the same length.

    A tool name in backticks with an object after it may be a call.
    """
    run = yield from scan.tape.look(_TICKS, at)
    size = 1 if run is None else run.end()
    if size > MOST_TICKS:
        return (yield from scan.skip(at, size))
    if size >= 3 and (yield from scan.tape.look(r"[\w-]*+[ \t\r]*+\n", at + size)):
        return (yield from scan.handle("fence", at))
    hit = yield from scan.tape.find(searched(rf"(?<!`)`{{{size}}}(?!`)|\n"), at + size)
    if hit is None or hit.match.group() == "\n":
        return (yield from scan.skip(at, size))
    if size < 3 and scan.task.tools.name_of(scan.tape.slice(at + size, hit.start)) is not None:
        argued = yield from scan.tape.look(ARGUMENTS_AHEAD, hit.start)
        if argued is not None:
            return (yield from scan.handle("name", at))
    yield from scan.text(at, hit.end)
    yield from scan.list_quoted(at + size, hit.start)
    return hit.end


def region(scan: Scanner, at: int, begin: int, closer: re.Pattern[str]) -> Steps[int]:
    """Pass over a region whose content begins at `begin`, and list the calls in it as quoted."""
    yield from scan.text(at, begin)
    hit = yield from scan.pass_to(begin, closer)
    end = scan.tape.size if hit is None else hit.end
    yield from scan.text(end if hit is None else hit.start, end)
    yield from scan.list_quoted(begin, end)
    return end


# ── tokens, results, turns ───────────────────────────────────────────────────


def token(scan: Scanner, at: int) -> Steps[int]:
    """Read a token of a chat template: it is dropped, is text, or ends the reply."""
    head = yield from scan.tape.look(turn_marks.TOKENS, at)
    if head is None:
        return (yield from scan.skip(at))
    struck = yield from scan.tape.look(_STRUCK_OUT, at)
    if struck is not None:
        return (yield from scan.skip(at, struck.end("words")))
    end = at + head.end()
    left_over = scan.standing.after_mark or scan.standing.holds
    if not left_over and compiled(turn_marks.CLOSERS).match(head.group()):
        return (yield from scan.skip(at, head.end()))
    has_text = scan.standing.holds or scan.standing.shown
    if has_text and compiled(turn_marks.END_OF_TURN).match(head.group()):
        goes_on = yield from scan.tape.look(_GOES_ON, end)
        if goes_on is None:
            return (yield from scan.end_reply(at, end, shown=not scan.standing.holds))
    yield from scan.piece("token", at, end)
    return end


# What may follow the token at the end of a turn: more tokens or a call. Any text belongs to another
# turn.
_GOES_ON = rf"\s*+(?:\Z|<|\[|\]|✿|◁|{turn_marks.OWN_TURN})"


def result(scan: Scanner, at: int) -> Steps[int]:
    """Read a tool result that the model made up: after a call it ends the reply, otherwise it is quoted."""
    if scan.standing.holds:
        return (yield from scan.end_reply(at))
    for opener, closer in RESULT_ENDS:
        head = yield from scan.tape.look(opener, at)
        if head is not None:
            return (yield from region(scan, at, at + head.end(), searched(closer)))
    return (yield from quoting(scan, at))


def turn(scan: Scanner, at: int) -> Steps[int]:
    """End the reply at somebody else's turn."""
    head = yield from scan.tape.look(turn_marks.OTHER_TURN, at)
    end = None if head is None else at + head.end()
    return (yield from scan.end_reply(at, end, shown=not scan.standing.holds))


_SPEAKER = rf"(?:#{{1,4}}[ \t]*+|\*\*|__)?+(?:(?P<asks>(?i:{turn_marks.ASKED}))|(?i:{turn_marks.ANSWERED}))[ \t]?[0-9]{{0,2}}(?:\*\*|__)?[ \t]*+(?:[:：]|(?=\n))(?:\*\*|__)?"


def speaker(scan: Scanner, at: int) -> Steps[int]:
    """Read a speaker's label: an answer after a line of somebody else shows that a turn leaked."""
    head = yield from scan.tape.look(_SPEAKER, at)
    if head is None:
        return (yield from scan.skip(at))
    if head["asks"]:
        scan.asked_at = at
    elif scan.asked_at is not None:
        return (yield from scan.end_reply(scan.asked_at, at, shown=True))
    return (yield from scan.skip(at, head.end()))


# ── reasoning and channels ───────────────────────────────────────────────────

_LINE_ENDS = r"[ \t]*+(?:\r?\n|\Z)"


def delimited(found: tuple[Region, ...], kind: Kind, *, begins_line: bool = False) -> Handler:
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
    scan.text_from = end
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


_MESSAGE_STOP = r"<\|(?:call|end|return|start|channel|eom|eot)\|>"
_MESSAGE_END = r"\s*+(?:<\|(?:call|end|return|eom|eot)\|>)"


def _message_call(scan: Scanner, to: str, at: int, begin: int) -> Steps[int | None]:
    """Read a message that is addressed to a tool; None if it holds no object."""
    name = to.removeprefix("functions.")
    found = yield from read_arguments(scan.task, name, at, begin, _MESSAGE_STOP, _MESSAGE_END)
    if found is None:
        return None
    return (yield from scan.offer(found, at, "harmony"))


def channel(scan: Scanner, at: int) -> Steps[int]:
    """Read a message whose header names its recipient or channel (corpus/extract/harmony)."""
    head = yield from scan.tape.look(turn_marks.CHANNEL, at)
    if head is None:
        addressed = "to=" in scan.tape.slice(at, at + MOST_HEADER)
        cut = cut_header(scan.task, turn_marks.CHANNEL, "harmony", at) if addressed else None
        return (yield from scan.skip(at) if cut is None else scan.offer(cut, at))
    begin, to = at + head.end(), head["to"] or ""
    if head["role"] not in (None, "assistant"):
        return (yield from turn(scan, at))
    if to == "self" or (not to and head["channel"] == "analysis"):
        return (yield from _between(scan, at, begin, turn_marks.CHANNEL_END, "reasoning"))
    if scan.task.tools and (head["channel"], head["kind"]) == ("final", "json"):
        yield from scan.piece("frame", at, begin)  # gpt-oss writes a call as JSON
        return begin
    if scan.task.tools and to == "tools":
        return (yield from scan.handle("start", at))
    if scan.task.tools and to not in ("", "user", "all"):
        done = yield from _message_call(scan, to, at, begin)
        if done is not None:
            return done
    return (yield from _between(scan, at, begin, turn_marks.CHANNEL_END, "text"))
