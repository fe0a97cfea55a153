"""Read, write, move and list files below one root, and nowhere else."""

from __future__ import annotations

import errno
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from zkit.results import Validation

MAX_BYTES = 20_000_000  # a file above this is no text that a model can work with
_READ = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
_FOLDER = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_DIRECTORY
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW
_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class Stamp:
    """What tells whether a file is still the one that was read."""

    inode: int
    size: int
    modified: int

    @classmethod
    def of(cls, found: os.stat_result) -> Stamp:
        """The stamp of an open file."""
        return cls(found.st_ino, found.st_size, found.st_mtime_ns)


class ConfinedTree:
    """The files below a root.

    Every folder on the way is opened from its parent's descriptor and no link is ever followed, so
    a link that is planted or swapped in while a call runs leads nowhere. What a model asks for in
    vain is a `Validation`.
    """

    def __init__(self, root: str | Path) -> None:
        self.root = Path(root).resolve()

    def parts(self, path: str) -> tuple[str, ...]:
        """Return the steps from the root to a path; refuse one that leads out of the root."""
        if "\0" in path or not path.strip():
            raise outside(path)
        text = path
        if os.path.isabs(path):  # models like to send whole paths; one below the root is as good
            inside = os.path.normpath(path)
            base = str(self.root)
            if inside != base and not inside.startswith(base.rstrip("/") + "/"):
                raise outside(path)
            text = os.path.relpath(inside, base)
        steps: list[str] = []
        for step in text.split("/"):
            if step == ".." and not steps:
                raise outside(path)
            if step == "..":
                steps.pop()
            elif step not in ("", "."):
                steps.append(step)
        return tuple(steps)

    def name(self, path: str) -> str:
        """Return a path as it is shown: relative to the root, with `/` between its steps."""
        return "/".join(self.parts(path)) or "."

    @contextmanager
    def folder(self, path: str, *, make: bool = False) -> Iterator[int]:
        """Open a folder below the root; with `make`, folders that are missing are made."""
        with self._opened(self.parts(path), path, make) as found:
            yield found

    @contextmanager
    def _opened(self, parts: tuple[str, ...], path: str, make: bool) -> Iterator[int]:
        with telling(path):
            here = os.open(self.root, _FOLDER & ~os.O_NOFOLLOW)
        try:
            for step in parts:
                with telling(path):
                    inner = _step_into(here, step, make)
                os.close(here)
                here = inner
            yield here
        finally:
            os.close(here)

    @contextmanager
    def _parent(self, path: str, *, make: bool = False) -> Iterator[tuple[int, str]]:
        parts = self.parts(path)
        if not parts:
            raise is_folder(path)
        with self._opened(parts[:-1], path, make) as folder:
            yield folder, parts[-1]

    def stamp(self, path: str) -> Stamp | None:
        """Return the stamp of a file; None when there is no such file."""
        try:
            with self._parent(path) as (folder, name):
                found = os.stat(name, dir_fd=folder, follow_symlinks=False)
        except (Validation, OSError):
            return None
        return Stamp.of(found) if stat.S_ISREG(found.st_mode) else None

    def read(self, path: str, *, most: int = MAX_BYTES) -> tuple[bytes, Stamp]:
        """Return the bytes of a regular file and its stamp; refuse one above `most` bytes."""
        with self._parent(path) as (folder, name), telling(path):
            handle = os.open(name, _READ, dir_fd=folder)
            try:
                found = os.fstat(handle)
                _check_regular(found, path)
                if found.st_size > most:
                    raise Validation(
                        f'path: "{path}" has {found.st_size:,} bytes, more than {most:,}. Use grep to'
                        " find the lines that you need."
                    )
                return _read_all(handle, most), Stamp.of(found)
            finally:
                os.close(handle)

    def write(self, path: str, data: bytes, *, expected: Stamp | None = None) -> tuple[bool, Stamp]:
        """Replace or make a file so that nobody sees half of it; say whether it is new.

        With `expected`, a file that is not the one that was read is refused as stale.
        """
        with self._parent(path, make=True) as (folder, name), telling(path):
            old = _stat(folder, name)
            if old is not None:
                _check_regular(old, path)
            if expected is not None and (old is None or Stamp.of(old) != expected):
                raise stale(path)
            beside = _temporary(folder, data, 0o666 if old is None else stat.S_IMODE(old.st_mode))
            try:
                found = os.stat(beside, dir_fd=folder, follow_symlinks=False)
                os.replace(beside, name, src_dir_fd=folder, dst_dir_fd=folder)
            except BaseException:
                os.unlink(beside, dir_fd=folder)
                raise
            return old is None, Stamp.of(found)

    def delete(self, path: str) -> None:
        """Delete a file, a link or an empty folder."""
        with self._parent(path) as (folder, name), telling(path):
            found = os.stat(name, dir_fd=folder, follow_symlinks=False)
            remove = os.rmdir if stat.S_ISDIR(found.st_mode) else os.unlink
            remove(name, dir_fd=folder)

    def move(self, path: str, to: str) -> None:
        """Move a file or folder to a place where there is nothing yet."""
        with self._parent(path) as (folder, name), self._parent(to, make=True) as (there, new):
            with telling(path):
                os.stat(name, dir_fd=folder, follow_symlinks=False)
            if _stat(there, new) is not None:
                raise Validation(f'to: "{to}" exists already. Send a path where nothing is yet.')
            with telling(to):
                os.rename(name, new, src_dir_fd=folder, dst_dir_fd=there)


