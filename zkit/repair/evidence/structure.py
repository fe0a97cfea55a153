"""Evidence for where a string or a container ends: the next keys, lines, indentation."""

from __future__ import annotations

import re
import string
from typing import TYPE_CHECKING, NamedTuple

from zkit.repair.limits import MOST_LAYOUTS, MOST_PARSED
from zkit.repair.search.hypothesis import Frame
from zkit.repair.strict_parse import strict
from zkit.text import lexis

if TYPE_CHECKING:
    from zkit.repair.search.engine import Engine


# ── follow ──────────────────────────────────────────────────────────────────


_ITEM_AHEAD = re.compile(rf"{lexis.GAP},{lexis.GAP}(?=[\"'`“{{\[\]]|[+.-]?[0-9]|[tfnTFN])")
_GAP = re.compile(lexis.GAP)
_COMMA_END = re.compile(rf"{lexis.GAP}{lexis.COMMAS}{lexis.GAP}\Z")
_HALF_KEY = re.compile(rf"{lexis.GAP}{lexis.COMMAS}{lexis.GAP}[\"'][^\"'\n]{{0,80}}+[\"']?+\s*+\Z")
_QUOTED_KEY = re.compile(rf"{lexis.GAP}(\"[^\"\\\n]{{1,80}}+\"|'[^'\\\n]{{1,80}}+'){lexis.GAP}:")
_AROUND = re.compile(r"[ \t]*+(?:\Z|\n|```|~~~|<|[;)]++[ \t]*+(?:\Z|\n|```)|\[/)")
_STRUCTURE = re.compile(r"[\s}\])]*+[\",:]")
_QUOTE_REST = re.compile(r"[ \t]*+[\"']")
_KEY_REST = re.compile(r"\\|[ \t]*+[\w$. -]{1,60}+[\"']\s*+:|[\s}\])]*+[\"']\s*+[,:}\]]")


def follows(reader: Engine, frame: Frame | None, pos: int) -> bool:
    """True if the text at `pos` may come after a value in `frame`."""
    text = reader.text
    while frame is not None:
        pos = _GAP.match(text, pos).end()  # type: ignore[union-attr]
        mark = text[pos : pos + 1]
        if mark == "," or not mark:
            return not mark or _another(reader, frame, pos) or _cut_after_comma(text, frame, pos)
        if mark != frame.closer:
            return False
        pos += 1
        if frame.doubled and text.startswith("}", pos):
            pos += 1
        frame = frame.parent
    return _AROUND.match(text, pos) is not None and not _STRUCTURE.match(text, pos)


def _cut_after_comma(text: str, frame: Frame, pos: int) -> bool:
    """True if the text ends after the comma, or in the key after it."""
    if _COMMA_END.match(text, pos):
        return True
    return frame.kind == "{" and _HALF_KEY.match(text, pos) is not None


def _another(reader: Engine, frame: Frame, pos: int) -> bool:
    """True if another member or item comes after the comma at `pos`."""
    if frame.kind != "{":
        match = _ITEM_AHEAD.match(reader.text, pos)
        return match is not None and not lexis.KEY_AHEAD.match(reader.text, match.end())
    match = lexis.NEXT_KEY.match(reader.text, pos)
    if match is not None:
        key = match.group(1)
        return key is None or known(reader, frame, key)
    return False


def known(reader: Engine, frame: Frame, key: str) -> bool:
    """True if the schema allows this key in the frame."""
    if not reader.guided or not frame.expect.closed:
        return True
    return key.strip("\"'`“”„＂「」*:") in frame.expect.keys


def key_follows(reader: Engine, frame: Frame | None, pos: int) -> bool:
    """True if a quoted key is at `pos` and only its comma is missing."""
    if frame is None or frame.kind != "{":
        return False
    match = _QUOTED_KEY.match(reader.text, pos)
    return match is not None and known(reader, frame, match.group(1))


