"""The proxy for programs that speak `/v1/responses` (Codex) or `/v1/messages` (Claude Code)."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import anthropic
import httpx2
import openai
import pytest
from anthropic import Anthropic, AsyncAnthropic
from openai import AsyncOpenAI, OpenAI
from proxy_samples import CUT, GOOD, IN_TEXT, OSLO, SLIP, WEATHER, latest, proxy

from zkit.proxy import Upstream
from zkit.testing import Answer, ScriptedServer, call, error, says

FUNCTION = WEATHER["function"]
TOOL: Any = {"name": "get_weather", "input_schema": FUNCTION["parameters"]}
MESSAGE: Any = {
    "model": "m",
    "max_tokens": 100,
    "messages": [{"role": "user", "content": "Weather in Oslo?"}],
    "tools": [TOOL],
}
RESPONSE: Any = {
    "model": "m",
    "input": "Weather in Oslo?",
    "tools": [{"type": "function", "strict": False, **FUNCTION}],
}
NONE = error(404, "no such endpoint")
WAYS = ("whole", "streamed", "async whole", "async streamed")


@pytest.fixture(scope="module")
def upstream() -> Iterator[ScriptedServer]:
    with ScriptedServer() as made:
        yield made


@pytest.fixture(scope="module")
def address(upstream: ScriptedServer) -> Iterator[str]:
    with proxy("", upstreams=(Upstream(upstream.url, speaks="chat"),)) as made:
        yield made


# ── messages ─────────────────────────────────────────────────────────────────


def message(address: str, way: str, **request: Any) -> Any:
    """The message that a real client of Anthropic gets."""
    wanted = {**MESSAGE, **request}
    options: Any = {"base_url": address, "api_key": "sk-ant-test", "max_retries": 0}

    async def asked() -> Any:
        async with AsyncAnthropic(**options) as client:
            if way == "async whole":
                return await client.messages.create(**wanted)
            async with client.messages.stream(**wanted) as stream:
                return await stream.get_final_message()

    if way.startswith("async"):
        return asyncio.run(asked())
    with Anthropic(**options) as client:
        if way == "whole":
            return client.messages.create(**wanted)
        with client.messages.stream(**wanted) as stream:
            return stream.get_final_message()


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("script", [(SLIP,), (IN_TEXT,), (CUT, GOOD)])
def test_a_client_of_anthropic_gets_repaired_calls(
    upstream: ScriptedServer, address: str, way: str, script: Any
) -> None:
    upstream.play(*script)
    made = message(address, way)
    (used,) = [one for one in made.content if one.type == "tool_use"]
    assert (used.name, used.input, made.stop_reason) == (
        "get_weather",
        {"city": "Oslo"},
        "tool_use",
    )
    assert made.usage.input_tokens == 10 * len(script)
    assert [one.text for one in made.content if one.type == "text"] == (
        ["Sure. "] if script == (IN_TEXT,) else []
    )
    assert latest(address)["endpoint"] == "/v1/messages"


@pytest.mark.parametrize("way", WAYS)
def test_text_and_thinking_of_a_message(upstream: ScriptedServer, address: str, way: str) -> None:
    upstream.play(says("It is sunny.", reasoning_content="Let me see."))
    made = message(address, way)
    said = {one.type: one for one in made.content}
    assert said["thinking"].thinking == "Let me see."
    assert (said["text"].text, made.stop_reason) == ("It is sunny.", "end_turn")


def test_a_conversation_as_claude_code_sends_it(upstream: ScriptedServer, address: str) -> None:
    upstream.play(says("Done."))
    image = {"type": "base64", "media_type": "image/png", "data": "AAAA"}
    messages: Any = [
        {"role": "user", "content": [{"type": "text", "text": "Hi"}, {"type": "image", "source": image}]},
        {"role": "system", "content": "Be brief."},
        {"role": "assistant", "content": [
            {"type": "thinking", "thinking": "hm", "signature": "x"},
            {"type": "text", "text": "I look."},
            {"type": "tool_use", "id": "t1", "name": "get_weather", "input": {"city": "Oslo"}},
        ]},
        {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "t1", "is_error": True,
             "content": [{"type": "text", "text": "offline"}]},
            {"type": "text", "text": "Go on."},
        ]},
    ]  # fmt: skip
    body = {
        **MESSAGE,
        "messages": messages,
        "system": [{"type": "text", "text": "You help.", "cache_control": {"type": "ephemeral"}}],
        "tools": [TOOL, {"type": "web_search_20250305", "name": "web_search"}],
        "tool_choice": {"type": "any", "disable_parallel_tool_use": True},
        "stop_sequences": ["END"],
        "thinking": {"type": "enabled", "budget_tokens": 1024},
        "metadata": {"user_id": "u"},
    }
    url = f"{address}/v1/messages?beta=true"
    headers = {"x-api-key": "k", "anthropic-version": "2023-06-01", "anthropic-beta": "a,b"}
    made = httpx2.post(url, json=body, headers=headers).json()
    assert made["content"] == [{"type": "text", "text": "Done."}]
    (sent,) = upstream.requests
    assert [one["role"] for one in sent["messages"]] == [
        "system", "user", "system", "assistant", "tool", "user",
    ]  # fmt: skip
    assert sent["messages"][1]["content"][1]["image_url"]["url"] == "data:image/png;base64,AAAA"
    assert sent["messages"][3]["tool_calls"][0]["function"]["arguments"] == OSLO
    assert sent["messages"][4]["content"] == "Error: offline"
    assert [one["function"]["name"] for one in sent["tools"]] == ["get_weather"]
    assert (sent["tool_choice"], sent["parallel_tool_calls"]) == ("required", False)
    assert (sent["stop"], "thinking" in sent) == (["END"], False)
    assert "web_search" in latest(address)["notes"][0]


def test_tokens_are_estimated_and_models_listed_for_anthropic(address: str) -> None:
    with Anthropic(base_url=address, api_key="k", max_retries=0) as client:
        asked: Any = {key: MESSAGE[key] for key in ("model", "messages", "tools")}
        assert 20 < client.messages.count_tokens(**asked).input_tokens < 200
        assert [one.id for one in client.models.list()] == ["scripted"]


@pytest.mark.parametrize(
    ("status", "kind"),
    [(400, "invalid_request_error"), (401, "authentication_error"), (429, "rate_limit_error")],
)
def test_errors_have_the_format_of_anthropic(
    upstream: ScriptedServer, address: str, status: int, kind: str
) -> None:
    upstream.play(error(status, "out of luck"))
    with pytest.raises(anthropic.APIStatusError, match="out of luck") as caught:
        message(address, "whole")
    body: Any = caught.value.body
    assert (caught.value.status_code, body["error"]["type"]) == (status, kind)


def test_a_stream_that_breaks_off_is_an_error_for_anthropic(
    upstream: ScriptedServer, address: str
) -> None:
    parts = tuple(SLIP({"stream": True}).parts)[:4]
    upstream.play(Answer(parts, content_type="text/event-stream", breaks_off=True))
    with pytest.raises(anthropic.APIError, match="broke off"):
        message(address, "streamed")


def test_an_upstream_that_speaks_messages_gets_them_unchanged(upstream: ScriptedServer) -> None:
    with proxy("", upstreams=(Upstream(upstream.url, speaks="messages"),)) as address:
        upstream.play(Answer((b'{"type": "message"}',)))
        reply = httpx2.post(f"{address}/v1/messages", json=MESSAGE)
        assert reply.content == b'{"type": "message"}'
        assert upstream.requests == [MESSAGE]


# ── responses ────────────────────────────────────────────────────────────────


def response(address: str, way: str, **request: Any) -> Any:
    """The response that a real client of OpenAI gets."""
    wanted = {**RESPONSE, **request}
    options: Any = {"base_url": f"{address}/v1", "api_key": "k", "max_retries": 0}

    async def asked() -> Any:
        async with AsyncOpenAI(**options) as client:
            if way == "async whole":
                return await client.responses.create(**wanted)
            async with client.responses.stream(**wanted) as stream:
                return await stream.get_final_response()

    if way.startswith("async"):
        return asyncio.run(asked())
    with OpenAI(**options) as client:
        if way == "whole":
            return client.responses.create(**wanted)
        with client.responses.stream(**wanted) as stream:
            return stream.get_final_response()


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("script", [(SLIP,), (IN_TEXT,), (CUT, GOOD)])
def test_a_client_of_responses_gets_repaired_calls(
    upstream: ScriptedServer, address: str, way: str, script: Any
) -> None:
    upstream.play(*script)
    made = response(address, way)
    (used,) = [one for one in made.output if one.type == "function_call"]
    assert (used.name, used.arguments, made.status) == ("get_weather", OSLO, "completed")
    assert made.output_text == ("Sure. " if script == (IN_TEXT,) else "")
    assert made.usage.input_tokens == 10 * len(script)


def test_an_upstream_without_responses_is_found_out_once(upstream: ScriptedServer) -> None:
    with proxy(upstream.url) as address:
        upstream.play(NONE, SLIP, SLIP)
        for _ in range(2):
            made = response(address, "streamed")
            assert made.output[0].arguments == OSLO
        assert [("messages" in one) for one in upstream.requests] == [False, True, True]


def test_an_upstream_with_responses_is_repaired_in_its_own_form(upstream: ScriptedServer) -> None:
    item = {
        "type": "function_call", "id": "f", "call_id": "a", "name": "getWeather",
        "arguments": "{'city': 'Oslo'}", "status": "completed",
    }  # fmt: skip
    whole = {"id": "r", "object": "response", "status": "completed", "output": [item]}
    with proxy(upstream.url) as address:
        upstream.play(Answer((json.dumps(whole).encode(),)))
        reply = httpx2.post(f"{address}/v1/responses", json=RESPONSE)
        assert reply.json()["output"][0]["arguments"] == OSLO
        seen = latest(address)
        assert seen["outcome"] == "repaired"
        assert seen["sent"][0]["calls"][0]["arguments"] == "{'city': 'Oslo'}"


CODEX: Any = {
    "model": "m",
    "instructions": "You are Codex.",
    "input": [
        {"type": "message", "role": "developer", "content": [{"type": "input_text", "text": "Rules."}]},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Fix it."}]},
        {"type": "reasoning", "summary": [], "encrypted_content": "x"},
        {"type": "function_call", "name": "shell", "arguments": "{}", "call_id": "c1"},
        {"type": "custom_tool_call", "name": "apply_patch", "input": "*** Begin", "call_id": "c2"},
        {"type": "function_call_output", "call_id": "c1", "output": "ok"},
        {"type": "custom_tool_call_output", "call_id": "c2", "output": "done"},
    ],
    "tools": [
        {"type": "function", "name": "shell", "parameters": {"type": "object", "properties": {}}},
        {"type": "custom", "name": "apply_patch", "description": "Edit files.",
         "format": {"type": "grammar", "syntax": "lark", "definition": "start: x"}},
        {"type": "local_shell"},
        {"type": "web_search"},
    ],
    "tool_choice": "auto",
    "parallel_tool_calls": False,
    "reasoning": {"effort": "low", "summary": "auto"},
    "store": False,
    "stream": True,
    "include": ["reasoning.encrypted_content"],
    "prompt_cache_key": "k",
}  # fmt: skip


def test_a_request_as_codex_sends_it(upstream: ScriptedServer, address: str) -> None:
    patch = call("apply_patch", "{'input': '*** Begin Patch'}", "p")
    shell = call("local_shell", {"command": ["ls"]}, "s")
    upstream.play(says(None, [patch, shell]))
    with OpenAI(base_url=f"{address}/v1", api_key="k", max_retries=0) as client:
        events = list(client.responses.create(**CODEX))
    assert [event.sequence_number for event in events] == list(range(len(events)))
    done: Any = events[-1]
    edit, run = done.response.output
    assert (edit.type, edit.input, edit.call_id) == ("custom_tool_call", "*** Begin Patch", "p")
    assert (run.type, run.action.command) == ("local_shell_call", ["ls"])
    (sent,) = upstream.requests
    roles = [one["role"] for one in sent["messages"]]
    assert roles == ["system", "system", "user", "assistant", "tool", "tool"]
    assert [one["id"] for one in sent["messages"][3]["tool_calls"]] == ["c1", "c2"]
    assert [one["function"]["name"] for one in sent["tools"]] == [
        "shell", "apply_patch", "local_shell",
    ]  # fmt: skip
    assert (sent["reasoning_effort"], sent["parallel_tool_calls"]) == ("low", False)
    assert "web_search" in latest(address)["notes"][0]


@pytest.mark.parametrize("wants_stream", [True, False])
def test_an_empty_probe_is_answered_without_the_upstream(
    upstream: ScriptedServer, address: str, wants_stream: bool
) -> None:
    upstream.play()
    body = {**CODEX, "input": [], "stream": wants_stream}
    reply = httpx2.post(f"{address}/v1/responses", json=body)
    assert reply.status_code == 200
    assert '"status":"completed"' in reply.text
    assert upstream.requests == []


def test_a_response_that_nobody_kept_is_an_error(address: str) -> None:
    with pytest.raises(openai.BadRequestError, match="send the whole conversation"):
        response(address, "whole", previous_response_id="resp_1")


def test_a_web_socket_is_refused_so_that_codex_falls_back_to_http(address: str) -> None:
    headers = {"upgrade": "websocket", "connection": "upgrade"}
    assert httpx2.get(f"{address}/v1/responses", headers=headers).status_code == 426


def test_a_cut_text_is_incomplete(upstream: ScriptedServer, address: str) -> None:
    upstream.play(says("It is", finish="length"))
    with OpenAI(base_url=f"{address}/v1", api_key="k", max_retries=0) as client:
        made: Any = list(client.responses.create(**RESPONSE, stream=True))[-1].response
    assert (made.status, made.incomplete_details.reason) == ("incomplete", "max_output_tokens")
    assert made.output[0].content[0].text == "It is"
