"""A folder of Python files in; the tools they define, and what could not be loaded, out."""

from __future__ import annotations

import hashlib
import linecache
import sys
import traceback
import types
from collections.abc import Iterator
from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import Any, NamedTuple

from zkit.tools import Tool, as_tool, tools_in


class LoadProblem(NamedTuple):
    """Something in a file that could not be loaded, and where."""

    file: str
    line: int
    message: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.message}"


class Loaded(NamedTuple):
    """What came of loading a folder: the names of its tools, and every problem."""

    provider: str
    tools: tuple[str, ...]
    problems: tuple[LoadProblem, ...]
    module: str = ""


class Found(NamedTuple):
    """A tool, and the place in a file that defines it."""

    tool: Tool
    file: Path
    line: int

    def problem(self, message: str) -> LoadProblem:
        """A problem at the place of this tool."""
        return LoadProblem(str(self.file), self.line, message)


class Folder(NamedTuple):
    """What was read from a folder."""

    found: tuple[Found, ...]
    problems: tuple[LoadProblem, ...]
    module: str


_LOADS = 0


def read_folder(path: Path, provider: str) -> Folder:
    """Run every file of a folder that does not begin with `_`, and find the tools in it.

    A file that fails is a problem, not an end: the others are loaded. Each load has modules of its
    own, so that a changed file is read anew. Inside a file, `from ._helpers import x` works.
    """
    if not path.is_dir():
        raise NotADirectoryError(f"{path}: no such folder")
    package = _package(path.resolve(), provider)
    found: list[Found] = []
    problems: list[LoadProblem] = []
    for file in sorted(path.resolve().glob("*.py")):
        if not file.name.startswith("_"):
            _read_file(file, package, found, problems)
    return Folder(tuple(found), tuple(problems), package)


def forget_folder(package: str) -> None:
    """Take the modules of one load away."""
    for name in [name for name in sys.modules if f"{name}.".startswith(f"{package}.")]:
        del sys.modules[name]


def _package(path: Path, provider: str) -> str:
    """A package of its own for each load, which finds helpers in the folder."""
    global _LOADS
    _LOADS += 1
    digest = hashlib.sha256(f"{provider}\0{path}".encode()).hexdigest()[:8]
    name = f"zkit_loaded_{digest}_{_LOADS}"
    package = types.ModuleType(name)
    package.__path__ = [str(path)]
    package.__spec__ = ModuleSpec(name, None, is_package=True)
    sys.modules[name] = package
    return name


def _read_file(file: Path, package: str, found: list[Found], problems: list[LoadProblem]) -> None:
    module = types.ModuleType(f"{package}.{file.stem}")
    module.__file__ = str(file)
    module.__package__ = package
    sys.modules[module.__name__] = module
    linecache.checkcache(str(file))
    try:
        # Compiled here and not by an import: its cache goes by whole seconds, and would miss a
        # change that follows quickly.
        exec(compile(file.read_bytes(), str(file), "exec"), vars(module))
        tools = list(_tools_of(module))
    except (Exception, SystemExit) as error:
        sys.modules.pop(module.__name__, None)
        problems.append(_problem(file, error))
        return
    if not tools:
        hint = "no tools here; decorate a function with @tool, or begin the file's name with _"
        problems.append(LoadProblem(str(file), 1, hint))
    known = {one.tool.definition().name: one for one in found}
    for tool in tools:
        one = Found(tool, file, _line_of(tool))
        twin = known.get(tool.definition().name)
        if twin is None:
            found.append(one)
        else:
            name = tool.definition().name
            problems.append(one.problem(f"{name!r} is defined in {twin.file}:{twin.line} already"))


def _tools_of(module: types.ModuleType) -> Iterator[Tool]:
    """The tools that a module lists as TOOLS, or all that it defines."""
    listed = getattr(module, "TOOLS", None)
    if listed is None:
        yield from tools_in(module)
    else:
        yield from (as_tool(one) for one in listed)


def _line_of(tool: Any) -> int:
    code = getattr(getattr(tool, "__wrapped__", None), "__code__", None)
    return int(getattr(code, "co_firstlineno", 1))


def _problem(file: Path, error: BaseException) -> LoadProblem:
    if isinstance(error, SyntaxError) and error.filename == str(file):
        return LoadProblem(str(file), error.lineno or 1, f"SyntaxError: {error.msg}")
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if frame.filename == str(file)]
    said = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return LoadProblem(str(file), (lines[-1] if lines else 1) or 1, said)