def goes_on(text: str, start: int, pos: int) -> bool:
    """True if the text after a root from `start` to `pos` looks like more of the value."""
    if _ESCAPED_END.match(text, pos):
        return False
    if text[start - 1 : start] not in ('"', "'", "`") and _QUOTE_REST.match(text, pos):
        return True
    return _KEY_REST.match(text, pos) is not None


def member_follows(text: str, pos: int) -> bool:
    """True if another member follows a closed root, with or without its comma."""
    return _MEMBER_NEXT.match(text, pos) is not None


# Only white space up to the end, some of it escaped.
_ESCAPED_END = re.compile(r"\s*+\\(?:[nrt\s\\]|\Z)[nrt\s\\]*+\Z")
# A member with or without its comma, perhaps after a comment; or one without its colon.
_QUOTED_MEMBER = (
    rf"{lexis.GAP},?+(?:{lexis.GAP}#[^\n]{{0,500}}+\n)*+{_QUOTED_KEY.pattern}"
    rf"|{lexis.GAP},{lexis.GAP}\"[^\"\\\n]{{1,80}}+\"{lexis.GAP}[\"{{\[0-9-]"
)
_MEMBER_NEXT = re.compile(
    rf"{lexis.GAP},{lexis.GAP}{lexis.KEYISH}{lexis.GAP}{lexis.COLONS}|{_QUOTED_MEMBER}"
)


# ── swallowed ───────────────────────────────────────────────────────────────


_G = lexis.GAP
_VALUE = r"(?:[\"'`“{\[]|[+.-]?[0-9]|(?:true|false|null|True|False|None)(?!\w))"
# A member, even with damaged quotes, or an item on its own line.
_AFTER_COMMA = (
    rf"(?<=[,;{lexis.OTHER_COMMAS}\n])(?P<member>{_G}(?:\"[^\"\\\n]{{1,80}}+\"|'[^'\\\n]{{1,80}}+'|“[^“”\\\n]{{1,80}}+”){_G}{lexis.COLONS}{_G}(?={_VALUE}))"
    rf"|(?<=,)(?P<unclosed>{_G}\"{lexis.NAME}{_G}:{_G}(?=[\"{{\[]))"
    rf"|(?<=[,;\n])(?P<half>{_G}{lexis.NAME}[\"']{_G}:{_G}(?={_VALUE}))"
    rf"|(?<=[,;{lexis.OTHER_COMMAS}])(?P<item>[^\S\n]*+\n\s*+[\"'])"
    rf"|(?<=,)(?P<named>{_G}{lexis.NAME}{_G}:{_G}(?=[\"'{{\[]))"
)
# A comma before a bare key or at the end of a line, a closer beside a comma or a value, two
# commas, a key in brackets.
_AFTER_QUOTE = (
    rf"(?P<bare>{_G}[\s}}\]]*+(?:,[\s}}\]]*+)++(?=(?:{lexis.NAME}{_G},{_G})?+{lexis.NAME}{_G}(?::|=(?!=))))"
    r"|(?<=[\"'])(?P<line>,[^\S\n]*+\n)"
    rf"|(?P<closed>{_G}(?:[}}\]](?:[^\S\n]*+\n\s*+(?={_VALUE})|[\s}}\]]*+[,{lexis.OTHER_COMMAS}\"'{{\[])|,[\s,]*+[}}\]]))"
    rf"|(?P<twice>{_G},\s*+,\s*+[\"'])"
    rf"|(?P<computed>{_G},{_G}\[{_G}[\"'][\w$ -]{{1,60}}+[\"']{_G}\]{_G}:)"
)
# After its first mark: a pattern that occurs only outside strings.
_HIT = rf"(?<=[,;{lexis.OTHER_COMMAS}\n])(?:{_AFTER_COMMA})|(?<=[\"'`”»])(?={_G}[,}}\]])(?:{_AFTER_QUOTE})"
_ANY_HIT = re.compile(rf"[,;{lexis.OTHER_COMMAS}\n\"'`”»](?:{_HIT})")
# The same, and every bracket; escapes are skipped.
#
# Each pattern begins with the set of its first marks and then looks back at which of them
# matched, so that the regex engine jumps from mark to mark.
_SCAN = re.compile(
    rf"[\\{{\[(,;{lexis.OTHER_COMMAS}\n\"'`”»}}\])](?:(?<=\\).|(?<=[{{\[(])(?P<open>)|{_HIT}|(?<=[}}\])])(?P<close>))",
    re.DOTALL,
)
# Content that begins like a key whose opening quote is that of the string.
_FIRST_KEY = re.compile(rf"\"?+[\w$ ./-]{{1,60}}+[\"']{_G}(?::|=>){_G}{_VALUE}")
_JOINT = re.compile(r"\"(?:[\w$ -]{1,60}+\"\s*+:|\s*+[}\],;])")
_BETWEEN_STRINGS = rf"\s*+[}}\]]*+\s*+[,;]\s*+(?:\"|\Z|{lexis.NAME}\s*+\"|[^\",\n]*+,\s*+\")"
# Text up to a quote that may end the content, with no comma between strings after it, and the
# text then outside.
_LEAVES = rf"{lexis.UP_TO_QUOTE}\"(?!{_BETWEEN_STRINGS}){lexis.UP_TO_QUOTE}"
# Quotes in pairs: the first of each may end the content, and the second does not begin a key.
_NOTHING_OUTSIDE = re.compile(
    rf"(?:{_LEAVES}\"(?![\w$ -]{{1,60}}+\"\s*+:))*+(?:{_LEAVES}|{lexis.UP_TO_QUOTE})\\?+\Z",
    re.DOTALL,
)

