"""Load the tools in the Python files of a folder, and report what could not be loaded."""

from __future__ import annotations

import hashlib
import inspect
import itertools
import linecache
import sys
import threading
import traceback
import types
from collections.abc import Iterator, Sequence
from contextvars import copy_context
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import NamedTuple, NoReturn

from zkit.errors import ToolDefinitionError
from zkit.results import exception_text
from zkit.tools import Tool, as_tool, declared_in

_PREFIX = "zkit_loaded_"
_LOADS = itertools.count(1)


def new_package(folder: Path, provider: str) -> str:
    """Make a package for one load of a folder and return its name.

    Each load has its own, so that modules of an earlier one can still run. Inside a file,
    `from ._helpers import x` finds the other files of the folder.
    """
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())  # before the finder that uses `__path__` and caches
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
    """Remove the modules of one load."""
    for name in list(sys.modules):  # a copy: other threads import meanwhile
        if f"{name}.".startswith(f"{package}."):
            sys.modules.pop(name, None)


def _spec(name: str, file: Path) -> ModuleSpec:
    linecache.checkcache(str(file))
    spec = spec_from_file_location(name, file, loader=_FreshLoader(name, str(file)))
    assert spec is not None, "a loader was given"
    return spec


class _FreshLoader(SourceFileLoader):
    """Reads the source every time.

    Python's cache of compiled files compares whole seconds and the size, and would miss a quick
    change; it would also leave a `__pycache__` folder beside the user's files.
    """

    def path_stats(self, path: object) -> NoReturn:
        """Report no modification time: then the cache is neither read nor written."""
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
        if is_inside(Path(path[0]), file):
            return _spec(name, file)
        if file.is_symlink() or file.with_suffix("").is_symlink():
            raise ModuleNotFoundError(f"{file.name} is a link out of the folder", name=name)
        return None


def is_inside(folder: Path, file: Path) -> bool:
    """True if a file is a regular file inside the folder, and not a link out of it."""
    try:
        real = file.resolve(strict=True)
    except (OSError, RuntimeError):
        return False
    return real.is_file() and real.is_relative_to(folder.resolve())


LOAD_TIMEOUT = 60.0
"""Seconds that a file may take to be imported."""


class LoadProblem(NamedTuple):
    """Something in a file that could not be loaded, and where."""

    file: str
    line: int
    message: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.message}"


class Loaded(NamedTuple):
    """The outcome of loading a folder: the names of its tools, and every problem."""

    provider: str
    tools: tuple[str, ...]
    problems: tuple[LoadProblem, ...]
    module: str = ""


class Found(NamedTuple):
    """A tool, and the place in a file that defines it."""

    tool: Tool
    name: str
    file: Path
    line: int

    def problem(self, message: str) -> LoadProblem:
        """Return a problem at the place of this tool."""
        return LoadProblem(str(self.file), self.line, message)


class Folder(NamedTuple):
    """What was read from a folder."""

    found: tuple[Found, ...]
    problems: tuple[LoadProblem, ...]
    module: str


def read_folder(path: Path, provider: str, timeout: float = LOAD_TIMEOUT) -> Folder:
    """Run every file of a folder that does not begin with `_`, and find the tools in it.

    A file that fails, takes too long, or is a link out of the folder is reported as a problem; the
    others are loaded.
    """
    if not path.is_dir():
        raise NotADirectoryError(f"{path}: no such folder")
    folder = path.resolve()
    package = new_package(folder, provider)
    found: dict[str, Found] = {}
    problems: list[LoadProblem] = []
    try:
        for file in sorted(folder.glob("*.py")):
            if not file.name.startswith("_"):
                for one in _read_in_time(file, package, timeout):
                    _sort_in(one, found, problems)
    except BaseException:  # the load itself was stopped
        forget_package(package)
        raise
    return Folder(tuple(found.values()), tuple(problems), package)


def _sort_in(
    one: Found | LoadProblem, found: dict[str, Found], problems: list[LoadProblem]
) -> None:
    if isinstance(one, LoadProblem):
        problems.append(one)
        return
    twin = found.setdefault(one.name, one)
    name = one.name
    if twin is not one:
        problems.append(one.problem(f"{name!r} is defined in {twin.file}:{twin.line} already"))


def _read_in_time(file: Path, package: str, timeout: float) -> list[Found | LoadProblem]:
    """Return the tools and problems of a file; one that takes too long is abandoned.

    A thread cannot be stopped, so the file keeps running in the background.
    """
    if not is_inside(file.parent, file):
        return [LoadProblem(str(file), 1, "it is a link out of the folder, or no regular file")]
    read: list[Found | LoadProblem] = []
    worker = threading.Thread(
        target=copy_context().run,
        args=(lambda: read.extend(_read_file(file, package)),),
        name=f"zkit loads {file.name}",
        daemon=True,
    )
    worker.start()
    worker.join(timeout)
    if worker.is_alive():
        return [LoadProblem(str(file), 1, f"it was still being loaded after {timeout:g} seconds")]
    return read


def _read_file(file: Path, package: str) -> Iterator[Found | LoadProblem]:
    """Return the tools of a file, each with its line, and what is wrong with others in it."""
    try:
        module = load_module(package, file)
        candidates = list(_candidates(module))
    except BaseException as error:
        yield _problem(file, error)
        return
    if not candidates:
        hint = "no tools here; decorate a function with @tool, or begin the file's name with _"
        yield LoadProblem(str(file), 1, hint)
    for candidate in candidates:
        line = 1
        try:
            line = _line_of(candidate)
            tool = as_tool(candidate)
            yield Found(tool, tool.definition().name, file, line)
        except ToolDefinitionError as error:
            yield LoadProblem(str(file), line, str(error))
        except BaseException as error:
            yield LoadProblem(str(file), line, exception_text(error))


def _candidates(module: types.ModuleType) -> Iterator[object]:
    """Return what a module lists as TOOLS, or all tools that it defines."""
    listed = getattr(module, "TOOLS", None)
    if listed is None:
        yield from declared_in(module)
    elif isinstance(listed, str):
        raise ToolDefinitionError(f"TOOLS must be a list of tools, not {listed!r}")
    else:
        yield from listed


def _line_of(candidate: object) -> int:
    """Return the line where a tool is defined; 1 if it is unknown."""
    code = getattr(getattr(candidate, "__wrapped__", candidate), "__code__", None)
    if code is not None:
        return int(code.co_firstlineno)
    kind = candidate if isinstance(candidate, type) else type(candidate)
    try:
        return inspect.getsourcelines(kind)[1]
    except (OSError, TypeError):
        return 1


def _problem(file: Path, error: BaseException) -> LoadProblem:
    if isinstance(error, SyntaxError) and error.filename == str(file):
        return LoadProblem(str(file), error.lineno or 1, f"SyntaxError: {error.msg}")
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if frame.filename == str(file)]
    return LoadProblem(str(file), (lines[-1] if lines else 1) or 1, exception_text(error))
