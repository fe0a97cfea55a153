"""What each dialect makes of a schema, and what it refuses to."""

from __future__ import annotations

import json
from typing import Any, Literal

import pytest
from jsonschema import Draft202012Validator
from pydantic import BaseModel, Field

from zkit.errors import SchemaError
from zkit.schema import DIALECTS, DialectName, convert, lint_schema, schema_for

NAMES = list(DIALECTS)
INLINING = ["deepseek-strict", "gemini", "portable"]
STRICT = ["openai-strict", "deepseek-strict"]


def with_property(schema: Any, *, required: Any = True, **root: Any) -> dict[str, Any]:
    """A tool with the one argument `x`."""
    made = {"type": "object", "properties": {"x": schema}, **root}
    return {**made, "required": ["x"]} if required else made


def property_in(dialect: DialectName, schema: Any, **options: Any) -> Any:
    return convert(with_property(schema, **options), dialect)["properties"]["x"]


class Leaf(BaseModel):
    """A leaf."""

    kind: Literal["leaf"]
    size: int = Field(3, ge=1, le=2000, description="How large")


class Tree(BaseModel):
    """A tree."""

    leaves: list[Leaf] = Field(max_length=5)
    parent: Tree | None = None


# Strict modes


@pytest.mark.parametrize("dialect", STRICT)
def test_strict_modes_require_every_field_and_let_optional_ones_be_null(
    dialect: DialectName,
) -> None:
    made = convert(with_property({"type": "integer"}, required=False), dialect)
    assert made == {
        "type": "object",
        "properties": {"x": {"type": ["integer", "null"]}},
        "required": ["x"],
        "additionalProperties": False,
    }


@pytest.mark.parametrize("dialect", STRICT)
@pytest.mark.parametrize(
    ("schema", "branches"),
    [
        ({"type": "string", "enum": ["a"]}, [{"type": "string", "enum": ["a"]}]),
        (
            {"type": "array", "items": {"type": "string"}},
            [{"type": "array", "items": {"type": "string"}}],
        ),
        (
            {"anyOf": [{"type": "string"}, {"type": "integer"}]},
            [{"type": "string"}, {"type": "integer"}],
        ),
    ],
)
def test_an_optional_field_that_is_no_plain_scalar_becomes_a_union(
    dialect: DialectName, schema: Any, branches: list[Any]
) -> None:
    made = property_in(dialect, {**schema, "description": "d"}, required=False)
    assert made == {"description": "d", "anyOf": [*branches, {"type": "null"}]}


def test_openai_strict_keeps_recursion() -> None:
    made = schema_for(Tree, "openai-strict")
    assert made["properties"]["parent"]["anyOf"] == [{"$ref": "#/$defs/Tree"}, {"type": "null"}]
    assert lint_schema(made, "openai-strict") == []


@pytest.mark.parametrize("dialect", INLINING)
def test_recursion_that_cannot_be_written_out_is_refused_with_the_field(
    dialect: DialectName,
) -> None:
    with pytest.raises(
        SchemaError, match=rf"^properties\.parent\.anyOf\.0: .*{dialect}.*recursive"
    ):
        schema_for(Tree, dialect)


@pytest.mark.parametrize("dialect", [*STRICT, "gemini"])
def test_free_keys_are_refused_with_the_field(dialect: DialectName) -> None:
    for free in (
        {"type": "object"},
        {"type": "object", "additionalProperties": {"type": "string"}},
    ):
        with pytest.raises(SchemaError, match=r"^properties\.x: .*free keys; declare its fields"):
            property_in(dialect, free)


@pytest.mark.parametrize("dialect", [*STRICT, "gemini"])
def test_a_value_of_no_type_is_refused_with_the_field(dialect: DialectName) -> None:
    with pytest.raises(SchemaError, match=r"^properties\.x\.items: .*needs a type"):
        property_in(dialect, {"type": "array"})


@pytest.mark.parametrize("dialect", ["openai", "portable"])
def test_free_keys_and_untyped_values_stay_where_they_are_understood(dialect: DialectName) -> None:
    free = {"type": "object", "additionalProperties": {"type": "string"}}
    assert (property_in(dialect, free), property_in(dialect, {})) == (free, {})


@pytest.mark.parametrize("dialect", NAMES)
def test_a_tool_without_arguments_can_be_said_in_every_dialect(dialect: DialectName) -> None:
    for empty in ({}, {"type": "object"}, {"type": "object", "properties": {}}):
        assert convert(empty, dialect)["properties"] == {}


