"""What is read without a search, the reader reads too: the short ways decide nothing on their own."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.damage import DAMAGES, Damage, damaged_payload
from zkit import Rank
from zkit.repair import envelope
from zkit.repair.candidates import Candidate, Task, read_at, same
from zkit.repair.expect import evidence_for
from zkit.repair.express import express, respelt, unslipped
from zkit.repair.slips import slip_in
from zkit.repair.sound import verdict

INNER = [damage for damage in DAMAGES if damage.breaks is not None]


def both_ways(text: str, schema: object) -> tuple[Candidate | None, Candidate | None]:
    """What comes of the text without a search, and with one."""
    task = Task(text, evidence_for(schema), Rank.CUT, None)
    span = envelope.plain_span(text)
    complaint = verdict(text)
    if span is None or not isinstance(complaint, str):
        return None, None
    return express(task, *span, complaint), read_at(task, span[0], complaint=complaint)


@given(st.sampled_from(INNER), st.integers(0, 2**20), st.booleans())
def test_a_short_way_and_the_search_never_read_different_values(
    damage: Damage, seed: int, with_schema: bool
) -> None:
    found = damaged_payload(Random(seed), (damage,))
    if found is None:
        return
    payload, text = found
    short, searched = both_ways(text, payload.schema if with_schema else None)
    if short is None or searched is None or searched.value is None:
        return
    assert same(short.value, searched.value)
    assert short.rank == searched.rank


SLIPS: dict[str, tuple[str, object] | None] = {
    '{"a": {"b": ["x"': ("close_at_end", {"a": {"b": ["x"]}}),
    '{"a": {"b": [1, 2': None,
    '{"a" 1, "b": 2}': ("add_colon", {"a": 1, "b": 2}),
    '{"a": [1], "b" 2}': None,
    '{"a": [1, 2}': ("add_closer", {"a": [1, 2]}),
    '{"a": {"b": 1], "c": 2}': ("replace_closer", {"a": {"b": 1}, "c": 2}),
    '{"a": 1], "b": 2}': ("drop_closer", {"a": 1, "b": 2}),
    '{"a": 1], "a": 2}': None,
    '{"a": [}': ("add_closer", {"a": []}),
    '{"a": 1}, "b": 2}': ("drop_closer", {"a": 1, "b": 2}),
    '{"a": {"b": 1}}, "c": 2}': None,
    '{"a": 1, "b": [2, ...]}': ("drop_ellipsis", {"a": 1, "b": [2]}),
    '{"a": 1 …}': ("drop_ellipsis", {"a": 1}),
    "[..., 1]": ("drop_ellipsis", [1]),
    "[1, ..., 2]": None,
    "[...]": None,
    '{"a": 1,234,567.5, "b": 2}': ("join_thousands", {"a": 1234567.5, "b": 2}),
    '{"a": -1,234}': ("join_thousands", {"a": -1234}),
    '{"a": 1,23, "b": 2}': None,
    '{"a": [7], 1,234}': None,
    '{{"a": {"b": 1}}}': ("drop_doubled_brace", {"a": {"b": 1}}),
    '{{"a": {{"b": "{{"}}, "c": {{}} }}': ("drop_doubled_brace", {"a": {"b": "{{"}, "c": {}}),
    '{{"a": 1}, "b": 2}': None,
    '{"a": (1, 2), "b": ((1, 2), [3, (4, 5)])}': (
        "list_for_tuple",
        {"a": [1, 2], "b": [[1, 2], [3, [4, 5]]]},
    ),
    '{"a": (), "b": 1}': ("list_for_tuple", {"a": [], "b": 1}),
    '{"a": (1), "b": 2}': None,
    '{"a": ([1, 2]), "b": 2}': None,
    '{"a": (1, 2], "b": [3, 4)}': None,
}


@pytest.mark.parametrize("text", SLIPS)
def test_a_slip_has_one_mend_or_is_left_to_the_reader(text: str) -> None:
    complaint = verdict(text)
    assert isinstance(complaint, str)
    slip = slip_in(text, complaint)
    found = None
    if slip is not None:
        look, at = slip
        found = unslipped(Task(text, None, Rank.CUT, None), 0, len(text), look(text, at))
    expected = SLIPS[text]
    if expected is None:
        assert found is None
    else:
        assert found is not None
        assert ({fix.name for fix in found.fixes}, found.value) == ({expected[0]}, (expected[1],))


GUESSES = {
    '{"a": "say "hi" now", "b": 1}': {"a": 'say "hi" now', "b": 1},
    "{'a': 'it's so', 'b': 1}": {"a": "it's so", "b": 1},
    '{"a": some words, "b": 1}': {"a": "some words", "b": 1},
    '{"a": x y", "b": 1}': {"a": "x y", "b": 1},
    '{"a": "x y, "b": 1}': {"a": "x y", "b": 1},
    '{"a": 1, b": 2}': {"a": 1, "b": 2},
    '{"a": 1, "b: 2}': {"a": 1, "b": 2},
}
DOUBTFUL = (
    '{"a": "27" screen", "b": 1}',
    '{"a": "x, "b" y", "c=d": "z = "w""}',
    '{"a": true ..., "b": 1}',
    '{"a": int, "b": 1}',
    '{"a": "x, "b": y", "c": 1}',
    '{"a": f"x", "b": 1}',
)


@pytest.mark.parametrize("text", GUESSES)
def test_a_guess_without_a_rival_takes_no_search(text: str) -> None:
    found = respelt(Task(text, None, Rank.CUT, None), 0, len(text))
    assert found is not None
    assert (found.value, found.rank) == ((GUESSES[text],), Rank.GUESS)


@pytest.mark.parametrize("text", DOUBTFUL)
def test_a_guess_with_a_rival_is_left_to_the_reader(text: str) -> None:
    assert respelt(Task(text, None, Rank.CUT, None), 0, len(text)) is None
