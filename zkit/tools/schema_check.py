"""A JSON Schema and a value in, what does not fit out, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from zkit.errors import SchemaError, ToolDefinitionError
from zkit.schema import Misfit, MisfitError, Target, target_for
from zkit.tools.frozen_data import freeze, thaw


def check_schema(schema: Mapping[str, Any], what: str) -> None:
    """Raise `ToolDefinitionError` for a schema that nothing could be validated against."""
    try:
        target_for(thaw(schema))
    except SchemaError as error:
        raise ToolDefinitionError(f"{what}: {error}") from error


def schema_of(target: Target) -> dict[str, Any]:
    """The schema of what a function or class takes; raises `ToolDefinitionError` without one."""
    try:
        return target.schema
    except SchemaError as error:
        raise ToolDefinitionError(str(error)) from error


def parameters_of(target: Target) -> Any:
    """The same as the parameters of a spec: frozen, for it was made and needs no reading."""
    made = {key: part for key, part in schema_of(target).items() if key != "description"}
    return freeze({"properties": {}, **made})


def misfits(schema: Mapping[str, Any], value: Any) -> list[str]:
    """Say what does not fit, place by place; nothing when all fits."""
    try:
        target_for(thaw(schema)).validate_python(thaw(value))
    except MisfitError as error:
        return [_words(misfit) for misfit in error.misfits]
    return []


def _words(misfit: Misfit) -> str:
    place = ".".join(map(str, misfit.path)) or "the whole"
    facts = {key: value for key, value in misfit.facts.items() if key != "branches"}
    about = ", ".join(f"{key} {_shown(value)}" for key, value in facts.items())
    return f"{place}: {misfit.kind}" + (f" ({about})" if about else "")


def _shown(value: Any) -> str:
    if isinstance(value, list | tuple | set | frozenset):
        return " or ".join(map(str, value))
    return str(value)
