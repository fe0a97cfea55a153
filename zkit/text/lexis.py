"""The words of JSON and of its misspellings, as patterns that never backtrack.

Every pattern is possessive: a text that does not match is rejected after one pass, so the cost of a
match is the length of what it covers.
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from zkit.text import blanks, remembered

SPACE, ODD, ANY_SPACE = blanks.SPACE, blanks.ODD, blanks.ANY_SPACE
skip_spaces, skip_blank, last_sign = blanks.skip_spaces, blanks.skip_blank, blanks.last_sign
# White space of any kind, for stripping.
BLANKS = "".join(re.findall(rf"[ \t\n\r{ODD}]", "".join(map(chr, range(0x3001))))) + "\ufeff"
# What may come between two tokens: white space of any kind and plain comments. The length of a
# comment is bounded, because one may seem to begin after each quote of a text.
GAP = rf"(?:[ \t\n\r{ODD}]++|//[^\n]{{0,500}}+\n|/\*[^*]{{0,500}}+(?:\*(?!/)[^*]{{0,500}}+){{0,20}}+\*/)*+"

ESCAPE = r'\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})'
_MEANT = r'\\(?:["\\/nrt]|[bf](?![A-Za-z]{2})|u[0-9a-fA-F]{4})'
# A strict string without a backspace or a form feed before a letter: in a damaged text those are
# never meant.
STRING = rf'"[^"\\\x00-\x1f]*+(?:{_MEANT}[^"\\\x00-\x1f]*+)*+"'
DIGITS = r"-?+(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?+(?:[eE][+-]?+[0-9]++)?+"
NUMBER = rf"{DIGITS}(?=[ \t\n\r,}}\]])"
SCALAR = rf"(?:{STRING}|{NUMBER}|true|false|null)"
# A single-quoted string whose content means the same between double quotes.
SIMPLE = r"'([^'\"\\\x00-\x1f]*+)'"

# The content of a string in double quotes, whatever it holds, up to its first quote that is not
# escaped.
UP_TO_QUOTE = r'[^"\\]*+(?:\\(?s:.)[^"\\]*+)*+'
ANY_STRING = f'"{UP_TO_QUOTE}"'
ANY_SINGLE = r"'[^'\\]*+(?:\\(?s:.)[^'\\]*+)*+'"

# What other scripts write for a comma or a semicolon.
OTHER_COMMAS = "，、；،؛﹐﹑﹔､"
COMMAS = f"[,{OTHER_COMMAS}]"
# What is written for a minus sign, and looks like one.
MINUS = "−‐‑‒–﹣－"

NAME = r"(?:[^\W\d]|\$)[\w$.-]*+"
WORD = r"(True|False|None|TRUE|FALSE|NULL|Null|undefined)(?!\w)"
# A colon, or a mark in place of it, where that is evidence of a key.
COLONS = r"(?:[:：→]|=>|=(?!=)|->)"
# After an equals sign: what makes it the beginning of a spreadsheet formula, and not a colon.
FORMULA = re.compile(r"[ \"']{0,2}+(?:[A-Z][A-Z0-9.]{1,30}+\(|\$?[A-Z]{1,3}\$?[0-9]++[-+*/:)])")
COLON = r"(:|=>|=(?!=)|：|->|→|\\:)"

# A backspace or a form feed before a letter: never meant; a regex or a path is.
NEVER_MEANT = re.compile(r"\\(?<!\\\\)(?:\\\\)*+[bf](?=[A-Za-z]{2})")

# How deep a valid container may be for a run to pass over it whole.
NESTED = 3


def _value(depth: int) -> str:
    """Strict JSON of any kind, containers nested at most `depth` deep."""
    if not depth:
        return SCALAR
    inner = _value(depth - 1)
    member = rf"{SPACE}{STRING}{SPACE}:{SPACE}{inner}{SPACE}"
    item = rf"{SPACE}{inner}{SPACE}"
    return (
        rf"(?:{STRING}|{NUMBER}|true|false|null"
        rf"|\{{(?:{member}(?:,(?!{SPACE}\}})|(?=\}})))*+{SPACE}\}}"
        rf"|\[(?:{item}(?:,(?!{SPACE}\])|(?=\])))*+{SPACE}\])"
    )


@cache
def members() -> re.Pattern[str]:
    """A run of valid members, with the last one's key and the places around its value."""
    value = _value(NESTED)
    return re.compile(
        rf"(?:{SPACE}(?P<key>{STRING}){SPACE}:{SPACE}(?P<at>){value}(?P<end>){SPACE}(?:,|(?=\}})))*+"
    )


