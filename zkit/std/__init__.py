"""The standard tools, workflow kits and skills."""

from zkit.std.std_tool import DOCS_ROOT, std_skills
from zkit.std.toolset import FAMILIES, BuiltinProvider, StdProvider, std_tools

__all__ = [
    "DOCS_ROOT",
    "FAMILIES",
    "BuiltinProvider",
    "StdProvider",
    "std_skills",
    "std_tools",
]
