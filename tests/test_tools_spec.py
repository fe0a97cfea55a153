"""A tool spec is the single source of truth; everything else is a projection of it."""

from __future__ import annotations

import copy
import json
import pickle
import re
from dataclasses import FrozenInstanceError
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from zkit.errors import ToolDefinitionError
from zkit.grade import EXECUTE, PURE, READ, WRITE, Grade, joint_grade
from zkit.receipt import Rank
from zkit.tools import (
    Example,
    Guide,
    Preference,
    ToolSpec,
    freeze,
    from_wire,
    policy_for,
    thaw,
    to_wire,
)
from zkit.tools.projections import type_text

PARAMETERS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "path": {"type": "string", "description": "Where the repository is."},
        "mode": {"enum": ["short", "long"], "default": "short"},
        "depth": {"type": ["integer", "null"]},
    },
    "required": ["path"],
    "additionalProperties": False,
}
SPEC = ToolSpec(
    "git.status",
    "Show what has changed. Untracked files too.",
    PARAMETERS,
    output={"type": "array", "items": {"type": "string"}},
    examples=(Example({"path": "."}, "Here", "a list"),),
    tags=("git", "read-only"),
    grade=READ,
    destructive={"mode": ("long",)},
    idempotent=True,
    error_modes=("path is no repository",),
    guide=Guide(("before a commit",), ("there is no repository",), ("look at the root",)),
    docs="docs/git.md",
    preference=Preference(weight=2.0),
    timeout=5.0,
    provider="git",
    provider_config={"binary": "git"},
    cacheable=False,
    touches=("path",),
    limit=Rank.RESPELL,
    parallel=False,
)


def test_a_spec_survives_json() -> None:
    data = json.loads(json.dumps(SPEC.to_dict()))
    assert ToolSpec.from_dict(data) == SPEC
    assert ToolSpec.from_dict(ToolSpec("x").to_dict()) == ToolSpec("x")


def test_a_spec_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        SPEC.name = "other"  # type: ignore[misc]
    with pytest.raises(TypeError, match="cannot be changed"):
        SPEC.parameters["properties"]["path"]["type"] = "integer"
    with pytest.raises(TypeError, match="cannot be changed"):
        SPEC.examples[0].arguments["path"] = ".."  # type: ignore[index]


def test_a_spec_does_not_follow_changes_of_what_it_was_made_from() -> None:
    mine = copy.deepcopy(PARAMETERS)
    spec = ToolSpec("x", "y", mine)
    mine["properties"].clear()
    assert list(spec.parameters["properties"]) == ["path", "mode", "depth"]


def test_what_is_projected_can_be_changed_freely() -> None:
    SPEC.openai()["function"]["parameters"]["properties"].clear()
    SPEC.full()["parameters"].clear()
    SPEC.mcp()["inputSchema"].clear()
    assert list(SPEC.parameters["properties"]) == ["path", "mode", "depth"]


def test_the_projection_for_openai() -> None:
    assert SPEC.openai() == {
        "type": "function",
        "function": {
            "name": "git__dot__status",
            "description": "Show what has changed. Untracked files too.",
            "parameters": PARAMETERS,
        },
    }


def test_the_strict_projection_requires_every_key_and_lets_the_optional_be_null() -> None:
    function = SPEC.openai(strict=True)["function"]
    parameters = function["parameters"]
    assert function["strict"] is True
    assert parameters["required"] == ["path", "mode", "depth"]
    assert parameters["additionalProperties"] is False
    mode = json.dumps(parameters["properties"]["mode"])
    assert "null" in mode
    assert parameters["properties"]["path"]["type"] == "string"


def test_what_strict_mode_cannot_express_is_sent_as_it_is() -> None:
    free = {"type": "object", "properties": {"env": {"type": "object"}}, "required": ["env"]}
    function = ToolSpec("run", "Runs.", free).openai(strict=True)["function"]
    assert function["strict"] is False
    assert function["parameters"]["properties"]["env"] == {"type": "object"}


def test_the_summary_is_small_and_has_no_schema() -> None:
    assert SPEC.summary_entry() == {
        "name": "git.status",
        "summary": "Show what has changed.",
        "tags": ["git", "read-only"],
        "destructive": True,
    }
    assert len(json.dumps(SPEC.summary_entry())) <= 250


def test_the_full_projection_holds_what_helps_to_call_it() -> None:
    full = SPEC.full()
    assert full["name"] == "git.status"
    assert full["wire_name"] == "git__dot__status"
    assert full["parameters"] == PARAMETERS
    assert full["examples"] == [
        {"arguments": {"path": "."}, "description": "Here", "outcome": "a list"}
    ]
    assert full["error_modes"] == ["path is no repository"]
    assert full["idempotency"] == "idempotent"
    assert full["grade"] == {"w": 1, "d": 0}
    assert json.loads(json.dumps(full)) == full


