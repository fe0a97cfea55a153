"""Rewrite containers of other languages with JSON's brackets. See corpus/repair/notations."""

from __future__ import annotations

import json
import re

from zkit.expect import Evidence
from zkit.repair.limits import NOTATION_WITHIN
from zkit.text import lexis
from zkit.text.edits import Edit, Layer

_S = lexis.ANY_SPACE
_SCALAR = r"(?:\"(?:[^\"\\\n]|\\.)*+\"|'(?:[^'\\\n]|\\.)*+'|-?[0-9][0-9.]*+)"
_CALL = r"(?:new\s++)?+(?:collections\.)?+(?:dict|OrderedDict|Map|array|set|frozenset|list|tuple)\("
_KEYWORDS = re.compile(rf"{_S}({lexis.NAME}){_S}(?:=(?![=>])|:[ \t])")
_PAIRED = rf"{_S}{_SCALAR}{_S}=>"
# The closer of a list of pairs, and the brace to write for it.
_PAIRS = ("]", "}", "pairs")
# The containers: how one opens, the bracket to write, and its closers, each with what to write for
# it; None leaves a bracket as it is. A set of two is left out: it may be an object without its colon.
_CONTAINERS = tuple(
    (re.compile(opener), new, closers)
    for opener, new, *closers in (
        (rf"{_CALL}(?={_KEYWORDS.pattern}|{_PAIRED})", "{", (")", "}")),
        (rf"{_CALL}{_S}\[(?={_S}[(\[]{_S}{_SCALAR}{_S},)", "{", (")", ""), _PAIRS),
        (rf"{_CALL}(?={_S}[\[{{(])", "", (")", "")),
        (r"array\(", "[", (")", "]")),
        (rf"\[(?={_PAIRED})", "{", ("]", "}")),
        (
            rf"\{{(?!{_S}{_SCALAR}{_S},{_S}{_SCALAR}{_S}\}})(?={_S}{_SCALAR}{_S}[,}}])",
            "[",
            ("}", "]"),
        ),
        (rf"\{{(?={_S}\{{{lexis.LUA_KEY.pattern})", "[", ("}", "]")),
        (r"\{", None, ("}", None)),
        (r"\[", None, ("]", None)),
        (r"\(", None, (")", None)),
    )
)
_PAIR = re.compile(rf"[(\[]{_S}({_SCALAR}){_S},")
_NEXT = re.compile(
    r"[\"'`“(){}\[\]]|(?<![\w.])(?:new|collections|dict|OrderedDict|Map|array|set|frozenset|list|tuple)\b"
)
_NAMED_CALL = re.compile(rf"(?!{_S}{_CALL}){_S}[A-Za-z_][\w.]*+\((?={_KEYWORDS.pattern})")
_END = re.compile(rf"\){_S};?+{_S}")
_YAML_LINE = re.compile(r"^([A-Za-z_][\w-]*+):[ \t]++(\S[^\n]*+)$", re.MULTILINE)
_YAML_SCALAR = re.compile(rf"true|false|null|-?[0-9]++(?:\.[0-9]++)?|{lexis.STRING}|'[^'\n]*+'")


def rewritten(text: str, evidence: Evidence | None) -> Layer | None:
    """Return the text with JSON's brackets; None if there is nothing to rewrite."""
    if len(text) > NOTATION_WITHIN:
        return None
    edits = _keyword_arguments(text, evidence)
    edits = edits or (evidence and _yaml_lines(text, evidence)) or _containers(text)
    return Layer.over(text, edits) if edits else None


def _keyword_arguments(text: str, evidence: Evidence | None) -> list[Edit]:
    """Return the edits that put braces around `a=1, b=2`; with a schema, also around the arguments of a single call."""
    call = _NAMED_CALL.match(text)
    if call is not None:
        last = text.rfind(")")
        if evidence is None or last < 0 or _END.fullmatch(text, last) is None:
            return []
        inner = _containers(text[:last], call.end())
        return [Edit(0, call.end(), "{"), *inner, Edit(last, len(text), "}")]
    first = _KEYWORDS.match(text)
    if first is None or "," not in text or "\n" in text.strip():
        return []
    if first[0].rstrip()[-1] == ":" and (evidence is None or first[1] not in evidence.root.keys):
        return []  # introductory words, not a key
    return [Edit(0, 0, "{"), *_containers(text), Edit(len(text), len(text), "}")]


def _containers(text: str, pos: int = 0) -> list[Edit]:
    """Return the edits that rewrite every container of another language; none if brackets do not match."""
    edits: list[Edit] = []
    # The closers of the open containers, and what to write for them.
    closers: list[tuple[str | None, ...]] = []
    while (found := _NEXT.search(text, pos)) is not None:
        mark, at, pos = found[0], found.start(), found.end()
        if mark in ")}]":
            if not closers or closers[-1][0] != mark:
                return []
            new = closers.pop()[1]
            edits += [] if new is None else [Edit(at, pos, new)]
        elif mark in lexis.QUOTES:
            token = lexis.string_at(text, at)
            if token is None:
                return []
            pos = token.end
        elif closers and closers[-1] == _PAIRS:
            pair = _PAIR.match(text, at)
            if pair is None:
                return []
            edits += [Edit(at, pair.start(1), ""), Edit(pair.end(1), pair.end(), ":")]
            closers.append((")" if mark == "(" else "]", ""))
            pos = pair.end()
        else:
            for opener, new, due in _CONTAINERS:
                opens = opener.match(text, at)
                if opens is not None:
                    pos = opens.end()
                    edits += [] if new is None else [Edit(at, pos, new)]
                    closers += due
                    break
    return [] if closers else edits


def _yaml_lines(text: str, evidence: Evidence) -> list[Edit]:
    """Return the edits that turn YAML lines into members.

    Every line must be a member with a declared key, and no required key may be missing.
    """
    lines = list(_YAML_LINE.finditer(text))
    keys = {line[1] for line in lines}
    most = sum(not line.isspace() for line in text.splitlines())
    if len(lines) < most or not lines or not evidence.root.required <= keys <= evidence.root.keys:
        return []
    edits: list[Edit] = []
    for line in lines:
        value = line[2].strip()
        if not _YAML_SCALAR.fullmatch(value):
            if value[0] in "\"'":
                return []  # more than one string in a line
            value = json.dumps(value, ensure_ascii=False)
        mark = "," if edits else "{"
        edits.append(Edit(*line.span(), f'{mark}"{line[1]}": {value}'))
    return [*edits, Edit(len(text), len(text), "}")]
