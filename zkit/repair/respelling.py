"""One pass over tokens that are spelt otherwise, and commas: where nothing else is wrong, it is enough.

Each odd token becomes the JSON token it stands for, without a look at the structure; the strict
parser then tells whether the whole is sound. The pass gives up at the first token that could be
read in two ways, and the reader takes over from the start.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from zkit.repair.bare import spell_number
from zkit.repair.fixes import FIXES
from zkit.repair.outcome import Fix, Rank
from zkit.repair.strings import respell
from zkit.text import lexis

_S = lexis.SPACE
_ENDS = rf"(?={_S}(?:[,}}\]:]|\Z))"
_SOUND = rf"(?:(?!\"\"\"){lexis.STRING}|{lexis.NUMBER}|true|false|null|[}}\]])"
_TOKEN = re.compile(
    rf"(?:[ \t\n\r{{\[:]|,(?!{_S}[,}}\]])|{_SOUND}(?={_S}(?:[,:}}\]]|\Z)))*+"
    rf"(?:{lexis.SIMPLE}"
    rf"|(,)(?={_S}[}}\]])"
    rf"|({lexis.NAME})(?={_S}[:=])"
    rf"|{lexis.WORD}{_ENDS}"
    rf"|(\"[^\"\\]*+(?:\\.[^\"\\]*+)*+\"|'[^'\\]*+(?:\\.[^'\\]*+)*+'|`[^`\\]*+(?:\\.[^`\\]*+)*+`){_ENDS}"
    rf"|(//[^\n]*+(?=\n)|/\*(?:[^*]|\*(?!/))*+\*/)"
    rf"|([+-]?+(?:0[xX][0-9a-fA-F]++|[0-9]++\.?+[0-9]*+|\.[0-9]++)(?:[eE][+-]?+[0-9]++)?+){_ENDS}"
    rf"|([{lexis.ODD}]++)"
    rf"|(?<=[\"'\w ])(=>|=(?!=))"
    rf"|(,)(?={_S},)"
    rf"|{_SOUND}()(?={_S}[\"{{\[0-9tfn-]))?+",
    re.DOTALL,
)
_LITERALS = {"True": "true", "TRUE": "true", "False": "false", "FALSE": "false"}

Spelt = tuple[str, str, str] | None
"""The name of the fix, the JSON spelling, and a note; None when the token may mean two things."""


def _string(token: str) -> Spelt:
    body = respell(token[1:-1], token[0])
    if body is None or body.rank >= Rank.GUESS:
        return None
    name = body.name if token[0] == '"' else "use_double_quotes"
    return name, f'"{body.body}"', body.note


def _number(token: str) -> Spelt:
    new = spell_number(token)
    return None if new is None else ("respell_number", new, "")


_SPELL: tuple[Callable[[str], Spelt], ...] = (
    lambda token: ("use_double_quotes", f'"{token}"', ""),
    lambda token: ("drop_trailing_comma", "", ""),
    lambda token: ("quote_key", f'"{token}"', ""),
    lambda token: ("respell_literal", _LITERALS.get(token, "null"), ""),
    _string,
    lambda token: ("drop_comment", "", ""),
    _number,
    lambda token: ("plain_space", " ", ""),
    lambda token: ("use_colon", ":", ""),
    lambda token: ("drop_comma", "", ""),
    lambda token: ("add_comma", ",", ""),
)
"""One speller for each group of the pattern, in its order."""


def respelled(text: str, start: int, end: int) -> list[Fix] | None:
    """The fixes that make JSON tokens of all odd ones in the span; None when that is not enough."""
    fixes: list[Fix] = []
    pos = start
    while pos < end:
        match = _TOKEN.match(text, pos, end)
        group = match.lastindex if match is not None else None
        if match is None or group is None:
            return fixes if match is not None and match.end() == end else None
        spelt = _SPELL[group - 1](match.group(group))
        if spelt is None:
            return None
        name, new, note = spelt
        pos = match.end()
        first = match.start(group) - (group == 1)
        kind = FIXES[name]
        fixes.append(tuple.__new__(Fix, (name, kind.rank, first, pos, new, note or kind.doc)))
    return fixes
