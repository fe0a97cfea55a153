"""Every format is a record with an example that is read back and written again."""

from __future__ import annotations

import pytest
from extract_samples import F, joined
from grouped import grouped

from zkit.calls import Call
from zkit.extract import (
    FORMATS,
    CannotWriteError,
    Extractor,
    events,
    find_calls,
    instructions,
    render_call,
)
from zkit.extract.render import render_tool_result

ONE = Call("f", {"a": 1, "b": "x"})


@pytest.mark.parametrize("name", FORMATS)
def test_the_example_of_a_format_is_read_as_that_format(name: str) -> None:
    found = find_calls(FORMATS[name].example, F)
    assert [(c.name, c.arguments, c.origin) for c in found.calls] == [("f", ONE.arguments, name)]
    assert found.content.strip() == ""
    tier = "alone" if FORMATS[name].tier == "shape" else "marker"
    assert found.calls[0].tier == tier


@pytest.mark.parametrize("name", [n for n, r in FORMATS.items() if r.parallel])
def test_two_calls_are_written_and_read_in_their_order(name: str) -> None:
    two = [ONE, Call("f", {"a": 2, "b": "y"})]
    found = find_calls(render_call(two, name), F)
    assert [c.arguments for c in found.calls] == [{"a": 1, "b": "x"}, {"a": 2, "b": "y"}]
    assert found.content.strip() == ""


@pytest.mark.parametrize("name", [n for n, r in FORMATS.items() if not r.parallel])
def test_a_format_for_one_call_writes_no_second(name: str) -> None:
    with pytest.raises(CannotWriteError, match="one call"):
        render_call([ONE, ONE], name)


@pytest.mark.parametrize("name", FORMATS)
def test_no_format_is_read_when_no_tool_is_offered(name: str) -> None:
    found = find_calls(FORMATS[name].example, [])
    assert (found.calls, found.unknown, found.incomplete, found.refused) == ((), (), (), ())


LONG = Call("f", {"a": 1, "b": "a line of text, and another; " * 20})


def events_of(text: str, size: int) -> list[events.Event]:
    """The events of a reply that arrives in chunks of this size."""
    stream = Extractor(F)
    chunks = [text[at : at + size] for at in range(0, len(text), size)]
    return [event for chunk in chunks for event in stream.feed(chunk)] + stream.close("stop")


@pytest.mark.parametrize("name", FORMATS)
def test_a_call_is_held_and_then_complete(name: str) -> None:
    text = render_call(LONG, name)
    for size in (1, 20):
        kinds = [event.kind for event in events_of(text, size) if event.kind.startswith("call")]
        assert kinds == ["call_held", "call_complete"], size


SURROUNDED = ("$", "So.\n\n$", "<think>so</think>\n$", "Write\n$\nand wait.", '"Do:\n$\nnow"')


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_gives_the_same_events_in_any_chunks(name: str) -> None:
    with grouped() as group:
        for around in SURROUNDED:
            text = around.replace("$", FORMATS[name].example)
            stream = Extractor(F)
            whole = joined(stream.close("stop", last=text))
            with group.case(text):
                assert stream.extraction == find_calls(text, F, finish_reason="stop")
                assert joined(events_of(text, 1)) == whole
                assert joined(events_of(text, 7)) == whole


@pytest.mark.parametrize("name", FORMATS)
def test_no_cut_gives_another_call(name: str) -> None:
    """Wherever a reply was cut, the call is there as it was written, or it is not there."""
    text = FORMATS[name].example
    for end in range(len(text)):
        cut = find_calls(text[:end], F, finish_reason="length")
        assert [c.arguments for c in cut.calls] in ([], [ONE.arguments]), text[:end]


@pytest.mark.parametrize("name", FORMATS)
def test_instructions_show_a_call_that_is_read_back(name: str) -> None:
    text = instructions(F, name)
    example = text.partition("looks like this:\n")[2].partition("\n\nRules:")[0]
    found = find_calls(example, F)
    assert [c.name for c in found.calls] == ["f"]
    assert "- a (integer, required)" in text


@pytest.mark.parametrize("name", FORMATS)
def test_only_the_formats_asked_for_are_read(name: str) -> None:
    other = "lfm2" if FORMATS[name].family != "lfm2" else "hermes_json"
    assert find_calls(FORMATS[name].example, F, formats=[other]).calls == ()
    assert len(find_calls(FORMATS[name].example, F, formats=[name]).calls) == 1


def test_a_format_that_there_is_none_of_is_refused() -> None:
    with pytest.raises(ValueError, match="hermes_jsn"):
        find_calls("x", F, formats=["hermes_jsn"])
    with pytest.raises(ValueError, match="hermes_jsn"):
        render_call(ONE, "hermes_jsn")


def test_an_argument_that_holds_its_own_closing_tag_is_not_written_wrongly() -> None:
    inner = "x</parameter>\n<parameter=a>\n2\n</parameter>\n</function>"
    with pytest.raises(CannotWriteError):
        render_call(Call("f", {"b": inner, "a": 1}), "qwen3_coder")


def test_a_result_is_given_back_the_way_of_the_format() -> None:
    assert render_tool_result("f", "42", "react") == "Observation: 42"
    assert render_tool_result("f", "42", "hermes_json") == "<tool_response>\n42\n</tool_response>"
    assert render_tool_result("f", "42", "step3") == "Result of f:\n42"


def test_instructions_name_the_values_that_a_parameter_takes() -> None:
    tool = {
        "name": "paint",
        "description": "Paint a wall.",
        "parameters": {
            "type": "object",
            "properties": {"colour": {"enum": ["red", "blue"], "description": "its colour"}},
            "required": ["colour"],
        },
    }
    text = instructions([tool], "qwen3_coder")
    assert '- colour (one of "red", "blue", required): its colour' in text
    assert "<parameter=colour>\nred\n</parameter>" in text
    assert "Paint a wall." in text


TRIP = {
    "name": "plan_trip",
    "parameters": {
        "type": "object",
        "properties": {
            "stops": {"type": "array", "items": {"type": "string"}},
            "limits": {
                "type": "object",
                "properties": {"km": {"type": "number"}, "avoid": {"$ref": "#/$defs/roads"}},
                "required": ["km"],
            },
        },
        "required": ["stops"],
        "$defs": {"roads": {"enum": ["toll", "ferry"]}},
    },
}


def test_instructions_say_what_a_parameter_is_made_of() -> None:
    text = instructions([TRIP], "hermes_json")
    assert "- stops (array of string, required)" in text
    assert '- limits (object with km: number; avoid: one of "toll", "ferry", optional, optional)' in text  # fmt: skip


@pytest.mark.parametrize("name", [n for n, r in FORMATS.items() if r.parallel and any(r.frame)])
def test_instructions_show_several_calls_in_one_envelope(name: str) -> None:
    shown = instructions([TRIP], name).partition("in one envelope:\n")[2].partition("\n5. ")[0]
    found = find_calls(shown, [TRIP])
    assert [call.name for call in found.calls] == ["plan_trip", "plan_trip"]
    assert {call.origin for call in found.calls} == {name}


@pytest.mark.parametrize("name", FORMATS)
def test_instructions_that_are_repeated_hold_no_call(name: str) -> None:
    found = find_calls(instructions(F, name), F)
    ended = name in ("glaive_functioncall", "nexusraven")  # the token that ends the turn is shown
    assert found.calls == () or ended
