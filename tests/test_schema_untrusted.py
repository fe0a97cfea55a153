"""Schemas that nobody here wrote: no pattern, reference or recursion in them stops the process."""

from __future__ import annotations

import json
import tracemalloc
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from schemas_strategy import NAMES

from zkit.arguments import Decoded, decode, object_keys, prepare
from zkit.errors import SchemaError, ToolDefinitionError
from zkit.extract import instructions
from zkit.results import Validation
from zkit.schema import convert, lint_schema, raw_validator, references, target_for
from zkit.schema.compiled_schema import acceptor, compiled, matcher
from zkit.schema.raw_validator import RawValidator
from zkit.tools import ToolSpec

Schema = dict[str, Any]
REF = {"$ref": "#/$defs/n"}


def chain(keyword: str, links: int = 30) -> Schema:
    """Definitions that each refer twice to the next."""
    defs: Schema = {
        f"a{at}": {keyword: [{"$ref": f"#/$defs/a{at + 1}"}] * 2} for at in range(links)
    }
    return {"$defs": {**defs, f"a{links}": {"type": "integer"}}, "$ref": "#/$defs/a0"}


ENDLESS: dict[str, tuple[Schema, str]] = {
    "not of itself": ({"type": "object", "not": {"$ref": "#"}}, "not.$ref: "),
    "a definition that is itself": ({"$defs": {"n": REF}, **REF}, "refers to itself"),
    "a negation further down": (
        {"$defs": {"n": {"not": REF}}, "properties": {"x": REF}},
        "refers to itself",
    ),
    "two that refer to each other": (
        {"$defs": {"n": {"anyOf": [{"$ref": "#/$defs/m"}]}, "m": {"allOf": [REF]}}},
        "refers to itself",
    ),
    "a place that is no schema": (
        {"x-a": {"b": {"not": {"$ref": "#/x-a/b"}}}, "properties": {"x": {"$ref": "#/x-a/b"}}},
        "refers to itself",
    ),
    "a dynamic reference": ({"$dynamicAnchor": "x", "$dynamicRef": "#x"}, "refers to itself"),
    "a bomb of allOf": (chain("allOf"), "stands for more than"),
    "a bomb of anyOf": (chain("anyOf"), "stands for more than"),
    "another document": ({"$ref": "https://example.org/x.json"}, "refers to nothing"),
    "a file": ({"properties": {"x": {"$ref": "file:///etc/passwd"}}}, "properties.x: 'file"),
}


@pytest.mark.parametrize(("schema", "said"), ENDLESS.values(), ids=ENDLESS.keys())
def test_a_schema_without_end_is_refused_where_it_is_defined(schema: Schema, said: str) -> None:
    with pytest.raises(SchemaError) as caught:
        target_for(schema)
    assert said in str(caught.value)


PATTERNS = {
    "in a text": {"properties": {"x": {"type": "string", "pattern": "^(a+)+$"}}},
    "with look-around": {"properties": {"x": {"type": "string", "pattern": "^(?=a)(a+)+$"}}},
    "of a name": {"patternProperties": {"^(a|a)+$": {"type": "integer"}}},
    "of a name, closed": {
        "patternProperties": {"^(a|a)+$": {"type": "integer"}},
        "additionalProperties": False,
    },
    "of a name, not evaluated": {
        "patternProperties": {"^(a|a)+$": {"type": "integer"}},
        "unevaluatedProperties": False,
    },
    "of every name": {"propertyNames": {"pattern": "^(a|a)+$"}},
}


@pytest.mark.parametrize("schema", PATTERNS.values(), ids=PATTERNS.keys())
def test_a_pattern_takes_linear_time(schema: Schema) -> None:
    """Python's own engine would take 2^60 steps."""
    text = "a" * 60 + "!"
    outcome = decode({"type": "object", **schema}, f'{{"x": "{text}", "{text}": 1}}')
    assert isinstance(outcome, Decoded | Validation)


def test_a_pattern_means_the_same_in_either_engine() -> None:
    plain, ahead = matcher("^[a-z]+$"), matcher("^(?=a)[a-z]+$")
    assert plain is not None
    assert ahead is not None
    assert plain("abc")
    assert ahead("abc")
    assert not plain("ab1")
    assert not ahead("bcd")
    assert matcher("(") is None
    assert matcher("a" * 10_000) is None


