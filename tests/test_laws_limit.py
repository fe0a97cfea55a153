"""A lower limit never changes a result that it allows; ranks ascend."""

from __future__ import annotations

from random import Random
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st
from profiles import many
from strategies import ANY_TEXT, CLOSED, FINISH_REASONS, LIMITS

from benchmarks.damage import DAMAGES, Damage, damaged_payload
from benchmarks.judge import fits
from zkit import Rank, Repaired, Unrepairable, repair_json

OBJECT = {"type": "object"}
thorough = many(250, quick=50)


def at_each_limit(text: str, schema: Any, finish_reason: str | None) -> dict[Rank, Any]:
    return {
        limit: repair_json(text, schema=schema, limit=limit, finish_reason=finish_reason)
        for limit in LIMITS
    }


def assert_monotonous(outcomes: dict[Rank, Repaired | Unrepairable], schema: Any) -> None:
    """What a limit allows stays the same at every higher one.

    With a schema a higher rank may replace a reading that does not fit, as the climb goes on
    until one does; a reading that fits is final.
    """
    for limit, outcome in outcomes.items():
        if isinstance(outcome, Unrepairable):
            continue
        assert outcome.rank <= limit
        if schema is None or fits(schema, outcome.value):
            for higher in range(limit + 1, Rank.CUT + 1):
                assert repr(outcomes[Rank(higher)]) == repr(outcome)


def assert_top_result_stands(outcomes: dict[Rank, Repaired | Unrepairable]) -> None:
    """The result at the highest limit is the same at each limit that allows its rank."""
    top = outcomes[Rank.CUT]
    if isinstance(top, Repaired):
        for limit in range(top.rank, Rank.CUT):
            assert repr(outcomes[Rank(limit)]) == repr(top)


@thorough
@given(ANY_TEXT, st.sampled_from([None, OBJECT, CLOSED]), st.sampled_from(FINISH_REASONS))
@example('{}["a"', None, None)
@example('{}{"a"', None, None)
@example('{}["', None, None)
@example("[]\t[9", None, None)
@example('{""1}[/*', None, None)
@example("[TOOL_CALLS][1]</s>", None, None)
@example("[[], 1,]", None, None)
@example("[0{}", None, None)
@example('[0"0{"{}', None, None)
@example("[{}, 0,]", None, None)
@example('{cost": {}}', None, None)
@example("[[false'c'{}]]&", None, None)
@example("0>{\"a\": 1}[/*'c'", None, None)
def test_a_lower_limit_never_changes_a_result_that_it_allows(
    text: str, schema: Any, finish_reason: str | None
) -> None:
    outcomes = at_each_limit(text, schema, finish_reason)
    assert_monotonous(outcomes, schema)
    assert_top_result_stands(outcomes)


@many(200)
@given(st.sampled_from(DAMAGES), st.integers(0, 10**6), st.booleans())
def test_a_damage_is_repaired_at_its_rank_or_refused_below_it(
    damage: Damage, seed: int, with_schema: bool
) -> None:
    found = damaged_payload(Random(seed), (damage,), tries=5)
    if found is None:
        return
    payload, text = found
    schema = payload.schema if with_schema else None
    outcomes = at_each_limit(text, schema, None)
    assert_monotonous(outcomes, schema)
    assert_top_result_stands(outcomes)


@many(200)
@given(ANY_TEXT)
def test_at_limit_exact_only_strict_json_is_read(text: str) -> None:
    outcome = repair_json(text, limit=Rank.EXACT)
    if isinstance(outcome, Repaired):
        assert (outcome.fixes, outcome.json) == ((), text)


def test_the_refusal_at_a_limit_says_that_a_reading_exists_above_it() -> None:
    assert reason('{"a": 1 "b": 2}', Rank.RESPELL) == "limit"
    assert reason('{"a": "x', Rank.GUESS) == "cut"


def reason(text: str, limit: Rank) -> str:
    outcome = repair_json(text, limit=limit)
    assert isinstance(outcome, Unrepairable)
    return outcome.reason
