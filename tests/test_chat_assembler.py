"""Stream deltas become the calls that were meant, whatever a server's way of cutting them."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zkit.chat.assembler import Assembler, CallParts, Reply, split_concatenated

NAMES = ("get_weather", "get", "read_file", "f")
Sent = tuple[str, str, str]


def assembled(*tool_calls: dict[str, Any], names: Sequence[str] = NAMES) -> list[Sent]:
    parts = CallParts(names)
    for entry in tool_calls:
        parts.add(entry)
    return [call[:3] for call in parts.calls()]


def part(
    arguments: str | None = None, name: str | None = None, id: Any = None, index: int | None = 0
) -> dict[str, Any]:
    function = {"name": name, "arguments": arguments}
    entry: dict[str, Any] = {"function": {k: v for k, v in function.items() if v is not None}}
    entry |= {} if id is None else {"id": id}
    return entry if index is None else {**entry, "index": index}


def test_the_usual_way_of_openai() -> None:
    assert assembled(
        part("", "f", "a", 0),
        part('{"x":', index=0),
        part(" 1}", index=0),
        part("{}", "get", "b", 1),
    ) == [("a", "f", '{"x": 1}'), ("b", "get", "{}")]


def test_every_call_with_index_0_is_told_apart_by_id() -> None:
    assert assembled(part('{"x": 1}', "f", "a"), part('{"x": 2}', "f", "b")) == [
        ("a", "f", '{"x": 1}'),
        ("b", "f", '{"x": 2}'),
    ]


def test_deltas_of_two_ids_may_be_mixed_though_the_index_lies() -> None:
    assert assembled(
        part('{"x":', "f", "a"), part('{"y":', "get", "b"), part("1}", id="a"), part("2}", id="b")
    ) == [("a", "f", '{"x":1}'), ("b", "get", '{"y":2}')]


def test_every_call_with_index_0_and_no_id_is_told_apart_by_name() -> None:
    assert assembled(part('{"x": 1}', "f"), part('{"x": 2}', "f"), part("{}", "get")) == [
        ("", "f", '{"x": 1}'),
        ("", "f", '{"x": 2}'),
        ("", "get", "{}"),
    ]


def test_arguments_may_come_before_the_name() -> None:
    assert assembled(part('{"x":'), part("1}"), part(name="f", id="a")) == [("a", "f", '{"x":1}')]


def test_arguments_before_the_names_of_two_calls_without_ids() -> None:
    assert assembled(part('{"x":1}'), part(name="f"), part('{"y":2}'), part(name="get")) == [
        ("", "f", '{"x":1}'),
        ("", "get", '{"y":2}'),
    ]


def test_neither_id_nor_index() -> None:
    assert assembled(
        part("", "f", index=None), part('{"x":', index=None), part("1}", index=None)
    ) == [("", "f", '{"x":1}')]


def test_a_name_that_is_repeated_with_every_delta_is_one_name() -> None:
    assert assembled(part("", "f", "a"), part('{"x":', "f", "a"), part("1}", "f", "a")) == [
        ("a", "f", '{"x":1}')
    ]
    assert assembled(part('{"x": [{}', "f"), part(", {}", "f"), part("]}", "f")) == [
        ("", "f", '{"x": [{}, {}]}')
    ]


def test_a_name_in_pieces_is_one_name() -> None:
    pieces = [part(name="get", id="a"), part(name="_wea", id="a"), part("{}", "ther", "a")]
    assert assembled(*pieces) == [("a", "get_weather", "{}")]
    letters = [part(name=letter) for letter in "read_file"]
    assert assembled(*letters, part("{}")) == [("", "read_file", "{}")]


def test_a_fresh_id_with_every_delta_is_one_call() -> None:
    """An id that never gets a name continues arguments that have not ended."""
    assert assembled(part('{"x"', "f", "a"), part(": {}", id="b"), part("}", id="c")) == [
        ("a", "f", '{"x": {}}')
    ]


def test_a_fresh_id_after_whole_arguments_is_a_call_without_a_name() -> None:
    assert assembled(part("{}", "f", "a"), part('{"x": 1}', id="b")) == [
        ("a", "f", "{}"),
        ("b", "", '{"x": 1}'),
    ]


def test_an_id_may_come_late() -> None:
    assert assembled(part("{", "f"), part("}", id="a")) == [("a", "f", "{}")]


def test_one_id_for_all_calls_is_no_reason_to_merge_them() -> None:
    assert assembled(part('{"x":1}', "f", "0"), part('{"x":2}', "f", "0", index=1)) == [
        ("0", "f", '{"x":1}'),
        ("", "f", '{"x":2}'),
    ]


def test_objects_that_ran_together_stay_together_without_a_second_id_or_name() -> None:
    assert assembled(part('{"x":1}', "f", "a"), part('{"x":2}')) == [("a", "f", '{"x":1}{"x":2}')]


def test_objects_that_ran_together_are_given_back_to_calls_that_came_away_empty() -> None:
    assert assembled(part('{"x":1}{"x":2}', "f", "a"), part("", "get", "b", 1)) == [
        ("a", "f", '{"x":1}'),
        ("b", "get", '{"x":2}'),
    ]


def test_more_objects_than_calls_are_left_alone() -> None:
    sent = [part('{"x":1}{"x":2}{"x":3}', "f", "a"), part("", "get", "b", 1)]
    assert assembled(*sent) == [("a", "f", '{"x":1}{"x":2}{"x":3}'), ("b", "get", "")]


def test_names_that_ran_together_with_their_arguments_are_two_calls() -> None:
    assert assembled(part('{"x":1} {"x":2}', "read_fileread_file", "a")) == [
        ("a", "read_file", '{"x":1}'),
        ("", "read_file", '{"x":2}'),
    ]


def test_arguments_that_are_an_object_become_its_text() -> None:
    sent = {"index": 0, "id": 7, "function": {"name": "f", "arguments": {"x": "é"}}}
    assert assembled(sent) == [("7", "f", '{"x": "é"}')]


def test_what_else_stands_in_an_entry_is_kept() -> None:
    parts = CallParts()
    parts.add({**part("{", "f", "a"), "extra_content": {"signature": "s"}})
    parts.add(part("}"))
    assert parts.calls()[0].extra == {"extra_content": {"signature": "s"}}


@pytest.mark.parametrize("junk", [None, 3, "x", [], [None], {"function": None}, {"index": "0"}])
def test_junk_is_no_call_and_no_exception(junk: Any) -> None:
    made = Assembler()
    made.add({"choices": [{"delta": {"tool_calls": junk}}]})
    assert all(not call.name for call in made.reply().calls)


@pytest.mark.parametrize(
    "chunk", [{}, {"choices": None}, {"choices": [{}]}, {"choices": [{"delta": None}]}]
)
def test_an_empty_chunk_says_nothing(chunk: dict[str, Any]) -> None:
    made = Assembler()
    made.add(chunk)
    assert made.reply() == Reply()


def test_the_usage_may_come_after_the_end() -> None:
    made = Assembler()
    made.add({"choices": [{"index": 0, "delta": {"content": "hi"}}], "usage": {"total_tokens": 1}})
    made.add({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}], "usage": None})
    made.add({"choices": [], "usage": {"total_tokens": 9}})
    assert made.usage == {"total_tokens": 9}
    assert made.reply() == Reply("hi", finish_reason="stop")


@pytest.mark.parametrize(
    "name", ["reasoning_content", "reasoning", "reasoning_summary", "thinking", "thought"]
)
def test_reasoning_is_found_under_any_of_its_names(name: str) -> None:
    made = Assembler()
    made.add({"choices": [{"delta": {name: "so "}}]})
    made.add({"choices": [{"delta": {name: "what", "reasoning_content": "what"}}]})
    assert made.reply().reasoning == "so what"


def test_choices_do_not_mix() -> None:
    made = Assembler()
    made.add({"choices": [{"index": 1, "delta": {"tool_calls": [part("{}", "f", "a")]}}]})
    made.add({"choices": [{"index": 0, "delta": {"content": "hi"}}]})
    assert [made.reply(0).content, made.reply(1).calls[0].name] == ["hi", "f"]


def test_the_time_follows_the_number_of_deltas_not_its_square() -> None:
    """A name or a fresh id in each of many deltas is judged once, at the end."""
    many = 20_000
    text = '{"x": "' + "}{" * many + '"}'
    named = [part(text[at : at + 1], "f") for at in range(len(text))]
    fresh = [part(text[0], "f", "i")] + [part(c, id=f"i{at}") for at, c in enumerate(text[1:])]
    assert assembled(*named) == [("", "f", text)]
    assert assembled(*fresh) == [("i", "f", text)]


# ── any chunking gives the same calls ────────────────────────────────────────

ARGUMENTS = st.sampled_from(
    [
        "{}",
        '{"x": 1}',
        '{"s": "}{"}',
        '{"a": {"b": [{}, {"c": "\\"}"}]}}',
        '{"t": "f get \u00e9\n"}',
        ' {"x": [1, 2]} ',
    ]
)
CALLS = st.lists(st.tuples(st.sampled_from(NAMES), ARGUMENTS), min_size=1, max_size=4)


def cut(text: str, rng: random.Random) -> list[str]:
    """A text in pieces, some of them empty."""
    places = sorted(rng.randint(0, len(text)) for _ in range(rng.randint(0, 6)))
    return [text[a:b] for a, b in zip([0, *places], [*places, len(text)], strict=True)]


Style = Callable[[int, str, list[str]], list[dict[str, Any]]]


def _first_has_all(id: bool, index: bool) -> Style:
    def style(at: int, name: str, pieces: list[str]) -> list[dict[str, Any]]:
        place = at if index else 0
        head = part(pieces[0], name, f"id{at}" if id else None, place)
        return [head, *(part(piece, index=place) for piece in pieces[1:])]

    return style


def _all_have_ids(at: int, name: str, pieces: list[str]) -> list[dict[str, Any]]:
    return [part(p, name if not n else None, f"id{at}", 0) for n, p in enumerate(pieces)]


def _name_in_each(at: int, name: str, pieces: list[str]) -> list[dict[str, Any]]:
    return [part(piece, name, f"id{at}", 0) for piece in pieces]


def _name_last(at: int, name: str, pieces: list[str]) -> list[dict[str, Any]]:
    return [*(part(piece, id=f"id{at}", index=at) for piece in pieces), part(name=name, index=at)]


def _fresh_ids(at: int, name: str, pieces: list[str]) -> list[dict[str, Any]]:
    head = part(pieces[0], name, f"id{at}", at)
    return [head, *(part(piece, id=f"id{at}.{n}", index=at) for n, piece in enumerate(pieces[1:]))]


STYLES: dict[str, Style] = {
    "ids and indexes": _first_has_all(True, True),
    "ids, index always 0": _first_has_all(True, False),
    "indexes, no ids": _first_has_all(False, True),
    "an id with each part, index always 0": _all_have_ids,
    "a name with each part": _name_in_each,
    "the name last": _name_last,
    "a fresh id with each part": _fresh_ids,
}
MAY_MIX = (
    "ids and indexes",
    "indexes, no ids",
    "an id with each part, index always 0",
    "the name last",
)


def test_blanks_under_a_fresh_id_belong_to_the_call_before_them() -> None:
    sent = _fresh_ids(0, "get_weather", ['{"city": "Oslo"}', " "])
    assert assembled(*sent) == [("id0", "get_weather", '{"city": "Oslo"} ')]


@pytest.mark.parametrize("style", STYLES)
@given(calls=CALLS, rng=st.integers(0, 2**32).map(random.Random))
def test_any_chunking_gives_the_same_calls(
    style: str, calls: list[tuple[str, str]], rng: random.Random
) -> None:
    sent = [STYLES[style](at, name, cut(text, rng)) for at, (name, text) in enumerate(calls)]
    found = assembled(*(entry for entries in sent for entry in entries))
    ids = [f"id{at}" if "no ids" not in style else "" for at in range(len(calls))]
    assert found == [(id, *one) for id, one in zip(ids, calls, strict=True)]


@pytest.mark.parametrize("style", MAY_MIX)
@given(calls=CALLS, rng=st.integers(0, 2**32).map(random.Random))
def test_parts_of_several_calls_may_be_mixed(
    style: str, calls: list[tuple[str, str]], rng: random.Random
) -> None:
    sent = [STYLES[style](at, name, cut(text, rng)) for at, (name, text) in enumerate(calls)]
    queues = [list(reversed(entries)) for entries in sent]
    mixed = []
    while any(queues):
        mixed.append(rng.choice([queue for queue in queues if queue]).pop())
    assert sorted(one[1:] for one in assembled(*mixed)) == sorted(calls)


@given(calls=CALLS, rng=st.integers(0, 2**32).map(random.Random))
def test_any_number_of_entries_may_share_a_chunk(
    calls: list[tuple[str, str]], rng: random.Random
) -> None:
    style = STYLES["ids and indexes"]
    sent = [e for at, (name, text) in enumerate(calls) for e in style(at, name, cut(text, rng))]
    made = Assembler(NAMES)
    while sent:
        size = rng.randint(1, 4)
        made.add({"choices": [{"delta": {"tool_calls": sent[:size]}}]})
        sent = sent[size:]
    assert [call[1:3] for call in made.reply().calls] == calls


@given(
    st.lists(
        st.tuples(st.text(max_size=3), st.sampled_from([*NAMES, ""]), st.text('{}" x', max_size=8))
    )
)
def test_nothing_that_was_sent_is_lost_by_splitting(calls: list[Sent]) -> None:
    parts = CallParts(NAMES)
    for at, (id, name, text) in enumerate(calls):
        parts.add(part(text, name, id, at))
    found = parts.calls()
    before = "".join(text for _, _, text in calls)
    after = "".join(call.arguments for call in found)
    assert sorted(before.replace(" ", "")) == sorted(after.replace(" ", ""))
    assert split_concatenated(found, frozenset(NAMES)) == found
