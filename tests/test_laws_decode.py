"""The laws of decoding, over random schemas and values."""

from __future__ import annotations

import json
import random
from datetime import date
from itertools import combinations
from typing import Any, Literal
from unittest.mock import patch

from hypothesis import assume, given
from hypothesis import strategies as st
from pydantic import BaseModel, Field, ValidationError
from strategies import ANY_TEXT, CONTAINERS, FINISH_REASONS, VALUES

from zkit import Decoded, Rank, Validation, decode
from zkit.arguments import candidate_values as candidates_module
from zkit.arguments import coerce, decoder
from zkit.arguments.plain_slips import coerce_plain_slips
from zkit.arguments.prepare import prepared_for
from zkit.receipt import highest

NAMES = ["city", "max_results", "isOpen", "file-path", "unit", "dry run", "ids", "note"]
WORDS = ["celsius", "fahrenheit", "in_progress", "Done", "read", "readwrite", "a", "A b"]


def _with_values(schema: dict[str, Any], values: st.SearchStrategy[Any]) -> Any:
    return st.tuples(st.just(schema), values)


INTEGERS = st.integers(-5, 2000)
SCALARS = st.one_of(
    _with_values({"type": "string"}, st.text(max_size=8) | st.sampled_from(["5", "true", "[1]"])),
    _with_values({"type": "integer"}, INTEGERS),
    _with_values({"type": "number"}, INTEGERS | st.floats(-10, 10)),
    _with_values({"type": "boolean"}, st.booleans()),
    _with_values({"type": ["integer", "null"]}, INTEGERS | st.none()),
    _with_values({"enum": WORDS}, st.sampled_from(WORDS)),
    _with_values({"type": "string", "format": "date"}, st.dates().map(str)),
    _with_values({"anyOf": [{"type": "integer"}, {"type": "string"}]}, INTEGERS | st.text()),
)


def _grown(inner: Any) -> Any:
    lists = inner.flatmap(
        lambda one: _with_values({"type": "array", "items": one[0]}, st.just([one[1]]))
    )
    return lists | _objects(inner)


def _objects(fields: Any) -> Any:
    parts = st.dictionaries(st.sampled_from(NAMES), st.tuples(fields, st.booleans()), max_size=4)
    return st.builds(_object, parts, st.sampled_from([None, False, True]))


def _object(
    parts: dict[str, tuple[tuple[dict[str, Any], Any], bool]], extra: bool | None
) -> tuple[dict[str, Any], dict[str, Any]]:
    """An object's schema and an instance; a field that is optional may be left out."""
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {name: field for name, ((field, _), _) in parts.items()},
        "required": [name for name, (_, optional) in parts.items() if not optional],
    }
    if extra is not None:
        schema["additionalProperties"] = extra
    return schema, {name: value for name, ((_, value), _) in parts.items()}


TARGETS = _objects(st.recursive(SCALARS, _grown, max_leaves=6))


@given(TARGETS)
def test_a_valid_instance_comes_back_equal_and_unfixed(
    target: tuple[dict[str, Any], dict[str, Any]],
) -> None:
    schema, value = target
    assert decode(schema, json.dumps(value)) == Decoded(value)
    assert decode(schema, value) == Decoded(value)


SLIPS: list[Any] = [
    lambda v: str(v) if isinstance(v, int | float) else v,
    lambda v: json.dumps(v) if isinstance(v, dict | list) else v,
    lambda v: [v] if not isinstance(v, list) else v,
    lambda v: v[0] if isinstance(v, list) and len(v) == 1 else v,
    lambda v: v.upper() if isinstance(v, str) else v,
    lambda v: float(v) if type(v) is int else v,
    lambda v: None,
    lambda v: str(v).lower() if isinstance(v, bool) else v,
]


def _slipped(value: dict[str, Any], index: int, slip: int, key: str) -> dict[str, Any]:
    """The instance with one field changed, or one key spelt otherwise."""
    names = list(value)
    assume(names)
    name = names[index % len(names)]
    if key:
        return {(key if n == name else n): v for n, v in value.items()}
    return {**value, name: SLIPS[slip](value[name])}


