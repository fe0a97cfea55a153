"""What is quoted, left over, or a tool's result that the model wrote itself: no place for calls."""

from __future__ import annotations

import re

import regex

from zkit.extract.arriving_text import Steps, compiled, searched
from zkit.extract.marks import set_apart
from zkit.extract.marks.search_patterns import CALL_FENCES, MOST_TICKS
from zkit.extract.scanner import Scanner

_LINE_END = re.compile(r"(?=\n)")
_COMMENT_END = re.compile(r"-->")
_NEXT_ANSWER = r"(?=<\|im_start\|>assistant|<\|start_header_id\|>assistant|<\|start\|>assistant|<\|assistant\|>)"
RESULT_ENDS = tuple(
    (regex.compile(opener), re.compile(closer))
    for opener, closer in (
        (r"\[TOOL_RESULTS?\]", r"\[/TOOL_RESULTS?\]|\[END_TOOL_RESULTS?\]"),
        (r"<[｜|]tool(?:▁|_| )outputs(?:▁|_| )begin", r"<[｜|]tool(?:▁|_| )outputs(?:▁|_| )end[｜|]>"),
        (r"<[｜|]tool(?:▁|_| )output", r"<[｜|]tool(?:▁|_| )outputs?(?:▁|_| )end[｜|]>"),
        (r"<\|START_TOOL_RESULT", r"<\|END_TOOL_RESULT\|>"),
        (r"<\|tool_response", r"<tool_response\|>|<\|/tool_response\|>"),
        (r"<start_function_response>", r"<end_function_response>"),
        (r"✿RESULT✿:", r"(?=✿(?:RETURN|FUNCTION)✿)"),
        (r"✿RETURN✿:", r"(?=✿FUNCTION✿)"),
        (r"\[\[ ## observation", r"(?=\[\[ ## (?!observation))"),
        (r"<\|", _NEXT_ANSWER),
    )
)  # fmt: skip
"""What opens a result, and what closes it; a turn of another speaker ends where the model's begins."""
_TAG_NAME = r"<(?P<tag>[\w:-]{1,40}+)"
_TICKS = "`++"
_CALL_FENCE = regex.compile(rf"(?i:{CALL_FENCES})[ \t\r]*+\n")
"""A fence in the middle of a line is one where its info string asks for a call."""
_STRUCK_OUT = regex.compile(r"<s>[^<\n]{1,300}+</s>\s{0,100}+[^\s<]")
"""Words that a page strikes out, with more words after them: the same tag as a token of templates."""


def line_of_text(scan: Scanner, at: int) -> Steps[int]:
    """A quotation or a row of a table: text up to the end of its line."""
    return (yield from scan.skip_past(at, _LINE_END))


def comment(scan: Scanner, at: int) -> Steps[int]:
    """An HTML comment."""
    return (yield from scan.skip_past(at, _COMMENT_END))


def quoting(scan: Scanner, at: int) -> Steps[int]:
    """A tag whose content is quoted: code, an example, a document, a result."""
    head = yield from scan.tape.look(compiled(_TAG_NAME), at)
    tag = "" if head is None else head["tag"].lower()
    if tag in set_apart.RESULT_TAGS and scan.settler.called:
        return (yield from end_of_reading(scan, at, at))
    if tag not in set_apart.QUOTING_TAGS and tag not in set_apart.RESULT_TAGS:
        return (yield from scan.skip(at))
    stop = r"|(?=\n)" if tag in set_apart.ONE_LINE else ""
    return (yield from scan.skip_past(at, searched(rf"</(?i:{tag})\s*+>{stop}")))


def tick(scan: Scanner, at: int) -> Steps[int]:
    """Code in a line, from a run of backticks to the next one as long."""
    run = yield from scan.tape.look(compiled(_TICKS), at)
    size = 1 if run is None else run.end()
    if size > MOST_TICKS:
        return (yield from scan.skip(at, size))
    if size >= 3 and (yield from scan.tape.look(_CALL_FENCE, at + size)) is not None:
        return (yield from scan.handle("fence", at))
    hit = yield from scan.tape.find(searched(rf"(?<!`)`{{{size}}}(?!`)|\n"), at + size)
    if hit is None or hit.match.group() == "\n":
        return (yield from scan.skip(at, size))
    return (yield from scan.skip(at, hit.end - at))


def token(scan: Scanner, at: int) -> Steps[int]:
    """A mark that belongs to no text."""
    head = yield from scan.tape.look(compiled(set_apart.TOKENS), at)
    if head is None:
        return (yield from scan.skip(at))
    if (yield from scan.tape.look(_STRUCK_OUT, at)) is not None:
        return (yield from scan.skip(at, head.end()))
    left_over = scan.settler.after_mark or scan.settler.holds_call
    closes = not left_over and compiled(set_apart.CLOSERS).match(head.group())
    ends = scan.follows_refused(at) and compiled(set_apart.CALL_ENDS).match(head.group())
    if closes or ends or scan.in_talk:
        return (yield from scan.skip(at, head.end()))
    yield from scan.piece("token", at, at + head.end())
    return at + head.end()


def result(scan: Scanner, at: int) -> Steps[int]:
    """A tool's result that the model wrote itself: it ends the reading, once a call was made."""
    if scan.settler.called:
        return (yield from end_of_reading(scan, at, at))
    for opener, closer in RESULT_ENDS:
        if (yield from scan.tape.look(opener, at)) is not None:
            scan.in_talk = scan.in_talk or closer.pattern == _NEXT_ANSWER
            end = yield from scan.skip_past(at, closer)
            scan.start_of_text(end)
            return end
    return (yield from quoting(scan, at))


def end_of_reading(scan: Scanner, at: int, content: int) -> Steps[int]:
    """Nothing from here on is acted on, or shown."""
    while not scan.tape.final:
        yield from scan.tape.wait(scan.tape.size)
    text = scan.tape.slice(content, scan.tape.size)
    mark = compiled(set_apart.RESULTS).match(text)
    rest = text if mark is None else text[mark.end() :]
    yield from scan.piece("ended", at, scan.tape.size, rest.lstrip("> \n:"))
    return scan.tape.size
