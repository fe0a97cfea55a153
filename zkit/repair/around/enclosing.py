"""A value and the text around it in, whether it is a part of something larger out."""

from __future__ import annotations

import re
from itertools import islice

from zkit.repair.around.beginnings import next_start
from zkit.repair.around.fences import NEAR
from zkit.text import lexis

_NESTED = re.compile(
    r"(?:\A|[{,\[(])\s*(?:[\"'“„”«`]|\\\"|&quot;|&#34;)[^\"'“”»`\n]{0,80}(?:[\"'“”»`]|&quot;|&#34;)\s*(?::|=>?)\s*[\"']?\Z"
)
_KEY_END = re.compile(r"[\"'“”»`;]\s*+(?::|=>?)\s*+[\"']?\Z")
_LAST_ARGUMENT = re.compile(r",\s*+\w++\s*+[:=]\s*+\Z")
_FIRST_ARGUMENT = re.compile(r"\w\s*+[:=]")
_PARAMETER = re.compile(
    r"<(?:parameter|param|arg|arg_value|argument|value|field|item|property)\b[^<>]{0,80}>\s*\Z"
)
_CALLED_WITH = re.compile(r"\(\s*\Z")


def nested(text: str, start: int, after: int = 0) -> bool:
    """Whether the candidate is the value of a key or an argument: part of something larger.

    What comes before `after` belongs to other values.
    """
    head = text[max(after, start - 240) : start]
    last = head.rstrip()[-1:]
    return (last in _QUOTED_JOINTS and _under_key(head[-120:])) or _in_call(head, last)


def is_argument(text: str, start: int) -> bool:
    """Whether the candidate is an argument of a call, or one of several named ones."""
    head = text[max(0, start - 240) : start]
    return _in_call(head, head.rstrip()[-1:])


def _in_call(head: str, last: str) -> bool:
    if last in _JOINTS and _is_named(head):
        return True
    if "(" not in head:
        return False
    line = head[head.rfind("\n") + 1 :]
    return line.count("(") > line.count(")") and not _CALLED_WITH.search(line)


def enclosed(text: str, start: int, end: int, *, closes_more: bool = False) -> bool:
    """Whether a brace opens before the candidate and closes after it: it is part of something larger.

    For a list it is enough that the brace opens: the text may have been cut. So it is for a value that
    closes more than it opens.
    """
    before = sum(text.count(mark, 0, start) * sign for mark, sign in _DEEPER.items())
    after = sum(text.count(mark, end) * sign for mark, sign in _DEEPER.items())
    return before > 0 and (text[start] == "[" or after < 0 or closes_more)


_DEEPER = {"{": 1, "}": -1, "｛": 1, "｝": -1}
_JOINTS = frozenset(":=>")
_QUOTED_JOINTS = frozenset(":=>\"'")
"""What the text before a value ends in when the value is part of something larger."""


def _under_key(head: str) -> bool:
    """Whether a quoted key and its colon come last."""
    return _KEY_END.search(head) is not None and _NESTED.search(head) is not None


def _is_named(head: str) -> bool:
    """Whether the name of an argument comes last, after another argument, or a parameter's tag."""
    comma = head.rfind(",")
    if comma >= 0 and _LAST_ARGUMENT.match(head, comma):
        line = max(head.rfind("\n", 0, comma) + 1, comma - 201)
        return _FIRST_ARGUMENT.search(head, line, comma) is not None
    return "<" in head and _PARAMETER.search(head) is not None


_TORN_END = re.compile(r"[\"'](?<!\\.)\s*+[}\]]++\s*+(?:```)?+\s*+\Z")
_TORN = re.compile(r"[\"'](?<!\\.)\s*+,\s*+([\"'])[\w$ -]{1,60}+\1\s*+:")
_MORE = re.compile(r"(?<=\})\s*+,[\s,]*+\\?+[\"'“„«][^\"'“”»\n{}:]{1,60}+[\"'”“»]?\s*+:")
"""After an object: commas and something that reads as a key, whatever became of its quotes."""
_HALF_MEMBER = re.compile(r"(?<=[}\]])\s*+,\s*+[\"'“„«][^\"'“”»\n{}]{0,80}+[\"'”“»]?+\s*+:?+\s*+\Z")
_LAST_COMMA = re.compile(r"(?<=[}\]])\s*+,\s*+\Z")
MOST_LINES = 64
_MEMBER_LINE = re.compile(r"\n\s*+(?=\"[^\"\\\n]{1,80}+\"\s*+:)")


def member_lines(text: str, start: int) -> list[int]:
    """Where, from `start` on, the first lines that begin with a key and its colon do so."""
    return [found.end() for found in islice(_MEMBER_LINE.finditer(text, start), MOST_LINES)]


def ends_in_member(text: str, end: int, finish_reason: str | None) -> bool:
    """Whether the text ended in the next member, or before it: the value was closed too early, and cut."""
    if finish_reason == "length" and _LAST_COMMA.match(text, end):
        return True
    return _HALF_MEMBER.match(text, end) is not None


def torn(text: str, end: int) -> bool:
    """Whether another member comes next: the value was closed too early."""
    if _MORE.match(text, end) or _goes_on_and_closes(text, end):
        return True
    start = next_start(text, end)
    near = end + NEAR if start is None else min(start, end + NEAR)
    if _TORN.search(text, end, near):
        return True
    return start is None and _TORN_END.search(text[max(end, len(text) - 80) :]) is not None


_COMMA_AND_MORE = re.compile(rf"{lexis.ANY_SPACE},{lexis.ANY_SPACE}[^{{\[{lexis.ODD}\s]")


def _goes_on_and_closes(text: str, end: int) -> bool:
    """Whether a comma and anything but another value come next, and then a closer that nothing opens."""
    if len(text) > end + NEAR or _COMMA_AND_MORE.match(text, end) is None:
        return False
    return text.count("}", end) > text.count("{", end)
