"""Overlays last, have a number, and are told."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zkit.sources import Overlay, Overlays, SqliteOverlays, Toolbox
from zkit.tools import Preference, tool


@pytest.fixture(params=["memory", "sqlite"])
def make(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Callable[[], Overlays]]:
    """A maker of stores; those of SQLite share one file."""
    made: list[SqliteOverlays] = []

    def store() -> Overlays:
        if request.param == "memory":
            return Overlays()
        made.append(SqliteOverlays(tmp_path / "overlays.db"))
        return made[-1]

    yield store
    for one in made:
        one.close()


def test_what_is_set_is_there_until_it_is_deleted(make: Callable[[], Overlays]) -> None:
    store = make()
    overlay = Overlay("Better.", None, Preference(False, 2.0, {"n": [1]}, "why"))
    store.set("a", overlay)
    assert store.get("a") == overlay
    assert store.all() == {"a": overlay}
    assert store.revision == 1
    assert store.delete("a")
    assert store.get("a") is None
    assert store.revision == 2


def test_nothing_happens_when_nothing_changes(make: Callable[[], Overlays]) -> None:
    store = make()
    told: list[Any] = []
    store.listen(told.append)
    assert not store.delete("a")
    store.set("a", Overlay("x"))
    store.set("a", Overlay("x"))
    store.load({"a": Overlay("x")})
    assert store.revision == 1
    assert told == [frozenset("a")]


def test_loading_replaces_everything_in_one_change(make: Callable[[], Overlays]) -> None:
    store = make()
    store.set("a", Overlay("x"))
    told: list[Any] = []
    stop = store.listen(told.append)
    store.load({"b": Overlay("y"), "c": Overlay("z")})
    assert list(store.all()) == ["b", "c"]
    assert told == [frozenset("abc")]
    assert store.revision == 2
    stop()
    store.delete("b")
    assert len(told) == 1


def test_a_change_leaves_the_rest_of_an_overlay(make: Callable[[], Overlays]) -> None:
    store = make()
    store.change("a", description="x")
    store.change("a", enabled=False)
    store.change("a", weight=3.0)
    assert store.get("a") == Overlay("x", None, Preference(False, 3.0))


def test_overlays_in_sqlite_last(tmp_path: Path) -> None:
    path = tmp_path / "overlays.db"
    first = SqliteOverlays(path)
    first.change("a", description="Lasting.", enabled=False, overrides={"n": 1})
    first.close()
    second = SqliteOverlays(path)
    assert second.get("a") == Overlay("Lasting.", None, Preference(False, 1.0, {"n": 1}))
    second.close()


def test_what_another_process_wrote_is_seen_after_a_refresh(tmp_path: Path) -> None:
    path = tmp_path / "overlays.db"
    mine, other = SqliteOverlays(path), SqliteOverlays(path)

    @tool
    def a() -> None:
        """Old."""

    box = Toolbox([a], overlays=mine)
    other.change("a", description="New.")
    assert not other.refresh()
    assert mine.refresh()
    assert not mine.refresh()
    assert box.get("a").definition().description == "New."  # type: ignore[union-attr]
    other.delete("a")
    assert mine.refresh()
    assert box.get("a").definition().description == "Old."  # type: ignore[union-attr]
    mine.close()
    other.close()


def test_a_write_that_fails_changes_nothing(tmp_path: Path) -> None:
    store = SqliteOverlays(tmp_path / "overlays.db")
    store.set("a", Overlay("x"))
    store._db.execute("DROP TABLE overlays")
    with pytest.raises(sqlite3.OperationalError):
        store.set("a", Overlay("y"))
    assert store.get("a") == Overlay("x")
    assert store.revision == 1
    store.close()


def test_threads_may_share_a_store(tmp_path: Path) -> None:
    store = SqliteOverlays(tmp_path / "overlays.db")

    def work(number: int) -> None:
        for turn in range(10):
            store.set(f"{number}", Overlay(f"{turn}"))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert store.revision == 60
    assert set(store.all().values()) == {Overlay("9")}
    store.close()


overlays = st.builds(
    Overlay,
    st.none() | st.text(max_size=20),
    st.none() | st.text(max_size=20),
    st.none()
    | st.builds(
        Preference,
        st.booleans(),
        st.floats(0, 10),
        st.dictionaries(st.text(max_size=5), st.integers() | st.lists(st.booleans())),
        st.text(max_size=5),
    ),
)


@given(overlays)
def test_an_overlay_survives_as_data(overlay: Overlay) -> None:
    assert Overlay(**overlay.to_dict()) == overlay