PAYLOADS = st.builds(
    lambda target, index, slip, key: (target, _slipped(target[1], index, slip, key)),
    TARGETS,
    st.integers(0, 3),
    st.integers(0, len(SLIPS) - 1),
    st.sampled_from(["", "", "City", "maxResults", "is_open", "FILE PATH", "Unit", "why"]),
)


@given(PAYLOADS)
def test_what_was_decoded_decodes_again_without_a_fix(payload: Any) -> None:
    (schema, _), sent = payload
    outcome = decode(schema, sent)
    if isinstance(outcome, Decoded):
        assert decode(schema, outcome.value) == Decoded(outcome.value)


@given(PAYLOADS, st.randoms(use_true_random=False))
def test_the_order_of_coercions_does_not_change_the_result(
    payload: Any, chance: random.Random
) -> None:
    (schema, _), sent = payload

    def shuffled(*given: Any) -> Any:
        found = candidates_module.candidates(*given)
        chance.shuffle(found)
        return found

    usual = decode(schema, sent)
    with patch.object(coerce, "candidates", shuffled):
        other = decode(schema, sent)
    assert type(usual) is type(other)
    if isinstance(usual, Decoded) and isinstance(other, Decoded):
        assert (usual.value, usual.rank) == (other.value, other.rank)


@given(PAYLOADS)
def test_no_required_field_is_made_up(payload: Any) -> None:
    (schema, _), sent = payload
    assume(schema["required"])
    without = {key: v for key, v in sent.items() if key != schema["required"][0]}
    assume(not any(key not in schema["properties"] for key in without))
    assert isinstance(decode(schema, without), Validation)


@given(PAYLOADS, st.sampled_from(tuple(Rank)[:-2]))
def test_a_lower_limit_never_changes_what_it_allows(payload: Any, limit: Rank) -> None:
    (schema, _), sent = payload
    free, bound = decode(schema, sent), decode(schema, sent, limit=limit)
    if isinstance(bound, Decoded):
        assert bound == free
        assert bound.rank <= limit
    elif isinstance(free, Decoded):
        assert free.rank > limit


@given(PAYLOADS)
def test_the_receipt_names_the_rank_and_every_change(payload: Any) -> None:
    (schema, _), sent = payload
    outcome = decode(schema, sent)
    if isinstance(outcome, Decoded):
        assert outcome.rank == highest(outcome.fixes)
        assert bool(outcome.fixes) == (outcome.value != sent)


@given(ANY_TEXT, st.sampled_from(FINISH_REASONS), TARGETS)
def test_no_text_raises(text: str, finish_reason: str | None, target: Any) -> None:
    outcome = decode(target[0], text, finish_reason=finish_reason)
    assert isinstance(outcome, Decoded | Validation)


@given(st.binary(), TARGETS)
def test_no_bytes_raise(raw: bytes, target: Any) -> None:
    assert isinstance(decode(target[0], raw), Decoded | Validation)


CONSTRAINED = st.sampled_from(
    [
        {"type": "integer", "minimum": 3, "maximum": 9},
        {"type": "integer", "exclusiveMinimum": -7, "exclusiveMaximum": -3},
        {"type": "number", "multipleOf": 0.5, "minimum": 2},
        {"type": "number", "maximum": -2.5},
        {"type": "string", "minLength": 12},
        {"type": "string", "maxLength": 2},
        {"type": "string", "pattern": "^[A-Z]{3}-\\d+(?:x|y)$"},
        {"type": "string", "pattern": "^(?:https?|ftp)://[^/ ]+$"},
        {"type": "string", "format": "date-time"},
        {"type": "string", "format": "uuid"},
        {"type": "string", "format": "email"},
        {"type": "array", "items": {"type": "boolean"}, "minItems": 2},
        {"type": "object", "additionalProperties": {"type": "integer"}},
        {"const": 7},
        {"enum": [1, "a", None]},
        {"type": ["null", "string"]},
        {"anyOf": [{"type": "null"}, {"type": "integer", "minimum": 4}]},
    ]
)
WANTED = st.dictionaries(st.sampled_from(NAMES), st.tuples(CONSTRAINED, st.booleans()), max_size=4)
JUNK = st.dictionaries(st.sampled_from([*NAMES, "other"]), VALUES | CONTAINERS, max_size=4)


