"""Cut a valid text anywhere: what comes out is a part of it, and nothing is invented."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from oracles import ends_in_string, said_so_far
from strategies import CONTAINERS, json_texts

from benchmarks.cases import cuts, damaged_cuts
from benchmarks.damage import Case
from benchmarks.judge import REFUSED, judge_cut
from zkit import Rank, Repaired, Unrepairable, repair_json

UNFINISHED = re.compile(r"(?:[-+.0-9]|[0-9.][eE]|[,:{\[]\s*)\Z")
"""A number that may go on, or a mark after which something is expected."""

CLOSING = re.compile(r"[}\]\s]*[}\]]\s*\Z")


def last_string_shortened(value: Any, whole: Any) -> bool:
    """Whether two values are equal but for their very last leaf, a string and a prefix of it."""
    if isinstance(value, str) and isinstance(whole, str):
        return whole.startswith(value)
    if isinstance(value, dict) and isinstance(whole, dict) and list(value) == list(whole) != []:
        return last_string_shortened(list(value.values()), list(whole.values()))
    if isinstance(value, list) and isinstance(whole, list) and len(value) == len(whole) != 0:
        return value[:-1] == whole[:-1] and last_string_shortened(value[-1], whole[-1])
    return False


@st.composite
def cut_texts(draw: st.DrawFn) -> str:
    """The beginning of a JSON object or list."""
    text = draw(json_texts(CONTAINERS)).strip()
    return text[: draw(st.integers(1, max(1, len(text) - 1)))]


@given(cut_texts())
@example('{"a": "x}')
@example('{"a": ["x]')
@example('["\\ud83d')
@example('{"a": "x\\')
@example("[1, -")
@example('{"a": 1e')
@example('{"a": tru')
@example('["a", {"b": "```')
@example('{"": [')
def test_a_cut_text_says_what_arrived_whole_and_nothing_else(text: str) -> None:
    assume(not re.search(r"\\[bf][A-Za-z]{2}", text))  # never meant in a damaged text
    outcome = repair_json(text)
    if isinstance(outcome, Unrepairable):  # the last closer may as well close another container
        assert outcome.reason == "ambiguous"
        assert text.rstrip()[-1] in "}]"
        return
    assume(outcome.rank != Rank.EXACT)
    said = said_so_far(text)
    if ends_in_string(text) and CLOSING.search(text):
        # The open string ends like the end of the text, so its tail may be no content.
        assert last_string_shortened(outcome.value, said) or outcome.value == said
        assert outcome.rank >= Rank.GUESS
        return
    assert outcome.value == said
    only_closers = not ends_in_string(text) and not UNFINISHED.search(text)
    assert outcome.rank == Rank.CUT or (outcome.rank == Rank.COMPLETE and only_closers)


@given(cut_texts(), st.sampled_from([None, {"type": ["object", "array"]}]))
def test_a_text_that_the_server_says_was_cut_is_never_below_cut(text: str, schema: Any) -> None:
    outcome = repair_json(text, schema=schema, finish_reason="length")
    if isinstance(outcome, Repaired) and outcome.rank != Rank.EXACT:
        assert outcome.rank == Rank.CUT
        assert outcome.lossy


@given(cut_texts())
def test_below_rank_cut_a_cut_text_is_refused(text: str) -> None:
    outcome = repair_json(text, limit=Rank.COMPLETE, finish_reason="length")
    assert isinstance(outcome, Unrepairable) or outcome.rank == Rank.EXACT


def verdict(case: Case, schema: Any) -> str:
    outcome = repair_json(case.text, schema=schema)
    return judge_cut(outcome.value if isinstance(outcome, Repaired) else REFUSED, case)


@pytest.mark.parametrize("with_schema", [True, False], ids=["schema", "bare"])
def test_tool_arguments_cut_at_every_position_are_clean(with_schema: bool) -> None:
    for case in cuts(seed=11, count=3):
        schema = case.payload.schema if with_schema else None
        refused = not with_schema and case.text.rstrip().endswith("}")
        assert verdict(case, schema) in ("clean", "refused" if refused else "clean"), case.text


def test_a_text_that_ends_after_an_inner_object_is_read_when_it_is_known_to_be_cut() -> None:
    text = '{"a": {"b": 1, "c": 2}'
    assert repair_json(text).reason == "ambiguous"  # type: ignore[union-attr]
    cut = repair_json(text, finish_reason="length")
    assert isinstance(cut, Repaired)
    assert cut.rank == Rank.CUT
    assert cut.value == {"a": {"b": 1, "c": 2}}


@pytest.mark.parametrize("with_schema", [True, False], ids=["schema", "bare"])
def test_nothing_is_invented_for_damaged_tool_arguments_that_were_cut(with_schema: bool) -> None:
    found = [
        verdict(case, case.payload.schema if with_schema else None) for case in damaged_cuts(4, 1)
    ]
    assert found.count("invented") <= len(found) * 0.01
    assert found.count("clean") >= len(found) * 0.85


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": 12', {}),
        ('{"a": 1, "b', {"a": 1}),
        ('{"a": 1, "b"', {"a": 1}),
        ('{"a": 1, "b":', {"a": 1}),
        ('{"a": [1, 2', {"a": [1]}),
        ('{"a": [1, fal', {"a": [1]}),
        ('{"a": "x\\u00', {"a": "x"}),
        ('{"a": "x\\', {"a": "x"}),
        ('{"a": [{"b": "c"', {"a": [{"b": "c"}]}),
    ],
)
def test_a_cut_number_key_literal_or_escape_is_never_kept(text: str, value: Any) -> None:
    outcome = repair_json(text)
    assert isinstance(outcome, Repaired)
    assert outcome.value == value
