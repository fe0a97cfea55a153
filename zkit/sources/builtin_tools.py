"""Paths below a root in, the four tools that every kit begins with out."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from zkit.effects import FileEffect
from zkit.errors import ProviderError
from zkit.grade import READ, WRITE
from zkit.results import Validation
from zkit.sources.confined_paths import confined
from zkit.tools import Context, FunctionTool, ToolSpec, tool

_MOST_FILES = 1000


class BuiltinProvider:
    """Reading, finding, writing and editing files below one root, and nowhere else."""

    name = "builtin"

    def __init__(self, root: str | Path = ".") -> None:
        self.root = Path(root).resolve()
        self._tools = {made.definition().name: made for made in _make(self.root)}

    def available(self) -> bool:
        """Whether the root is there."""
        return self.root.is_dir()

    def specs(self) -> list[ToolSpec]:
        """The four tools."""
        return [made.definition() for made in self._tools.values()]

    def resolve(self, spec: ToolSpec, /) -> Any:
        """Return one of the four tools."""
        if spec.name not in self._tools:
            raise ProviderError(
                f"there is no builtin {spec.name!r}; there are {', '.join(self._tools)}"
            )
        return self._tools[spec.name]


def _make(root: Path) -> list[FunctionTool[..., Any]]:
    def place(path: str) -> Path:
        found = confined(root, path)
        if found is None:
            raise Validation(f'path: "{path}" is outside of the workspace. Send a path inside it.')
        return found

    return [make(place, root) for make in (_read_file, _find_files, _write_file, _edit_file)]


Place = Callable[[str], Path]


def _read_file(place: Place, root: Path) -> FunctionTool[..., Any]:
    @tool(grade=READ, tags=["files"], provider="builtin", touches=["path"])
    def read_file(path: str, context: Context) -> str:
        """Read a text file.

        Args:
            path: The file, relative to the workspace.
        """
        text = _text(place(path), path)
        context.record(FileEffect(path=path, op="read"))
        return text

    return read_file


def _find_files(place: Place, root: Path) -> FunctionTool[..., Any]:
    @tool(grade=READ, tags=["files"], provider="builtin")
    def find_files(pattern: str) -> list[str]:
        """Find files by a glob pattern, sorted by path.

        Args:
            pattern: A glob relative to the workspace, such as src/**/*.py.
        """
        if Path(pattern).is_absolute() or ".." in Path(pattern).parts or not pattern.strip():
            raise Validation(f'pattern: "{pattern}" must be a glob inside the workspace.')
        try:
            found = [path for path in root.glob(pattern) if path.is_file()]
        except (ValueError, NotImplementedError) as error:
            raise Validation(f"pattern: {error}. Send a glob such as src/**/*.py.") from error
        inside = [path for path in found if confined(root, str(path.relative_to(root)))]
        return sorted(path.relative_to(root).as_posix() for path in inside)[:_MOST_FILES]

    return find_files


def _write_file(place: Place, root: Path) -> FunctionTool[..., Any]:
    @tool(grade=WRITE, tags=["files"], provider="builtin", idempotent=True, touches=["path"])
    def write_file(path: str, content: str, context: Context) -> str:
        """Write a text file; folders that are missing are made.

        Args:
            path: The file, relative to the workspace.
            content: The whole new content.
        """
        file = place(path)
        if file.is_dir():
            raise Validation(f'path: "{path}" is a folder. Send the path of a file.')
        op = "modify" if file.exists() else "create"
        written = _replace_file(file, content)
        context.record(FileEffect(path=path, op=op, bytes_after=written))  # type: ignore[arg-type]
        return f"wrote {path} ({written} bytes)"

    return write_file


def _edit_file(place: Place, root: Path) -> FunctionTool[..., Any]:
    @tool(grade=WRITE, tags=["files"], provider="builtin", touches=["path"])
    def edit_file(path: str, old_str: str, new_str: str, context: Context) -> str:
        """Replace a piece of text in a file; the piece must occur exactly once.

        Args:
            path: The file, relative to the workspace.
            old_str: The text to be replaced, exactly as it stands in the file.
            new_str: The text to put there.
        """
        file = place(path)
        text = _text(file, path)
        count = text.count(old_str) if old_str else 0
        if count != 1:
            said = "does not occur" if count == 0 else f"occurs {count} times"
            raise Validation(
                f"old_str: {said} in {path}. Read the file, and send a piece that occurs once.",
                code="stale" if count == 0 else "ambiguous",
            )
        written = _replace_file(file, text.replace(old_str, new_str))
        context.record(FileEffect(path=path, op="modify", bytes_after=written))
        return f"edited {path} ({written} bytes)"

    return edit_file


def _text(file: Path, path: str) -> str:
    try:
        return file.read_bytes().decode("utf-8")
    except FileNotFoundError:
        raise Validation(
            f'path: there is no file "{path}". Look with find_files.', code="not_found"
        ) from None
    except IsADirectoryError:
        raise Validation(f'path: "{path}" is a folder. Send the path of a file.') from None
    except UnicodeDecodeError:
        raise Validation(f'path: "{path}" is not a text in UTF-8.') from None


def _replace_file(file: Path, text: str) -> int:
    """Write a file so that nobody ever sees half of it; return its size."""
    try:
        data = text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise Validation(
            f"the text holds half a character at {error.start}; leave it out."
        ) from None
    file.parent.mkdir(parents=True, exist_ok=True)
    beside = file.with_name(f".{file.name}.{os.getpid()}.new")
    try:
        beside.write_bytes(data)
        if file.exists():
            beside.chmod(file.stat().st_mode)
        beside.replace(file)
    finally:
        beside.unlink(missing_ok=True)
    return len(data)
