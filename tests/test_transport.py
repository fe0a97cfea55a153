"""HTTP replies are repaired on the way, by every library, whole and streamed; the model is asked again."""

from __future__ import annotations

import asyncio
import gzip
import json
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import httpx
import httpx2
import pytest
from openai import AsyncOpenAI, OpenAI

from zkit import wrap
from zkit.chat import Report
from zkit.chat.client.exchange import Repairing
from zkit.chat.client.message_repair import MAX_HELD
from zkit.chat.loop_messages import NO_RESULT
from zkit.testing import Answer, Script, ScriptedServer, call, completion, error, says, stream
from zkit.transport import async_client, client
from zkit.transport.http_exchange import http_exchange

WEATHER: Any = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "parameters": {
            "type": "object",
            "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
            "required": ["city"],
        },
    },
}
NOW: Any = {
    "type": "function",
    "function": {"name": "now", "parameters": {"type": "object", "properties": {}}},
}
MESSAGES: Any = [{"role": "user", "content": "What is the weather in Oslo?"}]
REQUEST: Any = {"model": "m", "messages": MESSAGES, "tools": [WEATHER, NOW]}
OSLO = '{"city": "Oslo"}'
CUT = says(None, [call("get_weather", '{"city": "Os', "a")], finish="length")
GOOD = says(None, [call("get_weather", OSLO, "b")])
SLIP = says(None, [call("getWeather", "{'city': 'Oslo',}", "a")])


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer() as made:
        yield made


def post(server: ScriptedServer, http: Any, request: Any, path: str = "/chat/completions") -> Any:
    with client(http=http, ask_again=request.pop("ask", 0)) as made:
        return made.post(server.url + path, json=request)


def apost(server: ScriptedServer, http: Any, request: Any, path: str = "/chat/completions") -> Any:
    async def ask() -> Any:
        async with async_client(http=http, ask_again=request.pop("ask", 0)) as made:
            return await made.post(server.url + path, json=request)

    return asyncio.run(ask())


WAYS = {
    f"{how.__name__} {http.__name__}": (how, http)
    for how in (post, apost)
    for http in (httpx, httpx2)
}
every_way = pytest.mark.parametrize("way", WAYS)


def ask(
    server: ScriptedServer, way: str, *script: Script, path: str = "/chat/completions", **more: Any
) -> Any:
    server.play(*script)
    how, http = WAYS[way]
    return how(server, http, {**REQUEST, **more}, path)


def events(body: str) -> list[Any]:
    datas = [line[5:].strip() for line in body.splitlines() if line.startswith("data:")]
    return [json.loads(data) for data in datas if data != "[DONE]"]


def outcome(response: Any) -> tuple[str, list[tuple[str, Any]], str | None]:
    """The text, the calls and the finish reason of a reply, whole or streamed."""
    if response.headers["content-type"].startswith("application/json"):
        choice = response.json()["choices"][0]
        entries = choice["message"].get("tool_calls") or []
        text, finish = choice["message"].get("content") or "", choice["finish_reason"]
    else:
        text, entries, finish = "", [], None
        for chunk in events(response.text):
            for choice in chunk["choices"]:
                text += choice["delta"].get("content") or ""
                entries += choice["delta"].get("tool_calls") or []
                finish = choice["finish_reason"] or finish
    calls = [(e["function"]["name"], json.loads(e["function"]["arguments"])) for e in entries]
    return text, calls, finish


@every_way
@pytest.mark.parametrize("streamed", [False, True])
def test_a_slip_is_repaired_on_the_wire(server: ScriptedServer, way: str, streamed: bool) -> None:
    made = ask(server, way, SLIP, stream=streamed)
    assert outcome(made) == ("", [("get_weather", {"city": "Oslo"})], "tool_calls")
    assert len(server.requests) == 1


