"""Work grows as the text does: laws that count steps and characters, not seconds."""

from __future__ import annotations

from typing import Any

import pytest

from zkit.repair import candidates, cascade, repair_all, repair_json
from zkit.repair.misreading import repeats_a_key
from zkit.repair.reader import Reader

MANY = 400
VALUES = {
    "fences": '```json\n{"a": 1,}\n```\n',
    "tildes": '~~~json\n{"a": #,}\n~~~\n',
    "tags": '<a>{"a": 1,}</a>\n',
    "lines": "{'a': #}\n",
    "prose": 'and so {"a": 1, "b": #,} it goes\n',
    "a lost closer": '```json\n{"a": [{"b": #}\n```\n',
    "keys twice": '```json\n{"a": 1, "b": 2, "a": #,}\n```\n',
}


def grown(part: str, count: int) -> str:
    return "".join(part.replace("#", str(at)) for at in range(count))


class Counted:
    """A function, and the different texts that it is given first."""

    def __init__(self, function: Any) -> None:
        self.function = function
        self.texts: dict[int, str] = {}

    def __call__(self, text: str, *given: Any, **named: Any) -> Any:
        self.texts[id(text)] = text
        return self.function(text, *given, **named)

    @property
    def characters(self) -> int:
        return sum(map(len, self.texts.values()))


@pytest.mark.parametrize("part", VALUES.values(), ids=VALUES)
def test_a_value_costs_its_own_size_and_not_that_of_what_stands_before_it(
    part: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The reader, and the look for keys that are written twice, see each value once or twice."""
    text = grown(part, MANY)
    read, looked = Counted(Reader), Counted(repeats_a_key)
    monkeypatch.setattr(candidates, "Reader", read)
    monkeypatch.setattr(cascade, "repeats_a_key", looked)
    repair_json(text)
    found = repair_all(text)
    assert len(found) in (0, MANY)
    assert read.characters <= 2 * MANY * (len(part) + candidates.LOOK_BACK) + 4 * len(text)
    assert looked.characters <= 2 * len(text)
