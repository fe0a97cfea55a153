"""The tool `diff_editor`: apply a unified diff to files, all of it or nothing, or create one."""

from __future__ import annotations

import difflib
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from pydantic import Field

from zkit.effects import FileEffect
from zkit.grade import WRITE
from zkit.results import Validation
from zkit.sources.confined_files import Stamp
from zkit.std.file_tools import check_fresh, decoded, write_text
from zkit.std.patches import FilePatch, HunkReceipt, apply_patch, read_patch
from zkit.std.std_tool import MAX_OUTPUT, Workspace, std_tool
from zkit.std.text_edits import syntax_note
from zkit.tools import Context, FunctionTool
from zkit.tools.result_text import shortened


@dataclass(frozen=True, slots=True)
class DiffReport:
    """The files that a diff changed with a receipt for each hunk, or the diff that was made."""

    files: list[str] = field(default_factory=list)
    hunks: list[HunkReceipt] = field(default_factory=list)
    diff: str = ""
    note: str = ""

    def __str__(self) -> str:
        lines = [self.diff.rstrip("\n")] if self.diff else []
        lines += [f"changed {path}" for path in self.files]
        for one in self.hunks:
            where = f" ({one.offset:+d} lines from the stated place)" if one.offset else ""
            lines.append(f"{one.path}:{one.line}: {one.rank}{where}")
        return "\n".join([*lines, *([self.note] if self.note else [])]) or "no difference"


@dataclass(frozen=True, slots=True)
class _Change:
    """One file before and after; None where there is no file."""

    path: str
    before: str | None
    stamp: Stamp | None
    after: str | None


def diff_tools(space: Workspace) -> list[FunctionTool[..., Any]]:
    """Make `diff_editor` for a root."""

    @std_tool(
        "code",
        grade=WRITE,
        idempotent=False,
        examples=[
            {
                "arguments": {
                    "action": "apply",
                    "patch": "--- a/app.py\n+++ b/app.py\n@@ -1,2 +1,2 @@\n import os\n-port = 80\n+port = 8080\n",
                },
                "description": "Apply a diff",
            },
            {
                "arguments": {"action": "create", "path": "app.py", "content": "port = 8080\n"},
                "description": "Show a change as a diff; nothing is written",
            },
        ],
        error_modes=[
            "stale: a hunk does not fit the file as it is now",
            "ambiguous: a hunk fits at several places",
            "invalid_arguments: the patch is not a unified diff",
        ],
    )
    def diff_editor(
        action: Annotated[Literal["apply", "create"], Field(description="What to do.")],
        context: Context,
        patch: Annotated[
            str, Field(description="apply: a unified diff of one or more files.")
        ] = "",
        path: Annotated[
            str, Field(description="create: the file, relative to the workspace.")
        ] = "",
        content: Annotated[
            str, Field(description="create: the text that the file would have.")
        ] = "",
    ) -> DiffReport:
        """Apply a unified diff to files, all hunks or none, or create one.

        A hunk must fit exactly, or exactly at the only place nearby; anything else is refused.
        """
        if action == "create":
            return _create(space, path, content)
        if not patch.strip():
            raise Validation("patch: is missing. Send the unified diff to apply.")
        return _apply(space, patch, context)

    return [diff_editor]


def _apply(space: Workspace, patch: str, context: Context) -> DiffReport:
    """Apply a patch to the files that it names: all of them or none."""
    with space.lock:
        changes: list[_Change] = []
        receipts: list[HunkReceipt] = []
        for file in read_patch(patch):
            made, hunks = _changes(space, file, context)
            changes += made
            receipts += hunks
        names = [change.path for change in changes]
        if len(set(names)) != len(names):
            raise Validation("patch: names a file twice. Send all of its hunks together.")
        _make_all(space, changes, context)
    notes = (syntax_note(one.path, one.after) for one in changes if one.after is not None)
    return DiffReport(names, receipts, note="\n".join(filter(None, notes)))


def _create(space: Workspace, path: str, content: str) -> DiffReport:
    """Return the diff from a file to its new content; nothing is written."""
    if not path:
        raise Validation("path: is missing. Send the file that the diff is for.")
    name = space.tree.name(path)
    old, there = "", True
    try:
        old = decoded(space.tree.read(path)[0], path)
    except Validation as error:
        if error.code != "not_found":
            raise
        there = False
    lines = difflib.unified_diff(
        old.splitlines(keepends=True),
        content.splitlines(keepends=True),
        f"a/{name}" if there else "/dev/null",
        f"b/{name}",
    )
    text = "".join(
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines
    )
    return DiffReport(diff=shortened(text, MAX_OUTPUT))


def _changes(
    space: Workspace, file: FilePatch, context: Context
) -> tuple[list[_Change], list[HunkReceipt]]:
    """Return what a patch does to files: one change, or two where a file gets another name."""
    before, stamp = "", None
    if file.source is None and space.tree.stamp(file.path) is not None:
        raise Validation(f"patch: {file.path} exists already; name it in the --- line.")
    if file.source is not None:
        data, stamp = space.tree.read(file.source)
        check_fresh(space, file.source, stamp, context)
        before = decoded(data, file.source)
    after, receipts = apply_patch(before, file)
    if file.target is None:
        if after:
            raise Validation(f"patch: deletes {file.path}, but not all of its lines.", code="stale")
        return [_Change(file.path, before, stamp, None)], receipts
    old = before if file.source is not None else None
    if file.source in (None, file.target):
        return [_Change(space.tree.name(file.target), old, stamp, after)], receipts
    if space.tree.stamp(file.target) is not None:
        raise Validation(f"patch: {file.target} exists already.")
    gone = _Change(space.tree.name(file.source or ""), before, stamp, None)
    return [_Change(space.tree.name(file.target), None, None, after), gone], receipts


def _make_all(space: Workspace, changes: list[_Change], context: Context) -> None:
    """Make every change; if one fails, undo those before it."""
    done: list[_Change] = []
    try:
        for change in changes:
            _make(space, change, context)
            done.append(change)
    except Validation:
        for change in reversed(done):
            if change.before is None:
                space.tree.delete(change.path)
            else:
                space.tree.write(change.path, change.before.encode("utf-8"))
        raise


def _make(space: Workspace, change: _Change, context: Context) -> None:
    if change.after is not None:
        write_text(space, change.path, change.after, context, expected=change.stamp)
        return
    space.tree.delete(change.path)
    space.seen.drop(context, change.path)
    context.record(FileEffect(path=change.path, op="delete"))