def test_the_signature_says_types_defaults_and_what_is_optional() -> None:
    assert SPEC.signature() == (
        'git__dot__status(path: str, mode: "short" | "long" = "short", depth: int | None = ...)'
        " -> list[str]"
    )


def test_the_text_block() -> None:
    assert SPEC.text().splitlines() == [
        SPEC.signature(),
        "  Show what has changed. Untracked files too.",
        "  path: Where the repository is.",
        '  example: {"path": "."}',
        "  fails when: path is no repository",
        "  use it when: before a commit",
        "  do not use it when: there is no repository",
        "  tip: look at the root",
        "  destructive: needs approval",
    ]


def test_the_projection_for_mcp_wraps_what_is_no_object() -> None:
    entry = SPEC.mcp()
    assert entry["name"] == "git.status"
    assert entry["inputSchema"] == PARAMETERS
    assert entry["outputSchema"]["properties"]["result"]["type"] == "array"
    assert entry["annotations"]["readOnlyHint"] is True
    writes = ToolSpec("w", "W.", destructive=True).mcp()["annotations"]
    assert (writes["readOnlyHint"], writes["destructiveHint"]) == (False, True)
    assert writes["idempotentHint"] is False


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"name": ""}, "needs a name"),
    ({"name": "a\nb"}, "nobody can see"),
    ({"name": " a"}, "needs a name"),
    ({"parameters": {"type": "array"}}, "type object"),
    ({"parameters": ["path"]}, "JSON Schema of an object"),
    ({"parameters": {"properties": []}}, "properties"),
    ({"summary": "x" * 121}, "at most 120"),
    ({"tags": "read"}, "list of texts"),
    ({"tags": [1]}, "texts only"),
    ({"grade": (4, 0)}, "from 0 to 3"),
    ({"timeout": 0}, "above 0"),
    ({"cacheable": True}, "must run each time"),
    ({"touches": ["path"]}, "names no parameter"),
    ({"destructive": {"path": ["x"]}}, "names no parameter"),
    ({"destructive": "yes"}, "true, false or a mapping"),
    ({"examples": [{"arguments": {}, "why": 1}]}, "examples"),
    ({"guide": {"when": []}}, "guide"),
    ({"preference": {"weight": -1}}, "weight"),
    ({"parameters": {"properties": {"x": {"default": object()}}}}, "must be JSON data"),
    ({"parameters": {"properties": {"x": {"default": float("nan")}}}}, "must be JSON data"),
    ({"parameters": {"properties": {"x": {"type": "strng"}}}}, "not a JSON Schema"),
    ({"parameters": {"properties": {"x": {"$ref": "#/$defs/X"}}}}, "refers to nothing"),
    ({"parameters": {"properties": {}, "required": "x"}}, "required"),
    ({"output": {"type": "strng"}}, "output: not a JSON Schema"),
    ({"output": ["a"]}, "must be a mapping"),
    ({"description": None}, "must be a text"),
    ({"timeout": "3"}, "number of seconds"),
    ({"timeout": float("inf")}, "have an end"),
    ({"idempotent": "yes"}, "True, False or None"),
    ({"cacheable": 1, "grade": (0, 0)}, "True, False or None"),
    ({"grade": "reads"}, "there is no grade 'reads'; the grades are 'pure', 'read'"),
    ({"grade": (True, False)}, "from 0 to 3"),
    ({"grade": (1, 2, 3)}, "from 0 to 3"),
    ({"limit": Rank.CUT}, "up to GUESS"),
    ({"limit": "CUT"}, "up to GUESS"),
    ({"examples": {"arguments": {}}}, "must be a list"),
    ({"examples": [{"args": {}}]}, "has no 'args'; it has arguments"),
    ({"examples": [{"arguments": "x"}]}, "must be a mapping"),
    ({"preference": {"enable": False}}, "has no 'enable'; it has enabled"),
    ({"preference": {"enabled": "no"}}, "must be a bool"),
    ({"provider_config": {"x": object()}}, "must be JSON data"),
]


def test_a_single_value_is_not_taken_for_a_list_of_letters() -> None:
    parameters = {"properties": {"action": {"type": "string"}}}
    with pytest.raises(ToolDefinitionError, match="must be a list of values, not 'delete'"):
        ToolSpec("x", "y", parameters, destructive={"action": "delete"})
    declared = ToolSpec("x", "y", parameters, destructive={"action": ["delete"]})
    assert declared.is_destructive({"action": "delete"})


