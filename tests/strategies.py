"""What the laws are tried on: JSON of every kind, and texts that are anything but JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from random import Random
from typing import Any

from hypothesis import strategies as st
from pydantic import BaseModel

from benchmarks.damage import DAMAGES, damaged_payload
from zkit import Rank

# ── JSON ──────────────────────────────────────────────────────────────────────

ANY_CHARACTER = st.characters()
"""Every code point, lone surrogates and NUL included."""

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(min_value=-(10**40), max_value=10**40)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text()
)
TRICKY = st.sampled_from(
    ["", "{", '"a": 1}', "```json", "</think>", "a, b: c", "it's", "\\", "//", "\n", "…", "\u2028"]
)
"""Strings whose content looks like the syntax around them."""


def _containers(items: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.lists(items, max_size=4) | st.dictionaries(st.text(max_size=6), items, max_size=4)


VALUES = st.recursive(SCALARS | TRICKY, _containers, max_leaves=12)
CONTAINERS = _containers(VALUES)

STYLES: tuple[Mapping[str, Any], ...] = (
    {},
    {"ensure_ascii": False},
    {"separators": (",", ":")},
    {"indent": 2, "ensure_ascii": False},
    {"indent": "\t"},
    {"indent": 0, "separators": (" ,", " : ")},
)


@st.composite
def json_texts(draw: st.DrawFn, values: st.SearchStrategy[Any] = VALUES) -> str:
    """A value, written in any style of `json.dumps`, with white space around it."""
    text = json.dumps(draw(values), **draw(st.sampled_from(STYLES)))
    return draw(st.sampled_from(["", " ", "\n"])) + text + draw(st.sampled_from(["", "\r\n", "\t"]))


# ── schemas ───────────────────────────────────────────────────────────────────


class Note(BaseModel):
    """A pydantic model stands for its schema."""

    a: str
    b: int = 0


CLOSED = {
    "type": "object",
    "properties": {"a": {"type": "string"}, "b": {"type": "integer"}, "c": {"type": "array"}},
    "required": ["a"],
    "additionalProperties": False,
}
NESTED = {
    "$defs": {"node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/node"}}}},
    "anyOf": [{"$ref": "#/$defs/node"}, {"type": "array", "items": {"enum": [1, "a", None]}}],
}
SCHEMAS: tuple[Any, ...] = (
    None,
    {},
    {"type": "object"},
    {"type": "string"},
    {"type": ["array", "null"], "items": {"type": "number"}},
    CLOSED,
    NESTED,
    Note,
)
LIMITS = tuple(Rank)[:-1]
"""Every limit but SALVAGE, which hands the text to another library."""

FINISH_REASONS = (None, "stop", "length", "tool_calls", "?")

TYPES = {
    type(None): "null",
    bool: "boolean",
    int: "integer",
    float: "number",
    str: "string",
    list: "array",
    dict: "object",
}
"""The JSON Schema type of a value."""


@st.composite
def schemas_that_admit(draw: st.DrawFn, value: Any) -> dict[str, Any]:
    """A schema whose root type is that of the value; the rest of it may not fit."""
    kinds = st.sampled_from(sorted(TYPES.values()))
    root = TYPES[type(value)]
    schema: dict[str, Any] = {"type": draw(st.sampled_from([root, sorted({root, draw(kinds)})]))}
    keys = list(value) if isinstance(value, dict) else []
    named = draw(st.lists(st.sampled_from([*keys, "a", "b"]), unique=True, max_size=4))
    schema["properties"] = {key: {"type": draw(kinds)} for key in named}
    schema["required"] = draw(st.sampled_from([[], named, ["missing"]]))
    schema["additionalProperties"] = draw(st.booleans())
    schema["items"] = {"type": draw(kinds)}
    return schema


# ── texts that are not JSON ───────────────────────────────────────────────────

PIECES = [
    *"{}[]\":,'\\/*#()<>=+-.&`|;",
    *" \n\t\r\0\ufeff\u00a0\u200b",
    *("a", "b", "é", "x y", "0", "12", "1.5e3", "-", "0x1F", "007", "1,500"),
    *("true", "null", "None", "undefined", "NaN", "Infinity"),
    *('"a"', '"b": 1', "'c'", '"a":', '{"a": 1}', "[1, 2]", '""', '"""', "'''", "{{", "}}", "..."),
    *("```", "```json\n", "~~~", "//", "/*", "*/", "<think>", "</think>", "<tool_call>", "<|end|>"),
    *(
        '\\"',
        "\\n",
        "\\u00e9",
        "\\ud800",
        "\\u12",
        "\\d",
        "&quot;",
        "&#34;",
        "“",
        "”",
        "‘",
        "，",
        "：",
    ),
    *("Sure: ", "call(", ");", "\ud800", "\udc00", "😀"),
]
STRUCTURAL = st.lists(st.sampled_from(PIECES), max_size=14).map("".join)
"""Texts of nothing but what a reader has to decide about."""


@st.composite
def mutated_json(draw: st.DrawFn) -> str:
    """JSON in which a few characters were inserted, deleted or replaced."""
    text = draw(json_texts(CONTAINERS))
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(text)))
        taken = draw(st.integers(0, 2))
        text = text[:at] + draw(st.just("") | st.sampled_from(PIECES)) + text[at + taken :]
    return text


@st.composite
def damaged_arguments(draw: st.DrawFn) -> str:
    """Arguments of a tool call with one or two damages of the benchmark's table."""
    chosen = draw(st.lists(st.sampled_from(DAMAGES), min_size=1, max_size=2, unique=True))
    damages = sorted(chosen, key=DAMAGES.index)  # the table's order is that of the benchmark
    found = damaged_payload(Random(draw(st.integers(0, 10**6))), damages, tries=3)
    return "" if found is None else found[1]


ANY_TEXT = st.text(ANY_CHARACTER) | STRUCTURAL | mutated_json() | damaged_arguments()
