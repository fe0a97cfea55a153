"""Laws of notations: an object that is written otherwise, or marked, comes back as it is."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.no_json import NO_JSON
from zkit import Rank, Repaired, repair_json

KEYS = st.from_regex(r"[a-z]+(_[a-z]+)?", fullmatch=True)
TEXTS = st.text(st.characters(codec="utf-8", min_codepoint=0x20), max_size=12)
SCALARS = st.none() | st.booleans() | st.integers(-9999, 9999) | TEXTS
VALUES = SCALARS | st.lists(SCALARS, max_size=3) | st.dictionaries(KEYS, SCALARS, max_size=3)
OBJECTS = st.dictionaries(KEYS, VALUES, min_size=1, max_size=4)
WORDS = st.from_regex(r"[a-z0-9]+( [a-z0-9]+)?", fullmatch=True)
MARKS: dict[str, Callable[[int], str]] = {
    "diff": lambda line: "+",
    "bars": lambda line: "| ",
    "stars": lambda line: " * ",
    "hashes": lambda line: "# ",
    "slashes": lambda line: "// ",
    "numbers": lambda line: f"{line:4} ",
    "numbers and bars": lambda line: f"{line:4} | ",
    "named numbers": lambda line: f"L{line}: ",
}
OBJECT_LIKE = ("{'a', 'b'}", "10:00 [INFO] server: started {pid=12}", "while True: x = {k: v}")
KEY = re.compile(r'^( *)"(\w+)"(?=:)', re.MULTILINE)
"""A key in what `json.dumps` writes with an indent: no other string begins a line and has a colon after it."""


def read(text: str) -> Any:
    outcome = repair_json(text)
    assert isinstance(outcome, Repaired), outcome
    assert outcome.rank <= Rank.RESPELL
    return outcome.value


@pytest.mark.parametrize("marks", MARKS)
@given(OBJECTS)
def test_marks_before_each_line_are_dropped(marks: str, value: Any) -> None:
    lines = json.dumps(value, indent=2, ensure_ascii=False).split("\n")
    mark = MARKS[marks]
    assert read("\n".join(mark(n) + line for n, line in enumerate(lines, 1))) == value


@given(
    OBJECTS, st.sampled_from([r'\1**"\2"**', r"\1**\2**", r'\1*"\2"*', r'\1- "\2"', r'\1`"\2"`'])
)
def test_keys_that_markdown_marks_are_read_like_plain_ones(value: Any, marked: str) -> None:
    assert read(KEY.sub(marked, json.dumps(value, indent=2))) == value


@given(OBJECTS, st.sampled_from(["->", "→", "：", r"\:"]))
def test_what_stands_for_a_colon_is_read_as_one(value: Any, colon: str) -> None:
    text = re.sub(r'^( *"\w+"):', lambda m: m[1] + colon, json.dumps(value, indent=2), flags=re.M)
    assert read(text) == value


@given(
    st.dictionaries(KEYS, WORDS, min_size=2, max_size=4), st.integers(0, 99), st.sampled_from("'`”")
)
def test_a_closing_quote_of_another_kind_is_never_content(
    value: dict[str, str], pick: int, quote: str
) -> None:
    text = json.dumps(value)
    ends = [m.end() for m in re.finditer(r'[a-z0-9](?=")', text)]
    at = ends[pick % len(ends)]
    outcome = repair_json(text[:at] + quote + text[at + 1 :])
    assert not isinstance(outcome, Repaired) or outcome.lossy or outcome.value == value


@pytest.mark.parametrize("text", [*NO_JSON, *OBJECT_LIKE])
def test_a_schema_of_any_object_makes_no_object_of_a_text_without_one(text: str) -> None:
    outcome = repair_json(text, schema={"type": "object"})
    assert not isinstance(outcome, Repaired) or not outcome.value
