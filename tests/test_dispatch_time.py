"""Retries and time-outs: only what time may fix, only where it does no harm, and nothing hidden."""

from __future__ import annotations

import asyncio
import threading
import time
from typing import Any

import anyio
import pytest
from dispatch_samples import cancel_when, data_of, failed, made, send

from zkit.calls import Call
from zkit.dispatch import Dispatcher
from zkit.effects import FileEffect
from zkit.grade import EXECUTE, PURE, READ, WRITE
from zkit.results import Crashed, Failure, Refused, Success, Transient, Validation
from zkit.tools import Context, render_result, scope, tool

BACKENDS = pytest.mark.parametrize("backend", ["asyncio", "trio"])
SOON = 0.0


class Flaky:
    """A function that fails so many times before it works."""

    def __init__(self, failures: int, failure: Any = None) -> None:
        self.failures = failures
        self.failure = failure or Transient("busy", retry_after=SOON)
        self.times: list[float] = []
        self.keys: list[str] = []

    def __call__(self, context: Context) -> str:
        self.times.append(time.monotonic())
        self.keys.append(context.idempotency_key)
        context.record(FileEffect(path=f"try {len(self.times)}", op="read"))
        if len(self.times) <= self.failures:
            raise self.failure
        return "worked"

    def tool(self, **declared: Any) -> Any:
        def flaky(context: Context) -> str:
            """Fail at first."""
            return self(context)

        return tool(**declared)(flaky)


# Retry


@pytest.mark.parametrize(
    ("declared", "runs"),
    [
        ({"grade": PURE}, 2),
        ({"grade": READ}, 2),
        ({"grade": READ, "idempotent": False}, 1),
        ({"grade": EXECUTE}, 1),
        ({"grade": WRITE}, 1),
        ({}, 1),
        ({"grade": EXECUTE, "idempotent": True}, 2),
        ({"grade": WRITE, "idempotent": True}, 2),
    ],
)
def test_only_what_does_no_harm_twice_is_tried_again(declared: Any, runs: int) -> None:
    flaky = Flaky(1)
    result = send(Dispatcher([flaky.tool(**declared)]), "flaky")
    assert len(flaky.times) == runs
    assert result.kind == ("success" if runs == 2 else "transient")
    if runs == 2:
        assert result.meta["attempts"] == 2  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "failure",
    [Validation("x"), Refused("x"), Crashed("x"), RuntimeError("not found"), ValueError("busy")],
)
def test_only_what_time_may_fix_is_tried_again(failure: Any) -> None:
    flaky = Flaky(5, failure)
    result = send(Dispatcher([flaky.tool(grade=READ)]), "flaky")
    assert isinstance(result, Failure)
    assert len(flaky.times) == 1


def test_a_lost_connection_is_tried_again() -> None:
    flaky = Flaky(1, ConnectionResetError("gone"))
    assert data_of(send(Dispatcher([flaky.tool(grade=READ)], longest_wait=1), "flaky")) == "worked"


def test_it_gives_up_after_so_many_attempts_and_says_how_many() -> None:
    flaky = Flaky(99)
    result = failed(send(Dispatcher([flaky.tool(grade=READ)], attempts=4), "flaky"), Transient)
    assert len(flaky.times) == 4
    assert result.meta["attempts"] == 4
    once = Flaky(99)
    send(Dispatcher([once.tool(grade=READ)], policy={"flaky": {"attempts": 1}}), "flaky")
    assert len(once.times) == 1


def test_it_waits_as_long_as_the_tool_asks_for() -> None:
    flaky = Flaky(1, Transient("busy", retry_after=0.3))
    data_of(send(Dispatcher([flaky.tool(grade=READ)]), "flaky"))
    assert flaky.times[1] - flaky.times[0] >= 0.3


def test_a_wait_that_is_too_long_is_left_to_the_caller() -> None:
    flaky = Flaky(1, Transient("quota", retry_after=3600, code="rate_limited"))
    result = failed(send(Dispatcher([flaky.tool(grade=READ)]), "flaky"), Transient, "rate_limited")
    assert result.retry_after == 3600
    assert len(flaky.times) == 1


def test_nothing_is_tried_again_past_the_deadline() -> None:
    flaky = Flaky(1, Transient("busy", retry_after=5))
    with scope("t", timeout=1):
        failed(send(Dispatcher([flaky.tool(grade=READ)]), "flaky"), Transient)
    assert len(flaky.times) == 1


def test_every_attempt_has_the_same_key_and_leaves_its_effects() -> None:
    flaky = Flaky(2)
    result = send(Dispatcher([flaky.tool(grade=READ)]), "flaky", id="c1")
    assert len(set(flaky.keys)) == 1
    assert isinstance(result, Success)
    assert [e.path for e in result.effects if isinstance(e, FileEffect)] == [
        "try 1",
        "try 2",
        "try 3",
    ]


