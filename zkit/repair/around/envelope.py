"""Where in a text the payload stands, and what the text around it is."""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import lru_cache
from itertools import islice

from zkit.text import lexis

_B = rf"[ \t\n\r{lexis.ODD}]*+"
_START = re.compile(
    rf"[{{\[](?:(?<=\{{)(?={_B}(?:[\"'“”„‘’`«＂「『}},…]|\{{{_B}(?:[\"'“”„‘’`«＂「『}}\\&]|{lexis.NAME}{_B}:)|\\+\"|\\n|&quot;|&#34;|//|/\*|#|\.\.\.|(?:{lexis.NAME}|[0-9]+){_B}(?::|=(?!=))|{lexis.NAME}\"{_B}:|[uUbBrR]{{1,2}}[\"']|\\\r?+\n|[-•+*_]{{1,3}}+[ \t]*+[\"\w]|:{lexis.NAME}{_B}=>))"
    rf"|(?<=\[)(?<![\w)\"']\[)(?:(?<!\]\[)|(?<=[A-Z_]\]\[))(?!```)(?={_B}(?:[\"'“„«‘`{{\[\],]|\\+\"|&quot;|//|/\*|\.\.\.|[+-]?\.?[0-9]|(?:true|false|null|True|False|None)\b)))"
)
_REASONING = re.compile(
    r"</(?:think|thinking|thought|reasoning|reflection|analysis|scratchpad)>|\[/THINK\]|◁/think▷",
    re.IGNORECASE,
)
_OPEN_REASONING = re.compile(
    r"<(think|thinking|thought|reasoning|reflection|analysis|scratchpad)>", re.IGNORECASE
)
_OPEN_TAG = re.compile(r"<([A-Za-z_][\w:.-]*)[^<>]{0,200}>")
_TOKEN = (
    r"<[|｜][^<>|｜]{1,60}[|｜]>|<｜[^<>]{1,60}｜>|\[/?[A-Z_]{3,30}\]|</s>|<s>|<eos>|<end_of_turn>"
)
_NESTED = re.compile(
    r"(?:\A|[{,\[(])\s*(?:[\"'“„”«`]|\\\"|&quot;|&#34;)[^\"'“”»`\n]{0,80}(?:[\"'“”»`]|&quot;|&#34;)\s*(?::|=>?)\s*[\"']?\Z"
)
_KEY_END = re.compile(r"[\"'“”»`;]\s*+(?::|=>?)\s*+[\"']?\Z")
_QUOTED_KEY = re.compile(
    rf"(?:&quot;|&#34;)[^&\n]{{1,80}}+(?:&quot;|&#34;){_B}:|[\"'“](?:[^\"'”\\\n]|\\.){{1,80}}+[\"'”]{_B}:"
)
_TAG_END = re.compile(rf"(?:<[^<>]{{1,200}}>|{_TOKEN})\s*\Z")


def blank_end(text: str, pos: int = 0) -> int:
    """The first place that is not white space of any kind."""
    return lexis.skip_blank(text, pos)


def reasoning_end(text: str) -> int:
    """The place after the last reasoning block, 0 when there is none."""
    if not _may_hold_tags(text):
        return 0
    end = at = 0
    in_string = False
    for match in _REASONING.finditer(text):
        line = text.rfind("\n", at, match.start()) + 1
        in_string = _odd_quotes(text, line or at, match.start()) != (in_string and not line)
        at = match.end()
        end = end if in_string else at
    return len(text) if _open_reasoning(text, end) else end


def _may_hold_tags(text: str) -> bool:
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


_PREFIX = re.compile(rf"{_B}(?:(?:```|~~~)[\w-]*[ \t]*\n|{_TOKEN}|<[A-Za-z_][\w:.-]*>)?{_B}")


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


_LIST = re.compile(rf"\[{_B}(?:[{{\[\"'“`]|(?:[-+.]?[0-9][\w.]*+|[tfnTFN]\w++){_B},)")


def is_list(text: str, start: int) -> bool:
    """Whether brackets hold a container, a string, or a comma: a list, not a mark in prose."""
    return _LIST.match(text, start) is not None


def is_set(text: str, start: int) -> bool:
    """Whether braces hold a string and no key: a set in prose, not an object."""
    return _SET.match(text, start) is not None


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