@pytest.mark.parametrize("keyword", ["allOf", "anyOf", "oneOf"])
def test_a_recursive_union_is_rejected_in_few_steps(keyword: str) -> None:
    """Each level asks twice about the next: 2^40 steps, were the answers not remembered."""
    inner = {"type": "object", "properties": {"c": {keyword: [REF, {**REF, "title": "again"}]}}}
    schema = {"$defs": {"n": inner}, "type": "object", "properties": {"x": REF}}
    raw = '{"x": ' + '{"c": ' * 40 + "1" + "}" * 41
    assert isinstance(decode(schema, raw), Validation)


def test_many_names_that_are_missing_are_found_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """jsonschema says each of them; for each all were listed, which took minutes for 2,000."""
    made: list[Any] = []
    listed = raw_validator._READERS["required"]

    def counted(error: Any, path: Any) -> Any:
        found = listed(error, path)
        made.extend(found)
        return found

    monkeypatch.setitem(raw_validator._READERS, "required", counted)
    names = [f"p{at}" for at in range(300)]
    inner = {"type": "object", "required": names}
    schema = {"type": "object", "properties": {"a": inner, "b": inner}, "required": ["a", "b"]}
    outcome = RawValidator(schema).misfits({"a": {}, "b": {"p0": 1}})
    assert len(outcome) == len(made) == 599