def _step_into(folder: int, step: str, make: bool) -> int:
    """Open a folder inside an open one; `make` it when it is missing."""
    try:
        return os.open(step, _FOLDER, dir_fd=folder)
    except NotADirectoryError:  # Linux answers so to a link as well
        if stat.S_ISLNK(os.stat(step, dir_fd=folder, follow_symlinks=False).st_mode):
            raise OSError(errno.ELOOP, "a link") from None
        raise
    except FileNotFoundError:
        if not make:
            raise
    with suppress(FileExistsError):  # somebody was faster
        os.mkdir(step, dir_fd=folder)
    return os.open(step, _FOLDER, dir_fd=folder)


def _temporary(folder: int, data: bytes, mode: int) -> str:
    """Write a file under a name that nobody can know before, and return the name."""
    name = f".zkit-{secrets.token_hex(8)}.new"
    handle = os.open(name, _NEW, 0o666, dir_fd=folder)
    try:
        view = memoryview(data)
        while view:
            view = view[os.write(handle, view) :]
        if mode != 0o666:
            os.fchmod(handle, mode)
    except BaseException:
        os.unlink(name, dir_fd=folder)
        raise
    finally:
        os.close(handle)
    return name


def _stat(folder: int, name: str) -> os.stat_result | None:
    try:
        return os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return None


def _read_all(handle: int, most: int) -> bytes:
    """The bytes of a file, though it may grow while it is read."""
    parts: list[bytes] = []
    left = most
    while left > 0 and (part := os.read(handle, min(_CHUNK, left))):
        parts.append(part)
        left -= len(part)
    return b"".join(parts)


def _check_regular(found: os.stat_result, path: str) -> None:
    if stat.S_ISDIR(found.st_mode):
        raise is_folder(path)
    if stat.S_ISLNK(found.st_mode):
        raise OSError(errno.ELOOP, "a link")
    if not stat.S_ISREG(found.st_mode):
        raise Validation(f'path: "{path}" is a device, socket or pipe. Send the path of a file.')


def outside(path: str) -> Validation:
    """Say that a path leads out of the root."""
    return Validation(f'path: "{path}" is outside of the workspace. Send a path inside it.')


def is_folder(path: str) -> Validation:
    """Say that a file is needed."""
    return Validation(f'path: "{path}" is a folder. Send the path of a file.')


def stale(path: str) -> Validation:
    """Say that a file is not as it was when it was read."""
    message = f"{path} has changed since you read it, so it was not changed. Read it again."
    return Validation(message, code="stale")


@contextmanager
def telling(path: str) -> Iterator[None]:
    """Turn what the system says of a path into a message for the model."""
    try:
        yield
    except OSError as error:
        raise _told(error, path) from error


def _told(error: OSError, path: str) -> Validation:
    known = {
        errno.ENOENT: (f'path: there is no file "{path}". Look with ls or find_files.', True),
        errno.ENOTDIR: (f'path: a part of "{path}" is no folder. Look with ls.', True),
        errno.ELOOP: (
            f'path: "{path}" is or passes a link, which could lead outside of the workspace. Send'
            " the path of the file itself.",
            False,
        ),
        errno.EISDIR: (f'path: "{path}" is a folder. Send the path of a file.', False),
        errno.EACCES: (f'path: "{path}" may not be opened: no permission.', False),
        errno.ENAMETOOLONG: (f'path: "{path[:80]}…" is too long for a path.', False),
        errno.ENOTEMPTY: (f'path: the folder "{path}" is not empty.', False),
    }
    fallback = (f'path: "{path}": {error.strerror or error}.', False)
    message, missing = known.get(error.errno or 0, fallback)
    return Validation(message, code="not_found" if missing else "invalid_arguments")