# What is left out is said


@pytest.mark.parametrize(
    ("dialect", "schema", "description"),
    [
        (
            "openai-strict",
            {"type": "string", "minLength": 1, "maxLength": 20},
            "between 1 and 20 characters",
        ),
        ("openai-strict", {"type": "string", "minLength": 1}, "at least 1 character"),
        ("openai-strict", {"type": "string", "format": "uri"}, "format: uri"),
        ("openai-strict", {"type": "string", "pattern": "^(?!a)"}, "matching the pattern ^(?!a)"),
        ("deepseek-strict", {"type": "string", "format": "date"}, "format: date"),
        ("portable", {"type": "number", "minimum": 1, "maximum": 2000}, "between 1 and 2000"),
        ("portable", {"type": "integer", "multipleOf": 5}, "a multiple of 5"),
        ("portable", {"type": "string", "pattern": "a+"}, "matching the pattern a+"),
        ("gemini", {"type": "integer", "exclusiveMinimum": 0}, "more than 0"),
        ("gemini", {"type": "integer", "enum": [1, 2]}, "one of 1, 2"),
        ("gemini", {"const": True}, "one of true"),
        ("gemini", {"type": "string", "not": {"enum": ["a"]}}, 'not: {"enum": ["a"]}'),
        ("gemini", {"type": "string", "default": "a"}, 'default: "a"'),
        ("gemini", {"type": "string", "examples": ["a", "b"]}, 'for example "a", "b"'),
    ],
)
def test_a_constraint_that_is_left_out_is_said_in_the_description(
    dialect: DialectName, schema: dict[str, Any], description: str
) -> None:
    assert property_in(dialect, schema)["description"] == description
    told = property_in(dialect, {**schema, "description": "The x"})
    assert told["description"] == f"The x ({description})"


def test_limits_on_lists_are_said_where_deepseek_has_no_words_for_them() -> None:
    made = property_in(
        "deepseek-strict", {"type": "array", "items": {"type": "string"}, "maxItems": 5}
    )
    assert made == {
        "type": "array",
        "items": {"type": "string"},
        "description": "at most 5 items",
    }


# Unions, nulls, values


@pytest.mark.parametrize(
    ("dialect", "expected"),
    [
        ("gemini", {"nullable": True, "type": "string"}),
        ("portable", {"type": "string"}),
        ("openai-strict", {"anyOf": [{"type": "string"}, {"type": "null"}]}),
    ],
)
def test_a_union_with_null_is_written_the_way_of_the_backend(
    dialect: DialectName, expected: Any
) -> None:
    assert property_in(dialect, {"anyOf": [{"type": "string"}, {"type": "null"}]}) == expected


@pytest.mark.parametrize("dialect", ["gemini", "portable"])
def test_a_list_of_types_becomes_a_union(dialect: DialectName) -> None:
    made = property_in(dialect, {"type": ["string", "integer"], "minLength": 2, "minimum": 3})
    assert made == {
        "anyOf": [{"type": "string", "minLength": 2}, {"type": "integer", "minimum": 3}]
    }


def test_gemini_wants_a_union_to_stand_alone() -> None:
    schema = {
        "anyOf": [{"type": "string"}, {"type": "integer"}, {"type": "null"}],
        "description": "d",
    }
    assert property_in("gemini", schema) == {
        "anyOf": [
            {"description": "d", "type": "string", "nullable": True},
            {"type": "integer", "nullable": True},
        ]
    }


@pytest.mark.parametrize("dialect", [*STRICT, "gemini", "portable"])
def test_all_of_is_merged(dialect: DialectName) -> None:
    first = {
        "type": "object",
        "properties": {"a": {"type": "integer", "minimum": 1}},
        "required": ["a"],
    }
    second = {"properties": {"b": {"type": "string"}, "a": {"minimum": 5}}, "required": ["b"]}
    made = property_in(
        dialect, {"allOf": [{"$ref": "#/$defs/First"}, second]}, **{"$defs": {"First": first}}
    )
    assert (list(made["properties"]), made["required"]) == (["a", "b"], ["a", "b"])
    assert made["properties"]["a"] == {"type": "integer", "minimum": 5}


@pytest.mark.parametrize("dialect", NAMES)
def test_all_of_at_the_root_is_merged(dialect: DialectName) -> None:
    schema = {
        "allOf": [with_property({"type": "string"}), {"properties": {"y": {"type": "integer"}}}]
    }
    assert list(convert(schema, dialect)["properties"]) == ["x", "y"]


