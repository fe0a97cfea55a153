"""What a hit, a miss and a write of the shared memory cost a Redis server: commands, bytes, CPU time.

    python -m benchmarks.shared_memo          the table; needs redis-server and the extra `redis`
    python -m benchmarks.shared_memo --save   kept in benchmarks/results

The server counts itself (`INFO commandstats`, `stats`, `cpu`), so nothing is estimated.
"""

from __future__ import annotations

import argparse
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import anyio

from benchmarks.batch_page import Shared, Traffic, traffic, write_scale
from benchmarks.recovery_page import compact_json
from zkit import Call, MemoSource, Success, Toolbox, tool
from zkit.sources import RedisCounts, RedisMemo
from zkit.sources.shared_counts import Count

RESULTS = Path(__file__).parent / "results"
CALLS = 2_000
VALUE = 1_000
"""Characters of a result."""


class Counted(NamedTuple):
    """What a server has done since its start."""

    commands: int
    round_trips: int
    received: int
    sent: int
    microseconds: float


@contextmanager
def server() -> Iterator[str]:
    """Run a redis-server without a disk; yield its address."""
    if shutil.which("redis-server") is None:
        raise SystemExit("redis-server is not installed")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with tempfile.TemporaryDirectory() as folder:
        options = ["--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", folder]
        running = subprocess.Popen(["redis-server", *options], stdout=subprocess.DEVNULL)
        try:
            for _ in range(500):
                with socket.socket() as probe:
                    if probe.connect_ex(("127.0.0.1", port)) == 0:
                        break
                time.sleep(0.02)
            yield f"redis://127.0.0.1:{port}/0"
        finally:
            running.terminate()
            running.wait()


def counted(url: str) -> Counted:
    """Ask the server what it has done."""
    from redis import Redis

    with Redis.from_url(url, decode_responses=True) as client:
        about = client.info("everything")
    by_name = {name.removeprefix("cmdstat_"): row for name, row in about.items() if name.startswith("cmdstat_")}  # fmt: skip
    return Counted(
        sum(row["calls"] for row in by_name.values()),
        about["total_reads_processed"],
        about["total_net_input_bytes"],
        about["total_net_output_bytes"],
        1e6 * (about["used_cpu_user"] + about["used_cpu_sys"]),
    )


def measured(url: str, step: str, run: Callable[[], None], calls: int = CALLS) -> Traffic:
    """Return what each of so many calls cost; what the question itself costs is taken off."""
    before, question = counted(url), counted(url)
    run()
    after = counted(url)
    per_call = [
        (c - b - (b - a)) / calls for a, b, c in zip(before, question, after, strict=True)
    ]  # fmt: skip
    commands, round_trips, received, sent, microseconds = (max(0.0, value) for value in per_call)
    return Traffic(
        step=step,
        commands=round(commands, 1),
        round_trips=round(round_trips, 1),
        received=round(received),
        sent=round(sent),
        microseconds=round(microseconds),
    )


def box() -> Toolbox:
    """Return a toolbox with one tool that reads and one that writes."""

    @tool(grade="read")
    async def read(key: int) -> str:
        """Read a value."""
        return f"{key}".rjust(VALUE, "x")

    @tool(grade="write")
    async def write(key: int) -> str:
        """Write a value."""
        return "written"

    return Toolbox([read, write])


def call_all(url: str, name: str, keys: range) -> None:
    """Make the calls one after the other from a new source, as another process would."""
    source = MemoSource(box(), store=RedisMemo(url))

    async def every() -> None:
        for key in keys:
            result = await source.call(Call(name, {"key": key}))
            assert isinstance(result, Success), result

    anyio.run(every)


def measure_all(url: str) -> Shared:
    """Measure the steps of the memory, the memory of an entry, and the shared counters."""
    from redis import Redis

    call_all(url, "read", range(-1, 0))  # connects, and loads what is loaded once
    keys = range(CALLS)
    with Redis.from_url(url, decode_responses=True) as client:
        empty = client.info("memory")["used_memory"]
        miss = measured(url, "miss", lambda: call_all(url, "read", keys))
        entry = (client.info("memory")["used_memory"] - empty) / CALLS
    hit = measured(url, "hit", lambda: call_all(url, "read", keys))
    write = measured(url, "write", lambda: call_all(url, "write", keys))
    counts = RedisCounts(url)
    limits = (Count("task", 1, 10**9, "calls"), Count("rate", 1, 10**9, "per_minute", 60.0))

    def take() -> None:
        for _ in keys:
            assert counts.take(limits) is None

    taken = measured(url, "budget and rate of a call", take)
    return Shared(
        steps=[hit, miss, write],
        value_bytes=VALUE,
        entry_bytes=round(entry),
        counters=[taken],
    )


def main() -> None:
    """Print the table; with `--save` keep it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--save", action="store_true")
    options = parser.parse_args()
    with server() as url:
        shared = measure_all(url)
    print(traffic(shared))
    print(f"An entry of {VALUE:,} characters takes {shared['entry_bytes']:,} bytes.")
    if options.save:
        (RESULTS / "shared_memo.json").write_text(compact_json(shared), "utf-8")
        write_scale()


if __name__ == "__main__":
    main()
