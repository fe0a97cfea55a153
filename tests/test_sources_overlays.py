"""Overlays last, have a number, and are told."""

from __future__ import annotations

import stat
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zkit.errors import OverlayError
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
    with pytest.raises(OverlayError, match="no such table"):
        store.set("a", Overlay("y"))
    assert store.all() == {"a": Overlay("x")}
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


def test_a_tool_that_was_switched_off_stays_off(tmp_path: Path) -> None:
    """Two processes change different fields of one overlay; neither undoes the other."""
    one, other = (SqliteOverlays(tmp_path / "overlays.db") for _ in range(2))
    one.change("act", enabled=False, reason="broken")
    other.change("act", weight=2.0)
    both = one.get("act")
    assert both is not None
    assert both.preference is not None
    assert (both.preference.enabled, both.preference.weight) == (False, 2.0)
    for store in (one, other):
        store.close()


def test_readers_see_a_change_of_another_process_without_asking(tmp_path: Path) -> None:
    @tool
    def act() -> str:
        """Act."""
        return "done"

    operator = SqliteOverlays(tmp_path / "overlays.db")
    seen = SqliteOverlays(tmp_path / "overlays.db")
    box = Toolbox([act], overlays=seen)
    assert box.names() == ["act"]
    operator.change("act", enabled=False)
    assert box.get("act") is None
    assert box.names() == []
    operator.change("act", enabled=True)
    assert box.names() == ["act"]
    operator.close()
    seen.close()


def test_a_store_is_for_its_owner_only_and_has_one_kind_of_error(tmp_path: Path) -> None:
    path = tmp_path / "overlays.db"
    path.touch(0o666)
    path.chmod(0o666)
    store = SqliteOverlays(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    store.set("a", Overlay("x"))
    store._db.execute("UPDATE overlays SET data = '[[['")
    with pytest.raises(OverlayError, match="'a' is broken"):
        SqliteOverlays(path)
    store.close()
    with pytest.raises(OverlayError, match="closed"):
        store.set("a", Overlay("y"))
    (tmp_path / "junk").write_bytes(b"junk" * 1000)
    for wrong in (tmp_path / "junk", tmp_path, tmp_path / "none" / "x.db"):
        with pytest.raises(OverlayError):
            SqliteOverlays(wrong)