@every_way
@pytest.mark.parametrize("streamed", [False, True])
def test_a_cut_call_is_answered_and_the_model_asked_again(
    server: ScriptedServer, way: str, streamed: bool
) -> None:
    made = ask(server, way, CUT, GOOD, stream=streamed, ask=1)
    assert outcome(made) == ("", [("get_weather", {"city": "Oslo"})], "tool_calls")
    first, second = server.requests
    *same, said, answer = second["messages"]
    assert same == first["messages"]
    assert said["tool_calls"][0]["function"] == {"name": "get_weather", "arguments": "{}"}
    assert (answer["role"], answer["tool_call_id"]) == ("tool", "a")
    assert "cut off" in answer["content"]
    assert second["tools"] == first["tools"]


@every_way
def test_usage_is_summed(server: ScriptedServer, way: str) -> None:
    made = ask(server, way, CUT, GOOD, ask=1)
    assert made.json()["usage"] == {
        "prompt_tokens": 20, "completion_tokens": 10, "total_tokens": 30,
    }  # fmt: skip
    streamed = ask(server, way, CUT, GOOD, ask=1, stream=True)
    usages = [one["usage"] for one in events(streamed.text) if one.get("usage")]
    assert [one["total_tokens"] for one in usages] == [30]


@every_way
@pytest.mark.parametrize("streamed", [False, True])
def test_when_the_extra_requests_are_used_up_the_valid_calls_pass(
    server: ScriptedServer, way: str, streamed: bool
) -> None:
    both = says(None, [call("now", "{}", "n"), call("get_weather", "", "a")])
    made = ask(server, way, both, both, stream=streamed, ask=1)
    _, calls, _ = outcome(made)
    assert [name for name, _ in calls] == ["now", "refused_get_weather"]
    assert len(server.requests) == 2
    answers = [m["content"] for m in server.requests[1]["messages"] if m["role"] == "tool"]
    assert len(answers) == 2
    assert "Not run, because another call" in answers[0]


@every_way
@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize("failure", [error(500, "no"), error(429, "slow")])
def test_a_failing_extra_request_costs_nothing(
    server: ScriptedServer, way: str, streamed: bool, failure: Answer
) -> None:
    made = ask(server, way, CUT, failure, stream=streamed, ask=1)
    assert made.status_code == 200
    assert [name for name, _ in outcome(made)[1]] == ["refused_get_weather"]


@every_way
def test_text_before_the_first_possible_call_is_not_held(server: ScriptedServer, way: str) -> None:
    first = says("Let me look. ", [call("get_weather", '{"city": "Os', "a")], finish="length")
    made = ask(
        server, way, first, says("Here it is.", [call("now", "{}", "n")]), stream=True, ask=1
    )
    text, calls, _ = outcome(made)
    assert (text, calls) == ("Let me look. Here it is.", [("now", {})])
    assert len({one["id"] for one in events(made.text)}) == 1
    assert sum("role" in c["delta"] for one in events(made.text) for c in one["choices"]) == 1


# ── what passes byte for byte ────────────────────────────────────────────────

PASSING: dict[str, Any] = {
    "no tools": {"tools": None},
    "no functions": {"tools": [{"type": "custom", "custom": {"name": "x"}}]},
    "tools of the wrong kind": {"tools": "get_weather"},
}


@every_way
@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize("case", PASSING)
def test_without_functions_everything_passes_byte_for_byte(
    server: ScriptedServer, way: str, streamed: bool, case: str
) -> None:
    sent = SLIP({"stream": streamed})
    made = ask(server, way, sent, stream=streamed, **PASSING[case])
    assert made.content == b"".join(sent.parts)


@every_way
def test_a_text_answer_passes_byte_for_byte(server: ScriptedServer, way: str) -> None:
    for streamed in (False, True):
        sent = says("It is sunny in Oslo, 3 < 4 degrees.", step=40)({"stream": streamed})
        made = ask(server, way, sent, stream=streamed)
        assert made.content == b"".join(sent.parts)


@every_way
@pytest.mark.parametrize("body", [b"not json", b"[]", b'{"choices": [null, 3]}', b'{"choices": 1}'])
def test_a_body_that_is_no_completion_passes(server: ScriptedServer, way: str, body: bytes) -> None:
    assert ask(server, way, Answer((body,))).content == body


