"""Documents of tools and kits: named in specs and kits, read when somebody asks for one."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path, PureWindowsPath

from zkit.errors import KitError
from zkit.sources.confined_files import confined

MAX_BYTES = 400_000
"""A page of a manual is shorter; a longer file is not one."""

PACKAGED: dict[str, Path] = {}
"""Roots of documents that come with a package, by the first part of their paths (`std/ls.md`)."""


def read_document(path: str, roots: Iterable[str | Path]) -> str | None:
    """Read a document below the first root that has it; None when none has.

    Documents that come with a package are looked for last. Raises `KitError` for a path that leads
    out of a root, and when there is no root to look in.
    """
    first = PureWindowsPath(path).parts[:1]  # which knows both kinds of slashes
    packaged = [PACKAGED[part] for part in first if part in PACKAGED]
    found = [Path(root) for root in (*roots, *packaged)]
    if not found:
        raise KitError(f"no docs_root was given to read documents from, so not {path!r:.80}")
    for root in found:
        place = confined(root, path)
        if place is None or Path(path).is_absolute():
            raise KitError(f"{path!r:.80} leads out of the root of documents")
        if place.is_file():
            return _text(place)
    return None


def _text(place: Path) -> str:
    size = place.stat().st_size
    if size > MAX_BYTES:
        raise KitError(f"{place.name}: a document has at most {MAX_BYTES:,} bytes, not {size:,}")
    return place.read_text("utf-8", errors="replace")
