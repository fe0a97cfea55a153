"""One pass over tokens that are spelt otherwise, and commas: where nothing else is wrong, it is enough.

Each odd token becomes the JSON token it stands for, without a look at the structure; the strict
parser then tells whether the whole is sound. The pass gives up at the first token that could be
read in two ways, and the reader takes over from the start.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from zkit.receipt import Fix, Rank
from zkit.repair.fixes import EXACT, FIXES, GUESS
from zkit.repair.search.bare import spell_number
from zkit.repair.search.scripts import may_be_script
from zkit.repair.search.strings import respell
from zkit.repair.short_ways import guesses, quotations
from zkit.repair.sound import strict
from zkit.text import lexis

_S = lexis.SPACE
_REMARK = r"(?://|# )[^\n\"]*+(?:\"[^\n\"]*+\"[^\n\"]*+)*+(?=\n)|/\*(?:[^*]|\*(?!/))*+\*/"
"""A comment. One with an odd number of quotes may as well be the rest of a string."""
_AFTER = rf"[,}}\]:={lexis.ODD}{lexis.OTHER_COMMAS}]|\Z|//|/\*|\# "
_ENDS = rf"(?={_S}(?:{_AFTER}))"
"""What may come after a token, in whatever spelling."""
_STRICT_STRING = lexis.STRING.replace('"', r'"(?!"")', 1)
_COMMA = rf",(?!{_S}[,}}\]])"
_SOUND = (lexis.STRING, r"[}\]]", "true", "false", "null", lexis.DIGITS)
_JOINT = rf"(?:, ?+(?![ \t\n\r,}}\]])|{_S}(?::{_S}|{_COMMA}{_S}|(?={_AFTER})))"
_RUN = (
    rf"(?:{'|'.join(token + _JOINT for token in _SOUND)}"
    rf"|[ \t\n\r{{\[:]++|(?<![{{\[]){_COMMA})*+"
)
"""Sound tokens, none of them a comma too many."""

Odd = guesses.Guess
_Spell = Callable[[str], str | Odd | None]

_LITERALS = {"True": "true", "TRUE": "true", "False": "false", "FALSE": "false"}
_STRING = re.compile(lexis.STRING)


_IF_KEY_NOT_SO = re.compile(r".\".*+(?<=\".)|.\w++(?:\\_\w++)++.", re.DOTALL)
"""Strings whose content reads otherwise in a key: between quotes of its own, or with `\\_` in a name."""


def _string(token: str) -> Odd | None:
    """A string of another kind, or with content that JSON escapes; None when it may mean two things."""
    if (token[0] == "`" and "${" in token) or _IF_KEY_NOT_SO.fullmatch(token):
        return None
    if token[0] == '"' and may_be_script(token):
        return None
    body = respell(token[1:-1], token[0])
    if body is None or body.inner:
        return None
    name = body.name if token[0] == '"' or body.rank >= GUESS else "use_double_quotes"
    kind = FIXES[name]
    return name, kind.rank, f'"{body.body}"', body.note or kind.doc


def _tripled(token: str) -> str | None:
    body = respell(token[3:-3], "'")
    return None if body is None or body.rank >= GUESS else f'"{body.body}"'


def _added_up(token: str) -> str:
    """From the closing quote of the first string on: what the others hold, and one closing quote."""
    return "".join(part[1:-1] for part in _STRING.findall(token, 1)) + '"'


_PLAIN = "|".join(
    rf"{first}[^{first}{last}\"\\\x00-\x1f]*+{last}" for first, last in ("''", "“”", "‘’", "«»")
)
"""Strings in other quotes whose content is spelt as JSON spells it."""
_DOUBLE_QUOTED = r"\"[^\"\\]*+(?:\\.[^\"\\]*+)*+\""
_QUOTED = (
    r"'[^'\\]*+(?:\\.[^'\\]*+)*+'|`[^`\\]*+(?:\\.[^`\\]*+)*+`"
    r"|“[^“”\\]*+(?:\\.[^“”\\]*+)*+”|«[^«»\\]*+(?:\\.[^«»\\]*+)*+»|‘[^‘’\\]*+(?:\\.[^‘’\\]*+)*+’"
    r"|[”„][^“”„\\]*+(?:\\.[^“”„\\]*+)*+[“”]"
)
_TRIPLED = r"\"{3}[^\"]*+(?:\"(?!\"\")[^\"]*+)*+\"{3}|'{3}[^']*+(?:'(?!'')[^']*+)*+'{3}"
_NUMBER = rf"[+{lexis.MINUS}-]?+(?:0[xX][0-9a-fA-F]++|[0-9][0-9_]*+\.?+[0-9]*+|\.[0-9]++)(?:[eE][+-]?+[0-9]++)?+"
_ESCAPED = rf"\\\"[^\"\\\x00-\x1f]*+\\\"(?!{_S}:)"
_BEFORE_COMMA = rf"(?:{_STRICT_STRING}|{lexis.NUMBER}|true|false|null|[}}\]])"

_FIRST_GROUP = "|".join(rf"(?<=[ \t\n,\[:]{'[0-9]' * digits})" for digits in (1, 2, 3))
_GROUP = rf"(?:{_FIRST_GROUP}) [0-9]{{3}}[.,\]]"
"""After a number: three more digits, so that both may be one."""

_ODD: tuple[tuple[str, str, str | int | _Spell], ...] = (
    (rf"({_PLAIN}){_ENDS}", "use_double_quotes", 1),
    (rf"({lexis.NAME})(?={_S}(?::(?!//)|=))", "quote_key", 0),
    (rf"(,)(?={_S}[}}\]])", "drop_trailing_comma", ""),
    (rf"({_DOUBLE_QUOTED}){_ENDS}", "escape_control_character", _string),
    (rf"({_QUOTED}){_ENDS}", "use_double_quotes", _string),
    (rf"{lexis.WORD}{_ENDS}", "respell_literal", lambda token: _LITERALS.get(token, "null")),
    (rf"({_REMARK})", "drop_comment", ""),
    (rf"({_NUMBER}){_ENDS}", "respell_number", spell_number),
    (rf"([{lexis.ODD}]++)", "plain_space", " "),
    (r"(?<=[\"'\w ”»’`“])(=>|=(?!=)|：)", "use_colon", ":"),
    (rf"([{lexis.OTHER_COMMAS}])", "use_comma", ","),
    (rf"(?<=:)(=)(?!{lexis.FORMULA.pattern})", "drop_colon", ""),
    (rf"(,)(?={_S},)", "drop_comma", ""),
    (r"(?<=[{\[])(,)", "drop_comma", ""),
    (rf"{_BEFORE_COMMA}()(?={_S}[\"{{\[])", "add_comma", ","),
    (rf"{lexis.STRING[:-1]}(\"(?:{_S}\+{_S}{lexis.STRING})++){_ENDS}", "join_strings", _added_up),
    (rf"({_TRIPLED}){_ENDS}", "use_double_quotes", _tripled),
    (rf"({_ESCAPED}){_ENDS}", "use_double_quotes", 2),
    (guesses.PATH, "add_closing_quote", guesses.path),
    (guesses.UNOPENED_KEY, "add_opening_quote", lambda token: f'"{token}'),
    (guesses.UNCLOSED_KEY, "add_closing_quote", lambda token: f'{token}"'),
    (guesses.UNCLOSED, "add_closing_quote", guesses.unclosed),
    (quotations.UNDER_KEY, "escape_inner_quote", quotations.under_key),
    (rf"{_BEFORE_COMMA}()(?!{_GROUP})(?=[ \t\n\r]++[0-9tfn-])", "add_comma", ","),
    (quotations.ANYWHERE, "escape_inner_quote", quotations.anywhere),
    (rf"({guesses.APOSTROPHES}){guesses.MORE}", "escape_inner_quote", guesses.apostrophes),
    (guesses.UNOPENED, "add_opening_quote", guesses.unopened),
    (guesses.PHRASE, "quote_phrase", guesses.phrase),
)
"""The odd tokens, each with one group: the fix that it takes, and what to write for what the group holds.

