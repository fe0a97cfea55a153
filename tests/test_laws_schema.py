"""What holds for every schema and every dialect."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given
from jsonschema import Draft202012Validator
from profiles import many
from schemas_strategy import Schema, Shape, arguments, arguments_with_value

from zkit.schema import DIALECTS, DialectName, MisfitError, convert, lint_schema, target_for

FEWER = many(60, quick=15)  # schemas are large, and each law walks them many times


@FEWER
@given(shape=arguments())
def test_what_is_converted_is_clean(shape: Shape) -> None:
    for dialect in DIALECTS:
        assert lint_schema(convert(shape.schema, dialect), dialect) == []


@FEWER
@given(shape=arguments())
def test_converting_twice_is_converting_once(shape: Shape) -> None:
    for dialect in DIALECTS:
        once = convert(shape.schema, dialect)
        assert json.dumps(convert(once, dialect)) == json.dumps(once)


@FEWER
@given(shape=arguments())
def test_the_input_is_left_alone(shape: Shape) -> None:
    for dialect in DIALECTS:
        before = copy.deepcopy(shape.schema)
        convert(shape.schema, dialect)
        assert json.dumps(shape.schema) == json.dumps(before)


@FEWER
@given(shape=arguments())
def test_properties_keep_their_order(shape: Shape) -> None:
    for dialect in DIALECTS:
        assert list(convert(shape.schema, dialect)["properties"]) == list(
            shape.schema["properties"]
        )


@FEWER
@given(shape=arguments())
def test_no_description_is_lost(shape: Shape) -> None:
    for dialect in DIALECTS:
        made = json.dumps(convert(shape.schema, dialect), ensure_ascii=False)
        for part in shape.schema["properties"].values():
            assert part.get("description", "") in made


@FEWER
@given(pair=arguments_with_value())
def test_what_fits_a_schema_fits_it_for_openai(pair: tuple[Schema, Any]) -> None:
    schema, value = pair
    assert Draft202012Validator(convert(schema, "openai")).is_valid(value)


@pytest.mark.parametrize("dialect", ["openai-strict", "deepseek-strict"])
@FEWER
@given(pair=arguments_with_value())
def test_what_fits_a_schema_fits_the_strict_one_with_null_for_omitted(
    dialect: DialectName, pair: tuple[Schema, Any]
) -> None:
    schema, value = pair
    strict = convert(schema, dialect)
    padded = with_nulls(value, strict, strict)
    assert [error.message for error in Draft202012Validator(strict).iter_errors(padded)] == []


def with_nulls(value: Any, schema: Schema, root: Schema) -> Any:
    """Send null for each field that was left out, at every depth, by the branch that then fits."""
    if "$ref" in schema:
        return with_nulls(value, root["$defs"][schema["$ref"].rpartition("/")[2]], root)
    if "anyOf" in schema:
        tries = [with_nulls(value, branch, root) for branch in schema["anyOf"]]
        holds = Draft202012Validator({**schema, "$defs": root.get("$defs", {})}).is_valid
        return next((found for found in tries if holds(found)), value)
    if isinstance(value, dict) and "properties" in schema:
        known = schema["properties"].items()
        return {n: with_nulls(value[n], p, root) if n in value else None for n, p in known}
    if isinstance(value, list) and "items" in schema:
        return [with_nulls(item, schema["items"], root) for item in value]
    return value


@FEWER
@given(pair=arguments_with_value())
def test_what_fits_a_schema_fits_the_portable_one_but_for_null(pair: tuple[Schema, Any]) -> None:
    schema, value = pair
    if not holds_null(value):
        assert Draft202012Validator(convert(schema, "portable")).is_valid(value)


@FEWER
@given(pair=arguments_with_value())
def test_what_fits_a_schema_fits_the_one_for_gemini(pair: tuple[Schema, Any]) -> None:
    schema, value = pair
    assert Draft202012Validator(null_unions(convert(schema, "gemini"))).is_valid(value)


def null_unions(schema: Any) -> Any:
    """Write `nullable` the way of JSON Schema."""
    if isinstance(schema, list):
        return [null_unions(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    made = {key: null_unions(part) for key, part in schema.items() if key != "nullable"}
    return {"anyOf": [made, {"type": "null"}]} if schema.get("nullable") is True else made


def holds_null(value: Any) -> bool:
    if isinstance(value, (dict, list)):
        parts = value.values() if isinstance(value, dict) else value
        return any(map(holds_null, parts))
    return value is None


@FEWER
@given(pair=arguments_with_value())
def test_a_raw_target_takes_what_fits_and_gives_it_back(pair: tuple[Schema, Any]) -> None:
    schema, value = pair
    target = target_for(schema)
    assert target.validate_python(value) == value
    assert target.validate_json(json.dumps(value)) == value


@FEWER
@given(pair=arguments_with_value(), other=arguments_with_value())
def test_a_raw_target_refuses_what_jsonschema_refuses(
    pair: tuple[Schema, Any], other: tuple[Schema, Any]
) -> None:
    schema, value = pair[0], other[1]
    fits = Draft202012Validator(
        schema, format_checker=Draft202012Validator.FORMAT_CHECKER
    ).is_valid(value)
    assert fits is taken(schema, value)


def taken(schema: Schema, value: Any) -> bool:
    try:
        return bool(target_for(schema).validate_python(value) == value)
    except MisfitError as error:
        return not error.misfits
