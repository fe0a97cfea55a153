"""Peel off what wraps a value, and rewrite containers of other languages with the brackets of JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

from zkit.repair.expect import Evidence
from zkit.repair.limits import MOST_WRAPPERS, NOTATION_WITHIN, WRAPPER_WITHIN
from zkit.repair.locate.starts import TOKEN
from zkit.text import lexis
from zkit.text.edits import Edit, Layer

# ── peeling ─────────────────────────────────────────────────────────────────


Span = tuple[int, int]
_Peel = Callable[[str, int, int], Span | None]


_FENCE = r"(?:`{3,4}+|~{3,4}+)(?:(?i:json[5cl]?|text|txt|xml|tool_call)(?=\s)|[\w+#.-]{1,20}+(?=\s++[{\[\"])|(?!\w))"
"""What opens a fence: of data, or of any language if a value comes next."""
_PAIRS = tuple(
    (re.compile(opens), re.compile(rf"(?:{closes})\Z"))
    for opens, closes in (
        (_FENCE, r"(?:`{3,4}|~{3,4})"),
        (r"`{1,2}+(?:json\b)?+", r"(?<!`)`{1,2}"),
        (r"<!\[CDATA\[", r"\]\]>"),
        (r"'''(?:json\b)?+|\"\"\"(?:json\b)?+", r"'''|\"\"\""),
        (r"[rRbBuU]{0,2}+'(?!')(?=\s*+[{\[\"\\&])", r"(?<!')'"),
        (r"[rRbBuU]{0,2}+\"(?=\s*+[{\[])", r"(?<=[}\]\s])\""),
        (r"[\w.]{0,60}+\((?=\s*+[\"'`{\[])", r"\)"),
    )
)
"""What opens and closes around a value."""
_TWICE = re.compile(r"(?<=\w)\"\"|\"\"(?=\w)")
"""A quote that is written twice, as in a field of CSV: the quotes around it are not the only ones to undo."""
_LAST = re.compile(rf"(?:{TOKEN}|`{{3,4}}|~{{3,4}})\Z")
_STATEMENT_END = re.compile(r"(?<=[}\]\"'`])\s*+[;,]\Z")
"""What may stand alone at the end: a token, the end of a fence, or the mark after a statement."""
_STRUCTURE = re.compile(r"[\"`{}\[\]<\\&“„«]|(?<!\w)'|'(?!\w)")
_LEADS = re.compile(r"(?:[:=>]|\n)[\s*_]*+\Z")


def peeled(text: str) -> Span | None:
    """Where what is wrapped begins and ends; None when nothing is."""
    span = whole = _stripped(text, 0, len(text))
    for _ in range(MOST_WRAPPERS):
        found = next((new for peel in _PEELS if (new := peel(text, *span)) is not None), None)
        if found is None:
            break
        span = _stripped(text, *found)
    return span if span != whole and span[0] < span[1] else None


def _stripped(text: str, start: int, end: int) -> Span:
    """The span without the white space at both ends."""
    start = min(lexis.skip_blank(text, start), end)
    while end > start and text[end - 1] in lexis.BLANKS:
        end -= 1
    return start, end


def _between_marks(text: str, start: int, end: int) -> Span | None:
    """What stands between two marks that belong together."""
    tail = text[max(start, end - 8) : end]
    for opens, closes in _PAIRS:
        first = opens.match(text, start, end)
        last = closes.search(tail) if first is not None else None
        if first is not None and last is not None:
            if last[0] == '"' and _TWICE.search(text, first.end(), end):
                return None
            inner = (first.end(), end - len(tail) + last.start())
            return inner if inner[0] < inner[1] else None
    return None


def _before_mark(text: str, start: int, end: int) -> Span | None:
    """What comes before a token, the end of a fence, or the mark after a statement that is closed."""
    near = max(start, end - WRAPPER_WITHIN)
    even = all(text.count(a, start, end) <= text.count(b, start, end) for a, b in ("{}", "[]"))
    last = _LAST.search(text[near:end]) or (even and _STATEMENT_END.search(text[near:end])) or None
    return None if last is None else (start, near + last.start())


def _after_words(text: str, start: int, end: int) -> Span | None:
    """What words lead to: a label, an assignment, lines above."""
    first = _STRUCTURE.search(text, start, min(end, start + WRAPPER_WITHIN))
    if first is None or first.start() == start or text.find("(", start, first.start()) >= 0:
        return None
    return (first.start(), end) if _LEADS.search(text, start, first.start()) else None


_PEELS: tuple[_Peel, ...] = (
    _between_marks,
    _before_mark,
    _after_words,
)
"""The ways to take a wrapper off, those with two ends first."""


# ── notations ───────────────────────────────────────────────────────────────


_S = lexis.ANY_SPACE
_SCALAR = r"(?:\"(?:[^\"\\\n]|\\.)*+\"|'(?:[^'\\\n]|\\.)*+'|-?[0-9][0-9.]*+)"
_CALL = re.compile(
    r"(?:new\s++)?+(?:collections\.)?+(dict|OrderedDict|Map|array|set|frozenset|list|tuple)\("
)
_KEYWORDS = re.compile(rf"{_S}({lexis.NAME}){_S}(?:=(?![=>])|:[ \t])")
_PAIRED = re.compile(rf"{_S}{_SCALAR}{_S}=>")
_OF_PAIRS = re.compile(rf"{_S}\[{_S}[(\[]{_S}{_SCALAR}{_S},")
_IN_BRACKETS = re.compile(rf"{_S}[\[{{(]")
_SET = re.compile(
    rf"\{{(?!{_S}{_SCALAR}{_S},{_S}{_SCALAR}{_S}\}}){_S}(?:{_SCALAR}{_S}[,}}]|\{{{lexis.LUA_KEY.pattern})"
)
"""A set, but not one of two: that may be an object without its colon. Or a list of objects in Lua."""
_PAIR = re.compile(rf"[(\[]{_S}({_SCALAR}){_S},")
_NEXT = re.compile(
    r"[\"'`“(){}\[\]]|(?<![\w.])(?:new|collections|dict|OrderedDict|Map|array|set|frozenset|list|tuple)\b"
)
_NAMED_CALL = re.compile(rf"{_S}[A-Za-z_][\w.]*+\((?={_KEYWORDS.pattern})")
_END = re.compile(rf"\){_S};?+{_S}")
_PAIRS_NOTATIONS = ("]", "}")
"""What closes a list of pairs."""


def rewritten(text: str, evidence: Evidence | None, *, lone: bool) -> Layer | None:
    """The text with the brackets of JSON; None if there is nothing to rewrite.

    Where the text seems to hold several values (it is not `lone`), only keyword arguments explain that.
    """
    if len(text) > NOTATION_WITHIN:
        return None
    edits = _keyword_arguments(text, evidence)
    if not edits and lone:
        edits = (evidence and _yaml_lines(text, evidence)) or _containers(text)
    return Layer.over(text, edits) if edits else None


def _keyword_arguments(text: str, evidence: Evidence | None) -> list[Edit]:
    """Braces around `a=1, b=2`; with a schema also for the parentheses of one call that is all of the text."""
    call = _NAMED_CALL.match(text)
    if call is not None and _CALL.match(text) is None:
        if evidence is None:
            return []
        last = text.rfind(")")
        if last < 0 or _END.fullmatch(text, last) is None:
            return []
        inner = _containers(text[:last])
        return [Edit(0, call.end(), "{"), *inner, Edit(last, len(text), "}")]
    first = _KEYWORDS.match(text)
    if first is None or "," not in text or "\n" in text.strip():
        return []
    if first[0].rstrip()[-1] == ":" and (evidence is None or first[1] not in evidence.root.keys):
        return []  # words that lead to something
    return [Edit(0, 0, "{"), *_containers(text), Edit(len(text), len(text), "}")]


class _Walk:
    """The edits so far, and what closes each container that is open."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.edits: list[Edit] = []
        self.closers: list[tuple[str, str | None]] = []
        """What the text closes a container with, and what to write for it; None to leave it."""

    def open(self, start: int, end: int, new: str | None, closer: str, closed: str | None) -> int:
        """Note an opener between two places, and what closes it."""
        if new is not None:
            self.edits.append(Edit(start, end, new))
        self.closers.append((closer, closed))
        return end

    def close(self, pos: int) -> int | None:
        """Note the closer at a place; None if it closes nothing."""
        if not self.closers or self.text[pos] != self.closers[-1][0]:
            return None
        new = self.closers.pop()[1]
        if new is not None:
            self.edits.append(Edit(pos, pos + 1, new))
        return pos + 1


