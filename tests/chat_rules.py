"""What holds for every conversation that zkit makes or sends."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from typing import Any, get_args

from chat_scripts import BESIDE, MEANT

from zkit.chat import LoopEvent, RunResult
from zkit.chat.loop_events import Reason
from zkit.chat.wire_data import dumps
from zkit.results import Success
from zkit.testing import Request

SAME_ANSWERS = 6
"""How often the same call may run with the same answer, in one run."""


def assert_valid(messages: Sequence[dict[str, Any]]) -> None:
    """Every call has an id of its own, valid JSON, and exactly one answer that is not empty."""
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


def check_history(messages: list[dict[str, Any]]) -> None:
    """Each call has one answer, is canonical JSON, and is not in the text too."""
    assert_valid(messages)
    for message in messages:
        if not message.get("tool_calls"):
            continue
        for entry in message["tool_calls"]:
            text = entry["function"]["arguments"]
            assert text == dumps(json.loads(text))
            beside = f'"arguments": {text}' in (message.get("content") or "")
            assert BESIDE in str(message["content"]) or not beside


def check_requests(requests: list[Request], offered: list[list[str]]) -> None:
    """Every request is valid; the tools are the current ones, sorted, the same byte for byte.

    `offered` are the names of the tools at the moment of each request.
    """
    written: dict[str, set[str]] = {}
    for request, expected in zip(requests, offered, strict=True):
        assert_valid(request["messages"])
        names = [one["function"]["name"] for one in request.get("tools") or ()]
        assert names in ([], expected)
        if names:
            written.setdefault(str(names), set()).add(json.dumps(request["tools"]))
    assert all(len(lists) == 1 for lists in written.values())


def check_calls(result: RunResult, received: list[tuple[str, str]]) -> None:
    """Only what was meant ran, and nothing ran again and again."""
    assert {city for _, city in received} <= set(MEANT)
    same = Counter(
        (one.call.name, dumps(dict(one.call.arguments)), dumps(one.result.data))
        for one in result.calls
        if isinstance(one.result, Success) and isinstance(one.call.arguments, dict)
    )
    assert all(times <= SAME_ANSWERS for times in same.values())


def check_events(events: list[LoopEvent], result: RunResult) -> None:
    """Every fix and every message is an event, and each event can be written as JSON."""
    told = {event.call.id for event in events if event.kind == "call_repaired"}  # type: ignore[attr-defined]
    assert {one.call.id for one in result.calls if one.call.fixes} <= told
    added = [event.message for event in events if event.kind == "message_added"]  # type: ignore[attr-defined]
    assert added == result.messages[len(result.messages) - len(added) :]
    json.dumps([event.to_dict() for event in events])


def check_end(result: RunResult, requests: list[Request], max_turns: int) -> None:
    """A run ends for one reason, and counts what it used."""
    assert result.reason in get_args(Reason)
    assert (result.error is not None) == (result.reason == "error")
    assert result.usage.requests <= min(len(requests), max_turns)
