"""Of readings that meet at one place the cheapest goes on: that changes no outcome."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.damage import DAMAGES, Damage, damaged_payload
from zkit import Rank, repair_json
from zkit.expect import ANYTHING
from zkit.repair.limits import MOST_EQUAL
from zkit.repair.search import engine
from zkit.repair.search.hypothesis import Arrived, Frame, Hypothesis

STATES: st.SearchStrategy[dict[str, Any]] = st.builds(
    dict,
    pos=st.integers(0, 1),
    rank=st.sampled_from([Rank.COMPLETE, Rank.GUESS]),
    cost=st.integers(0, 3),
)


@given(states=st.lists(STATES, max_size=8))
def test_only_what_costs_more_in_the_same_place_is_given_up(states: list[dict[str, Any]]) -> None:
    """In the order of their price, as the search takes them up."""
    arrived, kept = Arrived(), list[Hypothesis]()
    for state in sorted(states, key=lambda s: (s["rank"], s["cost"])):
        reading = Hypothesis(state["pos"])
        reading.rank, reading.cost = state["rank"], state["cost"]
        here = [
            other.cost for other in kept if other.pos == reading.pos and other.rank <= reading.rank
        ]
        better, equal = min(here, default=9) < reading.cost, here.count(reading.cost)
        given_up = arrived.has_better(reading)
        assert given_up or not better
        assert better or not given_up or equal >= MOST_EQUAL
        kept += [] if given_up else [reading]


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.name)
def test_readings_that_are_compared_give_the_same_value(
    damage: Damage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To compare them from the first one on changes no outcome, whatever else is broken."""
    rng = Random(damage.name)
    broken = [damaged_payload(rng, [damage, rng.choice(DAMAGES)]) for _ in range(12)]
    texts = [(text, payload.schema) for payload, text in filter(None, broken)]
    found = [repair_json(text, schema=schema) for text, schema in texts]
    monkeypatch.setattr(engine, "UNCOMPARED", -1)
    assert [repair_json(text, schema=schema) for text, schema in texts] == found


def nested(depth: int) -> Hypothesis:
    """A reading in so many containers, none of them shared with another reading."""
    reading = Hypothesis(depth, ANYTHING)
    for level in range(depth):
        reading.frame = Frame(reading.frame, "[", "]", ANYTHING, level, level + 1)
    return reading


def test_readings_are_compared_however_deep_they_are() -> None:
    depth, arrived = 20_000, Arrived()
    assert not arrived.has_better(nested(depth))
    dearer = nested(depth).note("add_comma", 0, 0, ",")
    assert arrived.has_better(dearer)
