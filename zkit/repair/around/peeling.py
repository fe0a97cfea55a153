"""A text in, the part of it out that is left when everything that only wraps a value is taken away.

A value that is sound, or has one slip, is found in whatever stands around it. Where that failed, what stands
around it is peeled off from both ends, a wrapper at a time, so that each of them goes with every damage inside.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from zkit.repair.around.fences import TOKEN
from zkit.text import lexis

Span = tuple[int, int]
_Peel = Callable[[str, int, int], Span | None]

MOST_WRAPPERS = 8
_NEAR = 300
"""How far from either end a wrapper may reach."""

_FENCE = r"(?:`{3,4}+|~{3,4}+)(?:(?i:json[5cl]?|text|txt|xml|tool_call)(?=\s)|[\w+#.-]{1,20}+(?=\s++[{\[\"])|(?!\w))"
"""What opens a fence: of data, or of any language if a value comes next."""
_PAIRS = tuple(
    (re.compile(opens), re.compile(rf"(?:{closes})\Z"))
    for opens, closes in (
        (_FENCE, r"(?:`{3,4}|~{3,4})"),
        (r"`{1,2}+(?:json\b)?+", r"(?<!`)`{1,2}"),
        (r"'''(?:json\b)?+|\"\"\"(?:json\b)?+", r"'''|\"\"\""),
        (r"[rRbBuU]{0,2}+'(?!')(?=\s*+[{\[\"\\&])", r"(?<!')'"),
        (r"[rRbBuU]{0,2}+\"(?=\s*+[{\[])", r"(?<=[}\]\s])\""),
        (r"<!\[CDATA\[", r"\]\]>"),
        (r"[\w.]{0,60}+\((?=\s*+[\"'`{\[])", r"\)"),
    )
)
"""What opens and closes around a value."""
_TWICE = re.compile(r"(?<=\w)\"\"|\"\"(?=\w)")
"""A quote that is written twice, as in a field of CSV: the quotes around it are not the only ones to undo."""
_TAG = re.compile(r"<([A-Za-z_][\w:.-]{0,60}+)[^<>]{0,200}+>")
_FIRST = re.compile(rf"{TOKEN}|{_FENCE}")
_LAST = re.compile(rf"(?:{TOKEN}|`{{3,4}}|~{{3,4}})\Z")
_REMARK = re.compile(
    r"(?<=[}\]\"'`])\s*+(?:[;,]|\\[nrt]|(?://|\#)[^\n{}\[\]\"]*+|/\*[^*{}\[\]\"]{0,200}+\*/)\Z"
)
"""What may stand alone at the beginning, and at the end."""
_STRUCTURE = re.compile(r"[\"`{}\[\]<\\&“„«]|(?<!\w)'|'(?!\w)")
_LEADS = re.compile(r"(?:[:=>]|\n)[\s*_]*+\Z")
_GOES_ON = re.compile(r"[ \t]*+(?:\Z|[.!]?\s++[^\s,;:=+*/%&|-])")


def peeled(text: str) -> Span | None:
    """Where what is wrapped begins and ends; None when nothing is."""
    span = whole = _stripped(text, 0, len(text))
    for _ in range(MOST_WRAPPERS):
        found = next((new for peel in _PEELS if (new := peel(text, *span)) is not None), None)
        if found is None:
            break
        span = _stripped(text, *found)
    return span if span != whole and span[0] < span[1] else None


def _stripped(text: str, start: int, end: int) -> Span:
    """The span without the white space at both ends."""
    start = min(lexis.skip_blank(text, start), end)
    while end > start and text[end - 1] in lexis.BLANKS:
        end -= 1
    return start, end


def _between_marks(text: str, start: int, end: int) -> Span | None:
    """What stands between two marks that belong together."""
    tail = text[max(start, end - 8) : end]
    for opens, closes in _PAIRS:
        first = opens.match(text, start, end)
        last = closes.search(tail) if first is not None else None
        if first is not None and last is not None:
            if last[0] == '"' and _TWICE.search(text, first.end(), end):
                return None
            inner = (first.end(), end - len(tail) + last.start())
            return inner if inner[0] < inner[1] else None
    return None


def _between_tags(text: str, start: int, end: int) -> Span | None:
    """What stands between a tag and the one that closes it, or after one that is not closed."""
    first = _TAG.match(text, start, end)
    if first is None:
        return None
    closing = f"</{first[1]}>"
    if text.endswith(closing, start, end):
        return first.end(), end - len(closing)
    return None if f"</{first[1]}" in text else (first.end(), end)


def _after_mark(text: str, start: int, end: int) -> Span | None:
    """What stands after a token, or a fence that is not closed."""
    first = _FIRST.match(text, start, end)
    return None if first is None else (first.end(), end)


def _before_mark(text: str, start: int, end: int) -> Span | None:
    """What stands before a token, a comment or a mark that ends a statement."""
    near = max(start, end - _NEAR)
    tail = text[near:end]
    last = _LAST.search(tail) or (_REMARK.search(tail) if _is_even(text, start, end) else None)
    return None if last is None else (start, near + last.start())


def _is_even(text: str, start: int, end: int) -> bool:
    """Whether all that was opened is closed, as far as one can tell by counting."""
    return all(text.count(a, start, end) <= text.count(b, start, end) for a, b in ("{}", "[]"))


def _after_words(text: str, start: int, end: int) -> Span | None:
    """What words lead to: a label, an assignment, lines above."""
    first = _STRUCTURE.search(text, start, min(end, start + _NEAR))
    if first is None or first.start() == start or text.find("(", start, first.start()) >= 0:
        return None
    return (first.start(), end) if _LEADS.search(text, start, first.start()) else None


def _before_words(text: str, start: int, end: int) -> Span | None:
    """What words follow that belong to no value: all that was opened is closed before them."""
    near = max(start, end - _NEAR)
    last = max(text.rfind(mark, near, end) for mark in "}]") + 1
    if not last or last == end or _STRUCTURE.search(text, last, end):
        return None
    if not _is_even(text, start, last):
        return None
    return (start, last) if _GOES_ON.match(text, last, end) else None


_PEELS: tuple[_Peel, ...] = (
    _between_marks,
    _between_tags,
    _before_mark,
    _after_mark,
    _after_words,
    _before_words,
)
"""The ways to take a wrapper off, those with two ends first."""
