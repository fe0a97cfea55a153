"""The tools that read, list, write and edit files below the root."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from zkit.effects import FileEffect, FileOp
from zkit.grade import READ, WRITE
from zkit.results import Validation
from zkit.sources.confined_files import Entry, Stamp
from zkit.std.confined_tree import stale
from zkit.std.folder_walk import entries, find, walk
from zkit.std.std_tool import MAX_OUTPUT, Workspace, std_tool
from zkit.std.text_edits import Edit, Receipt, apply_edits, syntax_note
from zkit.tools import Context, FunctionTool
from zkit.tools.result_text import shortened

_MOST_FILES = 1000
PathArgument = Annotated[str, Field(description="The file, relative to the workspace.")]
FolderArgument = Annotated[str, Field(description="The folder, relative to the workspace.")]


class TextEdit(BaseModel):
    """One replacement in a file."""

    old_str: str = Field(description="The text to be replaced, exactly as it is in the file.")
    new_str: str = Field(description="The text to put there.")


@dataclass(frozen=True, slots=True)
class FileRow:
    """One line of a listing."""

    path: str
    kind: str
    size: int
    modified: str


@dataclass(frozen=True, slots=True)
class Listing:
    """Files and folders, and how many were left out."""

    path: str
    entries: list[FileRow]
    left_out: int = 0

    def __str__(self) -> str:
        width = max((len(row.path) + (row.kind == "folder") for row in self.entries), default=0)
        lines = [f"entries: {len(self.entries)}  path: {self.path}"]
        for row in self.entries:
            name = row.path + "/" * (row.kind == "folder")
            size = f"{row.size:,}" if row.kind == "file" else row.kind
            lines.append(f"{name:<{width}}  {size:>12}  {row.modified}".rstrip())
        lines += [f"[{self.left_out:,} more left out]"] if self.left_out else []
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class Edited:
    """An edited file, with the receipt of every edit."""

    path: str
    bytes: int
    edits: list[Receipt]
    note: str = ""

    def __str__(self) -> str:
        lines = [f"edited {self.path} ({self.bytes} bytes)"]
        lines += [f"line {one.line}: {one.rank} ({one.strategy})" for one in self.edits]
        return "\n".join([*lines, *([self.note] if self.note else [])])


def file_tools(space: Workspace) -> list[FunctionTool[..., Any]]:
    """Make the tools for files below a root."""
    return [
        _read_file(space),
        _find_files(space),
        _glob(space),
        _ls(space),
        _write_file(space),
        _edit_file(space),
        _file_manager(space),
    ]


def read_text(space: Workspace, path: str, context: Context) -> str:
    """Read a text file for a call; record the effect, and remember the file's stamp."""
    data, stamp = space.tree.read(path)
    text = decoded(data, path)
    name = space.tree.name(path)
    context.record(FileEffect(path=name, op="read"))
    space.seen.note(context, name, stamp)
    return text


def decoded(data: bytes, path: str) -> str:
    """Return bytes as text; refuse anything else."""
    if b"\0" in data:
        raise Validation(f'path: "{path}" is a binary file, not a text.')
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Validation(f'path: "{path}" is not a text in UTF-8 (byte {error.start}).') from None


def encoded(text: str) -> bytes:
    """Return text as bytes; refuse half a character."""
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        message = f"the text holds half a character at {error.start}; leave it out."
        raise Validation(message) from None


def check_fresh(space: Workspace, path: str, stamp: Stamp, context: Context) -> None:
    """Refuse a file that has changed since the task of a call has read it."""
    known = space.seen.known(context, space.tree.name(path))
    if known is not None and known != stamp:
        raise stale(path)


def write_text(
    space: Workspace, path: str, text: str, context: Context, *, expected: Stamp | None = None
) -> tuple[str, int]:
    """Write a text file for a call; return what was done and the size."""
    data = encoded(text)
    name = space.tree.name(path)
    with space.lock:
        known = space.seen.known(context, name) if expected is None else expected
        new, stamp = space.tree.write(path, data, expected=known)
    space.seen.note(context, name, stamp)
    op: FileOp = "create" if new else "modify"
    context.record(FileEffect(path=name, op=op, bytes_after=len(data)))
    return name, len(data)


