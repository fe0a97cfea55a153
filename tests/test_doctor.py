"""The doctor finds what is wrong with a server, and nothing where nothing is."""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass
from typing import Any

import pytest
from openai import OpenAI

from zkit.calls import Call
from zkit.chat import ChatLoop, Profile, wrap
from zkit.doctor import (
    PROBES,
    QUESTIONS,
    Connection,
    Examination,
    Finding,
    Minimized,
    Question,
    as_curl,
    minimize,
    requests_of,
    selected,
)
from zkit.extract import render_call
from zkit.grade import READ
from zkit.testing import (
    MISBEHAVIOURS,
    SHORTCOMINGS,
    Answer,
    Misbehaviour,
    Request,
    Said,
    Script,
    ScriptedServer,
    call,
    error,
    says,
)
from zkit.tools import tool


def asked(request: Request) -> Question:
    """The question that a request asks, with whatever settings."""
    said = json.dumps(request["messages"])
    return next(
        ask
        for ask in QUESTIONS.values()
        if not ask.is_wrong and json.dumps(first_words(ask))[1:-1] in said
    )


def first_words(ask: Question) -> str:
    return next(str(m["content"]) for m in reversed(ask.messages) if m["role"] == "user")


def good_model(request: Request) -> Said:
    """A model that does what it is asked, natively or in text."""
    ask = asked(request)
    if ask.name == "cut":
        return says("I shall save this n", finish="length")
    if not ask.wants:
        return says(f"Well, that is {ask.says}.")
    if ask.name in ("required", "named"):
        return says(calls=[call("get_weather", {"city": "Oslo"}, "id1")])
    wanted = [(name, dict(arguments)) for name, arguments in ask.wants]
    if request.get("parallel_tool_calls") is False:
        wanted = wanted[:1]
    if request.get("tools"):
        return says(calls=[call(n, a, f"id{at}") for at, (n, a) in enumerate(wanted)])
    prompt = request["messages"][0]["content"]
    taught = "json_object_fenced" if "```" in prompt else "hermes_json"
    return says(render_call([Call(name, arguments) for name, arguments in wanted], taught))


def served(script: Script) -> Script:
    """A server that refuses what makes no sense, and otherwise does what it does."""

    def answer(request: Request) -> Answer:
        if any(message["role"] == "nobody" for message in request["messages"]):
            return error(400, "unknown role: nobody")
        return script(request) if callable(script) else script

    return answer


@dataclass(frozen=True)
class Examined:
    """The outcome of an examination."""

    findings: dict[str, Finding]
    profile: Profile
    sent: int
    usable: bool

    @property
    def wrong(self) -> dict[str, str]:
        return {
            name: f"{one.verdict.status}: {one.verdict.evidence} [{one.verdict.by}]"
            for name, one in self.findings.items()
            if one.verdict.status not in ("ok", "skipped")
        }


def examined(script: Script, *only: str) -> Examined:
    with (
        ScriptedServer(then=served(script)) as server,
        OpenAI(base_url=server.url, api_key="none", max_retries=0) as client,
    ):
        connection = Connection(client, "scripted", 10)
        examination = Examination(connection, server.url)
        findings = {one.probe.name: one for one in examination.run(selected(only))}
        usable = examination.is_usable(list(findings.values()))
        return Examined(findings, examination.profile, connection.sent, usable)


def test_nothing_is_wrong_with_a_server_that_behaves() -> None:
    found = examined(good_model_as_script)
    assert found.wrong == {}
    assert found.usable
    assert [n for n, f in found.findings.items() if f.verdict.status == "skipped"] == []
    assert found.sent == requests_of(list(PROBES.values())) == len(QUESTIONS)
    assert found.profile.server_settings() == {**Profile().server_settings(), "mode": "native"}


def good_model_as_script(request: Request) -> Answer:
    return good_model(request)(request)


FOUND_BY = {
    "numbers_as_text": "scalars",
    "null_arguments": "arguments_as_text",
    "empty_arguments": "empty_arguments",
    "object_arguments": "arguments_as_text",
    "no_type": "call_type",
    "thinking_in_text": "reasoning",
    "arguments_ran_together": "stream_parallel",
    "whole_calls": "stream_deltas",
    "usage_with_every_chunk": "stream_usage",
    "no_usage": "stream_usage",
    "no_done": "stream_end",
    "empty_choices_first": "stream_opening",
    "comments_in_the_stream": "stream_lines",
    "crlf": "stream_lines",
    "single_bytes": "stream_pieces",
    "slow_bytes": "whole_body",
    "wrong_content_type": "content_type",
    "no_finish_reason": "finish_reason",
    "calls_ended_by_stop": "finish_reason",
    "answer_ended_by_calls": "finish_reason",
}
"""The probe that names a misbehaviour, where it is none of those below."""
BY_NAME = {"ids": "call_ids", "reasoning_as": "reasoning"}
BY_KIND = {"stream": "stream_parts", "wire": "steady"}


