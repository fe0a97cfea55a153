"""What a model reads when its arguments are refused, pinned word by word."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field, field_validator

from zkit import Rank, Validation, decode


class Search(BaseModel):
    """A tool with bounds, known values and a list."""

    model_config = ConfigDict(extra="forbid")

    query: str
    limit: int = Field(default=10, ge=1, le=100)
    sort: Literal["newest", "oldest"] = "newest"
    tags: list[str] = []


class Line(BaseModel):
    """A part with a pattern."""

    model_config = ConfigDict(extra="forbid")

    sku: str = Field(pattern="^[A-Z]{2}-[0-9]+$")
    count: int


class Card(BaseModel):
    """One of two, told by its tag."""

    model_config = ConfigDict(extra="forbid")

    kind: Literal["card"]
    number: str


class Cash(BaseModel):
    """The other one."""

    model_config = ConfigDict(extra="forbid")

    kind: Literal["cash"]


class Pay(BaseModel):
    """A tool with objects further down."""

    order: int
    lines: list[Line]
    by: Card | Cash = Field(default=Cash(kind="cash"), discriminator="kind")


def head(path: str, lines: int = 10) -> None:
    """Show the first lines of a file."""


SAID: dict[str, tuple[Any, Any, str]] = {
    "a field that is missing": (
        Search,
        '{"limit": 5}',
        """\
The arguments were refused.
query: missing, expected a text.
Send the call again, for example with: {"query": "<query>", "limit": 5}""",
    ),
    "a number that is out of bounds": (
        Search,
        '{"query": "cats", "limit": 0}',
        """\
The arguments were refused.
limit: got 0, expected an integer at least 1 and at most 100.
Send the call again, for example with: {"query": "cats", "limit": 10}""",
    ),
    "a value that is not among the known ones": (
        Search,
        '{"query": "cats", "sort": "newst"}',
        """\
The arguments were refused.
sort: got "newst", expected one of "newest", "oldest"; did you mean "newest"?
Send the call again, for example with: {"query": "cats", "sort": "newest"}""",
    ),
    "a key that may stand for a field": (
        Search,
        '{"query": "cats", "max_limit": 3}',
        """\
The arguments were refused.
max_limit: no such field; did you mean "limit"?
Send the call again, for example with: {"query": "cats"}""",
    ),
    "a text that is a list or its only item": (
        Search,
        '{"query": "cats", "tags": "a, b"}',
        """\
The arguments were refused.
tags: got "a, b", which can be read in more than one way: ["a, b"] or ["a", "b"].
Send the call again, for example with: {"query": "cats", "tags": ["<tags>"]}""",
    ),
    "several problems, and the tool's name": (
        head,
        '{"file": "a.txt", "lines": "ten"}',
        """\
The arguments for "head" were refused.
lines: got "ten", expected an integer.
path: missing, expected a text; you sent "file", which is not a field.
Send the call again, for example with: {"path": "<path>", "lines": 10}""",
    ),
    "a field that is missing further down": (
        Pay,
        '{"order": 5, "lines": [{"sku": "AB-1"}, {"sku": "ab", "count": 2}]}',
        """\
The arguments were refused.
lines[0].count: missing, expected an integer.
lines[1].sku: got "ab", expected a text that matches ^[A-Z]{2}-[0-9]+$.
Send the call again, for example with: {"order": 5, "lines": [{"sku": "AB-1", "count": 1}, {"sku": "AA-0", "count": 2}]}""",
    ),
    "an object without the tag that tells what it is": (
        Pay,
        '{"order": 5, "lines": [], "by": {"number": "4111"}}',
        """\
The arguments were refused.
by.kind: missing, expected one of "card", "cash".
Send the call again, for example with: {"order": 5, "lines": [], "by": {"kind": "card", "number": "4111"}}""",
    ),
    "an object with a tag and a field of another": (
        Pay,
        '{"order": 5, "lines": [], "by": {"kind": "cash", "number": "4111"}}',
        """\
The arguments were refused.
by.number: no such field.
Send the call again, for example with: {"order": 5, "lines": [], "by": {"kind": "cash"}}""",
    ),
    "a declaration that was echoed": (
        head,
        '{"type": "object", "properties": {"path": {"type": "string"}}}',
        """\
The arguments for "head" were refused.
got the declaration of the parameters, expected values for them.
Send the call again, for example with: {"path": "<path>"}""",
    ),
    "a call to another tool": (
        head,
        '{"name": "tail", "arguments": {"path": "a.txt"}}',
        """\
