"""The parts of a tool spec that are records of their own: examples, a guide, a preference."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from zkit.errors import ToolDefinitionError
from zkit.tools import spec_fields
from zkit.tools.frozen_data import FrozenDict

NOTHING: Mapping[str, Any] = FrozenDict()
_EXAMPLE_READERS = {
    "arguments": spec_fields.json_object,
    "description": spec_fields.text,
    "outcome": spec_fields.text,
    "tags": spec_fields.texts,
}


@dataclass(frozen=True, slots=True)
class Example:
    """A call that works: its arguments, what it is for, and what comes of it.

    By its description, and by words that are added as tags, it is found for a prompt.
    """

    arguments: Mapping[str, Any] = NOTHING
    description: str = ""
    outcome: str = ""
    tags: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name, read in _EXAMPLE_READERS.items():
            object.__setattr__(self, name, read(getattr(self, name), f"example.{name}"))


@dataclass(frozen=True, slots=True)
class Guide:
    """When to use a tool, when not, what helps, and examples in words."""

    when_to_use: tuple[str, ...] = ()
    when_not_to_use: tuple[str, ...] = ()
    tips: tuple[str, ...] = ()
    examples: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for entry in fields(self):
            object.__setattr__(
                self,
                entry.name,
                spec_fields.texts(getattr(self, entry.name), f"guide.{entry.name}"),
            )

    def __bool__(self) -> bool:
        return any(getattr(self, entry.name) for entry in fields(self))


@dataclass(frozen=True, slots=True)
class Preference:
    """What the operator wants of a tool.

    A tool that is not `enabled` is neither listed nor callable. `weight` moves it up (or down) in a
    search. `overrides` are arguments that the operator has set: the model does not see them and
    cannot set them.
    """

    enabled: bool = True
    weight: float = 1.0
    overrides: Mapping[str, Any] = NOTHING
    reason: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.enabled, bool):
            raise ToolDefinitionError(f"preference.enabled must be a bool, not {self.enabled!r}")
        number = isinstance(self.weight, int | float) and math.isfinite(self.weight)
        if not (number and self.weight >= 0):
            raise ToolDefinitionError(f"preference.weight must be 0 or more, not {self.weight!r}")
        overrides = spec_fields.json_object(self.overrides, "preference.overrides")
        object.__setattr__(self, "overrides", overrides)
