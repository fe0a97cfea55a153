"""Every way a server is known to misbehave, through the real client: mended, refused, or waited for."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest
from chat_rules import assert_sound
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
Heard = list[tuple[str, dict[str, Any]]]

every_one = pytest.mark.parametrize("spoilt", MISBEHAVIOURS.values(), ids=lambda one: one.name)
said_so = pytest.mark.parametrize("said", CALLS)
streamed_or_not = pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])


def tools_that_hear(heard: Heard) -> list[Any]:
    """The tools; each writes down what it was called with."""

    def get_weather(city: str, days: int = 1) -> str:
        """Tell the weather in a city."""
        heard.append(("get_weather", {"city": city, "days": days}))
        return f"sunny in {city}"

    def now() -> str:
        """Tell the time."""
        heard.append(("now", {}))
        return "noon"

    return [tool(grade=READ)(one) for one in (get_weather, now)]


OFFERED: Any = [one.definition().openai() for one in tools_that_hear([])]
QUESTION: Any = [{"role": "user", "content": "What is the weather in Oslo?"}]


def small_model(said: str) -> Callable[[Request], Said]:
    """A model that calls the tools until it knows the weather, and then answers."""

    def reply(request: Request) -> Said:
        is_known = any("sunny in Oslo" in str(m["content"]) for m in request["messages"])
        return says(ANSWER) if is_known else says(None, CALLS[said])

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


def outcome_of(spoilt: Misbehaviour, said: str, streamed: bool) -> str:
    """What the table says of a reply with these calls."""
    is_spoilt = spoilt.concerns(says(None, CALLS[said]), {"stream": streamed})
    return spoilt.mended if is_spoilt else "calls"


def check_wrapped(spoilt: Misbehaviour, said: str, streamed: bool, came: Came) -> None:
    calls, finish, report = came
    mended = outcome_of(spoilt, said, streamed)
    meant = MEANT[said]
    if mended == "calls":
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
@said_so
@streamed_or_not
def test_wrap_gives_the_calls_that_were_meant_or_says_why_not(
    server: ScriptedServer, client: OpenAI, spoilt: Misbehaviour, said: str, streamed: bool
) -> None:
    scripts = [spoilt.server_of(small_model(said)) for _ in range(2)]
    server.play(*scripts)
    if outcome_of(spoilt, said, streamed) != "passed on":
        check_wrapped(spoilt, said, streamed, came_of(created(wrap(client), streamed)))
    else:
        bare = seen(lambda: created(client, streamed))
        assert seen(lambda: created(wrap(client), streamed)) == bare


@every_one
@said_so
@streamed_or_not
def test_wrap_gives_them_in_async_code(
    server: ScriptedServer,
    async_client: AsyncOpenAI,
    runner: asyncio.Runner,
    spoilt: Misbehaviour,
    said: str,
    streamed: bool,
) -> None:
    def made(client: AsyncOpenAI) -> Any:
        return runner.run(created_async(client, streamed))

    scripts = [spoilt.server_of(small_model(said)) for _ in range(2)]
    server.play(*scripts)
    if outcome_of(spoilt, said, streamed) != "passed on":
        check_wrapped(spoilt, said, streamed, came_of(made(wrap(async_client))))
    else:
        bare = seen(lambda: made(async_client))
        assert seen(lambda: made(wrap(async_client))) == bare


# ── ChatLoop ─────────────────────────────────────────────────────────────────


def check_loop(
    spoilt: Misbehaviour, said: str, streamed: bool, server: ScriptedServer, heard: Heard, result: RunResult
) -> None:  # fmt: skip
    assert (result.text, result.reason) == (ANSWER, "completed")
    is_mended = outcome_of(spoilt, said, streamed) == "calls"
    assert len(server.requests) == (2 if is_mended else 3)
    assert all(one in MEANT[said] for one in heard)
    assert all(one in heard for one in MEANT[said])
    if is_mended:
        assert len(heard) == len(MEANT[said])  # in any order: tools that read run side by side
    assert_sound(result.messages)
    for request in server.requests:
        assert_sound(request["messages"])


@every_one
@said_so
@streamed_or_not
def test_the_loop_comes_to_the_answer(
    server: ScriptedServer, client: OpenAI, spoilt: Misbehaviour, said: str, streamed: bool
) -> None:
    heard: Heard = []
    server.play(*[spoilt.server_of(small_model(said))] * 9)
    loop = ChatLoop(client, "m", tools_that_hear(heard), backoff=0.0)
    question = QUESTION[0]["content"]
    events = (
        list(loop.stream_sync(question)) if streamed else [RunFinished(loop.run_sync(question))]
    )
    check_loop(spoilt, said, streamed, server, heard, events[-1].result)  # type: ignore[attr-defined]


@every_one
@said_so
@streamed_or_not
def test_the_loop_comes_to_the_answer_in_async_code(
    server: ScriptedServer,
    async_client: AsyncOpenAI,
    runner: asyncio.Runner,
    spoilt: Misbehaviour,
    said: str,
    streamed: bool,
) -> None:
    heard: Heard = []
    server.play(*[spoilt.server_of(small_model(said))] * 9)
    loop = ChatLoop(async_client, "m", tools_that_hear(heard), backoff=0.0)

    async def run() -> RunResult:
        if not streamed:
            return await loop.run(QUESTION[0]["content"])
        events = [event async for event in loop.stream(QUESTION[0]["content"])]
        result: RunResult = events[-1].result  # type: ignore[attr-defined]
        return result

    check_loop(spoilt, said, streamed, server, heard, runner.run(run()))


# ── the table itself ─────────────────────────────────────────────────────────


@every_one
def test_each_one_changes_what_is_sent(spoilt: Misbehaviour) -> None:
    """A misbehaviour that sends what a decent server sends would prove nothing."""
    said = [says(ANSWER), *(says(None, calls) for calls in CALLS.values())]
    requests: list[Request] = [{"stream": True}, {}]
    concerned = [
        (one, request) for one in said for request in requests if spoilt.concerns(one, request)
    ]
    assert concerned
    assert any(spoilt.spoil(one, request) != one(request) for one, request in concerned)
