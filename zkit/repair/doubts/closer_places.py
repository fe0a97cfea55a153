"""JSON to which one closer was added in; where else that closer could stand out.

A missing closer leaves no trace but what comes after it. `{"a": {"b": 1, "c": 2}` is one object in
another, or two members side by side. Every place is tried after which the rest is sound; where the
lines are indented, the indentation tells which places are likely.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from zkit.text import lexis

MOST_STEPS = 50_000
"""How many tokens are looked at in all, before it counts as beyond telling."""
MOST_LAYOUTS = 32
"""How many places are weighed by the indentation that they make."""
_TOKEN = re.compile(
    rf"{lexis.STRING}(?:{lexis.SPACE}(?P<k>:)|(?P<v>))|[{{}}\[\],]|[^\s{{}}\[\],:\"]++(?P<word>)"
)
_OPENERS = {"{": "}", "[": "]"}


class _Token(NamedTuple):
    """`kind` is a bracket, a comma, `k` for a key with its colon, `v` for any other scalar."""

    kind: str
    start: int
    end: int
    indent: int
    """How far a token that begins a line is indented; -1 for the others."""


class _Open(NamedTuple):
    """A container that is open."""

    closer: str
    parent: _Open | None


class Places(NamedTuple):
    """The likeliest texts with the closer elsewhere, and whether its own place is as likely."""

    others: list[int]
    """Places in the text without the closer, each after a value."""
    stays: bool


class _Budget:
    """Counts the tokens that are looked at."""

    def __init__(self) -> None:
        self.left = MOST_STEPS


def other_places(json: str, at: int) -> Places | None:
    """Where the closer at `json[at]` could stand instead; None when there are too many to try."""
    tokens = _tokens(json[:at] + json[at + 1 :])
    here = next((i for i, token in enumerate(tokens) if token.start >= at), len(tokens))
    budget = _Budget()
    found = [
        i for i, frame in _commas(tokens, here) if _ends_well(tokens, i, frame.parent, "}", budget)
    ]
    if budget.left < 0:
        return None
    if not found or not any(token.indent > 0 for token in tokens):
        return Places([tokens[i - 1].end for i in found], True)
    mark = json[at]
    faults = {i: _least_misaligned(tokens, i, mark) for i in (*found[:MOST_LAYOUTS], here)}
    least = min(faults.values())
    likely = [tokens[i - 1].end for i in found if faults.get(i) == least]
    return Places(likely, faults[here] == least)


def is_askew(json: str) -> bool:
    """Whether JSON has lines, and one is not indented as the container that holds it asks."""
    return "\n" in json and is_misaligned(json)


def is_misaligned(json: str) -> bool:
    """Whether a line is not indented as the container that holds it asks."""
    tokens = _tokens(json)
    return any(token.indent > 0 for token in tokens) and _misaligned(tokens, len(tokens)) > 0


def doubled_openers(json: str, at: int) -> list[int]:
    """Which of two brackets that open side by side could be dropped, instead of adding `json[at]`."""
    body = json[:at] + json[at + 1 :]
    if "[[" not in body:
        return []
    tokens = _tokens(body)
    budget = _Budget()
    found = []
    for i, token in enumerate(tokens[:-1]):
        if token.kind == tokens[i + 1].kind == "[" and token.end == tokens[i + 1].start:
            rest = tokens[:i] + tokens[i + 1 :]
            if _ends_well(rest, 1, _Open(_OPENERS[rest[0].kind], None), rest[0].kind, budget):
                found.append(token.start)
    return found


def glued_closers(json: str) -> list[int]:
    """Where a brace closes that does not begin its line."""
    return [token.start for token in _tokens(json) if token.kind == "}" and token.indent < 0]


def repeated_keys(json: str) -> list[int]:
    """Where JSON says a key that its object has said before."""
    found: list[int] = []
    said: list[set[str]] = []
    for token in _tokens(json):
        if token.kind in _OPENERS:
            said.append(set())
        elif token.kind in "}]":
            said.pop()
        elif token.kind == "k":
            key = json[token.start : token.end].rstrip(": \t\r\n")
            if key in said[-1]:
                found.append(token.start)
            said[-1].add(key)
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


def _commas(tokens: list[_Token], until: int) -> list[tuple[int, _Open]]:
    """The commas before a place, each with the container that it would end."""
    found: list[tuple[int, _Open]] = []
    frame: _Open | None = None
    for i, token in enumerate(tokens[:until]):
        if token.kind in _OPENERS:
            frame = _new(_Open, (_OPENERS[token.kind], frame))
        elif frame is None:
            break
        elif token.kind in "}]":
            frame = frame.parent
        elif token.kind == ",":
            found.append((i, frame))
    return found


def _ends_well(
    tokens: list[_Token], at: int, frame: _Open | None, last: str, budget: _Budget
) -> bool:
    """Whether the tokens from `at` on, after a token `last` in `frame`, make the rest of a value."""
    for i in range(at, len(tokens)):
        budget.left -= 1
        kind = tokens[i].kind
        if frame is None or budget.left < 0 or not _may_follow(last, kind, frame.closer):
            return False
        if kind in _OPENERS:
            frame = _new(_Open, (_OPENERS[kind], frame))
        elif kind in "}]":
            frame = frame.parent
        last = kind
    return frame is None


def _may_follow(last: str, kind: str, closer: str) -> bool:
    """Whether a token may come after another one, in a container with this closer."""
    if kind == closer:
        return last not in ("k", ",")
    if kind in ",}]":
        return kind == "," and last in "v}]"
    if last == "k" or closer == "]":
        return kind != "k" and last in ("k", "[", ",")
    return kind == "k" and last in ("{", ",")


def _least_misaligned(tokens: list[_Token], at: int, mark: str) -> int:
    """How few lines are misaligned with a closer before token `at`, or before others of its kind there."""
    least = _misaligned(tokens, at)
    while least and at and tokens[at - 1].kind == mark:
        at -= 1
        least = min(least, _misaligned(tokens, at))
    return least


class _Lines(NamedTuple):
    """A container that is open, and how its lines are indented."""

    parent: _Lines | None
    opener: int
    members: int


def _misaligned(tokens: list[_Token], at: int) -> int:
    """How many lines are not indented as their container asks, with a closer before token `at`."""
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
