"""Files that only their owner can read, created without following a link."""

from __future__ import annotations

import os
import secrets
import stat
from pathlib import Path

_NO_LINKS = getattr(os, "O_NOFOLLOW", 0)  # Windows has no such flag, and few links
# O_NONBLOCK: opening a pipe to read it would otherwise wait for a writer.
_READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)


def make_private(path: str | Path) -> None:
    """Create the file of a store for its owner alone, or remove the access of others.

    Raises `OSError` for a link and for anything else that is not a plain file. The names that
    SQLite
    gives to a database without a file are left alone.
    """
    if str(path) in ("", ":memory:"):
        return
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | _NO_LINKS, 0o600)
    try:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            raise OSError("it is not a plain file")
        if found.st_mode & 0o077 and hasattr(os, "fchmod"):
            os.fchmod(descriptor, 0o600)
    finally:
        os.close(descriptor)


def private_copy(path: Path, data: bytes) -> Path:
    """Write data to a file that only this user can read, and return its path.

    That is `path`, unless something else has that name; the same data is not written twice.
    """
    try:
        descriptor = os.open(path, _NEW | _NO_LINKS, 0o600)
    except FileExistsError:
        if _holds(path, data):
            return path
        path = path.with_name(f"{path.stem}-{secrets.token_hex(8)}{path.suffix}")
        descriptor = os.open(path, _NEW | _NO_LINKS, 0o600)
    with open(descriptor, "wb") as file:
        file.write(data)
    return path


def _holds(path: Path, data: bytes) -> bool:
    """True if a plain file (not a link) holds exactly this data."""
    try:
        with open(os.open(path, _READ | _NO_LINKS), "rb") as file:
            found = os.fstat(file.fileno())
            is_alike = stat.S_ISREG(found.st_mode) and found.st_size == len(data)
            return is_alike and file.read(len(data) + 1) == data
    except OSError:
        return False
