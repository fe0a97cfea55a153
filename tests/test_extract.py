"""What counts as a call, what stays text, and what is listed beside the calls."""

from __future__ import annotations

from typing import Any

import pytest
from extract_samples import HERMES, SEND, TOOLS

from zkit.extract import Extraction, Extractor, events, find_calls
from zkit.extract.tape import Tape
from zkit.receipt import Rank


def names(text: str, **options: Any) -> list[str]:
    return [call.name for call in find_calls(text, TOOLS, **options).calls]


def rebuilt(text: str, found: Extraction) -> str:
    """The text again from the content and the spans."""
    pieces, at, used = [], 0, 0
    for span in found.spans:
        gap = span.start - at
        pieces += [found.content[used : used + gap], text[span.start : span.end]]
        used, at = used + gap, span.end
    return "".join([*pieces, found.content[used:]])


# ── gates ────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "text",
    [
        f"`{HERMES}`",
        f"```\n{HERMES}\n```\n\nThat is how it looks.",
        f"> {SEND}",
        f'The page said "please write {HERMES}" and more.',
        f"The page said:\n“{HERMES}”",
        f'He wrote "Do this.\n{HERMES}\nNow!" and left.',
        f"A model would write:\n\n{HERMES}\n\nand wait.",
        f"It writes {SEND} and stops.",
        f"It writes {HERMES} and stops.".replace("\n", ""),
        f"2026-08-01 10:00:00 INFO {HERMES}".replace("\n", ""),
        f"| call | use |\n|---|---|\n| {HERMES} | mail |".replace("\n<", "<"),
        f"<pre>{HERMES}</pre>",
        f"<!-- {HERMES} -->",
        f"<think>{HERMES}</think>\nNo mail today.",
        f"{HERMES}\n</think>\nNo mail today.",
        f"User: mail ann\nAssistant: {HERMES}",
        f"<document>{HERMES}</document>\nIt asks for mail.",
        f"{SEND}\n\nThis is the object that you asked for.",
        '{"name": "send_mail", "version": "1.0.0"}',
        '{"name": "send_mail", "parameters": {"type": "object", "properties": {"to": {}}}}',
        '{"name": "list_mail", "arguments": {}, "result": "none"}',
        'Sure: {"name": "send_mail", "arguments": {"to": "ann", "colour": "red"}}',
        "<tool_call>\n{}\n</tool_call>",
        "send_mail(to='ann') sends mail.",
        ">>> list_mail()\n[]",
    ],
)
def test_what_is_only_quoted_described_or_alike_is_no_call(text: str) -> None:
    found = find_calls(text, TOOLS)
    assert found.calls == ()
    assert rebuilt(text, found) == text


@pytest.mark.parametrize(
    "text",
    [
        f"Sure. {HERMES}",
        f"I refuse:\n{HERMES}",
        f"- {HERMES}",
        f"I'll send it now.\n\n{SEND}",
        f"I'll send it now.\n\n```json\n{SEND}\n```",
        f"<think>\nann wants mail\n</think>\n\n{HERMES}",
        f"ann wants mail\n</think>\n{HERMES}",
        f"{SEND}\n</tool_call>",
        f"{HERMES}<|im_end|>",
        "send_mail(to='ann')",
        f"<tool_call>\n{SEND}",
    ],
)
def test_a_call_is_found_where_it_stands_for_itself(text: str) -> None:
    assert names(text) == ["send_mail"]


def test_the_text_before_a_call_is_kept() -> None:
    found = find_calls(f"Before.\n{HERMES}\n", TOOLS)
    assert found.content == "Before.\n\n"
    assert [(s.kind, s.start) for s in found.spans] == [("call", 8)]


@pytest.mark.parametrize("call", [HERMES, SEND, f"```json\n{SEND}\n```", "[send_mail(to='ann')]"])
def test_a_call_that_text_follows_is_doubtful_and_stays_in_the_text(call: str) -> None:
    text = f"Sure.\n{call}\nI'll report back."
    found = find_calls(text, TOOLS)
    assert (found.calls, found.content, found.spans) == ((), text, ())
    [doubtful] = found.doubtful
    assert (doubtful.call.name, doubtful.call.arguments) == ("send_mail", {"to": "ann"})
    assert (doubtful.reason, doubtful.call.position) == ("followed", "followed")
    assert "send_mail" in doubtful.message


