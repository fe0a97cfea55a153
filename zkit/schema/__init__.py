"""A function, a model or a raw schema in; JSON Schema in a backend's dialect, and a validator, out."""

from zkit.schema.convert import convert, schema_for
from zkit.schema.dialects import DIALECTS, Dialect
from zkit.schema.lint import Finding, lint_schema, lint_tool
from zkit.schema.offers import Offer, offered
from zkit.schema.raw_validator import Misfit, MisfitError
from zkit.schema.signature import arguments_model, hidden_parameters
from zkit.schema.target import Target, target_for

__all__ = [
    "DIALECTS",
    "Dialect",
    "Finding",
    "Misfit",
    "MisfitError",
    "Offer",
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
