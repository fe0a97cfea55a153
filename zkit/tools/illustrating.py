"""What a tool takes and its examples in, the same out with examples for each parameter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from zkit.schema import Target
from zkit.tools.frozen_data import thaw
from zkit.tools.spec_parts import Example


def illustrated(target: Target, examples: Sequence[Example]) -> Target:
    """Return the target with the values that the examples have for its parameters.

    A message about wrong arguments shows them, in place of values that were made up. The parameters
    in the spec stay as they are: there, every request would pay for them.
    """
    if not examples:
        return target
    return replace(target, _schema=lambda: _with_values(target.schema, examples))


def _with_values(schema: dict[str, Any], examples: Sequence[Example]) -> dict[str, Any]:
    properties = schema.get("properties", {})
    shown = {name: _shown(name, part, examples) for name, part in properties.items()}
    return {**schema, "properties": shown}


def _shown(name: str, part: Any, examples: Sequence[Example]) -> Any:
    values = [thaw(one.arguments[name]) for one in examples if name in one.arguments]
    if not values or not isinstance(part, Mapping) or "examples" in part:
        return part
    return {**part, "examples": values}
