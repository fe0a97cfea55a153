"""Whether a call is made, where only the words around it tell: every meaning in every language."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from extract_matrix import MADE, MADE_BEFORE_TEXT, SPOKEN_OF
from extract_samples import TOOLS

from zkit.calls import Call
from zkit.extract import find_calls, render_call
from zkit.extract.around.tables import LANGUAGES, meanings

Table = Mapping[str, Mapping[str, tuple[str, ...]]]
FORMATS = ("hermes_json", "kimi_k2", "qwen3_coder", "pythonic_list")
"""A tag, a special token, a tag with parameters, a bare shape."""
CALL = Call("send_mail", arguments={"to": "ann", "copies": 2})


def cells(table: Table) -> list[object]:
    """One parameter a meaning and a language."""
    return [
        pytest.param(frames, id=f"{meaning}-{language}")
        for meaning, row in table.items()
        for language, frames in row.items()
    ]


def found(frames: tuple[str, ...], formats: tuple[str, ...] = FORMATS) -> dict[str, int]:
    """How many calls are found in each frame and format."""
    return {
        f"{name}: {frame}": len(
            find_calls(frame.replace("CALL", render_call(CALL, name)), TOOLS).calls
        )
        for frame in frames
        for name in formats
    }


@pytest.mark.parametrize("frames", cells(SPOKEN_OF))
def test_a_call_that_is_spoken_of_is_none(frames: tuple[str, ...]) -> None:
    assert [frame for frame, calls in found(frames).items() if calls != 0] == []


@pytest.mark.parametrize("frames", cells(MADE))
def test_a_call_that_is_made_is_one(frames: tuple[str, ...]) -> None:
    assert [frame for frame, calls in found(frames).items() if calls != 1] == []


@pytest.mark.parametrize("frames", cells(MADE_BEFORE_TEXT))
def test_a_call_that_is_made_is_one_whatever_is_promised_after_it(frames: tuple[str, ...]) -> None:
    assert [frame for frame, calls in found(frames, FORMATS[:3]).items() if calls != 1] == []


@pytest.mark.parametrize("meaning", meanings())
def test_every_meaning_has_words_in_every_language(meaning: str) -> None:
    assert list(meanings()[meaning]) == list(LANGUAGES)
    assert all(meanings()[meaning].values())


@pytest.mark.parametrize("table", [SPOKEN_OF, MADE, MADE_BEFORE_TEXT])
def test_every_meaning_has_texts_in_every_language(table: Table) -> None:
    assert {tuple(row) for row in table.values()} == {LANGUAGES}
