"""Files below one root: opened step by step from a directory descriptor, never through a symlink.

A path is split into its parts, and each folder is opened relative to the one before it with
`O_NOFOLLOW`. So a link that is planted or swapped in while a call runs has no effect, neither in
the middle of a path nor at its end. New content is written to a file with a random name, created
exclusively beside the old one, and then renamed: readers see the old content or the new.

Linux and macOS have all of this. Windows has no directory descriptors: there each step is checked
by path, so a folder that is replaced by a link during a call is not noticed.
"""

from __future__ import annotations

import errno
import os
import secrets
import stat
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Literal, NamedTuple

from zkit.errors import ZkitError
from zkit.results import Validation

MAX_BYTES = 10_000_000
"""The default limit for reading one file."""

_HAS_DESCRIPTORS = os.open in os.supports_dir_fd and os.stat in os.supports_follow_symlinks
_FOLDER = getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
# O_NONBLOCK: opening a pipe to read it would otherwise wait for a writer.
_FILE = (
    getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)
_CHUNK = 1 << 20

Folder = int | Path
"""An open directory descriptor; on Windows the path of the folder."""
Kind = Literal["file", "folder", "link", "other"]


class ConfinedPathError(ZkitError, ValueError):
    """A path that leads out of the root, goes through a link, or names no regular file."""


class Entry(NamedTuple):
    """A file or folder below the root; `path` is relative to it, with `/` between the parts."""

    path: str
    kind: Kind
    size: int
    modified: float


class Stamp(NamedTuple):
    """Shows whether a file was changed or replaced."""

    inode: int
    modified_ns: int
    size: int


def confined(root: str | Path, path: str) -> Path | None:
    """Return the absolute path for a relative path below a root; None if it leads elsewhere.

    Links are resolved first. This is for naming paths, not for opening them: between this check and
    an `open` a link can be swapped in. `ConfinedFiles` opens safely.
    """
    if not path.strip() or "\0" in path:
        return None
    base = Path(root).resolve()
    try:
        found = (base / path).resolve()
    except (OSError, RuntimeError, ValueError):
        return None
    return found if found.is_relative_to(base) else None


