"""The end-to-end benchmark: its verdicts, and zkit's own row, which needs nothing installed."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from benchmarks import endtoend_agent
from benchmarks.endtoend import verdict_of
from benchmarks.endtoend_page import SHOWN, TITLES, page
from benchmarks.endtoend_turns import ANSWER, NOW, TURNS, WEATHER, Turn
from zkit.testing import ScriptedServer

RESULTS = Path(__file__).parent.parent / "benchmarks" / "results"
BOTH = Turn("both", "valid", (WEATHER, NOW))


@pytest.mark.parametrize("turn", TURNS, ids=lambda turn: turn.name)
def test_zkit_comes_to_the_right_answer(server: ScriptedServer, turn: Turn) -> None:
    server.play(*[turn.server()] * 20)
    endtoend_agent.RECEIVED.clear()
    answer = endtoend_agent.zkit(server.url, turn.streams)
    told = {"answer": answer, "received": list(endtoend_agent.RECEIVED)}
    assert verdict_of(turn, told) == "right"
    assert len(server.requests) <= 3


RECEIVED_BOTH: list[Any] = [list(WEATHER), list(NOW)]


@pytest.mark.parametrize(
    ("told", "verdict"),
    [
        ({"answer": ANSWER, "received": RECEIVED_BOTH}, "right"),
        ({"answer": ANSWER + "\n", "received": RECEIVED_BOTH}, "right"),
        ({"answer": ANSWER, "received": [list(NOW)]}, "call lost"),
        ({"answer": ANSWER, "received": [["now", {"x": 1}], *RECEIVED_BOTH]}, "wrong call"),
        ({"error": "TypeError", "received": [["now", {"x": 1}]]}, "wrong call"),
        ({"error": "TypeError", "received": []}, "TypeError"),
        ({"answer": "", "received": []}, "empty answer"),
        ({"answer": "None", "received": RECEIVED_BOTH}, "empty answer"),
        ({"answer": "<tool_call>", "received": []}, "raw text"),
        ({"answer": "I give up.", "received": [list(NOW)]}, "wrong answer"),
    ],
)
def test_the_worst_is_the_verdict(told: dict[str, Any], verdict: str) -> None:
    assert verdict_of(BOTH, told) == verdict


def test_only_the_first_reply_is_spoilt(server: ScriptedServer) -> None:
    turn = next(one for one in TURNS if one.name == "python_arguments")
    reply = turn.server()
    request = {"messages": [{"role": "user", "content": "?"}]}
    first, second = (json.loads(b"".join(reply(request).parts)) for _ in range(2))
    texts = [
        one["choices"][0]["message"]["tool_calls"][0]["function"]["arguments"]
        for one in (first, second)
    ]
    assert texts[0] == repr(json.loads(texts[1]))


def test_the_committed_pages_are_made_from_the_committed_results() -> None:
    found = json.loads((RESULTS / "endtoend.json").read_text("utf-8"))
    assert (RESULTS / "endtoend.md").read_text("utf-8") == page(found)
    names = {turn["name"] for turn in found["turns"]}
    assert names <= {turn.name for turn in TURNS}
    assert {name for name, _ in SHOWN} <= names
    assert not re.search(r"/home/|/root/", json.dumps(found))


def test_every_group_of_turns_has_a_title() -> None:
    assert {turn.group for turn in TURNS} == set(TITLES)
