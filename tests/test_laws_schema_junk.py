"""What holds for invalid schemas: a clear refusal, never a crash."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from profiles import many

from zkit.errors import SchemaError
from zkit.schema import DIALECTS, DialectName, convert, lint_schema, target_for
from zkit.schema.raw_validator import MisfitError

KEYWORDS = st.sampled_from(
    [
        "type",
        "properties",
        "required",
        "items",
        "anyOf",
        "oneOf",
        "allOf",
        "enum",
        "const",
        "$ref",
        "$defs",
        "definitions",
        "format",
        "pattern",
        "minimum",
        "maximum",
        "minLength",
        "maxItems",
        "additionalProperties",
        "description",
        "title",
        "default",
        "not",
        "if",
        "then",
        "prefixItems",
        "nullable",
        "patternProperties",
        "uniqueItems",
        "exclusiveMinimum",
        "dependentRequired",
        "propertyNames",
        "$id",
        "$anchor",
        "$schema",
        "examples",
    ]
)
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.sampled_from(
        ["object", "array", "string", "null", "a", "#", "#/$defs/a", "#/properties/a", "x"]
    ),
)
JUNK = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(KEYWORDS, inner, max_size=4),
        st.dictionaries(st.sampled_from(["a", "b", "type"]), inner, max_size=3),
    ),
    max_leaves=12,
)
ROOTS = st.dictionaries(KEYWORDS, JUNK, max_size=5).flatmap(
    lambda made: st.sampled_from([made, {"type": "object", "properties": {"a": made}}])
)


def converted(schema: dict[str, Any], dialect: DialectName) -> dict[str, Any] | None:
    try:
        return convert(schema, dialect)
    except SchemaError:
        return None


def fits(schema: dict[str, Any], value: Any) -> bool | None:
    try:
        target = target_for(schema)
    except SchemaError:
        return None
    try:
        return target.validate_python(value) is value
    except MisfitError as error:
        return not error.misfits


@many(200)
@given(schema=ROOTS)
def test_junk_is_converted_to_something_clean_or_refused(schema: dict[str, Any]) -> None:
    for dialect in DIALECTS:
        lint_schema(schema, dialect)
        made = converted(schema, dialect)
        assert made is None or lint_schema(made, dialect) == []


@many(200)
@given(schema=ROOTS, value=JUNK)
def test_junk_is_compiled_or_refused_and_judges_any_value(
    schema: dict[str, Any], value: Any
) -> None:
    assert fits(schema, value) in (True, False, None)
