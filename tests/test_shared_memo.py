"""One memory for many processes: equal to the local one, and never wrong when its store is down."""

from __future__ import annotations

import json
import logging
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from zkit import Call, MemoSource, Success, Toolbox, tool
from zkit.errors import MissingExtraError
from zkit.sources import MemoStore, RedisMemo, SqliteMemo

NEEDS_REDIS = pytest.mark.skipif(
    shutil.which("redis-server") is None, reason="redis-server is not installed"
)


class Server:
    """A redis-server of our own, which can be killed and started again."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    def start(self) -> None:
        options = ["--port", str(self.port), "--bind", "127.0.0.1", "--dir", str(self.folder)]
        self.process = subprocess.Popen(
            ["redis-server", *options, "--appendonly", "yes"], stdout=subprocess.DEVNULL
        )
        for _ in range(500):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.02)
        raise RuntimeError("redis-server did not start")

    def kill(self) -> None:
        if self.process is not None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()
            self.process = None


@pytest.fixture
def redis(tmp_path: Path) -> Iterator[Server]:
    server = Server(tmp_path)
    server.start()
    yield server
    server.kill()


@pytest.fixture(params=["sqlite", pytest.param("redis", marks=NEEDS_REDIS)])
def new_store(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[..., MemoStore]:
    """Make stores that share their entries, as two processes would."""
    if request.param == "sqlite":
        return lambda **given: SqliteMemo(tmp_path / "memo.db", **given)
    server: Server = request.getfixturevalue("redis")
    return lambda **given: RedisMemo(server.url, **given)


class World:
    """Something that tools read and write, and how often they did."""

    def __init__(self) -> None:
        self.value, self.reads = 0, 0

    def box(self) -> Toolbox:
        @tool(grade="read")
        def read(key: str = "a") -> dict[str, Any]:
            """Read the value."""
            self.reads += 1
            return {"key": key, "value": self.value}

        @tool(grade="write")
        def write(value: int) -> str:
            """Write the value."""
            self.value = value
            return "written"

        return Toolbox([read, write])


def ask(source: MemoSource, name: str, **arguments: Any) -> Success:
    result = anyio.run(source.call, Call(name, arguments))
    assert isinstance(result, Success), result
    return result


def test_what_one_process_read_another_is_told(new_store: Callable[..., MemoStore]) -> None:
    world = World()
    one, two = (MemoSource(world.box(), store=new_store()) for _ in range(2))
    first, second = ask(one, "read"), ask(two, "read")
    assert (first.data, second.data) == ({"key": "a", "value": 0},) * 2
    assert "cached" not in first.meta
    assert second.meta["cached"] is True
    assert world.reads == 1


def test_a_write_anywhere_clears_everywhere(new_store: Callable[..., MemoStore]) -> None:
    world = World()
    one, two = (MemoSource(world.box(), store=new_store()) for _ in range(2))
    ask(one, "read")
    ask(two, "write", value=7)
    assert ask(one, "read").data["value"] == 7
    assert ask(two, "read").data["value"] == 7
    assert world.reads == 2


STEPS = st.lists(
    st.tuples(st.integers(0, 1), st.sampled_from(["read a", "read b", "write"])), max_size=14
)


@given(STEPS)
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_shared_memory_answers_as_the_local_one(
    new_store: Callable[..., MemoStore], steps: list[tuple[int, str]]
) -> None:
    """Two processes in turn, against one source that remembers nothing."""
    world, plain = World(), World()
    store = new_store()
    sources = [MemoSource(world.box(), store=store) for _ in range(2)]
    anyio.run(sources[0].call, Call("write", {"value": 0}))
    bare = plain.box()
    for number, (who, what) in enumerate(steps):
        name, _, key = what.partition(" ")
        arguments: dict[str, Any] = {"key": key} if name == "read" else {"value": number}
        expected = anyio.run(bare.call, Call(name, arguments))
        assert isinstance(expected, Success)
        assert ask(sources[who], name, **arguments).data == expected.data
    assert world.reads <= plain.reads


def test_equal_calls_in_two_processes_run_once(new_store: Callable[..., MemoStore]) -> None:
    started, runs = threading.Event(), []

    def box() -> Toolbox:
        @tool(grade="read")
        def slow() -> str:
            """Take a while."""
            runs.append(1)
            started.set()
            time.sleep(0.3)
            return "done"

        return Toolbox([slow])

    sources = [MemoSource(box(), store=new_store()) for _ in range(3)]
    results: list[Success] = []
    threads = [threading.Thread(target=lambda s=s: results.append(ask(s, "slow"))) for s in sources]
    threads[0].start()
    started.wait(10)
    for thread in threads[1:]:
        thread.start()
    for thread in threads:
        thread.join()
    assert [one.data for one in results] == ["done"] * 3
    assert len(runs) == 1


def test_nothing_is_kept_that_was_read_while_something_changed(
    new_store: Callable[..., MemoStore],
) -> None:
    store = new_store()
    before = store.look("", "key")
    store.begin_change("", "token")
    assert store.look("", "key").quiet is False
    store.put("", "key", store.look("", "key").version, '"mid"')
    store.end_change("", "token")
    store.put("", "key", before.version, '"old"')
    after = store.look("", "key")
    assert (after.quiet, after.entry) == (True, None)
    assert after.version != before.version


def test_a_process_that_died_holds_nothing_for_long(new_store: Callable[..., MemoStore]) -> None:
    store = new_store(lease=0.2)
    assert store.lead("key", "dead")
    store.begin_change("", "dead")
    assert not store.lead("key", "alive")
    time.sleep(0.3)
    assert store.lead("key", "alive")
    assert store.look("", "key").quiet


def test_an_entry_ends_with_its_time(new_store: Callable[..., MemoStore]) -> None:
    store = new_store(ttl=0.2)
    version = store.look("", "key").version
    store.put("", "key", version, '"x"')
    assert store.look("", "key").entry == '"x"'
    time.sleep(0.3)
    assert store.look("", "key").entry is None


def test_what_is_too_large_is_not_shared(new_store: Callable[..., MemoStore]) -> None:
    def box() -> Toolbox:
        @tool(grade="read")
        def huge() -> str:
            """Return a lot."""
            return "x" * 2_000_000

        return Toolbox([huge])

    one, two = (MemoSource(box(), store=new_store()) for _ in range(2))
    first, second = ask(one, "huge"), ask(two, "huge")
    assert first.data == second.data
    assert "cached" not in second.meta


def test_junk_in_the_store_is_not_an_answer(new_store: Callable[..., MemoStore]) -> None:
    world, store = World(), new_store()
    source = MemoSource(world.box(), store=store)
    look = store.look
    for junk in (
        "",
        "not json",
        "[" * 10_000,
        '{"kind": "refused"}',
        '{"kind": "success", "odd": 1}',
    ):
        store.look = lambda w, k, junk=junk: look(w, k)._replace(entry=junk)  # type: ignore
        assert ask(source, "read").data["value"] == 0


# ── a server that comes and goes ─────────────────────────────────────────────


@NEEDS_REDIS
def test_a_dead_server_costs_a_warning_and_a_real_call(
    redis: Server, caplog: pytest.LogCaptureFixture
) -> None:
    world = World()
    source = MemoSource(world.box(), store=RedisMemo(redis.url, timeout=0.3))
    ask(source, "read")
    redis.kill()
    with caplog.at_level(logging.WARNING, "zkit"):
        ask(source, "write", value=3)
        assert ask(source, "read").data["value"] == 3
        assert ask(source, "read").data["value"] == 3
    assert len([one for one in caplog.records if "cannot be reached" in one.message]) == 1


@NEEDS_REDIS
def test_what_changed_while_the_server_was_away_is_not_served_afterwards(redis: Server) -> None:
    """The server keeps its data on disk; the write it missed must not be forgotten."""
    world = World()
    one, two = (MemoSource(world.box(), store=RedisMemo(redis.url, timeout=0.3)) for _ in range(2))
    ask(one, "read")
    redis.kill()
    ask(two, "write", value=9)
    redis.start()
    assert ask(one, "read").data["value"] == 9
    assert ask(two, "read").data["value"] == 9


PROCESS = """
import sys, time, anyio, json, pathlib
from zkit import Call, MemoSource, Toolbox, tool
from zkit.sources import RedisMemo, SqliteMemo

