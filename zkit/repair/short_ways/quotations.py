"""A string with bare quotes inside in, the JSON string that the search settles on too out.

The search ends such a string at the first quote after which the text goes on well, unless another
reading is as cheap. Told here are the strings for which there is none: nothing but a longer string
explains what follows the first bare quote, neither this string nor the last one before it may lack
a quote, and to pass over an end and take the next one costs more than all the quotations together.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from zkit.receipt import Fix
from zkit.repair.fixes import FIXES, GUESS
from zkit.repair.search.missing_quotes import BARE_KEY_END, BLANKS_AND_OPENERS, KEY_TAIL
from zkit.repair.search.rereading import OPENS_LIST
from zkit.repair.search.string_ends import (
    KEY_WITH_COLON,
    PATHLIKE,
    SKIPPED,
    SKIPPED_ITEM,
    begins_again,
    oddness,
)
from zkit.repair.search.strings import respell
from zkit.repair.search.swallowed import swallows
from zkit.repair.search.trouble_after_value import OPERATION
from zkit.repair.short_ways.guesses import MORE, Guess, with_quotes_inside
from zkit.text import lexis

_S, _G = lexis.SPACE, lexis.GAP
_NEXT_MEMBER = (
    rf"{_G}(?:,{_G}(?:{lexis.KEYISH}{_G}{lexis.COLONS}|{lexis.NAME}[\"']{_G}:|[\"'][^\"'\n]{{0,80}}+[\"']?+\s*+\Z|\}}|\Z)"
    rf"|\}}(?:{_G}(?:[,}}\])]|\Z)|[ \t]*+(?:\n|```|~~~|<|[;)]|\[/))"
    rf"|\Z|(?:\"[^\"\\\n]{{1,80}}+\"|'[^'\\\n]{{1,80}}+'){_G}:)"
)
"""After a quote: what may make it the last one of a string under a key."""
UNDER_KEY = (
    rf"(?:(?<=:)|(?<=: ))(\"(?!\"\"|{_S}\{{{_S}\")(?:[^\"\\]++|\\.|\"(?!{_NEXT_MEMBER}))*+\")"
    rf"(?={_S}(?:,{_S}\"|\}}))"
)
"""A string under a key, up to the first quote after which the object goes on or ends."""
ANYWHERE = rf"(?<!:)(?<!: )({with_quotes_inside(chr(34))}){MORE}"
"""A string in a list, or under a key on another line, up to the first quote that anything structural follows."""
_NAME = "escape_inner_quote"
_EACH = FIXES[_NAME].cost
_FIRST_PART = re.compile(r"[^\"\\]*+(?:\\.[^\"\\]*+)*+\"", re.DOTALL)
"""The content of a string up to its first unescaped quote."""
_DOUBLED = frozenset({'\\""', '\\\\"'})
"""Ends of the first part: a mark that may have been written twice."""
_ESCAPED_END = re.compile(rf"\\\"(?={_G}(?:[,}}\])\"'/]|\Z))")
"""An escaped quote that may be the last one of a path; a comment may hide what follows it."""
_MARKS = frozenset("_<>($@!?~^-%*&/")
"""What is no sign of anything but text, beside letters and digits."""
_FOR_COMMA = frozenset(";|=.")
"""What is a sign of text, unless a key follows it: then it may stand for a comma."""


def under_key(token: str) -> Guess | None:
    """A string under a key, with quotes inside."""
    return _quoted(token, listed=False)


def anywhere(token: str) -> Guess | None:
    """A string with quotes inside that may as well stand in a list."""
    return _quoted(token, listed=True)


def _quoted(token: str, *, listed: bool) -> Guess | None:
    body = token[1:-1]
    first = _FIRST_PART.match(body)
    if first is None or not _is_only_longer(body, first.end(), listed):
        return None
    if _is_operation(token, first.end()) or OPENS_LIST.match(f"{token},") or _is_doubled(body):
        return None
    if PATHLIKE.match(body) and _ESCAPED_END.search(body):
        return None
    spelt = None if swallows(body, '"', closed=False) else respell(body)
    if spelt is None:
        return None
    return _NAME, GUESS, f'"{spelt.body}"', spelt.note or FIXES[_NAME].doc


def _is_operation(token: str, at: int) -> bool:
    """Whether an operator follows the quote at `at`; the last quote may close its operand, or open it."""
    if not _OPERATOR.match(token, at + 1):
        return False
    return any(OPERATION.match(token + end, at) for end in (",", '",'))


_OPERATOR = re.compile(r"[ \t]*+(?:[+|&;%*]|(?:or|and|if)\b)")


def _is_doubled(body: str) -> bool:
    """Whether a quote at the beginning may be the opening one, written twice, alone or with the closing one."""
    if body[0] != '"':
        return False
    return not _FIRST_PART.match(body, 1) or (body[-1] == '"' and body.count('"') == 2)


def _is_only_longer(body: str, at: int, listed: bool) -> bool:
    """Whether the quote before `at` can be explained by nothing but a string that ends later."""
    place = lexis.skip_spaces(body, at)
    if not _is_text(body, place, listed) or (place > at and lexis.KEY_AHEAD.match(body, place)):
        return False
    if body[max(at - 3, 0) : at] in _DOUBLED:
        return False
    part = body[: at - 1]
    last = part.rstrip(BLANKS_AND_OPENERS)[-1:]
    if last == ",":
        return not listed and not KEY_TAIL.match(body, at)
    return last != ":" or not BARE_KEY_END.search(part)


def _is_text(body: str, place: int, listed: bool) -> bool:
    """Whether what stands there after a string is no value, no closer, no comment, and no mark for a comma."""
    mark = body[place : place + 1]
    if body.startswith(_COMMENTS, place):
        return False
    if mark.isalnum() or mark in _MARKS:
        return not listed or not lexis.VALUE_AHEAD.match(body, place)
    if listed or mark not in _FOR_COMMA or lexis.KEY_AHEAD.match(body, place + 1):
        return False
    if body.startswith("/", lexis.skip_blank(body, place + 1)):  # a comment may hide the key
        return False
    return not lexis.ELLIPSIS.match(body, place)


_COMMENTS = ("//", "/*", "--", "<!")


def undisputed(text: str, quotations: Sequence[Fix], names: Iterable[str]) -> bool:
    """Whether no other reading is as cheap as the quotations together; `names` are a schema's keys."""
    cost, other, known = 0, SKIPPED, 0
    for fix in quotations:
        body = text[fix.start + 1 : fix.end - 1]
        listed = text[lexis.last_sign(text, fix.start) - 1] != ":"
        other = min(other, SKIPPED_ITEM if listed else SKIPPED)
        cost += _EACH + oddness(body, '"', 1)
        if cost >= _EACH + other or begins_again(text, text.find("{"), body):
            return False
        last = _last_string(text, fix.start, listed)
        if last is None or _names_key(f'{body}"', names):
            return False
        if len(last) != known and _may_lack_quote(last, listed):
            return False
        known = fix.end
    return True


def _names_key(body: str, names: Iterable[str]) -> bool:
    """Whether the content, up to its last quote, holds a key of the schema, with a colon or after a comma."""
    held = [re.escape(name) for name in names if name in body]
    return any(re.search(f"{KEY_WITH_COLON % key}|{_LONE_KEY % key}", body) for key in held)


_LONE_KEY = rf",{_G}\"%s\""


def _last_string(text: str, start: int, listed: bool) -> str | None:
    """The text up to the last string before the one at `start`, if there is one; None when nobody can tell."""
    if not listed:
        start = text.rfind('"', 0, text.rfind('"', 0, start))
        if text[lexis.last_sign(text, start) - 1] not in ",{":
            return None
    return text[:start].rstrip(" \t\n\r,}]")


def _may_lack_quote(text: str, listed: bool) -> bool:
    """Whether the string at the end of `text`, if it is one, may have a quote too few or too many."""
    if text[-1:] not in lexis.CLOSING_QUOTES:
        return False
    content = text[:-1].rstrip(BLANKS_AND_OPENERS)
    if text[-1] != '"' or content[-1:] != '"':
        return text[-1] != '"' or content[-1:] in (",", ":")
    return listed or len(content) < len(text) - 1