class ConfinedFiles:
    """Reads, writes, moves and lists files below a root, and nowhere else.

    Raises `ConfinedPathError` for what leads out or is not a regular file, and the `OSError` of the
    system for all else. `path_errors` turns both into messages for a model.
    """

    def __init__(self, root: str | Path) -> None:
        self.root = Path(root).resolve()
        self._lock = threading.RLock()

    # Reading

    def read_bytes(self, path: str, *, max_bytes: int = MAX_BYTES) -> bytes:
        """Return the content of a regular file of at most `max_bytes`."""
        return self.read_stamped(path, max_bytes=max_bytes)[0]

    def read_stamped(self, path: str, *, max_bytes: int = MAX_BYTES) -> tuple[bytes, Stamp]:
        """Return the content of a regular file, and its stamp."""
        with self._parent(path) as (folder, name):
            return _read_file(folder, name, path, max_bytes)

    def read_text(self, path: str, *, max_bytes: int = MAX_BYTES) -> str:
        """Return the content of a text file; raises `UnicodeDecodeError` if it is not UTF-8."""
        return self.read_bytes(path, max_bytes=max_bytes).decode("utf-8")

    def stamp(self, path: str) -> Stamp | None:
        """Return the stamp of a file; None if there is no such file."""
        try:
            with self._parent(path) as (folder, name):
                found = _stat(folder, name)
        except FileNotFoundError:
            return None
        return _stamp(found) if stat.S_ISREG(found.st_mode) else None

    def open_folder(self, path: str = "") -> OpenFolder:
        """Open a folder, so that its files are opened without a walk from the root."""
        parts = self._parts(path)
        return OpenFolder(self._open_parts(parts), "/".join(parts))

    # Writing

    def write_bytes(self, path: str, data: bytes, *, expected: Stamp | None = None) -> bool:
        """Write a whole file and create missing folders; return True if the file is new.

        With `expected`, a file that has another stamp raises `ConfinedPathError`.
        """
        with self._lock, self._parent(path, create=expected is None) as (folder, name):
            if expected is not None:
                _require_unchanged(folder, name, expected, path)
            return _replace(folder, name, data, path)

    def update(
        self, path: str, change: Callable[[bytes], bytes], *, max_bytes: int = MAX_BYTES
    ) -> bytes:
        """Read a file, and write what `change` makes of it; return that.

        Threads that change files through this object take turns. A change by anybody else between
        reading and writing raises `ConfinedPathError`, and nothing is written.
        """
        with self._lock:
            old, before = self.read_stamped(path, max_bytes=max_bytes)
            new = change(old)
            self.write_bytes(path, new, expected=before)
        return new

    def append_bytes(self, path: str, data: bytes) -> bool:
        """Add to the end of a file, which is made when it is missing; True if it is new."""
        with self._lock, self._parent(path, create=True) as (folder, name):
            flags = os.O_WRONLY | os.O_APPEND | _FILE
            try:
                descriptor, is_new = _open(folder, name, flags), False
            except FileNotFoundError:
                flags |= os.O_CREAT | os.O_EXCL
                descriptor, is_new = _open(folder, name, flags, 0o666), True
            try:
                found = os.fstat(descriptor)
                _require_regular(found, path)
                if found.st_nlink == 1:
                    _write_all(descriptor, data)
            finally:
                os.close(descriptor)
        if found.st_nlink > 1:  # another hard link, perhaps outside of the root, must not change
            self.update(path, lambda old: old + data)
        return is_new

    def delete(self, path: str) -> None:
        """Delete a regular file, or a link (not what it leads to)."""
        with self._lock, self._parent(path) as (folder, name):
            if stat.S_ISDIR(_stat(folder, name).st_mode):
                raise ConfinedPathError(f'"{path}" is a folder, not a file')
            _with_folder(os.unlink, folder, name)

    def move(self, old: str, new: str) -> None:
        """Rename a regular file; raises `FileExistsError` when the new name is taken."""
        with (
            self._lock,
            self._parent(old) as (from_folder, from_name),
            self._parent(new, create=True) as (to_folder, to_name),
        ):
            _require_regular(_stat(from_folder, from_name), old)
            _claim(to_folder, to_name)
            _rename(from_folder, from_name, to_folder, to_name)

    def make_folders(self, path: str) -> None:
        """Make a folder and those above it, as far as they are missing."""
        with self._lock, self._folder(self._parts(path), create=True):
            return

    # Inside

    def _parts(self, path: str) -> list[str]:
        """Return the parts of a path; an absolute one may lead into the root, as models write them."""
        own = f"{self.root}{os.sep}"
        return _parts(path[len(own) :] if path.startswith(own) else path)

    @contextmanager
    def _parent(self, path: str, *, create: bool = False) -> Iterator[tuple[Folder, str]]:
        """Open the parent folder of a path, and yield it with the last part of the path."""
        *above, name = self._parts(path) or [""]
        if not name:
            raise ConfinedPathError(f'"{path}" is the root itself, not a file in it')
        with self._folder(above, create=create) as folder:
            yield folder, name

    @contextmanager
    def _folder(self, parts: list[str], *, create: bool = False) -> Iterator[Folder]:
        folder = self._open_parts(parts, create=create)
        try:
            yield folder
        finally:
            _close(folder)

    def _open_parts(self, parts: list[str], *, create: bool = False) -> Folder:
        folder = _open_root(self.root)
        for number, part in enumerate(parts, 1):
            try:
                below = _step(folder, part, "/".join(parts[:number]), create)
            finally:
                _close(folder)
            folder = below
        return folder


class OpenFolder:
    """A folder below the root that is held open; links in it are listed and not followed.

    It stays the same folder, whatever happens to its path meanwhile.
    """

    def __init__(self, handle: Folder, path: str) -> None:
        self._handle: Folder | None = handle
        self.path = path

    def names(self) -> list[tuple[str, Kind]]:
        """Return what is in the folder with its kind, sorted by name."""
        with os.scandir(self._open_handle()) as found:
            return sorted((one.name, _kind_of(one)) for one in found)

    def entry(self, name: str) -> Entry | None:
        """Return the entry of a name; None if it no longer exists."""
        try:
            found = _stat(self._open_handle(), name)
        except OSError:
            return None
        return _entry(self.path_of(name), found)

    def path_of(self, name: str) -> str:
        """Return the path of a name in the folder, relative to the root."""
        return f"{self.path}/{name}" if self.path else name

    def read(self, name: str, *, max_bytes: int = MAX_BYTES) -> bytes:
        """Return the content of a regular file in the folder of at most `max_bytes`."""
        return _read_file(self._open_handle(), name, self.path_of(name), max_bytes)[0]

    def open_folder(self, name: str) -> OpenFolder:
        """Open a folder in the folder; the caller closes it."""
        path = self.path_of(name)
        return OpenFolder(_step(self._open_handle(), name, path, False), path)

    def close(self) -> None:
        """Close the folder; nothing can be read through it any more."""
        handle, self._handle = self._handle, None
        if handle is not None:
            _close(handle)

    def __enter__(self) -> OpenFolder:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _open_handle(self) -> Folder:
        if self._handle is None:
            raise ValueError("the folder is closed")
        return self._handle


