"""Find where a value may begin, and what encloses it: fences, tags, reasoning, a larger value."""

from __future__ import annotations

import re
from bisect import bisect_left

from zkit.repair.limits import SURROUNDINGS
from zkit.text import lexis
from zkit.text.remembered import of_last

# ── fences ──────────────────────────────────────────────────────────────────


TOKEN = (
    r"<[|｜][^<>|｜]{1,60}[|｜]>|<｜[^<>]{1,60}｜>|\[/?[A-Z_]{3,30}\]|</s>|<s>|<eos>|<end_of_turn>"
)


def body_end(text: str, start: int) -> int:
    """Return the end of the text for the value at `start`, without a closing fence, tags and special tokens."""
    end = len(text)
    while end > start and text[end - 60 : end].rstrip()[-1:] in _LAST:
        tail = text[max(start, end - 200) : end]
        match = _TAIL.search(tail)
        if match is None:
            break
        tag, mark = match.group("tag", "mark")
        if tag and text.rfind(f"<{tag}", max(0, start - SURROUNDINGS), start) < 0:
            break
        if mark in _FENCES:
            opened = _fence_before(text, start) is not None
        else:
            opened = not mark or text.endswith(_OPENERS[mark], 0, lexis.last_sign(text, start))
        if not opened or (mark == '"' and '""' in text[start : start + SURROUNDINGS]):
            break  # doubled quotes, as in a CSV field (corpus/repair/escaped_payload.toml)
        end -= len(tail) - match.start()
    return max(end, start + 1)


_TAIL = re.compile(
    rf"(?:{TOKEN}|</(?P<tag>[A-Za-z_][\w:.-]*)>|(?P<mark>```|~~~|(?<=[}}\]\s])[`\"']|\]\]>))\s*\Z"
)
_LAST = frozenset("`~>]\"'")
_FENCES = frozenset({"```", "~~~"})
# The mark that comes right before a value, for each mark that may come after it.
_OPENERS = {"`": "`", '"': '"', "'": "'", "]]>": "<![CDATA["}
_FENCE_LANGUAGE = re.compile(r"(?:```|~~~)[ \t]*+([\w+#.-]*+)")
_DATA_LANGUAGES = frozenset(
    {None, "", "json", "jsonc", "json5", "jsonl", "xml", "text", "txt", "tool_call", "tool_code"}
)


def in_code(text: str, start: int) -> bool:
    """True if the value is in a code fence of a programming language."""
    return _fence_before(text, start) not in _DATA_LANGUAGES


def _fence_before(text: str, start: int) -> str | None:
    """Return the language of the fence around the place; None if there is no fence."""
    fences = _fences(text)
    if not fences:
        return None
    before = bisect_left(fences, (start,))
    return fences[before - 1][1] if before % 2 else None


@of_last
def _fences(text: str) -> list[tuple[int, str]]:
    """Return the places of all fence marks and their languages."""
    if "```" not in text and "~~~" not in text:
        return []
    return [(m.start(), m.group(1).lower()) for m in _FENCE_LANGUAGE.finditer(text)]


# ── beginnings ──────────────────────────────────────────────────────────────


_S = lexis.ANY_SPACE
_QUOTES = r"\"'“”„‘’`«＂「『"
# What may follow an object's opening brace in any spelling: its first key, a comment, its closer.
_IN_OBJECT = (
    rf"[{_QUOTES}}},…]|\\+\"|\\n|\\\r?+\n|&quot;|&#34;|//|/\*|#|\.\.\."
    rf"|\{{{_S}(?:[{_QUOTES}}}\\&]|{lexis.NAME}{_S}:)"
    rf"|(?:{lexis.NAME}|[0-9]+){_S}(?::|=(?!=))|{lexis.NAME}\"{_S}:|:{lexis.NAME}{_S}=>"
    rf"|[uUbBrR]{{1,2}}[\"']|\w\"[^\"\\\n]{{1,80}}+\"{_S}:|[-•+*_]{{1,3}}+[ \t]*+[\"\w]"
)
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


@of_last
def reasoning_end(text: str) -> int:
    """Return the end of the last reasoning block; 0 if there is no block, the text's end if one is still open."""
    if not may_hold_tags(text):
        return 0
    end = at = 0
    in_string = False
    for match in REASONING.finditer(text):
        line = text.rfind("\n", at, match.start()) + 1
        in_string = (not lexis.is_outside(text, match.start(), line or at)) != (
            in_string and not line
        )
        at = match.end()
        end = end if in_string else at
    return len(text) if _open_reasoning(text, end) else end


