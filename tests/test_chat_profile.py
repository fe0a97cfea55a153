"""A profile says how a server wants to be asked; the loop and the wrapped client keep to it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openai import AsyncOpenAI, OpenAI

from zkit.chat import ChatLoop, Profile, ReasoningDelta, wrap
from zkit.chat.server_profile import ServerSettings
from zkit.chat.tool_offer import Fit
from zkit.errors import ProfileError
from zkit.extract import FORMATS
from zkit.schema import DIALECTS
from zkit.testing import Answer, Script, ScriptedServer, call, error, says

QUESTION: Any = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "Weather in Oslo?"},
]
TOOLS: Any = [
    {
        "type": "function",
        "function": {
            "name": "get_weather",
            "parameters": {
                "type": "object",
                "properties": {
                    "city": {"$ref": "#/$defs/City"},
                    "unit": {"anyOf": [{"type": "string"}, {"type": "null"}]},
                },
                "required": ["city"],
                "$defs": {"City": {"type": "string"}},
            },
        },
    }
]
WEATHER = [call("get_weather", {"city": "Oslo"}, "c1")]
IN_TEXT = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n</tool_call>'


def get_weather(city: str, unit: str | None = None) -> str:
    """Tell the weather."""
    return f"sunny in {city}"


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer(then=calls_then_answers) as one:
        yield one


@pytest.fixture
def client(server: ScriptedServer) -> Iterator[OpenAI]:
    with OpenAI(base_url=server.url, api_key="none", max_retries=0) as one:
        yield one


def calls_then_answers(request: dict[str, Any]) -> Answer:
    """Call the tool, in text if it is explained there; after its result answer."""
    return played(_reply(request), request)


def _reply(request: dict[str, Any]) -> Script:
    if "sunny in Oslo" in json.dumps(request["messages"]):
        return says("It is sunny.")
    return says(calls=WEATHER) if request.get("tools") else says(IN_TEXT)


def played(script: Script, request: dict[str, Any]) -> Answer:
    return script(request) if callable(script) else script


def sent_by_loop(client: OpenAI, server: ScriptedServer, **settings: Any) -> list[dict[str, Any]]:
    """The requests that a loop sends."""
    result = ChatLoop(client, "m", [get_weather], **settings).run_sync(QUESTION)
    assert (result.reason, result.text) == ("completed", "It is sunny.")
    return server.requests


def sent_by_wrap(
    client: OpenAI, server: ScriptedServer, profile: Profile, **more: Any
) -> dict[str, Any]:
    """The request that a wrapped client sends."""
    request = {"messages": QUESTION, "tools": TOOLS, **more}
    wrap(client, profile=profile).chat.completions.create(model="m", **request)
    return server.requests[-1]


# the file


def profiles() -> st.SearchStrategy[Profile]:
    return st.builds(
        Profile,
        model=st.text(),
        base_url=st.text(),
        mode=st.sampled_from(["auto", "native", "text"]),
        format=st.sampled_from(sorted(FORMATS)),
        dialect=st.sampled_from(sorted(DIALECTS)),
        parallel=st.booleans(),
        tool_choice=st.sampled_from(["", "auto", "required"]),
        stream=st.booleans(),
        stream_usage=st.booleans(),
        system=st.booleans(),
        reasoning=st.text(),
        replay_reasoning=st.booleans(),
        max_tools=st.none() | st.integers(1, 500),
    )


@given(profiles(), st.sampled_from(["p.toml", "p.json"]))
def test_what_is_written_is_read_again(tmp_path_factory: Any, profile: Profile, name: str) -> None:
    path = tmp_path_factory.mktemp("profile") / name
    try:
        profile.write(path)
    except UnicodeEncodeError:  # a lone surrogate is no name of a model
        return
    assert Profile.read(path) == profile


def test_every_setting_stands_in_the_file() -> None:
    text = Profile(max_tools=8).text()
    assert [one.name for one in fields(ServerSettings) if f"\n{one.name} = " not in text] == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("mode = 'text'", "version must be 1, not None"),
        ("version = 2", "version must be 1, not 2"),
        ("version = 1\nmood = 'text'", "unknown key 'mood' (known: mode, format"),
        ("version = 1\nmode = 'loud'", "mode cannot be 'loud'; one of 'auto', 'native', 'text'"),
        ("version = 1\nparallel = 'no'", 'parallel must be true or false, not "no"'),
        ("version = 1\nmax_tools = true", "max_tools must be a whole number, not true"),
        ("version = 1\nmax_tools = 0", "max_tools must be at least 1, not 0"),
        ("version = 1\nmodel = 3", "model must be a text, not 3"),
        ("version", "no profile: "),
    ],
)
def test_a_complaint_names_the_file_and_what_is_wrong(text: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "p.toml"
    path.write_text(text, "utf-8")
    with pytest.raises(ProfileError) as found:
        Profile.read(path)
    assert str(found.value).startswith(f"{path}: {said}")


def test_a_profile_that_is_not_there_is_named() -> None:
    with pytest.raises(ProfileError, match=r"nowhere\.toml: No such file"):
        ChatLoop(None, "m", profile="nowhere.toml")


# what each setting does


def test_the_callers_own_settings_go_before_the_profile(tmp_path: Path) -> None:
    path = tmp_path / "p.toml"
    Profile(mode="text", dialect="portable").write(path)
    loop = ChatLoop(None, "m", profile=path, dialect="gemini")
    assert (loop.settings.mode, loop.settings.dialect) == ("text", "gemini")


def test_without_a_profile_requests_go_out_as_they_are(
    client: OpenAI, server: ScriptedServer
) -> None:
    wrap(client).chat.completions.create(model="m", messages=QUESTION, tools=TOOLS)
    assert server.requests == [{"model": "m", "messages": QUESTION, "tools": TOOLS}]
    assert sent_by_wrap(client, server, Profile()) == server.requests[0]


def test_text_mode_explains_the_tools_and_finds_the_call(
    client: OpenAI, server: ScriptedServer
) -> None:
    profile = Profile(mode="text", format="qwen3_coder")
    made = wrap(client, profile=profile).chat.completions.create(
        model="m", messages=QUESTION, tools=TOOLS, tool_choice="required"
    )
    [found] = made.choices[0].message.tool_calls or []
    assert json.loads(found.function.arguments) == {"city": "Oslo"}  # type: ignore[union-attr]
    [request] = server.requests
    assert set(request) == {"model", "messages"}
    prompt = request["messages"][0]["content"]
    assert prompt.startswith("Be brief.\n\nYou can call tools.")
    assert "<function=get_weather>" in prompt
    assert prompt.endswith("Your next message must be a call.")
    for sent in sent_by_loop(client, server, profile=profile)[1:]:
        assert "tools" not in sent
        assert "<function=get_weather>" in sent["messages"][0]["content"]


def test_text_mode_takes_back_what_the_client_returned(
    client: OpenAI, server: ScriptedServer
) -> None:
    """The records of a client may be in the next request unchanged."""
    wrapped = wrap(client, profile=Profile(mode="text"))
    first = wrapped.chat.completions.create(model="m", messages=QUESTION, tools=TOOLS)
    message: Any = first.choices[0].message
    told: Any = {
        "role": "tool",
        "tool_call_id": message.tool_calls[0].id,
        "content": "sunny in Oslo",
    }
    wrapped.chat.completions.create(model="m", messages=[*QUESTION, message, told], tools=TOOLS)
    roles = [one["role"] for one in server.requests[-1]["messages"]]
    assert roles == ["system", "user", "assistant", "user"]
    assert IN_TEXT in server.requests[-1]["messages"][2]["content"]


def test_a_dialect_changes_the_schemas_and_not_how_calls_are_judged(
    client: OpenAI, server: ScriptedServer
) -> None:
    profile = Profile(dialect="portable")
    sent = sent_by_wrap(client, server, profile)["tools"][0]["function"]["parameters"]
    assert sent["properties"] == {"city": {"type": "string"}, "unit": {"type": "string"}}
    [loops, _] = sent_by_loop(client, server, profile=profile)[1:]
    assert "anyOf" not in json.dumps(loops["tools"])
    server.play(says(calls=[call("get_weather", {"city": "Oslo", "unit": None}, "c1")]))
    made: Any = wrap(client, profile=profile).chat.completions.create(
        model="m", messages=QUESTION, tools=TOOLS
    )
    assert made.zkit.refusals == ()


def test_what_a_dialect_cannot_say_stays_as_it_is(client: OpenAI, server: ScriptedServer) -> None:
    anything = {"type": "object", "additionalProperties": {"type": "string"}}
    tools = [{"type": "function", "function": {"name": "put", "parameters": anything}}]
    sent = sent_by_wrap(client, server, Profile(dialect="openai-strict"), tools=tools)
    assert sent["tools"] == tools


@pytest.mark.parametrize(
    ("profile", "key", "value"),
    [
        (Profile(parallel=False), "parallel_tool_calls", False),
        (Profile(tool_choice="auto"), "tool_choice", "auto"),
        (Profile(tool_choice="required"), "tool_choice", "required"),
    ],
)
def test_what_is_said_of_calls_unless_the_request_speaks_of_it(
    client: OpenAI, server: ScriptedServer, profile: Profile, key: str, value: Any
) -> None:
    assert sent_by_wrap(client, server, profile)[key] == value
    assert sent_by_wrap(client, server, profile, **{key: None})[key] == value
    own: Any = True if value is False else "none"
    assert sent_by_wrap(client, server, profile, **{key: own})[key] == own
    first, second = sent_by_loop(client, server, profile=profile)[3:]
    assert first[key] == value
    assert second.get(key) == (None if value == "required" else value)
    del server.requests[:]
    client.chat.completions.create(model="m", messages=QUESTION)
    wrap(client, profile=profile).chat.completions.create(model="m", messages=QUESTION)
    assert server.requests[0] == server.requests[1]  # there is nothing to call


def test_a_server_without_streams_is_asked_whole(client: OpenAI, server: ScriptedServer) -> None:
    profile = Profile(stream=False)
    stream: Any = wrap(client, profile=profile).chat.completions.create(
        model="m", messages=QUESTION, tools=TOOLS, stream=True
    )
    with stream:
        chunks = list(stream)
    [entry] = [one for c in chunks for o in c.choices for one in o.delta.tool_calls or ()]
    assert (entry.index, entry.function.name) == (0, "get_weather")
    assert [o.finish_reason for c in chunks for o in c.choices] == [None, "tool_calls"]
    assert (chunks[-1].choices, chunks[-1].usage.total_tokens) == ([], 15)
    assert stream.zkit.origin == "native"
    assert "stream" not in server.requests[-1]
    loop = ChatLoop(client, "m", [get_weather], profile=profile)
    kinds = [event.kind for event in loop.stream_sync(QUESTION)]
    assert kinds.count("text_delta") == 1
    assert not any("stream" in one or "stream_options" in one for one in server.requests)


async def ask_async(url: str, profile: Profile) -> list[Any]:
    async with AsyncOpenAI(base_url=url, api_key="none", max_retries=0) as client:
        stream: Any = await wrap(client, profile=profile).chat.completions.create(
            model="m", messages=QUESTION, tools=TOOLS, stream=True
        )
        async with stream:
            return [chunk async for chunk in stream]


def test_a_server_without_streams_is_asked_whole_by_async_clients(server: ScriptedServer) -> None:
    import asyncio

    chunks = asyncio.run(ask_async(server.url, Profile(stream=False)))
    assert chunks[0].choices[0].delta.tool_calls[0].function.arguments == '{"city": "Oslo"}'


def test_no_count_is_asked_for_where_that_is_refused(
    client: OpenAI, server: ScriptedServer
) -> None:
    loop = ChatLoop(client, "m", [get_weather], profile=Profile(stream_usage=False))
    list(loop.stream_sync(QUESTION))
    assert [one.get("stream") for one in server.requests] == [True, True]
    assert not any("stream_options" in one for one in server.requests)


def test_a_system_prompt_goes_to_the_first_message_of_the_user(
    client: OpenAI, server: ScriptedServer
) -> None:
    joined = {"role": "user", "content": "Be brief.\n\nWeather in Oslo?"}
    assert sent_by_wrap(client, server, Profile(system=False))["messages"] == [joined]
    for sent in sent_by_loop(client, server, profile=Profile(system=False))[1:]:
        assert sent["messages"][0] == joined
    for sent in sent_by_loop(client, server, profile=Profile(system=False, mode="text"))[3:]:
        assert sent["messages"][0]["role"] == "user"
        assert "You can call tools." in sent["messages"][0]["content"]


def test_reasoning_is_read_from_its_own_field_and_kept_back_where_it_is_refused(
    client: OpenAI, server: ScriptedServer
) -> None:
    for live in (True, False):
        for replay in (True, False):
            server.play(says(calls=WEATHER, musings="I must look."), says("It is sunny."))
            profile = Profile(reasoning="musings", replay_reasoning=replay)
            loop = ChatLoop(client, "m", [get_weather], profile=profile)
            events = list(loop.stream_sync(QUESTION)) if live else []
            result = events[-1].result if live else loop.run_sync(QUESTION)  # type: ignore[attr-defined]
            assert result.turns[0].reasoning == "I must look."
            told = "".join(one.text for one in events if isinstance(one, ReasoningDelta))
            assert told == ("I must look." if live else "")
            said = server.requests[1]["messages"][2]
            assert said.get("musings") == ("I must look." if replay else None)


def test_the_loop_offers_no_more_tools_than_the_server_takes(
    client: OpenAI, server: ScriptedServer
) -> None:
    def named(name: str) -> Any:
        def one() -> str:
            """Do something."""
            return name

        one.__name__ = name
        return one

    many = [get_weather, *map(named, (f"tool_{n}" for n in range(20)))]
    fits: tuple[Fit, ...] = ("auto", "weights")
    for fit, most in zip(fits, (8, 8), strict=True):
        server.play(says("Done."))
        loop = ChatLoop(client, "m", many, profile=Profile(max_tools=most), fit=fit)
        loop.run_sync(QUESTION)
        assert 0 < len(server.requests[0]["tools"]) <= most
    server.play(says("Done."))
    ChatLoop(client, "m", many, profile=Profile(max_tools=21)).run_sync(QUESTION)
    assert len(server.requests[0]["tools"]) == 21


def test_options_of_a_wrapped_client_keep_the_profile(
    client: OpenAI, server: ScriptedServer
) -> None:
    wrapped = wrap(client, profile=Profile(parallel=False)).with_options(timeout=5)
    wrapped.chat.completions.create(model="m", messages=QUESTION, tools=TOOLS)
    assert server.requests[-1]["parallel_tool_calls"] is False


def test_a_profile_is_what_a_server_without_tools_needs(
    client: OpenAI, server: ScriptedServer
) -> None:
    """In auto mode the loop finds out by itself, at the price of a request; wrap cannot."""

    def no_tools(request: dict[str, Any]) -> Answer:
        if request.get("tools"):
            return error(400, "this model does not support tools")
        return calls_then_answers(request)

    server.play(*[no_tools] * 9)
    profile = replace(Profile(), mode="text")
    assert len(sent_by_loop(client, server, profile=profile)) == 2
    made = wrap(client, profile=profile).chat.completions.create(
        model="m", messages=QUESTION, tools=TOOLS
    )
    assert made.choices[0].finish_reason == "tool_calls"
