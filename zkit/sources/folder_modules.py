"""A folder of Python files in; a package of modules that are always read anew out."""

from __future__ import annotations

import hashlib
import itertools
import linecache
import sys
import types
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any, NoReturn

_PREFIX = "zkit_loaded_"
_LOADS = itertools.count(1)


def new_package(folder: Path, provider: str) -> str:
    """Make a package for one load of a folder and return its name.

    Each load has its own, so that modules of an earlier one can still run. Inside a file,
    `from ._helpers import x` finds the other files of the folder.
    """
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())  # before the one that goes by `__path__` and caches
    digest = hashlib.sha256(f"{provider}\0{folder}".encode()).hexdigest()[:8]
    name = f"{_PREFIX}{digest}_{next(_LOADS)}"
    package = types.ModuleType(name)
    package.__path__ = [str(folder)]
    package.__spec__ = ModuleSpec(name, None, is_package=True)
    sys.modules[name] = package
    return name


def load_module(package: str, file: Path) -> types.ModuleType:
    """Run a file of the folder, unless another file has imported it already."""
    name = f"{package}.{file.stem}"
    if name in sys.modules:
        return sys.modules[name]
    spec = _spec(name, file)
    module = module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)  # type: ignore[union-attr]
    except BaseException:
        sys.modules.pop(name, None)
        raise
    return module


def forget_package(package: str) -> None:
    """Take the modules of one load away."""
    for name in [name for name in sys.modules if f"{name}.".startswith(f"{package}.")]:
        del sys.modules[name]


def _spec(name: str, file: Path) -> ModuleSpec:
    linecache.checkcache(str(file))
    spec = spec_from_file_location(name, file, loader=_FreshLoader(name, str(file)))
    assert spec is not None, "a loader was given"
    return spec


class _FreshLoader(SourceFileLoader):
    """Reads the source every time.

    Python's cache of compiled files goes by whole seconds and the size, and would miss a change
    that follows quickly; it would also leave a folder of its own beside the user's files.
    """

    def path_stats(self, path: Any) -> NoReturn:
        """Say nothing of the file's age: then the cache is neither read nor written."""
        raise OSError


class _Finder(MetaPathFinder):
    """Finds what the files of a loaded folder import from each other."""

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: types.ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return how to load a file of a loaded folder; None for any other module."""
        if not name.startswith(_PREFIX) or not path:
            return None
        file = Path(path[0]) / f"{name.rpartition('.')[2]}.py"
        return _spec(name, file) if file.is_file() else None
