"""The tools in, the one pattern out that finds everything in a text that may matter."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import NamedTuple

import regex

from zkit.extract import regions
from zkit.extract.alternation import by_first
from zkit.extract.envelopes import BODIES, WRAPPERS

LABEL = r"(?:(?:\*\*|__|#{1,4}[ \t]|[0-9]{1,2}[.)][ \t])*+)"
_LABELS = (
    "Action|Thought|Plan|Reflection|Call|Observation|Result|Final Answer|Answer|TOOL_NAME|tool_name"
)


class Hooks(NamedTuple):
    """Where to stop in a text, and how to tell whether its end may be the beginning of a stop."""

    search: tuple[re.Pattern[str], ...]
    partial: regex.Pattern[str]
    new_line: regex.Pattern[str]
    line: regex.Pattern[str]


def _quoting() -> str:
    tags = (*regions.QUOTING_TAGS, *regions.RESULT_TAGS)
    return "|".join(rf"<{tag}(?=[\s>])|<{tag.upper()}(?=[\s>])" for tag in tags)


def _inline(tools: bool) -> list[tuple[str, str]]:
    """What counts wherever it stands. The order decides between two at the same place."""
    always = [
        ("marked", "|".join(r.opener for r in regions.MARKED_REASONING)),
        ("orphan", regions.ORPHANS),
        ("think", "|".join(r.opener for r in regions.TAGGED_REASONING)),
        ("answer", "|".join(r.opener for r in regions.ANSWERS)),
        ("channel", r"<\|start\|>|<\|channel\|>"),
        ("stop", regions.TOKENS),
    ]
    if not tools:
        return always
    return [
        *always[:-1],
        ("result", regions.RESULTS),
        ("start", "|".join(_starts())),
        ("quoting", _quoting()),
        ("comment", "<!--"),
        ("tick", "``*+"),
        always[-1],
    ]


def _starts() -> list[str]:
    free = [start for start, _ in BODIES.values()]
    wrappers = [w.opener for w in WRAPPERS if not w.opener.startswith("functools")]
    return [*free, *wrappers]


def _lines(tools: bool) -> str:
    """What counts only where a line begins."""
    spoken = "|".join(r.opener for r in regions.SPOKEN_REASONING)
    if not tools:
        return rf"(?P<spoken>{spoken})"
    return (
        rf"(?P<fence>`{{3,}}+|~{{3,}}+)|(?P<spoken>{spoken})|(?P<functionary>>>>)|(?P<quote>>)|(?P<row>\|)"
        rf"|(?P<functools>functools\[)|(?P<json>[{{\[](?=\s*+[\[{{\"'\w]))|(?P<functions>functions\.(?=\w))"
        rf"|(?P<stripped>{regions.STRIPPED_CHANNEL})|{LABEL}(?P<label>{_LABELS})(?:[ \t]?[0-9]{{1,2}})?+(?:\*\*|__)?+[ \t]*+:"
    )


@cache
def hooks_for(tools: bool) -> Hooks:
    """The hooks for a reply; without tools only reasoning is looked for."""
    lines = _lines(tools)
    line = rf"\n(?P<indent>[ \t]*+)(?:{lines})"
    searches = [*by_first(_inline(tools)), line]
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
    return regex.compile(f"{free}|{wrappers().pattern}")


@cache
def wrappers() -> regex.Pattern[str]:
    """What opens an envelope."""
    return regex.compile("|".join(f"(?P<w_{i}>{w.opener})" for i, w in enumerate(WRAPPERS)))


FIRST_NAME = regex.compile(
    r"\s*+(?P<full>(?:functions\.)?(?P<name>[^\s<>{}()\[\]\"'|,;]{1,128}+))"
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
    reasoning = "|".join(regions.REASONING_TAGS)
    return re.compile(rf"<(?!(?:{reasoning})\s*+>)(?:{names})\s*+/?>")
