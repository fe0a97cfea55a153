"""What a hostile or careless server, model or caller cannot do to a loop."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
from collections.abc import Callable, Iterator
from dataclasses import fields
from typing import Any

import pytest
from chat_rules import assert_valid
from openai import AsyncOpenAI, OpenAI

import zkit.chat.drivers
from zkit.chat import CallRefused, ChatLoop, RunFinished, RunResult, run
from zkit.chat.loop_settings import LoopOptions, LoopSettings, RequestOptions
from zkit.errors import MissingExtraError
from zkit.grade import READ
from zkit.sources import Kit, Step, Toolbox, Workflow
from zkit.testing import Answer, ScriptedServer, call, says
from zkit.tools import Example, Guide, tool

TEXT_CALL = '<tool_call>\n{"name": "look", "arguments": {"at": "b"}}\n</tool_call>'


@pytest.fixture
def looked() -> list[str]:
    return []


@pytest.fixture
def look(looked: list[str]) -> Callable[[str], str]:
    def look(at: str) -> str:
        """Look at something."""
        looked.append(at)
        return f"{at} is there"

    return look


# ── deadlines ────────────────────────────────────────────────────────────────

SSE = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
BODY = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 99999\r\n\r\n"
DRIPS = {
    "headers": (b"", b"HTTP/1.1 200 OK\r\nX-Long: " + b"a" * 99999),
    "keep-alives": (SSE, b": ping\n\n" * 9999),
    "an endless line": (SSE, b"data: " + b"x" * 99999),
    "a slow body": (BODY, b" " * 99999),
}


@pytest.fixture
def dripping(request: pytest.FixtureRequest) -> Iterator[str]:
    """The address of a server that sends one byte after the other and never ends."""
    head, rest = DRIPS[request.param]
    listener = socket.create_server(("127.0.0.1", 0))
    is_over = threading.Event()

    def drip(connection: socket.socket) -> None:
        with connection:
            connection.recv(65536)
            try:
                connection.sendall(head)
                for at in range(len(rest)):
                    if is_over.wait(0.02):
                        return
                    connection.sendall(rest[at : at + 1])
            except OSError:
                return

    def accept() -> None:
        while not is_over.is_set():
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=drip, args=(connection,), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    yield f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
    is_over.set()
    listener.close()


def _sync(loop: ChatLoop) -> RunResult:
    return loop.run_sync("?")


def _sync_stream(loop: ChatLoop) -> RunResult:
    *_, last = loop.stream_sync("?")
    assert isinstance(last, RunFinished)
    return last.result


def _async_stream(loop: ChatLoop) -> RunResult:
    async def last() -> RunResult:
        async for event in loop.stream("?"):
            if isinstance(event, RunFinished):
                return event.result
        raise AssertionError

    return asyncio.run(last())


DRIVERS = {
    "sync": (OpenAI, _sync),
    "sync stream": (OpenAI, _sync_stream),
    "async stream": (AsyncOpenAI, _async_stream),
    "sync client in async code": (OpenAI, _async_stream),
}


@pytest.mark.parametrize("dripping", DRIPS, indirect=True)
@pytest.mark.parametrize("driver", DRIVERS)
def test_max_seconds_holds_for_the_whole_request(dripping: str, driver: str) -> None:
    """Without it each of these would take half an hour."""
    client, drive = DRIVERS[driver]
    loop = ChatLoop(client(base_url=dripping, api_key="x", max_retries=0), "m", max_seconds=0.5)
    assert drive(loop).reason == "max_seconds"


# ── streams that end too early ───────────────────────────────────────────────


def _cut_stream(*chunks: dict[str, Any], done: bool = False) -> Answer:
    lines = [
        f"data: {json.dumps({'id': 'c', 'object': 'chat.completion.chunk', 'created': 1, 'model': 'm', 'choices': [{'index': 0, 'delta': delta, 'finish_reason': None}]})}\n\n"
        for delta in chunks
    ]
    body = "".join([*lines, "data: [DONE]\n\n" if done else ""])
    return Answer([body.encode()], content_type="text/event-stream")


NATIVE = {
    "tool_calls": [
        {"index": 0, "id": "1", "function": {"name": "look", "arguments": '{"at": "a"}'}}
    ]
}


@pytest.mark.parametrize("delta", [NATIVE, {"content": TEXT_CALL}, {"content": "It is"}])
def test_nothing_of_a_stream_without_an_end_counts(
    server: ScriptedServer,
    client: OpenAI,
    look: Callable[[str], str],
    looked: list[str],
    delta: dict[str, Any],
) -> None:
    server.play(_cut_stream(delta), says("Done."))
    result = _sync_stream(ChatLoop(client, "m", [look], backoff=0.01))
    assert (result.text, result.reason, looked) == ("Done.", "completed", [])
    assert len(server.requests) == 2


def test_a_stream_that_says_done_needs_no_finish_reason(
    server: ScriptedServer, client: OpenAI, look: Callable[[str], str], looked: list[str]
) -> None:
    server.play(_cut_stream(NATIVE, done=True), says("Done."))
    result = _sync_stream(ChatLoop(client, "m", [look], backoff=0.01))
    assert (result.text, looked) == ("Done.", ["a"])


# ── calls in text ────────────────────────────────────────────────────────────


def test_a_call_in_text_beside_a_native_one_is_told_and_stays(
    server: ScriptedServer, client: OpenAI, look: Callable[[str], str], looked: list[str]
) -> None:
    server.play(says(f"I look.\n{TEXT_CALL}", [call("look", {"at": "a"}, "1")]), says("Done."))
    events = list(ChatLoop(client, "m", [look]).stream_sync("?"))
    finished = events[-1]
    assert isinstance(finished, RunFinished)
    result = finished.result
    assert_valid(result.messages)
    assert looked == ["a"]
    assert result.turns[0].ignored == ("look",)
    assert TEXT_CALL in result.turns[0].text
    (refused,) = [event for event in events if isinstance(event, CallRefused)]
    assert (refused.name, refused.code) == ("look", "ignored")
    answer = server.requests[1]["messages"][-1]["content"]
    assert "a is there" in answer
    assert "also contains a call of look" in answer


def test_the_text_of_a_native_call_is_no_second_call(
    server: ScriptedServer, client: OpenAI, look: Callable[[str], str], looked: list[str]
) -> None:
    server.play(says(TEXT_CALL, [call("look", {"at": "b"}, "1")]), says("Done."))
    result = ChatLoop(client, "m", [look]).run_sync("?")
    assert (looked, result.turns[0].ignored) == (["b"], ())
    assert "also contains" not in server.requests[1]["messages"][-1]["content"]


@pytest.mark.parametrize(
    "text",
    [
        TEXT_CALL,
        f"I will look at b.\n{TEXT_CALL}",
        '```json\n{"name": "look", "arguments": {"at": "b"}}\n```',
        '{"name": "look", "arguments": {"at": "b"}}',
    ],
)
def test_a_plain_function_works_with_calls_in_text(
    server: ScriptedServer,
    client: OpenAI,
    look: Callable[[str], str],
    looked: list[str],
    text: str,
) -> None:
    server.play(says(text), says("It is there."))
    result = ChatLoop(client, "m", [look]).run_sync("?")
    assert (looked, result.text, result.reason) == (["b"], "It is there.", "completed")


# ── settings ─────────────────────────────────────────────────────────────────


def test_parameters_of_openai_go_into_the_request(server: ScriptedServer, client: OpenAI) -> None:
    server.play(says("Hi."))
    run("?", model="m", client=client, temperature=0, max_tokens=64, seed=None, max_turns=2)
    (request,) = server.requests
    assert (request["temperature"], request["max_tokens"]) == (0, 64)
    assert "seed" not in request


def test_a_misspelt_setting_is_named() -> None:
    with pytest.raises(TypeError, match="did you mean max_turns"):
        ChatLoop(None, "m", max_turn=3)  # type: ignore[call-arg]


def test_a_server_that_is_not_there_is_named(look: Callable[[str], str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        url = f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
    with pytest.raises(Exception, match=r"at http://127\.0\.0\.1:\d+/v1 .*end in /v1\?"):
        run("?", [look], model="m", base_url=url, backoff=0.0)


def test_without_openai_the_install_command_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(zkit.chat.drivers, "find_spec", lambda name: None)
    for start in (
        lambda: run("?", model="m", base_url="http://localhost:1/v1"),
        lambda: ChatLoop(None, "m"),
    ):
        with pytest.raises(MissingExtraError, match=r"pip install 'zkit-llm\[openai\]'"):
            start()


# ── what the prompt says about the tools ────────────────────────────────────────


@tool(
    grade=READ,
    guide=Guide(when_to_use=("to see what is there",), tips=("Look before you touch.",)),
    examples=[Example({"at": "the door"})],
)
def peek(at: str) -> str:
    """Look at something."""
    return at


FLOW = Workflow("check", "See that all is well", (Step(tool="peek", params={"at": "x"}),))
LOST = Workflow("lost", "Needs what is not here", (Step(tool="elsewhere"),))


def _asked(client: OpenAI, server: ScriptedServer, **settings: Any) -> str:
    server.play(says("Hi."))
    kit = Kit(Toolbox([peek]), ["peek"], workflows=[FLOW, LOST])
    ChatLoop(client, "m", kit, **settings).run_sync("?")
    first = server.requests[-1]["messages"][0]
    assert first["role"] == "system"
    return str(first["content"])


def test_the_prompt_of_the_kit_is_in_the_request(server: ScriptedServer, client: OpenAI) -> None:
    said = _asked(client, server, system="Be brief.")
    assert said.startswith("Be brief.")
    for part in ("Look before you touch.", "Workflow check", '- peek: {"at": "the door"}'):
        assert said.count(part) == 1
    assert "lost" not in said
    assert _asked(client, server, system="Be brief.") == said


def test_nothing_is_in_the_prompt_twice(server: ScriptedServer, client: OpenAI) -> None:
    kit = Kit(Toolbox([peek]), ["peek"], workflows=[FLOW])
    said = _asked(client, server, system=kit.prompt())
    assert said.count("Look before you touch.") == said.count("Workflow check") == 1


def test_text_mode_shows_the_declared_example(server: ScriptedServer, client: OpenAI) -> None:
    said = _asked(client, server, mode="text")
    assert said.count("the door") == 1
    assert '{"name": "peek", "arguments": {"at": "the door"}}' in said
    assert "Look before you touch." in said


def test_the_prompt_about_tools_is_bounded(server: ScriptedServer, client: OpenAI) -> None:
    def named(name: str) -> Any:
        @tool(name=name, guide=Guide(tips=(f"{name} " * 500,)))
        def one() -> None:
            """Do something."""

        return one

    server.play(says("Hi."))
    ChatLoop(client, "m", [named(f"t{n:03}") for n in range(60)]).run_sync("?")
    assert len(server.requests[-1]["messages"][0]["content"]) < 13_000


def test_every_setting_is_a_typed_keyword() -> None:
    """So an editor completes it, and mypy and pyright find a slip."""
    typed = set(LoopOptions.__annotations__) - set(RequestOptions.__annotations__)
    assert typed == {one.name for one in fields(LoopSettings)} - {"system"}


def test_a_call_in_a_form_of_the_models_own_is_answered_and_is_no_answer() -> None:
    """`tool: NAME` in lines of YAML is not a known format; the model gets a message and calls again."""
    ran: list[str] = []

    def get_forecast(city: str) -> str:
        """Tell the weather."""
        ran.append(city)
        return "rain"

    replies = [
        says("tool: get_forecast\narguments:\n  city: Bergen"),
        says('<tool_call>{"name": "get_forecast", "arguments": {"city": "Bergen"}}</tool_call>'),
        says("It rains."),
    ]
    with ScriptedServer(replies) as server:
        result = run("?", tools=[get_forecast], model="m", base_url=server.url, api_key="none")
    assert (result.text, result.reason, ran) == ("It rains.", "completed", ["Bergen"])
    assert (
        "get_forecast in a form that is not read" in server.requests[1]["messages"][-1]["content"]
    )
