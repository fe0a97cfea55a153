"""A value and the text around it in, what that text is out: prose, a fence, a tag, a call, or nothing."""

from __future__ import annotations

import re

from zkit.repair.around.beginnings import REASONING, blank_end, may_hold_tags
from zkit.repair.around.fences import NEAR, TOKEN
from zkit.text import lexis

_TAG_END = re.compile(rf"(?:<[^<>]{{1,200}}>|{TOKEN})\s*\Z")
_REST = re.compile(rf"{lexis.ANY_SPACE}(?:```{lexis.ANY_SPACE}|[}}\]\s]*+)\Z")


def ends_text(text: str, end: int) -> bool:
    """Whether nothing but white space, a closing fence or stray closers come after the value."""
    return end == len(text) or _REST.match(text, end) is not None


def before_name(text: str, start: int) -> str:
    """Which fix it is to drop the text before `start`."""
    head = text[max(0, start - NEAR) : start]
    if may_hold_tags(head) and REASONING.search(head):
        return "drop_reasoning"
    if "```" in head or "~~~" in head:
        return "drop_fence"
    last = head.rstrip()[-1:]
    if last in (">", "]") and _TAG_END.search(head[-220:]):
        return "drop_tag"
    if last in ("=", "(") or _LONE_WORD.fullmatch(head):
        return "drop_wrapper"
    return "drop_prose"


def after_name(text: str, end: int) -> str:
    """Which fix it is to drop the text after `end`."""
    tail = text[end : end + 220].lstrip()
    if tail.startswith(("```", "~~~")):
        return "drop_fence"
    if _TAG_START.match(tail):
        return "drop_tag"
    if _CALL_END.fullmatch(tail):
        return "drop_wrapper"
    return "drop_closer" if _CLOSERS.fullmatch(tail) else "drop_prose"


_CALL_END = re.compile(r"[);,\s]*")
_LONE_WORD = re.compile(r"\s*[A-Za-z]{2,10}\s*")
_CLOSERS = re.compile(r"[}\])\s]+")
_TAG_START = re.compile(rf"<[/|｜A-Za-z]|{TOKEN}")
_LEAD = re.compile(r"(?:[:=(>`~\]]|\breturn)\s*\Z|(?:^|\n)[ \t>*-]*\Z|json\s*\Z", re.IGNORECASE)
_CODE = re.compile(r"(?:[=(]|\breturn)\s*\Z")
_FOLLOW = re.compile(r"[ \t]*(?:\n|\Z|[;)<`]|\[/)")
_QUOTED = re.compile(
    rf"\{{[{{\s{lexis.ODD}]*+(?:[\"'“”„‘’`«＂「『\\…}}]|&quot;|&#34;|\.\.\.|//|/\*)|\[{lexis.ANY_SPACE}(?:\{{[{{\s]*+[\"'“”„‘’`«＂「『\\]|\[?{lexis.ANY_SPACE}[\"'])"
)


def quoted(text: str, start: int) -> bool:
    """Whether a candidate begins as JSON does: a brace and a quoted key, or a list of such."""
    return _QUOTED.match(text, start) is not None


def alone(text: str, start: int, end: int) -> bool:
    """Whether only an introduction stands before it on its line, and no sentence goes on after it."""
    if text[start] == "[" and _CODE.search(text[max(0, start - 40) : start]):
        return False
    return _leads(text, start) and _FOLLOW.match(text, end) is not None


def _leads(text: str, start: int) -> bool:
    return _LEAD.search(text[max(0, start - 40) : start]) is not None or blank_end(text) >= start
