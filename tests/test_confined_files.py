"""Files below a root: no path, link or race leads out of it."""

from __future__ import annotations

import contextlib
import os
import stat
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zkit.results import Validation
from zkit.sources.confined_files import ConfinedFiles, ConfinedPathError, path_errors

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs directory descriptors")


@pytest.fixture
def files(tmp_path: Path) -> ConfinedFiles:
    root = tmp_path / "root"
    root.mkdir()
    (tmp_path / "secret.txt").write_text("secret")
    return ConfinedFiles(root)


OUTSIDE = ["../secret.txt", "/etc/passwd", "a/../../secret.txt", "a\0b", "a" * 5000, "", ".", "//x"]


@pytest.mark.parametrize("path", OUTSIDE)
def test_a_path_that_leads_out_is_refused(path: str, files: ConfinedFiles) -> None:
    actions: list[Callable[[], object]] = [
        lambda: files.read_bytes(path),
        lambda: files.write_bytes(path, b"x"),
        lambda: files.append_bytes(path, b"x"),
        lambda: files.delete(path),
        lambda: files.move(path, "new"),
        lambda: files.update(path, bytes.upper),
    ]
    for action in actions:
        with pytest.raises(ConfinedPathError):
            action()
    assert names(files) == []


@given(st.text(alphabet="ab./\\ \n\0é", max_size=12))
def test_no_path_reads_or_writes_outside(path: str) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as name:
        outer = Path(name)
        (outer / "root" / "a").mkdir(parents=True)
        (outer / "b").write_text("outside")
        files = ConfinedFiles(outer / "root")
        with contextlib.suppress(ConfinedPathError, OSError):
            files.write_bytes(path, b"new")
        assert sorted(one.name for one in outer.iterdir()) == ["b", "root"]
        assert (outer / "b").read_text() == "outside"


def names(files: ConfinedFiles, path: str = "") -> list[tuple[str, str]]:
    with files.open_folder(path) as folder:
        return list(folder.names())


def test_an_open_folder_stays_what_it_was(files: ConfinedFiles, tmp_path: Path) -> None:
    files.write_bytes("sub/a", b"inside")
    folder = files.open_folder("sub")
    (files.root / "sub").rename(files.root / "kept")
    (files.root / "sub").symlink_to(tmp_path)
    assert folder.read("a") == b"inside"
    assert folder.names() == [("a", "file")]
    assert folder.entry("secret.txt") is None
    folder.close()
    folder.close()
    with pytest.raises(ValueError, match="closed"):
        folder.read("a")
    with pytest.raises(ConfinedPathError, match="link"):
        files.open_folder("sub")


def test_a_link_is_not_followed_anywhere(files: ConfinedFiles, tmp_path: Path) -> None:
    (files.root / "link").symlink_to(tmp_path / "secret.txt")
    (files.root / "up").symlink_to(tmp_path)
    (files.root / "dangling").symlink_to(tmp_path / "planted.txt")
    for path in ("link", "up/secret.txt", "dangling", "up/new/file"):
        with pytest.raises(ConfinedPathError, match="link"):
            files.write_bytes(path, b"x")
        with pytest.raises(ConfinedPathError, match="link"):
            files.read_bytes(path)
        with pytest.raises(ConfinedPathError, match="link"):
            files.append_bytes(path, b"x")
    assert (tmp_path / "secret.txt").read_text() == "secret"
    assert sorted(one.name for one in tmp_path.iterdir()) == ["root", "secret.txt"]
    assert dict(names(files)) == {
        "dangling": "link",
        "link": "link",
        "up": "link",
    }
    files.delete("link")
    assert (tmp_path / "secret.txt").exists()