def test_all_calls_share_the_position_of_the_last_one() -> None:
    assert names(f"{HERMES}\nAnd now:\n{SEND}") == ["send_mail", "send_mail"]
    assert len(find_calls(f"{HERMES}\n{SEND}\nDone.", TOOLS).doubtful) == 2
    cut = find_calls(f"{HERMES}\nAnd now:\n<tool_call>" + SEND[:30], TOOLS)
    assert ([call.name for call in cut.calls], len(cut.incomplete)) == (["send_mail"], 1)


@pytest.mark.parametrize(
    ("text", "tier"),
    [
        (HERMES, "marker"),
        (f"Sure.\n{HERMES}", "marker"),
        (SEND, "alone"),
        (f"```json\n{SEND}\n```<|im_end|>", "alone"),
        (f"<think>mail</think>\n{SEND}", "alone"),
        (f"Sure.\n{SEND}", "shape"),
        ("send_mail(to='ann')", "alone"),
    ],
)
def test_the_tier_says_how_a_call_was_told_from_text(text: str, tier: str) -> None:
    [call] = find_calls(text, TOOLS).calls
    assert (call.tier, call.position) == (tier, "final")


def test_a_quoted_call_is_listed_without_a_message() -> None:
    for text in (
        f"`{HERMES}`",
        f"> {SEND}\n\nNo.",
        f"<pre>{HERMES}</pre>",
        f"<think>{SEND}</think>No.",
    ):
        found = find_calls(
            text.replace("\n<", "<").replace("\n{", "{").replace("}\n<", "}<"), TOOLS
        )
        assert [(one.name, one.reason, one.message) for one in found.refused] == [
            ("send_mail", "quoted", "")
        ]


def test_a_call_in_a_sentence_is_doubtful_though_nothing_follows_it() -> None:
    found = find_calls("You could use send_mail(to='ann').", TOOLS)
    assert found.calls == ()
    assert [one.reason for one in found.doubtful] == ["mentioned"]


def test_an_unknown_tool_is_told_and_never_called() -> None:
    found = find_calls('<tool_call>{"name": "rm", "arguments": {"x": 1}}</tool_call>', TOOLS)
    assert found.calls == ()
    assert [(u.name, u.arguments) for u in found.unknown] == [("rm", {"x": 1})]


def test_json_that_names_no_declared_tool_stays_an_answer() -> None:
    text = '{"name": "rm", "arguments": {"x": 1}}'
    assert find_calls(text, TOOLS).content == text


def test_the_namespace_before_a_name_is_dropped() -> None:
    assert names(HERMES.replace("send_mail", "functions.send_mail")) == ["send_mail"]


def test_wrong_arguments_behind_a_mark_are_left_to_decode() -> None:
    found = find_calls(HERMES.replace('"to"', '"whom"'), TOOLS)
    assert [call.arguments for call in found.calls] == [{"whom": "ann"}]


def test_wrong_arguments_in_a_reply_that_is_nothing_else_are_left_to_decode() -> None:
    [call] = find_calls(SEND.replace('"to"', '"whom"'), TOOLS).calls
    assert (call.arguments, call.tier) == ({"whom": "ann"}, "alone")


def test_wrong_arguments_without_a_mark_are_refused_with_a_message() -> None:
    found = find_calls("Sure.\n" + SEND.replace('"to"', '"whom"'), TOOLS)
    assert found.calls == ()
    assert "send_mail needs to." in found.refused[0].message


# ── ends ─────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "text",
    [
        '<tool_call>{"name": "send_mail", "arguments": {"to": "an',
        '<tool_call>{"name": "send_mail", "arguments": {"to": "ann"',
        "<tool_call>\n<function=send_mail>\n<parameter=to>\nan",
        "[send_mail(to='an",
        "[TOOL_CALLS]send_mail[ARGS]",
        "Action: send_mail\nAction Input: ",
    ],
)
def test_a_call_that_was_cut_is_told_and_never_called(text: str) -> None:
    found = find_calls(text, TOOLS)
    assert found.calls == ()
    assert [one.name for one in found.incomplete] == ["send_mail"]
    assert found.content.strip() == ""


def test_what_came_whole_before_a_cut_call_counts() -> None:
    found = find_calls(f'{HERMES}<tool_call>{{"name": "send_mail", "arguments": {{"to": "b', TOOLS)
    assert [call.arguments for call in found.calls] == [{"to": "ann"}]
    assert len(found.incomplete) == 1


def test_a_call_with_a_tag_for_each_argument_is_cut_without_its_closing_tag() -> None:
    text = "<tool_call>\n<function=send_mail>\n<parameter=to>\nann\n</parameter>\n"
    for reason in (None, "stop", "length"):
        found = find_calls(text, TOOLS, finish_reason=reason)
        assert (found.calls, [one.name for one in found.incomplete]) == ((), ["send_mail"])
    assert names(text + "</tool_call>") == ["send_mail"]


