"""The four tools that every kit begins with: read, find, write and edit files below a root."""

from __future__ import annotations

from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from zkit.effects import FileEffect
from zkit.errors import ProviderError
from zkit.grade import READ, WRITE
from zkit.results import Validation
from zkit.sources.confined_files import ConfinedFiles, path_errors
from zkit.tools import Context, FunctionTool, ToolSpec, tool

_MOST_FILES = 1000
_MOST_SEEN = 200_000  # entries that a search looks at


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
    files = ConfinedFiles(root)
    return [make(files) for make in (_read_file, _find_files, _write_file, _edit_file)]


def _read_file(files: ConfinedFiles) -> FunctionTool[..., Any]:
    @tool(grade=READ, tags=["files"], provider="builtin", touches=["path"])
    def read_file(path: str, context: Context) -> str:
        """Read a text file.

        Args:
            path: The file, relative to the workspace.
        """
        with path_errors(path):
            text = files.read_text(path)
        context.record(FileEffect(path=path, op="read"))
        return text

    return read_file


def _find_files(files: ConfinedFiles) -> FunctionTool[..., Any]:
    @tool(grade=READ, tags=["files"], provider="builtin")
    def find_files(pattern: str) -> list[str]:
        """Find files by a glob pattern, sorted by path.

        Args:
            pattern: A glob relative to the workspace, such as src/**/*.py.
        """
        glob = _glob(pattern)
        found: list[str] = []
        with path_errors(pattern, "pattern"):
            for seen, entry in enumerate(files.walk()):
                if seen >= _MOST_SEEN or len(found) >= _MOST_FILES:
                    break
                if entry.kind == "file" and _matches(glob, entry.path.split("/")):
                    found.append(entry.path)
        return sorted(found)

    return find_files


def _write_file(files: ConfinedFiles) -> FunctionTool[..., Any]:
    @tool(grade=WRITE, tags=["files"], provider="builtin", idempotent=True, touches=["path"])
    def write_file(path: str, content: str, context: Context) -> str:
        """Write a text file; folders that are missing are made.

        Args:
            path: The file, relative to the workspace.
            content: The whole new content.
        """
        data = _encoded(content)
        with path_errors(path):
            is_new = files.write_bytes(path, data)
        op = "create" if is_new else "modify"
        context.record(FileEffect(path=path, op=op, bytes_after=len(data)))  # type: ignore[arg-type]
        return f"wrote {path} ({len(data)} bytes)"

    return write_file


def _edit_file(files: ConfinedFiles) -> FunctionTool[..., Any]:
    @tool(grade=WRITE, tags=["files"], provider="builtin", touches=["path"])
    def edit_file(path: str, old_str: str, new_str: str, context: Context) -> str:
        """Replace a piece of text in a file; the piece must occur exactly once.

        Args:
            path: The file, relative to the workspace.
            old_str: The text to be replaced, exactly as it stands in the file.
            new_str: The text to put there.
        """

        def change(old: bytes) -> bytes:
            text = old.decode("utf-8")
            count = text.count(old_str) if old_str else 0
            if count != 1:
                said = "does not occur" if count == 0 else f"occurs {count} times"
                raise Validation(
                    f"old_str: {said} in {path}. Read the file, and send a piece that occurs once.",
                    code="stale" if count == 0 else "ambiguous",
                )
            return _encoded(text.replace(old_str, new_str))

        with path_errors(path):
            written = len(files.update(path, change))
        context.record(FileEffect(path=path, op="modify", bytes_after=written))
        return f"edited {path} ({written} bytes)"

    return edit_file


def _glob(pattern: str) -> list[str]:
    """The parts of a glob that stays inside the workspace."""
    parts = pattern.split("/")
    if pattern.startswith(("/", "\\")) or ".." in parts or not pattern.strip():
        raise Validation(f'pattern: "{pattern}" must be a glob inside the workspace.')
    if len(pattern) > 400:
        raise Validation("pattern: it is too long. Send a glob such as src/**/*.py.")
    return [part for part in parts if part not in ("", ".")]


def _matches(glob: list[str], path: list[str]) -> bool:
    """True if a path fits a glob; `**` is any number of folders, also none."""
    reached = _past_stars(glob, {0})  # how much of the glob the parts so far can have used
    for part in path:
        onward = {at + 1 for at in reached if at < len(glob) and fnmatchcase(part, glob[at])}
        stay = {at for at in reached if at < len(glob) and glob[at] == "**"}
        reached = _past_stars(glob, onward | stay)
    return len(glob) in reached


def _past_stars(glob: list[str], reached: set[int]) -> set[int]:
    for at in sorted(reached):
        while at < len(glob) and glob[at] == "**":
            at += 1
            reached.add(at)
    return reached


def _encoded(text: str) -> bytes:
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise Validation(
            f"the text holds half a character at {error.start}; leave it out."
        ) from None
