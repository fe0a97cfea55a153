"""Replies of `/responses` are repaired, whole and as events; the model is asked again."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

import pytest
from openai import OpenAI

from zkit.chat.client.exchange import Repairing
from zkit.chat.client.wrapped_client import wrap
from zkit.testing import Answer, ScriptedServer
from zkit.transport import client
from zkit.transport.http_exchange import HttpExchange, http_exchange

TOOL: Any = {
    "type": "function",
    "name": "get_weather",
    "parameters": {
        "type": "object",
        "properties": {"city": {"type": "string"}},
        "required": ["city"],
    },
}
Data = dict[str, Any]


def function_call(arguments: str, name: str = "get_weather", call_id: str = "c1") -> Data:
    return {
        "type": "function_call", "id": f"fc_{call_id}", "call_id": call_id, "name": name,
        "arguments": arguments, "status": "completed",
    }  # fmt: skip


def message(text: str) -> Data:
    part = {"type": "output_text", "text": text, "annotations": []}
    return {
        "type": "message",
        "id": "m1",
        "role": "assistant",
        "status": "completed",
        "content": [part],
    }


def response(*output: Data, status: str = "completed") -> Data:
    return {"id": "r1", "object": "response", "status": status, "output": list(output),
            "usage": {"input_tokens": 10, "output_tokens": 5, "total_tokens": 15}}  # fmt: skip


def exchange(stream: bool = False, ask_again: int = 0) -> HttpExchange:
    body = {"model": "m", "input": "Weather in Oslo?", "tools": [TOOL], "stream": stream}
    made = http_exchange(
        "POST", "/v1/responses", json.dumps(body).encode(), Repairing(ask_again=ask_again)
    )
    assert made is not None
    return made


def whole(reply: Data, made: HttpExchange | None = None) -> Any:
    out = (made or exchange()).take(json.dumps(reply).encode())
    return None if out is None else json.loads(out)


def events_of(reply: Data) -> Iterator[Data]:
    """The events of a response as a server streams them."""
    number = 0

    def event(kind: str, **more: Any) -> Data:
        nonlocal number
        number += 1
        return {"type": f"response.{kind}", "sequence_number": number, **more}

    yield event("created", response={**reply, "status": "in_progress", "output": []})
    for at, item in enumerate(reply["output"]):
        yield event("output_item.added", output_index=at, item={**item, "status": "in_progress"})
        own = {"item_id": item["id"], "output_index": at}
        if item["type"] == "function_call":
            for piece in item["arguments"]:
                yield event("function_call_arguments.delta", **own, delta=piece)
            yield event("function_call_arguments.done", **own, arguments=item["arguments"])
        else:
            text = item["content"][0]["text"]
            for piece in (text[i : i + 5] for i in range(0, len(text), 5)):
                yield event("output_text.delta", **own, content_index=0, delta=piece)
            yield event("output_text.done", **own, content_index=0, text=text)
        yield event("output_item.done", output_index=at, item=item)
    kind = "completed" if reply["status"] == "completed" else "incomplete"
    yield event(kind, response=reply)


def written(events: Iterable[Data]) -> bytes:
    return b"".join(f"event: {e['type']}\ndata: {json.dumps(e)}\n\n".encode() for e in events)


def read(data: bytes) -> list[Data]:
    return [
        json.loads(line[6:]) for line in data.decode().splitlines() if line.startswith("data: ")
    ]


def calls_in(events: list[Data]) -> list[tuple[str, str]]:
    done = [e["item"] for e in events if e["type"] == "response.output_item.done"]
    return [(i["name"], i["arguments"]) for i in done if i["type"] == "function_call"]


def text_in(events: list[Data]) -> str:
    return "".join(e["delta"] for e in events if e["type"] == "response.output_text.delta")


TEXT_CALL = '<tool_call>{"name": "get_weather", "arguments": {"city": "Oslo"}}</tool_call>'


def test_a_slip_is_repaired() -> None:
    made = whole(response(function_call("{'city': 'Oslo',}", "getWeather")))
    (item,) = made["output"]
    assert (item["name"], item["arguments"], item["call_id"]) == (
        "get_weather",
        '{"city": "Oslo"}',
        "c1",
    )


def test_a_call_in_the_text_becomes_an_item() -> None:
    made = whole(response(message(f"Now.\n{TEXT_CALL}")))
    assert [item["type"] for item in made["output"]] == ["message", "function_call"]
    assert made["output"][0]["content"][0]["text"].strip() == "Now."
    assert json.loads(made["output"][1]["arguments"]) == {"city": "Oslo"}


def test_what_needs_nothing_passes_byte_for_byte() -> None:
    valid, text = response(function_call('{"city": "Oslo"}')), response(message("Hello, 3 < 4."))
    for reply in (valid, text):
        data = json.dumps(reply).encode()
        assert exchange().take(data) == data
    made = exchange(stream=True)
    sent = written(events_of(valid))
    assert made.feed(sent) + made.end() == sent


def test_text_may_come_in_other_pieces() -> None:
    reply = response(message("Hello, 3 < 4."))
    made = exchange(stream=True)
    events = read(made.feed(written(events_of(reply))) + made.end())
    assert text_in(events) == "Hello, 3 < 4."
    assert events[-1]["response"] == reply


def test_a_cut_call_is_answered_and_the_model_asked_again() -> None:
    made = exchange(ask_again=1)
    assert whole(response(function_call('{"city": "Os'), status="incomplete"), made) is None
    asked = json.loads(made.body)["input"]
    assert [one.get("type", one.get("role")) for one in asked] == [
        "user",
        "function_call",
        "function_call_output",
    ]
    assert "cut off" in asked[-1]["output"]
    done = whole(response(function_call('{"city": "Oslo"}')), made)
    assert done["usage"]["total_tokens"] == 30
    assert made.report.requests == 2


def test_a_streamed_slip_is_repaired() -> None:
    made = exchange(stream=True)
    sent = written(events_of(response(message("Let me see."), function_call("{'city': 'Oslo'}"))))
    events = read(
        b"".join(made.feed(sent[i : i + 50]) for i in range(0, len(sent), 50)) + made.end()
    )
    assert text_in(events) == "Let me see."
    assert calls_in(events) == [("get_weather", '{"city": "Oslo"}')]
    assert events[-1]["type"] == "response.completed"
    assert events[-1]["response"]["output"][-1]["arguments"] == '{"city": "Oslo"}'
    numbers = [event["sequence_number"] for event in events]
    assert numbers == sorted(set(numbers))


def test_a_streamed_call_in_the_text_becomes_an_item() -> None:
    made = exchange(stream=True)
    out = made.feed(written(events_of(response(message(f"Now. {TEXT_CALL}"))))) + made.end()
    events = read(out)
    assert text_in(events).strip() == "Now."
    assert [json.loads(text) for _, text in calls_in(events)] == [{"city": "Oslo"}]


def test_a_streamed_cut_call_is_asked_again() -> None:
    made = exchange(stream=True, ask_again=1)
    cut = response(message("Let me see."), function_call('{"city": "Os'), status="incomplete")
    out = made.feed(written(events_of(cut)))
    assert made.asks_again
    out += made.resume()
    out += (
        made.feed(written(events_of(response(function_call('{"city": "Oslo"}', call_id="c2")))))
        + made.end()
    )
    events = read(out)
    assert calls_in(events) == [("get_weather", '{"city": "Oslo"}')]
    assert [e["type"] for e in events].count("response.created") == 1
    output = events[-1]["response"]["output"]
    assert [item["type"] for item in output] == ["message", "function_call"]
    added = [e["output_index"] for e in events if e["type"] == "response.output_item.added"]
    assert added == [0, 1]


def test_a_stream_without_an_end_runs_nothing() -> None:
    made = exchange(stream=True)
    events = list(events_of(response(function_call('{"city": "Oslo"}'))))[:-1]
    assert calls_in(read(made.feed(written(events)) + made.end())) == []
    assert [one.code for one in made.report.refusals] == ["truncated"]


# The SDK over HTTP


def sdk(server: ScriptedServer, way: str) -> Any:
    bare: Any = {"base_url": server.url, "api_key": "none", "max_retries": 0}
    if way == "wrap":
        return wrap(OpenAI(**bare), ask_again=1)
    return OpenAI(**bare, http_client=client(ask_again=1))


def answer(reply: Data, stream: bool) -> Answer:
    if stream:
        return Answer((written(events_of(reply)),), content_type="text/event-stream")
    return Answer((json.dumps(reply).encode(),))


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("way", ["wrap", "transport"])
@pytest.mark.parametrize(
    ("first", "requests"),
    [
        (response(function_call("{'city': 'Oslo',}", "getWeather")), 1),
        (response(message(TEXT_CALL)), 1),
        (response(function_call('{"city": "Os'), status="incomplete"), 2),
        (response(message("<tool_response>sunny</tool_response>")), 2),
    ],
    ids=["a slip", "a call in the text", "a cut call", "a result that the model made up"],
)
def test_the_sdk_gets_a_call_that_can_be_run(
    first: Data, requests: int, way: str, stream: bool
) -> None:
    second = response(function_call('{"city": "Oslo"}'))
    with ScriptedServer() as server:
        server.play(answer(first, stream), answer(second, stream))
        with sdk(server, way) as made:
            given: Any = {"model": "m", "input": "Weather in Oslo?", "tools": [TOOL]}
            reply = made.responses.create(**given, stream=stream)
            if stream:
                reply = [event for event in reply if event.type == "response.completed"][
                    -1
                ].response
        asked = len(server.requests)
    calls = [item for item in reply.output if item.type == "function_call"]
    assert [(one.name, json.loads(one.arguments)) for one in calls] == [
        ("get_weather", {"city": "Oslo"})
    ]
    assert asked == requests
