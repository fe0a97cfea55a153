"""Sources of tools: the registry, views of it, and what is remembered of its answers.

| module | holds |
|---|---|
| `source` | the `ToolSource` protocol, and what every source offers: listing, describing, searching |
| `toolbox`, `shown_tool`, `overlays` | the registry; tools shown in another way; what an operator changes |
| `kit`, `kit_rules`, `kit_files`, `workflows`, `prompts` | selections of tools, their files, their text in a prompt |
| `memo_source`, `memory`, `memo_keys` | remembered answers, and when they are forgotten |
| `shared_memo`, `redis_memo` | one memory for many processes, in SQLite or Redis |
| `discovery`, `catalog` | two tools in place of hundreds; the search behind them |
| `tool_folder` | tools from a folder of Python files |
| `confined_files`, `documents` | files that no path or link leads out of; documents of tools and kits |
"""

from zkit.sources.catalog import Catalog
from zkit.sources.discovery import Discovery, discovery_tools
from zkit.sources.kit import Kit
from zkit.sources.kit_files import KitFile, KitFolder, read_kit
from zkit.sources.kit_rules import NothingLeftOutWarning
from zkit.sources.memo_source import MemoSource
from zkit.sources.memory import Memory
from zkit.sources.overlays import Overlay, Overlays, SqliteOverlays
from zkit.sources.prompts import ToolExample, catalog_text
from zkit.sources.redis_memo import RedisMemo
from zkit.sources.shared_memo import MemoStore, SqliteMemo
from zkit.sources.shown_tool import Provider, PythonProvider, ShownTool
from zkit.sources.source import ShadowedNameWarning, SourceView, ToolSource, unknown_tool
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
    "MemoStore",
    "Memory",
    "NothingLeftOutWarning",
    "Overlay",
    "Overlays",
    "Provider",
    "PythonProvider",
    "RedisMemo",
    "ShadowedNameWarning",
    "ShownTool",
    "Snapshot",
    "SourceView",
    "SqliteMemo",
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