# Two quotes: the first looks like a closing one, the second like an opening one.
_INSIDE_OUT = re.compile(
    r"[^\"\\]*+(?<=[\w.!?)])\"(?=[\s,:;])[^\"\\]*+(?:(?<=[\s,{\[])|(?<=[\s,][*/~!.]))\"(?=[\w.*/~!])[^\"]*+\Z"
)


def swallows(body: str, quote: str, *, closed: bool) -> bool:
    """True if the content `body` holds text that belongs outside the string (corpus/repair/swallowed.toml).

    `closed` means that a schema lists all keys: then an unknown key is content.
    """
    if lexis.JOINED.search(body):
        return True
    if not closed and _FIRST_KEY.match(body):
        return True
    if _JOINT.search(body) and not _NOTHING_OUTSIDE.match(body):
        return True  # its quotes put a key, or a comma between strings, outside
    if (body[:1] in ("{", "[") and is_half_json(body)) or _INSIDE_OUT.match(body):
        return True
    if quote == "'" and "\\\\'" in body:
        return True
    return structure_outside(body, closed)


def is_half_json(body: str) -> bool:
    """True if content has unclosed brackets."""
    return any(body.count(a) > body.count(b) for a, b in ("{}", "[]"))


def structure_outside(body: str, closed: bool) -> bool:
    """True if a member, or a closer next to a comma or another string, is in no bracket of the content."""
    if not _ANY_HIT.search(body):
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


# ── layout ──────────────────────────────────────────────────────────────────


_WORDS = "+-._" + string.digits + string.ascii_letters


def is_on_own_line(text: str, end: int) -> bool:
    """True if a line break separates the string, number or word that ends at `end` from its colon."""
    quote = text[end - 1]
    is_string = quote in "\"'"
    start = (
        lexis.quote_before(text, end - 1, quote) if is_string else len(text[:end].rstrip(_WORDS))
    )
    sign = lexis.last_sign(text, start)
    return "\n" in text[sign:start] and text[sign - 1 : sign] in (":", "=", ">")


# ── closer places ───────────────────────────────────────────────────────────


_TOKEN = re.compile(
    rf"{lexis.STRING}(?:{lexis.SPACE}(?P<k>:)|(?P<v>))|[{{}}\[\],]|[^\s{{}}\[\],:\"]++(?P<word>)"
)
_OPENERS = {"{": "}", "[": "]"}