@contextmanager
def path_errors(path: str, argument: str = "path") -> Iterator[None]:
    """Turn what `ConfinedFiles` raises in the block into a `Validation` that a model can act on."""
    shown = path if len(path) <= 200 else f"{path[:200]}…"
    try:
        yield
    except ConfinedPathError as error:
        raise Validation(
            f"{argument}: {error}. Send the path of another file in the workspace."
        ) from None
    except FileNotFoundError:
        raise Validation(f'{argument}: there is no file "{shown}".', code="not_found") from None
    except FileExistsError:
        raise Validation(f'{argument}: "{shown}" exists already.') from None
    except IsADirectoryError:
        raise Validation(f'{argument}: "{shown}" is a folder. Send the path of a file.') from None
    except NotADirectoryError:
        raise Validation(
            f'{argument}: a part of "{shown}" is a file, not a folder.', code="not_found"
        ) from None
    except UnicodeDecodeError:
        raise Validation(f'{argument}: "{shown}" is not a text in UTF-8.') from None
    except OSError as error:
        reason = (error.strerror or type(error).__name__).lower()
        raise Validation(f'{argument}: "{shown}" cannot be used: {reason}.') from None


def _parts(path: str) -> list[str]:
    """Return the parts of a relative path; refuses what leads out of the root, or is not a path."""
    if "\0" in path or len(path) > 4096:
        raise ConfinedPathError("the path cannot be the name of a file")
    if os.path.isabs(path) or path.startswith(("/", "\\")) or os.path.splitdrive(path)[0]:
        raise ConfinedPathError(f'"{path}" is outside of the workspace')
    separated = path.replace("\\", "/") if sys.platform == "win32" else path
    parts = [part for part in separated.split("/") if part not in ("", ".")]
    if ".." in parts:
        raise ConfinedPathError(f'"{path}" is outside of the workspace')
    return parts


def _open_root(root: Path) -> Folder:
    if not _HAS_DESCRIPTORS:
        return root
    return os.open(root, os.O_RDONLY | getattr(os, "O_DIRECTORY", 0))


def _step(folder: Folder, part: str, shown: str, create: bool) -> Folder:
    """Open a folder in an open folder."""
    if create:
        with suppress(FileExistsError):
            _with_folder(os.mkdir, folder, part)
    mode = _stat(folder, part).st_mode
    if stat.S_ISLNK(mode):
        raise ConfinedPathError(f'"{shown}" is a link, and links are not followed')
    if not stat.S_ISDIR(mode):
        raise NotADirectoryError(20, "Not a directory", shown)
    if isinstance(folder, Path):
        return folder / part
    return os.open(part, os.O_RDONLY | _FOLDER, dir_fd=folder)


def _close(folder: Folder) -> None:
    if isinstance(folder, int):
        os.close(folder)


def _open(folder: Folder, name: str, flags: int, mode: int = 0o600) -> int:
    try:
        if not isinstance(folder, Path):
            return os.open(name, flags, mode, dir_fd=folder)
        if not stat.S_ISLNK(_mode(folder, name)):
            return os.open(folder / name, flags, mode)
    except OSError as error:
        # The errors for a link that is opened with O_NOFOLLOW; with O_EXCL a link counts as a file.
        if error.errno != errno.ELOOP and not stat.S_ISLNK(_mode(folder, name)):
            raise
    raise ConfinedPathError(f'"{name}" is a link, and links are not followed')


