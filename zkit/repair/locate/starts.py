"""Find where a value may begin, and what encloses it: fences, tags, reasoning, larger values."""

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
    """The end of what may belong to the value at `start`: closing fence, tags and tokens cut off."""
    end = len(text)
    while end > start and text[end - 60 : end].rstrip()[-1:] in ("`", "~", ">", "]"):
        tail = text[max(start, end - 200) : end]
        match = _TAIL.search(tail)
        if match is None:
            break
        tag, fence = match.group("tag", "fence")
        if tag and text.rfind(f"<{tag}", max(0, start - SURROUNDINGS), start) < 0:
            break
        if fence and _fence_before(text, start) is None:
            break
        end -= len(tail) - match.start()
    return max(end, start + 1)


_TAIL = re.compile(rf"(?:{TOKEN}|</(?P<tag>[A-Za-z_][\w:.-]*)>|(?P<fence>```|~~~))\s*\Z")
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


# ── beginnings ──────────────────────────────────────────────────────────────


_S = lexis.ANY_SPACE
_QUOTES = r"\"'“”„‘’`«＂「『"
_IN_OBJECT = (
    rf"[{_QUOTES}}},…]|\\+\"|\\n|\\\r?+\n|&quot;|&#34;|//|/\*|#|\.\.\."
    rf"|\{{{_S}(?:[{_QUOTES}}}\\&]|{lexis.NAME}{_S}:)"
    rf"|(?:{lexis.NAME}|[0-9]+){_S}(?::|=(?!=))|{lexis.NAME}\"{_S}:|:{lexis.NAME}{_S}=>"
    rf"|[uUbBrR]{{1,2}}[\"']|\w\"[^\"\\\n]{{1,80}}+\"{_S}:|[-•+*_]{{1,3}}+[ \t]*+[\"\w]"
)
"""What may come after the brace of an object, in whatever spelling: its first key, a comment, its end."""
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
        in_string = (not lexis.is_outside(text, match.start(), line or at)) != (
            in_string and not line
        )
        at = match.end()
        end = end if in_string else at
    return len(text) if _open_reasoning(text, end) else end


def begins_answer(text: str, start: int) -> bool:
    """Whether nothing comes before the place, or reasoning just ended there."""
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
    """Whether an odd number of quotes comes before the place on its line."""
    return not lexis.is_outside(text, pos, text.rfind("\n", 0, pos) + 1)


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


# ── enclosing ───────────────────────────────────────────────────────────────


_NESTED = re.compile(
    r"(?:\A|[{,\[(])\s*(?:[\"'“„”«`]|\\\"|&quot;|&#34;)[^\"'“”»`\n]{0,80}(?:[\"'“”»`]|&quot;|&#34;)\s*(?::|=>?)\s*[\"']?\Z"
)
_KEY_END = re.compile(r"[\"'“”»`;]\s*+(?::|=>?)\s*+[\"']?\Z")
_LAST_ARGUMENT = re.compile(r",\s*+\w++\s*+[:=]\s*+\Z")
_FIRST_ARGUMENT = re.compile(r"\w\s*+[:=]")
_CALLED_WITH = re.compile(r"\(\s*\Z")


def nested(text: str, start: int, after: int = 0) -> bool:
    """Whether the candidate is the value of a key or an argument: part of something larger.

    What comes before `after` belongs to other values.
    """
    head = text[max(after, start - 240) : start]
    last = head.rstrip()[-1:]
    return (last in _QUOTED_JOINTS and _under_key(head[-120:])) or _in_call(head)


def is_argument(text: str, start: int) -> bool:
    """Whether the candidate is an argument of a call, or one of several named ones."""
    return _in_call(text[max(0, start - 240) : start])


def _in_call(head: str) -> bool:
    comma = head.rfind(",")
    if comma >= 0 and _LAST_ARGUMENT.match(head, comma):
        return _FIRST_ARGUMENT.search(head[head.rfind("\n", 0, comma) + 1 : comma]) is not None
    line = head[head.rfind("\n") + 1 :]
    if (
        "\\(" in line
    ):  # Llama 3.1 explains in LaTeX before its answer: `\\(S_n = \\frac{n}{2}[2a + d]\\)`
        line = line.replace("\\(", "").replace("\\)", "")
    return line.count("(") > line.count(")") and not _CALLED_WITH.search(line)


def enclosed(text: str, start: int, end: int) -> bool:
    """Whether a brace opens before the candidate and closes after it: it is part of something larger.

    For a list it is enough that the brace opens: the text may have been cut.
    """
    if _depth(text[:start]) <= 0:
        return False
    return text[start] == "[" or _depth(text[end:]) < 0


def _depth(text: str) -> int:
    """How many more braces open than close."""
    return sum(map(text.count, "{｛")) - sum(map(text.count, "}｝"))


_QUOTED_JOINTS = frozenset(":=>\"'")
"""What the text before a value ends in when the value is part of something larger."""


def _under_key(head: str) -> bool:
    """Whether a quoted key and its colon come last."""
    return _KEY_END.search(head) is not None and _NESTED.search(head) is not None


_TORN_END = re.compile(r"[\"'](?<!\\.)\s*+[}\]]++\s*+(?:```)?+\s*+\Z")
_TORN = re.compile(r"[\"'](?<!\\.)\s*+,\s*+([\"'])[\w$ -]{1,60}+\1\s*+:")
_MORE = re.compile(r"(?<=\})\s*+,[\s,]*+\\?+[\"'“„«][^\"'“”»\n{}:]{1,60}+[\"'”“»]?\s*+:")
"""After an object: commas and something that reads as a key, whatever became of its quotes."""
_HALF_MEMBER = re.compile(r"(?<=[}\]])\s*+,\s*+[\"'“„«][^\"'“”»\n{}]{0,80}+[\"'”“»]?+\s*+:?+\s*+\Z")
_LAST_COMMA = re.compile(r"(?<=[}\]])\s*+,\s*+\Z")


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
    near = end + SURROUNDINGS if start is None else min(start, end + SURROUNDINGS)
    if _TORN.search(text, end, near):
        return True
    return start is None and _TORN_END.search(text[max(end, len(text) - 80) :]) is not None


_COMMA_AND_MORE = re.compile(rf"{lexis.ANY_SPACE},{lexis.ANY_SPACE}[^{{\[{lexis.ODD}\s]")


def _goes_on_and_closes(text: str, end: int) -> bool:
    """Whether a comma and anything but another value come next, and then a closer that nothing opens."""
    if len(text) > end + SURROUNDINGS or _COMMA_AND_MORE.match(text, end) is None:
        return False
    return text.count("}", end) > text.count("{", end)
