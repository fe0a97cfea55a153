"""Edits map back to where they came from, and carets point at the right place."""

from __future__ import annotations

from typing import NamedTuple

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from strategies import ANY_CHARACTER

from zkit.text.edits import Edit, Layer, Place, apply_edits, excerpt, place_of, printable

TEXTS = st.text(ANY_CHARACTER, max_size=200) | st.text(
    st.sampled_from("ab\n\t\0 \r{}"), max_size=200
)


class Edited(NamedTuple):
    """A text with sorted edits that do not overlap or touch."""

    source: str
    edits: list[Edit]


@st.composite
def edited(draw: st.DrawFn) -> Edited:
    source = draw(st.text("abcdef", max_size=30))
    places = draw(st.lists(st.integers(0, len(source)), unique=True, max_size=8).map(sorted))
    edits = [
        Edit(start, end, draw(st.text("XYZ", max_size=3)))
        for start, end in zip(places[::2], places[1::2], strict=False)
    ]
    return Edited(source, edits)


# ── edits ─────────────────────────────────────────────────────────────────────


@given(edited())
def test_edits_applied_together_are_edits_applied_one_by_one_from_the_end(given_: Edited) -> None:
    text = given_.source
    for start, end, new in reversed(given_.edits):
        text = text[:start] + new + text[end:]
    assert apply_edits(given_.source, given_.edits) == text
    assert Layer.over(given_.source, given_.edits).text == text


@given(st.text())
def test_no_edits_change_nothing(text: str) -> None:
    assert apply_edits(text, []) == text
    layer = Layer.over(text, [])
    assert [layer.source_start(at) for at in range(len(text))] == list(range(len(text)))
    assert [layer.source_end(at) for at in range(len(text) + 1)] == list(range(len(text) + 1))


@given(edited())
def test_a_character_that_was_kept_maps_back_to_itself(given_: Edited) -> None:
    layer = Layer.over(given_.source, given_.edits)
    for at, char in enumerate(layer.text):
        if char.islower():
            start = layer.source_start(at)
            assert given_.source[start] == char
            assert layer.source_end(at + 1) == start + 1


@given(edited())
def test_a_character_that_was_written_maps_back_to_the_span_it_replaced(given_: Edited) -> None:
    layer = Layer.over(given_.source, given_.edits)
    for edit, began in zip(layer.edits, layer.starts, strict=True):
        assert layer.text[began : began + len(edit.new)] == edit.new
        for at in range(began, began + len(edit.new)):
            assert (layer.source_start(at), layer.source_end(at + 1)) == (edit.start, edit.end)


@given(edited())
def test_places_map_back_in_order(given_: Edited) -> None:
    layer = Layer.over(given_.source, given_.edits)
    places = range(len(layer.text) + 1)
    starts = [layer.source_start(at) for at in places]
    ends = [layer.source_end(at) for at in places]
    assert starts == sorted(starts)
    assert ends == sorted(ends)
    assert all(0 <= place <= len(given_.source) for place in (*starts, *ends))


@given(edited(), st.integers(0, 30), st.integers(0, 30))
def test_the_edits_between_two_places_are_those_that_lie_there(
    given_: Edited, start: int, end: int
) -> None:
    layer = Layer.over(given_.source, given_.edits)
    inside = [at for at, edit in enumerate(given_.edits) if start <= edit.start and edit.end <= end]
    assert list(layer.between(start, end)) == inside


# ── places ────────────────────────────────────────────────────────────────────


@given(TEXTS, st.integers(0, 200))
def test_a_place_is_the_line_and_column_that_an_editor_shows(text: str, at: int) -> None:
    at = min(at, len(text))
    before = text[:at].split("\n")
    assert place_of(text, at) == Place(len(before), len(before[-1]) + 1)


@pytest.mark.parametrize("at", [-1, 99])
def test_a_place_outside_the_text_is_its_nearest_end(at: int) -> None:
    assert place_of("a\nb", at) == place_of("a\nb", 0 if at < 0 else 3)


@given(TEXTS)
@example("\ud800\x00\x1b\u2028\x85")
def test_what_is_shown_is_one_printable_character_for_each(text: str) -> None:
    shown = printable(text)
    assert len(shown) == len(text)
    assert shown.isprintable()


@given(TEXTS, st.integers(0, 200), st.integers(1, 80))
@example("a" * 200, 100, 60)
@example("a" * 200, 200, 60)
@example("\n\n", 1, 60)
def test_the_caret_stands_under_the_character_it_means(text: str, at: int, width: int) -> None:
    at = min(at, len(text))
    line, carets = excerpt(text, at, width=width)
    column = carets.index("^")
    assert carets == " " * column + "^"
    assert len(line) <= width + 2
    if at == len(text) or text[at] == "\n":
        assert column == len(line)
    else:
        assert line[column] == printable(text[at])


@given(TEXTS, st.integers(0, 200), st.integers(0, 40))
def test_carets_cover_the_span_as_far_as_its_line_is_shown(
    text: str, start: int, size: int
) -> None:
    start = min(start, len(text))
    end = min(start + size, len(text))
    line, carets = excerpt(text, start, end)
    column, count = carets.index("^"), carets.count("^")
    assert carets == " " * column + "^" * count
    assert 1 <= count <= max(1, end - start)
    assert column + count <= len(line) + 1
    covered = line[column : column + count]
    assert printable(text[start : start + len(covered)]) == covered


def test_a_long_line_is_shortened_on_both_sides() -> None:
    line, carets = excerpt("x" * 50 + "!" + "y" * 50, 50, width=10)
    assert line == "…xxxxx!yyyy…"
    assert carets == "      ^"


def test_only_the_line_of_the_place_is_shown() -> None:
    assert excerpt("one\ntwo\nthree", 5) == ("two", " ^")
