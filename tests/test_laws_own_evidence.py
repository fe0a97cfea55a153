"""Laws of what a text shows by itself: without a schema the outcome is what was meant, or a refusal."""

from __future__ import annotations

import json
import re
from typing import Any

from hypothesis import assume, given
from hypothesis import strategies as st

from zkit import Repaired, repair_json

WORDS = st.sampled_from(["done", "open it", "C7", "{x}", "so: it is", "%s", "(a, b)", "key"])
QUOTED = st.lists(st.tuples(WORDS, WORDS), min_size=1, max_size=4).map(
    lambda pairs: " ".join(f'{plain} "{quoted}"' for plain, quoted in pairs)
)
KEYS = st.sampled_from(["name", "size", "tags", "note", "host"])
STRINGS = st.sampled_from(["x", "a b", "see {y}", "3.5", "a, b", "it's", "C:/dir", ""])
VALUES = st.one_of(STRINGS, st.integers(0, 999), st.lists(STRINGS, max_size=3))
OBJECTS = st.dictionaries(KEYS, VALUES, min_size=2, max_size=4)
TOKENS = re.compile(r'"(?:[^"\\]|\\.)*+"|[\[\],:]')


def same_or_refused(text: str, value: Any) -> bool:
    outcome = repair_json(text)
    return not isinstance(outcome, Repaired) or outcome.lossy or outcome.value == value


@given(QUOTED, st.integers(0, 100))
def test_a_quote_of_which_the_backslash_is_left_is_restored_or_refused(
    content: str, pick: int
) -> None:
    value = {"text": content, "n": 1}
    text = json.dumps(value)
    places = [m.start() for m in re.finditer(r'(?<=\\)"', text)]
    at = places[pick % len(places)]
    damaged = text[:at] + text[at + 1 :]
    assume(damaged[at] not in '"\\/bfnrtu')
    assert same_or_refused(damaged, value)


def test_such_a_quote_is_restored_before_a_word_and_after_one() -> None:
    for text in (r'{"a": "say \hi there\" now"}', r'{"a": "say \"hi there\ now"}'):
        outcome = repair_json(text)
        assert isinstance(outcome, Repaired)
        assert outcome.value == {"a": 'say "hi there" now'}


@given(
    st.lists(st.sampled_from("dswWSD"), min_size=3, max_size=6), st.integers(0, 9), st.booleans()
)
def test_an_odd_run_of_backslashes_is_evened_or_refused(
    classes: list[str], pick: int, doubled: bool
) -> None:
    value = {"pattern": "^" + "x".join(f"\\{letter}" for letter in classes), "n": 1}
    text = json.dumps(value)
    runs = [m.start() for m in re.finditer(r"\\\\", text)]
    at = runs[pick % len(runs)]
    damaged = text[:at] + ("\\" if doubled else "") + text[at + (not doubled) :]
    assert same_or_refused(damaged, value)


@given(OBJECTS, st.sampled_from([None, 2]), st.integers(0, 1000), st.sampled_from(["", "]", "\\"]))
def test_another_mark_for_a_colon_is_read_or_refused(
    value: Any, indent: int | None, pick: int, mark: str
) -> None:
    text = json.dumps(value, indent=indent)
    places = [m.start() for m in TOKENS.finditer(text) if m.group() == ":"]
    at = places[pick % len(places)]
    assert same_or_refused(text[:at] + mark + text[at + 1 :], value)


@given(OBJECTS, st.sampled_from([None, 2, 4]), st.integers(0, 1000))
def test_without_one_opening_bracket_lines_tell_or_it_is_refused(
    value: Any, indent: int | None, pick: int
) -> None:
    text = json.dumps(value, indent=indent)
    places = [m.start() for m in TOKENS.finditer(text) if m.group() == "["]
    assume(places)
    at = places[pick % len(places)]
    assert same_or_refused(text[:at] + text[at + 1 :], value)
