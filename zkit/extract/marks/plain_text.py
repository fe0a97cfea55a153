"""The tools in, the pattern out that passes over text in which nothing can matter.

The scan stops at everything that may begin a call. Most of what it stops at in an answer full of
code, quotations and lists is settled by a look at its line; this pattern takes such stretches at
the speed of `re`, many at a time. It never decides anything: what it passes over is what the
handlers would have called text, whatever comes after it.
"""

from __future__ import annotations

import re
from functools import lru_cache

from zkit.extract.arriving_text import MOST_HEADER
from zkit.extract.bodies.call_objects import OPENING_KEYS
from zkit.extract.declared import PREFIXES
from zkit.extract.marks.search_patterns import (
    BRACKETED,
    CALL_FENCES,
    CALLING,
    LINE_FIRST,
    inline_hooks,
    line_hook,
    tags_of,
)  # fmt: skip

LOOK_AHEAD = 200
"""How much text must have come before something that no hook begins with is known to be none."""
_FOLLOWED = rf"(?=[\s\S]{{{LOOK_AHEAD}}})"
_PROSE = r"[^<\[\]`✿◁\n]++"
_OTHER_RUNS = {1: "``++", 2: "`(?!`)|```++", 3: "`(?!`)|``(?!`)|````++"}
"""Backticks that neither open nor close code between so many of them."""
_QUOTED_LINE = r"\n[ \t]*+(?:>(?!>>)|\|)[^\n]*+(?=\n)"
_CALL_WORDS = "name|tool|function|action|calls|role"
"""One of these is a part of a key in every object that spells a call or a turn of a talk."""
_MARKED, _NAMED = re.compile(r"\(\?P<\w+>\)"), re.compile(r"\(\?P<\w+>")


@lru_cache(maxsize=256)
def plain_text(names: str) -> re.Pattern[str]:
    """Stretches of text in which nothing can matter, for tools of these names."""
    hooks = "|".join((tags_of(names).pattern, *inline_hooks()))
    no_hook = rf"(?!{_unnamed(hooks)})[<\[\]✿◁]{_FOLLOWED}"
    parts = (_PROSE, _line(), _code(), no_hook, _QUOTED_LINE, _object(names), _list(), _block())
    return re.compile(rf"(?:{'|'.join(parts)})++")


def _unnamed(pattern: str) -> str:
    """A pattern without names for its groups."""
    return _NAMED.sub("(?:", _MARKED.sub("", pattern))


def _line() -> str:
    """The beginning of a line that no hook stands at."""
    other = rf"(?=[ \t]*+[^ \t][\s\S])(?![ \t]*+{LINE_FIRST})"
    return rf"\n(?:{other}|(?!{_unnamed(line_hook(True)[2:])}){_FOLLOWED})"


def _code() -> str:
    """Code in a line between one, two or three backticks, and backticks that nothing closes."""
    parts = []
    for size, other in _OTHER_RUNS.items():
        fence = rf"(?!(?i:{CALL_FENCES})[ \t\r]*+\n)" if size == 3 else ""
        ticks, inside = "`" * size + "(?!`)" + fence, rf"(?:[^`\n]++|{other})"
        parts.append(rf"{ticks}(?:{inside}++{'`' * size}(?=[^`])|(?={inside}*+\n))")
    return "|".join(parts)


def _object(names: str) -> str:
    """A brace at the beginning of a line after which no key of a call stands; a flat object of data."""
    keys = "|".join(sorted(OPENING_KEYS, key=len, reverse=True))
    prefixes = "|".join(re.escape(prefix) for prefix in PREFIXES)
    other = rf"\n[ \t]*+\{{(?![\s\"'`*]*+(?:{prefixes})?(?:{keys}|{names})){_FOLLOWED}"
    return rf"{other}|\n[ \t]*+\{{(?![^\n]*?(?:{_CALL_WORDS}|{names}))[^\n{{}}\[\]]*+\}}(?=\n)"


def _list() -> str:
    """A bracket at the beginning of a line that opens no mark, no call and no list of objects."""
    opens = rf"{_unnamed(CALLING)}|[\[\s]{{0,{MOST_HEADER}}}+(?:\{{|\Z)"
    return rf"\n[ \t]*+(?!{_unnamed(BRACKETED)})\[(?!{opens}){_FOLLOWED}"


def _block() -> str:
    """A fenced block whose info string says that it holds no call."""
    return "|".join(_block_between(mark) for mark in ("```", "````", "~~~"))


def _block_between(mark: str) -> str:
    closer = rf"[ \t]*+{mark}[`~]*+[ \t]*+(?=\r?\n|<)"
    return (
        rf"\n[ \t]*+{mark}(?![`~])[ \t]*+(?!(?i:{CALL_FENCES})?[ \t\r]*+[\n\[{{<])[^\n`]{{1,80}}+\n"
        rf"(?:(?!{closer})[^\n]*+\n)*+{closer}"
    )
