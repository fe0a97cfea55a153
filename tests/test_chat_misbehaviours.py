"""Every way a server is known to misbehave, through the real client: repaired, refused, or waited for."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from itertools import product
from typing import Any

import pytest
from chat_rules import assert_valid
from grouped import grouped
from openai import AsyncOpenAI, OpenAI

from zkit.chat import ChatLoop, Report, RunFinished, RunResult, wrap
from zkit.grade import READ
from zkit.testing import MISBEHAVIOURS, Misbehaviour, Request, Said, ScriptedServer, call, says
from zkit.tools import tool

OSLO = {"days": 3, "city": "Oslo"}
CALLS = {
    "one call": (call("get_weather", OSLO, "a"),),
    "two calls": (call("now", {}, "b"), call("get_weather", OSLO, "a")),
}
MEANT = {
    "one call": [("get_weather", OSLO)],
    "two calls": [("now", {}), ("get_weather", OSLO)],
}
ANSWER = "It is sunny in Oslo."
Ran = list[tuple[str, dict[str, Any]]]

every_one = pytest.mark.parametrize("spoilt", MISBEHAVIOURS.values(), ids=lambda one: one.name)


def each_way(check: Callable[[str, bool], None]) -> None:
    """Check one call and two, whole and streamed."""
    with grouped() as group:
        for calls, streamed in product(CALLS, (False, True)):
            with group.case(f"{calls}, {'streamed' if streamed else 'whole'}"):
                check(calls, streamed)


def recording_tools(ran: Ran) -> list[Any]:
    """The tools; each writes down what it was called with."""

    def get_weather(city: str, days: int = 1) -> str:
        """Tell the weather in a city."""
        ran.append(("get_weather", {"city": city, "days": days}))
        return f"sunny in {city}"

    def now() -> str:
        """Tell the time."""
        ran.append(("now", {}))
        return "noon"

    return [tool(grade=READ)(one) for one in (get_weather, now)]


OFFERED: Any = [one.definition().openai() for one in recording_tools([])]
QUESTION: Any = [{"role": "user", "content": "What is the weather in Oslo?"}]


def small_model(calls: str) -> Callable[[Request], Said]:
    """A model that calls the tools until it knows the weather, and then answers."""

    def reply(request: Request) -> Said:
        is_known = any("sunny in Oslo" in str(m["content"]) for m in request["messages"])
        return says(ANSWER) if is_known else says(None, CALLS[calls])

    return reply


# ── wrap ─────────────────────────────────────────────────────────────────────

Came = tuple[list[Any], str | None, Report]
"""The calls that a client was given, why the reply ended, and the report."""


def of_completion(made: Any) -> Came:
    return made.choices[0].message.tool_calls or [], made.choices[0].finish_reason, made.zkit


def of_chunks(chunks: list[Any], report: Report) -> Came:
    choices = [choice for chunk in chunks for choice in chunk.choices]
    reasons = [choice.finish_reason for choice in choices if choice.finish_reason]
    calls = [one for choice in choices for one in choice.delta.tool_calls or ()]
    return calls, reasons[-1] if reasons else None, report


def created(client: OpenAI, streamed: bool) -> Any:
    """A completion, or a stream and its chunks."""
    made: Any = client.chat.completions.create(
        model="m", messages=QUESTION, tools=OFFERED, stream=streamed
    )
    return (made, list(made)) if streamed else made


async def created_async(client: AsyncOpenAI, streamed: bool) -> Any:
    made: Any = await client.chat.completions.create(
        model="m", messages=QUESTION, tools=OFFERED, stream=streamed
    )
    return (made, [chunk async for chunk in made]) if streamed else made


def came_of(made: Any) -> Came:
    return of_chunks(made[1], made[0].zkit) if isinstance(made, tuple) else of_completion(made)


def seen(create: Callable[[], Any]) -> Any:
    """What a caller sees: what was raised, or what came."""
    try:
        made = create()
    except Exception as error:
        return type(error), str(error)
    return made[1] if isinstance(made, tuple) else made


def outcome_of(spoilt: Misbehaviour, calls: str, streamed: bool) -> str:
    """Return the outcome that the table states for a reply with these calls."""
    is_spoilt = spoilt.concerns(says(None, CALLS[calls]), {"stream": streamed})
    return spoilt.outcome if is_spoilt else "calls"


def check_wrapped(spoilt: Misbehaviour, asked_for: str, streamed: bool, came: Came) -> None:
    calls, finish, report = came
    outcome = outcome_of(spoilt, asked_for, streamed)
    meant = MEANT[asked_for]
    if outcome == "calls":
        assert [(c.function.name, json.loads(c.function.arguments)) for c in calls] == meant
        assert [(c.name, c.arguments) for c in report.calls] == meant
        assert (finish, report.refusals) == ("tool_calls", ())
        assert all(isinstance(c.id, str) and c.id and c.type == "function" for c in calls)
        assert len({c.id for c in calls}) == len(calls)
    else:
        assert report.refusals
        assert all(one.message and one.id for one in report.refusals)
        assert all((c.name, c.arguments) in meant for c in report.calls)
        assert len(calls) == len(report.calls) + len(report.refusals)


@every_one
def test_wrap_gives_the_calls_that_were_meant_or_says_why_not(
    server: ScriptedServer, client: OpenAI, spoilt: Misbehaviour
) -> None:
    def check(calls: str, streamed: bool) -> None:
        server.play(*[spoilt.server_of(small_model(calls)) for _ in range(2)])
        if outcome_of(spoilt, calls, streamed) != "passed on":
            check_wrapped(spoilt, calls, streamed, came_of(created(wrap(client), streamed)))
        else:
            bare = seen(lambda: created(client, streamed))
            assert seen(lambda: created(wrap(client), streamed)) == bare

    each_way(check)


@every_one
def test_wrap_gives_them_in_async_code(
    server: ScriptedServer,
    async_client: AsyncOpenAI,
    runner: asyncio.Runner,
    spoilt: Misbehaviour,
) -> None:
    def check(calls: str, streamed: bool) -> None:
        def made(client: AsyncOpenAI) -> Any:
            return runner.run(created_async(client, streamed))

        server.play(*[spoilt.server_of(small_model(calls)) for _ in range(2)])
        if outcome_of(spoilt, calls, streamed) != "passed on":
            check_wrapped(spoilt, calls, streamed, came_of(made(wrap(async_client))))
        else:
            bare = seen(lambda: made(async_client))
            assert seen(lambda: made(wrap(async_client))) == bare

    each_way(check)


# ── ChatLoop ─────────────────────────────────────────────────────────────────


def check_loop(
    spoilt: Misbehaviour, calls: str, streamed: bool, server: ScriptedServer, ran: Ran, result: RunResult
) -> None:  # fmt: skip
    assert (result.text, result.reason) == (ANSWER, "completed")
    is_repaired = outcome_of(spoilt, calls, streamed) == "calls"
    assert len(server.requests) == (2 if is_repaired else 3)
    assert all(one in MEANT[calls] for one in ran)
    assert all(one in ran for one in MEANT[calls])
    if is_repaired:
        assert len(ran) == len(MEANT[calls])  # in any order: tools that read run side by side
    assert_valid(result.messages)
    for request in server.requests:
        assert_valid(request["messages"])


@every_one
def test_the_loop_comes_to_the_answer(
    server: ScriptedServer, client: OpenAI, spoilt: Misbehaviour
) -> None:
    def check(calls: str, streamed: bool) -> None:
        ran: Ran = []
        server.play(*[spoilt.server_of(small_model(calls))] * 9)
        loop = ChatLoop(client, "m", recording_tools(ran), backoff=0.0)
        question = QUESTION[0]["content"]
        events = (
            list(loop.stream_sync(question)) if streamed else [RunFinished(loop.run_sync(question))]
        )
        check_loop(spoilt, calls, streamed, server, ran, events[-1].result)  # type: ignore[attr-defined]

    each_way(check)


@every_one
def test_the_loop_comes_to_the_answer_in_async_code(
    server: ScriptedServer,
    async_client: AsyncOpenAI,
    runner: asyncio.Runner,
    spoilt: Misbehaviour,
) -> None:
    def check(calls: str, streamed: bool) -> None:
        ran: Ran = []
        server.play(*[spoilt.server_of(small_model(calls))] * 9)
        loop = ChatLoop(async_client, "m", recording_tools(ran), backoff=0.0)

        async def run() -> RunResult:
            if not streamed:
                return await loop.run(QUESTION[0]["content"])
            events = [event async for event in loop.stream(QUESTION[0]["content"])]
            result: RunResult = events[-1].result  # type: ignore[attr-defined]
            return result

        check_loop(spoilt, calls, streamed, server, ran, runner.run(run()))

    each_way(check)


# ── the table itself ─────────────────────────────────────────────────────────


@every_one
def test_each_one_changes_what_is_sent(spoilt: Misbehaviour) -> None:
    """A misbehaviour that sends what a decent server sends would prove nothing."""
    replies = [says(ANSWER), *(says(None, calls) for calls in CALLS.values())]
    requests: list[Request] = [{"stream": True}, {}]
    concerned = [
        (one, request) for one in replies for request in requests if spoilt.concerns(one, request)
    ]
    assert concerned
    assert any(spoilt.spoil(one, request) != one(request) for one, request in concerned)
