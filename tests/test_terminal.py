"""Nothing that somebody else wrote controls the terminal."""

from __future__ import annotations

import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zkit.cli.streams import is_printable, printable, printable_json, printable_line

# What terminals and text layout obey; the strategy draws from it often.
OBEYED = (
    *map(chr, range(0x20)),
    *map(chr, range(0x7F, 0xA0)),
    *"\u061c\u200e\u200f\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069",
    "\U000e0001",
    "\U000e0041",
    "\ud800",
)
ANY_TEXT = st.lists(st.one_of(st.text(max_size=5), st.sampled_from(OBEYED))).map("".join)


@given(ANY_TEXT)
def test_no_character_that_controls_a_terminal_passes(text: str) -> None:
    shown = printable(text)
    for one in shown:
        assert one in "\n\t" or unicodedata.category(one) not in ("Cc", "Cs", "Zl", "Zp")
        assert unicodedata.bidirectional(one) not in (
            *("LRE", "RLE", "LRO", "RLO", "PDF"),
            *("LRI", "RLI", "FSI", "PDI"),
        )
    assert is_printable(shown)
    shown.encode("utf-8")


@given(ANY_TEXT)
def test_what_was_made_printable_stays_as_it_is(text: str) -> None:
    shown = printable(text)
    assert printable(shown) == shown


@given(st.text(st.characters(exclude_categories=("Cc", "Cs", "Cf", "Zl", "Zp"))))
def test_ordinary_text_is_not_changed(text: str) -> None:
    assert printable(text) == text


@given(ANY_TEXT)
def test_a_line_has_no_line_end(text: str) -> None:
    assert len(printable_line(text).splitlines()) <= 1
    assert len(printable_line(text, 20)) <= 20


@given(st.recursive(ANY_TEXT, lambda inner: st.lists(inner) | st.dictionaries(ANY_TEXT, inner)))
def test_json_keeps_its_value(value: object) -> None:
    shown = printable_json(json.dumps(value, ensure_ascii=False))
    assert json.loads(shown) == json.loads(json.dumps(value))
    assert is_printable(shown)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b]0;owned\x07", "\\x1b]0;owned\\x07"),
        ("\x1b[2J\x1b[H", "\\x1b[2J\\x1b[H"),
        ("\u009b2J", "\\x9b2J"),
        ("a\u202egpj.exe", "a\\u202egpj.exe"),
        ("safe\rEVIL", "safe\\x0dEVIL"),
        ("one\r\ntwo\tthree", "one\ntwo\tthree"),
        ("Ж 日本 👩‍💻 naïve", "Ж 日本 👩‍💻 naïve"),
    ],
)
def test_escapes_are_shown(text: str, shown: str) -> None:
    assert printable(text) == shown
