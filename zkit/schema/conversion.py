"""Converts a JSON Schema to the dialect of a backend."""

from __future__ import annotations

import copy
from collections.abc import Collection, Mapping

from zkit.errors import SchemaError
from zkit.json_types import JsonMapping, JsonObject
from zkit.schema.dialects import DialectName, dialect_of_name
from zkit.schema.lint import lint_schema
from zkit.schema.target import target_for


def schema_for(
    x: object, dialect: DialectName = "openai", *, hide: Collection[type] = ()
) -> JsonObject:
    """Return the JSON Schema of what a model must send for `x`, in the dialect of a backend.

    `x` is a pydantic model, a TypedDict, a dataclass, an annotated function or method, or anything
    else that `target_for` takes. Parameters annotated with a type in `hide` are left out.

    Raises `SchemaError`, naming the field, for what the dialect cannot express.
    """
    return convert(target_for(x, hide=hide).schema, dialect)


def convert(schema: JsonMapping, dialect: DialectName = "openai") -> JsonObject:
    """Return a copy of a JSON Schema of tool arguments, in the dialect of a backend."""
    record = dialect_of_name(dialect)
    made = _copied(schema)
    for step in record.steps:
        made = step(made, record)
    for finding in lint_schema(made, dialect):  # what no step could fix
        raise SchemaError(f"{finding.path or 'the root'}: {finding.problem}; {finding.advice}")
    return made


def _copied(schema: JsonMapping) -> JsonObject:
    if not isinstance(schema, Mapping):
        raise SchemaError(f"not a JSON Schema: an object is expected, not {schema!r}")
    try:
        return copy.deepcopy(dict(schema))
    except RecursionError:
        raise SchemaError("not a JSON Schema: it is nested too deep") from None
