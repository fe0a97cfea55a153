"""Fences, tags and tokens around a value in, where what they hold ends and what it is out."""

from __future__ import annotations

import re
from bisect import bisect_left

from zkit.text.remembered import of_last

_OPEN_TAG = re.compile(r"<([A-Za-z_][\w:.-]*)[^<>]{0,200}>")
NEAR = 4000
"""How far around a value the text is looked at to tell what it is."""
TOKEN = (
    r"<[|｜][^<>|｜]{1,60}[|｜]>|<｜[^<>]{1,60}｜>|\[/?[A-Z_]{3,30}\]|</s>|<s>|<eos>|<end_of_turn>"
)


def ends(text: str, start: int) -> tuple[int, ...]:
    """Where the value at `start` may end: its fence, its tags, or the end of the text."""
    if not start:
        return (len(text),)
    last = text[-60:].rstrip()[-1:]
    fence = fence_end(text, start)
    body = body_end(text, start) if last in ("`", "~", ">", "]") else len(text)
    return (body,) if fence is None or fence == body else (fence, body)


def body_end(text: str, start: int) -> int:
    """The end of what may belong to the value at `start`: closing fence, tags and tokens cut off."""
    end = len(text)
    while end > start:
        tail = text[max(start, end - 200) : end]
        match = _TAIL.search(tail)
        if match is None:
            break
        tag, fence = match.group("tag", "fence")
        if tag and not _is_open(text, tag, start):
            break
        if fence and _fence_before(text, start) is None:
            break
        end -= len(tail) - match.start()
    return max(end, start + 1)


def _is_open(text: str, tag: str, end: int) -> bool:
    """Whether a tag of this name stands near before `end`."""
    at = text.rfind(f"<{tag}", max(0, end - NEAR), end)
    while at >= 0:
        found = _OPEN_TAG.match(text, at, end)
        if found is not None and found.group(1) == tag:
            return True
        at = text.rfind(f"<{tag}", max(0, end - NEAR), at)
    return False


_TAIL = re.compile(rf"(?:{TOKEN}|</(?P<tag>[A-Za-z_][\w:.-]*)>|(?P<fence>```|~~~))\s*\Z")
_CLOSING_FENCE = re.compile(r"\n[ \t]*(?:```|~~~)[ \t]*(?=\n|\Z)")


def fence_end(text: str, start: int) -> int | None:
    """Where the fence that holds `start` closes, if it is in one."""
    if _fence_before(text, start) is None:
        return None
    match = _CLOSING_FENCE.search(text, start)
    return None if match is None else match.start() + 1


_FENCE_LANGUAGE = re.compile(r"(?:```|~~~)[ \t]*+([\w+#.-]*+)")
_DATA_LANGUAGES = frozenset(
    {None, "", "json", "jsonc", "json5", "jsonl", "xml", "text", "txt", "tool_call", "tool_code"}
)


def in_code(text: str, start: int) -> bool:
    """Whether the value stands in a fence of a programming language, or is a reference or a link."""
    return _fence_before(text, start) not in _DATA_LANGUAGES


def _fence_before(text: str, start: int) -> str | None:
    """The language of the fence that holds the place; None when none does."""
    fences = _fences(text)
    if not fences:
        return None
    before = bisect_left(fences, (start,))
    return fences[before - 1][1] if before % 2 else None


@of_last
def _fences(text: str) -> list[tuple[int, str]]:
    """The places of all fences and their languages."""
    if "```" not in text and "~~~" not in text:
        return []
    return [(m.start(), m.group(1).lower()) for m in _FENCE_LANGUAGE.finditer(text)]


_JSON_FENCE = re.compile(
    r"(?:```|~~~)(?:(?:json[5cl]?)?[ \t]*\n\s*|json[5cl]?[ \t]+)\Z", re.IGNORECASE
)


def in_json_fence(text: str, start: int) -> bool:
    """Whether the value is the first thing in a fence that is marked as JSON, or not marked."""
    return _JSON_FENCE.search(text[max(0, start - 60) : start]) is not None


_FENCE_OPENS = re.compile(r"(?:```|~~~)[ \t]*+[\w+#.-]*+[ \t]*+\n\s*+\Z")
_FENCE_CLOSES = re.compile(r"\s*+(?:```|~~~)")


def fills_fence(text: str, start: int, end: int) -> bool:
    """Whether a value is all that its fence holds."""
    opens = _FENCE_OPENS.search(text[max(0, start - 60) : start])
    return opens is not None and _FENCE_CLOSES.match(text, end) is not None