@BACKENDS
def test_waiting_for_a_retry_can_be_cancelled(backend: str) -> None:
    flaky = Flaky(1, Transient("busy", retry_after=20))
    dispatcher = Dispatcher([flaky.tool(grade=READ)])

    async def main() -> None:
        await cancel_when(lambda: bool(flaky.times), lambda: dispatcher.call(Call("flaky")))

    anyio.run(main, backend=backend)
    assert len(flaky.times) == 1


# Time-outs


async def forever() -> str:
    """Wait for ever."""
    await anyio.sleep(3600)
    return "never"


@BACKENDS
def test_a_tool_that_takes_too_long_is_transient(backend: str) -> None:
    dispatcher = Dispatcher([made("forever", forever, grade=WRITE)], timeout=0.05)
    late = failed(anyio.run(dispatcher.call, Call("forever"), backend=backend), Transient)
    assert late.code == "timeout"
    assert "0.05 seconds" in str(late)
    assert not late.meta.get("abandoned")
    assert "arguments are not the cause" in render_result(late)


def test_a_tools_own_limit_beats_the_default_and_the_operators_beats_both() -> None:
    own = made("forever", forever, grade=WRITE, timeout=0.05)
    failed(send(Dispatcher([own]), "forever"), Transient, "timeout")
    slow = made("forever", forever, grade=WRITE, timeout=60)
    policy: Any = {"forever": {"timeout": 0.05}}
    failed(send(Dispatcher([slow], policy=policy), "forever"), Transient, "timeout")


def test_the_deadline_of_the_task_is_a_limit_too() -> None:
    dispatcher = Dispatcher([made("forever", forever, grade=WRITE)])
    with scope("t", timeout=0.05):
        failed(send(dispatcher, "forever"), Transient, "timeout")
        over = failed(send(dispatcher, "forever"), Transient, "timeout")
    assert "time for the task is over" in str(over)


def test_a_tool_knows_when_its_time_is_over() -> None:
    def ask(context: Context) -> bool:
        return context.remaining is not None and 3 < context.remaining <= 5

    dispatcher = Dispatcher([tool(grade=READ, description="x")(ask)], timeout=5)
    assert data_of(send(dispatcher, "ask")) is True
    free = Dispatcher([tool(grade=READ, description="x")(ask)], timeout=None)
    assert data_of(send(free, "ask")) is False


@BACKENDS
def test_a_thread_that_still_runs_is_reported_as_abandoned_and_told_to_stop(backend: str) -> None:
    told = threading.Event()

    @tool
    def stuck(context: Context) -> str:
        """Do not stop before you are told."""
        while not context.cancelled:
            time.sleep(0.005)
        told.set()
        return "late"

    dispatcher = Dispatcher([stuck], timeout=0.3)
    late = failed(anyio.run(dispatcher.call, Call("stuck"), backend=backend), Transient, "timeout")
    assert late.meta["abandoned"] is True
    assert "still runs" in str(late)
    assert told.wait(10)
    assert dispatcher.metrics.of("stuck").abandoned == 1


@BACKENDS
def test_a_task_that_ignores_its_cancellation_is_left_behind(backend: str) -> None:
    ended: list[bool] = []
    released: list[bool] = []

    async def stubborn() -> str:
        """Do not stop."""
        until = time.monotonic() + 60
        while not released and time.monotonic() < until:
            try:
                await anyio.sleep(0.02)
            except BaseException:
                await asyncio.sleep(0) if backend == "asyncio" else None
        ended.append(True)
        return "late"

    async def main() -> None:
        dispatcher = Dispatcher([made("stubborn", stubborn)], timeout=0.2, grace=0.05)
        late = failed(await dispatcher.call(Call("stubborn")), Transient, "timeout")
        assert late.meta["abandoned"] is True
        assert not ended
        released.append(True)
        while not ended:
            await anyio.sleep(0.02)

    anyio.run(main, backend=backend)


@BACKENDS
def test_cancelling_a_call_whose_tool_ignores_it_does_not_hang(backend: str) -> None:
    begun: list[bool] = []
    ended: list[bool] = []
    released: list[bool] = []

    async def stubborn() -> str:
        begun.append(True)
        until = time.monotonic() + 60
        while not released and time.monotonic() < until:
            try:
                await anyio.sleep(0.02)
            except BaseException:
                await asyncio.sleep(0) if backend == "asyncio" else None
        ended.append(True)
        return "late"

    async def main() -> None:
        dispatcher = Dispatcher([made("stubborn", stubborn)], grace=0.05)
        turn = dispatcher.turn([Call("stubborn")])
        await cancel_when(lambda: bool(begun), turn.run)
        stopped = failed(turn.results[0], Transient)
        assert stopped.meta["cancelled"]
        assert stopped.meta["abandoned"]
        assert not ended
        released.append(True)
        while not ended:
            await anyio.sleep(0.02)

    anyio.run(main, backend=backend)


