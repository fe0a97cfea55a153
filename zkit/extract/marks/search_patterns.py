"""The tools in, the one pattern out that finds everything in a text that may matter."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import NamedTuple

import regex

from zkit.extract.bodies.envelopes import BODIES, WRAPPERS
from zkit.extract.marks import set_apart
from zkit.extract.marks.first_match import alternatives, by_first

LABEL = r"(?:(?:\*\*|__|#{1,4}[ \t]|[0-9]{1,2}[.)][ \t])*+)"
RESULT_LABELS = (
    r"Observation|(?:Tool |Function |API )?(?:[Rr]esult|[Oo]utput|[Rr]esponse)s?|Returned|Returns"
)
"""How a model labels what it thinks a tool would answer."""
_LABELS = (
    rf"Action|Thought|Plan|Reflection|Call|{RESULT_LABELS}|Final Answer|Answer|TOOL_NAME|tool_name"
)


LINE_FIRST = r"(?:[`~>|{\[*_#0-9]|He|fu|co|a[sn]|A[cn]|T[hOo]|to|Pl|Re|re|Ca|O[bu]|ou|F[iu]|AP)"
"""What the hooks that begin a line begin with: a quick look before a careful one."""
MOST_TICKS = 20
"""Code in a line stands between at most so many backticks: more of them are an ornament."""
BRACKETED = (
    r"(?:(?P<start>\[TOOL_CALLS\]|\[TOOL_REQUEST\]|\[TOOL_CALL\]|\[Calling tool:|\[\[ ## next_tool_name)"
    r"|(?P<result>\[TOOL_RESULTS?\]|\[\[ ## observation)|(?P<marked>\[THINK\]|\[\[ ## next_thought)"
    r"|(?P<orphan>\[/THINK\]|\[BEGIN FINAL RESPONSE\])|(?P<stop>\[END FINAL RESPONSE\]|\[[BE]OS\]|\[gMASK\]))"
)
"""Marks in brackets: at the beginning of a line they look like a list at first."""
CALLING = r"\s*+(?P<name>[^\W\d][\w.:/-]*+)\s*+\("
"""After a bracket: a call in Python's way."""
FENCES = {
    "": "fence_object", "json": "fence_object", "xml": "fence_object", "tool_call": "fence_call",
    "tool_calls": "fence_call", "function_call": "fence_call", "tool_use": "fence_call",
    "tool_code": "fence_python", "tool": "lines",
}  # fmt: skip
"""The info strings of fences that may hold a call, and what they hold."""
CALL_FENCES = "|".join(sorted(filter(None, FENCES), key=len, reverse=True))


_TAG_NAME = re.compile(r"<[a-z_]{2,}")


class Hooks(NamedTuple):
    """Where to stop in a text, and how to tell whether its end may be the beginning of a stop."""

    search: tuple[re.Pattern[str], ...]
    partial: regex.Pattern[str]
    new_line: regex.Pattern[str]
    line: regex.Pattern[str]


def _quoting() -> str:
    tags = (*set_apart.QUOTING_TAGS, *set_apart.RESULT_TAGS)
    return "|".join(rf"<{tag}(?=[\s>])|<{tag.upper()}(?=[\s>])" for tag in tags)


def _inline(tools: bool) -> list[tuple[str, str]]:
    """What counts wherever it stands. The order decides between two at the same place."""
    always = [
        ("marked", "|".join(r.opener for r in set_apart.MARKED_REASONING)),
        ("orphan", set_apart.ORPHANS),
        ("think", "|".join(r.opener for r in set_apart.TAGGED_REASONING)),
        ("answer", "|".join(r.opener for r in set_apart.ANSWERS)),
        ("channel", r"<\|start\|>|<\|channel\|>"),
        ("stop", set_apart.TOKENS),
    ]
    if not tools:
        return always
    return [
        *always[:-1],
        ("result", set_apart.RESULTS),
        ("start", "|".join(_starts())),
        ("quoting", _quoting()),
        ("comment", "<!--"),
        ("tick", "``*+"),
        always[-1],
    ]


def _starts() -> list[str]:
    free = [start for start, _ in BODIES.values()]
    wrappers = [w.opener for w in WRAPPERS if not w.opener.startswith("functools")]
    starts = [one for pattern in (*free, *wrappers) for one in alternatives(pattern)]
    return [*starts, *filter(None, map(_shouted, starts))]


