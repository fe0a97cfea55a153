"""Decoding: strict first, one receipt for all that was changed, a message for what was refused."""

from __future__ import annotations

import dataclasses
import enum
import json
import subprocess
import sys
from datetime import UTC, date, datetime
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, SecretStr, field_validator
from typing_extensions import TypedDict

from zkit import Decoded, Fix, Rank, ToolSpec, Validation, decode, decode_args
from zkit.arguments import COERCIONS, Coercion, decode_to_run
from zkit.arguments.prepare import prepared_for


class Weather(BaseModel):
    """A tool that reads; unknown keys are ignored."""

    city: str
    days: int = Field(default=3, ge=1, le=14)
    unit: Literal["celsius", "fahrenheit"] = "celsius"
    tags: list[str] = []
    on: date | None = None


class Todo(BaseModel):
    """A record that takes no other keys."""

    model_config = ConfigDict(extra="forbid")

    id: int
    status: Literal["pending", "in_progress", "done"]


class Todos(BaseModel):
    """Records in a list."""

    todos: list[Todo]


def read(model: Any, raw: Any, **options: Any) -> Decoded:
    outcome = decode(model, raw, **options)
    assert isinstance(outcome, Decoded), str(outcome)
    return outcome


def refused(model: Any, raw: Any, **options: Any) -> Validation:
    outcome = decode(model, raw, **options)
    assert isinstance(outcome, Validation), outcome
    return outcome


def schema_of(coercion: Coercion) -> dict[str, Any]:
    if "properties" in coercion.schema:
        return coercion.schema
    return {"type": "object", "properties": {"x": coercion.schema}, "required": ["x"]}


# JSON Schema takes 5.0 for an integer, and converts nothing: these two need a Python type.
OF_TYPES = ("integer_from_float", "moment_from_timestamp")
OF_SCHEMAS = [c for c in COERCIONS.values() if c.name not in OF_TYPES]


@pytest.mark.parametrize("coercion", OF_SCHEMAS, ids=lambda c: c.name)
def test_each_coercion_does_what_its_example_says(coercion: Coercion) -> None:
    outcome = decode_to_run(schema_of(coercion), coercion.before)
    assert isinstance(outcome, Decoded)
    assert outcome.value == json.loads(coercion.after)
    assert coercion.name in [fix.name for fix in outcome.fixes]
    assert outcome.rank == coercion.rank


@pytest.mark.parametrize("coercion", OF_SCHEMAS, ids=lambda c: c.name)
def test_no_coercion_touches_what_another_one_made(coercion: Coercion) -> None:
    assert read(schema_of(coercion), coercion.after) == Decoded(json.loads(coercion.after))


@pytest.mark.parametrize("coercion", OF_SCHEMAS, ids=lambda c: c.name)
def test_a_limit_below_its_rank_refuses_a_coercion(coercion: Coercion) -> None:
    problem = refused(schema_of(coercion), coercion.before, limit=Rank(coercion.rank - 1))
    assert problem.code == "invalid_arguments"


class Event(BaseModel):
    """A moment."""

    x: datetime


class Count(BaseModel):
    """A field that takes no fraction."""

    x: int


@pytest.mark.parametrize(("model", "name"), [(Count, OF_TYPES[0]), (Event, OF_TYPES[1])])
def test_each_coercion_of_a_type_does_what_its_example_says(
    model: type[BaseModel], name: str
) -> None:
    row = COERCIONS[name]
    outcome = read(model, row.before)
    assert outcome.value == model.model_validate_json(row.after)
    assert [fix.name for fix in outcome.fixes] == [name]
    refused(model, row.before, limit=Rank.UNWRAP)


class Place(TypedDict):
    """A typed dict."""

    lat: float
    lon: float


@dataclasses.dataclass
class Point:
    """A dataclass."""

    x: int
    y: int = 0


def move(to: Annotated[str, Field(min_length=1)], fast: bool = False) -> None:
    """Move."""


TARGETS = [
    (Weather, '{"city": "Oslo"}', Weather(city="Oslo")),
    (Place, '{"lat": 1.5, "lon": 2}', {"lat": 1.5, "lon": 2.0}),
    (Point, '{"x": 1}', Point(1)),
    (move, '{"to": "there"}', {"to": "there", "fast": False}),
    ({"type": "object", "properties": {"a": {"type": "integer"}}}, '{"a": 1}', {"a": 1}),
]


@pytest.mark.parametrize(("model", "raw", "value"), TARGETS)
def test_every_kind_of_target_decodes(model: Any, raw: str, value: Any) -> None:
    assert read(model, raw) == Decoded(value)
    assert read(model, raw.encode()) == Decoded(value)
    assert read(model, json.loads(raw)) == Decoded(value)
    assert decode_args(model, raw) == value


