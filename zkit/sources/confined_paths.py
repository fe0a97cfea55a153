"""A root and a path in, the place below the root out, or nothing."""

from __future__ import annotations

from pathlib import Path


def confined(root: str | Path, path: str) -> Path | None:
    """Return the place that a relative path means below a root; None when it leads elsewhere.

    Links are followed before it is decided: a link inside the root that leads outside is refused.
    """
    if not path.strip() or "\0" in path:
        return None
    base = Path(root).resolve()
    try:
        found = (base / path).resolve()
    except (OSError, RuntimeError, ValueError):
        return None
    return found if found.is_relative_to(base) else None