def _shouted(start: str) -> str:
    """A tag in capitals; nothing for what is no tag."""
    tag = _TAG_NAME.match(start)
    return "" if tag is None else f"{tag.group().upper()}(?i:{start[tag.end() :]})"


def _lines(tools: bool) -> str:
    """What counts only where a line begins."""
    spoken = "|".join(r.opener for r in set_apart.SPOKEN_REASONING)
    if not tools:
        return rf"(?P<spoken>{spoken})"
    return (
        rf"(?P<fence>`{{3,}}+|~{{3,}}+)|(?P<spoken>{spoken})|(?P<functionary>>>>)|(?P<quote>>)|(?P<row>\|)"
        rf"|(?P<functools>functools\[)|(?P<json>[{{\[](?=\s*+[\[{{\"'“\w]))|(?P<functions>functions\.(?=\w))"
        rf"|(?P<stripped>{set_apart.STRIPPED_CHANNEL})|{LABEL}(?P<label>{_LABELS})(?:[ \t]?[0-9]{{1,2}})?+(?:\*\*|__)?+[ \t]*+:"
    )


@cache
def inline_hooks() -> tuple[str, ...]:
    """The patterns of what counts wherever it stands, one for each first character."""
    return tuple(by_first(_inline(True)))


@cache
def line_hook(tools: bool) -> str:
    """The pattern of what counts only where a line begins."""
    return rf"\n(?P<indent>[ \t]*+)(?={LINE_FIRST})(?:{_lines(tools)})"


@cache
def hooks_for(tools: bool) -> Hooks:
    """The hooks for a reply; without tools only reasoning is looked for."""
    lines, line = _lines(tools), line_hook(tools)
    searches = [*(inline_hooks() if tools else by_first(_inline(False))), line]
    return Hooks(
        tuple(re.compile(search) for search in searches),
        regex.compile("|".join(searches)),
        regex.compile(line),
        regex.compile(rf"(?P<indent>\s*+)(?:{lines})"),
    )


@cache
def openers() -> regex.Pattern[str]:
    """What opens a call: `b_` and the kind of a body, or `w_` and the number of an envelope."""
    free = "|".join(f"(?P<b_{kind}>{start})" for kind, (start, _) in BODIES.items())
    return regex.compile(f"{free}|{wrappers().pattern}", regex.IGNORECASE)


@cache
def wrappers() -> regex.Pattern[str]:
    """What opens an envelope."""
    wrapped = "|".join(f"(?P<w_{i}>{w.opener})" for i, w in enumerate(WRAPPERS))
    return regex.compile(wrapped, regex.IGNORECASE)


FIRST_NAME = regex.compile(
    r"\s*+(?P<full>(?P<braces>call:)?+(?:functions\.)?(?P<name>[^\s<>{}()\[\]\"'|,;]{1,128}+))"
    r"(?:(?:[ \t\r]*+\n\s*+|\[ARGS\])?+(?P<object>(?=\{))|(?P<call>(?=\([^\W\d]\w*+\s*+=(?!=))))"
)
"""A name, then an object or named arguments, and nothing before them."""
TRIGGER = re.compile(r"[<\[\]`✿◁\n]")
"""Every hook begins with one of these."""
TAG_BEGUN = re.compile(r"<[^\s<>{}()\[\]\"'|,;]{0,128}+\s{0,8}+/?\Z")
"""A tag that has not closed yet at the end of the text."""


@lru_cache(maxsize=256)
def tags_of(names: str) -> re.Pattern[str]:
    """The tags that bear one of the names, but for those that set reasoning apart."""
    reasoning = "|".join(set_apart.REASONING_TAGS)
    return re.compile(rf"<(?!(?:{reasoning})\s*+>)(?:{names})\s*+/?>")


OPENING_KEY = regex.compile(r"[\[\s]*+\{\s*+(?:\"(?P<key>[^\"\n]{0,80})\"|'(?P<key>[^'\n]{0,80})'|“(?P<key>[^“”\n]{0,80})”|(?P<key>[\w.-]{1,80}+))\s*+:")  # fmt: skip
"""The first key of an object, or of the first object in a list."""
LISTED_CALL = regex.compile(rf"\[{CALLING}")
"""A list that begins with a call in Python's way."""
