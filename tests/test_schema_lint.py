"""What the linter finds, and that it stays silent where nothing is wrong."""

from __future__ import annotations

from typing import Any

import pytest

from zkit.schema import DIALECTS, DialectName, lint_schema

FINE = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
    "required": ["city", "days"],
    "additionalProperties": False,
}


def tool(**properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


@pytest.mark.parametrize("dialect", [name for name in DIALECTS if name != "gemini"])
def test_a_plain_schema_is_clean(dialect: DialectName) -> None:
    assert lint_schema(FINE, dialect) == []


@pytest.mark.parametrize(
    ("schema", "path", "problem"),
    [
        ({"type": "array", "items": {}}, "", "the root is not an object"),
        ({**FINE, "anyOf": [{"required": ["city"]}]}, "", "'anyOf' is at the root"),
        ({**FINE, "required": ["cty"]}, "", "'cty' is required but not declared"),
        (tool(x={"type": "str"}), "properties.x", "no type is called 'str'"),
        (tool(x={"type": "string", "required": True}), "properties.x", "'required' is not a list"),
        (tool(x={"$ref": "#/$defs/X"}), "properties.x", "'#/$defs/X' refers to nothing"),
        (tool(x={"type": "string", "enum": []}), "properties.x", "the enum has no values"),
        (tool(x={"type": "string", "enum": ["a", "a"]}), "properties.x", "the same value twice"),
        (
            tool(x={"type": "string", "enum": ["a", 1]}),
            "properties.x",
            "1 in the enum is not of type string",
        ),
        (tool(x={"type": "array"}), "properties.x", "does not say what its items are"),
    ],
)
@pytest.mark.parametrize("dialect", list(DIALECTS))
def test_a_mistake_in_any_dialect_is_found(
    dialect: DialectName, schema: dict[str, Any], path: str, problem: str
) -> None:
    found = lint_schema(schema, dialect)
    assert [f for f in found if f.path == path and problem in f.problem and f.advice]


@pytest.mark.parametrize(
    ("dialect", "schema", "path"),
    [
        ("openai-strict", {"type": "object", "properties": {}}, ""),
        ("openai-strict", {**FINE, "required": ["city"]}, ""),
        ("openai-strict", tool(x={"type": "string", "minLength": 1}), "properties.x.minLength"),
        ("openai-strict", tool(x={"type": "string", "format": "uri"}), "properties.x.format"),
        ("openai-strict", tool(x={"oneOf": [{"type": "string"}]}), "properties.x.oneOf"),
        ("openai-strict", tool(x={}), "properties.x"),
        (
            "openai-strict",
            {
                **tool(x={"$ref": "#/$defs/A", "description": "d"}),
                "$defs": {"A": {"type": "string"}},
            },
            "properties.x",
        ),
        (
            "deepseek-strict",
            tool(x={"type": "array", "items": {"type": "string"}, "minItems": 1}),
            "properties.x.minItems",
        ),
        (
            "deepseek-strict",
            tool(x={"type": ["array", "null"], "items": {"type": "string"}}),
            "properties.x",
        ),
        ("gemini", tool(x={"type": "string"}), "additionalProperties"),
        (
            "gemini",
            tool(todos={"type": "array", "items": {"type": ["string", "null"]}}),
            "properties.todos.items",
        ),
        ("gemini", tool(x={"type": "integer", "enum": [1]}), "properties.x.enum"),
        ("gemini", tool(x={"type": "object", "properties": {}}), "properties.x"),
        ("portable", tool(x={"const": "a"}), "properties.x.const"),
        ("portable", tool(x={"type": "string", "title": "X"}), "properties.x.title"),
        ("portable", tool(x={"anyOf": [{"type": "string"}, {"type": "null"}]}), "properties.x"),
        ("portable", tool(x={"type": "number", "minimum": 1}), "properties.x.minimum"),
        ("portable", tool(x={"type": "string", "pattern": "a"}), "properties.x.pattern"),
        (
            "portable",
            {**tool(x={"$ref": "#/$defs/A"}), "$defs": {"A": {"type": "string"}}},
            "properties.x.$ref",
        ),
    ],
)
def test_what_a_backend_does_not_know_is_found_at_its_place(
    dialect: DialectName, schema: dict[str, Any], path: str
) -> None:
    assert path in [finding.path for finding in lint_schema(schema, dialect)]
    assert all(finding.advice for finding in lint_schema(schema, dialect))


def test_what_one_backend_does_not_know_is_no_matter_to_another() -> None:
    assert lint_schema(tool(x={"type": "string", "minLength": 1, "title": "X"}), "openai") == []


def test_the_limits_of_openai_are_known() -> None:
    deep: dict[str, Any] = {"type": "string"}
    for _ in range(11):
        deep = tool(x=deep)
    wide = tool(**{f"field_{n}": {"type": "string"} for n in range(5001)})
    many = tool(x={"type": "string", "enum": [f"value {n}" for n in range(1001)]})
    long = tool(x={"type": "string", "enum": [f"{n:>100}" for n in range(251)]})
    assert "more than 10 objects" in lint_schema(deep, "openai-strict")[0].problem
    assert "5001 fields" in lint_schema(wide, "openai-strict")[0].problem
    assert "1001 values" in lint_schema(many, "openai-strict")[0].problem
    assert "too long" in lint_schema(long, "openai-strict")[0].problem


def test_what_is_no_schema_at_all_is_found_too() -> None:
    assert lint_schema([], "openai")  # type: ignore[arg-type]