def test_no_tool_can_ask_to_run_what_was_cut_off() -> None:
    allowed = [rank for rank in Rank if rank < Rank.CUT]
    assert [ToolSpec("x", limit=rank).limit for rank in allowed] == allowed


@pytest.mark.parametrize("data", [{}, {"nme": "x"}, {"name": "x", "destrutive": True}])
def test_what_is_no_spec_is_not_read_as_one(data: dict[str, Any]) -> None:
    with pytest.raises(ToolDefinitionError, match="a tool spec"):
        ToolSpec.from_dict(data)


def test_a_spec_holds_json_whatever_it_was_made_from() -> None:
    given = {"properties": MappingProxyType({"x": {"enum": (1, "a")}}), "required": ("x",)}
    spec = ToolSpec("x", "y", given)
    assert ToolSpec.from_dict(json.loads(json.dumps(spec.to_dict(), allow_nan=False))) == spec


@pytest.mark.parametrize(("fields", "message"), WRONG, ids=[str(w[0])[:40] for w in WRONG])
def test_a_wrong_declaration_is_refused_at_once(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(ToolDefinitionError, match=message):
        ToolSpec(**{"name": "x", **fields})


@pytest.mark.parametrize(
    "arguments", [{}, {"path": 3}, {"path": ".", "extra": 1}, {"path": ".", "mode": "wide"}]
)
def test_an_example_that_does_not_fit_is_refused(arguments: dict[str, Any]) -> None:
    with pytest.raises(ToolDefinitionError, match="example 1 does not fit"):
        ToolSpec("x", "y", PARAMETERS, examples=(Example(arguments),))


def test_a_summary_is_made_from_the_description() -> None:
    assert ToolSpec("x", "Reads. More.").summary == "Reads."
    assert ToolSpec("x", "Reads\nall\n\nMore.").summary == "Reads all"
    long = ToolSpec("x", "word " * 100).summary
    assert len(long) <= 120
    assert long.endswith(" …")
    assert ToolSpec("x", "Reads.").replace(description="Writes. All.").summary == "Writes."
    own = ToolSpec("x", "Reads.", summary="Own.").replace(description="Writes.")
    assert own.summary == "Own."


def test_destructive_may_depend_on_arguments() -> None:
    parameters = {"properties": {"action": {"type": "string"}}}
    spec = ToolSpec("files", "F.", parameters, destructive={"action": ["delete"]})
    assert spec.is_destructive()
    assert spec.is_destructive({"action": "delete"})
    assert not spec.is_destructive({"action": "read"})
    assert not ToolSpec("x").is_destructive()


POLICIES = {
    PURE: (True, False, True, True, Rank.GUESS),
    READ: (True, False, True, True, Rank.GUESS),
    EXECUTE: (False, True, False, False, Rank.COMPLETE),
    WRITE: (False, True, False, False, Rank.COMPLETE),
}


@pytest.mark.parametrize("grade", POLICIES)
def test_the_default_policy_follows_from_the_grade(grade: Grade) -> None:
    assert policy_for(ToolSpec("x", grade=grade)) == POLICIES[grade]


def test_each_cell_of_the_policy_can_be_set() -> None:
    policy = policy_for(SPEC)
    assert policy == (False, False, False, True, Rank.RESPELL)
    assert policy_for(ToolSpec("x", grade=WRITE, idempotent=True)).retry
    assert not policy_for(ToolSpec("x", grade=READ, idempotent=False)).retry


grades = st.builds(Grade, st.integers(0, 3), st.integers(0, 3))


@given(st.lists(grades))
def test_a_joint_grade_is_the_smallest_that_covers_all(given_grades: list[Grade]) -> None:
    joint = joint_grade(given_grades)
    assert all(joint.w >= one.w and joint.d >= one.d for one in given_grades)
    assert joint.w in {0, *(one.w for one in given_grades)}
    assert joint.d in {0, *(one.d for one in given_grades)}


# Names on the wire

LEGAL = re.compile(r"[A-Za-z0-9_-]{1,64}")
names = st.text(st.sampled_from("ab_.-:/é u5fdot") | st.characters(), min_size=1, max_size=40)
tricky = st.lists(
    st.sampled_from(["a", "_", "__", ".", "dot", "u5f", "__dot__", "__h0123456789abcdef", ":"]),
    min_size=1,
    max_size=5,
).map("".join)


@given(names | tricky)
@example("__dot.")
@example("a___dot__")
def test_every_name_has_a_legal_wire_name(name: str) -> None:
    assert LEGAL.fullmatch(to_wire(name))


@given(names | tricky)
@example("__dot.")
@example("mcp:files.read_file")
def test_a_wire_name_leads_back_to_the_name(name: str) -> None:
    wire = to_wire(name)
    assume("__h" not in wire)
    assert from_wire(wire) == name


@given(names | tricky, names | tricky)
def test_two_names_never_share_a_wire_name(one: str, other: str) -> None:
    assert (to_wire(one) == to_wire(other)) is (one == other)


@given(st.from_regex(r"\A[A-Za-z0-9-]+(_[A-Za-z0-9-]+){0,3}\Z").filter(lambda n: len(n) <= 64))
@example("mcp__files__read")
def test_a_legal_name_stays_as_it_is(name: str) -> None:
    assert to_wire(name) == name
    assert from_wire(name) == name


def test_long_names_are_cut_and_stay_apart() -> None:
    one, other = to_wire("x" * 200), to_wire("x" * 201)
    assert one != other
    assert len(one) == len(other) == 64


@given(st.text())
def test_reading_a_wire_name_never_fails(text: str) -> None:
    from_wire(text)


# Frozen data

json_data = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(json_data)
def test_frozen_data_equals_what_it_was_made_of(data: Any) -> None:
    frozen = freeze(data)
    assert frozen == data
    assert json.dumps(frozen) == json.dumps(data)
    assert thaw(frozen) == data
    assert pickle.loads(pickle.dumps(frozen)) == data
    assert type(copy.deepcopy(frozen)) is type(data)


CHANGES: list[tuple[str, tuple[Any, ...]]] = [
    ("__setitem__", (0, 1)),
    ("__delitem__", (0,)),
    ("append", (1,)),
    ("extend", ([1],)),
    ("insert", (0, 1)),
    ("pop", ()),
    ("remove", (1,)),
    ("clear", ()),
    ("sort", ()),
    ("reverse", ()),
    ("__iadd__", ([1],)),
    ("__imul__", (2,)),
    ("update", ({"a": 1},)),
    ("setdefault", ("b", 1)),
    ("popitem", ()),
    ("__ior__", ({"a": 1},)),
]


@pytest.mark.parametrize(("method", "arguments"), CHANGES, ids=[c[0] for c in CHANGES])
def test_frozen_data_cannot_be_changed(method: str, arguments: tuple[Any, ...]) -> None:
    for data in (freeze([1, 2]), freeze({"a": 1, 0: 2})):
        if hasattr(data, method):
            before = copy.deepcopy(data)
            with pytest.raises(TypeError):
                getattr(data, method)(*arguments)
            assert data == before


def test_deep_and_circular_data() -> None:
    deep: Any = []
    for _ in range(50_000):
        deep = [deep]
    assert type(freeze(deep)).__name__ == "FrozenList"
    circle: list[Any] = []
    circle.append(circle)
    with pytest.raises(TypeError, match="contains itself"):
        freeze(circle)
    shared = {"a": 1}
    assert freeze([shared, shared]) == [shared, shared]


# Types in signatures

TYPES: list[tuple[Any, str]] = [
    ({"type": "string"}, "str"),
    ({"type": ["string", "null"]}, "str | None"),
    ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, "int | None"),
    ({"type": "array", "items": {"type": "number"}}, "list[float]"),
    ({"type": "array"}, "list"),
    ({"type": "array", "prefixItems": [{"type": "integer"}, {}]}, "tuple[int, Any]"),
    ({"type": "object", "additionalProperties": {"type": "boolean"}}, "dict[str, bool]"),
    ({"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"]}, "{x: int}"),
    ({"type": "object", "properties": {"x": {"type": "integer"}}}, "{x?: int}"),
    ({"const": 3}, "3"),
    ({"enum": [None, True, "a"]}, 'None | True | "a"'),
    ({"$ref": "#/$defs/P", "$defs": {"P": {"type": "string"}}}, "str"),
    ({"$ref": "#/nowhere"}, "Any"),
    ({}, "Any"),
    (True, "Any"),
]


@pytest.mark.parametrize(("schema", "text"), TYPES, ids=[t[1] for t in TYPES])
def test_types_read_like_python(schema: Any, text: str) -> None:
    assert type_text(schema, schema) == text


def test_a_schema_that_contains_itself_has_a_short_signature() -> None:
    inner = {"type": "object", "properties": {"next": {"$ref": "#/$defs/N"}}}
    schema = {"properties": {"node": {"$ref": "#/$defs/N"}}, "$defs": {"N": inner}}
    assert len(ToolSpec("x", "y", schema).signature()) < 200