def _read_file(space: Workspace) -> FunctionTool[..., Any]:
    @std_tool(
        "files",
        grade=READ,
        idempotent=True,
        touches=["path"],
        examples=[
            {"arguments": {"path": "app.py"}, "description": "Read a file"},
            {
                "arguments": {"path": "app.py", "start": 120, "lines": 40},
                "description": "Read lines 120 to 159",
            },
        ],
        error_modes=["not_found: there is no such file", "invalid_arguments: binary, or too big"],
    )
    def read_file(
        path: PathArgument,
        context: Context,
        start: Annotated[int, Field(ge=1, description="The first line.")] = 1,
        lines: Annotated[
            int | None, Field(ge=1, description="How many lines; all if absent.")
        ] = None,
    ) -> str:
        """Read a text file, or some of its lines.

        The text comes as it is, without line numbers. Of a long text the beginning and the end are
        returned; ask for the lines between with start and lines.
        """
        text = read_text(space, path, context)
        if start > 1 or lines is not None:
            found = text.splitlines(keepends=True)
            if start > max(1, len(found)):
                raise Validation(f"start: {path} has {len(found)} lines. Send a smaller number.")
            text = "".join(found[start - 1 : None if lines is None else start - 1 + lines])
        return shortened(text, MAX_OUTPUT)

    return read_file


def _find_files(space: Workspace) -> FunctionTool[..., Any]:
    @std_tool(
        "files",
        grade=READ,
        idempotent=True,
        examples=[{"arguments": {"pattern": "**/*.py"}, "description": "All Python files"}],
        error_modes=["invalid_arguments: the pattern leads out of the workspace"],
    )
    def find_files(
        pattern: Annotated[str, Field(description="A glob relative to the workspace: **/*.py.")],
        context: Context,
    ) -> list[str]:
        """Find files by a glob pattern, sorted by path. Ignored files are left out."""
        found = find(space.tree, pattern, check=context.check)
        paths = [folder.path_of(name) for folder, names in found for name, _ in names]
        return sorted(paths)[:_MOST_FILES]

    return find_files


def _glob(space: Workspace) -> FunctionTool[..., Any]:
    @std_tool(
        "files",
        grade=READ,
        idempotent=True,
        examples=[{"arguments": {"pattern": "**/*.{yml,yaml}"}, "description": "All YAML files"}],
        error_modes=["invalid_arguments: the pattern leads out of the workspace"],
    )
    def glob(
        pattern: Annotated[str, Field(description="A glob: **/*.py, *.{ts,tsx}, docs/*.md.")],
        context: Context,
        path: FolderArgument = ".",
        limit: Annotated[int, Field(ge=1, le=_MOST_FILES)] = 200,
    ) -> Listing:
        """Find files by a glob pattern below a folder, with sizes, newest first."""
        found = list(entries(find(space.tree, pattern, path, context.check)))
        found.sort(key=lambda entry: (-entry.modified, entry.path))
        return _listing(space.tree.name(path), found, limit)

    return glob


def _ls(space: Workspace) -> FunctionTool[..., Any]:
    @std_tool(
        "files",
        grade=READ,
        idempotent=True,
        examples=[{"arguments": {"path": "src"}, "description": "What is in the folder src"}],
        error_modes=["not_found: there is no such folder"],
    )
    def ls(
        context: Context,
        path: FolderArgument = ".",
        ignored: Annotated[
            bool, Field(description="Show what ignore files leave out too.")
        ] = False,
        limit: Annotated[int, Field(ge=1, le=_MOST_FILES)] = 500,
    ) -> Listing:
        """List a folder: names, sizes and times. Folders end with a slash."""
        found = list(
            entries(walk(space.tree, path, ignored=ignored, deep=False, check=context.check))
        )
        prefix = "/".join(space.tree.parts(path))
        named = [
            Entry(e.path[len(prefix) :].lstrip("/"), e.kind, e.size, e.modified) for e in found
        ]
        return _listing(space.tree.name(path), named, limit)

    return ls


def _listing(path: str, found: list[Entry], limit: int) -> Listing:
    rows = [FileRow(e.path, e.kind, e.size, _moment(e.modified)) for e in found[:limit]]
    return Listing(path, rows, max(0, len(found) - limit))


def _moment(seconds: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(seconds)) if seconds else ""


def _write_file(space: Workspace) -> FunctionTool[..., Any]:
    @std_tool(
        "files",
        grade=WRITE,
        idempotent=True,
        touches=["path"],
        examples=[
            {
                "arguments": {"path": "todo.md", "content": "# To do\n\n- tests\n"},
                "description": "Write a new file",
            }
        ],
        error_modes=["stale: the file has changed since it was read"],
    )
    def write_file(
        path: PathArgument,
        content: Annotated[str, Field(description="The whole new content.")],
        context: Context,
    ) -> str:
        """Write a text file; folders that are missing are made.

        A file that is there is replaced. To change a part of it, use edit_file.
        """
        name, size = write_text(space, path, content, context)
        note = syntax_note(name, content)
        return f"wrote {name} ({size} bytes)" + (f"\n{note}" if note else "")

    return write_file