place, url, most, seed = sys.argv[1:5]
file = pathlib.Path(place)

@tool(grade="read")
def read() -> int:
    "Read the number."
    return int(file.read_text())

@tool(grade="write")
def write(number: int) -> str:
    "Write the number."
    temporary = file.with_suffix(f".{seed}")
    temporary.write_text(str(number))
    temporary.rename(file)
    return "done"

store = RedisMemo(url) if url.startswith("redis") else SqliteMemo(url)
source = MemoSource(Toolbox([read, write]), store=store)
wrong = 0

async def main():
    global wrong
    for count in range(int(most)):
        before = int(file.read_text())
        if seed == "0" and count % 3 == 0:
            await source.call(Call("write", {"number": before + 1}))
        got = (await source.call(Call("read", {}))).data
        wrong += got < before
    print(json.dumps({"wrong": wrong}))

anyio.run(main)
"""


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["sqlite", pytest.param("redis", marks=NEEDS_REDIS)])
def test_no_process_reads_what_was_overwritten_before_it_asked(
    kind: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """One process counts up, another reads; a value older than the file is a stale answer."""
    url = str(tmp_path / "memo.db") if kind == "sqlite" else request.getfixturevalue("redis").url
    (tmp_path / "number").write_text("0")
    command = [sys.executable, "-c", PROCESS, str(tmp_path / "number"), url, "80"]
    running = [
        subprocess.Popen([*command, seed], stdout=subprocess.PIPE, env=dict(os.environ))
        for seed in ("0", "1")
    ]
    found = [json.loads(process.communicate(timeout=60)[0]) for process in running]
    assert [one["wrong"] for one in found] == [0, 0]
    assert int((tmp_path / "number").read_text()) > 20


def test_the_name_can_be_imported_without_redis(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "redis", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'zkit-llm\[redis\]'"):
        RedisMemo()


def test_a_memory_and_a_store_are_not_given_together(tmp_path: Path) -> None:
    from zkit.sources import Memory

    with pytest.raises(ValueError, match="its own store"):
        MemoSource(World().box(), memory=Memory(), store=SqliteMemo(tmp_path / "memo.db"))
