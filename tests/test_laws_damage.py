"""Damage a valid object: the outcome is the original value or a refusal, never another value."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from oracles import is_part, strings_of
from strategies import CONTAINERS

from benchmarks.damage import DAMAGES, Damage, damaged_payload
from benchmarks.judge import changed_string, same
from benchmarks.no_json import EXPRESSIONS, NO_JSON
from benchmarks.payloads import Payload
from benchmarks.tokens import STYLES, Token, text_of, tokenise
from zkit import Rank, Repaired, Unrepairable, repair_json

SEEDS = range(40)

UNDECIDABLE = {
    "inner_quote_alone": "one quote in a string is as good an end of it as the right one",
    "raw_code": "code may hold what looks like the members that follow",
    "under_escaped": "a quote after a lost backslash ends the string",
    "under_escaped_mixed": "a single backslash before n or t is a valid escape",
    "under_escaped_tail": "an escaped last quote is what a cut string looks like",
    "triple_quotes": "three quotes may stand inside too",
    "missing_open_quote_value": "the text between may belong to either string",
    "missing_close_quote_value": "the text between may belong to either string",
    "early_closer": "members after it fit both objects where both are open",
}
"""Damages after which the text says two things; the benchmark counts how often zkit errs."""

UNDECIDABLE_WITHOUT_SCHEMA = {
    **UNDECIDABLE,
    "inner_quotes_code": "nothing tells a key from a string in code",
    "inner_quotes_all": "nothing tells a key from a string in code",
    "single_quotes_apostrophe": "an apostrophe before a comma ends a string",
    "unquoted_address": "an address may go on after its comma",
    "missing_closer_mid": "members after it fit either object",
    "missing_opener_mid": "members after it fit either object",
    "double_encoded": "strictly valid: a string, where nobody said that an object is expected",
    "draft_object": "refused: several values",
}


def cases(damage: Damage) -> Iterator[tuple[Payload, str]]:
    for seed in SEEDS:
        found = damaged_payload(Random(f"{damage.name} {seed}"), (damage,))
        if found is not None:
            yield found


def assert_never_another_value(text: str, truth: Any, schema: Any) -> None:
    outcome = repair_json(text, schema=schema)
    if isinstance(outcome, Repaired) and not outcome.lossy:
        assert same(outcome.value, truth)
    elif isinstance(outcome, Repaired):
        assert is_part(outcome.value, truth)


@pytest.mark.parametrize(
    "damage", [d for d in DAMAGES if d.name not in UNDECIDABLE], ids=lambda damage: damage.name
)
def test_with_a_schema_the_outcome_is_the_original_or_a_refusal(damage: Damage) -> None:
    for payload, text in cases(damage):
        assert_never_another_value(text, payload.truth, payload.schema)


@pytest.mark.parametrize(
    "damage",
    [d for d in DAMAGES if d.name not in UNDECIDABLE_WITHOUT_SCHEMA],
    ids=lambda damage: damage.name,
)
def test_without_a_schema_the_outcome_is_the_original_or_a_refusal(damage: Damage) -> None:
    for payload, text in cases(damage):
        assert_never_another_value(text, payload.truth, None)


HIGHER = {
    "equals_sign": "`:=` has a mark too many, which is COMPLETE",
    "unquoted_word": "bare words are a GUESS, be it one or several",
    "prose_braces": "a closer after the value is COMPLETE",
    "prose_braces_after": "a closer after the value is COMPLETE",
}
"""Damages that the benchmark ranks lower than the fix table does."""


@pytest.mark.parametrize(
    "damage",
    [
        d
        for d in DAMAGES
        if d.rank in ("UNWRAP", "RESPELL") and d.name not in {**UNDECIDABLE, **HIGHER}
    ],
    ids=lambda damage: damage.name,
)
def test_what_only_surrounds_or_respells_is_always_read_at_that_rank(damage: Damage) -> None:
    for payload, text in cases(damage):
        outcome = repair_json(text, schema=payload.schema, limit=Rank.RESPELL)
        assert isinstance(outcome, Repaired)
        assert same(outcome.value, payload.truth)


def test_the_exceptions_are_damages_of_the_table() -> None:
    assert set(UNDECIDABLE_WITHOUT_SCHEMA) <= {damage.name for damage in DAMAGES}


# ── locality ──────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("with_schema", [True, False], ids=["schema", "bare"])
@pytest.mark.parametrize(
    "damage", [d for d in DAMAGES if not d.in_strings], ids=lambda damage: damage.name
)
def test_a_damage_outside_every_string_leaves_all_strings_byte_equal(
    damage: Damage, with_schema: bool
) -> None:
    for payload, text in cases(damage):
        outcome = repair_json(text, schema=payload.schema if with_schema else None)
        if isinstance(outcome, Repaired) and not outcome.lossy:
            assert not changed_string(outcome.value, payload.truth)


EDITS = {"delete": "", "double": "{0}{0}", "move away": " {0} "}
SPACED = [style for style in STYLES if style.name != "compact"]
"""Where a comma is followed by white space, so that its loss does not glue two numbers together."""


@given(CONTAINERS, st.sampled_from(SPACED), st.sampled_from(sorted(EDITS)), st.data())
def test_an_edit_of_a_mark_between_strings_makes_no_new_string(
    value: Any, style: Any, edit: str, data: st.DataObject
) -> None:
    tokens = tokenise(value, style)
    marks = [at for at, t in enumerate(tokens) if t.kind in ("open", "close", "comma", "colon")]
    at = data.draw(st.sampled_from(marks))
    edited = replace(tokens[at], body=EDITS[edit].format(tokens[at].body))
    assert_no_new_string([*tokens[:at], edited, *tokens[at + 1 :]], value)


def assert_no_new_string(tokens: list[Token], value: Any) -> None:
    outcome = repair_json(text_of(tokens))
    assume(isinstance(outcome, Repaired))
    assert isinstance(outcome, Repaired)
    if not outcome.lossy and not any(NEVER_MEANT.search(string) for string in strings_of(value)):
        assert strings_of(outcome.value) <= strings_of(value)


NEVER_MEANT = re.compile(r"[\b\f][A-Za-z]{2}")
"""In a damaged text these are a backslash and a word."""


# ── nothing out of nothing ────────────────────────────────────────────────────


@pytest.mark.parametrize("text", NO_JSON)
def test_no_object_comes_out_of_a_text_that_has_none(text: str) -> None:
    outcome = repair_json(text)
    assert isinstance(outcome, Unrepairable) or not isinstance(outcome.value, dict | list)


@pytest.mark.parametrize("expression", EXPRESSIONS)
@pytest.mark.parametrize(
    "schema", [None, {"type": "object", "properties": {"n": {"type": "integer"}}}]
)
def test_an_expression_is_refused_and_never_shortened(expression: str, schema: Any) -> None:
    outcome = repair_json(f'{{"s": "x", "n": {expression}, "t": true}}', schema=schema)
    assert isinstance(outcome, Unrepairable)
