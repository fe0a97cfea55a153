"""Documents of tools and kits: named in specs and kits, read when somebody asks for one."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path, PureWindowsPath

from zkit.errors import KitError
from zkit.sources.confined_files import ConfinedFiles, ConfinedPathError

MAX_BYTES = 256 * 1024
"""A page of a manual is shorter; a longer file is not one."""

PACKAGED: dict[str, Path] = {}
"""Roots of documents that come with a package, by the first part of their paths (`std/ls.md`)."""


def read_document(path: str, roots: Iterable[str | Path]) -> str | None:
    """Read a document below the first root that has it; None when none has.

    Documents that come with a package are looked for last. Raises `KitError` for a path that leads
    out of a root or through a link, for a file that is too large or no text, and when there is no
    root to look in.
    """
    first = PureWindowsPath(path).parts[:1]  # which knows both kinds of slashes
    packaged = [PACKAGED[part] for part in first if part in PACKAGED]
    found = [Path(root) for root in (*roots, *packaged)]
    if not found:
        raise KitError(f"no docs_root was given to read documents from, so not {path!r:.80}")
    for root in found:
        try:
            return ConfinedFiles(root).read_text(path, max_bytes=MAX_BYTES)
        except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
            continue
        except (OSError, UnicodeDecodeError, ConfinedPathError) as error:
            raise KitError(
                f"{path!r:.80} leads out of the docs, or cannot be read: {error}"
            ) from None
    return None
