"""A call or its effects in, the files that it is about out, below a root and nowhere else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from zkit.dispatch.live import LiveCall
from zkit.effects import FileEffect
from zkit.sources.confined_files import confined
from zkit.tools import canonical_arguments, current_scope

CHANGES = ("create", "modify", "append", "delete", "rename")


def root_of(given: str | Path | None) -> Path:
    """Return the folder that paths are relative to: as given, or the workspace of the task."""
    return Path(given if given is not None else current_scope().workspace or ".").resolve()


def named_files(call: LiveCall, root: Path) -> list[Path]:
    """Return the places below the root that the arguments name.

    Those that the tool declares in `touches`; of a tool that declares none, all arguments that
    name a file which is there.
    """
    spec = call.spec
    arguments = canonical_arguments(spec, call.arguments)
    declared = bool(spec.touches)
    texts = _texts(arguments.get(name) for name in spec.touches or arguments)
    found = [place for text in texts if (place := confined(root, text)) is not None]
    return [place for place in dict.fromkeys(found) if declared or place.is_file()]


def _texts(values: Iterable[Any]) -> Iterator[str]:
    for value in values:
        parts = value if isinstance(value, list | tuple) else [value]
        yield from (part for part in parts if isinstance(part, str) and len(part) < 4096)


def changed_files(effects: Iterable[Any], root: Path) -> Iterator[tuple[FileEffect, Path]]:
    """Yield the effects that changed a file below the root, with its place."""
    for effect in effects:
        if isinstance(effect, FileEffect) and effect.op in CHANGES:
            place = confined(root, effect.path)
            if place is not None:
                yield effect, place
