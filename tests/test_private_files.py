"""Files of stores: for their owner only, never through a link, and one error type for each store."""

from __future__ import annotations

import os
import sqlite3
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from zkit.chat import PauseStore
from zkit.coach.failure_counts import FailureCounts
from zkit.dynamic.tool_catalog import Catalog
from zkit.errors import CatalogError, OverlayError, ResumeError, StoreError
from zkit.proxy.request_log import RequestLog
from zkit.results import Success
from zkit.sources import SqliteOverlays
from zkit.sources.confined_files import ConfinedFiles
from zkit.sources.shared_memo import SqliteMemo, StoreDownError
from zkit.tools import render_result

pytestmark = pytest.mark.skipif(os.name != "posix", reason="rights, links and pipes")


def catalog(path: Path) -> object:
    found = Catalog(path)
    found.forget_pins("server")  # it is made when something is written
    return found


STORES: dict[str, tuple[Callable[[Path], object], type[Exception]]] = {
    "overlays": (SqliteOverlays, OverlayError),
    "memo": (SqliteMemo, StoreDownError),
    "paused runs": (PauseStore, ResumeError),
    "requests": (lambda path: RequestLog(5, path), StoreError),
    "failure counts": (FailureCounts, StoreError),
    "catalog": (catalog, CatalogError),
}
stores = pytest.mark.parametrize(("make", "error"), STORES.values(), ids=STORES)


@stores
def test_a_store_is_for_its_owner_only(make: Any, error: Any, tmp_path: Path) -> None:
    fresh, open_to_all = tmp_path / "fresh", tmp_path / "open"
    open_to_all.touch()
    open_to_all.chmod(0o666)
    for path in (fresh, open_to_all):
        make(path)
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


@stores
def test_a_store_follows_no_link(make: Any, error: Any, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    (tmp_path / "dangling").symlink_to(outside)
    with pytest.raises(error):
        make(tmp_path / "dangling")
    assert not outside.exists()
    outside.touch()
    outside.chmod(0o644)
    with pytest.raises(error):
        make(tmp_path / "dangling")
    assert outside.stat().st_size == 0
    assert stat.S_IMODE(outside.stat().st_mode) == 0o644


def pipe(path: Path) -> None:
    os.mkfifo(path)


def junk(path: Path) -> None:
    path.write_bytes(b"junk" * 1000)


def other_tables(path: Path) -> None:
    database = sqlite3.connect(path)
    for name in ("overlays", "requests", "versions", "paused_runs", "failures", "recent", "pins"):
        database.execute(f"create view {name} as select 1 as x")
    database.commit()
    database.close()


@stores
@pytest.mark.parametrize("plant", [pipe, junk, Path.mkdir, other_tables])
def test_what_is_no_store_raises_the_error_of_the_store(
    make: Any, error: Any, plant: Any, tmp_path: Path
) -> None:
    plant(tmp_path / "store")

    def use() -> None:
        made = make(tmp_path / "store")
        # Two of them look at their tables when they are asked.
        if isinstance(made, SqliteMemo):
            made.look("w", "k")
        if isinstance(made, FailureCounts):
            made.count("m", "x")

    with pytest.raises(error, match="store"):
        use()


def test_a_request_that_cannot_be_kept_is_still_answered(tmp_path: Path) -> None:
    from zkit.proxy.request_log import Record

    log = RequestLog(5, tmp_path / "log")
    (tmp_path / "log").unlink()
    (tmp_path / "log").mkdir()
    record = Record(id="1", endpoint="/v1/chat/completions", model="m", upstream="u")
    log.finish(record)
    assert log.get("1") is record


def spilled(text: str, folder: Path) -> Path:
    shown = render_result(Success(text), limit=400, spill=folder)
    return Path(shown.split("The whole text is in ")[1].split(".]")[0])


def test_a_long_result_is_written_for_its_owner_and_through_no_link(tmp_path: Path) -> None:
    text = "secret " * 500
    first = spilled(text, tmp_path)
    assert first.read_text("utf-8") == text
    assert stat.S_IMODE(first.stat().st_mode) == 0o600
    assert spilled(text, tmp_path) == first
    outside = tmp_path / "outside"
    first.unlink()
    first.symlink_to(outside)
    second = spilled(text, tmp_path)
    assert not outside.exists()
    assert second != first
    assert second.read_text("utf-8") == text
    first.unlink()
    first.write_text("x" * len(text), "utf-8")  # planted, of the same length
    assert spilled(text, tmp_path).read_text("utf-8") == text


def test_what_has_another_name_outside_is_not_appended_to(tmp_path: Path) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside"
    root.mkdir()
    outside.write_text("old\n")
    os.link(outside, root / "a")
    ConfinedFiles(root).append_bytes("a", b"new\n")
    assert outside.read_text() == "old\n"
    assert (root / "a").read_text() == "old\nnew\n"
    ConfinedFiles(root).append_bytes("a", b"more\n")
    assert (root / "a").read_text() == "old\nnew\nmore\n"


def test_new_content_has_no_special_rights(tmp_path: Path) -> None:
    file = tmp_path / "run"
    file.write_text("old")
    file.chmod(0o4755)
    ConfinedFiles(tmp_path).write_bytes("run", b"new")
    assert stat.S_IMODE(file.stat().st_mode) == 0o755