@BACKENDS
def test_a_tool_has_time_to_clean_up(backend: str) -> None:
    cleaned: list[bool] = []

    async def careful() -> str:
        try:
            await anyio.sleep(3600)
        finally:
            with anyio.CancelScope(shield=True):
                await anyio.sleep(0.05)
            cleaned.append(True)
        return "never"

    dispatcher = Dispatcher([made("careful", careful)], timeout=0.2, grace=10)
    late = failed(anyio.run(dispatcher.call, Call("careful"), backend=backend), Transient)
    assert cleaned == [True]
    assert not late.meta.get("abandoned")


def test_an_abandoned_write_is_not_run_a_second_time() -> None:
    """It may be idempotent, but it still runs: a second one would run beside it."""
    runs: list[float] = []
    stop = threading.Event()

    @tool(grade=WRITE, idempotent=True, timeout=0.3)
    def write() -> str:
        """Write."""
        runs.append(time.monotonic())
        stop.wait(10)
        return "x"

    late = failed(send(Dispatcher([write], attempts=3), "write"), Transient, "timeout")
    stop.set()
    assert late.meta["abandoned"]
    assert len(runs) == 1


def test_what_an_abandoned_write_may_have_changed_is_not_remembered() -> None:
    text = "old"
    go_on = threading.Event()

    @tool(grade=READ)
    def look() -> str:
        """Look."""
        return text

    @tool(grade=WRITE, timeout=0.3)
    def change() -> str:
        """Change, much too late."""
        nonlocal text
        go_on.wait(10)
        text = "new"
        return "x"

    dispatcher = Dispatcher([look, change])
    with scope("t"):
        assert data_of(send(dispatcher, "look")) == "old"
        failed(send(dispatcher, "change"), Transient, "timeout")
        assert data_of(send(dispatcher, "look")) == "old"
        go_on.set()
        for _ in range(500):
            if data_of(send(dispatcher, "look")) == "new":
                break
            time.sleep(0.01)
        assert data_of(send(dispatcher, "look")) == "new"


def test_calls_that_never_wait_can_be_cancelled() -> None:
    async def at_once() -> str:
        return "x"

    async def main() -> int:
        dispatcher, made_calls = Dispatcher([made("at_once", at_once)]), 0
        with anyio.move_on_after(0.05):
            while made_calls < 100_000:
                await dispatcher.call(Call("at_once"))
                made_calls += 1
        return made_calls

    assert anyio.run(main) < 100_000


def test_a_tool_that_first_runs_and_then_waits_is_one_task() -> None:
    """It is started at once: what it began before its first wait must be valid after it."""

    async def scoped() -> bool:
        before = asyncio.current_task()
        async with asyncio.timeout(5):
            with anyio.CancelScope():
                await anyio.sleep(0.001)
        return asyncio.current_task() is before and before in asyncio.all_tasks()

    async def main() -> bool:
        outer = asyncio.current_task()
        result = await Dispatcher([made("scoped", scoped)]).call(Call("scoped"))
        return data_of(result) is True and asyncio.current_task() is outer

    assert anyio.run(main)


def test_a_tool_that_cancels_itself_has_crashed() -> None:
    async def odd() -> str:
        raise asyncio.CancelledError

    async def odder() -> str:
        task = asyncio.current_task()
        assert task is not None
        task.cancel()
        await asyncio.sleep(5)
        return "not cancelled"

    dispatcher = Dispatcher([made("odd", odd), made("odder", odder)])
    for name in ("odd", "odder"):
        crashed = failed(anyio.run(dispatcher.call, Call(name)), Crashed)
        assert "cancelled" in str(crashed)


@pytest.mark.parametrize("alias", ["halt", "stuck"])
def test_a_tool_under_another_name_is_notified_of_its_cancellation_too(alias: str) -> None:
    from zkit.sources import Kit, Toolbox

    told = threading.Event()

    @tool
    def stuck(context: Context, path: str = "") -> str:
        """Do not stop before you are told."""
        for _ in range(1000):
            if context.cancelled:
                told.set()
                break
            time.sleep(0.005)
        return "late"

    kit = Kit(Toolbox([stuck]), {alias: {"tool": "stuck", "defaults": {"path": "x"}}})
    failed(send(Dispatcher(kit, timeout=0.3), alias), Transient, "timeout")
    assert told.wait(10)


@pytest.mark.parametrize("moment", [-5, -0.001, 0, float("nan")])
def test_a_moment_that_is_over_is_not_waited_for(moment: float) -> None:
    """A tool counts the seconds until a limit is lifted, and is told to wait less than none."""
    flaky = Flaky(1, Transient("busy", retry_after=moment)).tool(grade=READ)
    assert data_of(send(Dispatcher([flaky]), "flaky")) == "worked"


def test_the_limit_that_is_told_is_the_one_that_was_set() -> None:
    """And of a task that has less time left, what was left."""
    tools = [made("forever", forever, grade=WRITE)]
    with scope("short", timeout=0.05):
        late = failed(send(Dispatcher(tools), "forever"), Transient)
    assert float(str(late).split()[-2]) <= 0.05
