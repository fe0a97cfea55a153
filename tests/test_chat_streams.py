"""A repaired stream gives the same message as the repaired completion, whatever the chunking."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zkit.chat.assembler import Assembler
from zkit.chat.call_checker import CallChecker, Report, Rules
from zkit.chat.client.message_repair import RepairedMessage, repair_message
from zkit.chat.client.stream_repair import StreamRepair
from zkit.chat.wire_data import arguments_of

WEATHER = {
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
CALL = '{"name": "get_weather", "arguments": {"city": "Oslo"}}'
Chunk = dict[str, Any]


def checker() -> CallChecker:
    return CallChecker.of([WEATHER], Rules())


def chunk(delta: Chunk, finish: str | None = None, index: int = 0) -> Chunk:
    return {"id": "c", "choices": [{"index": index, "delta": delta, "finish_reason": finish}]}


def remake(like: Any, data: Chunk) -> Chunk:
    return data


def repaired_stream(chunks: Sequence[Chunk]) -> tuple[list[Chunk], Report]:
    repairer = StreamRepair(checker(), remake)
    out = [made for one in chunks for made in repairer.feed(one)]
    out += repairer.close()
    return out, repairer.report


def message_of(chunks: Sequence[Chunk]) -> tuple[str, list[tuple[str, str]], str | None]:
    made = Assembler(["get_weather"])
    for one in chunks:
        made.add(one)
    reply = made.reply()
    return reply.content, [(call.name, call.arguments) for call in reply.calls], reply.finish_reason


def comparable(repaired: RepairedMessage) -> tuple[str, list[tuple[str, str]], str | None]:
    calls = [
        (entry["function"]["name"], arguments_of(entry["function"]["arguments"]))
        for entry in repaired.message.get("tool_calls") or ()
    ]
    return repaired.message.get("content") or "", calls, repaired.finish_reason


def cut(text: str, rng: random.Random) -> list[str]:
    places = sorted(rng.randint(0, len(text)) for _ in range(rng.randint(0, 12)))
    return [text[a:b] for a, b in zip([0, *places], [*places, len(text)], strict=True)]


PIECES = [
    "Sure, let me look. ", "\n", "  ", "<think>", "I should call it.", "</think>", "<tool_call>\n",
    CALL, "\n</tool_call>", f"<tool_call>{CALL}</tool_call>", f"```json\n{CALL}\n```", "<|im_end|>",
    "<tool_call>{'name': 'get_weather', 'arguments': {'city': 'Rome',}}</tool_call>",
    '<tool_call>{"name": "nope", "arguments": {}}</tool_call>', "a < b", "`<tool_call>`",
    '<tool_call>{"name": "get_weather", "arguments": {"days": 3}}</tool_call>',
    "<|python_tag|>", '[get_weather(city="Bergen")]', '{"name": "get_', "Done.",
    '<tool_response>{"t": 3}</tool_response>', "<|channel|>analysis<|message|>hm<|end|>",
]  # fmt: skip
TEXTS = st.lists(st.sampled_from(PIECES), max_size=6).map("".join)
FINISHES = st.sampled_from(["stop", "length", "tool_calls", None])


@given(text=TEXTS, finish=FINISHES, rng=st.integers(0, 2**32).map(random.Random))
def test_any_chunking_of_a_text_gives_the_message_of_the_whole(
    text: str, finish: str | None, rng: random.Random
) -> None:
    whole = repair_message({"role": "assistant", "content": text}, finish, checker())
    chunks = [chunk({"content": piece}) for piece in cut(text, rng)]
    out, report = repaired_stream([*chunks, *([chunk({}, finish)] if finish else [])])
    content, calls, reason = message_of(out)
    assert (content, calls) == comparable(whole)[:2]
    assert reason == whole.finish_reason
    assert [c.origin for c in report.calls] == [c.origin for c in whole.report.calls]
    assert [r.code for r in report.refusals] == [r.code for r in whole.report.refusals]


@given(text=TEXTS, rng=st.integers(0, 2**32).map(random.Random))
def test_with_native_calls_the_text_stays_as_it_is(text: str, rng: random.Random) -> None:
    entry = {
        "id": "a",
        "type": "function",
        "function": {"name": "get_weather", "arguments": '{"city": "Rome"}'},
    }
    message = {"role": "assistant", "content": text, "tool_calls": [entry]}
    whole = repair_message(message, "tool_calls", checker())
    assert whole.message == message
    chunks = [chunk({"content": piece}) for piece in cut(text, rng)]
    native = chunk({"tool_calls": [{"index": 0, **entry}]})
    chunks.insert(rng.randint(0, len(chunks)), native)
    out, _ = repaired_stream([*chunks, chunk({}, "tool_calls")])
    assert message_of(out) == (text, [("get_weather", '{"city": "Rome"}')], "tool_calls")


@given(text=TEXTS, finish=FINISHES)
def test_repairing_twice_changes_nothing_more(text: str, finish: str | None) -> None:
    once = repair_message({"role": "assistant", "content": text}, finish, checker())
    again = repair_message(once.message, once.finish_reason, checker())
    if once.report.calls and once.finish_reason == "length":
        # The last native call of a cut reply is not run, though it looks whole.
        assert "truncated" in [one.code for one in again.report.refusals]
        assert len(again.report.calls) == len(once.report.calls) - 1
    elif once.report.calls:
        assert (again.message, again.finish_reason) == (once.message, once.finish_reason)


@given(st.text(max_size=200), st.integers(0, 2**32).map(random.Random))
def test_any_text_without_a_call_passes_unchanged(text: str, rng: random.Random) -> None:
    out, report = repaired_stream([chunk({"content": piece}) for piece in cut(text, rng)])
    if not report.calls:
        assert message_of(out)[0] == text


def arrivals(pieces: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The chunks sent so far, and the text received by then."""
    repairer = StreamRepair(checker(), remake)
    sent = came = ""
    for piece in pieces:
        sent += piece
        came += "".join(
            one["choices"][0]["delta"].get("content") or ""
            for one in repairer.feed(chunk({"content": piece}))
        )
        yield sent, came


