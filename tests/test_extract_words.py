"""Whether a call is made, where only the words around it tell: every meaning in every language."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path

import pytest
from extract_samples import TOOLS

from zkit.calls import Call
from zkit.extract import find_calls, render_call
from zkit.extract.around.tables import LANGUAGES, meanings

Table = Mapping[str, Mapping[str, list[str]]]
FRAMES = Path(__file__).parent / "frames_by_meaning"
FORMATS = ("hermes_json", "kimi_k2", "qwen3_coder", "pythonic_list")
"""A tag, a special token, a tag with parameters, a bare shape."""
CALL = Call("send_mail", arguments={"to": "ann", "copies": 2})


def frames_of(name: str) -> Table:
    """Texts around `CALL`, by what they mean and by language."""
    return tomllib.loads((FRAMES / f"{name}.toml").read_text(encoding="utf-8"))


SPOKEN_OF = frames_of("spoken_of")
MADE = frames_of("made")
MADE_BEFORE_TEXT = frames_of("made_before_text")
MADE_WITH_A_MARKER = frames_of("made_with_a_marker")
SHOWN_AS_DATA = frames_of("shown_as_data")


def cells(table: Table) -> list[object]:
    """One parameter a meaning and a language."""
    return [
        pytest.param(frames, id=f"{meaning}-{language}")
        for meaning, row in table.items()
        for language, frames in row.items()
    ]


def found(frames: list[str], formats: tuple[str, ...] = FORMATS) -> dict[str, int]:
    """How many calls are found in each frame and format."""
    return {
        f"{name}: {frame}": len(
            find_calls(frame.replace("CALL", render_call(CALL, name)), TOOLS).calls
        )
        for frame in frames
        for name in formats
    }


@pytest.mark.parametrize("frames", cells(SPOKEN_OF))
def test_a_call_that_is_spoken_of_is_none(frames: list[str]) -> None:
    assert [frame for frame, calls in found(frames).items() if calls != 0] == []


@pytest.mark.parametrize("frames", cells(MADE))
def test_a_call_that_is_made_is_one(frames: list[str]) -> None:
    assert [frame for frame, calls in found(frames).items() if calls != 1] == []


@pytest.mark.parametrize("frames", cells(MADE_BEFORE_TEXT))
def test_a_call_that_is_made_is_one_whatever_is_promised_after_it(frames: list[str]) -> None:
    assert [frame for frame, calls in found(frames, FORMATS[:3]).items() if calls != 1] == []


@pytest.mark.parametrize("frames", cells(MADE_WITH_A_MARKER) + cells(SHOWN_AS_DATA))
def test_where_nobody_announces_a_call_a_marker_makes_one(frames: list[str]) -> None:
    assert [frame for frame, calls in found(frames, FORMATS[:3]).items() if calls != 1] == []


@pytest.mark.parametrize("frames", cells(SHOWN_AS_DATA))
def test_where_nobody_announces_a_call_its_shape_makes_none(frames: list[str]) -> None:
    shapes = ("pythonic_list", "json_object_bare")
    assert [frame for frame, calls in found(frames, shapes).items() if calls != 0] == []


@pytest.mark.parametrize(
    ("line", "leads"),
    [
        ("Weather in Oslo:", True),
        ("Oslo, three days:", True),
        ("Expected for Oslo:", False),
        ("Log entry, Oslo:", False),
        ("Oslo:", False),
        ("#+begin_oslo weather", False),
    ],
)
def test_a_line_that_says_what_the_call_says_leads_to_it(line: str, leads: bool) -> None:
    tool = {"name": "weather", "parameters": {"properties": {"city": {"type": "string"}, "days": {"type": "string"}}, "required": ["city"]}}  # fmt: skip
    call = Call("weather", arguments={"city": "Oslo", "days": "three"})
    text = f"{line}\n\n{render_call(call, 'hermes_json')}"
    assert bool(find_calls(text, [tool]).calls) == leads


@pytest.mark.parametrize(
    "line", ["(1/2)", "→ send_mail", "🔧 `send_mail`", "Step 1 of 2: send_mail"]
)
def test_a_line_that_counts_or_names_the_call_leads_to_it(line: str) -> None:
    assert set(found([f"{line}\n\nCALL"]).values()) == {1}


@pytest.mark.parametrize("line", ["(page 1/2 of the log)", "→ the log says", "→ 42", "Figure 1/2:"])
def test_a_line_that_counts_or_points_at_something_else_does_not(line: str) -> None:
    assert set(found([f"{line}\n\nCALL"]).values()) == {0}


@pytest.mark.parametrize("meaning", meanings())
def test_every_meaning_has_words_in_every_language(meaning: str) -> None:
    assert list(meanings()[meaning]) == list(LANGUAGES)
    assert all(meanings()[meaning].values())


@pytest.mark.parametrize(
    "table", [SPOKEN_OF, MADE, MADE_BEFORE_TEXT, MADE_WITH_A_MARKER, SHOWN_AS_DATA]
)
def test_every_meaning_has_texts_in_every_language(table: Table) -> None:
    assert {tuple(row) for row in table.values()} == {LANGUAGES}