@pytest.mark.parametrize("dialect", NAMES)
def test_a_root_that_asks_for_one_of_two_fields_says_so_in_words(dialect: DialectName) -> None:
    schema = with_property(
        {"type": "string"}, required=False, anyOf=[{"required": ["x"]}, {"required": ["y"]}]
    )
    schema["properties"]["y"] = {"type": "string"}
    made = convert(schema, dialect)
    assert made["description"] == "at least one of these is required: x, y"
    assert "anyOf" not in made


def test_contradictions_are_refused_with_their_place() -> None:
    with pytest.raises(SchemaError, match=r"^properties\.x: no value is both of type"):
        property_in("portable", {"type": "string", "allOf": [{"type": "integer"}]})
    with pytest.raises(SchemaError, match=r"^properties\.x: no value is allowed by the enum"):
        property_in("openai", {"type": "string", "enum": [1]})
    with pytest.raises(SchemaError, match=r"^properties\.x: no type is called 'str'"):
        property_in("openai", {"type": "str"})
    with pytest.raises(SchemaError, match=r"^properties\.x: '#/\$defs/No' refers to nothing"):
        property_in("portable", {"$ref": "#/$defs/No"})


def test_a_discriminated_union_keeps_what_tells_its_branches_apart() -> None:
    class Owner(BaseModel):
        thing: Leaf | Tree = Field(description="What it is")

    made = schema_for(Owner, "openai-strict")
    assert made["$defs"]["Leaf"]["properties"]["kind"] == {"const": "leaf", "type": "string"}


@pytest.mark.parametrize("dialect", NAMES)
def test_draft_7_definitions_and_tuples_are_understood(dialect: DialectName) -> None:
    schema = with_property(
        {"type": "array", "items": [{"$ref": "#/definitions/A"}, {"type": "string"}]},
        definitions={"A": {"type": "integer"}},
    )
    if dialect != "openai":
        kinds = json.dumps(convert(schema, dialect))
        assert "integer" in kinds
        assert "string" in kinds


@pytest.mark.parametrize("dialect", NAMES)
def test_a_property_may_bear_the_name_of_a_keyword(dialect: DialectName) -> None:
    names = [
        "description",
        "type",
        "title",
        "default",
        "format",
        "const",
        "properties",
        "items",
        "$ref",
    ]
    schema = {
        "type": "object",
        "properties": {name: {"type": "string"} for name in names},
        "required": names,
    }
    assert list(convert(schema, dialect)["properties"]) == names


# Hostile schemas


@pytest.mark.parametrize("dialect", NAMES)
def test_a_schema_that_grows_without_end_is_refused(dialect: DialectName) -> None:
    levels = {
        f"L{n}": {
            "type": "object",
            "properties": {k: {"$ref": f"#/$defs/L{n + 1}", "description": "d"} for k in "ab"},
        }
        for n in range(40)
    }
    levels["L40"] = {"type": "string"}
    schema = with_property({"$ref": "#/$defs/L0"}, **{"$defs": levels})
    if dialect != "openai":
        with pytest.raises(SchemaError, match=r"more than|deeper"):
            convert(schema, dialect)


@pytest.mark.parametrize("dialect", NAMES)
def test_a_schema_that_is_too_deep_is_refused(dialect: DialectName) -> None:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(5000):
        schema = {"type": "array", "items": schema}
    with pytest.raises(SchemaError, match=r"too deep|nested deeper"):
        property_in(dialect, schema)
    assert lint_schema(with_property(schema), dialect)


def test_an_unknown_dialect_is_refused_with_the_known_ones() -> None:
    with pytest.raises(SchemaError, match="'anthropic'; one of openai, openai-strict"):
        convert({}, "anthropic")  # type: ignore[arg-type]


def test_keys_by_pattern_can_still_be_sent_in_a_portable_schema() -> None:
    """The grammar of a closed object would rule them out."""
    schema = {
        "type": "object",
        "properties": {"table": {"type": "string"}},
        "patternProperties": {"^col_": {"type": "integer"}},
        "required": ["table"],
        "additionalProperties": False,
    }
    portable = convert(schema, "portable")
    assert portable["additionalProperties"] == {"type": "integer"}
    assert lint_schema(portable, "portable") == []
    Draft202012Validator(portable).validate({"table": "t", "col_a": 1})
