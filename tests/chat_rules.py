"""What holds for every conversation that zkit makes or sends."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any


def assert_sound(messages: Sequence[dict[str, Any]]) -> None:
    """Every call has an id of its own, sound JSON, and exactly one answer that is not empty."""
    seen: set[str] = set()
    waiting: list[str] = []
    for message in messages:
        if message["role"] == "tool":
            assert message["tool_call_id"] in waiting
            waiting.remove(message["tool_call_id"])
            assert message["content"].strip()
            continue
        assert not waiting, f"no answer to {waiting}"
        for entry in message.get("tool_calls") or ():
            assert entry["id"]
            assert entry["id"] not in seen
            seen.add(entry["id"])
            waiting.append(entry["id"])
            assert isinstance(json.loads(entry["function"]["arguments"]), dict)
            assert entry["function"]["name"]
    assert not waiting, f"no answer to {waiting}"
