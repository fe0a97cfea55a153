"""What parses is left alone: the same value, rank EXACT, no fixes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from oracles import alike
from strategies import (
    ANY_CHARACTER,
    FINISH_REASONS,
    LIMITS,
    STYLES,
    VALUES,
    json_texts,
    schemas_that_admit,
)

from zkit import PartialReader, Rank, Repaired, Unrepairable, loads, repair_all, repair_json


def assert_untouched(text: str, value: Any, **options: Any) -> None:
    outcome = repair_json(text, **options)
    assert isinstance(outcome, Repaired)
    assert alike(outcome.value, value)
    assert (outcome.fixes, outcome.rank, outcome.text) == ((), Rank.EXACT, text)
    assert outcome.json == text
    assert not outcome.lossy


@given(VALUES, st.sampled_from(STYLES))
def test_what_dumps_writes_comes_back_as_the_value_in_every_style(value: Any, style: Any) -> None:
    text = json.dumps(value, **style)
    assert_untouched(text, value)
    assert alike(loads(text), value)


@given(json_texts(), st.sampled_from(LIMITS), st.sampled_from(FINISH_REASONS))
def test_valid_json_is_left_alone_at_every_limit_and_however_the_server_ended(
    text: str, limit: Rank, finish_reason: str | None
) -> None:
    assert_untouched(text, json.loads(text), limit=limit, finish_reason=finish_reason)


@given(st.data())
def test_valid_json_is_not_reconsidered_under_a_schema_that_admits_its_root(
    data: st.DataObject,
) -> None:
    text = data.draw(json_texts())
    value = json.loads(text)
    assert_untouched(text, value, schema=data.draw(schemas_that_admit(value)))


@given(st.text(ANY_CHARACTER), st.booleans())
@example("\ud800", False)
@example("\udc00\ud800", True)
def test_a_string_with_lone_surrogates_is_json_too(content: str, ascii_only: bool) -> None:
    text = json.dumps({"a": [content]}, ensure_ascii=ascii_only)
    assert_untouched(text, json.loads(text))


@given(st.text(st.sampled_from("\x00\x01\x1f\x7f\x80\u2028\ufeff\\\"/bfnrtu'")))
def test_escaped_control_characters_and_odd_spaces_in_strings_are_kept(content: str) -> None:
    for style in STYLES:
        assert_untouched(json.dumps({content: content}, **style), {content: content})


@given(json_texts())
def test_reading_everything_in_valid_json_gives_that_one_value(text: str) -> None:
    (only,) = repair_all(text)
    assert alike(only.value, json.loads(text))
    assert (only.rank, only.fixes) == (Rank.EXACT, ())


@given(VALUES)
def test_a_repaired_text_needs_no_further_repair(value: Any) -> None:
    outcome = repair_json(f"```json\n{json.dumps([value])}\n```")
    assert isinstance(outcome, Repaired)
    assert outcome.rank == Rank.UNWRAP
    assert_untouched(outcome.json, [value])


@pytest.mark.parametrize("text", ['{"a": 1, "a": 2}', '{"b": 0, "a": [], "b": 0}'])
def test_the_last_of_equal_keys_counts_as_it_does_for_json(text: str) -> None:
    assert_untouched(text, json.loads(text))


@pytest.mark.parametrize("number", ["1e400", "-1e999", "123456789012345678901", "-0", "1" * 4300])
def test_a_number_of_any_size_is_read_as_python_reads_it(number: str) -> None:
    assert_untouched(f'{{"a": {number}}}', {"a": json.loads(number)})


def test_a_number_with_more_digits_than_python_converts_is_refused_and_does_not_raise() -> None:
    digits = "1" * 4301
    for text in (digits, f"[{digits}]", f'{{"a": {digits},}}'):
        assert isinstance(repair_json(text), Repaired | Unrepairable)
        assert isinstance(repair_all(text), list)
        PartialReader().feed(text)


def test_a_json_string_is_unwrapped_only_where_no_string_is_due() -> None:
    inner = {"a": 1}
    text = json.dumps(json.dumps(inner))
    assert_untouched(text, json.dumps(inner))
    assert_untouched(text, json.dumps(inner), schema={"type": ["object", "string"]})
    assert_untouched(text, json.dumps(inner), schema={"type": "object"}, limit=Rank.EXACT)
    assert loads(text, schema={"type": "object"}) == inner
