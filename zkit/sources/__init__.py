"""Names in, tools out: the registry, the views of it, and what it remembers."""

from zkit.sources.catalog import Catalog
from zkit.sources.discovery import Discovery, discovery_tools
from zkit.sources.examples import ToolExample
from zkit.sources.kit import Kit
from zkit.sources.kit_checks import NothingLeftOutWarning
from zkit.sources.kit_files import KitFile, KitFolder, read_kit
from zkit.sources.memo_source import MemoSource
from zkit.sources.memory import Memory
from zkit.sources.overlays import Overlay, Overlays, SqliteOverlays
from zkit.sources.prompts import catalog_text
from zkit.sources.protocol import ToolSource
from zkit.sources.providers import Provider, PythonProvider
from zkit.sources.shadowing import ShadowedNameWarning
from zkit.sources.shown_tool import ShownTool
from zkit.sources.source_view import SourceView, unknown_tool
from zkit.sources.tool_folder import Loaded, LoadProblem
from zkit.sources.toolbox import Snapshot, Toolbox
from zkit.sources.workflows import Step, Workflow, load_skills, read_skill

__all__ = [
    "Catalog",
    "Discovery",
    "Kit",
    "KitFile",
    "KitFolder",
    "LoadProblem",
    "Loaded",
    "MemoSource",
    "Memory",
    "NothingLeftOutWarning",
    "Overlay",
    "Overlays",
    "Provider",
    "PythonProvider",
    "ShadowedNameWarning",
    "ShownTool",
    "Snapshot",
    "SourceView",
    "SqliteOverlays",
    "Step",
    "ToolExample",
    "ToolSource",
    "Toolbox",
    "Workflow",
    "catalog_text",
    "discovery_tools",
    "load_skills",
    "read_kit",
    "read_skill",
    "unknown_tool",
]
