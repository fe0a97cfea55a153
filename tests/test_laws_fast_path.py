"""The fast path gives what the search gives, with the same receipt."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from benchmarks.damage import DAMAGES, Damage, damaged_payload
from zkit import Rank, repair_json
from zkit.repair import api
from zkit.repair.fast_path import read_misspelled
from zkit.repair.outcome import Task

ORDER = """{"name": "Bob's", "n": 1, "tags": ["a", "b"], "o": {"x": true, "y": null}, "more": [{"z": 2.5}, {"z": -1}]}"""
ORDERS = (ORDER, ORDER.replace(", ", ",\n  "), ORDER.replace('"', "`"), ORDER.replace(": ", "=> "))
SCHEMA = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "n": {"type": "integer"},
        "tags": {"type": "array", "items": {"type": "string"}},
        "o": {"type": "object", "properties": {"x": {"type": "boolean"}, "y": {}}},
    },
}
PIECES = [
    ",", ":", "{", "}", "[", "]", '"', "'", "`", "“", "”", "\\", "=", "=>", "->", "1", ".5", "+3", "5.", "1_000", "0x1F",
    "007", "a", "null", "None", "undefined", ",,", "//x", "/*e.g.*/", '# "y"\n', "...", "\\'", "\\b", "\\nabla", "\u200b",
    "\u3000", "```", "Here:", '"k" ', ' "k" ', 'f("k", 1)', "it's", " ", "\n",
]  # fmt: skip
Cut = tuple[int, int, str]
CUTS = st.lists(
    st.tuples(
        st.integers(0, len(ORDER)),
        st.integers(0, 2),
        st.sampled_from(PIECES),
    ),
    min_size=1,
    max_size=3,
)
SIMPLE = st.text("ab'\"\\n ,:{}[]/*TrueNone1-\n", max_size=40)


def without_fast_path(text: str, schema: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    with monkeypatch.context() as patched:
        patched.setattr(api, "read_misspelled", lambda *_: None)
        patched.setattr(api, "read_in_prose", lambda *_: None)
        return repair_json(text, schema=schema)


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.name)
def test_a_damaged_text_has_the_outcome_of_the_search(
    damage: Damage, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = Random(f"fast path/{damage.name}")
    for payload, text in filter(None, (damaged_payload(rng, (damage,)) for _ in range(12))):
        for schema in (None, payload.schema):
            found = repair_json(text, schema=schema)
            assert found == without_fast_path(text, schema, monkeypatch)


@given(SIMPLE, SIMPLE)
def test_any_object_that_the_fast_path_reads_is_read_so_by_the_search(a: str, b: str) -> None:
    text = f"{{'k': {a}, n: {b},}}"
    quick = read_misspelled(Task(text, None, Rank.CUT, None), 0, len(text))
    if quick is not None and quick.value is not None:
        with pytest.MonkeyPatch.context() as patched:
            found = without_fast_path(text, None, patched)
        assert found.value == quick.value[0]
        assert found.rank >= quick.rank


@example(ORDER, [(len(ORDER), 0, "/*e.g.*/"), (7, 0, "//x")], None)
@example(ORDER, [(1, 0, ",")], None)
@example(ORDER, [(21, 1, ""), (7, 1, "")], None)
@example(ORDER, [(11, 0, '"x" ')], SCHEMA)
@example(ORDER, [(11, 0, '\\"'), (13, 0, '"')], None)
@given(st.sampled_from(ORDERS), CUTS, st.sampled_from([None, SCHEMA]))
def test_an_object_with_pieces_changed_has_the_outcome_of_the_search(
    text: str, cuts: list[Cut], schema: Any
) -> None:
    for at, width, piece in cuts:
        text = text[:at] + piece + text[at + width :]
    with pytest.MonkeyPatch.context() as patched:
        assert repair_json(text, schema=schema) == without_fast_path(text, schema, patched)
