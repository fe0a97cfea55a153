"""A schema as evidence: what a closed look at a value may answer at once, the long way says too."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from profiles import many
from schemas_strategy import Schema, arguments_with_value

from zkit.repair.expect import Evidence

INNER = {"type": "object", "properties": {"b": {"type": "integer"}}}
OUTER: Schema = {
    "type": "object",
    "properties": {"a": {"type": "string"}, "inner": INNER, "free": {"type": "object"}},
}


@many(200)
@given(pair=arguments_with_value(), other=arguments_with_value(), mixed=st.booleans())
def test_a_value_without_foreign_keys_is_one_that_fits_with_nothing_out_of_place(
    pair: tuple[Schema, Any], other: tuple[Schema, Any], mixed: bool
) -> None:
    evidence, value = Evidence(pair[0]), {**pair[1], **other[1]} if mixed else pair[1]
    held = evidence.fits(value) and not evidence._misplaced(value)
    assert evidence.holds(value) == held
    if evidence._all_declared(value):
        assert held


@pytest.mark.parametrize(
    ("value", "holds"),
    [
        ({"a": "x", "inner": {"b": 1}}, True),
        ({"a": "x", "inner": {"b": 1, "c": 2}}, True),
        ({"a": "x", "free": {"anything": 1}}, True),
        ({"inner": {"b": 1, "a": "x"}}, False),
        ({"free": {"anything": 1, "a": "x"}}, False),
        ({"a": "x", "free": {"anything": 1}, "more": 2}, False),
        ({"a": 1}, True),
        ({"a": [1]}, False),
    ],
    ids=str,
)
def test_a_key_that_its_parent_declares_and_lacks_is_out_of_place(value: Any, holds: bool) -> None:
    assert Evidence(OUTER).holds(value) is holds
