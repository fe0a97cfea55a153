"""Sources of tools: the registry, views of it, and the memory of results.

| module | holds |
|---|---|
| `source` | the `ToolSource` protocol, and what every source offers: listing, describing, searching |
| `toolbox`, `shown_tool`, `overlays` | the registry; tools under another name or with preset arguments; changes by an operator |
| `kit`, `kit_rules`, `kit_files`, `workflows` | selections of tools and their files; workflows, skills and documents |
| `memory`, `memo_keys` | remembered answers, and when they are forgotten |
| `shared_memo`, `shared_counts`, `redis_memo` | one memory and one limit for many processes, in SQLite or Redis |
| `discovery`, `catalog` | two tools in place of hundreds; the search behind them, and the text of a kit in a prompt |
| `tool_folder` | tools from a folder of Python files |
| `confined_files` | files below a root, which no path or link can leave |
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from zkit.lazy_names import lazy_names

if TYPE_CHECKING:
    from zkit.sources.catalog import Catalog as Catalog
    from zkit.sources.catalog import ToolExample as ToolExample
    from zkit.sources.catalog import catalog_text as catalog_text
    from zkit.sources.discovery import Discovery as Discovery
    from zkit.sources.discovery import discovery_tools as discovery_tools
    from zkit.sources.kit import Kit as Kit
    from zkit.sources.kit_files import KitFile as KitFile
    from zkit.sources.kit_files import KitFolder as KitFolder
    from zkit.sources.kit_files import read_kit as read_kit
    from zkit.sources.kit_rules import NothingLeftOutWarning as NothingLeftOutWarning
    from zkit.sources.memory import Memory as Memory
    from zkit.sources.memory import MemoSource as MemoSource
    from zkit.sources.overlays import Overlay as Overlay
    from zkit.sources.overlays import Overlays as Overlays
    from zkit.sources.overlays import SqliteOverlays as SqliteOverlays
    from zkit.sources.redis_memo import RedisCounts as RedisCounts
    from zkit.sources.redis_memo import RedisMemo as RedisMemo
    from zkit.sources.shared_counts import CountStore as CountStore
    from zkit.sources.shared_memo import MemoStore as MemoStore
    from zkit.sources.shared_memo import SqliteMemo as SqliteMemo
    from zkit.sources.shown_tool import Provider as Provider
    from zkit.sources.shown_tool import PythonProvider as PythonProvider
    from zkit.sources.shown_tool import ShownTool as ShownTool
    from zkit.sources.source import ShadowedNameWarning as ShadowedNameWarning
    from zkit.sources.source import SourceView as SourceView
    from zkit.sources.source import ToolSource as ToolSource
    from zkit.sources.source import unknown_tool as unknown_tool
    from zkit.sources.tool_folder import Loaded as Loaded
    from zkit.sources.tool_folder import LoadProblem as LoadProblem
    from zkit.sources.toolbox import Snapshot as Snapshot
    from zkit.sources.toolbox import Toolbox as Toolbox
    from zkit.sources.workflows import Step as Step
    from zkit.sources.workflows import Workflow as Workflow
    from zkit.sources.workflows import load_skills as load_skills
    from zkit.sources.workflows import read_skill as read_skill

HOME = {
    "zkit.sources.catalog": (
        "Catalog",
        "ToolExample",
        "catalog_text",
    ),
    "zkit.sources.discovery": (
        "Discovery",
        "discovery_tools",
    ),
    "zkit.sources.kit": ("Kit",),
    "zkit.sources.kit_files": (
        "KitFile",
        "KitFolder",
        "read_kit",
    ),
    "zkit.sources.kit_rules": ("NothingLeftOutWarning",),
    "zkit.sources.memory": (
        "MemoSource",
        "Memory",
    ),
    "zkit.sources.overlays": (
        "Overlay",
        "Overlays",
        "SqliteOverlays",
    ),
    "zkit.sources.redis_memo": ("RedisCounts", "RedisMemo"),
    "zkit.sources.shared_counts": ("CountStore",),
    "zkit.sources.shared_memo": (
        "MemoStore",
        "SqliteMemo",
    ),
    "zkit.sources.shown_tool": (
        "Provider",
        "PythonProvider",
        "ShownTool",
    ),
    "zkit.sources.source": (
        "ShadowedNameWarning",
        "SourceView",
        "ToolSource",
        "unknown_tool",
    ),
    "zkit.sources.tool_folder": (
        "Loaded",
        "LoadProblem",
    ),
    "zkit.sources.toolbox": (
        "Snapshot",
        "Toolbox",
    ),
    "zkit.sources.workflows": (
        "Step",
        "Workflow",
        "load_skills",
        "read_skill",
    ),
}
"""Where each name lives; a module is loaded when one of its names is first used."""

__getattr__, __dir__, __all__ = lazy_names(__name__, HOME)