That is a constant, or the token itself between double quotes without so many characters on both
sides, or what a function makes of the token. Of two that match, the first one counts: a string that
lacks its quote or a comma after it goes before one that holds quotes.
"""
_TOKEN = re.compile(rf"{_RUN}(?:\Z|{'|'.join(pattern for pattern, _, _ in _ODD)})?+", re.DOTALL)
_token = _TOKEN.match
_IN_NUMBERS = frozenset({"quote_key", "use_colon", "plain_space", "use_double_quotes", "add_comma"})
"""Fixes of tokens that seldom come alone."""
_SPELL = [
    (name, FIXES[name].rank, FIXES[name].doc, spell, name not in _IN_NUMBERS)
    for _, name, spell in _ODD
]


Respelt = tuple[str, list[Fix], Rank, tuple[Any]]
"""The JSON of a span, the fixes that made it, their rank, and the value that it says."""


def respelled(text: str, start: int, end: int, since: int) -> Respelt | None:
    """Make JSON tokens of all odd ones in the span; None when that is not enough.

    `since` is the place of a token before which there is no odd one. Whether the first odd token is
    the only one, where there is no sign of another, the strict parser knows sooner than this pass.
    """
    fixes: list[Fix] = []
    pieces: list[str] = []
    rank, done, last = EXACT, start, since
    while match := _token(text, last, end):
        group = match.lastindex
        if group is None:
            if match.end() != end:
                return None
            break
        name, its_rank, note, spell, alone = _SPELL[group - 1]
        first, last = match.span(group)
        if isinstance(spell, str):
            new = spell
        elif isinstance(spell, int):
            new = f'"{text[first + spell : last - spell]}"'
        else:
            spelt = spell(text[first:last])
            if spelt is None:
                return None
            if isinstance(spelt, str):
                new = spelt
            else:
                name, its_rank, new, note = spelt
        fixes.append(_new(Fix, (name, its_rank, first, last, new, note, "")))
        if alone and not pieces:
            json = f"{text[start:first]}{new}{text[last:end]}"
            value = strict(json)
            if value is not None:
                return json, fixes, its_rank, value
        pieces += (text[done:first], new)
        done = last
        if its_rank is not rank and its_rank > rank:
            rank = its_rank
    if not fixes:
        return None
    pieces.append(text[done:end])
    json = "".join(pieces)
    value = strict(json)
    return None if value is None else (json, fixes, rank, value)


_new = tuple.__new__