def _edit_file(space: Workspace) -> FunctionTool[..., Any]:
    @std_tool(
        "files",
        grade=WRITE,
        idempotent=False,
        touches=["path"],
        examples=[
            {
                "arguments": {
                    "path": "app.py",
                    "old_str": "DEBUG = True",
                    "new_str": "DEBUG = False",
                },
                "description": "Change one line",
            },
            {
                "arguments": {
                    "path": "app.py",
                    "edits": [
                        {"old_str": "import os\n", "new_str": ""},
                        {"old_str": "os.getcwd()", "new_str": "Path.cwd()"},
                    ],
                },
                "description": "Two edits, all or none",
            },
        ],
        error_modes=[
            "stale: the text does not occur, or the file has changed since it was read",
            "ambiguous: the text occurs more than once",
        ],
    )
    def edit_file(
        path: PathArgument,
        context: Context,
        old_str: Annotated[
            str, Field(description="The text to be replaced, exactly as it is in the file.")
        ] = "",
        new_str: Annotated[str, Field(description="The text to put there.")] = "",
        edits: Annotated[
            list[TextEdit], Field(description="Several edits in place of one: all or none.")
        ] = [],  # noqa: B006
    ) -> Edited:
        """Replace a piece of text in a file; the piece must occur exactly once.

        A piece that differs from the file only in line ends, in blanks at the ends of lines or in
        the indentation of all lines is found too; the result says so. Everything else is refused.
        """
        if edits and (old_str or new_str):
            raise Validation("edits: send either edits, or old_str and new_str, not both.")
        wanted = [Edit(one.old_str, one.new_str) for one in edits] or [Edit(old_str, new_str)]
        with space.lock:
            data, stamp = space.tree.read(path)
            check_fresh(space, path, stamp, context)
            changed, receipts = apply_edits(decoded(data, path), wanted, path)
            name, size = write_text(space, path, changed, context, expected=stamp)
        return Edited(name, size, receipts, syntax_note(name, changed))

    return edit_file


Action = Literal["write", "read", "append", "delete", "move"]


def _read(space: Workspace, path: str, content: str, to: str, context: Context) -> str:
    text = read_text(space, path, context)
    return shortened(text, MAX_OUTPUT)


def _write(space: Workspace, path: str, content: str, to: str, context: Context) -> str:
    name, size = write_text(space, path, content, context)
    return "\n".join(filter(None, (f"wrote {name} ({size} bytes)", syntax_note(name, content))))


def _append(space: Workspace, path: str, content: str, to: str, context: Context) -> str:
    with space.lock:
        stamp = space.tree.stamp(path)
        if stamp is not None:
            check_fresh(space, path, stamp, context)
        name = space.tree.name(path)
        written = space.tree.append(path, encoded(content))
    space.seen.note(context, name, written)
    context.record(FileEffect(path=name, op="append", bytes_after=written.size))
    return f"appended to {name} ({written.size} bytes)"


def _delete(space: Workspace, path: str, content: str, to: str, context: Context) -> str:
    space.tree.delete(path)
    space.seen.drop(context, space.tree.name(path))
    context.record(FileEffect(path=space.tree.name(path), op="delete"))
    return f"deleted {space.tree.name(path)}"


def _move(space: Workspace, path: str, content: str, to: str, context: Context) -> str:
    if not to:
        raise Validation("to: is missing. Send the new path.")
    space.tree.move(path, to)
    old, new = space.tree.name(path), space.tree.name(to)
    space.seen.drop(context, old)
    context.record(FileEffect(path=new, op="rename", from_path=old))
    return f"moved {old} to {new}"


_ACTIONS = {"write": _write, "read": _read, "append": _append, "delete": _delete, "move": _move}


def _file_manager(space: Workspace) -> FunctionTool[..., Any]:
    @std_tool(
        "manager",
        grade=WRITE,
        destructive={"action": ["delete"]},
        idempotent=False,
        touches=["path", "to"],
        examples=[
            {"arguments": {"action": "read", "path": "README.md"}, "description": "Read a file"},
            {
                "arguments": {"action": "move", "path": "a.txt", "to": "old/a.txt"},
                "description": "Move a file",
            },
        ],
        error_modes=[
            "not_found: there is no such file",
            "stale: the file has changed since it was read",
            "approval: deleting needs the consent of the operator",
        ],
    )
    def file_manager(
        action: Annotated[Action, Field(description="What to do with the file.")],
        path: PathArgument,
        context: Context,
        content: Annotated[str, Field(description="The text, for write and append.")] = "",
        to: Annotated[str, Field(description="The new path, for move.")] = "",
    ) -> str:
        """Read, write, append to, delete or move a file, by action."""
        return _ACTIONS[action](space, path, content, to, context)

    return file_manager
