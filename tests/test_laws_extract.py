"""Laws of the extraction, for replies and arguments that nobody wrote down."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
from extract_frames import ASKED, FINAL, FOLLOWED, QUOTED
from extract_samples import HERMES, SEND, TOOLS, joined
from hypothesis import example, given
from hypothesis import strategies as st
from profiles import many
from test_extract import rebuilt

from zkit.calls import Call
from zkit.extract import (
    FORMATS,
    CannotWriteError,
    Extractor,
    events,
    find_calls,
    render_call,
)

PLAIN = st.text(
    alphabet=st.characters(
        codec="utf-8", exclude_categories=["Cc"], exclude_characters="<>[]{}`|✿"
    ),
    min_size=1,
)
ARGUMENTS = st.fixed_dictionaries(
    {"to": PLAIN},
    optional={
        "body": PLAIN.map(lambda text: f"{text}\n{text}"),
        "copies": st.integers(-(10**12), 10**12),
        "urgent": st.booleans(),
        "weight": st.floats(-1e9, 1e9),
        "tags": st.lists(PLAIN, min_size=1, max_size=3),
        "where": st.fixed_dictionaries({"room": PLAIN, "floor": st.integers(0, 9)}),
    },
)
PIECES = st.sampled_from(
    [
        HERMES, SEND, "<tool_call>", "</tool_call>", "<think>", "</think>", "```json\n", "```", "`", "\n", "\n\n", '"',
        "[TOOL_CALLS]", "send_mail", "[ARGS]", '{"to": "ann"}', "{", "}", "[", "]", "(", ")", "'", "Action: send_mail\nAction Input: ",
        "Thought: so\n", "Observation: x\n", "<function=send_mail>", "<parameter=to>", "x</parameter>", "</function>",
        '<invoke name="send_mail">', '<parameter name="to">', "</invoke>", "<send_mail>", "<to>a</to>", "</send_mail>", "> ", "| a ",
        "For example:\n", "I'll do it now. ", "    ", "<|im_end|>", "<|channel|>final<|message|>", "<|end|>", "send_mail(to='x')",
        "✿FUNCTION✿: send_mail\n✿ARGS✿: ", "<|tool_call>call:send_mail{to:", '<|"|>', "}<tool_call|>", "functions.list_mail:\n{}", ">>>list_mail\n{}",
        "<tool_response>", "</tool_response>", "<pre>", "</pre>", "<!--", "-->", "\r\n", "functools[", "<arg_key>to</arg_key>", "<arg_value>",
        "<|message_model|>", "<|content_invoke_tool_json|>", '{"name": "list_mail", "args": {}}', "<|end_message|>", "\n>", ">>", "Plan:\n",
        "[THINK]", "[/THINK]", "Here is my thought process:", "Here is my response:", "Final Answer: ", "~~~\n", "I am at it. " * 42, "\ufeff",
        "[EOS]", "<|user|>", "I will not run this:\n", "User: do it\n\n", "\ud800", "<s>", "</s>", '"urgent" true}', '{"to": "a", "tags" ["x"]',
        "Which mails are new?\n\n", '<tool_call>{"name": "send_mail", "arguments": {"to": "a", "copies" 2',
    ]
)  # fmt: skip
REPLIES = st.lists(PIECES | st.text(max_size=12), max_size=14).map("".join)


def fed(
    text: str, cuts: list[int], reason: str | None = None
) -> tuple[list[events.Event], Extractor]:
    stream = Extractor(TOOLS)
    told: list[events.Event] = []
    places = [0, *sorted(cut % (len(text) + 1) for cut in cuts), len(text)]
    for start, end in pairwise(places):
        told += stream.feed(text[start:end])
    return told + stream.close(reason), stream


@given(reply=REPLIES, cuts=st.lists(st.integers(0, 10**6), max_size=60))
@example(reply="\n```json\n" + SEND + "\n```", cuts=list(range(80)))
@example(reply="<tool_call>send_mail\n<arg_key>to</arg_key><arg_value>a</arg_value></tool_call>", cuts=list(range(90)))  # fmt: skip
def test_any_chunking_gives_the_same_events(reply: str, cuts: list[int]) -> None:
    whole, batch = fed(reply, [])
    told, stream = fed(reply, cuts)
    assert joined(told) == joined(whole)
    assert stream.extraction == batch.extraction == find_calls(reply, TOOLS)


REASONS = st.sampled_from(["stop", "length"])


@example(reply="[TOOL_CALLS]0\x1f", cuts=[], reason="stop")
@example(reply="[TOOL_CALLS]\u0928\u092e\u0938\u094d\u0924\u0947{}", cuts=[3, 14], reason="stop")
@given(reply=REPLIES, cuts=st.lists(st.integers(0, 10**6), max_size=60), reason=REASONS)
def test_what_the_server_says_last_changes_nothing_before_the_end(
    reply: str, cuts: list[int], reason: str
) -> None:
    whole = find_calls(reply, TOOLS, finish_reason=reason)
    assert fed(reply, cuts, reason)[1].extraction == whole


@many(60)
@given(reply=REPLIES)
def test_one_character_at_a_time_gives_the_same_calls(reply: str) -> None:
    _, stream = fed(reply, list(range(len(reply))))
    assert stream.extraction == find_calls(reply, TOOLS)


LINES = st.lists(
    PIECES
    | st.sampled_from(
        ["\n- [x] done\n", "\n| a | b |\n", "\n> said\n", "`x`", "``a`b``", "\n```py\nx = {}\n```\n", "\n{", "\n[", "\n~~~\n",
         '\n{"id": 1, "title": "x"}\n', '\n{"size": 2}', "a < b", "<b>", " words " * 60, "\n````md\n```\n````\n", "\nThen: "]
    ),
    min_size=8, max_size=24,
).map("".join)  # fmt: skip


@many(300, quick=40)
@given(reply=LINES, size=st.integers(1, 400))
def test_chunks_of_any_size_give_the_same_extraction(reply: str, size: int) -> None:
    stream = Extractor(TOOLS)
    for start in range(0, len(reply), size):
        stream.feed(reply[start : start + size])
    stream.close()
    assert stream.extraction == find_calls(reply, TOOLS)


@given(reply=REPLIES)
def test_a_call_is_held_before_it_is_complete_or_doubtful(reply: str) -> None:
    told, _ = fed(reply, [])
    held = [event.call.id for event in told if isinstance(event, events.CallHeld)]
    made = [event.call.id for event in told if isinstance(event, events.CallComplete)]
    made += [event.doubtful.call.id for event in told if isinstance(event, events.CallDoubtful)]
    assert set(made) <= set(held)


@given(reply=REPLIES | st.text())
def test_content_and_spans_give_the_reply_again(reply: str) -> None:
    found = find_calls(reply, TOOLS)
    assert rebuilt(reply, found) == reply
    assert all(a.end <= b.start for a, b in pairwise(found.spans))


@given(reply=REPLIES | st.text(), reason=st.sampled_from([None, "stop", "length", "tool_calls"]))
def test_nothing_raises_whatever_the_reply(reply: str, reason: str | None) -> None:
    found = find_calls(reply, TOOLS, finish_reason=reason)
    assert all(call.name in {"send_mail", "list_mail", "look_up"} for call in found.calls)
    assert all(isinstance(call.arguments, dict) for call in found.calls)


@given(reply=REPLIES | st.text())
def test_without_tools_there_are_no_calls(reply: str) -> None:
    found = find_calls(reply, [])
    assert (found.calls, found.unknown, found.incomplete, found.refused) == ((), (), (), ())


@pytest.mark.parametrize("name", FORMATS)
@many(25, quick=8)
@given(arguments=ARGUMENTS)
def test_what_is_written_is_read_as_the_same_call(name: str, arguments: dict[str, Any]) -> None:
    text = render_call(Call("send_mail", arguments), name)
    found = find_calls(text, TOOLS)
    assert [(call.name, call.arguments) for call in found.calls] == [("send_mail", arguments)]
    assert found.content.strip() == ""


def hostile(record_name: str) -> st.SearchStrategy[str]:
    """Texts made of the marks of a format itself."""
    record = FORMATS[record_name]
    marks = [m for pair in (record.frame, record.each, record.param) for m in pair if m]
    return st.lists(st.sampled_from([*marks, "x", "\n", '"', "'", "}", "$name"]), max_size=4).map(
        "".join
    )


@pytest.mark.parametrize("name", FORMATS)
@many(25, quick=8)
@given(data=st.data())
def test_a_value_full_of_marks_is_read_as_it_is_or_not_written(name: str, data: Any) -> None:
    draw: Callable[[st.SearchStrategy[str]], str] = data.draw
    arguments = {"to": draw(hostile(name)), "body": draw(hostile(name))}
    try:
        text = render_call(Call("send_mail", arguments), name)
    except CannotWriteError:
        return
    found = find_calls(text, TOOLS)
    assert [call.arguments for call in found.calls] == [arguments]


MID_LINE = ("dspy_react",)
"""Formats whose first mark counts only where a line begins."""
THINKING = ("dspy_react", "react")
"""Formats that put a thought between the text and the call."""
ENDED = ("glaive_functioncall", "nexusraven")
"""Formats that end with the token that ends the turn: what follows is not a part of the reply."""
ONE_LINE = [name for name in FORMATS if "\n" not in FORMATS[name].example and name not in ENDED]


def framed(frame: str, name: str, arguments: dict[str, Any]) -> str:
    """A text with a call put in its place."""
    return frame.replace("CALL", render_call(Call("send_mail", arguments), name))


@pytest.mark.parametrize("frame", FINAL)
def test_a_call_that_ends_the_reply_is_one_in_any_format(frame: str) -> None:
    formats = [
        name
        for name in FORMATS
        if frame.startswith("CALL")
        or (("\nCALL" in frame or name not in MID_LINE) and not FORMATS[name].framed)
    ]
    texts = {name: framed(frame, name, {"to": "ann", "copies": 2}) for name in formats}
    assert [name for name, text in texts.items() if len(find_calls(text, TOOLS).calls) != 1] == []


@pytest.mark.parametrize("frame", FOLLOWED)
def test_a_call_that_text_follows_is_doubtful_in_any_format(frame: str) -> None:
    texts = {name: framed(frame, name, {"to": "ann"}) for name in FORMATS if name not in ENDED}
    found = {name: find_calls(text, TOOLS) for name, text in texts.items()}
    assert [name for name, one in found.items() if one.calls or len(one.doubtful) != 1] == []


@pytest.mark.parametrize("frame", ASKED)
def test_a_call_after_a_question_is_doubtful_in_any_format(frame: str) -> None:
    formats = [name for name in FORMATS if name not in THINKING]
    texts = {name: framed(frame, name, {"to": "ann"}) for name in formats}
    found = {name: find_calls(text, TOOLS) for name, text in texts.items()}
    assert [name for name, one in found.items() if one.calls or len(one.doubtful) != 1] == []


@pytest.mark.parametrize("frame", QUOTED)
def test_a_quoted_call_is_listed_and_never_made_in_any_format(frame: str) -> None:
    texts = {name: framed(frame, name, {"to": "ann"}) for name in ONE_LINE}
    found = {name: find_calls(text, TOOLS) for name, text in texts.items()}
    made = [name for name, one in found.items() if one.calls or one.doubtful]
    unlisted = [
        name for name, one in found.items() if [r.reason for r in one.refused] != ["quoted"]
    ]
    assert (made, unlisted) == ([], [])


FRAMED = st.builds(
    framed,
    st.sampled_from(FINAL + FOLLOWED + ASKED + QUOTED),
    st.sampled_from(list(FORMATS)),
    ARGUMENTS,
)


@many(400, quick=40)
@given(reply=FRAMED, cuts=st.lists(st.integers(0, 10**6), max_size=40))
def test_where_a_call_stands_does_not_depend_on_the_chunks(reply: str, cuts: list[int]) -> None:
    assert fed(reply, cuts)[1].extraction == find_calls(reply, TOOLS)


CODE = st.lists(
    st.sampled_from(
        [
            "```", "````", "~~~", "`", "``", "python\n", "json\n", "html\n", "rust\n", "tool_output\n",
            "\n", "    ", "> ", "x = 1", "send_mail", "send_mail(to='ann')", "print(", "<div>", "<send_mail>",
            '{"id": 7, ', '"name": "walnut"}', '{"at": {"x": 1}}', '{"name": "send_mail", "arguments": {}}',
            '{"type": "a", "tags": [', "]}", "fn main() {", "}", HERMES, " and ",
        ]
    ),
    max_size=30,
).map("".join)  # fmt: skip


@many(600, quick=40)
@given(reply=CODE, size=st.integers(1, 9))
@example(reply="```\nx = 1\n```\n```python\nsend_mail(to='ann')\n```", size=4)
@example(reply="So:\n```rust\nx = 1\nsend_mail(to='ann')\n```\n", size=4)
@example(reply='{"id": 7, "name": "walnut"}{"name": "send_mail", "arguments": {}}', size=3)
def test_code_and_records_are_passed_over_alike_in_any_chunks(reply: str, size: int) -> None:
    extractor = Extractor(TOOLS)
    for at in range(0, len(reply), size):
        extractor.feed(reply[at : at + size])
    extractor.close()
    assert extractor.extraction == find_calls(reply, TOOLS)