def test_decode_args_raises_what_decode_returns() -> None:
    with pytest.raises(Validation) as caught:
        decode_args(Weather, "{}")
    assert caught.value == refused(Weather, "{}")
    assert str(caught.value) == caught.value.message


STAY: list[tuple[Any, Any]] = [
    ({"type": "string"}, "true"),
    ({"type": "string"}, "null"),
    ({"type": "string"}, "5"),
    ({"type": "string"}, '{"a": 1}'),
    ({"type": "string"}, "[1, 2]"),
    ({"type": "string"}, "Oslo</parameter>"),
    ({"type": ["string", "integer"]}, "5"),
    ({"type": ["string", "array"]}, "a, b"),
    ({"type": "array", "items": {"type": "string"}}, ["a, b"]),
    ({"type": "array", "items": {"type": "string"}}, ["[1]"]),
    ({"enum": ["A", "a", "b"]}, "a"),
    ({"type": "object"}, {"arguments": {"city": "Oslo"}}),
    ({}, {"type": "string"}),
]


@pytest.mark.parametrize(("schema", "value"), STAY)
def test_what_is_valid_stays_as_it_is(schema: dict[str, Any], value: Any) -> None:
    target = {"type": "object", "properties": {"x": schema}, "required": ["x"]}
    assert read(target, json.dumps({"x": value})) == Decoded({"x": value})


TWO_WAYS = [
    ({"type": "array", "items": {"type": "string"}}, "a, b"),
    ({"enum": ["read", "readwrite"]}, "rea"),
    ({"enum": ["A", "a"]}, " A "),
    ({"anyOf": [{"type": "integer"}, {"type": "boolean"}]}, "1"),
]


@pytest.mark.parametrize(("schema", "value"), TWO_WAYS)
def test_what_could_be_changed_in_two_ways_is_not_changed(
    schema: dict[str, Any], value: Any
) -> None:
    target = {"type": "object", "properties": {"x": schema}, "required": ["x"]}
    assert refused(target, {"x": value}).code == "ambiguous"


NEVER = [
    (Weather, '{"days": 3}'),
    (Weather, '{"city": null}'),
    (Weather, '{"city": "Oslo", "days": "ten"}'),
    (Weather, '{"city": "Oslo", "days": 2.5}'),
    (Weather, '{"city": "Oslo", "days": 99}'),
    (Weather, '{"city": "Oslo", "on": "03/04/2024"}'),
    (Weather, '{"city": "Oslo", "on": "tomorrow"}'),
    (Weather, '{"city": ["Oslo", "Bergen"]}'),
    (Weather, '{"city": {"type": "string", "description": "a city"}}'),
    (Weather, '{"city": {"value": "Oslo"}}'),
    (Weather, '{"type": "object", "properties": {"city": {"type": "string"}}}'),
    (Weather, "[3]"),
    (Weather, '"Oslo"'),
    (Weather, "Oslo"),
    (Weather, '{"city": "Oslo"}{"city": "Bergen"}'),
    (Weather, '{"city": "Os'),
    (move, '{"name": "jump", "arguments": {"to": "there"}}'),
    (move, '{"min_to": "there"}'),
    (Todos, '{"todos": [{"id": 1, "status": "doing"}]}'),
]


@pytest.mark.parametrize(("model", "raw"), NEVER)
def test_what_has_no_reading_or_lost_data_is_refused(model: Any, raw: str) -> None:
    refused(model, raw)


def test_an_optional_field_under_another_spelling_is_not_silently_ignored() -> None:
    """A model that ignores unknown keys would run with the default in its place."""
    assert read(Weather, '{"city": "Oslo", "Unit": "fahrenheit"}').value.unit == "fahrenheit"


def test_a_key_that_the_model_ignores_is_left_to_the_model() -> None:
    assert read(Weather, '{"city": "Oslo", "reason": "asked"}') == Decoded(Weather(city="Oslo"))


def test_keys_that_a_model_takes_as_data_stay() -> None:
    class Open(BaseModel):
        model_config = ConfigDict(extra="allow")
        city: str
        unit: str = "c"

    outcome = read(Open, '{"city": "Oslo", "Unit": "f"}')
    assert outcome.fixes == ()
    assert outcome.value.model_extra == {"Unit": "f"}


def test_a_field_goes_by_its_alias_and_where_allowed_by_its_name() -> None:
    class Aliased(BaseModel):
        model_config = ConfigDict(populate_by_name=True, extra="forbid")
        file_path: str = Field(alias="filePath")
        count: int = 1

    for key in ("filePath", "file_path"):
        outcome = read(Aliased, json.dumps({key: "a", "count": "2"}))
        assert (outcome.value.file_path, outcome.value.count) == ("a", 2)
    assert read(Aliased, '{"FILE-PATH": "a"}').value.file_path == "a"


