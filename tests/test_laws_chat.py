"""Whatever a model, its server and the tools do: a run and a streamed run end alike, and nothing is broken."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from typing import Any, get_args

import pytest
from chat_rules import assert_valid
from hypothesis import given
from hypothesis import strategies as st
from openai import AsyncOpenAI

from zkit.chat import ChatLoop, LoopEvent, RunFinished, RunResult
from zkit.chat.loop_events import Reason
from zkit.dispatch import Dispatcher
from zkit.grade import READ
from zkit.results import Refused, Success, Transient, Validation
from zkit.testing import Answer, Script, ScriptedServer, call, error, says, stream
from zkit.tools import tool

MEANT = ("Oslo", "Rome")
"""Every call in the scripts is about one of these; a tool that is called with anything else ran wrongly."""

ARGUMENTS = [
    json.dumps({"city": "Oslo"}), "{'city': 'Rome'}", '{"city": "Oslo",}', '```json\n{"city": "Rome"}\n```',
    '{"City": "Oslo"}', '{"city": "Os', '{"town": "Oslo"}', "", "null", "[]", "Oslo", '{"city": ["Oslo"]}',
    '{"city": "Oslo"}{"city": "Rome"}', '{"arguments": {"city": "Rome"}}', '{"city": "Oslo", "city_2": 1}',
]  # fmt: skip
NAMES = [
    "look",
    "look",
    "fail",
    "Look",
    "functions.look",
    "lookup",
    "",
    "look<|channel|>commentary",
    "fail_",
]
IDS = [None, "a", "a", "b", "call_0", ""]
CALLS = st.builds(
    lambda name, text, id: call(name, text, id),
    st.sampled_from(NAMES), st.sampled_from(ARGUMENTS), st.sampled_from(IDS),
)  # fmt: skip
TEXTS = [
    "", " ", "It is sunny.", "<think>Hm.</think>", "<think>Hm.</think>Sunny.", "<think>never closed",
    '<tool_call>{"name": "look", "arguments": {"city": "Oslo"}}</tool_call>',
    'I look. <tool_call>{"name": "look", "arguments": {"city": "Ro', "<tool_call>{'name': 'look', 'arguments': {'city': 'Rome'}}</tool_call>",
    '<tool_call>{"name": "nope", "arguments": {}}</tool_call> Done.', '```json\n{"name": "look", "arguments": {"city": "Oslo"}}\n```',
    '<tool_call>{"name": "look", "arguments": {"city": }}</tool_call>', "<tool_call>look at Oslo</tool_call>",
    '{"name": "look", "arguments": {"city": "Oslo"}}', "Use `<tool_call>` for calls.",
]  # fmt: skip
FINISHES = st.sampled_from([None, "stop", "length", "tool_calls", "content_filter"])
REPLIES = st.builds(
    lambda text, calls, finish, step: says(text, calls, finish=finish, step=step),
    st.sampled_from(TEXTS), st.lists(CALLS, max_size=3), FINISHES, st.integers(1, 30),
)  # fmt: skip
TROUBLES: list[Answer] = [
    error(429, "slow", {"Retry-After": "0"}), error(500, "oops"), error(503, "busy"),
    error(500, "Failed to parse tool call arguments as JSON"), error(400, "no"),
    error(400, "this model does not support tools"), error(400, "maximum context length exceeded"),
    Answer((b"<html></html>",), content_type="text/html"), Answer((b"{}",)), Answer((b"",), status=204),
    stream([{"content": "It is"}], finish=None, usage=None, done=False, breaks_off=True),
    stream([], finish=None, usage=None),
]  # fmt: skip
SCRIPTS = st.lists(REPLIES | REPLIES | REPLIES | st.sampled_from(TROUBLES), min_size=1, max_size=9)
OUTCOMES: list[Any] = [
    "sunny", "", None, {"t": 3}, Success("ok"), Transient("busy"), Refused("no"), Validation("Try another city."),
    RuntimeError("boom"), Transient("raised"), Success("wait", meta={"pause": True}), [1, 2], "x" * 5000,
]  # fmt: skip


@pytest.fixture(scope="module")
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer(then=says("The end.")) as running:
        yield running


class World:
    """Two tools whose outcomes are scripted, and what they received."""

    def __init__(self, outcomes: list[Any]) -> None:
        self.received: list[str] = []
        outcomes = list(outcomes)

        def act(city: str) -> Any:
            self.received.append(city)
            outcome = outcomes.pop(0) if outcomes else "sunny"
            if isinstance(outcome, Exception) and len(self.received) % 2:
                raise outcome
            return outcome

        @tool(grade=READ)
        def look(city: str) -> Any:
            """Look at the weather in a city."""
            return act(city)

        def fail(city: str) -> Any:
            """Do something in a city."""
            return act(city)

        self.source = Dispatcher([look, fail], attempts=1)


def check(server: ScriptedServer, world: World, events: list[LoopEvent]) -> RunResult:
    """What holds after every run."""
    last = events[-1]
    assert isinstance(last, RunFinished)
    result: RunResult = last.result
    assert result.reason in get_args(Reason)
    assert (result.error is not None) == (result.reason == "error")
    assert_valid(result.messages)
    for request in server.requests:
        assert_valid(request["messages"])
    assert set(world.received) <= set(MEANT)
    assert len({json.dumps(r["tools"]) for r in server.requests if "tools" in r}) <= 1
    # A call in the text beside a native one stays there; it was told, and not run.
    alone = [message for message in result.messages if not message.get("tool_calls")]
    stored = json.dumps(alone, ensure_ascii=False)
    assert "<tool_call>{" not in stored
    if len(events) == 1:
        return result
    repaired = {event.call.id for event in events if event.kind == "call_repaired"}  # type: ignore[attr-defined]
    assert {outcome.call.id for outcome in result.calls if outcome.call.fixes} <= repaired
    json.dumps([event.to_dict() for event in events])
    return result


@given(script=SCRIPTS, outcomes=st.lists(st.sampled_from(OUTCOMES), max_size=6))
def test_every_async_run_ends_as_the_streamed_one(
    server: ScriptedServer,
    async_client: AsyncOpenAI,
    runner: asyncio.Runner,
    script: list[Script],
    outcomes: list[Any],
) -> None:
    async def asked(live: bool) -> RunResult:
        server.play(*script)
        world = World(outcomes)
        loop = ChatLoop(async_client, "m", world.source, backoff=0.0, max_turns=8)
        if not live:
            result = await loop.run("Weather?")
            return check(server, world, [RunFinished(result)])
        return check(server, world, [event async for event in loop.stream("Weather?")])

    plain, live = runner.run(asked(False)), runner.run(asked(True))
    if not any(
        isinstance(one, Answer) for one in script
    ):  # a stream can break where a reply cannot
        assert (plain.text, plain.reason) == (live.text, live.reason)
        assert [m["role"] for m in plain.messages] == [m["role"] for m in live.messages]
