"""JSON Schemas of functions, models and tools, in the dialect of a backend, and their validators.

| module | what it does |
|---|---|
| `target`, `signature`, `pydantic_schema` | a model, function or tool: its schema and its validator |
| `raw_validator`, `compiled_schema` | raw schemas: pydantic-core where it can, else jsonschema |
| `schema_tree`, `references`, `schema_limits` | walking a schema; `$ref`; the limits for schemas of strangers |
| `convert`, `dialects` | a schema in the dialect of a backend; the dialects as records |
| `normalize`, `rewrite`, `unions` | the steps that the dialects are made of |
| `lint`, `offers` | what a backend would refuse; tools as others declare them |
"""

from zkit.schema.convert import convert, schema_for
from zkit.schema.dialects import DIALECTS, Dialect
from zkit.schema.lint import SchemaProblem, lint_schema, lint_tool
from zkit.schema.offers import Offer, offered
from zkit.schema.raw_validator import Misfit, MisfitError
from zkit.schema.signature import arguments_model, hidden_parameters
from zkit.schema.target import Target, target_for

__all__ = [
    "DIALECTS",
    "Dialect",
    "Misfit",
    "MisfitError",
    "Offer",
    "SchemaProblem",
    "Target",
    "arguments_model",
    "convert",
    "hidden_parameters",
    "lint_schema",
    "lint_tool",
    "offered",
    "schema_for",
    "target_for",
]