def test_a_validator_of_the_model_is_asked_before_any_coercion() -> None:
    class Split(BaseModel):
        tags: Annotated[
            list[str], BeforeValidator(lambda v: v.split() if isinstance(v, str) else v)
        ]
        n: int = 0

    assert read(Split, '{"tags": "a b", "n": "1"}').value == Split(tags=["a", "b"], n=1)


def test_a_validator_of_the_model_has_the_last_word_and_its_words_are_kept() -> None:
    class Even(BaseModel):
        n: int

        @field_validator("n")
        @classmethod
        def even(cls, n: int) -> int:
            if n % 2:
                raise ValueError("must be even")
            return n

    problem = refused(Even, '{"n": "3"}')
    assert "must be even" in problem.message
    assert read(Even, '{"n": "4"}').value.n == 4


def test_a_validator_that_crashes_refuses_the_call_and_raises_nothing() -> None:
    class Broken(BaseModel):
        n: int

        @field_validator("n")
        @classmethod
        def crash(cls, n: int) -> int:
            raise KeyError("inside")

    assert "inside" not in refused(Broken, '{"n": 1}').message


def test_an_object_where_a_text_is_due_is_the_slice_that_was_written() -> None:
    raw = '{"to": {"b" : 1.0,\n "a": [ 2 ]}}'
    assert read(move, raw).value["to"] == '{"b" : 1.0,\n "a": [ 2 ]}'
    damaged = "{'to': {'b' : 1.0, 'a': None},}"
    assert read(move, damaged).value["to"] == "{'b' : 1.0, 'a': None}"


def test_repair_and_coercion_share_one_receipt() -> None:
    outcome = read(Weather, "{'City': 'Oslo', 'days': '5',}")
    assert outcome.value == Weather(city="Oslo", days=5)
    names = [fix.name for fix in outcome.fixes]
    assert {"use_double_quotes", "drop_trailing_comma"} <= set(names)
    assert names[-2:] == ["key_by_spelling", "number_from_text"]
    assert outcome.fixes[-1].path == "days"


def test_a_cut_says_so_and_length_counts() -> None:
    assert refused(Weather, '{"city": "Os').code == "truncated"
    assert refused(Weather, '{"city": "Oslo"', finish_reason="length").code == "truncated"
    assert read(Weather, '{"city": "Oslo"', finish_reason="stop").rank == Rank.COMPLETE


class Colour(enum.Enum):
    """Values of two words."""

    RED = "red"
    DARK_RED = "dark-red"


def test_enums_dates_and_nested_models_arrive_typed() -> None:
    class Paint(BaseModel):
        colour: Colour
        at: datetime
        todo: Todo

    raw = {"colour": "Dark Red", "at": "2024/01/31 10:00", "todo": {"ID": "7", "Status": "DONE"}}
    value = read(Paint, raw).value
    assert value.colour is Colour.DARK_RED
    assert value.at == datetime(2024, 1, 31, 10, tzinfo=None)
    assert value.todo == Todo(id=7, status="done")


def test_a_union_takes_the_one_branch_that_fits() -> None:
    class Circle(BaseModel):
        kind: Literal["circle"]
        radius: float

    class Square(BaseModel):
        kind: Literal["square"]
        side: float

    class Drawing(BaseModel):
        shape: Annotated[Circle | Square, Field(discriminator="kind")]

    value = read(Drawing, {"shape": {"kind": "Square", "side": "2"}}).value
    assert value.shape == Square(kind="square", side=2)
    refused(Drawing, {"shape": {"kind": "square", "radius": 2}})


def test_a_deep_or_odd_value_is_refused_and_raises_nothing() -> None:
    deep: Any = "x"
    for _ in range(5000):
        deep = [deep]
    for raw in (deep, {"city": deep}, {"city": object()}, {1: 2}, 7, "[" * 100_000, "\ud800", {1}):
        refused(Weather, raw)


def test_times_with_a_zone_keep_it() -> None:
    class At(BaseModel):
        at: datetime

    value = read(At, '{"at": "2024-01-31T10:00:00Z"}').value
    assert value.at == datetime(2024, 1, 31, 10, tzinfo=UTC)


class Person(BaseModel):
    """One branch; unknown keys are ignored."""

    name: str
    age: int = 0


class Thing(BaseModel):
    """The other branch."""

    name: str
    size: int = 0


def test_a_branch_that_ignores_what_another_declares_is_not_taken() -> None:
    class Either(BaseModel):
        v: Person | Thing

    assert read(Either, '{"v": {"name": "x", "size": "5"}}').value.v == Thing(name="x", size=5)
    assert read(Either, '{"v": {"name": "x", "age": "5"}}').value.v == Person(name="x", age=5)


