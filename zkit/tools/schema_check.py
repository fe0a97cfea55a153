"""A JSON Schema and a value in, what does not fit out, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from zkit.errors import SchemaError, ToolDefinitionError
from zkit.schema import Misfit, MisfitError, target_for
from zkit.tools.frozen import thaw


def misfits(schema: Mapping[str, Any], value: Any) -> list[str]:
    """Say what does not fit, place by place; nothing when all fits."""
    try:
        target = target_for(thaw(schema))
    except SchemaError as error:
        raise ToolDefinitionError(f"the parameters are no JSON Schema: {error}") from error
    try:
        target.validate_python(thaw(value))
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
