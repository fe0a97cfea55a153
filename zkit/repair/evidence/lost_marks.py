"""Find the one mark that a string lost, doubled or replaced, from the pattern of the other marks.

Cases: corpus/repair/lost_inner_mark.toml.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from zkit.text import lexis

_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{4}|.)", re.DOTALL)
_VALID = frozenset("\"\\/bfnrt'\n")
# These may follow a closing quote, but never an opening one.
_CLOSES = frozenset(" \t,;:.)]}>!?")
_MARKS = frozenset("{}[]:,")
_BRACKETS = frozenset("{}[]")
_OPENER = {"}": "{", "]": "["}
# A number and a quote for inches, which needs no partner (corpus/repair/lost_inner_mark.toml).
_INCHES = re.compile(r"(?:(?<=[\s(])|\A)[0-9][0-9.]{0,5}+\\\"")
# A backslash before a mark, and then a letter or an escape that the backslash may belong to.
_CHANGED = re.compile(r"(?<!\\)((?:\\\\)*+)\\([{}\[\]:,])(?=[nrt]|\\[^\"\\/bfnrtu])")


# A regex class such as `\d`, with no word after it.
_CLASS = re.compile(r"(?<!\\)\\[dDsSwWB](?![^\W_])")
# The same next to a character that only a regex has there.
_IN_REGEX = re.compile(r"(?:\[\^?+|[|(\])])\\[dDsSwWB]|(?<!\\)\\[dDsSwW][+*?{\]|)]")


class Restored(NamedTuple):
    """The repaired content, and what was wrong with it."""

    body: str
    issue: str


def may_have_slipped(body: str, escapes: list[str], invalid: list[str]) -> bool:
    """True if an invalid escape among valid ones may be the rest of a damaged mark."""
    quotes = escapes.count('\\"')
    if len(invalid) == 1 and quotes > 0:
        if _CLASS.search(body):
            return _IN_REGEX.search(body) is None
        if quotes % 2 == 1 or "\\\\" in escapes:
            return True
    if quotes > 0 and any(e[1] in ":,; " for e in invalid):
        return True
    if len(invalid) == 1 and _OPENER.get(invalid[0][1], invalid[0]) not in body:
        return True  # nobody escapes a bracket that closes nothing
    return len(escapes) > len(invalid) and _CHANGED.search(body) is not None


def _is_unsure(body: str) -> bool:
    """True if the quotes need not come in pairs: one means inches, or belongs to nested text."""
    nested = body.count('\\\\\\"')
    return nested % 2 == 1 or _INCHES.search(body) is not None


# ── a quote ──────────────────────────────────────────────────────────────────


def restored(body: str) -> Restored | None:
    """Restore the quote after the only invalid backslash, if the number of quotes is odd; None if that is unclear."""
    quotes, bare, place, before = 0, 0, -1, 0
    for match in _ESCAPE.finditer(body):
        letter = match.group()[1]
        if letter == '"':
            quotes += 1
        elif letter not in _VALID and len(match.group()) == 2:
            bare, place, before = bare + 1, match.start(), quotes
    if bare != 1 or quotes % 2 == 0 or body.count('"') != quotes:
        return None
    left, right = body[:place][-1:], body[place + 1]
    if left == "\\" or _CLASS.match(body, place):
        return None
    closes = before % 2 == 1
    if closes:
        fits = left.strip() and not right.isalnum()
    else:
        fits = not left.isalnum() and (right not in _CLOSES or right in _MARKS)
    if not fits:
        return None
    kept = Restored(f'{body[: place + 1]}"{body[place + 1 :]}', "lost_quote")
    if right not in _MARKS:
        return kept
    if _is_unsure(body):
        return None
    return _kept_or_replaced(body, place, kept, closes=closes)


def _kept_or_replaced(body: str, place: int, kept: Restored, *, closes: bool) -> Restored | None:
    """Write the quote before the mark, or in its place; None if both are possible."""
    mark, rest = body[place + 1], body[place + 2 :]
    replaced = Restored(f'{body[: place + 1]}"{rest}', "replaced_quote")
    if mark in _BRACKETS:
        valid = [m for m in (kept, replaced) if _is_even(m.body)]
        return valid[0] if len(valid) == 1 else None
    if not closes:
        return None if rest[:1] in " \t\\" else replaced
    if rest[:1].isalnum() or _VALUE_NEXT.match(rest):
        return kept
    return replaced if rest[:1] in _NO_SECOND else None


_VALUE_NEXT = re.compile(r" (?:(?:true|false|null|True|False|None)\b|-?[0-9]|\\\"|[{\[])")
# These never follow a comma or a colon, so the mark before them is neither.
_NO_SECOND = frozenset(".,;:!?)]}/<>")


def _is_even(body: str) -> bool:
    """True if brackets come in pairs."""
    return body.count("{") == body.count("}") and body.count("[") == body.count("]")


def with_lone_quote(body: str) -> Restored | None:
    """Restore content with valid escapes and one bare quote; None if the quote may be a slip.

    The quote is content if it pairs with an escaped one, if it means inches, or if apostrophes enclose it.
    """
    at = _BARE_QUOTE.match(body)
    place = -1 if at is None else at.end() - 1
    before, after = body[:place], body[place + 1 :]
    even = (body.count('\\"') - len(_INCHES.findall(body))) % 2 == 0
    if place <= 0 or before.endswith("\\\\"):
        return None  # the opening quote, or the backslash, was written twice
    parted = _PARTED.search(before + '"', max(0, place - 2))
    if parted is not None and '\\"' in body:
        letter = before[-1]
        return (
            Restored(f'{before[:-1]}"{letter}{after}', "changed_places") if letter in "bf" else None
        )
    if before.endswith('\\"') or after.startswith('\\"'):
        return Restored(before + after, "doubled_quote") if even else None
    # German: „so" (corpus/repair/user_reports.toml)
    low = before.count("„") > before.count("“") + before.count("”")
    if even and not low and not _NEEDS_NO_PARTNER.search(before[-1:] + '"' + after[:1]):
        return None
    return Restored(body, "inner")


# Everything up to the first unescaped quote.
_BARE_QUOTE = re.compile(rf"{lexis.UP_TO_QUOTE}\"")
# A backslash, a letter, and then the quote that the backslash may belong to.
_PARTED = re.compile(r"(?<!\\)\\[bfnrt/]\"")
_NEEDS_NO_PARTNER = re.compile(r"[0-9]\"|'\"'")


def undoubled(body: str) -> str | None:
    """Return content whose quotes are all doubled, as in CSV, with each quote once; None for other content."""
    return body.replace('""', '"') if '""' in body and _ALL_DOUBLED.fullmatch(body) else None


# Doubled quotes in pairs, each pair touching the words inside it.
_ALL_DOUBLED = re.compile(
    r"[^\"]*+(?:(?<!\w)(?:\"\")++(?![\s,;:)\]}\"])[^\"]*+(?<![\s(\[{,])(?:\"\")++(?![\w\"])[^\"]*+)++"
)
