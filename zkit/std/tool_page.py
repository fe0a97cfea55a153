"""What the standard tools declare, for their documents and the page about them."""

from __future__ import annotations

from zkit.std.toolset import FAMILIES, std_tools
from zkit.tools import ToolSpec


def std_specs() -> dict[str, ToolSpec]:
    """What every standard tool declares, by name, as it is where commands are confined."""
    specs = [tool.definition() for tool in std_tools(".", sandbox=False)]
    return {spec.name: spec for spec in specs}


def family_of(name: str) -> str:
    """The family of a tool."""
    return next(family for family, names in FAMILIES.items() if name in names)
