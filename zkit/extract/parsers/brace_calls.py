"""Parse two special notations: Gemma's braces, and the arrows of MiniMax models on hosted APIs."""

from __future__ import annotations

import json
import re
from dataclasses import replace

from zkit.expect import Expect
from zkit.extract.parsers.arguments import Reading, Task, Unit, finished, from_text
from zkit.extract.parsers.brackets import extent
from zkit.extract.parsers.values import number, strict, unambiguous
from zkit.extract.tape import Steps
from zkit.receipt import Fix, Rank

_NAME = r"[^\s{}<>()\[\]\"']{1,128}"
_HEAD = rf"(?:call\s*+:\s*+)?(?P<name>{_NAME}?)\s*+(?=\{{)"
_QUOTE = r"<escape>|<\|\"\|>"
_TOKEN = re.compile(
    rf"(?P<mark>{_QUOTE})(?P<body>.*?)(?P=mark)|\"(?:[^\"\\]|\\.)*+\"|(?P<key>(?<=[{{,])\s*+(?:(?!{_QUOTE})[^{{}}\[\],:\"])++)(?=:)|(?P<bare>(?:(?!{_QUOTE})[^{{}}\[\],:\"])++)",
    re.DOTALL,
)


# ── call:NAME{key:value} ─────────────────────────────────────────────────────


def read_braces(task: Task, pos: int, stop: str) -> Steps[Reading | None]:
    """Read `call:NAME{...}`, whose strings are between quote tokens."""
    head = yield from task.tape.look(_HEAD, pos)
    if head is None:
        return None
    opening = pos + head.end()
    end, closed, *_ = yield from extent(task.tape, opening, "tokens", stop)
    span = (pos, end)
    if not closed:
        return Reading((Unit(head["name"], None, span, state="cut"),), end, "braces", False)
    text = task.tape.slice(opening, end)
    return Reading((_from_braces(task, head["name"], text, opening, span),), end, "braces")


def _from_braces(task: Task, name: str, text: str, at: int, span: tuple[int, int]) -> Unit:
    """Return the call, after its braces were rewritten as JSON: keys, strings and bare words are quoted."""
    key, words, expect = "", [], task.tools.expect(name)

    def spelt(token: re.Match[str]) -> str:
        nonlocal key
        bare = (token["bare"] or "").strip()
        if token["key"] is not None:
            key = token["key"].strip()
            return json.dumps(key)
        if token["body"] is not None:
            return json.dumps(token["body"])
        if not bare:
            return token.group()
        # `108.` is a number (Gemma 4), unless the schema has a string here.
        literal = None if expect.child(key).kinds == {"string"} else strict(bare) or number(bare)
        if literal is None:
            start, end = at + token.start("bare"), at + token.end("bare")
            words.append(
                Fix("quote_word", Rank.RESPELL, start, end, json.dumps(bare), "a bare word")
            )
        return json.dumps(bare if literal is None else literal[0])

    written = _TOKEN.sub(spelt, text)
    found = unambiguous(written)
    if found is not None:
        return finished(task, name, found[0], span, tuple(words))
    unit = from_text(task, name, written, at, span)
    moved = tuple(fix._replace(start=at, end=span[1]) for fix in unit.fixes)
    state = "broken" if unit.state == "cut" else unit.state
    return replace(unit, fixes=moved, state=state, reason=unit.reason or "damaged")


# ── {tool => "NAME", args => { --key value }} ────────────────────────────────

_ARROW = rf"\{{\s*+tool\s*+=>\s*+[\"'](?P<name>{_NAME})[\"']\s*+,?+\s*+(?:args\s*+=>\s*+)?+"
_FLAG = re.compile(
    r"\"(?:[^\"\\]|\\.)*+\"|\s*+,?+\s*+(?<![\w-])--(?P<key>[\w.-]++)[ \t=]*+(?P<word>[^\s\"\[{}]++)?+",
    re.DOTALL,
)


def read_arrows(task: Task, pos: int, stop: str) -> Steps[Reading | None]:
    """Read `{tool => "NAME", args => { --key value }}`: each argument is a flag and a JSON value."""
    tape = task.tape
    head = yield from tape.look(_ARROW, pos)
    if head is None:
        return None
    name, opening = head["name"], pos + head.end()
    end, closed, *_ = yield from extent(tape, pos, "tokens", stop)
    inner, whole, *_ = yield from extent(tape, opening, "tokens", stop)
    if not whole:
        return Reading((Unit(name, None, (pos, end), state="cut"),), end, "arrows", False)
    expect = task.tools.expect(name)
    flags = tape.slice(opening + 1, inner - 1)
    text = _FLAG.sub(lambda flag: _member(flag, expect), flags)
    unit = from_text(task, name, f"{{{text.strip().removeprefix(',')}}}", opening, (pos, end))
    return Reading((unit,), end, "arrows", closed)


def _member(flag: re.Match[str], expect: Expect) -> str:
    """Return a flag as a member of a JSON object; a quoted string stays as it is."""
    key, word = flag["key"], flag["word"] or ""
    if key is None:
        return flag.group()
    quoted = word and (strict(word) is None or expect.child(key).kinds == {"string"})
    return f",{json.dumps(key)}: {json.dumps(word) if quoted else word}"
