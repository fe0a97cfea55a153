"""Parses two notations of their own: Gemma's braces and the arrows of hosted APIs."""

from __future__ import annotations

import json
import re
from dataclasses import replace

from zkit.extract.parsers.arguments import Reading, Task, Unit, finished, from_text
from zkit.extract.parsers.values import number, shifted, strict, unambiguous
from zkit.extract.tape import Steps, Tape, searched
from zkit.receipt import Fix, Rank
from zkit.repair.expect import Expect
from zkit.text.edits import Edit, Layer

_NAME = r"[^\s{}<>()\[\]\"']{1,128}"
_HEAD = rf"(?:call\s*+:\s*+)?(?P<name>{_NAME}?)\s*+(?=\{{)"
_QUOTE = r"<escape>|<\|\"\|>"
_MARKS = re.compile(rf"(?P<quote>{_QUOTE})|(?P<bracket>[{{}}\[\]])|(?P<string>(?<!\|)\")")
_CLOSING = {"<escape>": re.compile("<escape>"), '<|"|>': re.compile(r"<\|\"\|>"), '"': re.compile(r"(?<!\\)(?:\\\\)*+\"")}  # fmt: skip
_TOKEN = re.compile(
    rf"(?P<quoted>(?P<mark>{_QUOTE})(?P<body>.*?)(?P=mark))|(?P<json>\"(?:[^\"\\]|\\.)*+\")|(?P<punct>[{{}}\[\],:])|(?P<blank>\s++)|(?P<bare>(?:(?!{_QUOTE})[^{{}}\[\],:])++)",
    re.DOTALL,
)
_COLON = re.compile(r"\s*+:")


# ── call:NAME{key:value} ─────────────────────────────────────────────────────


def read_braces(task: Task, pos: int, stop: str) -> Steps[Reading | None]:
    """`call:NAME{...}` with strings between tokens."""
    head = yield from task.tape.look(_HEAD, pos)
    if head is None:
        return None
    opening = pos + head.end()
    end, closed = yield from _braces_end(task.tape, opening, searched(stop or "(?!)"))
    span = (pos, end)
    if not closed:
        return Reading((Unit(head["name"], None, span, state="cut"),), end, "braces", False)
    text = task.tape.slice(opening, end)
    return Reading((_from_braces(task, head["name"], text, opening, span),), end, "braces")


def _braces_end(tape: Tape, pos: int, stop: re.Pattern[str]) -> Steps[tuple[int, bool]]:
    """The place after the closing brace, strings between tokens passed over."""
    marks = searched(f"{_MARKS.pattern}|(?P<stop>{stop.pattern})")
    at, depth = pos, 0
    while True:
        hit = yield from tape.find(marks, at)
        if hit is None or hit.match.lastgroup == "stop" or tape.exhausted:
            return (tape.size if hit is None else hit.start), False
        at, mark = hit.end, hit.match.group()
        if hit.match.lastgroup == "bracket":
            depth += 1 if mark in "{[" else -1
            if depth <= 0:
                return at, True
        else:
            closing = yield from tape.find(_CLOSING[mark], at)
            if closing is None:
                return tape.size, False
            at = closing.end


def _from_braces(task: Task, name: str, text: str, at: int, span: tuple[int, int]) -> Unit:
    layer, fixes = _as_json(text, task.tools.expect(name))
    found = unambiguous(layer.text)
    if found is not None:
        return finished(task, name, found[0], span, shifted(fixes, at))
    unit = from_text(task, name, layer.text, 0, span)
    start, end = layer.source_start, layer.source_end
    mapped = tuple(f._replace(start=start(f.start) + at, end=end(f.end) + at) for f in unit.fixes)
    state = "broken" if unit.state == "cut" else unit.state
    return replace(unit, fixes=mapped, state=state, reason=unit.reason or "damaged")


def _as_json(text: str, expect: Expect) -> tuple[Layer, list[Fix]]:
    """The same value as JSON: keys in quotes, strings in quotes, bare words in quotes."""
    edits: list[Edit] = []
    fixes: list[Fix] = []
    depth, key, after = 0, "", ""
    for token in _TOKEN.finditer(text):
        kind, shown = token.lastgroup, token.group()
        is_key = after in ("{", ",") and _COLON.match(text, token.end()) is not None
        if kind == "punct":
            depth += (shown in "{[") - (shown in "}]")
            after = shown
        elif kind == "quoted":
            key = token["body"] if is_key and depth == 1 else key
            edits.append(Edit(token.start(), token.end(), json.dumps(token["body"])))
        elif kind == "bare" and is_key:
            key = shown.strip() if depth == 1 else key
            edits.append(Edit(token.start(), token.end(), json.dumps(shown.strip())))
        elif kind == "bare":
            wanted = expect.child(key).kinds == {"string"} and depth == 1
            literal = None if wanted else strict(shown) or number(shown.strip())
            if literal is not None:  # `108.` is a number (Gemma 4)
                edits.append(Edit(token.start(), token.end(), json.dumps(literal[0])))
            else:
                edits.append(Edit(token.start(), token.end(), json.dumps(shown.strip())))
                fixes.append(Fix("quote_word", Rank.RESPELL, token.start(), token.end(), edits[-1].new, "a bare word"))  # fmt: skip
    return Layer.over(text, edits), fixes


# ── {tool => "NAME", args => { --key value }} ────────────────────────────────

_ARROW = rf"\{{\s*+tool\s*+=>\s*+[\"'](?P<name>{_NAME})[\"']\s*+,?+\s*+(?:args\s*+=>\s*+)?+"
_FLAG = re.compile(
    r"\"(?:[^\"\\]|\\.)*+\"|\s*+,?+\s*+(?<![\w-])--(?P<key>[\w.-]++)[ \t=]*+(?P<word>[^\s\"\[{}]++)?+",
    re.DOTALL,
)


def read_arrows(task: Task, pos: int, stop: str) -> Steps[Reading | None]:
    """`{tool => "NAME", args => { --key value }}`: flags for members, each with a JSON value."""
    tape = task.tape
    head = yield from tape.look(_ARROW, pos)
    if head is None:
        return None
    name, opening = head["name"], pos + head.end()
    ends = searched(stop or "(?!)")
    end, closed = yield from _braces_end(tape, pos, ends)
    inner, whole = yield from _braces_end(tape, opening, ends)
    if not whole:
        return Reading((Unit(name, None, (pos, end), state="cut"),), end, "arrows", False)
    expect = task.tools.expect(name)
    flags = tape.slice(opening + 1, inner - 1)
    text = _FLAG.sub(lambda flag: _member(flag, expect), flags)
    unit = from_text(task, name, f"{{{text.strip().removeprefix(',')}}}", opening, (pos, end))
    return Reading((unit,), end, "arrows", closed)


def _member(flag: re.Match[str], expect: Expect) -> str:
    """A flag and its value as a member of an object; a string stays as it is."""
    key, word = flag["key"], flag["word"] or ""
    if key is None:
        return flag.group()
    quoted = word and (strict(word) is None or expect.child(key).kinds == {"string"})
    return f",{json.dumps(key)}: {json.dumps(word) if quoted else word}"
