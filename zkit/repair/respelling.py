"""One pass over tokens that are spelt otherwise, and commas: where nothing else is wrong, it is enough.

Each odd token becomes the JSON token it stands for, without a look at the structure; the strict
parser then tells whether the whole is sound. The pass gives up at the first token that could be
read in two ways, and the reader takes over from the start.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from zkit.receipt import Fix, Rank
from zkit.repair.bare import spell_number
from zkit.repair.fixes import FIXES, FixKind
from zkit.repair.strings import respell
from zkit.text import lexis

_S = lexis.SPACE
_REMARK = r"(?://|# )[^\n\"]*+(?:\"[^\n\"]*+\"[^\n\"]*+)*+(?=\n)|/\*(?:[^*]|\*(?!/))*+\*/"
"""A comment. One with an odd number of quotes may as well be the rest of a string."""
_ENDS = rf"(?={_S}(?:[,}}\]:={lexis.ODD}]|\Z|//|/\*|\# ))"
"""What may come after a token, in whatever spelling."""
_SOUND = rf"(?:(?!\"\"\"){lexis.STRING}|{lexis.DIGITS}|true|false|null|[}}\]])"
_RUN = rf"(?:[ \t\n\r{{\[:]++|(?<![{{\[]),(?!{_S}[,}}\]])|{_SOUND}{_ENDS})*+"
"""Sound tokens, none of them a comma too many."""

_ODD_TOKENS = (
    rf"(\"{{3}}[^\"]*+(?:\"(?!\"\")[^\"]*+)*+\"{{3}}|'{{3}}[^']*+(?:'(?!'')[^']*+)*+'{{3}}){_ENDS}",
    lexis.SIMPLE,
    rf"(,)(?={_S}[}}\]])",
    rf"({lexis.NAME})(?={_S}[:=])",
    rf"{lexis.WORD}{_ENDS}",
    rf"(\"[^\"\\]*+(?:\\.[^\"\\]*+)*+\"|'[^'\\]*+(?:\\.[^'\\]*+)*+'|`[^`\\]*+(?:\\.[^`\\]*+)*+`"
    rf"|“[^“”\\]*+(?:\\.[^“”\\]*+)*+”|«[^«»\\]*+(?:\\.[^«»\\]*+)*+»|‘[^‘’\\]*+(?:\\.[^‘’\\]*+)*+’"
    rf"|[”„][^“”„\\]*+(?:\\.[^“”„\\]*+)*+[“”]){_ENDS}",
    rf"({_REMARK})",
    rf"([+-]?+(?:0[xX][0-9a-fA-F]++|[0-9][0-9_]*+\.?+[0-9]*+|\.[0-9]++)(?:[eE][+-]?+[0-9]++)?+){_ENDS}",
    rf"([{lexis.ODD}]++)",
    r"(?<=[\"'\w ”»’`“])(=>|=(?!=)|：)",
    r"(?<=:)(=)",
    rf"(,)(?={_S},)",
    r"(?<=[{\[])(,)",
    rf"{lexis.STRING[:-1]}(\"(?:{_S}\+{_S}{lexis.STRING})++){_ENDS}",
    rf"(\\\"[^\"\\\x00-\x1f]*+\\\")(?={_S}[,}}\]])",
    rf"(?:(?!\"\"\"){lexis.SCALAR}|[}}\]])()(?={_S}[\"{{\[0-9tfn-])",
)
_TOKEN = re.compile(rf"{_RUN}(?:{'|'.join(_ODD_TOKENS)})?+", re.DOTALL)
_STRING = re.compile(lexis.STRING)
_LITERALS = {"True": "true", "TRUE": "true", "False": "false", "FALSE": "false"}

Odd = tuple[FixKind, str, str]
"""A fix, the JSON spelling, and a note."""


def _string(token: str) -> Odd | None:
    """A string of another kind, or with content that JSON escapes; None when it may mean two things."""
    if token[0] == "`" and "${" in token:
        return None
    body = respell(token[1:-1], token[0])
    if body is None or body.rank >= Rank.GUESS:
        return None
    name = body.name if token[0] == '"' else "use_double_quotes"
    return FIXES[name], f'"{body.body}"', body.note or FIXES[name].doc


def _tripled(token: str) -> str | None:
    body = respell(token[3:-3], "'")
    return None if body is None or body.rank >= Rank.GUESS else f'"{body.body}"'


def _added_up(token: str) -> str:
    """From the closing quote of the first string on: what the others hold, and one closing quote."""
    return "".join(part[1:-1] for part in _STRING.findall(token, 1)) + '"'


def _quoted(token: str) -> str:
    return f'"{token}"'


def _nothing(token: str) -> str:
    return ""


_QUOTES = FIXES["use_double_quotes"]
_SPELL: tuple[tuple[FixKind, Callable[[str], str | Odd | None]], ...] = (
    (_QUOTES, _tripled),
    (_QUOTES, _quoted),
    (FIXES["drop_trailing_comma"], _nothing),
    (FIXES["quote_key"], _quoted),
    (FIXES["respell_literal"], lambda token: _LITERALS.get(token, "null")),
    (_QUOTES, _string),
    (FIXES["drop_comment"], _nothing),
    (FIXES["respell_number"], spell_number),
    (FIXES["plain_space"], lambda token: " "),
    (FIXES["use_colon"], lambda token: ":"),
    (FIXES["drop_colon"], _nothing),
    (FIXES["drop_comma"], _nothing),
    (FIXES["drop_comma"], _nothing),
    (FIXES["join_strings"], _added_up),
    (_QUOTES, lambda token: f'"{token[2:-2]}"'),
    (FIXES["add_comma"], lambda token: ","),
)
"""For each of the odd tokens, in their order: the fix, and how it spells the token."""
_SIMPLE = 2
"""The group that holds a string without the quotes around it."""


class Respelt(NamedTuple):
    """The JSON of a span, and the fixes that made it."""

    json: str
    fixes: list[Fix]
    rank: Rank


def respelled(text: str, start: int, end: int) -> Respelt | None:
    """Make JSON tokens of all odd ones in the span; None when that is not enough."""
    fixes: list[Fix] = []
    pieces: list[str] = []
    rank, done = Rank.EXACT, start
    for match in _TOKEN.finditer(text, start, end):
        group = match.lastindex
        if group is None:
            if match.end() != end:
                return None
            break
        kind, spell = _SPELL[group - 1]
        spelt = spell(match[group])
        if spelt is None:
            return None
        if isinstance(spelt, str):
            new, note = spelt, kind.doc
        else:
            kind, new, note = spelt
        first = match.start(group) - (group == _SIMPLE)
        pieces += (text[done:first], new)
        done = match.end()
        fixes.append(_new(Fix, (kind.name, kind.rank, first, done, new, note, "")))
        if kind.rank > rank:
            rank = kind.rank
    pieces.append(text[done:end])
    return Respelt("".join(pieces), fixes, rank)


_new = tuple.__new__
