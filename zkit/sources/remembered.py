"""A call and its result in; the key by which it is remembered, and the result to share, out."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import NamedTuple

from zkit.calls import Call
from zkit.results import Result, Success
from zkit.sources.touched_files import Paths
from zkit.tools import Tool, ToolSpec, canonical_arguments, current_scope, freeze


class Key(NamedTuple):
    """What makes two calls the same: in one task of one workspace, one tool, equal arguments."""

    workspace: str
    task: str
    tool: str
    arguments: str


@dataclass(slots=True)
class Remembered:
    """A result, the tool it came from, the files it depends on, and how often it was of use."""

    tool: Tool
    result: Success
    paths: Paths
    size: int
    hits: int = 0


def key_of(spec: ToolSpec, call: Call) -> Key | None:
    """The key of a call; None when its arguments are no JSON data, and nothing can be equal."""
    try:
        filled = canonical_arguments(spec, call.arguments)
        text = json.dumps(filled, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    except (TypeError, ValueError, AttributeError, RecursionError):
        return None
    scope = current_scope()
    return Key(scope.workspace, scope.task, spec.name, text)


def shareable(result: Result) -> Result | None:
    """A result that many may hold; None when its data cannot be made safe to share."""
    if not isinstance(result, Success):
        return result
    try:
        return replace(result, data=freeze(result.data), meta=freeze(result.meta))
    except TypeError:
        return None


def as_hit(result: Success, hits: int) -> Success:
    """The result as a hit: marked, and without effects, for nothing was done this time."""
    return replace(result, effects=(), meta={**result.meta, "cached": True, "hits": hits})
