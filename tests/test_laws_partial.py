"""Fed in chunks, the reader shows the value so far, and ends as the whole text does."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from oracles import alike, ends_in_string, is_part, said_so_far
from strategies import ANY_TEXT, CLOSED, CONTAINERS, FINISH_REASONS, json_texts

from zkit import PartialReader, Rank, Repaired, Unrepairable, repair_json


@st.composite
def chunked(draw: st.DrawFn, texts: st.SearchStrategy[str]) -> list[str]:
    """A text in pieces, empty ones too."""
    text = draw(texts)
    cuts = sorted(draw(st.lists(st.integers(0, len(text)), max_size=8)))
    return [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]


def fed(chunks: list[str], **options: Any) -> PartialReader:
    reader = PartialReader(**options)
    for chunk in chunks:
        reader.feed(chunk)
    return reader


@given(
    chunked(ANY_TEXT),
    st.sampled_from([None, CLOSED]),
    st.sampled_from([Rank.UNWRAP, Rank.CUT]),
    st.sampled_from(FINISH_REASONS),
)
def test_every_chunking_ends_as_the_whole_text_does(
    chunks: list[str], schema: Any, limit: Rank, finish_reason: str | None
) -> None:
    outcome = fed(chunks, schema=schema, limit=limit).close(finish_reason)
    text = "".join(chunks)
    whole = repair_json(text, schema=schema, limit=limit, finish_reason=finish_reason)
    assert repr(outcome) == repr(whole)


@given(chunked(json_texts(CONTAINERS)))
@example(['{"a": "\\', "ud83d\\ude0", '0"}'])
@example(["[12", "3]"])
@example(['{"a": tr', "ue}"])
@example(['{"a', 'b": 1', "}"])
def test_at_any_moment_the_value_is_a_part_of_the_final_one(chunks: list[str]) -> None:
    final = json.loads("".join(chunks))
    reader = PartialReader()
    for chunk in chunks:
        reader.feed(chunk)
        assert not reader.stuck
        assert reader.value is None or is_part(reader.value, final)
    assert alike(reader.value, final)


@given(chunked(json_texts(CONTAINERS)))
def test_the_value_so_far_is_what_the_text_so_far_says(chunks: list[str]) -> None:
    reader = PartialReader()
    for chunk in chunks:
        reader.feed(chunk)
        if reader.text.strip():
            assert alike(reader.value, said_so_far(reader.text))


@given(json_texts(CONTAINERS), st.data())
@example('{"a": "x}', None)
def test_the_value_so_far_is_the_batch_result_for_that_text(text: str, data: Any) -> None:
    prefix = text if data is None else text[: data.draw(st.integers(0, len(text)))]
    outcome = repair_json(prefix)
    if isinstance(outcome, Unrepairable):
        return
    value = fed([prefix]).value
    if ends_in_string(prefix) and prefix.rstrip().endswith(("}", "]")):
        # The open string ends like the end of the text: in the batch result its tail may be gone.
        assert is_part(outcome.value, value)
    else:
        assert alike(outcome.value, value)


@given(chunked(json_texts(CONTAINERS)))
def test_looking_at_the_value_changes_nothing(chunks: list[str]) -> None:
    looked, blind = PartialReader(), fed(chunks)
    for chunk in chunks:
        looked.feed(chunk)
        assert alike(looked.value, looked.value)
    assert alike(looked.value, blind.value)
    assert looked.text == blind.text


@given(json_texts(CONTAINERS))
def test_one_character_at_a_time_gives_the_whole_value(text: str) -> None:
    assert alike(fed(list(text)).value, json.loads(text))


def test_feeding_after_close_is_a_mistake_of_the_caller() -> None:
    reader = fed(['{"a": 1}'])
    reader.close()
    with pytest.raises(ValueError, match="closed"):
        reader.feed(" ")


def test_closing_twice_gives_the_same_outcome() -> None:
    reader = fed(['{"a": ', '"x'])
    first = reader.close("length")
    assert isinstance(first, Repaired)
    assert reader.close() is first
    assert reader.value == {"a": "x"}


def test_before_anything_arrived_there_is_no_value() -> None:
    reader = PartialReader()
    assert (reader.value, reader.text, reader.stuck) == (None, "", False)
    assert reader.close() == repair_json("")
    assert reader.value is None


def test_prose_before_the_value_is_passed_over() -> None:
    reader = fed(["Sure, here ", 'it is:\n```json\n{"a": [1, ', "2"])
    assert reader.value == {"a": [1]}


def test_damaged_text_stands_still_until_the_end() -> None:
    reader = fed(['{"a": 1, b: 2, "c": ', "3}"])
    assert reader.stuck
    assert reader.value == {"a": 1}
    outcome = reader.close()
    assert isinstance(outcome, Repaired)
    assert reader.value == outcome.value == {"a": 1, "b": 2, "c": 3}


@pytest.mark.parametrize("cut", ["12", "-", "1.", "1e", "tru", "n", '"\\', '"\\u00'])
def test_a_cut_token_is_never_shown_as_if_it_were_whole(cut: str) -> None:
    shown = fed([f'{{"a": [0, {cut}']).value
    assert shown == {"a": [0, ""] if cut.startswith('"') else [0]}