def may_hold_tags(text: str) -> bool:
    """True if the text has a mark that a reasoning tag could begin with; a quick check."""
    return "<" in text or "[/" in text or "◁/" in text


def _open_reasoning(text: str, pos: int) -> bool:
    """True if a reasoning block opens outside of strings: an even number of quotes comes before it on its line."""
    match = _OPEN_REASONING.search(text, pos)
    if match is None:
        return False
    at = match.start()
    return lexis.is_outside(text, at, text.rfind("\n", 0, at) + 1)


def next_start(text: str, pos: int) -> int | None:
    """Return the next place where an object or a list may begin, or None."""
    match = _START.search(text, pos)
    return None if match is None else match.start()


_PREFIX = re.compile(
    rf"{lexis.ANY_SPACE}(?:(?:```|~~~)[\w-]*[ \t]*\n|{TOKEN}|<[A-Za-z_][\w:.-]*>)?{lexis.ANY_SPACE}"
)


def content_start(text: str, pos: int) -> int:
    """Return the place after white space and an opening fence, tag or special token."""
    return _PREFIX.match(text, pos).end()  # type: ignore[union-attr]


_STRAY_MARKS = frozenset("}],(:)")


def key_at(text: str, pos: int) -> int | None:
    """Return the place of a quoted key and its colon at `pos`, whose brace is missing; None if there is no key."""
    if text[pos : pos + 1] in _STRAY_MARKS:
        pos = lexis.skip_blank(text, pos + 1)
    return pos if _QUOTED_KEY.match(text, pos) else None


_SET = re.compile(r"\{\s*+([\"'])[^\"'\n]*+\1\s*+[,}]")
_NUMBER = r"[-+.]?[0-9][\w.]*+"
_LIST = re.compile(
    rf"\[{lexis.ANY_SPACE}(?:[{{\[\"'“`]|(?:{_NUMBER}|[tfnTFN]\w++){lexis.ANY_SPACE},|(?:{_NUMBER}|true|false|null){lexis.ANY_SPACE}[{{\[\"])"
)


def is_list(text: str, start: int) -> bool:
    """True if the brackets hold a container, a string or a comma: a list, not brackets in prose."""
    return _LIST.match(text, start) is not None


_FORMULA = re.compile(r"(?:\\[A-Za-z]++|[\^_}])\*?+\Z")


def in_formula(text: str, start: int) -> bool:
    """True if the bracket belongs to a LaTeX formula, such as `\\frac{-b}{2a}`, and not to a value.

    See corpus/repair/values_in_prose.
    """
    return (
        _FORMULA.search(text[max(0, start - 30) : start]) is not None
        and _QUOTED_KEY.match(text, lexis.skip_blank(text, start + 1)) is None
    )


def is_set(text: str, start: int) -> bool:
    """True if the braces begin with a string that is not a key: a set in prose, not an object."""
    return _SET.match(text, start) is not None


def plain_span(text: str) -> tuple[int, int] | None:
    """Return the span of a value that has only white space and at most one fence around it; else None."""
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


# ── enclosing values ────────────────────────────────────────────────────────


_LAST_ARGUMENT = re.compile(r",\s*+\w++\s*+[:=]\s*+\Z")
_FIRST_ARGUMENT = re.compile(r"\w\s*+[:=]")


def is_argument(text: str, start: int, after: int = 0) -> bool:
    """True if the candidate is an argument of a call, or one of several keyword arguments.

    The text before `after` belongs to other values and is not considered.
    """
    head = text[max(after, start - 240) : start]
    comma = head.rfind(",")
    if comma >= 0 and _LAST_ARGUMENT.match(head, comma):
        return _FIRST_ARGUMENT.search(head[head.rfind("\n", 0, comma) + 1 : comma]) is not None
    line = head[head.rfind("\n") + 1 :]
    # Llama 3.1 explains in LaTeX before its answer: `\\(S_n = \\frac{n}{2}[2a + d]\\)`
    if "\\(" in line:
        line = line.replace("\\(", "").replace("\\)", "")
    return line.count("(") > line.count(")") and not line.rstrip().endswith("(")


def enclosed(text: str, start: int, end: int) -> bool:
    """True if a brace opens before the candidate and closes after it.

    For a list the opening brace is enough, because the text may have been cut.
    """
    if not _opens_more(text[:start], "{｛", "}｝"):
        return False
    return text[start] == "[" or _opens_more(text[end:], "}｝", "{｛")


def _opens_more(text: str, openers: str, closers: str) -> bool:
    """True if the text has more openers than closers."""
    return sum(map(text.count, openers)) > sum(map(text.count, closers))
