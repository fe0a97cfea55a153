"""The proxy in front of a model server: repaired calls, pass-through, limits, who may use it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import openai
import pytest
from openai import AsyncOpenAI, OpenAI
from proxy_samples import (
    CUT,
    GOOD,
    IN_TEXT,
    MESSAGES,
    OSLO,
    REQUEST,
    SLIP,
    latest,
    proxy,
    rows,
    wait_for,
)

from zkit.chat.server_profile import Profile
from zkit.proxy import ProxySettings, Upstream
from zkit.testing import Answer, ScriptedServer, call, completion, error, says, stream


@pytest.fixture(scope="module")
def upstream() -> Iterator[ScriptedServer]:
    with ScriptedServer() as made:
        yield made


@pytest.fixture(scope="module")
def address(upstream: ScriptedServer) -> Iterator[str]:
    with proxy(upstream.url) as made:
        yield made


def calls_of(message: Any) -> list[tuple[str, str]]:
    return [(one.function.name, one.function.arguments) for one in message.tool_calls or ()]


def streamed_calls(chunks: list[Any]) -> list[tuple[str, str]]:
    found: dict[int, list[str]] = {}
    for chunk in chunks:
        for choice in chunk.choices:
            for part in choice.delta.tool_calls or ():
                one = found.setdefault(part.index, ["", ""])
                one[0] += part.function.name or ""
                one[1] += part.function.arguments or ""
    return [(name, arguments) for name, arguments in found.values()]


def ask(address: str, way: str, **request: Any) -> list[tuple[str, str]]:
    """The calls that a real client gets."""
    wanted: Any = {**REQUEST, **request}
    if way.startswith("async"):
        return asyncio.run(_ask_async(address, way, wanted))
    with OpenAI(base_url=f"{address}/v1", api_key="sk-test", max_retries=0) as client:
        if way == "whole":
            return calls_of(client.chat.completions.create(**wanted).choices[0].message)
        return streamed_calls(list(client.chat.completions.create(**wanted, stream=True)))


async def _ask_async(address: str, way: str, wanted: Any) -> list[tuple[str, str]]:
    async with AsyncOpenAI(base_url=f"{address}/v1", api_key="sk-test", max_retries=0) as client:
        if way == "async whole":
            reply = await client.chat.completions.create(**wanted)
            return calls_of(reply.choices[0].message)
        made = await client.chat.completions.create(**wanted, stream=True)
        return streamed_calls([chunk async for chunk in made])


WAYS = ("whole", "streamed", "async whole", "async streamed")


@pytest.mark.parametrize("way", WAYS)
def test_a_damaged_call_comes_back_repaired(
    upstream: ScriptedServer, address: str, way: str
) -> None:
    upstream.play(SLIP)
    assert ask(address, way) == [("get_weather", OSLO)]
    seen = latest(address)
    assert seen["outcome"] == "repaired"
    assert seen["sent"][0]["calls"][0]["arguments"] == "{'city': 'Oslo',}"
    assert seen["received"]["calls"][0]["arguments"] == OSLO
    assert "use_double_quotes" in [fix["name"] for fix in seen["fixes"]]
    assert seen["usage"] == {"input": 10, "output": 5}


@pytest.mark.parametrize("way", WAYS)
def test_a_call_in_the_text_comes_back_as_a_tool_call(
    upstream: ScriptedServer, address: str, way: str
) -> None:
    upstream.play(IN_TEXT)
    assert ask(address, way) == [("get_weather", OSLO)]


@pytest.mark.parametrize("way", WAYS)
def test_a_cut_call_is_asked_for_again(upstream: ScriptedServer, address: str, way: str) -> None:
    upstream.play(CUT, GOOD)
    assert ask(address, way) == [("get_weather", OSLO)]
    assert len(upstream.requests) == 2
    seen = latest(address)
    assert (seen["outcome"], seen["requests"], len(seen["sent"])) == ("asked_again", 2, 2)
    assert seen["report"]["answered"][0]["code"] == "truncated"
    assert seen["usage"] == {"input": 20, "output": 10}


def test_the_receipt_is_in_the_headers_of_a_whole_reply_and_the_last_event_of_a_stream(
    upstream: ScriptedServer, address: str
) -> None:
    upstream.play(SLIP, SLIP)
    whole = httpx2.post(f"{address}/v1/chat/completions", json=REQUEST)
    assert whole.headers["x-zkit-calls"] == "1"
    assert "drop_trailing_comma" in whole.headers["x-zkit-fixes"]
    text = httpx2.post(f"{address}/v1/chat/completions", json={**REQUEST, "stream": True}).text
    done, receipt = text.split("data: [DONE]\n\n")
    assert receipt.startswith("event: zkit.receipt\ndata: {")
    assert "get_weather" in done


def test_a_reply_without_tools_passes_byte_for_byte(upstream: ScriptedServer, address: str) -> None:
    answer = completion(
        {"message": {"role": "assistant", "content": "Hi."}, "finish_reason": "stop"}
    )
    upstream.play(answer)
    plain = {"model": "m", "messages": MESSAGES}
    reply = httpx2.post(f"{address}/v1/chat/completions", json=plain)
    assert reply.content == b"".join(answer.parts)
    assert upstream.requests == [plain]


def test_models_and_everything_else_pass_through(upstream: ScriptedServer, address: str) -> None:
    listed = httpx2.get(f"{address}/v1/models").json()
    assert [one["id"] for one in listed["data"]] == ["scripted"]
    upstream.play(Answer((b'{"data": [1]}',), headers={"x-own": "1"}))
    reply = httpx2.post(f"{address}/v1/embeddings", json={"input": "x"})
    assert (reply.content, reply.headers["x-own"]) == (b'{"data": [1]}', "1")
    assert httpx2.head(f"{address}/").status_code == 200


def test_upstreams_are_chosen_by_the_name_of_the_model(upstream: ScriptedServer) -> None:
    with ScriptedServer([says("other")]) as other:
        upstream.play(says("first"))
        more = Upstream.of(f"qwen*={other.url}")
        with proxy(upstream.url, more) as address:
            client = OpenAI(base_url=f"{address}/v1", api_key="k", max_retries=0)
            with client:
                said = [
                    client.chat.completions.create(model=model, messages=MESSAGES)
                    for model in ("qwen3", "llama")
                ]
                assert [one.choices[0].message.content for one in said] == ["other", "first"]
                assert len(client.models.list().data) == 2


def test_a_model_that_nobody_serves_is_an_error_of_the_api(upstream: ScriptedServer) -> None:
    with (
        proxy(upstream.url, upstreams=(Upstream(upstream.url, "qwen*"),)) as address,
        OpenAI(base_url=f"{address}/v1", api_key="k", max_retries=0) as client,
        pytest.raises(openai.NotFoundError, match="no upstream serves the model 'gpt'"),
    ):
        client.chat.completions.create(model="gpt", messages=MESSAGES)


@pytest.mark.parametrize("status", [400, 401, 429, 500])
def test_an_error_of_the_upstream_passes(
    upstream: ScriptedServer, address: str, status: int
) -> None:
    upstream.play(error(status, "out of luck"))
    with pytest.raises(openai.APIStatusError, match="out of luck") as caught:
        ask(address, "whole")
    assert caught.value.status_code == status
    assert latest(address)["outcome"] == "failed"


def test_an_upstream_that_is_not_there_is_named() -> None:
    with proxy("http://127.0.0.1:9/v1") as address:
        with pytest.raises(openai.InternalServerError, match="no answer from http://127"):
            ask(address, "whole")
        assert latest(address)["outcome"] == "failed"


def test_limits_on_size_time_and_number_are_errors_of_the_api(upstream: ScriptedServer) -> None:
    slow = Answer((b"{}",), pause=5.0)
    with proxy(upstream.url, max_body=2000, timeout=0.3) as address:
        url = f"{address}/v1/chat/completions"
        big = httpx2.post(url, json={**REQUEST, "user": "x" * 3000})
        assert (big.status_code, big.json()["error"]["code"]) == (413, "too_large")
        assert httpx2.post(url, content=b"[1]").status_code == 400
        upstream.play(slow)
        late = httpx2.post(url, json=REQUEST)
        assert (late.status_code, late.json()["error"]["code"]) == (504, "timeout")
    with proxy(upstream.url, max_requests=1, timeout=2.0) as address:
        upstream.play(slow)

        async def two() -> list[int]:
            async with httpx2.AsyncClient(timeout=10) as client:
                url = f"{address}/v1/chat/completions"
                first = asyncio.create_task(client.post(url, json=REQUEST))
                await asyncio.to_thread(wait_for, lambda: len(rows(address)))
                second = await client.post(url, json=REQUEST)
                return [(await first).status_code, second.status_code]

        assert asyncio.run(two()) == [504, 429]


def test_an_endless_whole_reply_is_cut_off(upstream: ScriptedServer) -> None:
    with proxy(upstream.url, max_reply=100_000) as address:
        upstream.play(Answer(b" " * 10_000 for _ in range(1000)))
        reply = httpx2.post(f"{address}/v1/chat/completions", json=REQUEST)
        assert reply.status_code == 502
        assert "longer than 100,000 bytes" in reply.json()["error"]["message"]


def test_an_endless_stream_ends_with_the_time_of_the_request(upstream: ScriptedServer) -> None:
    def endless() -> Iterator[bytes]:
        while True:
            yield b'data: {"choices": [{"index": 0, "delta": {"content": "ha "}}]}\n\n'

    with proxy(upstream.url, timeout=0.5) as address:
        upstream.play(Answer(endless(), content_type="text/event-stream", pause=0.01))
        with pytest.raises(openai.APIError, match="no complete reply after"):
            ask(address, "streamed")
        assert latest(address)["outcome"] == "failed"


@pytest.mark.parametrize("wants_stream", [True, False])
def test_a_client_that_goes_away_cancels_the_upstream(
    upstream: ScriptedServer, address: str, wants_stream: bool
) -> None:
    stopped: list[bool] = []

    def waits() -> Iterator[bytes]:
        try:
            while True:
                yield b'data: {"choices": [{"index": 0, "delta": {"content": "ha "}}]}\n\n'
        finally:
            stopped.append(True)

    kind = "text/event-stream" if wants_stream else "application/json"
    upstream.play(Answer(waits(), content_type=kind, pause=0.02))
    request = {**REQUEST, "stream": wants_stream}
    url = f"{address}/v1/chat/completions"
    if wants_stream:
        with httpx2.stream("POST", url, json=request) as reply:
            next(reply.iter_bytes())
    else:
        with pytest.raises(httpx2.ReadTimeout):
            httpx2.post(url, json=request, timeout=0.2)
    assert wait_for(lambda: stopped)
    assert latest(address)["outcome"] == "cancelled"


def test_a_stream_that_breaks_off_ends_in_an_error_and_delivers_no_call(
    upstream: ScriptedServer, address: str
) -> None:
    whole = b"".join(SLIP({"stream": True}).parts)
    for at in (0, 40, len(whole) // 2, whole.index(b"[DONE]"), len(whole)):  # all: test_proxy_drops
        parts = (whole[:at],) if at else ()
        upstream.play(Answer(parts, content_type="text/event-stream", breaks_off=True))
        is_complete = b"[DONE]" in whole[:at]
        try:
            found = ask(address, "streamed")
        except openai.APIError:
            assert "broke off" in latest(address)["error"]
            continue
        assert is_complete
        assert found == [("get_weather", OSLO)]


@pytest.mark.parametrize("at", [0, 10, 100])
def test_a_whole_reply_that_breaks_off_is_an_error(
    upstream: ScriptedServer, address: str, at: int
) -> None:
    whole = b"".join(SLIP({}).parts)
    upstream.play(Answer((whole[:at],) if at else (), breaks_off=True))
    with pytest.raises(openai.InternalServerError, match="broke off"):
        ask(address, "whole")


@pytest.mark.slow
def test_many_streams_at_one_time(upstream: ScriptedServer, address: str) -> None:
    upstream.play(*[IN_TEXT] * 200)

    async def all_of_them() -> list[str]:
        limits = httpx2.Limits(max_connections=200)
        async with httpx2.AsyncClient(timeout=60, limits=limits) as client:
            url = f"{address}/v1/chat/completions"
            asked = [client.post(url, json={**REQUEST, "stream": True}) for _ in range(200)]
            return [reply.text for reply in await asyncio.gather(*asked)]

    found = asyncio.run(all_of_them())
    assert len(found) == 200
    assert all('\\"city\\": \\"Oslo\\"' in text and "<tool_call>" not in text for text in found)
    figures = httpx2.get(f"{address}/metrics").text
    assert "zkit_proxy_running_requests 0" in figures


def test_a_model_without_tools_is_asked_in_text(upstream: ScriptedServer) -> None:
    with proxy(upstream.url) as address:
        upstream.play(error(400, "registry/m does not support tools"), IN_TEXT, IN_TEXT)
        assert ask(address, "whole") == [("get_weather", OSLO)]
        assert ask(address, "streamed") == [("get_weather", OSLO)]
        assert [("tools" in one) for one in upstream.requests] == [True, False, False]
        assert "get_weather" in json.dumps(upstream.requests[1]["messages"])


def test_a_profile_says_how_a_model_is_asked(upstream: ScriptedServer) -> None:
    profile = Profile(model="m", mode="text", stream=False)
    with proxy(upstream.url, profiles=(profile,)) as address:
        upstream.play(IN_TEXT)
        assert ask(address, "streamed") == [("get_weather", OSLO)]
        assert "stream" not in upstream.requests[0]
        assert "tools" not in upstream.requests[0]


# ── who may use it ───────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"host": "localhost:8787"}, 200),
        ({"host": "evil.example"}, 403),
        ({"host": "10.0.0.1"}, 403),
        ({"host": "localhost.evil.example:80"}, 403),
        ({"host": "x@localhost"}, 403),
        ({"origin": "https://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"host": "127.0.0.1:1", "origin": "http://127.0.0.1:1"}, 200),
        ({"host": "127.0.0.1:1", "origin": "http://127.0.0.1:2"}, 403),
        ({"sec-fetch-site": "cross-site"}, 403),
        ({"sec-fetch-site": "same-origin"}, 200),
    ],
)
def test_other_hosts_and_origins_are_rejected(
    address: str, headers: dict[str, str], status: int
) -> None:
    for path in ("/zkit/requests", "/v1/models", "/healthz"):
        reply = httpx2.get(f"{address}{path}", headers=headers)
        assert reply.status_code == status
        assert status == 200 or reply.json()["error"]["code"] == "forbidden"


def test_an_origin_can_be_allowed(upstream: ScriptedServer) -> None:
    origin = {"origin": "http://localhost:3000"}
    with proxy(upstream.url, allowed_origins=(origin["origin"],)) as address:
        asked = httpx2.options(f"{address}/v1/models", headers=origin)
        assert asked.status_code == 204
        reply = httpx2.get(f"{address}/v1/models", headers=origin)
        assert reply.headers["access-control-allow-origin"] == origin["origin"]


def test_beyond_loopback_the_page_needs_the_token(upstream: ScriptedServer) -> None:
    with pytest.raises(ValueError, match="needs a token"):
        ProxySettings(upstreams=(Upstream(upstream.url),), host="0.0.0.0")
    with proxy(upstream.url, host="0.0.0.0", token="s3cret-token") as address:
        for path in ("/zkit", "/zkit/requests", "/zkit/events", "/metrics"):
            assert httpx2.get(f"{address}{path}").status_code == 401
        assert httpx2.get(f"{address}/zkit?token=wrong").status_code == 401
        opened = httpx2.get(f"{address}/zkit?token=s3cret-token")
        assert opened.status_code == 200
        assert "HttpOnly" in opened.headers["set-cookie"]
        cookie = {"cookie": "zkit_token=s3cret-token"}
        assert httpx2.get(f"{address}/zkit/requests", headers=cookie).status_code == 200
        bearer = {"authorization": "Bearer s3cret-token"}
        assert httpx2.get(f"{address}/metrics", headers=bearer).status_code == 200
        assert httpx2.get(f"{address}/healthz").status_code == 200
        assert httpx2.get(f"{address}/v1/models").status_code == 200


def test_keys_reach_the_upstream_and_are_kept_nowhere(
    upstream: ScriptedServer, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    key = "own-Key-42-abcdefgh"
    kept = tmp_path / "requests.db"
    with proxy(upstream.url, keep=kept) as address:
        upstream.play(error(401, f"wrong key {key}"), SLIP)
        headers = {"authorization": f"Bearer {key}"}
        own = {**REQUEST, "user": f"my key is {key} and sk-abcdefghijklmnopqrstuv42"}
        for _ in range(2):
            httpx2.post(f"{address}/v1/chat/completions", json=own, headers=headers)
        page = httpx2.get(f"{address}/zkit/requests").text
        whole = json.dumps(latest(address))
    written = b"".join(one.read_bytes() for one in tmp_path.iterdir())
    said = "".join(capfd.readouterr())
    for secret in (key, "abcdefghijklmnop"):
        assert secret not in page + whole + said
        assert secret.encode() not in written


def test_the_page_has_a_policy_that_runs_only_its_own_code(address: str) -> None:
    reply = httpx2.get(f"{address}/zkit")
    assert "default-src 'none'; script-src 'sha256-" in reply.headers["content-security-policy"]
    assert "http://" not in reply.text.replace("http://www.w3.org/2000/svg", "")
    assert "https://" not in reply.text


# ── what is kept ─────────────────────────────────────────────────────────────


def test_a_bounded_number_is_kept_and_survives_a_restart(
    upstream: ScriptedServer, tmp_path: Path
) -> None:
    kept = tmp_path / "requests.db"
    with proxy(upstream.url, keep=kept, keep_last=3) as address:
        upstream.play(*[SLIP] * 5)
        for _ in range(5):
            ask(address, "whole")
        assert len(rows(address)) == 3
        before = latest(address)
    assert kept.stat().st_mode & 0o77 == 0
    with proxy(upstream.url, keep=kept, keep_last=3) as address:
        after = latest(address)
        assert len(rows(address)) == 3
        assert (after["id"], after["report"]) == (before["id"], before["report"])
        assert httpx2.delete(f"{address}/zkit/requests").status_code == 204
        assert rows(address) == []


def test_a_failure_becomes_a_case_without_secrets(upstream: ScriptedServer, tmp_path: Path) -> None:
    text = "{'city': 'Oslo', 'days': '3', }"
    with proxy(upstream.url, cases=tmp_path) as address:
        upstream.play(says(None, [call("get_weather", text, "a")]))
        ask(address, "whole")
        made = httpx2.post(f"{address}/zkit/requests/{latest(address)['id']}/case").json()
    assert made["problems"] == []
    assert "use_double_quotes" in made["cases"][0]
    assert "[[case]]" in (tmp_path / "decode.toml").read_text("utf-8")


def test_the_list_is_live(upstream: ScriptedServer, address: str) -> None:
    with httpx2.stream("GET", f"{address}/zkit/events") as events:
        lines = events.iter_lines()
        assert next(lines).startswith("data: [")
        upstream.play(SLIP)
        ask(address, "whole")
        seen: list[str] = []
        while "repaired" not in seen:
            line = next(lines)
            if line.startswith("data: "):
                seen += [one["outcome"] for one in json.loads(line[6:])]
    assert "running" in seen


def test_figures_for_prometheus(upstream: ScriptedServer) -> None:
    with proxy(upstream.url) as address:
        upstream.play(SLIP, CUT, GOOD)
        ask(address, "whole", model='odd"name\n')
        ask(address, "whole")
        text = httpx2.get(f"{address}/metrics").text
    assert 'zkit_proxy_extra_requests_total{model="m"} 1' in text
    assert 'fix="drop_trailing_comma",rank="RESPELL"} 1' in text
    assert 'model="odd\\"name\\n"' in text
    assert 'zkit_proxy_answered_total{model="m",code="truncated"} 1' in text
    assert "zkit_proxy_request_seconds_count 2" in text


def test_completions_are_spans_of_opentelemetry(
    upstream: ScriptedServer, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace = pytest.importorskip("opentelemetry.sdk.trace")
    export = pytest.importorskip("opentelemetry.sdk.trace.export")
    memory = pytest.importorskip("opentelemetry.sdk.trace.export.in_memory_span_exporter")
    from opentelemetry import trace as api

    exporter = memory.InMemorySpanExporter()
    provider = trace.TracerProvider()
    provider.add_span_processor(export.SimpleSpanProcessor(exporter))
    monkeypatch.setattr(api, "get_tracer_provider", lambda: provider)
    monkeypatch.setattr(api, "get_tracer", provider.get_tracer)
    upstream.play(SLIP)
    ask(address, "whole")
    latest(address)
    spans = {one.name: one for one in exporter.get_finished_spans()}
    outer, inner = spans["zkit.proxy"], spans["zkit.repair_reply"]
    assert outer.attributes["zkit.outcome"] == "repaired"
    assert inner.parent.span_id == outer.context.span_id


def test_a_stream_of_a_server_without_tools_in_the_request_passes(
    upstream: ScriptedServer, address: str
) -> None:
    answer = stream([{"content": "Hi."}])
    upstream.play(answer)
    request = {"model": "m", "messages": MESSAGES, "stream": True}
    reply = httpx2.post(f"{address}/v1/chat/completions", json=request)
    assert reply.content == b"".join(answer.parts)