def _containers(text: str) -> list[Edit]:
    """What rewrites every container of another language; nothing if brackets do not match."""
    walk = _Walk(text)
    pos: int | None = 0
    while pos is not None and (found := _NEXT.search(text, pos)) is not None:
        mark, at = found[0], found.start()
        if mark in ")}]":
            pos = walk.close(at)
        elif mark in lexis.QUOTES:
            token = lexis.string_at(text, at)
            pos = None if token is None else token.end
        elif mark.isalpha():
            call = _CALL.match(text, at)
            pos = found.end() if call is None else _opened_call(walk, call)
        else:
            pos = _opened(walk, at, mark)
    return [] if pos is None or walk.closers else walk.edits


def _opened_call(walk: _Walk, call: re.Match[str]) -> int | None:
    """Step into a constructor: an object of keywords or pairs, or what its brackets hold."""
    text, start, end = walk.text, call.start(), call.end()
    if _KEYWORDS.match(text, end) or _PAIRED.match(text, end):
        return walk.open(start, end, "{", ")", "}")
    if _OF_PAIRS.match(text, end):
        walk.open(start, text.index("[", end) + 1, "{", ")", "")
        walk.closers.append(_PAIRS_NOTATIONS)
        return _pairs(walk, text.index("[", end) + 1)
    if _IN_BRACKETS.match(text, end):
        return walk.open(start, end, "", ")", "")
    return walk.open(start, end, "[", ")", "]") if call[1] == "array" else None