def probe_for(spoilt: Misbehaviour) -> str:
    """The probe that is there to find it."""
    by_name = (probe for part, probe in BY_NAME.items() if part in spoilt.name)
    usual = BY_KIND.get(spoilt.kind, "native_call")
    if spoilt.name == "fresh_ids":
        return usual
    return FOUND_BY.get(spoilt.name) or next(by_name, usual)


@pytest.mark.parametrize("spoilt", MISBEHAVIOURS.values(), ids=lambda one: one.name)
def test_every_misbehaviour_is_found(spoilt: Misbehaviour) -> None:
    found = examined(spoilt.server_of(good_model))
    assert probe_for(spoilt) in found.wrong, (spoilt.does, found.wrong)
    assert found.usable
    assert sum(text.startswith("open") for text in found.wrong.values()) <= 1


SETTINGS: dict[str, dict[str, Any]] = {
    "no_tools": {"mode": "text"},
    "deaf_to_tools": {"mode": "text"},
    "needs_tool_choice": {"tool_choice": "auto"},
    "refuses_schemas": {"dialect": "portable"},
    "loses_schemas": {"dialect": "portable"},
    "no_streams": {"stream": False},
    "empty_streams": {"stream": False},
    "no_stream_options": {"stream_usage": False},
    "no_system_role": {"system": False},
    "no_reasoning_back": {"replay_reasoning": False},
    "few_tools": {"max_tools": 16},
    "merges_calls": {"parallel": False},
    "reasoning_as_musings": {"reasoning": "musings"},
}

every_shortcoming = pytest.mark.parametrize(
    "spoilt", SHORTCOMINGS.values(), ids=lambda one: one.name
)


@every_shortcoming
def test_every_shortcoming_is_found_and_the_setting_that_covers_it(spoilt: Misbehaviour) -> None:
    found = examined(spoilt.server_of(good_model))
    assert found.usable
    assert not [text for text in found.wrong.values() if text.startswith("open")]
    usual = {**Profile().server_settings(), "mode": found.profile.mode}
    changed = {k: v for k, v in found.profile.server_settings().items() if v != usual[k]}
    expected = dict(SETTINGS[spoilt.name])
    assert found.profile.mode == expected.pop("mode", found.profile.mode)
    assert changed == expected


def troubles(client: OpenAI, profile: Profile | None) -> list[str]:
    """The questions that a wrapped client gets a wrong answer to, or none."""
    wrapped = wrap(client, profile=profile)
    found = []
    for ask in QUESTIONS.values():
        if ask.is_wrong or ask.name in ("cut", "text_call", "required", "named", "replay"):
            continue
        try:
            calls, text = asked_for(wrapped, ask)
        except Exception as failure:
            found.append(f"{ask.name}: {failure}")
            continue
        wanted = [(name, dict(arguments)) for name, arguments in ask.wants]
        most = wanted[:1] if profile is not None and not profile.parallel else wanted
        if calls != most or ask.says not in text:
            found.append(f"{ask.name}: {calls} {text}")
    return found


def asked_for(client: Any, ask: Question) -> tuple[list[tuple[str, Any]], str]:
    """The calls and the text that a client returns."""
    streaming = {"stream": True, "stream_options": {"include_usage": True}} if ask.stream else {}
    request = {"messages": list(ask.messages), "tools": list(ask.tools), **ask.options}
    if not ask.tools:
        del request["tools"]
    made = client.chat.completions.create(model="m", **request, **streaming)
    if not ask.stream:
        return runnable(made.zkit.calls), made.choices[0].message.content or ""
    pieces = [one.delta.content or "" for chunk in made for one in chunk.choices]
    return runnable(made.zkit.calls), "".join(pieces)


def runnable(calls: Any) -> list[tuple[str, Any]]:
    return [(one.name, one.arguments) for one in calls]


