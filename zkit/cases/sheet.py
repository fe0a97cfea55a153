"""The top of a case file in, what its cases share out: their kind, schemas and tool sets."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from zkit.cases.case_values import EntryError, Sheet, ToolSets, a_list, a_table
from zkit.cases.kinds import KINDS

ONE_SET = "tools"
"""The name of the tool set of a file that has only one, written as `[[tools]]`."""
SHARED = ("about", "kind", *dict.fromkeys(key for kind in KINDS.values() for key in kind.shares))


def is_shared(raw: Mapping[str, Any]) -> bool:
    """Tell a JSONL line that says what the lines after it share from one that is a case."""
    return bool(raw) and all(key in SHARED for key in raw)


def read_sheet(raw: Mapping[str, Any], empty: Sheet, folder: Path) -> Sheet:
    """Read what stands at the top of a file, or raise EntryError."""
    kind = KINDS.get(raw.get("kind", empty.kind))
    if kind is None:
        raise EntryError(f"kind {raw['kind']!r} is none of {', '.join(KINDS)}", "kind")
    known = ("about", "kind", *kind.shares, "case")
    for key in raw:
        if key not in known:
            raise EntryError(f"unknown key {key!r} (known: {', '.join(known)})", key)
    tools = tool_sets(raw.get("tools", {}), empty, folder)
    own = {"toolset": ONE_SET} if list(tools) == [ONE_SET] and "toolset" in kind.also else {}
    return replace(
        empty,
        kind=kind.name,
        schemas=a_table("schemas", raw.get("schemas", {}), empty),
        tools=tools,
        defaults=own | {key: raw[key] for key in kind.also if key in raw},
    )


def tool_sets(given: Any, empty: Sheet, folder: Path) -> ToolSets:
    """Take lists of tools by name, one list (`[[tools]]`), or the name of a JSON file that has them."""
    held = read_json(folder / given, given) if isinstance(given, str) else given
    held = {ONE_SET: held} if isinstance(held, list) else held
    sets = a_table("tools", held, empty)
    for tools in sets.values():
        for tool in a_list("tools", tools):
            a_table("tools", tool, empty)
    return sets


def read_json(path: Path, name: str) -> Any:
    """Read the JSON file that a case file refers to."""
    try:
        return json.loads(path.read_text("utf-8"))
    except OSError as error:
        problem = f"cannot be read: {error.strerror}"
    except ValueError as error:
        problem = f"is not JSON: {error}"
    raise EntryError(f"tools: {name} {problem}", "tools")
