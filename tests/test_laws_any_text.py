"""Nothing raises, whatever the string, and every receipt replays."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from oracles import strings_of
from profiles import many
from strategies import ANY_TEXT, FINISH_REASONS, LIMITS, SCHEMAS

from zkit import (
    PartialReader,
    Rank,
    Repaired,
    RepairError,
    Unrepairable,
    loads,
    repair_all,
    repair_json,
)
from zkit.repair.fixes import FIXES, REASONS

OPTIONS = st.fixed_dictionaries(
    {
        "schema": st.sampled_from(SCHEMAS),
        "limit": st.sampled_from(LIMITS),
        "finish_reason": st.sampled_from(FINISH_REASONS),
    }
)
PLAIN = {"schema": None, "limit": Rank.CUT, "finish_reason": None}
thorough = many(400, quick=50)


def refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def decoded(outcome: Repaired) -> Any:
    """What strict JSON makes of the repaired text; NaN is the documented exception."""
    names = {fix.name for fix in outcome.fixes}
    constant = float if "keep_not_a_number" in names else refuse_constant
    return json.loads(outcome.json, parse_constant=constant)


def assert_receipt_replays(outcome: Repaired, text: str, limit: Rank) -> None:
    """The fixes are in order and in the table, and make of the text what the value says."""
    assert outcome.text == text
    at = 0
    for fix in outcome.fixes:
        assert at <= fix.start <= fix.end <= len(text), "fixes are sorted and do not overlap"
        assert text[fix.start : fix.end] != fix.new or fix.name == "keep_not_a_number"
        assert FIXES[fix.name].rank == fix.rank
        assert fix.note.strip()
        assert fix.span == (fix.start, fix.end)
        at = fix.end
    assert outcome.rank == max((fix.rank for fix in outcome.fixes), default=Rank.EXACT)
    assert (outcome.rank == Rank.EXACT) is (not outcome.fixes)
    assert outcome.rank <= limit
    assert outcome.lossy is (outcome.rank >= Rank.CUT)
    # repr tells 1 from True and from 1.0, and finds NaN equal to itself
    assert repr(decoded(outcome)) == repr(outcome.value)
    assert outcome.explain().strip()


def assert_refusal_teaches(outcome: Unrepairable, text: str) -> None:
    assert outcome.reason in REASONS
    assert 0 <= outcome.at <= len(text)
    assert outcome.message.strip()


@thorough
@given(ANY_TEXT, OPTIONS)
@example('{"a"}', PLAIN)
@example('[[],"":null,', PLAIN)
@example("{a:(9]", PLAIN)
@example("{,]", PLAIN)
@example("[,}", PLAIN)
@example("{,}}", PLAIN)
@example('[\\"a"', PLAIN)
@example('{\\"a""a"', PLAIN)
@example("[`{`]", PLAIN)
@example("['\"']", PLAIN)
@example('"' * 7, PLAIN)
@example("[NaN, -Infinity, 0x1F]", PLAIN)
@example('{"a": "\ud800', PLAIN)
@example("\0", PLAIN)
def test_the_outcome_is_a_receipt_that_replays_or_a_refusal(text: str, options: Any) -> None:
    outcome = repair_json(text, **options)
    if isinstance(outcome, Repaired):
        assert_receipt_replays(outcome, text, options["limit"])
    else:
        assert_refusal_teaches(outcome, text)


@many(150)
@given(ANY_TEXT, OPTIONS)
@example('{"a"} {"b": 1}', PLAIN)
@example('{"a": 1}[\\"a"', PLAIN)
def test_each_of_all_values_in_a_text_has_a_receipt_that_replays(text: str, options: Any) -> None:
    for outcome in repair_all(text, **options):
        assert_receipt_replays(outcome, text, options["limit"])


@many(200)
@given(ANY_TEXT, OPTIONS)
def test_loads_returns_the_value_or_raises_only_a_repair_error(text: str, options: Any) -> None:
    outcome = repair_json(text, **options)
    if isinstance(outcome, Repaired):
        assert repr(loads(text, **options)) == repr(outcome.value)
        return
    with pytest.raises(RepairError) as caught:
        loads(text, **options)
    assert caught.value.outcome == outcome


@many(150)
@given(st.lists(ANY_TEXT, max_size=4), st.sampled_from(SCHEMAS), st.sampled_from(FINISH_REASONS))
@example(['{"a": "', '\\ud8"}'], None, None)
@example(["]"], None, None)
@example(["[", "]]"], None, None)
@example(['{"a": -', "--1}"], None, None)
def test_reading_chunks_never_raises_and_ends_as_the_whole_text_does(
    chunks: list[str], schema: Any, finish_reason: str | None
) -> None:
    reader = PartialReader(schema=schema)
    for chunk in chunks:
        reader.feed(chunk)
        repr(reader.value)
        assert reader.stuck in (True, False)
    text = "".join(chunks)
    assert reader.text == text
    whole = repair_json(text, schema=schema, finish_reason=finish_reason)
    assert repr(reader.close(finish_reason)) == repr(whole)


@thorough
@given(ANY_TEXT)
def test_a_result_never_holds_a_string_that_the_text_does_not_spell(text: str) -> None:
    assume(not {"\\", "&"} & set(text) and "''" not in text)  # SQL writes `it''s`
    outcome = repair_json(text)
    if isinstance(outcome, Repaired) and "join_strings" not in {f.name for f in outcome.fixes}:
        assert all(string in text for string in strings_of(outcome.value))
