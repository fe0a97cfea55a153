"""Rewrite containers of other languages with JSON's brackets."""

from __future__ import annotations

import json
import re

from zkit.expect import Evidence
from zkit.repair.limits import NOTATION_WITHIN
from zkit.text import lexis
from zkit.text.edits import Edit, Layer

_S = lexis.ANY_SPACE
_SCALAR = r"(?:\"(?:[^\"\\\n]|\\.)*+\"|'(?:[^'\\\n]|\\.)*+'|-?[0-9][0-9.]*+)"
_CALL = re.compile(
    r"(?:new\s++)?+(?:collections\.)?+(dict|OrderedDict|Map|array|set|frozenset|list|tuple)\("
)
_KEYWORDS = re.compile(rf"{_S}({lexis.NAME}){_S}(?:=(?![=>])|:[ \t])")
_PAIRED = re.compile(rf"{_S}{_SCALAR}{_S}=>")
_OF_PAIRS = re.compile(rf"{_S}\[{_S}[(\[]{_S}{_SCALAR}{_S},")
_IN_BRACKETS = re.compile(rf"{_S}[\[{{(]")
# A set, or a list of objects in Lua. A set of two is left out: it may be an object without its
# colon.
#
# See corpus/repair/notations.
_SET = re.compile(
    rf"\{{(?!{_S}{_SCALAR}{_S},{_S}{_SCALAR}{_S}\}}){_S}(?:{_SCALAR}{_S}[,}}]|\{{{lexis.LUA_KEY.pattern})"
)
_PAIR = re.compile(rf"[(\[]{_S}({_SCALAR}){_S},")
_NEXT = re.compile(
    r"[\"'`“(){}\[\]]|(?<![\w.])(?:new|collections|dict|OrderedDict|Map|array|set|frozenset|list|tuple)\b"
)
_NAMED_CALL = re.compile(rf"{_S}[A-Za-z_][\w.]*+\((?={_KEYWORDS.pattern})")
_END = re.compile(rf"\){_S};?+{_S}")
# The closer of a list of pairs, and the brace to write for it; compared by identity.
_PAIRS_NOTATIONS = ("]", "}")


def rewritten(text: str, evidence: Evidence | None, *, lone: bool) -> Layer | None:
    """Return the text with JSON's brackets; None if there is nothing to rewrite.

    If the text seems to hold several values (`lone` is false), only keyword arguments are rewritten.
    """
    if len(text) > NOTATION_WITHIN:
        return None
    edits = _keyword_arguments(text, evidence)
    if not edits and lone:
        edits = (evidence and _yaml_lines(text, evidence)) or _containers(text)
    return Layer.over(text, edits) if edits else None


def _keyword_arguments(text: str, evidence: Evidence | None) -> list[Edit]:
    """Return the edits that put braces around `a=1, b=2`; with a schema, also around the arguments of a single call.

    See corpus/repair/notations.
    """
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
        return []  # introductory words, not a key
    return [Edit(0, 0, "{"), *_containers(text), Edit(len(text), len(text), "}")]


class _Walk:
    """The edits so far, and the closers of the open containers."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.edits: list[Edit] = []
        # The closer in the text and its replacement, None to leave it as it is.
        self.closers: list[tuple[str, str | None]] = []

    def open(self, start: int, end: int, new: str | None, closer: str, closed: str | None) -> int:
        """Record an opener and its closer, and return the place after the opener."""
        if new is not None:
            self.edits.append(Edit(start, end, new))
        self.closers.append((closer, closed))
        return end

    def close(self, pos: int) -> int | None:
        """Record the closer at `pos` and return the place after it; None if it does not match."""
        if not self.closers or self.text[pos] != self.closers[-1][0]:
            return None
        new = self.closers.pop()[1]
        if new is not None:
            self.edits.append(Edit(pos, pos + 1, new))
        return pos + 1


def _containers(text: str) -> list[Edit]:
    """Return the edits that rewrite every container of another language; none if brackets do not match."""
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
    """Open a constructor call: an object of keywords or pairs, or the container in its parentheses.

    Return the place to go on, or None if the call is not understood.
    """
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
    """Rewrite the opening of one pair in a list of pairs; None if no pair begins at `pos`."""
    pair = _PAIR.match(walk.text, lexis.skip_blank(walk.text, pos))
    if pair is None:
        return None
    walk.edits.append(Edit(pair.start(), pair.start(1), ""))
    walk.edits.append(Edit(pair.end(1), pair.end(), ":"))
    walk.closers.append((")" if pair[0][0] == "(" else "]", ""))
    return pair.end()


def _opened(walk: _Walk, pos: int, mark: str) -> int | None:
    """Open brackets: an object with arrows, a set, the next pair in a list of pairs, or plain brackets."""
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
    """Return the edits that turn YAML lines into members.

    Every line must be a member with a declared key, and no required key may be missing.
    See corpus/repair/notations.
    """
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
                return []  # more than one string in a line
            new = value if _YAML_SCALAR.fullmatch(value) else json.dumps(value, ensure_ascii=False)
            comma = "," if len(keys) > 1 else ""
            edits.append(
                Edit(at, at + len(line), f'{comma}"{found[1]}": {"null" if new == "~" else new}')
            )
        at += len(line) + 1
    return (
        [*edits, Edit(len(text), len(text), "}")] if keys and evidence.root.required <= keys else []
    )