@every_way
def test_errors_and_other_paths_pass(server: ScriptedServer, way: str) -> None:
    assert ask(server, way, error(400, "no")).status_code == 400
    made = ask(server, way, SLIP, path="/completions")
    assert "getWeather" in made.text


@every_way
def test_comments_and_foreign_events_of_a_stream_pass(server: ScriptedServer, way: str) -> None:
    parts = (
        b": ping\n\n",
        b"event: ping\ndata: {}\n\n",
        b'data: {"error": {"message": "x"}}\r\n\r\n',
    )
    made = ask(server, way, Answer(parts, content_type="text/event-stream"), stream=True)
    assert made.content == b"".join(parts)


@every_way
def test_a_packed_reply_is_unpacked_and_repaired(server: ScriptedServer, way: str) -> None:
    plain = b"".join(SLIP({}).parts)
    packed = Answer((gzip.compress(plain),), headers={"Content-Encoding": "gzip"})
    assert outcome(ask(server, way, packed))[1] == [("get_weather", {"city": "Oslo"})]


# ── streams ──────────────────────────────────────────────────────────────────


def fed(answer: Answer, step: int, **settings: Any) -> tuple[bytes, Report]:
    """Return the outcome of a stream whose bytes come in pieces of one size."""
    body = json.dumps({**REQUEST, "stream": True}).encode()
    made = http_exchange("POST", "/v1/chat/completions", body, Repairing(**settings))
    assert made is not None
    data = b"".join(answer.parts)
    out = b"".join(made.feed(data[at : at + step]) for at in range(0, len(data), step))
    return out + made.end(), made.report


def untimed(body: bytes) -> list[Any]:
    """The events without the ids that are made up."""
    text = body.decode()
    return [
        [
            {**d, "tool_calls": [{**t, "id": ""} for t in d["tool_calls"]]}
            if "tool_calls" in d
            else d
        ]
        for one in events(text)
        for d in (c["delta"] for c in one["choices"])
    ]


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_any_cut_of_the_bytes_gives_the_same_stream(newline: str) -> None:
    text = 'Now.\n<tool_call>{"name": "get_weather", "arguments": {"city": "Oslo"}}</tool_call>'
    sent = says(text)({"stream": True})
    sent = Answer(tuple(part.replace(b"\n", newline.encode()) for part in sent.parts))
    whole, _ = fed(sent, 10**6)
    for step in (1, 2, 3, 7, 64, 1000):
        assert untimed(fed(sent, step)[0]) == untimed(whole)


def test_a_stream_without_an_end_is_truncated_and_nothing_in_it_runs() -> None:
    for deltas in ([{"content": '<tool_call>{"name": "now", "arguments": {}}</tool_call>'}],
                   [{"tool_calls": [{"index": 0, **call("now", "{}", "a")}]}]):  # fmt: skip
        out, report = fed(stream(deltas, finish=None, usage=None, done=False), 1000)
        assert [one.code for one in report.refusals] == ["truncated"]
        assert not report.calls
        assert '"name": "now"' not in out.decode()
        out, report = fed(stream(deltas, finish=None, usage=None, done=True), 1000)
        assert [one.name for one in report.calls] == ["now"]


