"""What a reading takes for the content of a string in; whether that must stand outside of a string out.

A string whose quotes are off may be read past its end. What it then swallows tells: a key with its
colon, a comma between two strings, a bracket that closes what the string did not open.
"""

from __future__ import annotations

import re

from zkit.text import lexis

_G = lexis.GAP
_VALUE = r"(?:[\"'`“{\[]|[+.-]?[0-9]|(?:true|false|null|True|False|None)(?!\w))"
_AFTER_COMMA = (
    rf"(?<=[,;{lexis.OTHER_COMMAS}\n])(?P<member>{_G}(?:\"[^\"\\\n]{{1,80}}+\"|'[^'\\\n]{{1,80}}+'|“[^“”\\\n]{{1,80}}+”){_G}{lexis.COLONS}{_G}(?={_VALUE}))"
    rf"|(?<=,)(?P<unclosed>{_G}\"{lexis.NAME}{_G}:{_G}(?=[\"{{\[]))"
    rf"|(?<=[,;\n])(?P<half>{_G}{lexis.NAME}[\"']{_G}:{_G}(?={_VALUE}))"
    rf"|(?<=[,;{lexis.OTHER_COMMAS}])(?P<item>[^\S\n]*+\n\s*+[\"'])"
    rf"|(?<=,)(?P<named>{_G}{lexis.NAME}{_G}:{_G}(?=[\"'{{\[]))"
)
"""A member, whatever became of its quotes, or an item on a line of its own."""
_AFTER_QUOTE = (
    rf"(?P<bare>{_G}[\s}}\]]*+(?:,[\s}}\]]*+)++(?=(?:{lexis.NAME}{_G},{_G})?+{lexis.NAME}{_G}(?::|=>)))"
    r"|(?<=[\"'])(?P<line>,[^\S\n]*+\n)"
    rf"|(?P<closed>{_G}(?:[}}\]](?:[^\S\n]*+\n\s*+(?={_VALUE})|[\s}}\]]*+[,\"'{{\[])|,[\s,]*+[}}\]]))"
    rf"|(?P<twice>{_G},\s*+,\s*+[\"'])"
    rf"|(?P<computed>{_G},{_G}\[{_G}[\"'][\w$ -]{{1,60}}+[\"']{_G}\]{_G}:)"
)
"""A comma before a bare key or at the end of a line, a closer beside a comma or a value, two commas, a key in brackets."""
_HIT = rf"(?<=[,;{lexis.OTHER_COMMAS}\n])(?:{_AFTER_COMMA})|(?<=[\"'`”»])(?={_G}[,}}\]])(?:{_AFTER_QUOTE})"
"""After the first mark of it: what stands outside of strings only."""
_ANY_HIT = re.compile(rf"[,;{lexis.OTHER_COMMAS}\n\"'`”»](?:{_HIT})")
_SCAN = re.compile(
    rf"[\\{{\[(,;{lexis.OTHER_COMMAS}\n\"'`”»}}\])](?:(?<=\\).|(?<=[{{\[(])(?P<open>)|{_HIT}|(?<=[}}\])])(?P<close>))",
    re.DOTALL,
)
"""The same, and every bracket; escapes are passed over.

Each pattern begins with the set of its first marks, and looks back at which of them it was: so the
search goes from mark to mark at the pace of C.
"""
_FIRST_KEY = re.compile(rf"\"?+[\w$ ./-]{{1,60}}+[\"']{_G}(?::|=>){_G}{_VALUE}")
"""The content begins with what reads as a key, its opening quote being that of the string."""
_SIGNS = re.compile(
    rf"[\"'`”»,;{lexis.OTHER_COMMAS}\n:](?:(?<=[\"'`”»])\s*+[,}}\]]"
    rf"|(?<=[,;{lexis.OTHER_COMMAS}\n])\s*+[\"']|(?<=:)\s*+[\"'\[{{])"
)
_JOINT = re.compile(r"\"(?:[\w$ -]{1,60}+\"\s*+:|\s*+[}\],;])")
_BETWEEN_STRINGS = rf"\s*+[}}\]]*+\s*+[,;]\s*+(?:\"|\Z|{lexis.NAME}\s*+\"|[^\",\n]*+,\s*+\")"
_UP_TO_QUOTE = r"[^\"\\]*+(?:\\.[^\"\\]*+)*+"
_LEAVES = rf"{_UP_TO_QUOTE}\"(?!{_BETWEEN_STRINGS}){_UP_TO_QUOTE}"
"""Up to a quote that may end the content, no comma between strings behind it, and what would stand outside then."""
_NOTHING_OUTSIDE = re.compile(
    rf"(?:{_LEAVES}\"(?![\w$ -]{{1,60}}+\"\s*+:))*+(?:{_LEAVES}|{_UP_TO_QUOTE})\\?+\Z", re.DOTALL
)
"""Quotes in pairs, the first of each ending the content and the second one no key's."""
_PARTED = re.compile(r"(?<!\\)',\s")
"""In a string between single quotes: the quote and the comma after it."""
_LEFT_OUT = re.compile(r"(?<!\\)[\"']\s*+,\s*+(?:\.{3}|…)\s*+,")
"""An ellipsis between two strings."""