@given(WANTED, JUNK, st.booleans())
def test_the_example_in_a_refusal_is_itself_valid(wanted: Any, sent: Any, closed: bool) -> None:
    """For every schema that we know an instance of there is an example, and it needs no fix."""
    schema = {
        "type": "object",
        "properties": {name: one for name, (one, _) in wanted.items()},
        "required": [name for name, (_, required) in wanted.items() if required],
        **({"additionalProperties": False} if closed else {}),
    }
    outcome = decode(schema, sent)
    assume(isinstance(outcome, Validation))
    example = str(outcome).partition("for example with: ")[2]
    assert decode(schema, example) == Decoded(json.loads(example))


@given(VALUES | CONTAINERS, TARGETS)
def test_no_value_raises_and_a_refusal_says_what_to_send(value: Any, target: Any) -> None:
    outcome = decode(target[0], value)
    if isinstance(outcome, Validation):
        assert outcome.message
        assert "errors.pydantic.dev" not in outcome.message  # a value may hold an address itself


SENT: dict[str, list[Any]] = {
    "city": ["Oslo", 5, 1.5, True, ["Oslo"], [5], None, {"a": 1, "b": 2}],
    "days": [3, "3", 3.0, "3.0", "three", True, [3], "1,500", None, 99, "", "3</p>"],
    "unit": ["celsius", "Celsius", "F", "kelvin", "celsius<|im_end|>", 1, "None", ["F"]],
    "on": [True, "yes", 1, 0, "0", "maybe", None, 2],
    "at": ["2024-01-31", "Jan 31, 2024", "20240131", 1706659200, "", "soon"],
    "tags": [["a"], "a", "a, b", [1], '["a", 2]', "", None, {"a": "b"}, [None]],
    "grid": [[[1]], [1, 2], [1], 1, "[[1]]", [["1"]], [[1.0], 2]],
    "part": [{"name": "a"}, '{"name": "a"}', {"name": 1}, {"Name": "a"}, [{"name": "a"}], {}],
    "parts": [[{"name": "a", "size": "2"}], {"name": "a"}, ['{"name": "a"}'], [{"name": None}]],
    "counts": [{"a": 1}, {"a": "1"}, '{"a": 1}', {"a": None}, {"a": [1]}, {}],
}
KEYS = ["City", "maxDays", "Max Days", "max_day", "why", "arguments"]


class Part(BaseModel):
    """An object inside."""

    name: str
    size: int = 1


class Short(BaseModel):
    """Fields of every kind."""

    city: str
    days: int = Field(default=1, ge=1, le=2000)
    unit: Literal["celsius", "fahrenheit"] = "celsius"
    on: bool = False
    at: date | None = None
    tags: list[str] = []
    grid: list[list[int]] = []
    part: Part | None = None
    parts: list[Part] = []
    counts: dict[str, int] = {}
    max_days: int | None = None


PAIRS = [(name, item) for name, sent in SENT.items() for item in sent]
STRAYS = [(key, item) for key in KEYS for item in (3, "3", None, "Rome", {"city": "Rome"})]


def _by_the_short_way(text: str) -> Decoded | Validation | None:
    ready = prepared_for(Short)
    try:
        ready.validate(text)
    except ValidationError as error:
        short = coerce_plain_slips(ready, text, error)
        if isinstance(short, Validation):
            return short
        return Decoded(short.value, short.fixes, highest(short.fixes)) if short else None
    return None


def test_the_short_way_never_differs_from_the_general_one() -> None:
    """Same value, receipt and message for any two slips together, with and without a required field."""
    texts = [
        json.dumps(dict([*city, *pairs]))
        for pairs in combinations([*PAIRS, *STRAYS], 2)
        for city in ([], [("city", "Oslo")])
    ]
    short = {text: one for text in texts if (one := _by_the_short_way(text)) is not None}
    with patch.object(decoder, "coerce_plain_slips", lambda *_: None):
        assert {text: one for text, one in short.items() if decode(Short, text) != one} == {}
    assert len(short) > len(texts) / 10
