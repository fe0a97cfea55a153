"""Names of a package that are loaded when they are first used."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def lazy_names(
    package: str, home: Mapping[str, tuple[str, ...]]
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Return `__getattr__`, `__dir__` and `__all__` for a package, from the modules of its names.

    None of the names may be the name of a module of the package: the module would be found first.
    """
    home_of = {name: module for module, names in home.items() for name in names}
    listed = sorted(home_of)

    def load(name: str) -> Any:
        module = home_of.get(name)
        if module is None:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        found = getattr(import_module(module), name)
        setattr(sys.modules[package], name, found)
        return found

    return load, lambda: listed, listed