def enclosed(text: str, start: int, end: int) -> bool:
    """Whether a brace opens before the candidate and closes after it: it is part of something larger.

    For a list it is enough that the brace opens: the text may have been cut.
    """
    before = sum(text.count(mark, 0, start) * sign for mark, sign in _DEEPER.items())
    after = sum(text.count(mark, end) * sign for mark, sign in _DEEPER.items())
    return before > 0 and (text[start] == "[" or after < 0)


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


_PLAIN = re.compile(rf"{_B}(```[\w-]*[ \t]*\n{_B})?(?=[{{\[])")
_REST = re.compile(rf"{_B}(?:```{_B}|[}}\]\s]*+)\Z")


def ends_text(text: str, end: int) -> bool:
    """Whether nothing but white space, a closing fence or stray closers come after the value."""
    return end == len(text) or _REST.match(text, end) is not None


NEAR = 4000
"""How far around a value the text is looked at to tell what it is."""
_TORN_END = re.compile(r"[\"'](?<!\\.)\s*+[}\]]++\s*+(?:```)?+\s*+\Z")
_TORN = re.compile(r"[\"'](?<!\\.)\s*+,\s*+([\"'])[\w$ -]{1,60}+\1\s*+:")


_MORE = re.compile(r"(?<=\})\s*+,[\s,]*+\\?+[\"'“„«][^\"'“”»\n{}:]{1,60}+[\"'”“»]?\s*+:")
"""After an object: commas and something that reads as a key, whatever became of its quotes."""


MOST_LINES = 64
_MEMBER_LINE = re.compile(r"\n\s*+(?=\"[^\"\\\n]{1,80}+\"\s*+:)")


def member_lines(text: str, start: int) -> list[int]:
    """Where, from `start` on, the first lines that begin with a key and its colon do so."""
    return [found.end() for found in islice(_MEMBER_LINE.finditer(text, start), MOST_LINES)]


def torn(text: str, end: int) -> bool:
    """Whether another member comes next: the value was closed too early."""
    if _MORE.match(text, end) or _goes_on_and_closes(text, end):
        return True
    start = next_start(text, end)
    near = end + NEAR if start is None else min(start, end + NEAR)
    if _TORN.search(text, end, near):
        return True
    return start is None and _TORN_END.search(text[max(end, len(text) - 80) :]) is not None


_COMMA_AND_MORE = re.compile(rf"{_B},{_B}[^{{\[{lexis.ODD}\s]")


def _goes_on_and_closes(text: str, end: int) -> bool:
    """Whether a comma and anything but another value come next, and then a closer that nothing opens."""
    if len(text) > end + NEAR or _COMMA_AND_MORE.match(text, end) is None:
        return False
    return text.count("}", end) > text.count("{", end)


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


_TAIL = re.compile(rf"(?:{_TOKEN}|</(?P<tag>[A-Za-z_][\w:.-]*)>|(?P<fence>```|~~~))\s*\Z")
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


@lru_cache(maxsize=1)
def _fences(text: str) -> list[tuple[int, str]]:
    """The places of all fences and their languages."""
    if "```" not in text and "~~~" not in text:
        return []
    return [(m.start(), m.group(1).lower()) for m in _FENCE_LANGUAGE.finditer(text)]


_JSON_FENCE = re.compile(r"(?:```|~~~)(?:json[5cl]?)?[ \t]*\n\s*\Z", re.IGNORECASE)


def in_json_fence(text: str, start: int) -> bool:
    """Whether the value is the first thing in a fence that is marked as JSON, or not marked."""
    return _JSON_FENCE.search(text[max(0, start - 60) : start]) is not None


def before_name(text: str, start: int) -> str:
    """Which fix it is to drop the text before `start`."""
    head = text[max(0, start - NEAR) : start]
    if _may_hold_tags(head) and _REASONING.search(head):
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
_TAG_START = re.compile(rf"<[/|｜A-Za-z]|{_TOKEN}")


_LEAD = re.compile(r"(?:[:=(>`~\]]|\breturn)\s*\Z|(?:^|\n)[ \t>*-]*\Z|json\s*\Z", re.IGNORECASE)
_CODE = re.compile(r"(?:[=(]|\breturn)\s*\Z")
_FOLLOW = re.compile(r"[ \t]*(?:\n|\Z|[;)<`]|\[/)")
_QUOTED = re.compile(
    rf"\{{[{{\s{lexis.ODD}]*+(?:[\"'“”„‘’`«＂「『\\…}}]|&quot;|&#34;|\.\.\.|//|/\*)|\[{_B}(?:\{{[{{\s]*+[\"'“”„‘’`«＂「『\\]|\[?{_B}[\"'])"
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
