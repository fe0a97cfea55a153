"""The files below one root as the tools use them; errors are messages for the model."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from zkit.arguments.field_names import nearest
from zkit.results import Validation
from zkit.sources.confined_files import (
    MAX_BYTES,
    ConfinedFiles,
    ConfinedPathError,
    OpenFolder,
    Stamp,
    path_errors,
)

_LOOKED_AT = 500
"""How many names are compared with a path that does not exist."""
_LISTED = 10
"""How many of them are shown if none is similar."""


class ConfinedTree:
    """`ConfinedFiles` for tools: paths as models write them, errors as a `Validation`."""

    def __init__(self, root: str | Path) -> None:
        self.files = ConfinedFiles(root)
        self.root = self.files.root

    def name(self, path: str) -> str:
        """Return a path as it is shown, relative to the root; refuse one that leads out of it.

        `.` and `..` inside the root are resolved, and a whole path below the root is as good as a
        relative one: models like to send those.
        """
        if "\0" in path or not path.strip():
            raise outside(path)
        whole = os.path.normpath(os.path.join(self.root, path))
        base = str(self.root).rstrip("/")
        if whole != str(self.root) and not whole.startswith(f"{base}/"):
            raise outside(path)
        return os.path.relpath(whole, self.root)

    def parts(self, path: str) -> tuple[str, ...]:
        """Return the steps from the root to a path."""
        name = self.name(path)
        return () if name == "." else tuple(name.split("/"))

    def open_folder(self, path: str = ".") -> OpenFolder:
        """Open a folder, so that its files are opened without a walk from the root."""
        with self._errors(path):
            return self.files.open_folder(self.name(path))

    def stamp(self, path: str) -> Stamp | None:
        """Return the stamp of a file; None if there is no such file."""
        try:
            return self.files.stamp(self.name(path))
        except (Validation, ConfinedPathError, OSError):
            return None

    def read(self, path: str, *, most: int = MAX_BYTES) -> tuple[bytes, Stamp]:
        """Return the bytes of a regular file and its stamp; refuse one above `most` bytes."""
        with self._errors(path):
            return self.files.read_stamped(self.name(path), max_bytes=most)

    def write(self, path: str, data: bytes, *, expected: Stamp | None = None) -> tuple[bool, Stamp]:
        """Replace or make a file; say whether it is new, and give its stamp.

        With `expected`, a file that is not the one that was read is refused as stale.
        """
        name = self.name(path)
        if expected is not None and self.stamp(path) != expected:
            raise stale(path)
        with path_errors(path):
            new = self.files.write_bytes(name, data, expected=expected)
            found = self.files.stamp(name)
        if found is None:
            raise stale(path)
        return new, found

    def append(self, path: str, data: bytes) -> Stamp:
        """Add to the end of a file, which is made when it is missing."""
        with path_errors(path):
            self.files.append_bytes(self.name(path), data)
            found = self.files.stamp(self.name(path))
        if found is None:
            raise stale(path)
        return found

    def delete(self, path: str) -> None:
        """Delete a file, or a link (not what it leads to)."""
        with self._errors(path):
            self.files.delete(self.name(path))

    def move(self, path: str, to: str) -> None:
        """Move a file to a place where there is nothing yet."""
        new = self.name(to)
        if self.stamp(to) is not None:
            raise Validation(f'to: "{to}" exists already. Send a path where nothing is yet.')
        with self._errors(path):
            self.files.move(self.name(path), new)

    @contextmanager
    def _errors(self, path: str) -> Iterator[None]:
        """The same as `path_errors`, with the nearest existing paths for one that does not exist."""
        try:
            with path_errors(path):
                yield
        except Validation as error:
            if error.code != "not_found":
                raise
            message = error.message + self._instead_of(path)
            raise Validation(message, code="not_found") from None

    def _instead_of(self, path: str) -> str:
        """Return the existing paths that a model may have meant.

        Qwen2.5-Coder-1.5B takes folders from the examples of a tool: `notes/todo.md` for `todo.md`.
        """
        files = list(self._some_files())
        wanted = path.rstrip("/").rpartition("/")[2]
        same = [one for one in files if one.rpartition("/")[2].lower() == wanted.lower()]
        if near := same[:3] or nearest(path, files):
            return f" The nearest: {', '.join(near)}."
        left_out = ", …" if len(files) > _LISTED else ""
        return f" There are: {', '.join(files[:_LISTED])}{left_out}." if files else ""

    def _some_files(self) -> Iterator[str]:
        """Files from the root downwards, without hidden ones."""
        folders, left = deque([""]), _LOOKED_AT
        while folders:
            with (
                suppress(OSError, ConfinedPathError),
                self.files.open_folder(folders.popleft()) as it,
            ):
                for name, kind in it.names()[:left]:
                    left -= 1
                    if not name.startswith((".", "__pycache__", "node_modules")):
                        if kind == "folder":
                            folders.append(it.path_of(name))
                        elif kind == "file":
                            yield it.path_of(name)


def outside(path: str) -> Validation:
    """Say that a path leads out of the root."""
    return Validation(f'path: "{path}" is outside of the workspace. Send a path inside it.')


def stale(path: str) -> Validation:
    """Say that a file is not as it was when it was read."""
    message = f"{path} has changed since you read it, so it was not changed. Read it again."
    return Validation(message, code="stale")
