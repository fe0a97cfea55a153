"""Generates texts of a given size: valid, damaged in every catalogued way, and adversarial."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import lru_cache
from random import Random
from typing import Any

from benchmarks.damage import DAMAGES, Damage
from benchmarks.payloads import Payload, make_payload
from benchmarks.tokens import STYLES, Token, text_of, tokenise

Grow = Callable[[int], str]
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"items": {"type": "array"}},
    "required": ["items"],
}
SPACED = STYLES[1]


def repeated(part: str, before: str = "", after: str = "") -> Grow:
    """The same part again and again."""
    return lambda size: before + part * (max(1, size - len(before)) // len(part)) + after


def members(part: str, joint: str, before: str, after: str) -> Grow:
    """Numbered parts with something between them."""

    def grow(size: int) -> str:
        count = max(1, size // (len(part.replace("#", "1000")) + len(joint)))
        return before + joint.join(part.replace("#", str(at)) for at in range(count)) + after

    return grow


@lru_cache
def big_payload(size: int) -> tuple[Payload, list[Token]]:
    """Arguments of many tools in one list, and their tokens."""
    rng = Random(7)  # so that the larger text begins like the smaller
    items: list[Any] = []
    total = 0
    while not items or total < size:
        items.append(make_payload(rng).truth)
        total += len(json.dumps(items[-1], ensure_ascii=False))
    payload = Payload("many", {**SCHEMA, "title": "many"}, {"items": items})
    return payload, tokenise(payload.truth, SPACED)


def damaged(damage: Damage) -> Grow:
    """A big payload, damaged, with the seed of five that damages the most places."""

    def grow(size: int) -> str:
        return _try(damage, size, _widest(damage))[1] or ""

    return grow


@lru_cache
def _widest(damage: Damage) -> int:
    return max(range(5), key=lambda seed: _try(damage, 4_000, seed)[0])


def _try(damage: Damage, size: int, seed: int) -> tuple[int, str | None]:
    """How many places were damaged, and the text; None where the damage finds no place."""
    rng = Random(seed)
    payload, tokens = big_payload(size)
    broken = damage.breaks(rng, tokens) if damage.breaks else tokens
    if broken is None:
        return 0, None
    touched = sum(token.touched for token in broken) + abs(len(broken) - len(tokens))
    text = text_of(broken)
    return touched, damage.wraps(rng, text, payload) if damage.wraps else text


VALID: Mapping[str, Grow] = {
    "one long string": repeated("a long line of text\\n", '{"content": "', '"}'),
    "many members": members('"key#": "value #"', ", ", "{", "}"),
    "a list of numbers": members("#", ",", '{"points": [', "]}"),
    "a list of objects": members(
        '{"id": #, "ok": true, "note": "it\'s fine"}', ", ", '{"items": [', "]}"
    ),
    "mixed payloads": lambda size: text_of(big_payload(size)[1]),
}
# The last three find no place in so mixed a text, so they get plainer ones of their own.
DAMAGED: Mapping[str, Grow] = {damage.name: damaged(damage) for damage in DAMAGES} | {
    "smart_quotes": members("“key#”: “value #”", ", ", "{", "}"),
    "quote_entities": members("&quot;key#&quot;: &quot;value #&quot;", ", ", "{", "}"),
    "escaped_quotes": members('\\"key#\\": \\"value #\\"', ", ", "{", "}"),
}
ADVERSARIAL: Mapping[str, Grow] = {
    "openers [": repeated("["),
    "openers {": repeated("{"),
    "openers {[": repeated("{["),
    "closers ]": repeated("]"),
    "closers after a value": repeated("]", '{"a": 1'),
    "nested members": repeated('{"a":'),
    "nested lists, closed": lambda size: "[" * (size // 2) + "]" * (size // 2),
    "quotes": repeated('"'),
    "quotes in a value": repeated('"', '{"a": "'),
    "quoted words in a value": repeated('say "so" ', '{"a": "', '"}'),
    "quotes and commas in a value": repeated('", "', '{"a": "', '"}'),
    "quotes and colons in a value": repeated('": "', '{"a": "', '"}'),
    "fake members in a value": repeated('", "b": "', '{"a": "x', '"}'),
    "formulas that never end": repeated("\\(x ", '{"a": "', '",}'),
    "comments between two members": repeated('# "x".\n', '{"a": 1,\n', '"b": 2,}'),
    "quotes before comments": repeated(",'/*<//> ", '{"items": [', '"]}'),
    "backslashes": repeated("\\"),
    "backslashes in a value": repeated("\\", '{"a": "', '"}'),
    "escaped quotes": repeated('\\"', '{"a": "', '"}'),
    "invalid escapes": repeated("\\d", '{"a": "', '"}'),
    "apostrophes in single quotes": repeated("it's ", "{'a': '", "'}"),
    "apostrophes": repeated("'"),
    "mixed quotes": repeated("\"'`"),
    "smart quotes": repeated("“”"),
    "triple quotes": repeated('"""'),
    "unclosed string": repeated("text, and more: ", '{"a": "'),
    "unclosed single quotes": repeated("text ", "{'a': '"),
    "unclosed strings in a list": repeated('"a, ', "["),
    "raw newlines": repeated("line\n", '{"a": "', '"}'),
    "strings side by side": repeated('"a" '),
    "strings side by side in a list": repeated('"a" ', "[", "]"),
    "words": repeated("word "),
    "words as a value": repeated("word ", '{"a": ', "}"),
    "words in a list": repeated("word, ", "[", "]"),
    "one long word": repeated("a"),
    "digits": repeated("1", '{"a": ', "}"),
    "thousands": repeated(",123", '{"a": 1', "}"),
    "braces in prose": repeated("use {x} or [y], it's {z: 1}; "),
    "openers in prose": repeated("a { b "),
    "small objects": repeated('{"a": 1} '),
    "small objects, one broken": repeated('{"a": 1} ', '{"a": 1,} '),
    "fences": repeated("```json\n"),
    "fences with objects": repeated('```json\n{"a": 1,}\n```\n'),
    "tildes with objects": repeated('~~~json\n{"a": 1,}\n~~~\n'),
    "tags with objects": repeated('<a>{"a": 1,}</a>\n'),
    "lines with objects": repeated("{'a': 1}\n"),
    "lines with escaped objects": repeated('{\\"a\\": 1}\n'),
    "objects with bare words": members('{"k#": word#}', ", ", "[", "]"),
    "folders that end in a backslash": members('"k#": "C:\\x\\"', ", ", "{", "}"),
    "apostrophes in members": members("'k#': 'it's'", ", ", "{", "}"),
    "JSON in strings, unescaped": members('"k#": "{"a": #}"', ", ", "{", "}"),
    "objects that begin with a comma": members('"k#": {', ", ", "{", "}"),
    "under-escaped, and a line break": lambda size: DAMAGED["under_escaped"](size) + "\n",
    "under-escaped, and cut": lambda size: DAMAGED["under_escaped"](size)[:-4],
    "fences with strings that lack a quote": members(
        '{"k#": "v #}', "\n```\n```json\n", "```json\n", "\n```\n"
    ),
    "smart quotes without commas": members("“k#”: “v”", " ", "{", "}"),
    "back quotes in a list": repeated("`", '{"items": [', '"]}'),
    "opening quotes that never close": repeated('~`", "b": “', '{"a": "', '"}'),
    "lists in prose that never close": repeated("[null\r", "Sure: ", " done"),
    "objects after hashes": repeated('# {"a": "x"}'),
    "quoted ends of reasoning": repeated('"</think> '),
    "think tags": repeated("<think>"),
    "tags": repeated("<a><b>"),
    "line comments": repeated("// x\n", '{"a": 1 '),
    "comment openers": repeated("/* ", '{"a": 1 '),
    "comment openers in a value": repeated('x"/* ', '{"a": "', '"}'),
    "slashes": repeated("/", '{"a": '),
    "commas": repeated(","),
    "commas in a list": repeated(",", "[", "]"),
    "colons": repeated(":"),
    "colons in an object": repeated(":", '{"a"', "}"),
    "keys without values": repeated('"a": ', "{", "}"),
    "ellipses": repeated("...,", "[", "]"),
    "plus signs": repeated('"a" + ', '{"a": ', '"b"}'),
    "equals": repeated("a=b ", "{", "}"),
    "spaces": repeated(" ", "{", "}"),
    "newlines": repeated("\n", '{"a": 1'),
    "zero-width spaces": repeated("\u200b", "{", "}"),
    "control characters": repeated("\x00\x01", '{"a": "', '"}'),
    "lone surrogates": repeated("\ud800", '{"a": "', '"}'),
    "entities": repeated("&quot;"),
    "doubled braces": lambda size: "{" * (size // 2) + '"a": 1' + "}" * (size // 2),
    "parentheses": repeated("f("),
    "double encoding": lambda size: json.dumps(json.dumps({"a": '"' * (size // 8)})),
    "wrong closers": repeated('{"a": [1}, ', "[", "]"),
    "missing closers": repeated('{"a": [1, ', "[", "]"),
    "missing openers": repeated('"a": 1}, ', "[", "]"),
}