def test_many_unknown_keys_are_not_compared_with_every_field(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    compared: list[str] = []
    alike = object_keys._alike

    def counted(key: str, name: str) -> bool:
        compared.append(key)
        return alike(key, name)

    monkeypatch.setattr(object_keys, "_alike", counted)
    known = {f"p{at}": {"type": "string"} for at in range(200)}
    schema = {"type": "object", "properties": known, "additionalProperties": False}
    assert isinstance(decode(schema, {f"q{at}": "" for at in range(200)}), Validation)
    assert compared == []
    assert isinstance(decode(schema, {"quite_other": ""}), Validation)
    assert compared


def test_a_schema_of_megabytes_is_refused() -> None:
    schema = {"properties": {"a": {"enum": [f"value {at}" for at in range(200_000)]}}}
    with pytest.raises(SchemaError, match="characters"):
        target_for(schema)


LIMITS: dict[str, Schema] = {
    "a text of a billion": {"type": "string", "minLength": 10**9},
    "a text of more than a word": {"type": "string", "minLength": 10**30},
    "a list of a billion": {"type": "array", "minItems": 10**9, "items": {"type": "string"}},
    "lists of lists": {
        "type": "array",
        "minItems": 10**4,
        "items": {
            "type": "array",
            "minItems": 10**4,
            "items": {"type": "array", "minItems": 10**4},
        },
    },
    "a list as long as a float": {"type": "array", "minItems": 1e308},
    "infinite": {"type": "string", "maxLength": float("inf")},
    "no number": {"type": "number", "minimum": float("nan")},
    "a bound that no float holds": {"type": "number", "minimum": 10**400},
    "steps that no float holds": {"type": "number", "multipleOf": 10**400},
    "steps of almost nothing": {"type": "number", "multipleOf": 5e-324},
    "steps of nothing": {"type": "number", "multipleOf": 0},
    "a known value that Python does not write": {"enum": [16**5_000]},
    "a name with half a character": {
        "type": "object",
        "properties": {"\ud800": {"type": "string"}},
    },
    "a known value with half a character": {"enum": ["\ud800"]},
}


@pytest.mark.parametrize("limit", LIMITS.values(), ids=LIMITS)
def test_no_limit_of_a_schema_raises_or_takes_memory(limit: Schema) -> None:
    """The example in a refusal is built from the limits: a text of a billion took 4 GB."""
    schema = {"type": "object", "properties": {"x": limit}, "required": ["x"]}
    tracemalloc.start()
    try:
        for raw in ("{}", '{"x": 1}', '{"x": ""}', '{"x": 1.5}', '{"x": "7"}', '{"x": []}'):
            try:
                assert isinstance(decode(schema, raw), Decoded | Validation)
            except SchemaError:
                continue
        assert tracemalloc.get_traced_memory()[1] < 20_000_000
    finally:
        tracemalloc.stop()


def test_many_names_that_are_missing_take_no_copy_each() -> None:
    """pydantic keeps what it was given for each error, as a new object when it was given a text."""
    known = {f"p{at}": {"type": "string"} for at in range(1_000)}
    schema = {"type": "object", "properties": known, "required": [*known]}
    raw = json.dumps({f"q{at}": at for at in range(1_000)})
    assert isinstance(decode(schema, "{}"), Validation)
    tracemalloc.start()
    try:
        assert isinstance(decode(schema, raw), Validation)
        assert tracemalloc.get_traced_memory()[1] < 20_000_000
    finally:
        tracemalloc.stop()
    filled = json.dumps(dict.fromkeys(known, "a"))
    assert isinstance(decode(schema, filled), Decoded)


def test_a_wide_schema_is_walked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each branch was asked about once for each other: four seconds for 10,000."""
    asked: list[int] = []
    is_new = references._is_new

    def counted(*given: Any) -> bool:
        asked.append(1)
        return is_new(*given)

    monkeypatch.setattr(references, "_is_new", counted)
    target_for({"anyOf": [{"const": f"wide {at}"} for at in range(500)]})
    assert 0 < len(asked) < 1_500


def test_a_branch_that_is_there_twice_is_written_once() -> None:
    twice = [{"type": "string", "minLength": 1}, {"minLength": 1, "type": "string"}]
    schema = {"type": "object", "properties": {"x": {"anyOf": [*twice, {"type": "integer"}]}}}
    assert convert(schema, "portable")["properties"]["x"] == {
        "anyOf": [twice[0], {"type": "integer"}]
    }


def test_a_schema_with_a_value_nested_too_deep_is_refused() -> None:
    deep: Any = 1
    for _ in range(5_000):
        deep = [deep]
    for schema in ({"properties": {"x": {"enum": [deep]}}}, {"type": deep}):
        assert lint_schema(schema)
        with pytest.raises(SchemaError):
            target_for(schema)
        with pytest.raises(ToolDefinitionError):
            ToolSpec("act", "Act.", schema)


def test_keys_of_a_recursive_union_with_fields_beside_it_are_not_weighed_without_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each level doubled the branches that may declare a key: 2^40 for a value of forty levels."""
    asked: list[int] = []
    identity = prepare._identity

    def counted(shape: Any) -> Any:
        asked.append(1)
        return identity(shape)

    monkeypatch.setattr(prepare, "_identity", counted)
    fields = {"properties": {"c": REF}}
    inner = {"type": "object", **fields, "anyOf": [fields, {**fields, "title": "again"}]}
    node = {**inner, "unevaluatedProperties": False}
    schema = {"$defs": {"n": node}, "type": "object", "properties": {"x": REF}}
    raw = '{"x": ' + '{"c": ' * 12 + "1" + "}" * 13
    assert isinstance(decode(schema, raw), Validation)
    assert 0 < len(asked) < 2_000


LISTS: Schema = {
    "$defs": {
        "n": {
            "anyOf": [
                {"type": "array", "items": REF},
                {"type": "array", "items": REF, "minItems": 1},
                {"type": "integer"},
            ]
        }
    },
    "type": "object",
    "properties": {"x": REF},
}


def test_lists_of_lists_without_end_are_described_and_refused() -> None:
    """The words for what is expected, and the sample of a call, never ended."""
    for raw in ('{"x": [["q"]]}', '{"x": "q"}', '{"x": ' + "[" * 30 + '"q"' + "]" * 31):
        refused = decode(LISTS, raw)
        assert isinstance(refused, Validation)
        assert len(str(refused)) < 3_000
    offer = {"type": "function", "function": {"name": "act", "parameters": LISTS}}
    assert "act" in instructions([offer], "hermes_json")


def test_items_that_must_differ_are_told_apart_in_one_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    """jsonschema compares each object with each other: 20,000 of them took minutes."""
    from jsonschema import _keywords

    monkeypatch.setattr(_keywords, "uniq", lambda _: pytest.fail("compared pair by pair"))
    schema = {"properties": {"x": {"type": "array", "uniqueItems": True}}}
    many = [{"a": at} for at in range(500)]
    assert isinstance(decode(schema, json.dumps({"x": many})), Decoded)
    for twice in ([{"a": 1, "b": 2}, {"b": 2, "a": 1}], [1, 1.0], ["a", "a"], [[1], [1]]):
        assert isinstance(decode(schema, json.dumps({"x": twice})), Validation)
    for differ in ([1, True], [0, False], ["1", 1], [[1], [True]]):
        assert isinstance(decode(schema, json.dumps({"x": differ})), Decoded)


def test_a_recursive_schema_that_goes_down_is_fine() -> None:
    node = {
        "type": "object",
        "properties": {"v": {"type": "integer"}, "below": {"type": "array", "items": REF}},
        "required": ["v"],
    }
    found = decode({"$defs": {"n": node}, **REF}, '{"v": 1, "below": [{"v": "2", "below": []}]}')
    assert isinstance(found, Decoded)
    assert found.value == {"v": 1, "below": [{"v": 2, "below": []}]}


# --- the compiled validator and jsonschema ---------------------------------------------------

SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 12),
    st.sampled_from([2**53, 2**53 + 1, -(2**63), 10**25]),
    st.sampled_from([0.0, 1.0, 2.5, -1.5, 3.0000000001, 1e300]),
    st.sampled_from(["", "a", "ab", "abc\n", "2024-01-31", "x@y", "1", "true", "é"]),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(NAMES, inner, max_size=3)),
    max_leaves=8,
)
TYPES = st.sampled_from(["string", "integer", "number", "boolean", "null", "array", "object"])
BOUND = st.one_of(st.integers(-2, 8), st.sampled_from([0.5, 2.0, 2.5, 2**53, 2**60]))
LENGTH = st.integers(0, 3)
KEYWORDS: dict[str, st.SearchStrategy[Any]] = {
    "minimum": BOUND,
    "maximum": BOUND,
    "exclusiveMinimum": BOUND,
    "exclusiveMaximum": BOUND,
    "multipleOf": st.sampled_from([1, 2, 3, 0.5, 0.1]),
    "minLength": LENGTH,
    "maxLength": LENGTH,
    "pattern": st.sampled_from(["^a", "b$", "^[a-z]*$", "^(?=a)", "(a", "^\\w+$"]),
    "format": st.sampled_from(["date", "email", "uuid", "ipv4", "uri", "time", "colour"]),
    "minItems": LENGTH,
    "maxItems": LENGTH,
    "required": st.lists(NAMES, max_size=2, unique=True),
    "title": st.just("T"),
    "uniqueItems": st.booleans(),
    "minProperties": LENGTH,
}