_INSIDE_OUT = re.compile(
    r"[^\"\\]*+(?<=[\w.!?)])\"(?=[\s,:;])[^\"\\]*+(?:(?<=[\s,{\[])|(?<=[\s,][*/~!.]))\"(?=[\w.*/~!])[^\"]*+\Z"
)
"""Two quotes, the first of which looks like a closing one, and the second like an opening one."""


def swallows(body: str, quote: str, *, closed: bool) -> bool:
    """Whether the content `body` holds what belongs outside of it.

    `closed` says that a schema lists all keys: then one that it does not know is content.
    """
    if lexis.JOINED.search(body):
        return True
    if not closed and _FIRST_KEY.match(body):
        return True
    if _key_outside(body) or _half_json(body) or _INSIDE_OUT.match(body):
        return True
    if _is_said_twice(body, quote):
        return True
    if ("..." in body or "…" in body) and _LEFT_OUT.search(body):
        return True
    if quote == "'" and ("\\\\'" in body or _PARTED.search(body)):
        return True
    return structure_outside(body, closed)


def _is_said_twice(body: str, quote: str) -> bool:
    """Whether the content begins again after its only quote: `"/src"/src/main.py"`."""
    head, mark, rest = body.partition(quote)
    return bool(mark) and len(head) > 1 and quote not in rest and rest.startswith(head)


def _half_json(body: str) -> bool:
    """Whether the content begins as JSON does and its brackets are not closed."""
    return body[:1] in ("{", "[") and any(body.count(a) > body.count(b) for a, b in ("{}", "[]"))


def _key_outside(body: str) -> bool:
    """Whether the content holds a key, or a comma between strings, that its quotes put outside it."""
    return _JOINT.search(body) is not None and not _NOTHING_OUTSIDE.match(body)


def structure_outside(body: str, closed: bool) -> bool:
    """Whether a member, or a closer beside a comma or another string, stands in no bracket of the content."""
    if not _SIGNS.search(body) or not _ANY_HIT.search(body):
        return False
    depth = round_depth = 0
    for match in _SCAN.finditer(body):
        kind = match.lastgroup
        if kind == "open":
            depth += 1
            round_depth += match[0] == "("
        elif kind == "close":
            depth -= 1
            round_depth -= match[0] == ")"
        elif kind == "closed":
            depth -= match.group().count("}") + match.group().count("]")
            if depth < 0:
                return True
        elif kind is not None and not closed:
            within = depth - max(round_depth, 0) if kind == "member" else depth
            if within <= 0:
                return True
    return False
