"""One mark in the wrong place: the text is read as it was meant, or refused."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from zkit import Rank, Repaired, repair_json
from zkit.repair.search import candidates

WORDS = st.text("acehkmostxyz0129 ./:,-", min_size=1, max_size=8)
VALUES: st.SearchStrategy[Any] = st.recursive(
    WORDS | st.integers(0, 99) | st.booleans() | st.none(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=6,
)
OBJECTS = st.dictionaries(WORDS, VALUES, min_size=1, max_size=4)
PLACES = st.integers(0, 10_000)


def is_valid(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def without_quote(value: Any, at: int) -> str:
    """The value as JSON with the opening quote of one string and the letter after it in each other's place."""
    text = json.dumps(value)
    opening = [place for place, mark in enumerate(text) if mark == '"'][::2]
    place = opening[at % len(opening)]
    return f'{text[:place]}{text[place + 1]}"{text[place + 2 :]}'


@given(OBJECTS, PLACES)
def test_a_quote_behind_the_first_letter_is_put_before_it_or_refused(value: Any, at: int) -> None:
    text = without_quote(value, at)
    found = repair_json(text)
    if not is_valid(text) and isinstance(found, Repaired) and found.rank is not Rank.CUT:
        assert [fix.name for fix in found.fixes] != ["swap_marks"] or found.value == value


@given(st.dictionaries(st.text("acehkmost", min_size=2), st.booleans(), min_size=1), PLACES)
def test_the_quote_of_a_key_of_letters_is_always_put_back(value: dict[str, bool], at: int) -> None:
    found = repair_json(without_quote(value, at))
    assert isinstance(found, Repaired)
    assert found.value == value
    assert [fix.name for fix in found.fixes] == ["swap_marks"]


@given(st.text("0123456789", min_size=1, max_size=6), st.text("0123456789", min_size=1, max_size=6))
def test_no_mark_between_digits_is_dropped(left: str, right: str) -> None:
    for mark in ",:":
        found = repair_json(f'{{"a": {left}{mark}{right}, "b": null}}')
        assert not isinstance(found, Repaired) or "drop_stray_mark" not in {
            f.name for f in found.fixes
        }


def test_a_long_text_is_not_read_again_and_again(monkeypatch: Any) -> None:
    short, long = '{"a": 1, k"ey": 2}', f'{{"a": "{"x" * 100}", k"ey": 2}}'
    monkeypatch.setattr(candidates, "ONE_EDIT_WITHIN", 60)
    assert isinstance(repair_json(short), Repaired)
    assert not isinstance(repair_json(long), Repaired)
