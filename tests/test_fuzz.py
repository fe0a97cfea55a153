"""What the fuzzers found stays fixed, and each of their properties can fail."""

from __future__ import annotations

from pathlib import Path

import pytest

from fuzz import targets
from fuzz.targets import TARGETS, BrokenError
from zkit import repair_json

FOUND = sorted((Path(__file__).parent.parent / "corpus" / "fuzz-found").glob("*-*"))
SAMPLES = [
    b'{"path": "a", "size": 1,}',
    b'\x03<tool_call>{"name": "wipe", "arguments": {"city": "Oslo"}}</tool_call>',
    b'{"type": "object", "properties": {"a": {"pattern": "(a+)+$"}}}\x00{"a": "aaaaaaaaaaaaaaaaaaaaaaaaaaa!"}',
    b'{"choices": [{"delta": {"tool_calls": [{"index": 0, "function": {"arguments": "{"}}]}}]}\n{"choices": [null]}',
]


@pytest.mark.parametrize("path", FOUND, ids=lambda path: path.name)
def test_an_input_that_was_found_no_longer_fails(path: Path) -> None:
    TARGETS[path.name.rsplit("-", 1)[0]](path.read_bytes())


@pytest.mark.parametrize("name", TARGETS)
@pytest.mark.parametrize("data", SAMPLES)
def test_a_property_holds_for_a_sample(name: str, data: bytes) -> None:
    TARGETS[name](data)


def test_a_property_that_does_not_hold_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    changed = repair_json('{"path": "b"}')
    monkeypatch.setattr(targets, "repair_json", lambda text, schema=None: changed)
    with pytest.raises(BrokenError, match="valid JSON was changed"):
        TARGETS["repair"](b'{"path": "a"}')
