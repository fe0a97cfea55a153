"""The tables of moves and rivals: each row says what its function does."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from benchmarks.damage import DAMAGES, damaged_payload
from zkit import repair_json
from zkit.repair.fixes import FIXES
from zkit.repair.moves import Move, after_value, at_key
from zkit.repair.rivals import RIVALS
from zkit.repair.search.hypothesis import LATER

MARKS = '{}[]:,"'


def damaged_texts() -> list[str]:
    """An example of each damage, and texts with one mark changed."""
    rng = Random("tables")
    made = [damaged_payload(rng, (damage,)) for damage in DAMAGES for _ in range(4)]
    texts = [found[1] for found in made if found is not None]
    for text in texts[:200]:
        at = rng.choice([i for i, mark in enumerate(text) if mark in MARKS] or [0])
        texts.append(text[:at] + rng.choice(MARKS) + text[at + rng.randrange(2) :])
    return texts + [kind.before for kind in FIXES.values()]


@pytest.mark.parametrize("module", [after_value, at_key], ids=["after a value", "at a key"])
def test_a_move_writes_the_fixes_of_its_row(module: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[set[str]] = [set() for _ in module.MOVES]

    def watched(move: Move, names: set[str]) -> Move:
        def find(reader: Any, reading: Any, pos: int) -> list[Any]:
            found = move.find(reader, reading, pos)
            names.update(one.edits[1].name for one in found if one.edits and one.place != LATER)
            return found

        return move._replace(find=find)

    rows = tuple(map(watched, module.MOVES, written))
    monkeypatch.setattr(module, "MOVES", rows)
    for text in damaged_texts():
        repair_json(text)
    for move, names in zip(rows, written, strict=True):
        assert names <= set(move.fixes)
    assert any(written)


def test_every_fix_that_a_table_names_is_one() -> None:
    rows = [move.fixes for module in (after_value, at_key) for move in module.MOVES]
    for names in (*rows, *(rival.fixes for rival in RIVALS)):
        assert names
        assert set(names) <= FIXES.keys()
