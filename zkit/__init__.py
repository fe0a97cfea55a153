"""zkit stands between "the model wrote something" and "a tool ran"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zkit.lazy_names import lazy_names

if TYPE_CHECKING:
    from zkit.arguments import Decoded as Decoded
    from zkit.arguments import decode as decode
    from zkit.arguments import decode_args as decode_args
    from zkit.calls import Call as Call
    from zkit.chat import ChatLoop as ChatLoop
    from zkit.chat import run as run
    from zkit.chat import wrap as wrap
    from zkit.dispatch import Dispatcher as Dispatcher
    from zkit.effects import FileEffect as FileEffect
    from zkit.effects import ProcessEffect as ProcessEffect
    from zkit.extract import Extraction as Extraction
    from zkit.extract import Extractor as Extractor
    from zkit.extract import find_calls as find_calls
    from zkit.extract import instructions as instructions
    from zkit.extract import render_call as render_call
    from zkit.grade import Grade as Grade
    from zkit.partial import PartialReader as PartialReader
    from zkit.receipt import Fix as Fix
    from zkit.receipt import Rank as Rank
    from zkit.repair import Repaired as Repaired
    from zkit.repair import RepairError as RepairError
    from zkit.repair import Unrepairable as Unrepairable
    from zkit.repair import loads as loads
    from zkit.repair import repair_all as repair_all
    from zkit.repair import repair_json as repair_json
    from zkit.results import Crashed as Crashed
    from zkit.results import Refused as Refused
    from zkit.results import Success as Success
    from zkit.results import Transient as Transient
    from zkit.results import Validation as Validation
    from zkit.schema import lint_schema as lint_schema
    from zkit.schema import schema_for as schema_for
    from zkit.sources import Kit as Kit
    from zkit.sources import MemoSource as MemoSource
    from zkit.sources import Toolbox as Toolbox
    from zkit.sources import ToolSource as ToolSource
    from zkit.tools import Context as Context
    from zkit.tools import Tool as Tool
    from zkit.tools import ToolSpec as ToolSpec
    from zkit.tools import TypedTool as TypedTool
    from zkit.tools import tool as tool

HOME = {
    "zkit.arguments": (
        "Decoded",
        "decode",
        "decode_args",
    ),
    "zkit.calls": ("Call",),
    "zkit.chat": (
        "ChatLoop",
        "run",
        "wrap",
    ),
    "zkit.dispatch": ("Dispatcher",),
    "zkit.effects": (
        "FileEffect",
        "ProcessEffect",
    ),
    "zkit.extract": (
        "Extraction",
        "Extractor",
        "find_calls",
        "instructions",
        "render_call",
    ),
    "zkit.grade": ("Grade",),
    "zkit.partial": ("PartialReader",),
    "zkit.receipt": (
        "Fix",
        "Rank",
    ),
    "zkit.repair": (
        "RepairError",
        "Repaired",
        "Unrepairable",
        "loads",
        "repair_all",
        "repair_json",
    ),
    "zkit.results": (
        "Crashed",
        "Refused",
        "Success",
        "Transient",
        "Validation",
    ),
    "zkit.schema": (
        "lint_schema",
        "schema_for",
    ),
    "zkit.sources": (
        "Kit",
        "MemoSource",
        "ToolSource",
        "Toolbox",
    ),
    "zkit.tools": (
        "Context",
        "Tool",
        "ToolSpec",
        "TypedTool",
        "tool",
    ),
}
"""Where each public name lives. A part of zkit is loaded when one of its names is first used."""

__getattr__, __dir__, __all__ = lazy_names(__name__, HOME)
