"""The real client over real HTTP: what a server gets wrong is repaired on the way."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import openai
import pytest
from openai import AsyncOpenAI, OpenAI

from zkit.chat.call_checker import Report
from zkit.chat.client.wrapped_client import wrap
from zkit.grade import READ, WRITE
from zkit.receipt import Rank
from zkit.testing import (
    Answer,
    Script,
    ScriptedServer,
    call,
    completion,
    error,
    raw_stream,
    says,
    stream,
)
from zkit.tools import tool

TOOLS: Any = [
    {
        "type": "function",
        "function": {
            "name": "get_weather",
            "description": "The weather in a city.",
            "parameters": {
                "type": "object",
                "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
                "required": ["city"],
            },
        },
    },
    {
        "type": "function",
        "function": {"name": "now", "parameters": {"type": "object", "properties": {}}},
    },
]
MESSAGES: Any = [{"role": "user", "content": "What is the weather in Oslo?"}]
OSLO = '{"city": "Oslo"}'
TEXT_CALL = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n</tool_call>'


class Outcome:
    """A completion or a stream, looked at in the same way."""

    def __init__(
        self, content: str | None, calls: list[Any], finish: str | None, report: Report
    ) -> None:
        self.content = content or None
        self.calls = [(c.function.name, c.function.arguments) for c in calls]
        self.ids = [c.id for c in calls]
        self.finish = finish
        self.report = report


def of_completion(made: Any) -> Outcome:
    choice = made.choices[0]
    return Outcome(
        choice.message.content, choice.message.tool_calls or [], choice.finish_reason, made.zkit
    )


def of_chunks(chunks: list[Any], report: Report) -> Outcome:
    choices = [choice for chunk in chunks for choice in chunk.choices]
    content = "".join(choice.delta.content or "" for choice in choices)
    calls: list[Any] = []
    for part in (one for choice in choices for one in choice.delta.tool_calls or ()):
        if part.index == len(calls):
            calls.append(part)
        elif part.function.arguments:
            calls[part.index].function.arguments += part.function.arguments
    finish = [choice.finish_reason for choice in choices if choice.finish_reason]
    return Outcome(content, calls, finish[-1] if finish else None, report)


def ask_sync(url: str, streamed: bool, **options: Any) -> Outcome:
    request: Any = {"model": "m", "messages": MESSAGES, "tools": TOOLS} | options
    with OpenAI(base_url=url, api_key="none", max_retries=0) as bare:
        made: Any = wrap(bare).chat.completions.create(**request, stream=streamed)
        if not streamed:
            return of_completion(made)
        chunks = list(made)
        return of_chunks(chunks, made.zkit)


def ask_async(url: str, streamed: bool, **options: Any) -> Outcome:
    async def ask() -> Outcome:
        request: Any = {"model": "m", "messages": MESSAGES, "tools": TOOLS} | options
        async with AsyncOpenAI(base_url=url, api_key="none", max_retries=0) as bare:
            made: Any = await wrap(bare).chat.completions.create(**request, stream=streamed)
            if not streamed:
                return of_completion(made)
            chunks = [chunk async for chunk in made]
            return of_chunks(chunks, made.zkit)

    return asyncio.run(ask())


WAYS = {
    "plain": lambda url, **options: ask_sync(url, False, **options),
    "streamed": lambda url, **options: ask_sync(url, True, **options),
    "async": lambda url, **options: ask_async(url, False, **options),
    "async streamed": lambda url, **options: ask_async(url, True, **options),
}
every_way = pytest.mark.parametrize("way", WAYS)


def ask(server: ScriptedServer, way: str, answer: Script, **options: Any) -> Outcome:
    server.play(answer)
    return WAYS[way](server.url, **options)


# ── each first turn of the table, in each way ────────────────────────────────

SLIPS = {
    "valid": (says(None, [call("get_weather", OSLO, "a")]), OSLO),
    "Python quotes": (says(None, [call("get_weather", "{'city': 'Oslo'}", "a")]), OSLO),
    "a trailing comma": (says(None, [call("get_weather", '{"city": "Oslo",}', "a")]), OSLO),
    "fenced JSON": (says(None, [call("get_weather", f"```json\n{OSLO}\n```", "a")]), OSLO),
    "camel case": (says(None, [call("getWeather", OSLO, "a")]), OSLO),
    "a leaked token": (says(None, [call("get_weather<|channel|>commentary", OSLO, "a")]), OSLO),
    "a prefix": (says(None, [call("functions.get_weather", OSLO, "a")]), OSLO),
    "a tag in the text": (says(TEXT_CALL), OSLO),
    "a fence in the text": (
        says(f'```json\n{{"name": "get_weather", "arguments": {OSLO}}}\n```'),
        OSLO,
    ),
    "an argument in other case": (says(None, [call("get_weather", '{"City": "Oslo"}', "a")]), OSLO),
    "a number as text": (
        says(None, [call("get_weather", '{"city": "Oslo", "days": "3"}', "a")]),
        '{"city": "Oslo", "days": 3}',
    ),
    "no id": (says(None, [call("get_weather", OSLO)]), OSLO),
    "a finish reason that lies": (
        says(None, [call("get_weather", OSLO, "a")], finish="stop"),
        OSLO,
    ),
}


@every_way
@pytest.mark.parametrize("slip", SLIPS)
def test_a_slip_is_repaired_without_another_request(
    server: ScriptedServer, way: str, slip: str
) -> None:
    answer, arguments = SLIPS[slip]
    made = ask(server, way, answer)
    assert made.calls == [("get_weather", arguments)]
    assert made.content is None
    assert made.finish == "tool_calls"
    assert all(made.ids)
    assert [c.arguments for c in made.report.calls] == [json.loads(arguments)]
    assert not made.report.refusals
    assert len(server.requests) == 1


@every_way
def test_a_cut_call_is_passed_on_under_a_name_that_is_not_a_tool(
    server: ScriptedServer, way: str
) -> None:
    made = ask(server, way, says(None, [call("get_weather", '{"city": "Os', "a")], finish="length"))
    ((name, arguments),) = made.calls
    assert (name, made.ids) == ("refused_get_weather", ["a"])
    assert json.loads(arguments)["arguments"] == '{"city": "Os'
    assert "cut off" in json.loads(arguments)["reason"]
    assert made.finish == "length"
    (refusal,) = made.report.refusals
    assert (refusal.id, refusal.code) == ("a", "truncated")
    assert "cut off after 12 characters" in refusal.message


@every_way
def test_the_last_call_of_a_cut_reply_is_refused_though_it_looks_whole(
    server: ScriptedServer, way: str
) -> None:
    """A server may close what was cut; `ChatLoop` does the same."""
    calls = [call("get_weather", OSLO, "a"), call("get_weather", '{"city": "Rome"}', "b")]
    made = ask(server, way, says(None, calls, finish="length"))
    assert [name for name, _ in made.calls] == ["get_weather", "refused_get_weather"]
    assert [one.id for one in made.report.refusals] == ["b"]
    assert "token limit" in made.report.refusals[0].message


@every_way
def test_an_unknown_tool_is_refused_and_listed(server: ScriptedServer, way: str) -> None:
    made = ask(server, way, says(None, [call("get_climate", OSLO, "a")]))
    assert [name for name, _ in made.calls] == ["refused_get_climate"]
    refusal = made.report.refusal("a")
    assert refusal is not None
    assert refusal.code == "unknown_tool"
    assert "get_weather" in refusal.message


@every_way
def test_two_readings_are_refused(server: ScriptedServer, way: str) -> None:
    both = '{"city": "Oslo"}{"city": "Rome"}'
    made = ask(server, way, says(None, [call("get_weather", both, "a")]))
    assert [name for name, _ in made.calls] == ["refused_get_weather"]
    assert [one.code for one in made.report.refusals] == ["ambiguous"]


@every_way
def test_text_around_a_call_is_kept(server: ScriptedServer, way: str) -> None:
    made = ask(server, way, says(f"I will look.\n{TEXT_CALL}"))
    assert (made.content or "").strip() == "I will look."
    assert made.report.origin == "hermes_json"


@every_way
def test_several_calls_in_the_text_come_in_their_order_with_their_own_ids(
    server: ScriptedServer, way: str
) -> None:
    made = ask(server, way, says(TEXT_CALL + "\n" + TEXT_CALL.replace("Oslo", "Rome")))
    assert [json.loads(text)["city"] for _, text in made.calls] == ["Oslo", "Rome"]
    assert len(set(made.ids)) == 2


@every_way
def test_the_ids_of_a_conversation_are_unique(server: ScriptedServer, way: str) -> None:
    earlier = {"role": "assistant", "tool_calls": [call("now", "{}", "call_0")]}
    result = {"role": "tool", "tool_call_id": "call_0", "content": "noon"}
    answer = says(
        None, [call("now", "{}", "call_0"), call("now", "{}", "b"), call("now", "{}", "b")]
    )
    made = ask(server, way, answer, messages=[*MESSAGES, earlier, result])
    assert made.ids[1] == "b"
    assert len({*made.ids, "call_0"}) == 4


@every_way
@pytest.mark.parametrize(
    "text",
    [
        "It is sunny.",
        "Use `<tool_call>` to call.",
        '{"city": "Oslo"}',
        "<think>Hm.</think>\nHello.",
        "a <tool b",
        "",
    ],
)
def test_an_answer_without_a_call_is_left_alone(
    server: ScriptedServer, way: str, text: str
) -> None:
    made = ask(server, way, says(text))
    assert (made.content or "", made.calls, made.finish) == (text, [], "stop")
    assert made.report == Report()


@every_way
def test_nothing_is_found_in_the_text_when_tools_are_ruled_out(
    server: ScriptedServer, way: str
) -> None:
    made = ask(server, way, says(TEXT_CALL), tool_choice="none")
    assert (made.content, made.calls) == (TEXT_CALL, [])


@every_way
def test_without_tools_nothing_is_touched(server: ScriptedServer, way: str) -> None:
    made = ask(server, way, says(TEXT_CALL, [call("f", "{'x': 1}", "a")]), tools=openai.omit)
    assert (made.content, made.calls) == (TEXT_CALL, [("f", "{'x': 1}")])


@every_way
def test_native_calls_win_over_text(server: ScriptedServer, way: str) -> None:
    made = ask(server, way, says(TEXT_CALL, [call("now", "{}", "a")]))
    assert (made.content, made.calls) == (TEXT_CALL, [("now", "{}")])


@every_way
def test_a_tool_without_arguments_may_be_called_with_none(server: ScriptedServer, way: str) -> None:
    assert ask(server, way, says(None, [call("now", "", "a")])).calls == [("now", "{}")]


@every_way
def test_wrong_content_types_do_not_matter(server: ScriptedServer, way: str) -> None:
    def answer(request: dict[str, Any]) -> Answer:
        made = says(TEXT_CALL)
        assert callable(made)
        found = made(request)
        if not request.get("stream"):
            return found
        return Answer(found.parts, content_type="text/plain; charset=utf-8")

    assert ask(server, way, answer).calls == [("get_weather", OSLO)]


# ── what only a plain completion can be ──────────────────────────────────────


def plain(server: ScriptedServer, *choices: Any, **options: Any) -> Any:
    server.play(completion(*choices))
    with OpenAI(base_url=server.url, api_key="none", max_retries=0) as bare:
        return wrap(bare, **options).chat.completions.create(
            model="m", messages=MESSAGES, tools=TOOLS
        )


def test_arguments_that_are_null_or_an_object_are_repaired(server: ScriptedServer) -> None:
    entries = [
        {"id": "a", "type": "function", "function": {"name": "now", "arguments": None}},
        {
            "id": "b",
            "type": "function",
            "function": {"name": "get_weather", "arguments": {"city": "Oslo"}},
        },
    ]
    made = plain(
        server,
        {
            "message": {"role": "assistant", "content": None, "tool_calls": entries},
            "finish_reason": "stop",
        },
    )
    calls = made.choices[0].message.tool_calls
    assert [c.function.arguments for c in calls] == ["{}", OSLO]


def test_fields_that_the_client_does_not_know_are_kept(server: ScriptedServer) -> None:
    entry = {**call("get_weather", "{'city': 'Oslo'}", "a"), "extra_content": {"signature": "s"}}
    message = {
        "role": "assistant",
        "content": None,
        "reasoning_content": "Hm.",
        "tool_calls": [entry],
    }
    made = plain(server, {"message": message, "finish_reason": "tool_calls"})
    assert made.choices[0].message.reasoning_content == "Hm."
    assert made.choices[0].message.tool_calls[0].extra_content == {"signature": "s"}


def test_each_choice_has_its_own_report(server: ScriptedServer) -> None:
    texts = [TEXT_CALL, "Hello.", TEXT_CALL.replace("city", "town")]
    made = plain(
        server,
        *({"message": {"role": "assistant", "content": t}, "finish_reason": "stop"} for t in texts),
    )
    assert [len(choice.zkit.calls) for choice in made.choices] == [1, 0, 0]
    assert [len(choice.zkit.refusals) for choice in made.choices] == [0, 0, 1]
    assert (len(made.zkit.calls), len(made.zkit.refusals)) == (1, 1)
    assert made.choices[2].message.content == texts[2]


def test_the_report_is_not_part_of_what_is_dumped(server: ScriptedServer) -> None:
    made = plain(
        server, {"message": {"role": "assistant", "content": TEXT_CALL}, "finish_reason": "stop"}
    )
    assert "zkit" not in made.model_dump()
    assert type(made) is openai.types.chat.ChatCompletion
    assert type(made.choices[0].message) is openai.types.chat.ChatCompletionMessage
    kind = openai.types.chat.ChatCompletionMessageFunctionToolCall
    calls: Any = made.choices[0].message.tool_calls
    assert [type(one) for one in calls] == [kind]
    made.model_validate(made.model_dump(), strict=True)


def test_a_valid_completion_is_the_object_that_the_client_made(server: ScriptedServer) -> None:
    spaced = '{ "city" :"Oslo"}'
    message = {
        "role": "assistant",
        "content": None,
        "tool_calls": [call("get_weather", spaced, "a")],
    }
    made = plain(server, {"message": message, "finish_reason": "tool_calls"})
    assert made.choices[0].message.tool_calls[0].function.arguments == spaced
    assert made.zkit.calls[0].rank is Rank.EXACT


def test_a_finish_reason_that_promises_calls_is_put_right(server: ScriptedServer) -> None:
    made = plain(
        server,
        {"message": {"role": "assistant", "content": "Done."}, "finish_reason": "tool_calls"},
    )
    assert made.choices[0].finish_reason == "stop"


def test_a_lower_limit_is_kept(server: ScriptedServer) -> None:
    entry = call("get_weather", "{'city': 'Oslo'}", "a")
    choice = {
        "message": {"role": "assistant", "content": None, "tool_calls": [entry]},
        "finish_reason": "tool_calls",
    }
    assert plain(server, choice, limit=Rank.UNWRAP).zkit.refusals


def test_nothing_is_guessed_beyond_the_limit(server: ScriptedServer) -> None:
    entry = call("get_weather", '{"city": "the "old" town"}', "a")
    choice = {
        "message": {"role": "assistant", "content": None, "tool_calls": [entry]},
        "finish_reason": "tool_calls",
    }
    assert plain(server, choice, limit=Rank.COMPLETE).zkit.refusals
    assert plain(server, choice).zkit.calls[0].rank is Rank.GUESS


def get_weather(city: str) -> str:
    """Tell the weather."""
    return city


def test_a_declared_grade_sets_how_far_a_call_may_be_repaired(server: ScriptedServer) -> None:
    fenced = {"role": "assistant", "content": f'{{"name": "get_weather", "arguments": {OSLO}}}'}
    choice = {"message": fenced, "finish_reason": "stop"}
    assert plain(server, choice, tools=[tool(grade=READ)(get_weather)]).zkit.calls
    assert plain(server, choice, tools=[tool(get_weather)]).zkit.calls
    assert plain(server, choice, tools=[tool(grade=WRITE)(get_weather)]).zkit.calls


# ── the rest of the client ───────────────────────────────────────────────────


def test_the_client_that_was_passed_in_stays_as_it_is(server: ScriptedServer) -> None:
    with OpenAI(base_url=server.url, api_key="none") as bare:
        wrapped = wrap(bare)
        assert type(wrapped) is OpenAI
        server.play(says(TEXT_CALL))
        made = bare.chat.completions.create(model="m", messages=MESSAGES, tools=TOOLS)
        assert made.choices[0].message.content == TEXT_CALL
        assert not hasattr(made, "zkit")
        assert [model.id for model in wrapped.models.list()] == ["scripted"]


def test_a_client_with_other_options_is_wrapped_too(server: ScriptedServer) -> None:
    with OpenAI(base_url=server.url, api_key="none") as bare:
        server.play(says(TEXT_CALL), says(TEXT_CALL))
        for other in (wrap(bare).with_options(timeout=5), wrap(bare).copy(max_retries=0)):
            made = other.chat.completions.create(model="m", messages=MESSAGES, tools=TOOLS)
            assert made.choices[0].message.tool_calls


def test_a_raw_response_passes(server: ScriptedServer) -> None:
    with OpenAI(base_url=server.url, api_key="none") as bare:
        server.play(says("Hello."))
        raw = wrap(bare).chat.completions.with_raw_response.create(
            model="m", messages=MESSAGES, tools=TOOLS
        )
        assert raw.status_code == 200
        assert raw.parse().choices[0].message.content == "Hello."


def test_the_streaming_helper_of_the_client_sees_repaired_chunks(server: ScriptedServer) -> None:
    with OpenAI(base_url=server.url, api_key="none") as bare:
        server.play(says(TEXT_CALL))
        with wrap(bare).chat.completions.stream(
            model="m", messages=MESSAGES, tools=TOOLS
        ) as events:
            made = events.get_final_completion()
        calls = made.choices[0].message.tool_calls
        assert calls is not None
        assert calls[0].function.arguments == OSLO


def test_a_stream_is_still_the_clients_stream(server: ScriptedServer) -> None:
    with OpenAI(base_url=server.url, api_key="none") as bare:
        server.play(says("Hello."))
        made = wrap(bare).chat.completions.create(
            model="m", messages=MESSAGES, tools=TOOLS, stream=True
        )
        assert isinstance(made, openai.Stream)
        with made as events:
            first = next(events)
            rest = list(events)
        assert isinstance(first, openai.types.chat.ChatCompletionChunk)
        assert made.response.status_code == 200
        assert rest[-1].usage


def test_errors_of_the_client_pass(server: ScriptedServer) -> None:
    server.play(error(429, "slow down", {"Retry-After": "1"}))
    with (
        OpenAI(base_url=server.url, api_key="none", max_retries=0) as bare,
        pytest.raises(openai.RateLimitError),
    ):
        wrap(bare).chat.completions.create(model="m", messages=MESSAGES, tools=TOOLS)


def test_what_is_no_client_is_refused() -> None:
    with pytest.raises(TypeError, match=r"chat\.completions\.create"):
        wrap(object())


# ── streams that misbehave ───────────────────────────────────────────────────


def streamed(server: ScriptedServer, answer: Answer) -> Outcome:
    server.play(answer)
    return ask_sync(server.url, True)


def entry(
    index: int | None, id: str | None, name: str | None, arguments: str | None
) -> dict[str, Any]:
    function = {k: v for k, v in {"name": name, "arguments": arguments}.items() if v is not None}
    made = {"index": index, "id": id, "function": function}
    return {"tool_calls": [{k: v for k, v in made.items() if v is not None}]}


@pytest.mark.parametrize(
    "deltas",
    [
        [entry(0, "a", "get_weather", OSLO), entry(0, "b", "now", "{}")],
        [entry(0, None, "get_weather", OSLO), entry(0, None, "now", "{}")],
        [entry(0, "a", None, OSLO), entry(0, "a", "get_weather", None), entry(1, "b", "now", "")],
        [entry(None, None, "get_weather", OSLO), entry(None, None, "now", "{}")],
        [entry(0, "a", "get_weather", OSLO + "{}"), entry(1, "b", "now", "")],
        [
            entry(1, "b", "get_weather", None),
            entry(1, None, None, OSLO),
            entry(0, "a", "now", "{}"),
        ],
    ],
)
def test_deltas_in_any_disorder_become_two_calls(server: ScriptedServer, deltas: list[Any]) -> None:
    made = streamed(server, stream(deltas, finish="tool_calls"))
    assert made.calls == [("get_weather", OSLO), ("now", "{}")]
    assert len(set(made.ids)) == 2


def test_a_stream_without_a_finish_reason_gets_one_with_its_calls(server: ScriptedServer) -> None:
    made = streamed(server, stream([entry(0, "a", "now", "{}")], finish=None, usage=None))
    assert (made.calls, made.finish) == ([("now", "{}")], "tool_calls")


def test_a_stream_without_done_ends(server: ScriptedServer) -> None:
    assert streamed(server, stream([{"content": TEXT_CALL}], done=False)).calls


def test_slow_bytes_change_nothing(server: ScriptedServer) -> None:
    answer = stream([{"content": piece} for piece in (TEXT_CALL[:20], TEXT_CALL[20:])], pause=0.02)
    assert streamed(server, answer).calls == [("get_weather", OSLO)]


def test_a_connection_that_drops_raises_as_before_and_loses_no_text(server: ScriptedServer) -> None:
    server.play(
        stream(
            [{"content": "See: "}, {"content": "<tool_call>{"}],
            finish=None,
            usage=None,
            done=False,
            breaks_off=True,
        )
    )
    with OpenAI(base_url=server.url, api_key="none", max_retries=0) as bare:
        made = wrap(bare).chat.completions.create(
            model="m", messages=MESSAGES, tools=TOOLS, stream=True
        )
        came: list[str] = []
        with pytest.raises(
            Exception, match=r"closed|Connection"
        ):  # openai 2 lets httpx's error pass
            came.extend(chunk.choices[0].delta.content or "" for chunk in made)
    assert "".join(came) == "See: <tool_call>{"


def test_an_error_inside_a_stream_raises_as_before(server: ScriptedServer) -> None:
    server.play(raw_stream([{"error": {"message": "failed to parse tool call arguments"}}]))
    with OpenAI(base_url=server.url, api_key="none", max_retries=0) as bare:
        made = wrap(bare).chat.completions.create(
            model="m", messages=MESSAGES, tools=TOOLS, stream=True
        )
        with pytest.raises(openai.APIError, match="failed to parse"):
            list(made)


@pytest.mark.parametrize("name", ["get_weather", "getWeather"])
def test_a_name_in_another_spelling_loses_neither_the_receipt_nor_the_limit(
    server: ScriptedServer, name: str
) -> None:
    """A guess that a writing tool must not run with is no better for a misspelt name."""
    text = f'<tool_call>{{"name": "{name}", "arguments": {{"city": "the "big" town"}}}}</tool_call>'
    guessed = {"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    read = plain(server, guessed, tools=[tool(grade=READ)(get_weather)]).zkit
    assert "escape_inner_quote" in [fix.name for fix in read.fixes]
    assert not plain(server, guessed, tools=[tool(grade=WRITE)(get_weather)]).zkit.calls
