"""The text of a reply comes out the same in any chunks, and nothing of it is lost."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from zkit.chat.call_checker import CallChecker, Rules
from zkit.chat.client.text_calls import TextCalls, TextEnd

TOOLS = [
    {
        "type": "function",
        "function": {
            "name": name,
            "parameters": {"type": "object", "properties": {"city": {"type": "string"}}},
        },
    }
    for name in ("get_weather", "at", "maps.find")
]
WORDS = [
    "Oslo", " is", " fine", " ", "\n", "\n\n", "get", "_weather", "get_weather", "at", " maps", ".find", "(", ")", "city", '="Oslo"',
    "<tool_call>", "</tool_call>", '{"name": "get_weather", "arguments": {"city": "Oslo"}}', "<think>", "</think>", "`", "```", "Action:",
    "<", "|", "Thought:", "[", "]", ",", '"', "> ", "- ", "getaway", "ma", "User:", "{", "é", "\u200b",
]  # fmt: skip
CHUNKS = st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map("".join))


def read(chunks: list[str], finish: str | None) -> tuple[list[str], TextEnd]:
    """What is shown after each chunk, and the end."""
    reader = TextCalls(CallChecker.of(TOOLS, Rules()))
    shown = [reader.feed(chunk) for chunk in chunks]
    assert reader.whole() == "".join(chunks)
    return shown, reader.close(finish, native=False)


def without_ids(end: TextEnd) -> str:
    """An end as text, without the ids that are made at random."""
    calls = [(call.name, call.arguments, call.span) for call in end.calls]
    return repr((calls, end.refusals, [one.call.name for one in end.doubtful]))


@given(CHUNKS, st.sampled_from([None, "stop", "length"]))
@example(["Now", ". ", "<tool", "_call>"], "stop")
@example(["The ", "weather", " at ", "noon"], "stop")
def test_a_streamed_text_ends_as_the_whole_one(chunks: list[str], finish: str | None) -> None:
    shown, end = read(chunks, finish)
    text = "".join(chunks)
    whole = TextCalls(CallChecker.of(TOOLS, Rules())).close(finish, native=False, last=text)
    assert "".join(shown) + end.rest == whole.rest
    assert without_ids(end) == without_ids(whole)


@given(CHUNKS)
def test_a_broken_stream_loses_no_text(chunks: list[str]) -> None:
    reader = TextCalls(CallChecker.of(TOOLS, Rules()))
    shown = "".join([reader.feed(chunk) for chunk in chunks])
    assert shown + reader.abandon() == "".join(chunks)


@pytest.mark.parametrize("first", [True, 1, 1.0])
def test_tools_that_differ_only_in_the_type_of_a_value_are_not_mixed_up(first: object) -> None:
    for value in (first, True, 1, 1.0):
        schema = {"type": "object", "properties": {"n": {"enum": [value]}}}
        checker = CallChecker.of([{"name": "f", "parameters": schema}], Rules())
        (kept,) = checker.declared.offers["f"].parameters["properties"]["n"]["enum"]
        assert type(kept) is type(value)


def test_a_change_of_a_tool_after_a_request_is_seen_by_the_next() -> None:
    tool = {"name": "f", "parameters": {"type": "object", "properties": {"a": {}}}}
    tools = [tool]
    assert "f" in CallChecker.of(tools, Rules()).names
    tool["name"] = "g"
    assert CallChecker.of(tools, Rules()).names == ("g",)
    tools = [{**tool, "name": "f"}]
    assert CallChecker.of(tools, Rules()).names == ("f",)