def _read_file(folder: Folder, name: str, path: str, most: int) -> tuple[bytes, Stamp]:
    """Read a regular file of an open folder."""
    descriptor = _open(folder, name, os.O_RDONLY | _FILE)
    try:
        found = os.fstat(descriptor)
        _require_regular(found, path)
        if found.st_size > most:
            raise _too_large(path, found.st_size, most)
        chunks, size = [], 0
        # A file may grow while it is read, and some files in /proc report a size of 0.
        while chunk := os.read(descriptor, min(_CHUNK, most + 1 - size)):
            chunks.append(chunk)
            size += len(chunk)
            if size > most:
                raise _too_large(path, size, most)
        return b"".join(chunks), _stamp(found)
    finally:
        os.close(descriptor)


def _mode(folder: Folder, name: str) -> int:
    try:
        return _stat(folder, name).st_mode
    except FileNotFoundError:
        return 0


def _stat(folder: Folder, name: str) -> os.stat_result:
    if isinstance(folder, Path):
        return os.stat(folder / name, follow_symlinks=False)
    return os.stat(name, dir_fd=folder, follow_symlinks=False)


def _with_folder(action: Callable[..., None], folder: Folder, name: str) -> None:
    if isinstance(folder, Path):
        action(folder / name)
    else:
        action(name, dir_fd=folder)


def _rename(from_folder: Folder, old: str, to_folder: Folder, new: str) -> None:
    if isinstance(from_folder, Path) and isinstance(to_folder, Path):
        os.replace(from_folder / old, to_folder / new)
    elif isinstance(from_folder, int) and isinstance(to_folder, int):
        os.replace(old, new, src_dir_fd=from_folder, dst_dir_fd=to_folder)


def _claim(folder: Folder, name: str) -> None:
    """Create a file under an unused name, so that a rename onto it loses nothing."""
    os.close(_open(folder, name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _FILE))


def _replace(folder: Folder, name: str, data: bytes, path: str) -> bool:
    """Replace a file by one with this content; return True if there was none."""
    try:
        old: os.stat_result | None = _stat(folder, name)
    except FileNotFoundError:
        old = None
    if old is not None:
        _require_regular(old, path)
    beside = f".zkit-{secrets.token_hex(8)}.tmp"
    descriptor = _open(folder, beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _FILE, 0o666)
    try:
        try:
            if old is not None and hasattr(os, "fchmod"):
                os.fchmod(descriptor, old.st_mode & 0o777)  # new content has no set-user-id bit
            _write_all(descriptor, data)
        finally:
            os.close(descriptor)
        _rename(folder, beside, folder, name)
    except BaseException:
        with suppress(FileNotFoundError):
            _with_folder(os.unlink, folder, beside)
        raise
    return old is None


def _write_all(descriptor: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def _require_unchanged(folder: Folder, name: str, expected: Stamp, path: str) -> None:
    if _stamp(_stat(folder, name)) != expected:
        raise ConfinedPathError(f'"{path}" was changed by somebody else meanwhile')


def _require_regular(found: os.stat_result, path: str) -> None:
    mode = found.st_mode
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(21, "Is a directory", path)
    if stat.S_ISLNK(mode):
        raise ConfinedPathError(f'"{path}" is a link, and links are not followed')
    if not stat.S_ISREG(mode):
        raise ConfinedPathError(f'"{path}" is not a regular file')


def _too_large(path: str, size: int, most: int) -> ConfinedPathError:
    return ConfinedPathError(f'"{path}" is too large: {size:,} bytes, and {most:,} are allowed')


def _stamp(found: os.stat_result) -> Stamp:
    return Stamp(found.st_ino, found.st_mtime_ns, found.st_size)


def _entry(path: str, found: os.stat_result) -> Entry:
    kinds: dict[int, Kind] = {stat.S_IFREG: "file", stat.S_IFDIR: "folder", stat.S_IFLNK: "link"}
    kind = kinds.get(stat.S_IFMT(found.st_mode), "other")
    return Entry(path, kind, found.st_size, found.st_mtime)


def _kind_of(found: os.DirEntry[str]) -> Kind:
    """Return the kind of a directory entry without a call of `stat`."""
    if found.is_symlink():
        return "link"
    if found.is_dir(follow_symlinks=False):
        return "folder"
    return "file" if found.is_file(follow_symlinks=False) else "other"
