"""A token whose quotes are off in, the JSON string that the reader would settle on too out.

These are the guesses without a rival: what stands around the token leaves no other reading at the
same price. Where there may be one, they give up, and the reader weighs them all.
"""

from __future__ import annotations

import re

from zkit.receipt import Rank
from zkit.repair.fixes import FIXES, GUESS
from zkit.repair.search.bare import is_text
from zkit.repair.search.strings import respell
from zkit.text import lexis

_S, _G = lexis.SPACE, lexis.GAP
MORE = rf"(?={_S}(?:,{_S}[\"'{{\[0-9tfn-]|[}}\]]))"
"""After the last quote of a string: a comma and another value or key, or a closer."""
_KEY_NEXT = rf"[\"'][^\"'\\\n]{{1,80}}+[\"']{_S}:"
_STRUCTURE = (
    rf"{_G}(?:,{_G}(?:[\"'`“,{{\[\]}}0-9tfnTFN+.-]|{lexis.NAME}{_G}[:=])|[}}\]:]|\Z|{_KEY_NEXT})"
)
"""After a quote: what may make it the last one of a string."""


def with_quotes_inside(quote: str) -> str:
    """A string up to the first quote that something structural follows."""
    inside = rf"{quote}(?!{_STRUCTURE})"
    return rf"{quote}(?!{_S}(?:\{{{_S}\"|{quote}))(?:[^{quote}\\]++|\\.|{inside})*+{quote}"


_COMMA_INSIDE = rf",(?!{_S}(?:\"|{lexis.NAME}{_S}[:=]))"
APOSTROPHES = with_quotes_inside("'")
UNOPENED_KEY = rf"({lexis.NAME}\")(?={_S}:)"
UNCLOSED_KEY = rf"(?<!:)(?<!: )(\"{lexis.NAME})(?=:{_S}[\"{{\[0-9tfn-])"
UNOPENED = rf"([^\W\d_](?:[^\"\\,{{}}\[\]\n]++|\\.|{_COMMA_INSIDE})*+\"){MORE}"
UNCLOSED = rf"(\"(?:[^\"\\\n,]++|\\.|,(?!{_S}\"))*+)(?=,{_S}\"{lexis.NAME}\"{_S}:)"
PATH = rf"(\"[A-Za-z]:(?:\\[\w .()$%@+~-]++)*+\\\")(?=[}}\]\s]*+,{_S}\"{lexis.NAME}\"{_S}:)"
"""A Windows path whose last backslash escapes its closing quote; a key comes after it."""
PHRASE = (
    r"((?:[^\W_]|[/~]|\.{1,2}/|\.(?=[^\W\d]))[^\"'\\,{}\[\]()\n]*+)"
    rf"(?={_S}(?:[}}\]][}}\]\s]*+)?+(?:,{_S}\"[^\"\\\n]{{1,80}}+\"{_S}:|\Z))"
)

_FIRST_PART = re.compile(r"[^'\\]*+(?:\\.[^'\\]*+)*+'", re.DOTALL)
"""The content of a string up to its first apostrophe that is not escaped."""
_OPERATOR = re.compile(r"(?:or|and|if|true|false|null|True|False|None)\b")
_KEY_INSIDE = re.compile(r"(?<!\\)[\"']\s*+:")
_NO_TEXT = re.compile(r"(?:true|false|null|True|False|None)\b|[rRbBuUfF]{1,2}\Z")

Guess = tuple[str, Rank, str, str]
"""The name of a fix, its rank, the JSON spelling, and a note."""


def apostrophes(token: str) -> Guess | None:
    """A string between single quotes with apostrophes inside, the first of them before a word."""
    body = token[1:-1]
    first = _FIRST_PART.match(body)
    if first is None or not _begins_quotation(body, first.end()):
        return None
    if "+" in body or _KEY_INSIDE.search(body) or _uneven(body):
        return None
    spelt = respell(body, "'")
    if spelt is None:
        return None
    kind = FIXES["escape_inner_quote"]
    return kind.name, GUESS, f'"{spelt.body}"', spelt.note or kind.doc


def _begins_quotation(body: str, at: int) -> bool:
    """Whether the apostrophe before `at` can be nothing but a part of the content."""
    before, word = body[: at - 1].rstrip(lexis.BLANKS + "{["), body[at:]
    if not (word[:1].isalpha() or word[:1] in _BEGINNINGS) or _OPERATOR.match(word):
        return False
    return before[-1:] not in (":", ",", "") and not body.endswith("\\\\'", 0, at)


_BEGINNINGS = frozenset("_<>($@!?~^")


def _uneven(body: str) -> bool:
    return body.count("{") > body.count("}") or body.count("[") > body.count("]")


def unopened(token: str) -> str | None:
    """A string without its opening quote."""
    content = token[:-1]
    body = None if _NO_TEXT.match(content) else respell(content)
    return None if body is None or body.rank >= GUESS else f'"{body.body}"'


def unclosed(token: str) -> str | None:
    """A string without its closing quote."""
    last = token[-1:]
    if token.endswith((",", "...", "…")):
        return None
    body = respell(token[1:])
    if last in "\"}]{[:“”\\'`’»" or last.isspace() or body is None or body.rank >= GUESS:
        return None
    return f'"{body.body}"'


def path(token: str) -> str | None:
    """A path that ends in a backslash."""
    body = respell(token[1:-1] + "\\", path=True)
    return None if body is None else f'"{body.body}"'


def phrase(token: str) -> str | None:
    """Words without quotes."""
    words = token.rstrip()
    if " //" in words or "..." in words or "…" in words or _NO_TEXT.match(words):
        return None
    return f'"{words}"' if is_text(words) else None
