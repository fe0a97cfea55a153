"""What pydantic accepts silently is refused here; valid values are read as pydantic reads them."""

from __future__ import annotations

import dataclasses
import enum
from datetime import date, datetime, time
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, create_model
from typing_extensions import TypedDict

from zkit import Decoded, Validation, decode
from zkit.arguments.strict_validator import exact_validator


class Level(enum.IntEnum):
    """Known values that are numbers."""

    LOW = 1
    HIGH = 2


class Share(float, enum.Enum):
    """Known values that have a fraction."""

    HALF = 0.5
    ALL = 1.0


class Switch(enum.Enum):
    """Known values that are booleans."""

    ON = True
    OFF = False


class Lenient(enum.Enum):
    """Knows a value by another name as well."""

    ONE = 1

    @classmethod
    def _missing_(cls, value: object) -> Lenient | None:
        return cls.ONE if value == "uno" else None


def _decoded(kind: Any, written: str) -> Any:
    model: type[BaseModel] = create_model("Model", x=(kind, ...))
    return decode(model, f'{{"x": {written}}}')


@pytest.mark.parametrize(
    ("kind", "written"),
    [
        (Literal[1, 2], "true"),
        (Literal[0], "false"),
        (Literal["a", 1], "true"),
        (Level, "true"),
        (Share, "true"),
        (frozenset[Literal[1]], "[true]"),
        (float, "NaN"),
        (float, "-Infinity"),
        (float, "1e999"),
        (float, "9" * 400),
        (list[float], "[1, 1e999]"),
        (Any, "1e999"),
        (dict[str, Any], '{"a": [{"b": 1e999}]}'),
        (date, '"0"'),
        (datetime, '"5"'),
        (datetime, '"1796083200.5"'),
        (time, '"36000"'),
    ],
)
def test_what_only_python_takes_for_the_same_is_refused(kind: Any, written: str) -> None:
    """A boolean is no number, a number too large is not one, digits are no date."""
    assert isinstance(_decoded(kind, written), Validation)


@pytest.mark.parametrize(
    ("kind", "written", "fix"),
    [
        (Literal[True], "1", "boolean_from_text"),
        (Switch, "0", "boolean_from_text"),
        (Literal[1, 2], "1.0", "integer_from_float"),
        (Level, "2.0", "integer_from_float"),
        (Literal["a", 1], '"1"', "number_from_text"),
        (Literal["1", "2"], "1", "text_from_value"),
    ],
)
def test_what_can_be_meant_in_one_way_is_on_the_receipt(kind: Any, written: str, fix: str) -> None:
    """A known value of another kind is changed, and said so."""
    outcome = _decoded(kind, written)
    assert isinstance(outcome, Decoded)
    assert [one.name for one in outcome.fixes] == [fix]


@pytest.mark.parametrize(
    ("kind", "written"),
    [
        (Literal[1, 2], "1"),
        (Literal[1, True, "a", None], "true"),
        (Literal[1, True, "a", None], "1"),
        (Literal[1, True, "a", None], "null"),
        (Level, "2"),
        (Share, "1"),
        (Share, "0.5"),
        (Switch, "false"),
        (Lenient, '"uno"'),
        (date | str, '"2026-12-01"'),
        (str | date, '"2026-12-01"'),
        (datetime | date, '"2026-12-01"'),
        (date | datetime, '"2026-12-01T10:00:00"'),
        (datetime | None, '"2026-12-01 10:00:00+02:00"'),
        (time | str, '"10:00"'),
        (float | int, "1"),
        (int | float, "1.5"),
        (dict[str, Any], '{"a": [1.5, "NaN", null]}'),
        (Annotated[date, Field(ge=date(2026, 1, 1))], '"2026-12-01"'),
    ],
)
def test_what_is_valid_is_read_as_pydantic_reads_it(kind: Any, written: str) -> None:
    """Same value, same type, no fix."""
    outcome = _decoded(kind, written)
    theirs = TypeAdapter(kind).validate_json(written)
    assert isinstance(outcome, Decoded)
    assert (outcome.value.x, type(outcome.value.x)) == (theirs, type(theirs))
    assert outcome.fixes == ()