@cache
def items() -> re.Pattern[str]:
    """A run of valid items, with the places before and after the last one."""
    value = _value(NESTED)
    return re.compile(rf"(?:{SPACE}(?P<at>){value}(?P<end>){SPACE}(?:,|(?=\])))*+")


_LOOSE = rf"(?:(?:({SCALAR})|{SIMPLE}|{WORD}){SPACE}(?:(,)|(?=[}}\]]))|([{{\[]))"

# One member in the common spellings. Groups: key as JSON, single-quoted, bare; the colon; the
# value's place; the value as JSON, single-quoted, a word; a comma; an opener; nothing of these.
MEMBER = re.compile(
    rf"{SPACE}(?:({STRING})|{SIMPLE}|({NAME})){SPACE}{COLON}{SPACE}()(?:{_LOOSE}|())"
)

# One item in the common spellings; groups 1 to 6 as groups 5 to 10 of MEMBER.
ITEM = re.compile(rf"{SPACE}(){_LOOSE}")

ODD_RUN = re.compile(rf"[ \t\n\r]*+[{ODD}][ \t\n\r{ODD}]*+")

ELLIPSIS = re.compile(r"\.{3,}|…")

# What may open a string, and what may then close it.
QUOTES = {
    '"': '"',
    "'": "'",
    "`": "`",
    "“": "”",
    "”": "”",
    "„": "“”",
    "«": "»",
    "‘": "’",
    "’": "’",
    "＂": "＂",
    "「": "」",
    "『": "』",
}


@cache
def string_of(opener: str) -> re.Pattern[str]:
    """A string from its opener to its first unescaped closer; group 1 is the content."""
    stop = re.escape(QUOTES[opener])
    return re.compile(rf"{opener}([^\\{stop}]*+(?:\\.[^\\{stop}]*+)*+)[{stop}]", re.DOTALL)


@cache
def closers_of(opener: str) -> re.Pattern[str]:
    """Each closer that a structural mark follows, in group 1, and each escape, to be passed over."""
    closer = rf"[{re.escape(QUOTES[opener])}]"
    return re.compile(rf"\\.|({closer})(?={GAP}(?:[,}}\])\"']|\Z))", re.DOTALL)


KEYISH = (
    rf"(?:\"(?:[^\"\\\n]|\\.){{0,80}}+\"|'[^'\n]{{0,80}}+'|[“”„][^“”\n]{{0,80}}+[“”]|«[^»\n]{{0,80}}+»"
    rf"|[‘’][^’\n]{{0,80}}+’|`[^`\n]{{0,80}}+`|＂[^＂\n]{{0,80}}+＂|[「『][^」』\n]{{0,80}}+[」』]|{NAME}"
    rf"|\*{{1,3}}+(?:\"[^\"\\\n]{{0,80}}+\"|{NAME})\*{{1,3}}+|:{NAME}(?=[ \t]*+=>))"
)
# Something that reads as a key with its colon; group 1 is the key with its quotes.
KEY_AHEAD = re.compile(rf"{GAP}({KEYISH}){GAP}{COLONS}")

# After a member: a comma and another key.
NEXT_KEY = re.compile(rf"{GAP}{COMMAS}{GAP}(?:({KEYISH}){GAP}{COLONS}|(?=[}}]))")

# The start of a value that needs no guess.
VALUE_AHEAD = re.compile(
    rf"{GAP}(?:[\"'`“„«‘＂「『{{\[]|[+.{MINUS}-]?[0-9]|(?:true|false|null|True|False|None)(?!\w))"
)

# A strict number or literal, whatever follows it, as long as it may end there.
PLAIN = re.compile(rf"(?:{DIGITS}|true|false|null)(?![\w.$%@+*/^-])")

# A key as Lua writes it: there an object in a list begins with two braces.
LUA_KEY = re.compile(rf"{SPACE}{NAME}{SPACE}=(?![=>])")

