"""A key that its object holds twice is found just where it is."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from zkit.repair.repeated_keys import repeats_a_key

KEYS = ('"a"', '"b"', '"a:"', r'"a\\"', r'"\"a\":"', '"a b :"', r'"\u003A"')
COLONS = (":", " :", "  :", "\n:", "\t :")
TEXTS = ("1", '"x"', r'"\"a\": \"b\" :"', r'"\\"', '"http://a:1"', r'"\u003a"', r'"\ud800"')

members = st.deferred(
    lambda: st.lists(st.tuples(st.sampled_from(KEYS), st.sampled_from(COLONS), values), max_size=4)
)
objects = members.map(lambda pairs: "{" + ",".join(map("".join, pairs)) + "}")
lists = st.deferred(lambda: st.lists(values, max_size=3)).map(lambda items: f"[{','.join(items)}]")
values: st.SearchStrategy[str] = st.one_of(st.sampled_from(TEXTS), objects, lists)


def counted(text: str) -> bool:
    """The same, found by looking at each object of the text."""
    found = [False]

    def look(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found[0] |= len(dict(pairs)) < len(pairs)
        return dict(pairs)

    json.loads(text, object_pairs_hook=look)
    return found[0]


@given(objects)
def test_a_key_is_told_to_be_repeated_just_when_its_object_holds_it_twice(text: str) -> None:
    assert repeats_a_key(text, json.loads(text)) == counted(text)
