"""Several values are never merged, and none is chosen silently."""

from __future__ import annotations

import json
from itertools import product
from typing import Any

import pytest
from grouped import grouped
from hypothesis import assume, example, given
from hypothesis import strategies as st
from oracles import alike
from strategies import STYLES, VALUES

from zkit import Rank, Repaired, Unrepairable, repair_all, repair_json
from zkit.repair.locate.payload import is_echo

KEYS = st.text(min_size=1, max_size=6)
OBJECTS = st.dictionaries(KEYS, VALUES, min_size=1, max_size=3)
BETWEEN = st.sampled_from(["", "\n", " ", ",\n", "\n\n", "\n---\n", "\nor\n"])
CALL = {
    "type": "object",
    "properties": {"tool": {"const": "it"}, "n": {"type": "integer"}},
    "required": ["tool", "n"],
    "additionalProperties": False,
}


def joined(values: list[Any], between: str, style: Any) -> str:
    return between.join(json.dumps(value, **style) for value in values)


def canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


@given(
    st.lists(OBJECTS, min_size=2, max_size=4, unique_by=canonical),
    BETWEEN,
    st.sampled_from(STYLES),
)
def test_different_objects_are_refused_and_all_of_them_are_found(
    values: list[Any], between: str, style: Any
) -> None:
    assume(not any(is_echo(value) for value in values))
    text = joined(values, between, style)
    outcome = repair_json(text)
    assert isinstance(outcome, Unrepairable)
    assert outcome.reason == "several"
    assert alike([found.value for found in repair_all(text)], values)


@given(OBJECTS, st.integers(2, 5), BETWEEN, st.sampled_from(STYLES))
def test_equal_objects_are_one(value: Any, times: int, between: str, style: Any) -> None:
    outcome = repair_json(joined([value] * times, between, style))
    assert isinstance(outcome, Repaired)
    assert alike(outcome.value, value)
    assert outcome.rank == Rank.UNWRAP
    assert [fix.name for fix in outcome.fixes] == ["drop_repeat"]


@given(st.lists(OBJECTS, min_size=1, max_size=3), st.integers(0, 3), BETWEEN)
def test_a_schema_that_fits_exactly_one_does_not_choose_it(
    others: list[Any], place: int, between: str
) -> None:
    call = {"tool": "it", "n": 7}
    assume(call not in others and not any(is_echo(value) for value in others))
    values = [*others[:place], call, *others[place:]]
    outcome = repair_json(joined(values, between, {}), schema=CALL)
    assert isinstance(outcome, Unrepairable)
    assert outcome.reason == "several"


@given(st.lists(st.integers(), min_size=2, max_size=4, unique=True), BETWEEN)
def test_a_schema_that_fits_several_does_not_choose(numbers: list[int], between: str) -> None:
    calls = [{"tool": "it", "n": number} for number in numbers]
    text = joined(calls, between, {})
    outcome = repair_json(text, schema=CALL)
    assert isinstance(outcome, Unrepairable)
    assert outcome.reason == "several"
    assert [found.value for found in repair_all(text, schema=CALL)] == calls


@pytest.mark.parametrize("same", [2, 63, 64, 65, 500])
def test_a_different_value_after_many_equal_ones_is_not_overlooked(same: int) -> None:
    text = '{"a": 1}\n' * same + '{"a": 2}'
    outcome = repair_json(text)
    assert isinstance(outcome, Unrepairable)
    assert outcome.reason == "several"
    assert len(repair_all(text)) == same + 1


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ('{"a": 1}\n{"b": 2,}', [{"a": 1}, {"b": 2}]),
        ("First: {'a': 1}\nThen: {'b': 2}", [{"a": 1}, {"b": 2}]),
        ('```json\n{"a": 1}\n```\nand\n```json\n{"a": 2}\n```', [{"a": 1}, {"a": 2}]),
        ("[1, 2]\n[3]", [[1, 2], [3]]),
        ('{"a": true}{"a": 1}', [{"a": True}, {"a": 1}]),
    ],
)
def test_several_damaged_or_wrapped_values_are_refused_too(text: str, values: list[Any]) -> None:
    outcome = repair_json(text)
    assert isinstance(outcome, Unrepairable)
    assert outcome.reason == "several"
    assert alike([found.value for found in repair_all(text)], values)


@given(st.sampled_from(["", "Sure: ", "```json\n", "{'a': 1}\n"]), st.sampled_from(list(Rank)[:-1]))
@example("{}\n", Rank.UNWRAP)
@example("{}", Rank.COMPLETE)
def test_at_no_limit_is_a_value_that_was_not_read_ignored(before: str, limit: Rank) -> None:
    outcome = repair_json(before + '{"b": 1 "c": [2]', limit=limit)
    assert isinstance(outcome, Unrepairable) or outcome.value == {"b": 1, "c": [2]}


SPELLINGS = (
    '{"id": "W"}',
    "{'id': 'W'}",
    '{"id": W}',
    "{id: W}",
    '{id: "W"}',
    '{"id": "W",}',
    '{"id" "W"}',
    "{“id”: “W”}",
    '{\\"id\\": \\"W\\"}',
    '{"id": `W`}',
    "{id='W'}",
    '["W", "x"]',
    '{{"id": "W"}}',
)


@pytest.mark.parametrize("first", SPELLINGS)
def test_none_of_two_values_in_any_spelling_is_dropped(first: str) -> None:
    """Nor is one part of the other; equal ones are one value."""
    assert not isinstance(repair_json(first.replace("W", "north")), Unrepairable)
    with grouped() as group:
        for second, between in product(SPELLINGS, ("\n", "\n\n", " ", ", ")):
            text = first.replace("W", "north") + between + second.replace("W", "south")
            with group.case(text):
                outcome = repair_json(text)
                assert isinstance(outcome, Unrepairable) or outcome.lossy