# After two opening braces: a key, perhaps one that the text ended in, or two closing ones.
DOUBLED_BRACE = re.compile(
    rf"{GAP}(?:(?={KEYISH}{GAP}{COLONS}|(?:\"[^\"\n]{{0,80}}+\"?+)?+\s*+\Z)|\}}{GAP}\}})"
)

# The colon after a key; group 1 is the white space before it, group 2 the colon.
COLON_AFTER = re.compile(rf"({GAP}){COLON}")

CLOSER = re.compile(rf"{GAP}([}}\])])")
# What Python writes before a string.
PREFIX = re.compile(r"[rRbBuU]{1,2}(?=[\"'])")

# A number with thousands separators.
THOUSANDS = re.compile(rf"[+-]?[0-9]{{1,3}}(?:,[0-9]{{3}})++(?:\.[0-9]++)?+(?={SPACE}[,}}\]])")


def quote_before(text: str, end: int, quote: str = '"') -> int:
    """Return the place of the last quote before `end` that no backslash precedes; -1 if there is
    none."""
    at = text.rfind(quote, 0, max(end, 0))
    while at > 0 and text[at - 1] == "\\":
        at = text.rfind(quote, 0, at)
    return at


def is_outside(text: str, at: int, start: int = 0) -> bool:
    """True if a place is outside of strings: an even number of quotes comes before it, from `start` on."""
    before = text[start:at].replace("\\\\", "")
    return (before.count('"') - before.count('\\"')) % 2 == 0


_PLAIN_STRING = string_of('"')


class Token(NamedTuple):
    """A string in the text: its content, the quote that opens it, and where it ends."""

    body: str
    quote: str
    end: int


def string_at(text: str, pos: int) -> Token | None:
    """Return the string that opens at `pos`, up to its first unescaped closer; None if it has none."""
    quote = text[pos]
    if quote == '"' and not text.startswith('""', pos):
        plain = _PLAIN_STRING.match(text, pos)
        return None if plain is None else _new(Token, (plain[1], quote, plain.end()))
    if quote == "\\":
        return _escaped_quotes(text, pos)
    if quote in "\"'`" and text.startswith(quote * 3, pos):
        tripled = _tripled(text, pos, quote)
        if tripled is not None or (
            text.find(quote * 3, pos + 3) < 0 and text[-20:].rstrip()[-1:] not in ("}", "]")
        ):
            return tripled
    if text.startswith('""""', pos) and AFTER_STRING.match(text, pos + 4):
        return Token("", "'", pos + 4)  # an empty string between doubled quotes
    if text.startswith("''", pos) and (doubled := _TWO_SINGLE.match(text, pos)) is not None:
        return Token(doubled[1], "'", doubled.end())
    end = _string_end(text, pos, quote)
    if quote == "'" and end > 0 and text.startswith("'", end):
        doubled = _WITH_DOUBLED.match(text, pos, pos + MIXED_WITHIN)
        if doubled is not None and _DOUBLED_IN_WORD.search(doubled[1]):
            return Token(doubled[1].replace("''", "'"), "'", doubled.end())
    if quote in "“„«'‘" and (end < 0 or not AFTER_STRING.match(text, end)):
        mixed = _MIXED.match(text, pos, pos + MIXED_WITHIN)
        if mixed is not None and _is_one_string(text, mixed):
            if _closes_more(quote, mixed[1]):
                return None  # both marks belong to the content, whose own quote is missing
            return Token(mixed[1], quote, mixed.end())
    return None if end < 0 else _new(Token, (text[pos + 1 : end - 1], quote, end))


_new = tuple.__new__


def _string_end(text: str, pos: int, quote: str) -> int:
    """Return the place after the first unescaped closer of the string that opens at `pos`; -1 if it
    has none."""
    known = _ends_found(text) if quote != '"' and len(text) > remembered.SHORT else {}
    since, end = known.get(quote, (len(text), -1))
    if since > pos or -1 < end <= pos + 1:
        match = string_of(quote).match(text, pos)
        end = -1 if match is None else match.end()
        known[quote] = (pos, end)
    return end


@remembered.of_last
def _ends_found(text: str) -> dict[str, tuple[int, int]]:
    """For each quote, from where its next closer was looked for, and the place after that.

    It is the same for all openers in between, however many there are.
    """
    return {}


