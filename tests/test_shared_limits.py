"""Limits that processes share through Redis; a server that is down costs a warning, never a crash."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_shared_memo import NEEDS_REDIS, Server

from zkit import Call, Dispatcher, Refused, Success, Transient, tool
from zkit.dispatch import Limits
from zkit.sources import RedisCounts
from zkit.sources.shared_counts import Count, CountStore, LocalCounts
from zkit.tools import scope


@pytest.fixture
def redis(tmp_path: Path) -> Iterator[Server]:
    server = Server(tmp_path)
    server.start()
    yield server
    server.kill()


@tool(grade="read")
def look(city: str = "Oslo") -> str:
    """Look."""
    return f"sunny in {city}"


@tool(grade="read")
def fail() -> str:
    """Fail before anything ran."""
    raise Refused("not today", code="denied")


def dispatcher(limits: Limits) -> Dispatcher:
    return Dispatcher([look, fail], budget=limits, memory=False, guards=())


def results(used: Dispatcher, count: int, task: str = "t") -> list[object]:
    with scope(task):
        return [used.call_sync(Call("look", {"city": f"c{i}"})) for i in range(count)]


def test_a_rate_is_shared_by_all_tasks_of_a_process() -> None:
    used = dispatcher(Limits(per_minute={"lo*": 3}, _rates=LocalCounts(lambda: 61.0)))
    found = [*results(used, 2, "a"), *results(used, 2, "b")]
    assert [type(one) for one in found] == [Success, Success, Success, Transient]
    assert isinstance(found[3], Transient)
    assert (found[3].code, found[3].retry_after) == ("rate_limited", 59.0)
    assert "3 times a minute" in found[3].cause


def test_a_rate_begins_again_with_the_next_minute() -> None:
    now = [10.0]
    used = dispatcher(Limits(per_minute={"look": 1}, _rates=LocalCounts(lambda: now[0])))
    assert [type(one) for one in results(used, 2)] == [Success, Transient]
    now[0] = 60.0
    assert type(results(used, 1)[0]) is Success


AMOUNTS = st.lists(
    st.builds(
        lambda counter, amount, seconds: Count(f"k{counter}", amount, 5, "calls", seconds),
        st.integers(0, 2), st.integers(0, 4), st.sampled_from([None, 3600.0]),
    ),
    min_size=1, max_size=3, unique_by=lambda one: one.counter,
).map(tuple)  # fmt: skip


@given(st.lists(AMOUNTS, max_size=8))
def test_a_count_takes_all_or_nothing_and_never_exceeds_a_limit(
    taken: list[tuple[Count, ...]],
) -> None:
    store, spent = LocalCounts(lambda: 5.0), dict[str, int]()
    for counts in taken:
        fits = all(spent.get(one.counter, 0) + one.amount <= one.limit for one in counts)
        assert (store.take(counts) is None) == fits
        for one in counts if fits else ():
            spent[one.counter] = spent.get(one.counter, 0) + one.amount


@NEEDS_REDIS
def test_redis_counts_as_the_memory_does(redis: Server) -> None:
    chance = Random(7)
    stores: list[CountStore] = [RedisCounts(redis.url), LocalCounts()]
    for _ in range(200):
        counts = tuple(
            Count(f"k{at}", chance.randrange(-1, 4), 9, "calls", chance.choice([None, 86_400.0]))
            for at in chance.sample(range(3), chance.randrange(1, 4))
        )
        counts = tuple(one._replace(counter=f"{one.counter}{one.seconds}") for one in counts)
        if chance.random() < 0.3:
            for store in stores:
                store.add(counts)
        found = [store.take(counts) for store in stores]
        places = [None if one is None else one.place for one in found]
        assert places[0] == places[1]


@NEEDS_REDIS
def test_two_dispatchers_share_the_budget_of_a_task_and_no_other(redis: Server) -> None:
    one, two = (
        dispatcher(Limits(calls=3, per_tool={"look": 3}, store=RedisCounts(redis.url)))
        for _ in range(2)
    )
    assert [type(x) for x in results(one, 2)] == [Success, Success]
    found = results(two, 2)
    assert [type(x) for x in found] == [Success, Refused]
    assert isinstance(found[1], Refused)
    assert found[1].code == "budget"
    assert [type(x) for x in results(two, 1, "another")] == [Success]


@NEEDS_REDIS
def test_what_did_not_run_is_given_back_everywhere(redis: Server) -> None:
    store = RedisCounts(redis.url)
    used = Dispatcher(
        [look], budget=Limits(calls=2, tokens=10_000, store=store), memory=False, guards=(),
        enabled=lambda: True,
    )  # fmt: skip
    with scope("t"):
        for _ in range(3):
            assert not isinstance(used.call_sync(Call("look", {"town": 1})), Success)
    assert [type(x) for x in results(used, 3)] == [Success, Success, Refused]


PROCESS = """
import json, sys
from zkit import Call, Dispatcher, Success, tool
from zkit.dispatch import Limits
from zkit.sources import RedisCounts
from zkit.tools import scope

@tool(grade="read")
def look(city: str) -> str:
    "Look."
    return "sunny"

limits = Limits(calls=40, per_minute={"look": 1000}, store=RedisCounts(sys.argv[1]))
used = Dispatcher([look], budget=limits, memory=False, guards=())
with scope("shared task"):
    ran = sum(isinstance(used.call_sync(Call("look", {"city": str(i)})), Success) for i in range(40))
print(json.dumps(ran))
"""


@NEEDS_REDIS
def test_two_processes_share_one_limit(redis: Server) -> None:
    command = [sys.executable, "-c", PROCESS, redis.url]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE) for _ in range(2)]
    ran = [json.loads(process.communicate(timeout=60)[0]) for process in running]
    assert sum(ran) == 40


@NEEDS_REDIS
@pytest.mark.parametrize("when", ["before", "between"])
def test_a_server_that_is_down_is_a_warning_and_a_local_limit(
    redis: Server, when: str, caplog: pytest.LogCaptureFixture
) -> None:
    kill: Callable[[], None] = redis.kill
    limits = Limits(calls=3, per_minute={"look": 2}, store=RedisCounts(redis.url, timeout=0.3))
    used = dispatcher(limits)
    if when == "before":
        kill()
    with caplog.at_level(logging.WARNING, "zkit"):
        found = results(used, 1)
        kill()
        found += results(used, 2)
    assert [type(one) for one in found] == [Success, Success, Transient]
    assert len([one for one in caplog.records if "limits are local" in one.message]) == 1
    redis.start()
    assert type(results(used, 1, "later")[0]) is Transient
