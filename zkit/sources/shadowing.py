"""A name in, a warning out when small models take it for something else."""

from __future__ import annotations

import builtins
import sys
import warnings
from collections.abc import Mapping


class ShadowedNameWarning(UserWarning):
    """A tool bears the name of a builtin or a standard module: small models mix them up."""


_SHADOWED: Mapping[str, str] = {
    **dict.fromkeys(sys.stdlib_module_names, "standard module"),
    **dict.fromkeys((name for name in vars(builtins) if not name.startswith("_")), "builtin"),
}


def warn_if_shadowing(name: str) -> None:
    """Warn of a name that is a builtin's or a standard module's.

    A small model that is offered `glob` writes `import glob`, or `glob.glob()`.
    """
    kind = _SHADOWED.get(name)
    if kind is not None:
        said = f"the tool {name!r} bears the name of a {kind}; small models mix them up"
        warnings.warn(said, ShadowedNameWarning, stacklevel=levels_out())


def levels_out() -> int:
    """How far up the stack the code stands that is not zkit's: there the name was chosen."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("zkit."):
        level, frame = level + 1, frame.f_back
    return level
