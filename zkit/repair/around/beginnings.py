"""A text in, the places out where its payload may begin."""

from __future__ import annotations

import re

from zkit.repair.around.fences import TOKEN
from zkit.text import lexis

_S = lexis.ANY_SPACE
_QUOTES = r"\"'“”„‘’`«＂「『"
_IN_OBJECT = (
    rf"[{_QUOTES}}},…]|\\+\"|\\n|\\\r?+\n|&quot;|&#34;|//|/\*|#|\.\.\."
    rf"|\{{{_S}(?:[{_QUOTES}}}\\&]|{lexis.NAME}{_S}:)"
    rf"|(?:{lexis.NAME}|[0-9]+){_S}(?::|=(?!=))|{lexis.NAME}\"{_S}:|:{lexis.NAME}{_S}=>"
    rf"|[uUbBrR]{{1,2}}[\"']|\w\"[^\"\\\n]{{1,80}}+\"{_S}:|[-•+*_]{{1,3}}+[ \t]*+[\"\w]"
)
"""What may stand after the brace of an object, in whatever spelling: its first key, a comment, its end."""
_IN_LIST = (
    r"[\"'“„«‘`{\[\],]|\\+\"|&quot;|//|/\*|\.\.\.|[+-]?\.?[0-9]"
    r"|(?:true|false|null|True|False|None)\b"
)
_START = re.compile(
    rf"[{{\[](?:(?<=\{{)(?={_S}(?:{_IN_OBJECT}))"
    rf"|(?<=\[)(?<![\w)\"']\[)(?:(?<!\]\[)|(?<=[A-Z_]\]\[))(?!```)(?={_S}(?:{_IN_LIST})))"
)
REASONING = re.compile(
    r"</(?:think|thinking|thought|reasoning|reflection|analysis|scratchpad)>|\[/THINK\]|◁/think▷"
    r"|<\|channel\|>analysis\s*+<\|message\|>(?:[^<]|<(?!\|(?:end|start|channel|call)\|>))*+<\|(?:end|start|channel|call)\|>",
    re.IGNORECASE,
)
_OPEN_REASONING = re.compile(
    r"<(think|thinking|thought|reasoning|reflection|analysis|scratchpad)>", re.IGNORECASE
)
_QUOTED_KEY = re.compile(
    rf"(?:&quot;|&#34;)[^&\n]{{1,80}}+(?:&quot;|&#34;){lexis.ANY_SPACE}:|[\"'“](?:[^\"'”\\\n]|\\.){{1,80}}+[\"'”]{lexis.ANY_SPACE}:"
)


def blank_end(text: str, pos: int = 0) -> int:
    """The first place that is not white space of any kind."""
    return lexis.skip_blank(text, pos)


def reasoning_end(text: str) -> int:
    """The place after the last reasoning block, 0 when there is none."""
    if not may_hold_tags(text):
        return 0
    end = at = 0
    in_string = False
    for match in REASONING.finditer(text):
        line = text.rfind("\n", at, match.start()) + 1
        in_string = _odd_quotes(text, line or at, match.start()) != (in_string and not line)
        at = match.end()
        end = end if in_string else at
    return len(text) if _open_reasoning(text, end) else end


def begins_answer(text: str, start: int) -> bool:
    """Whether nothing stands before the place, or reasoning just ended there."""
    return (
        blank_end(text) >= start
        or _AFTER_REASONING.search(text[max(0, start - 60) : start]) is not None
    )


_AFTER_REASONING = re.compile(rf"(?:{REASONING.pattern})\s*+\Z", re.IGNORECASE)


def may_hold_tags(text: str) -> bool:
    """A quick look: whether there is anything that reasoning could begin or end with."""
    return "<" in text or "[/" in text or "◁/" in text


def _open_reasoning(text: str, pos: int) -> bool:
    match = _OPEN_REASONING.search(text, pos)
    return match is not None and not _in_string(text, match.start())


def _in_string(text: str, pos: int) -> bool:
    """Whether an odd number of quotes stands before the place on its line."""
    return _odd_quotes(text, text.rfind("\n", 0, pos) + 1, pos)


def _odd_quotes(text: str, start: int, end: int) -> bool:
    quotes = (
        match for match in _QUOTE_OR_ESCAPE.finditer(text, start, end) if match.group() == '"'
    )
    return sum(1 for _ in quotes) % 2 == 1


_QUOTE_OR_ESCAPE = re.compile(r'\\.|"')


def next_start(text: str, pos: int) -> int | None:
    """The next place where an object or a list may begin."""
    match = _START.search(text, pos)
    return None if match is None else match.start()


_PREFIX = re.compile(
    rf"{lexis.ANY_SPACE}(?:(?:```|~~~)[\w-]*[ \t]*\n|{TOKEN}|<[A-Za-z_][\w:.-]*>)?{lexis.ANY_SPACE}"
)


def content_start(text: str, pos: int) -> int:
    """The first place after white space, an opening fence and a tag."""
    return _PREFIX.match(text, pos).end()  # type: ignore[union-attr]


_STRAY_MARKS = frozenset("}],(:)")


def key_at(text: str, pos: int) -> int | None:
    """The place of a quoted key with its colon at the very beginning, its brace missing."""
    if text[pos : pos + 1] in _STRAY_MARKS:
        pos = blank_end(text, pos + 1)
    return pos if _QUOTED_KEY.match(text, pos) else None


_SET = re.compile(r"\{\s*+([\"'])[^\"'\n]*+\1\s*+[,}]")
_NUMBER = r"[-+.]?[0-9][\w.]*+"
_LIST = re.compile(
    rf"\[{lexis.ANY_SPACE}(?:[{{\[\"'“`]|(?:{_NUMBER}|[tfnTFN]\w++){lexis.ANY_SPACE},|(?:{_NUMBER}|true|false|null){lexis.ANY_SPACE}[{{\[\"])"
)


def is_list(text: str, start: int) -> bool:
    """Whether brackets hold a container, a string, or a comma: a list, not a mark in prose."""
    return _LIST.match(text, start) is not None


_FORMULA = re.compile(r"(?:\\[A-Za-z]++|[\^_}])\*?+\Z")


def in_formula(text: str, start: int) -> bool:
    """Whether a bracket belongs to a formula of LaTeX: `\\frac{-b}{2a}`, not to a value."""
    return (
        _FORMULA.search(text[max(0, start - 30) : start]) is not None
        and _QUOTED_KEY.match(text, blank_end(text, start + 1)) is None
    )


def is_set(text: str, start: int) -> bool:
    """Whether braces hold a string and no key: a set in prose, not an object."""
    return _SET.match(text, start) is not None


def plain_span(text: str) -> tuple[int, int] | None:
    """Where the value stands when there is but white space and one fence around it."""
    end = len(text.rstrip())
    if text[:1] in ("{", "["):
        return None if text.startswith("```", 1) else (0, end)
    match = _PLAIN.match(text)
    if match is None:
        return None
    if match.group(1) and text.endswith("```", 0, end):
        end -= 3
    return match.end(), end


_PLAIN = re.compile(rf"{lexis.ANY_SPACE}(```[\w-]*[ \t]*\n{lexis.ANY_SPACE})?(?=[{{\[])")