def test_a_call_that_gives_every_argument_needs_no_closing_tag() -> None:
    text = "<function=look_up>\n<parameter=query>mail</parameter>\n"
    assert names(text) == ["look_up"]
    assert find_calls(text, TOOLS, finish_reason="length").calls == ()


def test_a_result_that_the_model_wrote_itself_ends_the_reading() -> None:
    text = f"{HERMES}\n<tool_response>\nsent\n</tool_response>\n{HERMES}"
    found = find_calls(text, TOOLS)
    assert len(found.calls) == 1
    assert found.ended_at == text.index("<tool_response>")
    assert rebuilt(text, found) == text


def test_an_observation_before_any_call_is_only_a_word() -> None:
    text = "Observation: the mail is late.\nNothing to do."
    assert find_calls(text, TOOLS) == Extraction(content=text)


def test_a_call_in_the_reasoning_of_an_empty_reply_is_told() -> None:
    found = find_calls(f"<think>{HERMES}</think>", TOOLS)
    assert found.calls == ()
    assert [(r.name, r.reason) for r in found.refused] == [("send_mail", "in_reasoning")]
    assert "after the end of the reasoning" in found.refused[0].message


# ── values ───────────────────────────────────────────────────────────────────


def coder(**values: str) -> str:
    given = "".join(f"<parameter={key}>\n{value}\n</parameter>\n" for key, value in values.items())
    return f"<tool_call>\n<function=send_mail>\n{given}</function>\n</tool_call>"


@pytest.mark.parametrize(
    ("key", "raw", "value"),
    [
        ("to", "007", "007"),
        ("to", "null", "null"),
        ("to", '{"a": 1}', '{"a": 1}'),
        ("to", " padded ", " padded "),
        ("copies", "3", 3),
        ("copies", "3.0", 3),
        ("copies", "three", "three"),
        ("copies", "null", None),
        ("urgent", "true", True),
        ("urgent", "True", True),
        ("weight", "1e-2", 0.01),
        ("tags", '["a", "b"]', ["a", "b"]),
        ("tags", "['a', 'b']", ["a", "b"]),
        ("where", "{room: 'B4', floor: 2,}", {"room": "B4", "floor": 2}),
        ("foreign", "12", "12"),
        ("foreign", "[1]", [1]),
    ],
)
def test_a_raw_value_is_typed_by_the_schema(key: str, raw: str, value: Any) -> None:
    values = {"to": "ann", key: raw}
    [call] = find_calls(coder(**values), TOOLS).calls
    assert call.arguments[key] == value


def test_a_repaired_call_wears_its_rank_and_points_into_the_reply() -> None:
    text = "Now:\n<tool_call>{'name': 'send_mail', 'arguments': {'to': 'ann'}}</tool_call>"
    [call] = find_calls(text, TOOLS).calls
    assert call.rank == Rank.RESPELL
    assert call.confidence < 0.9
    assert text[call.fixes[0].start] == "'"


def test_a_python_call_is_read_and_never_evaluated() -> None:
    assert names("[send_mail(to='ann', copies=2)]") == ["send_mail"]
    for expression in ("open('x').read()", "ann + bob", "[f(1)]", "list_mail()"):
        found = find_calls(
            f"<|tool_call_start|>[send_mail(to={expression})]<|tool_call_end|>", TOOLS
        )
        assert found.calls == ()
        assert found.refused[0].reason == "expression"


def test_arguments_without_names_are_refused_where_there_are_several() -> None:
    found = find_calls("<|tool_call_start|>[send_mail('ann', 'hi')]<|tool_call_end|>", TOOLS)
    assert found.calls == ()
    assert "send_mail(to=..., body=..." in found.refused[0].message
    [call] = find_calls("<|tool_call_start|>[look_up('x')]<|tool_call_end|>", TOOLS).calls
    assert call.arguments == {"query": "x"}


def test_a_value_that_holds_its_own_closing_tag_is_read_whole() -> None:
    [call] = find_calls(coder(to="ann", body="a </parameter> b"), TOOLS).calls
    assert call.arguments["body"] == "a </parameter> b"


def test_an_argument_given_twice_is_refused() -> None:
    text = coder(to="ann").replace("</function>", "<parameter=to>\nbob\n</parameter>\n</function>")
    found = find_calls(text, TOOLS)
    assert found.calls == ()
    assert found.refused[0].reason == "ambiguous"


# ── streams ──────────────────────────────────────────────────────────────────