@every_shortcoming
def test_with_the_profile_a_wrapped_client_gets_what_it_did_not_get_without(
    spoilt: Misbehaviour,
) -> None:
    if spoilt.name in ("few_tools", "no_reasoning_back", "reasoning_as_musings"):
        pytest.skip("wrap hides no tools, and leaves reasoning to its caller")
    script = served(spoilt.server_of(good_model))
    profile = examined(spoilt.server_of(good_model)).profile
    with (
        ScriptedServer(then=script) as server,
        OpenAI(base_url=server.url, api_key="none", max_retries=0) as client,
    ):
        assert troubles(client, None) != []
        assert troubles(client, profile) == []


def weather_then_answer(request: Request) -> Said:
    """A model that asks for the weather and then tells it, with the reasoning that it had."""
    said = json.dumps(request["messages"])
    if "sunny in Oslo" in said:
        return says("It is sunny.")
    if request.get("tools"):
        return says(calls=[call("a_weather", {"city": "Oslo", "unit": None}, "id1")],
                    reasoning_content="I must look.")  # fmt: skip
    return says(render_call(Call("a_weather", {"city": "Oslo", "unit": None}), "hermes_json"))


def tools_of_the_loop() -> list[Any]:
    @tool(grade=READ)
    def a_weather(city: str, unit: str | None) -> str:
        """Tell the weather in a city."""
        return f"sunny in {city}"

    def numbered(number: int) -> Any:
        def one() -> str:
            """Turn a knob."""
            return str(number)

        one.__name__ = f"knob_{number}"
        return tool(grade=READ)(one)

    return [a_weather, *map(numbered, range(20))]


@every_shortcoming
def test_with_the_profile_a_loop_succeeds_where_it_failed(spoilt: Misbehaviour) -> None:
    if spoilt.name in ("merges_calls", "reasoning_as_musings"):
        pytest.skip("no answer is lost by it")
    profile = examined(spoilt.server_of(good_model)).profile
    reasons = []
    for given in ({"mode": "native"}, {"profile": profile}):
        with (
            ScriptedServer(then=spoilt.server_of(weather_then_answer)) as server,
            OpenAI(base_url=server.url, api_key="none", max_retries=0) as client,
        ):
            loop = ChatLoop(
                client, "m", tools_of_the_loop(), system="Be brief.", fit="weights",
                backoff=0.0, **given,
            )  # fmt: skip
            *_, last = loop.stream_sync("Weather in Oslo?")
            result: Any = last.result  # type: ignore[attr-defined]
            ran = [one.call.name for one in result.calls]
            reasons.append(result.text == "It is sunny." and ran == ["a_weather"])
    assert reasons == [False, True]


# parts


def test_probes_are_chosen_by_pattern() -> None:
    assert [probe.name for probe in selected(["enum", "stream_u*"])] == ["enum", "stream_usage"]
    assert len(selected([])) == len(PROBES) >= 30
    found = examined(good_model_as_script, "enum", "scalars")
    assert (list(found.findings), found.sent) == (["scalars", "enum"], 2)


def test_every_probe_says_what_it_is_for() -> None:
    for probe in PROBES.values():
        assert probe.shows
        assert probe.judged
        assert set(probe.questions) <= set(QUESTIONS)
        for remedy in probe.remedies:
            Profile(**remedy)


def test_options_that_a_server_refuses_are_left_out_or_renamed() -> None:
    def picky(request: Request) -> Answer:
        for name in ("temperature", "max_tokens"):
            if name in request:
                return error(400, f"Unsupported parameter: '{name}'")
        assert request["max_completion_tokens"] <= 256
        return good_model(request)(request)

    assert examined(picky).wrong == {}


def test_a_server_that_never_answers_is_not_usable() -> None:
    found = examined(error(401, "no key"), "answer", "native_call")
    assert not found.usable
    assert found.wrong["answer"].startswith("open: 401: no key")


def test_an_answer_that_does_not_end_is_given_up() -> None:
    def endless(request: Request) -> Answer:
        parts = tuple(b" " * 10 for _ in range(200))
        return Answer(parts, pause=0.02)

    with (
        ScriptedServer(then=endless) as server,
        OpenAI(base_url=server.url, api_key="none", max_retries=0) as client,
    ):
        connection = Connection(client, "scripted", 0.3)
        [finding] = Examination(connection).run(selected(["answer"]))
    assert finding.verdict.status == "timeout"
    assert "no answer in time" in finding.verdict.evidence


