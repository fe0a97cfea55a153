"""The last resort: only when asked for, only when nothing else reads the text, and marked."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import example, given
from profiles import many
from strategies import ANY_TEXT, LIMITS

from zkit import Rank, Repaired, Unrepairable, repair_json

LOST = '{"a": 1, "b": }x'
"""No rank below SALVAGE reads this."""


@pytest.mark.parametrize("limit", LIMITS)
def test_without_being_asked_for_it_never_happens(limit: Rank) -> None:
    assert isinstance(repair_json(LOST, limit=limit), Unrepairable)


def test_when_asked_for_it_is_marked_as_lossy_and_replays() -> None:
    outcome = repair_json(LOST, limit=Rank.SALVAGE)
    assert isinstance(outcome, Repaired)
    assert outcome.lossy
    assert outcome.rank == Rank.SALVAGE
    assert [(fix.name, fix.span) for fix in outcome.fixes] == [("salvage", (0, len(LOST)))]
    assert json.loads(outcome.json) == outcome.value
    assert "salvage" in outcome.explain()


@many(100)
@given(ANY_TEXT.filter(lambda text: len(text) < 400))
@example("[" * 3000)
@example("\ud800{")
@example("{\0")
def test_it_never_replaces_what_a_lower_rank_reads_and_never_raises(text: str) -> None:
    lower = repair_json(text)
    outcome = repair_json(text, limit=Rank.SALVAGE)
    if isinstance(lower, Repaired):
        assert repr(outcome) == repr(lower)
    elif isinstance(outcome, Repaired):
        assert outcome.rank == Rank.SALVAGE
        assert repr(json.loads(outcome.json)) == repr(outcome.value)
    else:
        assert outcome == lower


@pytest.mark.parametrize("error", [ValueError, RecursionError, IndexError, AttributeError])
def test_whatever_the_library_raises_is_a_refusal(
    error: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    import json_repair

    def fail(text: str) -> Any:
        raise error

    monkeypatch.setattr(json_repair, "loads", fail)
    assert isinstance(repair_json(LOST, limit=Rank.SALVAGE), Unrepairable)


def test_importing_zkit_and_repairing_loads_no_other_repairer() -> None:
    program = "import sys, zkit; zkit.repair_json('{a: 1'); print('json_repair' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "False"