def test_a_link_swapped_in_while_files_are_written_leads_nowhere(
    files: ConfinedFiles, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    over = threading.Event()

    def swap() -> None:
        while not over.is_set():
            folder, spare = files.root / "sub", files.root / "spare"
            try:
                folder.rename(spare)
                folder.symlink_to(outside)
                folder.unlink()
                spare.rename(folder)
            except OSError:
                continue

    files.make_folders("sub")
    swapper = threading.Thread(target=swap)
    swapper.start()
    try:
        for number in range(300):
            try:
                files.write_bytes(f"sub/{number}", b"x")
            except (OSError, ConfinedPathError):
                continue
    finally:
        over.set()
        swapper.join()
    assert list(outside.iterdir()) == []


@pytest.mark.parametrize("path", ["a/b/c/file", "a/b/file", "a/file"])
def test_a_link_swapped_in_after_the_look_is_not_followed(
    path: str, files: ConfinedFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whichever folder of a path becomes a link between the look at it and its opening."""
    outside = tmp_path / "outside"
    (outside / "b" / "c").mkdir(parents=True)
    for folder in (outside, outside / "b", outside / "b" / "c"):
        (folder / "file").write_text("secret")
    real_open = os.open

    def swapped(name: Any, *rest: Any, **named: Any) -> int:
        """The system's own, after somebody else was quicker."""
        if name == "a" and not (files.root / "a").is_symlink():
            (files.root / "a").rename(files.root / f"old{len(names(files))}")
            (files.root / "a").symlink_to(outside)
        return real_open(name, *rest, **named)

    actions: list[Callable[[], object]] = [
        lambda: files.read_bytes(path),
        lambda: files.write_bytes(path, b"x"),
        lambda: files.append_bytes(path, b"x"),
        lambda: files.delete(path),
        lambda: files.move(path, "new"),
    ]
    for action in actions:
        (files.root / "a").unlink(missing_ok=True)
        files.write_bytes(path, b"own")
        with monkeypatch.context() as patched:
            patched.setattr(os, "open", swapped)
            with pytest.raises((ConfinedPathError, OSError)):
                action()
        assert (outside / path.removeprefix("a/")).read_text() == "secret"
    assert not (files.root / "new").exists()


def test_threads_do_not_break_each_others_writes(files: ConfinedFiles) -> None:
    texts = [bytes([65 + number]) * 50_000 for number in range(4)]
    seen: set[bytes] = set()

    def write(text: bytes) -> None:
        for _ in range(25):
            files.write_bytes("shared", text)
            seen.add(files.read_bytes("shared"))

    threads = [threading.Thread(target=write, args=(text,)) for text in texts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen <= set(texts)
    assert names(files) == [("shared", "file")]


def test_no_update_of_a_thread_is_lost(files: ConfinedFiles) -> None:
    files.write_bytes("count", b"0")

    def count() -> None:
        for _ in range(50):
            files.update("count", lambda old: str(int(old) + 1).encode())

    threads = [threading.Thread(target=count) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert files.read_text("count") == "200"


def test_a_change_by_somebody_else_is_not_overwritten(files: ConfinedFiles) -> None:
    files.write_bytes("a", b"old")

    def change(old: bytes) -> bytes:
        (files.root / "a").write_bytes(b"from elsewhere")
        return b"mine"

    with pytest.raises(ConfinedPathError, match="somebody else"):
        files.update("a", change)
    assert files.read_bytes("a") == b"from elsewhere"


def test_only_regular_files_are_read(files: ConfinedFiles) -> None:
    os.mkfifo(files.root / "pipe")
    (files.root / "folder").mkdir()
    for action in (files.read_bytes, lambda path: files.write_bytes(path, b"x")):
        with pytest.raises(ConfinedPathError, match="not a regular file"):
            action("pipe")
        with pytest.raises(IsADirectoryError):
            action("folder")
    with pytest.raises(NotADirectoryError):
        files.read_bytes("pipe/x")


def test_a_large_file_is_refused_before_it_is_read(files: ConfinedFiles) -> None:
    with (files.root / "huge").open("wb") as file:
        file.truncate(3_000_000_000)
    with pytest.raises(ConfinedPathError, match="3,000,000,000 bytes"):
        files.read_bytes("huge")
    files.write_bytes("small", b"12345")
    assert files.read_bytes("small", max_bytes=5) == b"12345"
    with pytest.raises(ConfinedPathError, match="too large"):
        files.read_bytes("small", max_bytes=4)


def test_a_written_file_keeps_its_mode_and_says_whether_it_is_new(files: ConfinedFiles) -> None:
    assert files.write_bytes("deep/er/script", b"one")
    (files.root / "deep/er/script").chmod(0o750)
    assert not files.write_bytes("deep/er/script", b"two")
    assert stat.S_IMODE((files.root / "deep/er/script").stat().st_mode) == 0o750
    assert files.append_bytes("log", b"a")
    assert not files.append_bytes("log", b"b")
    assert files.read_bytes("log") == b"ab"


def test_a_move_never_overwrites(files: ConfinedFiles) -> None:
    files.write_bytes("a", b"one")
    files.write_bytes("b", b"two")
    with pytest.raises(FileExistsError):
        files.move("a", "b")
    files.move("a", "sub/c")
    assert names(files) == [("b", "file"), ("sub", "folder")]
    assert names(files, "sub") == [("c", "file")]


def test_a_write_that_fails_leaves_nothing_behind(
    files: ConfinedFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    files.write_bytes("a", b"old")

    def full(descriptor: int, data: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(OSError, match="No space"):
        files.write_bytes("a", b"new")
    monkeypatch.undo()
    assert names(files) == [("a", "file")]
    assert files.read_bytes("a") == b"old"


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (FileNotFoundError(), "not_found", 'there is no file "a"'),
        (
            ConfinedPathError('"a" is a link, and links are not followed'),
            "invalid_arguments",
            "link",
        ),
        (IsADirectoryError(), "invalid_arguments", "is a folder"),
        (PermissionError(13, "Permission denied"), "invalid_arguments", "permission denied"),
        (FileExistsError(), "invalid_arguments", "exists already"),
        (NotADirectoryError(), "not_found", "is a file, not a folder"),
    ],
)
def test_errors_become_messages_for_the_model(error: Exception, code: str, said: str) -> None:
    with pytest.raises(Validation, match=said) as caught, path_errors("a"):
        raise error
    assert caught.value.code == code


def test_an_absolute_path_may_lead_into_the_root(files: ConfinedFiles, tmp_path: Path) -> None:
    files.write_bytes(str(files.root / "sub" / "a"), b"x")
    assert files.read_bytes("sub/a") == b"x"
    with pytest.raises(ConfinedPathError):
        files.read_bytes(f"{files.root}/../secret.txt")
    with pytest.raises(ConfinedPathError):
        files.read_bytes(f"{files.root}-other/a")
