"""Makes tools at run time, runs them in separate processes, and keeps them in a catalog."""

from zkit.dynamic.dynamic_tools import DynamicTools, dynamic_tools
from zkit.dynamic.tool_catalog import Catalog, Pin, ToolVersion, default_catalog
from zkit.dynamic.tool_code import Field, ToolCode
from zkit.dynamic.tool_worker import WorkerLimits

__all__ = [
    "Catalog",
    "DynamicTools",
    "Field",
    "Pin",
    "ToolCode",
    "ToolVersion",
    "WorkerLimits",
    "default_catalog",
    "dynamic_tools",
]