def _pairs(walk: _Walk, pos: int) -> int | None:
    """Rewrite the first pair of a list of them; the others are found when it is closed."""
    pair = _PAIR.match(walk.text, lexis.skip_blank(walk.text, pos))
    if pair is None:
        return None
    walk.edits.append(Edit(pair.start(), pair.start(1), ""))
    walk.edits.append(Edit(pair.end(1), pair.end(), ":"))
    walk.closers.append((")" if pair[0][0] == "(" else "]", ""))
    return pair.end()


def _opened(walk: _Walk, pos: int, mark: str) -> int | None:
    """Step into brackets: an object of arrows, a set, the next pair of a list of pairs, or as they are."""
    text = walk.text
    closer = {"{": "}", "[": "]", "(": ")"}[mark]
    if walk.closers and walk.closers[-1] is _PAIRS_NOTATIONS and mark in "([":
        return _pairs(walk, pos)
    if mark == "[" and _PAIRED.match(text, pos + 1):
        return walk.open(pos, pos + 1, "{", closer, "}")
    if mark == "{" and _SET.match(text, pos):
        return walk.open(pos, pos + 1, "[", closer, "]")
    return walk.open(pos, pos + 1, None, closer, None)


_YAML_LINE = re.compile(r"([A-Za-z_][\w-]*+):[ \t]++(\S[^\n]*+)")
_YAML_SCALAR = re.compile(rf"true|false|null|~|-?[0-9]++(?:\.[0-9]++)?|{lexis.STRING}|'[^'\n]*+'")


def _yaml_lines(text: str, evidence: Evidence) -> list[Edit]:
    """Members for lines of YAML, if each line is one, its key is declared, and none is missing."""
    edits = [Edit(0, 0, "{")]
    keys: set[str] = set()
    at = 0
    for line in text.split("\n"):
        plain = line.strip()
        found = _YAML_LINE.fullmatch(plain)
        if plain and (found is None or found[1] not in evidence.root.keys or line[:1].isspace()):
            return []
        if found is not None:
            keys.add(found[1])
            value = found[2].strip()
            if value[0] in "\"'" and not _YAML_SCALAR.fullmatch(value):
                return []  # more than one string
            new = value if _YAML_SCALAR.fullmatch(value) else json.dumps(value, ensure_ascii=False)
            comma = "," if len(keys) > 1 else ""
            edits.append(
                Edit(at, at + len(line), f'{comma}"{found[1]}": {"null" if new == "~" else new}')
            )
        at += len(line) + 1
    return (
        [*edits, Edit(len(text), len(text), "}")] if keys and evidence.root.required <= keys else []
    )
