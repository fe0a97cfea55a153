"""The fix table is a promise: each example is repaired as it says, and by that fix."""

from __future__ import annotations

import json
from typing import Any

import pytest

from zkit import Rank, Repaired, Unrepairable, repair_json
from zkit.repair.fixes import FIXES, FixKind

OBJECT = {
    "type": "object",
    "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
}
NEEDS_SCHEMA: dict[str, Any] = {"unwrap_string": OBJECT}


def outcome_of(kind: FixKind, limit: Rank) -> Repaired | Unrepairable:
    return repair_json(kind.before, schema=NEEDS_SCHEMA.get(kind.name), limit=limit)


@pytest.mark.parametrize("kind", FIXES.values(), ids=list(FIXES))
def test_the_example_of_a_fix_is_repaired_by_it(kind: FixKind) -> None:
    outcome = outcome_of(kind, max(kind.rank, Rank.CUT))
    assert isinstance(outcome, Repaired)
    assert outcome.value == json.loads(kind.after)
    assert kind.name in [fix.name for fix in outcome.fixes]
    assert outcome.rank >= kind.rank


@pytest.mark.parametrize("kind", FIXES.values(), ids=list(FIXES))
def test_the_example_of_a_fix_is_refused_just_below_its_rank(kind: FixKind) -> None:
    outcome = outcome_of(kind, Rank(kind.rank - 1))
    # A JSON string is valid JSON: below UNWRAP it stays one.
    unchanged = isinstance(outcome, Repaired) and outcome.rank == Rank.EXACT
    assert isinstance(outcome, Unrepairable) or (unchanged and kind.name == "unwrap_string")


@pytest.mark.parametrize("kind", FIXES.values(), ids=list(FIXES))
def test_every_fix_is_named_by_its_effect_and_says_it_in_a_line(kind: FixKind) -> None:
    assert kind.name.isidentifier()
    assert kind.name == kind.name.lower()
    assert kind.doc
    assert "\n" not in kind.doc
    assert kind.rank > Rank.EXACT
    assert kind.cost >= 0


def test_every_rank_above_exact_has_a_fix_and_the_table_ascends() -> None:
    ranks = [kind.rank for kind in FIXES.values()]
    assert set(ranks) == set(Rank) - {Rank.EXACT}
    assert ranks == sorted(ranks)