The arguments for "head" were refused.
got a whole call to "tail", expected the arguments of "head".
Send the call again, for example with: {"path": "<path>"}""",
    ),
    "a text that was cut": (
        head,
        '{"path": "a.t',
        """\
The arguments for "head" were refused.
The text was cut off after 13 characters, so data is missing.
At line 1, column 14:
  {"path": "a.t
               ^
Send it again with less in it: shorten the longest string, or split the work into several calls.""",
    ),
    "nothing at all": (
        head,
        "",
        """\
The arguments for "head" were refused.
got "", expected an object.
Send the call again, for example with: {"path": "<path>"}""",
    ),
}


@pytest.mark.parametrize("case", SAID)
def test_the_message_names_the_field_what_arrived_and_the_next_move(case: str) -> None:
    model, raw, said = SAID[case]
    outcome = decode(model, raw)
    assert isinstance(outcome, Validation)
    assert outcome.message == said


def test_a_guess_over_the_limit_says_what_would_have_been_guessed() -> None:
    outcome = decode(Search, '{"query": "cats", "sort": "old"}', limit=Rank.COMPLETE)
    assert isinstance(outcome, Validation)
    assert outcome.message == (
        "The arguments were refused.\n"
        'sort: "old" is not exact enough here; did you mean "oldest"?\n'
        'Send the call again, for example with: {"query": "cats", "sort": "oldest"}'
    )


CLOSED = {
    "type": "object",
    "properties": {"path": {"type": "string"}, "force": {"type": "boolean"}},
    "required": ["path"],
    "additionalProperties": False,
}


@pytest.mark.parametrize(
    ("raw", "line"),
    [
        ('{"path": "a", "dry_run": true}', "dry_run: no such field."),
        (
            '{"path": "a", "forse": true}',
            'force: missing, expected true or false; you sent "forse", which is not a field.',
        ),
        ('{"arguments": {"path": "a", "forse": true}}', "force: missing, expected true or false."),
    ],
)
def test_a_key_over_the_limit_is_named_as_what_it_is(raw: str, line: str) -> None:
    outcome = decode(CLOSED, raw, limit=Rank.COMPLETE)
    assert isinstance(outcome, Validation)
    assert outcome.message.splitlines()[1] == line


def test_many_problems_and_long_values_stay_short() -> None:
    raw = {"query": ["x" * 10_000, 1], "limit": "y" * 10_000, "sort": 1, "tags": [{}] * 5_000}
    outcome = decode(Search, raw)
    assert isinstance(outcome, Validation)
    assert len(outcome.message) < 1_000
    assert outcome.message.count("\n") <= 8


def test_problems_are_data_too() -> None:
    outcome = decode(Search, '{"limit": 0, "sort": "newst"}')
    assert isinstance(outcome, Validation)
    found = [(p.path, p.code, p.got, p.hint) for p in outcome.problems]
    assert found == [
        ("limit", "bad_value", "0", ""),
        ("sort", "bad_value", '"newst"', '"newest"'),
        ("query", "missing", "nothing", ""),
    ]


class Price(BaseModel):
    """A number that must be exact, and has a rule of its own."""

    amount: Decimal
    count: int = 1

    @field_validator("count")
    @classmethod
    def _count(cls, count: int) -> int:
        if count > 3:
            raise ValueError("must be small, not big")
        return count


@pytest.mark.parametrize(
    ("raw", "line"),
    [
        ('{"amount": "much"}', 'amount: got "much", expected a number.'),
        (
            '{"amount": 1, "count": 5}',
            "count: got 5, expected another value: must be small, not big.",
        ),
        ('{"amount": 1, "count": 007}', "A number begins with a zero, which JSON does not allow."),
        ('{"amount": 1, "count": ' + "9" * 5000 + "}", "A number has too many digits to be read."),
    ],
)
def test_what_is_wrong_with_a_number_is_said(raw: str, line: str) -> None:
    """And not that it may be a text, or that quotes must be escaped."""
    assert line in str(decode(Price, raw)).split("\n")


def test_a_call_over_the_limit_is_shown_as_it_would_have_been_read() -> None:
    """What was sent under a misspelt key is not lost from the example."""
    refused = decode(Search, '{"Query": "cats", "limti": "5"}', limit=Rank.COMPLETE)
    assert 'for example with: {"query": "cats", "limit": 5}' in str(refused)
    refused = decode(Pay, '{"ordre": 7, "lines": [], "by": "x"}')
    assert 'for example with: {"order": 7, "lines": []' in str(refused)
