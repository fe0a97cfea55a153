"""No text is too deep, too long or too odd: it is read or refused, without recursion."""

from __future__ import annotations

import json

import pytest

from zkit import PartialReader, Repaired, Unrepairable, repair_all, repair_json
from zkit.repair.limits import MAX_CHARACTERS, MAX_DEPTH, MAX_VALUES

MANY = 10_000_000
SOME = 30_000
UNITS = {
    "letters": "a",
    "digits": "0",
    "quotes": '"',
    "apostrophes": "'",
    "backslashes": "\\",
    "commas": ",",
    "colons": ":",
    "line ends": "\n",
    "NULs": "\0",
    "lone surrogates": "\ud800",
    "slashes": "/",
    "hashes": "#",
    "opening braces": "{",
    "opening brackets": "[",
    "closing braces": "}",
    "closing brackets": "]",
}
MIXED = {
    "keys": '{"a":',
    "single-quoted keys": "{'a':",
    "open strings": '["',
    "empty strings": '[""',
    "half keys": '{"',
    "comments": "/*",
    "fences": "```\n",
    "reasoning": "<think>",
    "entities": "&quot;",
    "escaped quotes": '\\"',
    "ellipses": "...",
    "numbers": "1,",
    "objects": '{"a": 1}\n',
    "broken objects": '{"a": 1',
    "tuples": "(",
}


def nested(depth: int, inner: str = "") -> str:
    return "[" * depth + inner + "]" * depth


@pytest.mark.parametrize("inner", ["", '"\\ud800"', '"é"', "0"])
def test_the_documented_depth_is_read(inner: str) -> None:
    outcome = repair_json(nested(MAX_DEPTH, inner))
    assert isinstance(outcome, Repaired)
    assert not outcome.fixes
    assert outcome.value == json.loads(nested(MAX_DEPTH, inner))


@pytest.mark.parametrize("inner", ["", '"\\ud800"', "'x'", "0,"])
@pytest.mark.parametrize("depth", [MAX_DEPTH + 2, 500, 990, 5000])
def test_a_deeper_value_is_refused_as_too_deep(depth: int, inner: str) -> None:
    outcome = repair_json(nested(depth, inner))
    assert isinstance(outcome, Unrepairable)
    assert outcome.reason == "too_deep"


@pytest.mark.parametrize("opener", ["[", "{", '{"a":', '[{"a":', "{'a':["])
def test_a_million_brackets_are_refused(opener: str) -> None:
    outcome = repair_json(opener * (1_000_000 // len(opener)))
    assert isinstance(outcome, Unrepairable)
    assert outcome.message


@pytest.mark.parametrize("unit", [*UNITS.values(), *MIXED.values()], ids=[*UNITS, *MIXED])
def test_a_long_text_of_one_thing_is_read_or_refused(unit: str) -> None:
    text = unit * (SOME // len(unit))
    assert isinstance(repair_json(text), Repaired | Unrepairable)
    assert isinstance(repair_all(text), list)


@pytest.mark.parametrize("unit", ["a", ",", "\\", "'", "[", "}", "\0"])
def test_ten_megabytes_of_one_character_are_read_or_refused(unit: str) -> None:
    assert isinstance(repair_json(unit * MANY), Repaired | Unrepairable)


def test_ten_megabytes_in_a_damaged_string_are_read() -> None:
    outcome = repair_json('{"a": "' + "x\n" * (MANY // 2) + '",}')
    assert isinstance(outcome, Repaired)
    assert outcome.value == {"a": "x\n" * (MANY // 2)}


def test_a_text_beyond_the_size_limit_is_refused_as_too_large() -> None:
    outcome = repair_json("{" + " " * MAX_CHARACTERS)
    assert isinstance(outcome, Unrepairable)
    assert outcome.reason == "too_large"


def test_a_valid_text_beyond_the_size_limit_is_still_read() -> None:
    outcome = repair_json("{}" + " " * MAX_CHARACTERS)
    assert isinstance(outcome, Repaired)
    assert outcome.value == {}


@pytest.mark.slow
@pytest.mark.parametrize("unit", ['{"a": 1}\n', "{'a': 1}\n", "use {x: 1}, or\n"])
def test_more_values_than_the_limit_are_refused_as_too_large(unit: str) -> None:
    assert _reason(unit * (MAX_VALUES + 1)) == "too_large"
    assert _reason(unit * MAX_VALUES) != "too_large"


def test_all_values_of_a_text_beyond_the_limit_are_found() -> None:
    assert len(repair_all("{'a': 1}\n" * (MAX_VALUES + 1))) == MAX_VALUES + 1


def _reason(text: str) -> str:
    outcome = repair_json(text)
    return outcome.reason if isinstance(outcome, Unrepairable) else ""


def test_too_many_structural_fixes_mean_that_it_is_no_json() -> None:
    assert isinstance(repair_json("[" + "1 " * 5000 + "]"), Repaired | Unrepairable)
    assert isinstance(repair_json("[" + ",:]}" * 5000), Unrepairable)


@pytest.mark.parametrize("unit", [*UNITS.values(), *MIXED.values()], ids=[*UNITS, *MIXED])
def test_the_partial_reader_takes_any_flood_of_chunks(unit: str) -> None:
    reader = PartialReader()
    for _ in range(2000):
        reader.feed(unit)
    repr(reader.stuck)
    assert isinstance(reader.close(), Repaired | Unrepairable)
