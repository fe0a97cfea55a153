"""What a model reads when its text is refused: pinned word for word."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import ANY_TEXT, CLOSED, LIMITS

from zkit import Rank, Unrepairable, repair_json
from zkit.repair.fixes import REASONS
from zkit.repair.limits import MAX_CHARACTERS

FILE = {
    "type": "object",
    "properties": {
        "path": {"type": "string"},
        "line": {"type": ["integer", "null"]},
        "rest": {},
    },
    "required": ["path"],
}


def refused(text: str, **options: Any) -> Unrepairable:
    outcome = repair_json(text, **options)
    assert isinstance(outcome, Unrepairable)
    return outcome


SNAPSHOTS: dict[str, tuple[str, dict[str, Any], str]] = {
    "empty": (
        " \n",
        {},
        """\
The text is empty: no JSON arrived.
Send one JSON object.""",
    ),
    "no_json": (
        "I can't do that.",
        {},
        """\
The text holds no JSON object or list.
Send one JSON object and nothing else.""",
    ),
    "damaged": (
        '{"a": 1, "b": }x',
        {},
        """\
The text is not valid JSON, and there is no single way to repair it.
At line 1, column 15:
  {"a": 1, "b": }x
                ^
Send the whole JSON again: double quotes around keys and strings, a comma between members, no text around it.""",
    ),
    "ambiguous": (
        '{"a": "x", "b": "y" "z"}',
        {},
        """\
The text is not valid JSON, and it can be read in two ways.
At line 1, column 20:
  {"a": "x", "b": "y" "z"}
                     ^
Send the whole JSON again, with each quote inside a string written as \\" and each backslash as \\\\.""",
    ),
    "several": (
        '{"a": 1}\n{"a": 2}',
        {},
        """\
The text holds several different JSON values, but exactly one is expected.
At line 2, column 1:
  {"a": 2}
  ^
Send only the one that counts.""",
    ),
    "expression": (
        '{"a": 1024 - 24}',
        {},
        """\
A value is an expression or a call, not a JSON value. Nothing is evaluated here.
At line 1, column 11:
  {"a": 1024 - 24}
            ^
Send the value itself: a number, a string in double quotes, true, false, null, a list or an object.""",
    ),
    "limit": (
        '{"a": 1 "b": 2}',
        {"limit": Rank.RESPELL},
        """\
The text is not valid JSON, and repairing it takes more guessing than is allowed here.
At line 1, column 8:
  {"a": 1 "b": 2}
         ^
Send the whole JSON again in strict form.""",
    ),
    "cut": (
        '{"path": "a.py", "content": "import o',
        {"limit": Rank.GUESS},
        """\
The text was cut off after 37 characters, so data is missing.
At line 1, column 38:
  {"path": "a.py", "content": "import o
                                       ^
Send it again with less in it: shorten the longest string, or split the work into several calls.""",
    ),
    "too_deep": (
        "[" * 300,
        {},
        """\
The value is nested too deeply.
At line 1, column 201:
  …[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[…
                                 ^
Send it again with fewer levels of nesting.""",
    ),
    "too_large": (
        "{" * (MAX_CHARACTERS + 1),
        {},
        """\
The text is too large: 33554433 characters, or too many values in it.
Send it again with less in it, or split it into several calls.""",
    ),
}


@pytest.mark.parametrize("reason", REASONS)
def test_each_refusal_says_what_was_found_where_and_what_to_send(reason: str) -> None:
    text, options, message = SNAPSHOTS[reason]
    outcome = refused(text, **options)
    assert outcome.reason == reason
    assert outcome.message == message


def test_with_a_schema_a_refusal_names_the_expected_keys() -> None:
    message = refused("No idea.", schema=FILE).message
    assert message == (
        "The text holds no JSON object or list.\n"
        "Send one JSON object and nothing else.\n"
        'Expected keys: "path" (string), "line" (integer or null, optional), "rest" (any, optional).'
    )


def test_a_schema_with_many_keys_is_named_in_part() -> None:
    many = {"type": "object", "properties": {f"k{at}": {"type": "string"} for at in range(20)}}
    last = refused("", schema=many).message.splitlines()[-1]
    assert last.startswith('Expected keys: "k0" (string, optional), ')
    assert last.endswith('"k11" (string, optional), ....')
    assert "k12" not in last


PLACE = re.compile(r"^At line ([1-9]\d*), column ([1-9]\d*):$", re.MULTILINE)
PYTHON = re.compile(r"\b(?:NoneType|dict|str|int|float|bool|tuple|Traceback|Exception|Error)\b")
WITHOUT_PLACE = {"empty", "no_json", "too_large"}


@given(ANY_TEXT, st.sampled_from([None, CLOSED, FILE]), st.sampled_from(LIMITS))
def test_every_refusal_is_short_names_its_place_and_speaks_no_python(
    text: str, schema: Any, limit: Rank
) -> None:
    outcome = repair_json(text, schema=schema, limit=limit)
    if not isinstance(outcome, Unrepairable):
        return
    lines = outcome.message.split("\n")
    assert len(lines) <= 8
    assert (PLACE.search(outcome.message) is None) is (outcome.reason in WITHOUT_PLACE)
    own_words = [line for line in lines if not line.startswith("  ")]
    assert not PYTHON.search("\n".join(own_words))
    assert all(line.isprintable() for line in lines)
    assert any(line.startswith("Send ") for line in lines)


@given(ANY_TEXT.filter(str.strip))
def test_the_place_in_the_message_is_the_place_of_the_refusal(text: str) -> None:
    outcome = repair_json(text, limit=Rank.UNWRAP)
    if not isinstance(outcome, Unrepairable) or outcome.reason in {*WITHOUT_PLACE, "cut"}:
        return
    found = PLACE.search(outcome.message)
    assert found is not None
    before = text[: outcome.at].split("\n")
    assert (int(found[1]), int(found[2])) == (len(before), len(before[-1]) + 1)
