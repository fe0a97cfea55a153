"""Calls and effects in, the files that they touch out, when that can be told."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from zkit.calls import Call
from zkit.effects import FileEffect, ProcessEffect
from zkit.tools import ToolSpec, canonical_arguments

Paths = frozenset[Path] | None
"""Files; None when it may be any."""


class Files:
    """Knows which files a call touches, by what its tool declares; paths are relative to a root.

    Without a root nothing can be told, for one file may be named in two ways.
    """

    def __init__(self, root: str | Path | None) -> None:
        self._root = None if root is None else Path(root).resolve()

    def of_call(self, spec: ToolSpec, call: Call, effects: Iterable[Any] = ()) -> Paths:
        """The files that a call touches, when its tool declares that it touches no others."""
        arguments: Mapping[str, Any] = canonical_arguments(spec, call.arguments)
        given = [arguments.get(name) for name in spec.touches]
        if self._root is None or not given or not all(isinstance(one, str) for one in given):
            return None
        return frozenset(self._resolved(str(one)) for one in given) | self.of_effects(effects)

    def of_effects(self, effects: Iterable[FileEffect | ProcessEffect]) -> frozenset[Path]:
        """The files that effects speak of."""
        files = [effect for effect in effects if isinstance(effect, FileEffect)]
        names = [name for effect in files for name in (effect.path, effect.from_path) if name]
        return frozenset(map(self._resolved, names))

    def _resolved(self, path: str) -> Path:
        return Path(os.path.normcase(os.path.realpath((self._root or Path()) / path)))


def overlap(one: Paths, other: Paths) -> bool:
    """Whether two sets of files may have something in common; a folder holds all that is in it."""
    if one is None or other is None:
        return True
    return any(a == b or a in b.parents or b in a.parents for a in one for b in other)
