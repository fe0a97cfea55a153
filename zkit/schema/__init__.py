"""JSON Schemas of functions, models and tools, in the dialect of a backend, and their validators.

| module | what it does |
|---|---|
| `target`, `signature` | a model, function or tool: its schema and its validator |
| `raw_validator`, `compiled_schema` | raw schemas: pydantic-core where it can, else jsonschema |
| `schema_tree`, `references`, `schema_limits` | walking a schema; `$ref`; the limits for untrusted schemas |
| `conversion`, `dialects` | a schema in the dialect of a backend; the dialects as records |
| `normalize`, `rewrite`, `unions` | the steps that the dialects are made of |
| `lint`, `offers` | what a backend would refuse; tools as others declare them |
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from zkit.lazy_names import lazy_names

if TYPE_CHECKING:
    from zkit.schema.conversion import convert as convert
    from zkit.schema.conversion import schema_for as schema_for
    from zkit.schema.dialects import DIALECTS as DIALECTS
    from zkit.schema.dialects import Dialect as Dialect
    from zkit.schema.dialects import DialectName as DialectName
    from zkit.schema.lint import SchemaProblem as SchemaProblem
    from zkit.schema.lint import lint_schema as lint_schema
    from zkit.schema.lint import lint_tool as lint_tool
    from zkit.schema.offers import Offer as Offer
    from zkit.schema.offers import offered as offered
    from zkit.schema.raw_validator import Misfit as Misfit
    from zkit.schema.raw_validator import MisfitError as MisfitError
    from zkit.schema.signature import arguments_model as arguments_model
    from zkit.schema.signature import hidden_parameters as hidden_parameters
    from zkit.schema.target import Target as Target
    from zkit.schema.target import target_for as target_for

HOME = {
    "zkit.schema.conversion": (
        "convert",
        "schema_for",
    ),
    "zkit.schema.dialects": (
        "DIALECTS",
        "Dialect",
        "DialectName",
    ),
    "zkit.schema.lint": (
        "SchemaProblem",
        "lint_schema",
        "lint_tool",
    ),
    "zkit.schema.offers": (
        "Offer",
        "offered",
    ),
    "zkit.schema.raw_validator": (
        "Misfit",
        "MisfitError",
    ),
    "zkit.schema.signature": (
        "arguments_model",
        "hidden_parameters",
    ),
    "zkit.schema.target": (
        "Target",
        "target_for",
    ),
}
"""Where each name lives; a module is loaded when one of its names is first used."""

__getattr__, __dir__, __all__ = lazy_names(__name__, HOME)