class _Token(NamedTuple):
    """`kind` is a bracket, a comma, `k` for a key with its colon, `v` for any other scalar."""

    kind: str
    start: int
    end: int
    # The indentation of a token that begins a line; -1 for the others.
    indent: int


class Places(NamedTuple):
    """The likeliest other places of a closer, and whether its own place is as likely."""

    # Places in the text without the closer, each after a value.
    others: list[int]
    stays: bool


def other_places(json: str, at: int) -> Places | None:
    """Return where else the closer at `json[at]` could be; None if there are too many places to try.

    Cases: corpus/repair/missing_closer_middle.toml.
    """
    mark, body = json[at], json[:at] + json[at + 1 :]
    tokens = _tokens(body)
    commas = [i for i, token in enumerate(tokens) if token.kind == "," and token.start < at]
    if len(commas) * len(body) > MOST_PARSED:
        return None
    ends = {i: tokens[i - 1].end for i in commas}
    found = [i for i, end in ends.items() if strict(body[:end] + mark + body[end:]) is not None]
    if not found or not any(token.indent > 0 for token in tokens):
        return Places([ends[i] for i in found], True)
    here = next((i for i, token in enumerate(tokens) if token.start >= at), len(tokens))
    faults = {i: _misaligned(tokens, i) for i in (*found[:MOST_LAYOUTS], here)}
    least = min(faults.values())
    return Places([ends[i] for i in found if faults.get(i) == least], faults[here] == least)


def is_askew(json: str) -> bool:
    """True if JSON has several lines and one is not indented to match its container."""
    tokens = _tokens(json) if "\n" in json else []
    return any(token.indent > 0 for token in tokens) and _misaligned(tokens, len(tokens)) > 0


def repeated_keys(json: str) -> list[int]:
    """Return the places of the keys that their object already has."""
    found: list[int] = []
    seen: list[set[str]] = []
    for token in _tokens(json):
        if token.kind in _OPENERS:
            seen.append(set())
        elif token.kind in "}]":
            seen.pop()
        elif token.kind == "k":
            key = json[token.start : token.end].rstrip(": \t\r\n")
            if key in seen[-1]:
                found.append(token.start)
            seen[-1].add(key)
    return found


def _tokens(json: str) -> list[_Token]:
    found: list[_Token] = []
    last, indent = 0, -1
    in_lines = "\n" in json
    for match in _TOKEN.finditer(json):
        start, end = match.span()
        kind = _KINDS.get(match.lastgroup) or json[start]
        if in_lines:
            line = json.rfind("\n", last, start)
            indent = start - line - 1 if line >= 0 else -1
            last = end
        found.append(_new(_Token, (kind, start, end, indent)))
    return found


_KINDS: dict[str | None, str] = {"k": "k", "v": "v", "word": "v"}
_new = tuple.__new__


class _Lines(NamedTuple):
    """An open container, and the indentation of its lines."""

    parent: _Lines | None
    opener: int
    members: int


def _misaligned(tokens: list[_Token], at: int) -> int:
    """Return how many lines are not indented to match their container, with a closer before token `at`."""
    frame, line, faults, first = _Lines(None, -1, -1), 0, 0, True
    for i, token in enumerate(tokens):
        if i == at and frame.parent is not None:
            frame = frame.parent
        if token.indent >= 0:
            line = token.indent
            if token.kind in "}]":
                faults += line != frame.opener
            elif first and token.kind != ",":
                faults += line != frame.members if frame.members >= 0 else line <= frame.opener
                frame = frame if frame.members >= 0 else frame._replace(members=line)
        if token.kind in _OPENERS:
            frame = _new(_Lines, (frame, line, -1))
        elif token.kind in "}]" and frame.parent is not None:
            frame = frame.parent
        first = token.kind in ",{["
    return faults
