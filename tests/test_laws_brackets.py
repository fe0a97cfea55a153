"""Laws of a lost closer: without a schema the outcome is what was meant, or a refusal."""

from __future__ import annotations

import json
import re
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from zkit import Repaired, repair_json

KEYS = st.sampled_from(["name", "size", "tags", "note", "host", "port"])
SCALARS = st.one_of(
    st.integers(0, 999), st.booleans(), st.sampled_from(["x", "a b", "{y}", "], z"])
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=12,
)
OBJECTS = st.dictionaries(KEYS, VALUES, min_size=1, max_size=4)
MARKS = re.compile(r'"(?:[^"\\]|\\.)*+"|([{}\[\]])')


def closers(text: str) -> list[int]:
    return [m.start() for m in MARKS.finditer(text) if m.group(1) and m.group(1) in "}]"]


@given(OBJECTS, st.sampled_from([None, 2]), st.integers(0, 1000))
def test_without_one_closer_it_is_what_was_meant_or_refused(
    value: Any, indent: int | None, pick: int
) -> None:
    text = json.dumps(value, indent=indent)
    places = closers(text)
    at = places[pick % len(places)]
    outcome = repair_json(text[:at] + text[at + 1 :])
    if isinstance(outcome, Repaired) and not outcome.lossy:
        assert outcome.value == value
