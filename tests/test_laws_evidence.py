"""A schema as evidence: which values it holds for, and what it keeps."""

from __future__ import annotations

from typing import Any

import pytest
from schemas_strategy import Schema

from zkit.expect import ANYTHING, Evidence

INNER = {"type": "object", "properties": {"b": {"type": "integer"}}}
OUTER: Schema = {
    "type": "object",
    "properties": {"a": {"type": "string"}, "inner": INNER, "free": {"type": "object"}},
}


@pytest.mark.parametrize("schema", [OUTER, {"type": "object", "additionalProperties": INNER}])
def test_keys_that_no_schema_declares_are_not_kept(schema: Schema) -> None:
    evidence = Evidence(schema)
    for n in range(50):
        evidence.root.child(f"key{n}")
        ANYTHING.child(f"key{n}")
    assert len(evidence.root._children) == 1
    assert len(ANYTHING._children) <= 2


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