def test_a_timeout_is_no_verdict_and_no_setting_is_tried_because_of_it() -> None:
    def slow_with_tools(request: Request) -> Answer:
        if request.get("tools"):
            return Answer(tuple(b" " for _ in range(100)), pause=0.05)
        return good_model_as_script(request)

    with (
        ScriptedServer(then=slow_with_tools) as server,
        OpenAI(base_url=server.url, api_key="none", max_retries=0) as client,
    ):
        connection = Connection(client, "scripted", 0.3)
        examination = Examination(connection)
        findings = list(examination.run(selected(["answer", "native_call", "time"])[:2]))
    assert [one.verdict.status for one in findings] == ["ok", "timeout"]
    assert (connection.sent, examination.failures) == (2, {})
    assert not examination.is_usable(findings)


@pytest.mark.parametrize(
    ("reply", "how"),
    [
        ('{"name": "get_weather", "arguments": {"city": "Lima"}}', "alone"),
        ('```json\n{"name": "get_weather", "arguments": {"city": "Lima"}}\n```', "alone"),
        ('{{"name": "get_weather", "arguments": {"city": "Lima"}}}', "alone"),
        ('Here it is:\n{"name": "get_weather", "arguments": {"city": "Lima"}}', "shape"),
        ('<tool_call>\n{"name": "get_weather", "arguments": {"city": "Lima"}}', "marker"),
        ('{"name": "get_weather", "arguments": {"city": "Lima"}}\nI looked it up.', "followed"),
    ],
)
def test_the_reply_shapes_of_small_models_are_covered(reply: str, how: str) -> None:
    def small(request: Request) -> Answer:
        return says(reply)(request)

    found = examined(small, "native_call")
    assert found.usable
    verdict = found.findings["native_call"].verdict
    assert (verdict.status, found.sent) == ("covered", 1)
    assert how in verdict.by


# the smallest request that fails


def smallest(script: Script, probe: str) -> tuple[Minimized, int]:
    with (
        ScriptedServer(then=served(script)) as server,
        OpenAI(base_url=server.url, api_key="none", max_retries=0) as client,
    ):
        connection = Connection(client, "scripted", 10)
        examination = Examination(connection, server.url)
        list(examination.run(selected([probe])))
        before = connection.sent
        found = minimize(connection, PROBES[probe], examination.failures[probe])
        return found, connection.sent - before


def test_a_refused_request_shrinks_to_the_keyword_that_is_refused() -> None:
    def no_const(request: Request) -> Answer:
        if '"const"' in json.dumps(request.get("tools", [])):
            return error(400, "unknown keyword 'const' at position 17")
        return good_model_as_script(request)

    found, sent = smallest(no_const, "const")
    assert (found.is_steady, found.is_finished, found.sent) == (True, True, sent)
    assert "unknown keyword" in found.evidence
    [tool] = found.request.pop("tools")
    assert found.request == {
        "model": "scripted",
        "messages": [{"role": "user"}],
    }
    assert tool == {"function": {"parameters": {"properties": {"kind": {"const": "post"}}}}}


def test_a_wrong_answer_shrinks_without_losing_the_question() -> None:
    def confused_by_many(request: Request) -> Answer:
        if len(request.get("tools", [])) > 9:
            return says("I do not know.")(request)
        return good_model_as_script(request)

    found, _ = smallest(confused_by_many, "many_tools")
    tools = found.request["tools"]
    assert len(tools) == 10
    assert tools[-1]["function"]["name"] == "get_weather"
    assert "city" in tools[-1]["function"]["parameters"]["properties"]
    assert found.request["messages"] == list(QUESTIONS["many"].messages)


def test_a_request_that_fails_only_once_is_not_minimized() -> None:
    seen: list[Request] = []

    def unsteady(request: Request) -> Answer:
        seen.append(request)
        if len(seen) <= 2 and request.get("tools"):
            return error(400, "busy")
        return good_model_as_script(request)

    found, sent = smallest(unsteady, "native_call")
    assert (found.is_steady, sent) == (False, 1)


def test_the_curl_command_sends_the_request_and_shows_no_key() -> None:
    request = {"model": "m", "messages": [{"role": "user", "content": "it's"}]}
    words = shlex.split(as_curl("http://localhost:1/v1/", request))
    assert words[:3] == ["curl", "-s", "http://localhost:1/v1/chat/completions"]
    assert json.loads(words[-1]) == request
    assert "Authorization: Bearer $OPENAI_API_KEY" in words