def test_text_arrives_as_soon_as_it_cannot_be_a_call() -> None:
    text = "The weather in Oslo is fine, and 3 < 4. "
    for sent, came in arrivals(list(text)):
        assert len(sent) - len(came) <= 12


def test_what_may_become_a_call_is_held_back() -> None:
    *_, (_, came) = arrivals(["Let me see. ", "<tool", "_call>", '{"name"'])
    assert came.rstrip() == "Let me see."


def test_reasoning_in_the_text_arrives_while_it_is_written() -> None:
    thought = "<think>" + "I think about the weather. " * 20
    *_, (sent, came) = arrivals([thought[at : at + 5] for at in range(0, len(thought), 5)])
    assert len(sent) - len(came) < 120


def test_chunks_that_need_nothing_pass_as_they_are() -> None:
    chunks = [
        chunk({"role": "assistant", "content": ""}),
        chunk({"content": "Hello, world. "}),
        chunk({}, "stop"),
    ]
    out, _ = repaired_stream(chunks)
    assert [a is b for a, b in zip(out, chunks, strict=True)] == [True] * 3


def test_the_usage_after_the_end_comes_after_the_calls() -> None:
    usage = {"id": "c", "choices": [], "usage": {"total_tokens": 3}}
    out, _ = repaired_stream(
        [chunk({"content": f"<tool_call>{CALL}</tool_call>"}), chunk({}, "stop"), usage]
    )
    assert out[-1] is usage
    assert out[-2]["choices"][0]["finish_reason"] == "tool_calls"
    assert "tool_calls" in out[-3]["choices"][0]["delta"]


def test_usage_on_the_last_chunk_is_given_out_once() -> None:
    last = {**chunk({"content": CALL}, "stop"), "usage": {"total_tokens": 3}}
    out, _ = repaired_stream([last])
    assert [one.get("usage") for one in out if one.get("usage")] == [{"total_tokens": 3}]


def test_parts_of_calls_after_the_finish_reason_still_count() -> None:
    entry = {
        "index": 0,
        "id": "a",
        "function": {"name": "get_weather", "arguments": '{"city": "Oslo"}'},
    }
    out, report = repaired_stream([chunk({}, "stop"), chunk({"tool_calls": [entry]})])
    assert message_of(out)[1:] == ([("get_weather", '{"city": "Oslo"}')], "tool_calls")
    assert len(report.calls) == 1


def test_choices_are_repaired_apart() -> None:
    out, report = repaired_stream(
        [
            chunk({"content": "Hi."}, index=1),
            chunk({"content": f"<tool_call>{CALL}</tool_call>"}),
            chunk({}, "stop", 1),
            chunk({}, "stop"),
        ]
    )
    reasons = {
        c["index"]: c["finish_reason"] for one in out for c in one["choices"] if c["finish_reason"]
    }
    assert reasons == {0: "tool_calls", 1: "stop"}
    assert len(report.calls) == 1


def test_a_broken_stream_gives_the_text_that_was_held_back_and_no_call() -> None:
    repairer = StreamRepair(checker(), remake)
    out = [
        *repairer.feed(chunk({"content": f"See: <tool_call>{CALL}</tool_call>"})),
        *repairer.abandon(),
    ]
    assert message_of(out)[:2] == (f"See: <tool_call>{CALL}</tool_call>", [])


@pytest.mark.parametrize(
    "delta",
    [None, {"content": None}, {"tool_calls": None}, {"content": [{"type": "text", "text": "x"}]}],
)
def test_odd_deltas_pass(delta: Any) -> None:
    out, _ = repaired_stream([chunk(delta), chunk({}, "stop")])
    assert out[-1]["choices"][0]["finish_reason"] == "stop"