def test_what_one_model_takes_as_data_makes_no_other_one_silent() -> None:
    class Meta(BaseModel):
        model_config = ConfigDict(extra="allow")

    class Outer(BaseModel):
        city: str = "Paris"
        unit: str = "c"
        meta: Meta | None = None

    assert read(Outer, '{"city": "Oslo", "Unit": "f"}').value.unit == "f"
    assert read(Outer, '{"arguments": {"city": "Oslo"}}').value.city == "Oslo"
    assert read(Outer, '{"meta": {"any": 1}}').value.meta.model_extra == {"any": 1}


def test_digits_are_no_seconds_where_a_date_is_due_also_in_a_union() -> None:
    class Event(BaseModel):
        at: date | datetime

    assert read(Event, '{"at": "20240131"}').value.at == date(2024, 1, 31)
    refused(Event, '{"at": "2024"}')


def test_what_is_written_in_a_wrapper_is_taken_as_it_was_written() -> None:
    assert read(move, '{"arguments": {"to": 1.50}}').value["to"] == "1.50"


def test_what_a_wrapper_took_counts_for_the_limit() -> None:
    raw = '{"arguments": "{\\"to\\": \\"the \\"old\\" town\\"}"}'
    assert read(move, raw).rank == Rank.GUESS
    refused(move, raw, limit=Rank.COMPLETE)


def test_a_dataclass_and_a_name_beside_an_alias_are_known_by_other_spellings() -> None:
    class Aliased(BaseModel):
        model_config = ConfigDict(populate_by_name=True)
        max_results: int = Field(default=1, alias="maxResults")

    assert read(Point, '{"X": 1, "Y": "2"}').value == Point(1, 2)
    assert read(Aliased, '{"max_results": "5"}').value.max_results == 5


def test_secrets_are_not_said_again() -> None:
    class Login(BaseModel):
        password: SecretStr
        n: int

    assert "hunter2" not in refused(Login, '{"password": "hunter2", "n": "x"}').message


def test_a_tool_with_a_raw_schema_is_made_ready_once() -> None:
    """Not at every call; a schema in a dict is compared again, because it may have changed."""
    schema: dict[str, Any] = {"type": "object", "properties": {"n": {"type": "integer"}}}
    spec = ToolSpec("count", "", schema)
    assert prepared_for(spec) is prepared_for(spec)
    tool = {"type": "function", "function": {"name": "count", "parameters": schema}}
    assert prepared_for(tool) is prepared_for(tool)
    assert isinstance(decode(schema, '{"n": 1}'), Decoded)
    schema["properties"]["n"] = {"type": "boolean"}
    assert isinstance(decode(schema, '{"n": 5}'), Validation)


class Described(BaseModel):
    """A model whose fields are named like the words of a schema."""

    type: str
    fields: int = 1
    schema_: str = Field("", alias="schema")


def test_a_field_may_be_named_like_a_word_of_the_validator() -> None:
    """`type` is the commonest of them."""
    assert decode_args(Described, '{"type": "x", "fields": "2"}').fields == 2
    assert decode_args(Described, '{"type": "x", "schema": "y"}').schema_ == "y"


def test_what_decode_args_changed_is_put_into_a_list() -> None:
    """A key that was left out, for one, would otherwise be gone without a word."""
    receipt: list[Fix] = []
    point = {
        "type": "object",
        "properties": {"x": {"type": "integer"}},
        "additionalProperties": False,
    }
    assert decode_args(point, '{"x": "5", "why": "asked"}', receipt=receipt) == {"x": 5}
    assert {fix.name for fix in receipt} == {"number_from_text", "drop_unknown_key"}
    with pytest.raises(Validation):
        decode_args(point, '{"x": "5", "why": "asked"}', limit=Rank.RESPELL, receipt=receipt)
    assert len(receipt) == 4


def test_decoding_imports_repair_and_jsonschema_only_when_they_are_needed() -> None:
    code = (
        "import sys; from zkit import decode_args\n"
        "schema = {'type': 'object', 'properties': {'x': {'type': 'integer'}}}\n"
        "assert decode_args(schema, '{\"x\": \"1\"}') == {'x': 1}\n"
        "heavy = ('jsonschema', 'referencing', 'griffe', 'regex', 'anyio', 'zkit.repair')\n"
        "print([name for name in heavy if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_limit_may_be_given_by_name() -> None:
    found = decode(Described, '{"type": "x", "fields": "2"}', limit="RESPELL")
    assert isinstance(found, Decoded)
    assert isinstance(decode(Described, '{"type": "x", "fields": "2"}', limit="exact"), Validation)  # type: ignore[call-overload]