def test_text_is_given_out_before_the_reply_has_ended() -> None:
    stream = Extractor(TOOLS)
    assert stream.feed("Hello there, ") == [events.Text("Hello there, ")]
    assert stream.feed("a < b <to") == [events.Text("a < b ")]
    assert stream.feed("ol_call>") == []


def test_a_call_is_held_until_the_reply_has_ended() -> None:
    for rest, kind in (("\n", "call_complete"), ("\nThere.", "call_doubtful")):
        stream = Extractor(TOOLS)
        told = stream.feed(f"Sure.\n{HERMES}\n")
        assert [event.kind for event in told] == ["text", "call_held"]
        assert stream.feed(rest) == []
        assert kind in [event.kind for event in stream.close()]


def test_text_that_turns_out_to_be_reasoning_is_told() -> None:
    stream = Extractor(TOOLS)
    told = stream.feed("ann wants mail\n</think>\nNo mail.") + stream.close()
    assert [event.kind for event in told][:2] == ["text", "text_was_reasoning"]
    assert stream.extraction.content == "\nNo mail."
    assert stream.extraction.reasoning == "ann wants mail\n"


@pytest.mark.parametrize(
    "text",
    [
        ("I am at it. " * 47)[:560] + f"\n\n{SEND}",
        'Say <|message_model|><|content_invoke_tool_json|>{"name": "list_mail", "args": {}}<|end_message|> to list.',
        "Ok.\n>>>list_mail\n{}",
        f"```text\nsee {'word ' * 40}```\n{HERMES}\n```\n",
        '["look_up", {"query": "tea"}]',
        '[look_up]\n{"query": "tea"}',
        f"Yes:\n<reply>{SEND}</reply>",
        "<tool_call>look_up\n<arg_key>query</arg_key>\n<arg_value>tea</arg_value></arg_value>\n</tool_call>",
        "The user wrote:\n\n> <tool_call>\n> <function=look_up>\n> </function>\n> </tool_call>\nend",
    ],
)  # fmt: skip
def test_what_is_a_call_does_not_depend_on_the_chunks(text: str) -> None:
    stream = Extractor(TOOLS)
    for char in text:
        stream.feed(char)
    stream.close()
    assert stream.extraction == find_calls(text, TOOLS)


@pytest.mark.parametrize(
    ("opener", "closer"),
    [("<think>", "</th"), ("[THINK]", "[/"), ("<|START_THINKING|>", "<|END_")],
)
def test_reasoning_is_told_as_it_is_written(opener: str, closer: str) -> None:
    stream = Extractor(TOOLS)
    stream.feed(opener)
    assert stream.feed("ann wants ") == [events.Reasoning("ann wants ")]
    assert stream.feed(f"mail{closer}") == [events.Reasoning("mail")]


def test_a_long_thought_is_not_held_back_until_the_end() -> None:
    stream = Extractor(TOOLS)
    told = stream.feed("Thought: " + "word " * 400)
    assert sum(len(event.text) for event in told if isinstance(event, events.Text)) > 1900
    stream.feed("\nAction: send_mail\nAction Input: " + '{"to": "ann"}')
    stream.close()
    assert [call.name for call in stream.extraction.calls] == ["send_mail"]


def test_a_lone_surrogate_is_a_character_like_any_other() -> None:
    [call] = find_calls(SEND.replace("ann", "\ud800"), TOOLS).calls
    assert call.arguments == {"to": "\ud800"}


@pytest.mark.parametrize(
    "unit",
    [
        "```tool\nTOOL_NAME: send_mail\nBEGIN_ARG: to\n",
        "<function=send_mail><parameter=to>x</parameter> y",
        "\nHere is my thought process:",
        "\nThought: `a`",
    ],
)
def test_marks_that_are_never_closed_are_not_searched_for_again_and_again(unit: str) -> None:
    searched = []

    class Counting(Tape):
        def window(self, pos: int) -> tuple[str, int]:
            text, base = super().window(pos)
            searched.append(1)
            return text, base

    def work(size: int) -> int:
        searched.clear()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("zkit.extract.api.Tape", Counting)
            find_calls(unit * size, TOOLS)
        return len(searched)

    assert work(1600) < 3 * work(800)


def test_a_closed_stream_takes_no_more() -> None:
    stream = Extractor(TOOLS)
    stream.close()
    with pytest.raises(ValueError, match="closed"):
        stream.feed("x")


def test_calls_side_by_side_have_ids_of_their_own() -> None:
    found = find_calls(f"{HERMES}\n{HERMES}\nThen I go on.\n{HERMES}", TOOLS)
    assert len({call.id for call in found.calls}) == 3
