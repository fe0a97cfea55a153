"""What makes two calls the same, which files they touch, and the result that is shared."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from zkit.calls import Call
from zkit.effects import FileEffect, ProcessEffect
from zkit.json_types import JsonMapping
from zkit.results import Result, Success
from zkit.tools import Tool, ToolSpec, canonical_arguments, current_scope, freeze

Paths = frozenset[Path] | None
"""Files; None if it may be any."""


class Files:
    """Knows which files a call touches, by what its tool declares; paths are relative to a root.

    Without a root nothing is known, because one file may be named in two ways.
    """

    def __init__(self, root: str | Path | None) -> None:
        self._root = None if root is None else Path(root).resolve()

    def of_call(
        self, spec: ToolSpec, call: Call, effects: Iterable[FileEffect | ProcessEffect] = ()
    ) -> Paths:
        """Return the files that a call touches, when its tool declares that it touches no others."""
        arguments: JsonMapping = canonical_arguments(spec, call.arguments)
        given = [arguments.get(name) for name in spec.touches]
        if self._root is None or not given or not all(isinstance(one, str) for one in given):
            return None
        return frozenset(self._resolved(str(one)) for one in given) | self.of_effects(effects)

    def of_effects(self, effects: Iterable[FileEffect | ProcessEffect]) -> frozenset[Path]:
        """Return the files named in effects."""
        files = [effect for effect in effects if isinstance(effect, FileEffect)]
        names = [name for effect in files for name in (effect.path, effect.from_path) if name]
        return frozenset(map(self._resolved, names))

    def _resolved(self, path: str) -> Path:
        return Path(os.path.normcase(os.path.realpath((self._root or Path()) / path)))


def overlap(one: Paths, other: Paths) -> bool:
    """True if two sets of files may have something in common; a folder holds all that is in it."""
    if one is None or other is None:
        return True
    return any(a == b or a in b.parents or b in a.parents for a in one for b in other)


class Key(NamedTuple):
    """What makes two calls the same: one tool, equal arguments, and all that a tool sees of its scope.

    The deadline is left out, because it is never the same.
    """

    workspace: str
    task: str
    tool: str
    arguments: str
    role: str = ""
    depth: int = 0


@dataclass(slots=True)
class Remembered:
    """A result, its tool, the files it depends on, and its number of hits."""

    tool: Tool
    result: Success
    paths: Paths
    size: int
    hits: int = 0


def key_of(spec: ToolSpec, call: Call) -> Key | None:
    """Return the key of a call; None if its arguments are not JSON data."""
    try:
        filled = canonical_arguments(spec, call.arguments)
        text = json.dumps(filled, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    except (TypeError, ValueError, AttributeError, RecursionError):
        return None
    scope = current_scope()
    return Key(scope.workspace, scope.task, spec.name, text, scope.role, scope.depth)


def shareable(result: Result) -> Result | None:
    """Return a result that can be shared; None if its data cannot be frozen."""
    if not isinstance(result, Success):
        return result
    try:
        return replace(result, data=freeze(result.data), meta=freeze(result.meta))
    except TypeError:
        return None


def as_hit(result: Success, hits: int) -> Success:
    """Return the result as a hit: marked, and without effects, because nothing was done this time."""
    return replace(result, effects=(), meta={**result.meta, "cached": True, "hits": hits})
