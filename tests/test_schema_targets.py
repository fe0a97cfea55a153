"""Raw JSON Schemas as validators, and one target for everything that says what arguments are."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from zkit.errors import SchemaError, ToolDefinitionError
from zkit.schema import Misfit, MisfitError, target_for

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "path": {"type": "string"},
        "lines": {"type": "integer", "minimum": 1, "maximum": 2000},
        "unit": {"enum": ["celsius", "fahrenheit"]},
        "day": {"type": "string", "format": "date"},
        "at": {"type": "string", "format": "date-time"},
        "link": {"type": "string", "format": "uri"},
        "mail": {"type": "string", "format": "email"},
        "where": {
            "anyOf": [
                {
                    "type": "object",
                    "properties": {"kind": {"const": "file"}, "name": {"type": "string"}},
                    "required": ["kind", "name"],
                },
                {
                    "type": "object",
                    "properties": {"kind": {"const": "url"}, "url": {"type": "string"}},
                    "required": ["kind", "url"],
                },
            ]
        },
        "many": {"anyOf": [{"type": "array", "items": {"type": "integer"}}, {"type": "null"}]},
    },
    "required": ["path"],
    "additionalProperties": False,
}


class Read(BaseModel):
    """Read a file."""

    path: str


def misfits(value: Any, schema: dict[str, Any] = SCHEMA) -> list[tuple[Any, str, dict[str, Any]]]:
    try:
        target_for(schema).validate_python(value)
    except MisfitError as error:
        return [(m.path, m.kind, dict(m.facts)) for m in error.misfits]
    return []


@pytest.mark.parametrize(
    ("extra", "expected"),
    [
        ({"lines": "3"}, [(("lines",), "type", {"expected": ("integer",)})]),
        ({"lines": 0}, [(("lines",), "minimum", {"limit": 1})]),
        ({"unit": "kelvin"}, [(("unit",), "enum", {"allowed": ("celsius", "fahrenheit")})]),
        ({"day": "tomorrow"}, [(("day",), "format", {"format": "date"})]),
        ({"at": "2020-01-01"}, [(("at",), "format", {"format": "date-time"})]),
        ({"link": "no link"}, [(("link",), "format", {"format": "uri"})]),
        ({"mail": "nobody"}, [(("mail",), "format", {"format": "email"})]),
        ({"many": 3}, [(("many",), "type", {"expected": ("array", "null")})]),
        ({"many": [1, "2"]}, [(("many", 1), "type", {"expected": ("integer",)})]),
        ({"where": {"kind": "url"}}, [(("where", "url"), "missing", {})]),
        ({"day": "2024-02-29", "at": "2024-02-29T10:00:00Z", "link": "https://a.example/b"}, []),
        ({"at": "2024-02-29 10:00:00+01:00", "mail": "a@b.example", "many": None}, []),
    ],
)
def test_a_misfit_is_a_place_a_kind_and_facts(extra: dict[str, Any], expected: list[Any]) -> None:
    assert misfits({"path": "a", **extra}) == expected


def test_missing_and_unknown_properties_are_in_the_path() -> None:
    known = tuple(SCHEMA["properties"])
    assert sorted(misfits({"pth": "a", "x": 1})) == [
        (("path",), "missing", {}),
        (("pth",), "unknown", {"allowed": known}),
        (("x",), "unknown", {"allowed": known}),
    ]


def test_a_union_without_a_nearest_branch_gives_all_of_them() -> None:
    found = misfits({"path": "a", "where": {"kind": "gone"}})
    assert [kind for _, kind, _ in found] == ["anyOf"]
    assert len(found[0][2]["branches"]) == 2


def test_a_text_that_is_no_json_is_a_misfit() -> None:
    for text in ("{", '{"path": NaN}', ""):
        with pytest.raises(MisfitError) as caught:
            target_for(SCHEMA).validate_json(text)
        assert [m.kind for m in caught.value.misfits] == ["json"]


NODE: dict[str, Any] = {
    "type": "object",
    "properties": {"child": {"anyOf": [{"$ref": "#"}, {"$ref": "#/$defs/Other"}]}},
    "additionalProperties": False,
    "$defs": {
        "Other": {
            "type": "object",
            "properties": {"child": {"$ref": "#"}, "o": {}},
            "additionalProperties": False,
        }
    },
}


def nested(levels: int, end: Any) -> Any:
    for _ in range(levels):
        end = {"child": end}
    return end


def test_a_deep_value_is_checked_in_bounded_steps() -> None:
    assert misfits(nested(60, {}), NODE) == []
    assert misfits(nested(60, 3), NODE) != []


def test_a_value_too_deep_to_check_is_a_misfit_and_no_crash() -> None:
    assert misfits(nested(5000, {}), NODE) == [((), "depth", {})]


def test_a_full_stack_is_no_reason_to_refuse() -> None:
    def deeper(levels: int) -> Any:
        return deeper(levels - 1) if levels else misfits(nested(50, {}), NODE)

    assert deeper(sys.getrecursionlimit() - 300) == []


@pytest.mark.parametrize(
    ("schema", "says"),
    [
        ({"type": "objekt"}, "not a JSON Schema: type"),
        ({"type": "object", "properties": []}, "properties: an object is expected here"),
        ({"properties": {"a": {"minimum": "1"}}}, r"properties\.a\.minimum"),
        (
            {"properties": {"a": {"$ref": "#/$defs/A"}}},
            r"properties\.a: '#/\$defs/A' refers to nothing",
        ),
        ({"properties": {"a": {"$ref": "https://example.org/a.json"}}}, "refers to nothing"),
        ({"properties": {"a": {"default": object()}}}, "not a JSON Schema"),
    ],
)
def test_what_is_no_schema_is_refused_with_its_place(schema: dict[str, Any], says: str) -> None:
    with pytest.raises(SchemaError, match=says):
        target_for(schema)


def test_a_pattern_that_python_cannot_read_is_not_checked() -> None:
    schema = {"properties": {"a": {"type": "string", "pattern": r"^\p{L}+$"}}}
    assert misfits({"a": "é"}, schema) == []


def test_the_draft_that_a_schema_names_is_respected() -> None:
    schema = {
        "$schema": "http://json-schema.org/draft-04/schema#",
        "properties": {"a": {"minimum": 1, "exclusiveMinimum": True}},
    }
    assert misfits({"a": 1}, schema) == [(("a",), "minimum", {"limit": 1})]


# One target for everything


class Spec(SimpleNamespace):
    """An object with a name and parameters."""


@pytest.mark.parametrize(
    ("x", "name"),
    [
        (SCHEMA, "arguments"),
        ({"title": "read", **SCHEMA}, "read"),
        ({"type": "function", "function": {"name": "read", "parameters": SCHEMA}}, "read"),
        ({"name": "read", "input_schema": SCHEMA}, "read"),
        (Spec(name="read", parameters=SCHEMA), "read"),
        (Spec(name="read", inputSchema=SCHEMA), "read"),
        (Spec(definition=lambda: Spec(name="read", parameters=SCHEMA)), "read"),
        (Spec(target=target_for({"title": "read", **SCHEMA})), "read"),
    ],
)
def test_a_raw_schema_is_found_wherever_it_is(x: Any, name: str) -> None:
    target = target_for(x)
    assert (target.name, target.kind, target.schema["properties"]) == (
        name,
        "raw",
        SCHEMA["properties"],
    )
    assert target.validate_json(b'{"path": "a"}') == {"path": "a"}


def test_a_target_is_made_once() -> None:
    def call(a: int) -> None:
        pass

    class Shelf:
        def put(self, book: str) -> None:
            pass

    assert target_for(Shelf().put) is target_for(Shelf().put)
    assert target_for(Read) is target_for(Read)
    assert target_for(call) is target_for(call)
    assert target_for(SCHEMA) is target_for(dict(SCHEMA))


def test_a_schema_that_changes_gets_another_target() -> None:
    schema: dict[str, Any] = {"type": "object", "properties": {}}
    before = target_for(schema)
    schema["required"] = ["a"]
    assert misfits({}, schema) == [(("a",), "missing", {})]
    assert before.schema == {"type": "object", "properties": {}}


def test_a_model_validates_as_itself() -> None:
    target = target_for(Read)
    assert (target.name, target.kind) == ("Read", "model")
    assert target.validate_json('{"path": "a"}') == Read(path="a")
    with pytest.raises(ValidationError):
        target.validate_python({"path": 3}, strict=True)


@pytest.mark.parametrize("x", [3, "read", None, [SCHEMA], object()])
def test_what_says_nothing_of_arguments_is_refused(x: Any) -> None:
    with pytest.raises(ToolDefinitionError, match="describes no arguments"):
        target_for(x)


def test_a_misfit_error_reads_as_a_line() -> None:
    assert (
        str(MisfitError([Misfit(("a", 0), "type"), Misfit(("b",), "missing")]))
        == "a.0: type; b: missing"
    )