def test_an_endless_call_is_not_held() -> None:
    piece = {"tool_calls": [{"index": 0, "function": {"arguments": "x" * 100_000}}]}
    head = {"tool_calls": [{"index": 0, **call("get_weather", "", "a")}]}
    out, report = fed(stream([head, *[piece] * (MAX_HELD // 100_000 + 2)]), 10**6)
    assert [one.code for one in report.refusals] == ["truncated"]
    assert len(out) < 10_000


def test_a_thousand_calls_are_not_read() -> None:
    many = [call("now", "{}", f"c{at}") for at in range(1000)]
    _, report = fed(says(None, many)({"stream": True}), 10**7)
    assert len(report.calls) == 128
    assert [one.code for one in report.refusals] == ["budget"]


def test_a_thousand_calls_in_text_are_not_read() -> None:
    text = '<tool_call>{"name": "now", "arguments": {}}</tool_call>\n' * 1000
    _, report = fed(says(text, step=10**6)({"stream": True}), 10**7)
    assert len(report.calls) <= 128
    assert "budget" in [one.code for one in report.refusals]


def test_an_event_without_an_end_is_not_held() -> None:
    body = json.dumps({**REQUEST, "stream": True}).encode()
    made = http_exchange("POST", "/v1/chat/completions", body, Repairing())
    assert made is not None
    sent = [b"data: " + b"x" * 1_000_000 for _ in range(MAX_HELD // 1_000_000 + 2)]
    out = b"".join(made.feed(piece) for piece in sent)
    assert out == b"".join(sent)


# ── the SDK ──────────────────────────────────────────────────────────────────


def test_the_sdk_takes_the_client_and_reads_a_stream_once(server: ScriptedServer) -> None:
    reports: list[Report] = []
    http_client = client(ask_again=1, on_report=reports.append)
    with OpenAI(base_url=server.url, api_key="none", http_client=http_client, max_retries=0) as sdk:
        server.play(CUT, GOOD)
        made = sdk.chat.completions.create(**REQUEST, stream=True)
        assert [c for chunk in made for c in chunk.choices][-1].finish_reason == "tool_calls"
        server.play(CUT, GOOD)
        raw = sdk.chat.completions.with_raw_response.create(**REQUEST)
    assert raw.headers["x-zkit-requests"] == "2"
    assert raw.headers["x-zkit-calls"] == "1"
    calls: Any = raw.parse().choices[0].message.tool_calls
    assert calls[0].function.arguments == OSLO
    assert [one.requests for one in reports] == [2, 2]
    assert [one.code for one in reports[0].answered if hasattr(one, "code")] == ["truncated"]


def test_a_wrapped_client_covers_every_way_to_ask(server: ScriptedServer) -> None:
    with OpenAI(base_url=server.url, api_key="none", max_retries=0) as bare:
        sdk = wrap(bare, ask_again=1)
        tools: Any = [{**WEATHER, "function": {**WEATHER["function"], "strict": True}}]
        server.play(*[CUT, SLIP] * 4)
        parsed = sdk.chat.completions.parse(model="m", messages=MESSAGES, tools=tools)
        with sdk.chat.completions.stream(**REQUEST) as events_of:
            events_of.until_done()
            streamed = events_of.get_final_completion()
        raw = sdk.chat.completions.with_raw_response.create(**REQUEST).parse()
        with sdk.chat.completions.with_streaming_response.create(**REQUEST) as response:
            read = response.parse()
    for made in (parsed, streamed, raw, read):
        found: Any = made
        assert [c.function.name for c in found.choices[0].message.tool_calls] == ["get_weather"]
    assert parsed.zkit.requests == 2  # type: ignore[attr-defined]


def test_the_async_client_of_the_sdk_is_covered_too(server: ScriptedServer) -> None:
    async def ask() -> Any:
        async with AsyncOpenAI(base_url=server.url, api_key="none", max_retries=0) as bare:
            sdk = wrap(bare, ask_again=1)
            server.play(CUT, SLIP, CUT, SLIP)
            raw = await sdk.chat.completions.with_raw_response.create(**REQUEST)
            stream = await sdk.chat.completions.create(**REQUEST, stream=True)
            async for _ in stream:
                pass
            return raw.parse(), stream.zkit

    made, report = asyncio.run(ask())
    assert [c.function.name for c in made.choices[0].message.tool_calls] == ["get_weather"]
    assert (report.requests, len(report.calls)) == (2, 1)


def test_a_bare_client_may_be_dropped_and_a_wrapped_one_too(server: ScriptedServer) -> None:
    server.play(*[SLIP] * 3)
    wrapped = wrap(OpenAI(base_url=server.url, api_key="none", max_retries=0))
    assert wrapped.chat.completions.create(**REQUEST).zkit.calls
    bare = OpenAI(base_url=server.url, api_key="none", max_retries=0)
    assert wrap(bare).chat.completions.create(**REQUEST).zkit.calls
    assert bare.chat.completions.create(**REQUEST).choices
    bare.close()
    wrapped.close()


def test_choices_are_not_asked_again(server: ScriptedServer) -> None:
    choice = CUT.choice
    made = ask(server, "post httpx", completion(choice, choice), ask=1)
    assert len(server.requests) == 1
    assert len(made.json()["choices"]) == 2


# ── doubtful calls ───────────────────────────────────────────────────────────

FOLLOWED = (
    f'<tool_call>{{"name": "get_weather", "arguments": {OSLO}}}</tool_call>\nI hope that helps you.'
)


@pytest.mark.parametrize("streamed", [False, True])
def test_a_doubtful_call_is_listed_and_stays_in_the_text(
    server: ScriptedServer, streamed: bool
) -> None:
    server.play(says(FOLLOWED))
    with OpenAI(base_url=server.url, api_key="none", max_retries=0) as bare:
        made: Any = wrap(bare).chat.completions.create(**REQUEST, stream=streamed)
        chunks = list(made) if streamed else []
    (one,) = made.zkit.doubtful
    assert (one.call.name, one.call.arguments, one.reason) == (
        "get_weather",
        {"city": "Oslo"},
        "followed",
    )
    assert "Send the call alone" in one.message
    text = (
        "".join(c.delta.content or "" for chunk in chunks for c in chunk.choices)
        if streamed
        else made.choices[0].message.content
    )
    assert text == FOLLOWED
    assert not made.zkit.calls


@pytest.mark.parametrize("streamed", [False, True])
def test_a_doubtful_call_that_is_sent_again_is_meant(
    server: ScriptedServer, streamed: bool
) -> None:
    made = ask(server, "post httpx", says(FOLLOWED), says(FOLLOWED), stream=streamed, ask=1)
    text, calls, _ = outcome(made)
    assert calls == [("get_weather", {"city": "Oslo"})]
    assert text.strip() == "I hope that helps you."
    assert "Send the call alone" in server.requests[1]["messages"][-1]["content"]


def test_a_text_call_beside_a_native_one_is_listed(server: ScriptedServer) -> None:
    text = FOLLOWED.split("\n")[0]
    server.play(says(text, [call("now", "{}", "n")]), says(text, [call("get_weather", OSLO, "n")]))
    with OpenAI(base_url=server.url, api_key="none", max_retries=0) as bare:
        made = wrap(bare).chat.completions.create(**REQUEST)
        same = wrap(bare).chat.completions.create(**REQUEST)
    assert [one.reason for one in made.zkit.doubtful] == ["beside_native"]
    assert [one.name for one in made.zkit.calls] == ["now"]
    assert not same.zkit.doubtful


# A reply that says nothing new

OSLO_IN_TEXT = f'{{"name": "get_weather", "arguments": {OSLO}}}'
AFTER_RESULT: Any = [
    *MESSAGES,
    {"role": "assistant", "content": None, "tool_calls": [call("get_weather", OSLO, "a")]},
    {"role": "tool", "tool_call_id": "a", "content": "sunny"},
]
SUNNY = says("It is sunny in Oslo.")


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize("reply", [OSLO_IN_TEXT, f"```json\n{OSLO_IN_TEXT}\n```", ""])
def test_a_call_in_text_that_has_its_result_is_answered_in_words(
    server: ScriptedServer, reply: str, streamed: bool
) -> None:
    script = (says(reply), SUNNY)
    made = ask(server, "post httpx", *script, messages=AFTER_RESULT, stream=streamed, ask=1)
    assert outcome(made)[:2] == ("It is sunny in Oslo.", [])
    last = server.requests[1]
    assert "tools" not in last
    assert [one["role"] for one in last["messages"]] == ["user", "user"]
    told = "\n".join(one["content"] for one in last["messages"])
    assert 'get_weather for city "Oslo" gave: sunny' in told


# A tool's result that the model made up

MADE_UP = "<tool_response>\nsunny\n</tool_response>"


@pytest.mark.parametrize("step", [0, 1, 7])
@pytest.mark.parametrize("reply", [MADE_UP, f"\n {MADE_UP}\nIt is sunny.", "[TOOL_RESULTS] sunny"])
def test_a_result_that_the_model_made_up_is_no_answer(
    server: ScriptedServer, reply: str, step: int
) -> None:
    script = (says(reply, step=step) if step else says(reply), GOOD)
    made = ask(server, "post httpx", *script, stream=bool(step), ask=1)
    assert outcome(made) == ("", [("get_weather", {"city": "Oslo"})], "tool_calls")
    *same, note = server.requests[1]["messages"]
    assert same == MESSAGES
    assert note == {"role": "user", "content": NO_RESULT}


@pytest.mark.parametrize("streamed", [False, True])
def test_a_made_up_result_is_delivered_and_listed_if_nobody_is_asked_again(
    server: ScriptedServer, streamed: bool
) -> None:
    reports: list[Any] = []
    server.play(says(MADE_UP, step=3))
    with client(http=httpx, on_report=reports.append) as made:
        reply = made.post(f"{server.url}/chat/completions", json={**REQUEST, "stream": streamed})
    assert outcome(reply) == (MADE_UP, [], "stop")
    assert [(one.code, one.text) for one in reports[0].refusals] == [("made_up_result", MADE_UP)]


@pytest.mark.parametrize("step", [0, 1, 7])
@pytest.mark.parametrize(
    "reply",
    [
        f"Tools answer in this form: {MADE_UP}",
        "<tool_responder is no mark of a result>",
        "<t",
        "  \n<b>Sunny</b>",
    ],
)
def test_a_text_that_only_looks_like_a_result_is_the_answer(
    server: ScriptedServer, reply: str, step: int
) -> None:
    script = says(reply, step=step) if step else says(reply)
    made = ask(server, "post httpx", script, stream=bool(step), ask=1)
    assert outcome(made) == (reply, [], "stop")
    assert len(server.requests) == 1


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize(
    ("reply", "messages", "again"),
    [
        (says(OSLO_IN_TEXT.replace("Oslo", "Rome")), AFTER_RESULT, 1),
        (GOOD, AFTER_RESULT, 1),
        (says(OSLO_IN_TEXT), [*AFTER_RESULT, {"role": "user", "content": "Look again."}], 1),
        (says(OSLO_IN_TEXT), AFTER_RESULT, 0),
        (says(OSLO_IN_TEXT), MESSAGES, 1),
    ],
    ids=["other arguments", "a native call", "somebody asked", "no extra request", "the first"],
)
def test_a_call_that_may_be_meant_is_delivered(
    server: ScriptedServer, reply: Script, messages: Any, again: int, streamed: bool
) -> None:
    made = ask(server, "post httpx", reply, SUNNY, messages=messages, stream=streamed, ask=again)
    assert [name for name, _ in outcome(made)[1]] == ["get_weather"]
    assert len(server.requests) == 1


def test_the_report_of_a_reply_is_a_span() -> None:
    trace = pytest.importorskip("opentelemetry.sdk.trace")
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    from zkit.transport import reports

    exporter = InMemorySpanExporter()
    provider = trace.TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    api: Any = SimpleNamespace(
        get_tracer_provider=lambda: provider,
        get_tracer=provider.get_tracer,
        ProxyTracerProvider=type("Proxy", (), {}),
    )
    with (
        patch.object(reports, "_api", lambda: api),
        ScriptedServer(then=says(None, [call("get_weather", "{'city': 'Oslo'}", "a")])) as server,
        OpenAI(base_url=server.url, api_key="none", http_client=client()) as sdk,
    ):
        sdk.chat.completions.create(**REQUEST)
        list(sdk.chat.completions.create(**REQUEST, stream=True))
    spans = exporter.get_finished_spans()
    assert [span.name for span in spans] == ["zkit.repair_reply"] * 2
    for span in spans:
        written: Any = span.attributes
        assert written["zkit.calls"] == ("get_weather",)
        assert written["zkit.fixes"]
        assert written["zkit.requests"] == 1