def _is_one_string(text: str, mixed: re.Match[str]) -> bool:
    """True if a string ends at a straight quote: a mark follows it, and the string did not end
    before."""
    return not (_AFTER_MIXED.match(text, mixed.end()) is None or _CLOSED_INSIDE.search(mixed[1]))


def _closes_more(quote: str, body: str) -> bool:
    """True if the content closes a quotation that it does not open."""
    return quote != "'" and sum(map(body.count, QUOTES[quote])) > body.count(quote)


# A string that another quote opens and a straight double one closes.
_MIXED = re.compile(r"[“„«'‘]([^\"\\]*+(?:\\.[^\"\\]*+)*+)\"", re.DOTALL)
_CLOSED_INSIDE = re.compile(r"[“”»'’]\s*+(?:,\s*+[\"“„«'‘]|[}\]])")
# How far its end is looked for: it is needed at each string in other quotes.
MIXED_WITHIN = 2_000


MOST_TRIPLES = 100
# Quotes that close a string between three of them; of more the first ones are content.
_THREE_OR_MORE = re.compile(r"([\"'`])\1{2,9}+(?!\1)")


def _tripled(text: str, pos: int, quote: str) -> Token | None:
    """Return a string between three quotes; its content may hold single ones."""
    end = pos + 3
    for _ in range(MOST_TRIPLES):
        end = text.find(quote * 3, end)
        closing = None if end < 0 else _THREE_OR_MORE.match(text, end)
        if closing is None:
            return None
        end = closing.end()
        if _AFTER_TRIPLED.match(text, end):
            return Token(text[pos + 3 : end - 3], "'", end)
    return None


# A string between two pairs of single quotes.
_TWO_SINGLE = re.compile(rf"''((?:[^'\\]|\\.|'(?!'))++)''(?={GAP}[,}}\]:)])", re.DOTALL)
# A string whose apostrophes are doubled, as SQL writes `it''s`; one of them must be inside a word.
_WITH_DOUBLED = re.compile(rf"'((?:[^'\\]|\\.|'')++)'(?={GAP}[,}}\]:)])", re.DOTALL)
_DOUBLED_IN_WORD = re.compile(r"[^\W\d_]''(?:s|t|re|ve|ll|d|m)\b")
_JOINTS = r"(?:\+|\.|&|\|\||\\\r?+\n)"
# Two strings, or two lists of them, that are added up: with the operator of one language or
# another.
JOINED = re.compile(rf"[\"'”](?<!\\.)(?:\s*+{_JOINTS}\s*+[\"'“]|[\])]\s*+\+\s*+[\[(][\"'])")
JOINT = re.compile(rf"{_JOINTS}\s*+(?=[\"'`“])")

AFTER_STRING = re.compile(rf"{GAP}(?:[,}}\]:)]|\Z)")
# Where the text ends after another quote than the one that is expected, it may have ended in the
# string.
_AFTER_MIXED = re.compile(rf"{GAP}[,}}\]:)]")
# After three quotes the comma may be missing, too.
_AFTER_TRIPLED = re.compile(rf"{GAP}(?:[,}}\]:)]|\Z|(?<=\s)[\"'])")


# An escaped quote that seems to close a string.
_ESCAPED_STRUCTURE = re.compile(r"\\\"\s*+[,:}\]]")


def _escaped_quotes(text: str, pos: int) -> Token | None:
    """Return a string that opens with an escaped quote, and closes with one or with a plain one."""
    escaped = text.find('\\"', pos + 2)
    closing = string_of('"')
    if escaped >= 0 and not closing.match(text, pos + 1, escaped):
        whole = not JOINED.search(text, pos + 2, escaped)
        if whole and AFTER_STRING.match(text, escaped + 2):
            return Token(text[pos + 2 : escaped], "\\", escaped + 2)
    # Past an escaped quote that closes a string, a plain one belongs to another string.
    structure = remembered.search(text, _ESCAPED_STRUCTURE, pos + 2)
    plain = closing.match(text, pos + 1, len(text) if structure is None else structure.end())
    if plain is None or not AFTER_STRING.match(text, plain.end()):
        return None
    content = plain.group(1)
    if not content or content.count('\\"') % 2:
        return None  # the first quote belongs to the content
    return Token(content, "\\", plain.end())
