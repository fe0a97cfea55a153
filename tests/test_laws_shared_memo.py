"""Two processes read and write through one store, step by step: no answer is older than its question."""

from __future__ import annotations

import json
import select
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

PATIENCE = 0.15
"""Seconds until a call that says nothing is taken for one that waits for another process."""

WORKER = """
import json, sys, threading
from pathlib import Path
import anyio
from zkit import Call, MemoSource, Toolbox, tool
from zkit.sources import RedisMemo, SqliteMemo

url, folder = sys.argv[1], Path(sys.argv[2])
gate = threading.Semaphore(0)

def tell(**what):
    print(json.dumps(what), flush=True)

@tool(grade="read")
def read(cell: str) -> int:
    "Read a number."
    value = int((folder / cell).read_text())
    tell(event="inside", value=value)
    gate.acquire()
    return value

@tool(grade="write")
def write(cell: str, value: int) -> str:
    "Write a number."
    tell(event="before the write")
    gate.acquire()
    (folder / cell).write_text(str(value))
    tell(event="after the write")
    gate.acquire()
    return "written"

store = RedisMemo(url) if url.startswith("redis") else SqliteMemo(url)
source = MemoSource(Toolbox([read, write]), store=store)

def run(name, arguments):
    result = anyio.run(source.call, Call(name, arguments))
    tell(event="done", value=getattr(result, "data", None), cached=bool(result.meta.get("cached")))

tell(event="ready")
for line in sys.stdin:
    asked = json.loads(line)
    if asked["do"] == "go":
        gate.release()
    else:
        threading.Thread(target=run, args=(asked["do"], asked["arguments"]), daemon=True).start()
"""


class Worker:
    """A process that makes one call at a time and stops inside its tools until it may go on."""

    def __init__(self, url: str, folder: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", WORKER, url, str(folder)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0,
        )  # fmt: skip
        self.call: str | None = None
        self.floor = 0
        self.is_inside = False
        self._rest = b""

    def send(self, do: str, **arguments: object) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"do": do, "arguments": arguments}).encode() + b"\n")

    def next_event(self, seconds: float) -> dict[str, object] | None:
        """What the process says next; None if it says nothing for so long."""
        assert self.process.stdout is not None
        while b"\n" not in self._rest:
            if not select.select([self.process.stdout], [], [], seconds)[0]:
                return None
            self._rest += self.process.stdout.read(65_536)
        line, _, self._rest = self._rest.partition(b"\n")
        return dict(json.loads(line))

    def end(self) -> None:
        self.process.kill()
        self.process.communicate()


class SharedMemory:
    """Two workers on one cell. Values only grow, so an answer below its floor is stale."""

    def __init__(self, workers: list[Worker], file: Path) -> None:
        self.workers, self.cell = workers, file.name
        self.number = self.written = self.hits = 0
        file.write_text("0")

    def step(self, action: str, which: int) -> None:
        """Do that, or what is possible instead."""
        if action == "go on" and not self.inside():
            action = "change"
        if action == "change" and (not self.idle() or any(one.call == "write" for one in self.workers)):  # fmt: skip
            action = "ask"
        if action == "ask" and not self.idle():
            action = "go on"
        if action == "ask":
            self.ask(self.idle()[which % len(self.idle())])
        elif action == "change":
            self.change(self.idle()[which % len(self.idle())])
        elif self.inside():
            self.go_on(self.inside()[which % len(self.inside())])

    def idle(self) -> list[Worker]:
        return [worker for worker in self.workers if worker.call is None]

    def inside(self) -> list[Worker]:
        return [worker for worker in self.workers if worker.is_inside]

    def ask(self, worker: Worker) -> None:
        worker.call, worker.floor = "read", self.written
        worker.send("read", cell=self.cell)
        self.listen(worker, PATIENCE)

    def change(self, worker: Worker) -> None:
        self.number += 1
        worker.call = "write"
        worker.send("write", cell=self.cell, value=self.number)
        self.listen(worker, 60)

    def go_on(self, worker: Worker) -> None:
        worker.is_inside = False
        worker.send("go")
        self.listen(worker, 60)
        for one in self.workers:  # one that waited may have been woken
            if one.call is not None and not one.is_inside:
                self.listen(one, PATIENCE)

    def listen(self, worker: Worker, seconds: float) -> None:
        event = worker.next_event(seconds)
        if event is None:
            assert seconds == PATIENCE, "a call that was let go on must say something"
            return
        if event["event"] == "done":
            if worker.call == "read":
                value = event["value"]
                assert isinstance(value, int)
                assert worker.floor <= value <= self.number, "an answer older than its question"
                self.hits += bool(event["cached"])
            else:
                self.written = self.number
            worker.call = None
        else:
            worker.is_inside = True

    def finish(self) -> None:
        end = time.monotonic() + 60
        while any(worker.call is not None for worker in self.workers):
            assert time.monotonic() < end, "a call that never ends"
            if self.inside():
                self.go_on(self.inside()[0])
            for worker in self.workers:
                if worker.call is not None and not worker.is_inside:
                    self.listen(worker, PATIENCE)


@pytest.fixture(params=["sqlite", "redis"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    if request.param == "sqlite":
        yield str(tmp_path / "memo.db")
        return
    if shutil.which("redis-server") is None:
        pytest.skip("redis-server is not installed")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with tempfile.TemporaryDirectory() as folder:
        server = subprocess.Popen(
            ["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--dir", folder],
            stdout=subprocess.PIPE,
        )
        assert server.stdout is not None
        while b"Ready to accept" not in server.stdout.readline():
            assert server.poll() is None
        yield f"redis://127.0.0.1:{port}/0"
        server.kill()
        server.communicate()


STEPS = st.lists(
    st.tuples(st.sampled_from(["ask", "change", "go on", "go on"]), st.integers(0, 1)),
    min_size=10,
    max_size=30,
)


@pytest.mark.slow
def test_no_answer_is_older_than_its_question(url: str, tmp_path: Path) -> None:
    workers = [Worker(url, tmp_path) for _ in range(2)]
    hits, cells = [], count()

    @settings(
        max_examples=25, deadline=None, suppress_health_check=list(HealthCheck), database=None
    )
    @given(STEPS)
    def run(steps: list[tuple[str, int]]) -> None:
        memory = SharedMemory(workers, tmp_path / f"cell{next(cells)}")
        try:
            for action, which in steps:
                memory.step(action, which)
        finally:
            memory.finish()
        hits.append(memory.hits)

    try:
        assert all(worker.next_event(60) == {"event": "ready"} for worker in workers)
        run()
    finally:
        for worker in workers:
            worker.end()
    assert sum(hits) > 3, "the memory was hardly used"