@pytest.mark.parametrize("written", ["1e999", "-1e999", "NaN"])
@pytest.mark.parametrize("around", ['{"x": %s}', '{"xs": [1, %s]}', '{"any": {"deep": [%s]}}'])
def test_a_number_too_large_is_refused_by_a_raw_schema_as_well(around: str, written: str) -> None:
    """It would arrive as infinity, which is not what was written."""
    number = {"type": "number"}
    schema = {
        "type": "object",
        "properties": {"x": number, "xs": {"type": "array", "items": number}, "any": {}},
    }
    assert isinstance(decode(schema, around % written), Validation)
    assert isinstance(decode(schema, around % "1e99"), Decoded)


class Part(BaseModel):
    """A model inside another."""

    n: Literal[1] = 1
    x: float = 0.0
    inner: list[Part] = []


@dataclasses.dataclass
class Record:
    """A dataclass inside a model."""

    part: Part


class Row(TypedDict, total=False):
    """A TypedDict inside a model."""

    part: Part
    at: date


class Whole(BaseModel):
    """Everything nested in everything."""

    model_config = ConfigDict(extra="allow")

    part: Part | None = None
    rows: list[Row] = []
    record: Record | None = None
    by_name: dict[str, Part] = {}


@pytest.mark.parametrize("wrong", ['{"n": true}', '{"x": NaN}', '{"inner": [{"n": true}]}'])
@pytest.mark.parametrize(
    "around",
    [
        '{"part": %s}',
        '{"rows": [{"part": %s}]}',
        '{"record": {"part": %s}}',
        '{"by_name": {"a": %s}}',
    ],
)
def test_nested_types_are_exact_as_well(around: str, wrong: str) -> None:
    """Also those for which pydantic keeps a validator of their own."""
    assert isinstance(decode(Whole, around % wrong), Validation)


def test_keys_are_unknown_where_a_type_ignores_them_and_data_where_it_takes_them() -> None:
    """The setting of each type counts, not that of the whole."""
    strict = exact_validator(TypeAdapter(Whole).core_schema, declared_only=True)
    assert strict.validate_json('{"other": 1}').model_extra == {"other": 1}
    with pytest.raises(ValidationError, match="Extra inputs"):
        strict.validate_json('{"part": {"other": 1}}')
    lenient = exact_validator(TypeAdapter(Whole).core_schema, declared_only=False)
    assert lenient.validate_json('{"part": {"other": 1}}').part == Part()


class Checked(BaseModel):
    """A model that validates its defaults, which are no JSON."""

    model_config = ConfigDict(validate_default=True)

    day: date = date(2026, 12, 1)
    share: float = float("inf")


def test_defaults_that_are_validated_stay_valid() -> None:
    """A default is a Python object: it is not asked to be spelt as JSON."""
    assert decode(Checked, "{}") == Decoded(Checked())


KINDS = st.recursive(
    st.sampled_from(
        [
            *(int, float, bool, str, date, datetime, time, type(None), Any, Level, Share, Switch),
            *(Literal[1, 0], Literal[True, "a"], Literal["1", 1, None]),
        ]
    ),
    lambda inner: (
        st.builds(lambda a, b: a | b if a is not Any and b is not Any else Any, inner, inner)
        | st.builds(lambda a: list[a], inner)  # type: ignore[valid-type]
        | st.builds(lambda a: dict[str, a], inner)  # type: ignore[valid-type]
    ),
    max_leaves=4,
)
WRITTEN = st.recursive(
    st.sampled_from(
        [
            *("1", "0", "2", "true", "false", "null", "1.0", "0.5", "NaN", "1e999", '"a"', '"1"'),
            *('"2026-12-01"', '"10:00"', '"2026-12-01T10:00"', '"86400"'),
        ]
    ),
    lambda inner: (
        st.lists(inner, max_size=2).map(lambda parts: f"[{', '.join(parts)}]")
        | inner.map(lambda part: f'{{"k": {part}}}')
    ),
    max_leaves=3,
)


@given(KINDS, WRITTEN)
def test_exact_is_strict_and_more(kind: Any, written: str) -> None:
    """What the exact validator takes, strict pydantic takes for the same; never the other way round."""
    adapter = TypeAdapter(kind)
    exact = exact_validator(adapter.core_schema, declared_only=True)
    try:
        ours = exact.validate_json(written)
    except ValidationError:
        return
    theirs = adapter.validate_json(written, strict=True)
    assert ours == theirs
    # A boolean that pydantic takes for a number is the only one whose type may differ.
    assert repr(ours) == repr(theirs) or "true" in written or "false" in written