@st.composite
def any_schema(draw: st.DrawFn, depth: int = 3) -> Schema | bool:
    """Schemas of every kind, sensible or not."""
    if depth == 0 or draw(st.integers(0, 9)) == 0:
        leaves: list[Schema | bool] = [True, {}, {"type": "string"}, {"type": "integer"}]
        return draw(st.sampled_from(leaves))
    inner = any_schema(depth=depth - 1)
    made: Schema = {}
    kind = draw(st.sampled_from(["type", "type", "type", "types", "enum", "union", "ref", "none"]))
    if kind == "type":
        made["type"] = draw(TYPES)
    elif kind == "types":
        made["type"] = draw(st.lists(TYPES, min_size=1, max_size=3, unique=True))
    elif kind == "enum":
        made["enum"] = draw(st.lists(SCALARS, min_size=1, max_size=3))
    elif kind == "union":
        made[draw(st.sampled_from(["anyOf", "oneOf"]))] = draw(
            st.lists(inner, min_size=1, max_size=3)
        )
    elif kind == "ref":
        return {"$ref": "#/$defs/n"}
    for key in draw(st.lists(st.sampled_from(sorted(KEYWORDS)), max_size=2)):
        made[key] = draw(KEYWORDS[key])
    if draw(st.booleans()):
        made["properties"] = draw(st.dictionaries(NAMES, inner, max_size=3))
    if draw(st.integers(0, 3)) == 0:
        made["additionalProperties"] = draw(st.one_of(st.booleans(), inner))
    if draw(st.integers(0, 2)) == 0:
        made["items"] = draw(inner)
    return made


@st.composite
def documents(draw: st.DrawFn) -> Schema:
    """A schema with one definition, which may contain itself."""
    root, inner = draw(any_schema()), draw(any_schema(depth=2))
    whole = dict(root) if isinstance(root, dict) else {}
    return {**whole, "$defs": {"n": inner}}


@given(documents(), st.lists(VALUES, min_size=1, max_size=6))
def test_the_compiled_validator_and_jsonschema_agree(schema: Schema, values: list[Any]) -> None:
    made = compiled(schema)
    if made is None:
        return
    try:
        by_jsonschema = RawValidator(schema)
    except SchemaError:
        return
    accepts = acceptor(made)
    by_jsonschema._accepts = None
    for value in values:
        assert accepts(value) == (not by_jsonschema.misfits(value)), value


@given(documents(), VALUES)
def test_a_random_schema_never_makes_decode_raise(schema: Schema, value: Any) -> None:
    try:
        outcome = decode(schema, value)
    except SchemaError:
        return
    assert isinstance(outcome, Decoded | Validation)
