"""The calls of one turn: what runs together, what waits, and what is left when it is cancelled."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import anyio
import pytest
from dispatch_samples import Bench, cancel_when, data_of, failed, made, send
from hypothesis import given, settings
from hypothesis import strategies as st

from zkit.calls import Call
from zkit.dispatch import Dispatcher, Guard, Hooks, Limits, Recorder, budget
from zkit.grade import EXECUTE, READ, WRITE
from zkit.results import Crashed, Refused, Result, Success, Transient, Validation
from zkit.tools import Context, FunctionTool, current_scope, scope, tool

BACKENDS = pytest.mark.parametrize("backend", ["asyncio", "trio"])


class Watched:
    """Tools that note when they begin and end."""

    def __init__(self) -> None:
        self.log: list[str] = []
        self.running = 0
        self.most = 0

    def make(self, name: str, grade: Any, **declared: Any) -> FunctionTool[..., Any]:
        async def function(n: int = 0) -> str:
            self.running += 1
            self.most = max(self.most, self.running)
            self.log.append(f"+{name}{n}")
            await anyio.sleep(0.01)
            self.log.append(f"-{name}{n}")
            self.running -= 1
            return f"{name}{n}"

        return tool(name=name, description="x", grade=grade, **declared)(function)


def calls(*names: str) -> list[Call]:
    return [Call(name, {"n": n}, id=f"c{n}") for n, name in enumerate(names)]


def overlap(log: list[str], one: str, other: str) -> bool:
    """Whether two calls ran at the same time."""
    return log.index(f"+{one}") < log.index(f"-{other}") and log.index(f"+{other}") < log.index(
        f"-{one}"
    )


@BACKENDS
def test_reads_run_together_and_writes_in_order(backend: str) -> None:
    watched = Watched()
    dispatcher = Dispatcher([watched.make("look", READ), watched.make("change", WRITE)])
    turn = calls("look", "look", "change", "change", "look", "look")
    results = anyio.run(dispatcher.call_all, turn, backend=backend)
    assert [data_of(one) for one in results] == [
        "look0",
        "look1",
        "change2",
        "change3",
        "look4",
        "look5",
    ]
    assert overlap(watched.log, "look0", "look1")
    assert overlap(watched.log, "look4", "look5")
    assert watched.log[4:8] == ["+change2", "-change2", "+change3", "-change3"]
    assert {"-look0", "-look1"} <= set(watched.log[:4])


NAMES = st.lists(st.sampled_from(["look", "pure", "change", "execute", "none"]), max_size=9)


@settings(max_examples=40)
@given(NAMES)
def test_no_call_ever_runs_beside_one_that_may_change_something(names: list[str]) -> None:
    watched = Watched()
    tools = [
        watched.make("look", READ),
        watched.make("pure", (0, 0)),
        watched.make("change", WRITE),
        watched.make("execute", EXECUTE),
    ]
    sent = calls(*names)
    results = Dispatcher(tools).call_all_sync(sent)
    assert [one.kind for one in results] == [
        "validation" if call.name == "none" else "success" for call in sent
    ]
    order = [entry for entry in watched.log if entry.startswith("+")]
    for n, name in enumerate(names):
        if name in ("change", "execute"):
            at = watched.log.index(f"+{name}{n}")
            assert watched.log[at + 1] == f"-{name}{n}"
            before = {f"+{other}{i}" for i, other in enumerate(names[:n]) if other != "none"}
            assert before == set(order[: order.index(f"+{name}{n}")])


def test_the_policy_can_make_a_read_wait_and_a_write_not() -> None:
    watched = Watched()
    tools = [watched.make("look", READ, parallel=False), watched.make("change", WRITE)]
    Dispatcher(tools).call_all_sync(calls("look", "look"))
    assert watched.most == 1
    Dispatcher(tools, policy={"change": {"parallel": True}}).call_all_sync(
        calls("change", "change", "change")
    )
    assert watched.most == 3


def test_at_most_so_many_run_at_once() -> None:
    watched = Watched()
    dispatcher = Dispatcher([watched.make("look", READ)], max_parallel=3)
    assert len(dispatcher.call_all_sync(calls(*["look"] * 10))) == 10
    assert watched.most == 3


@BACKENDS
def test_one_failure_cancels_no_other_call(backend: str) -> None:
    watched = Watched()

    async def breaks() -> str:
        raise SystemExit("boom")

    async def cancels() -> str:
        raise asyncio.CancelledError if backend == "asyncio" else RuntimeError

    tools = [
        watched.make("look", READ),
        made("breaks", breaks, grade=READ),
        made("cancels", cancels, grade=READ),
    ]
    sent = [Call("look", {"n": 0}), Call("breaks"), Call("nothing"), Call("cancels"), Call("look")]
    results = anyio.run(Dispatcher(tools).call_all, sent, backend=backend)
    kinds = [one.kind for one in results]
    assert kinds == ["success", "crashed", "validation", "crashed", "success"]


def test_a_tool_that_one_call_registers_is_there_for_the_next() -> None:
    from zkit.sources import Toolbox

    box = Toolbox()

    @box.tool
    def learn() -> str:
        """Learn a tool."""
        box.register(made("learned", lambda: "yes", grade=READ))
        return "ok"

    results = Dispatcher(box).call_all_sync([Call("learn"), Call("learned"), Call("learned")])
    assert [data_of(one) for one in results] == ["ok", "yes", "yes"]


def test_an_empty_turn_has_no_results() -> None:
    assert Dispatcher(Bench().tools()).call_all_sync([]) == []


def test_an_outcome_has_the_call_as_it_was_read() -> None:
    dispatcher = Dispatcher(Bench().tools())
    sent = Call("functions.Add", '{"a": "1", b: 2}', id="c1")
    outcome = anyio.run(dispatcher.outcome, sent)
    assert (outcome.call.name, outcome.call.arguments) == ("add", {"a": 1, "b": 2})
    assert outcome.call.id == "c1"
    assert type(outcome.call) is Call
    assert outcome.attempts == 1
    unread = anyio.run(dispatcher.outcome, Call("add", "no json"))
    assert unread.call.arguments == "no json"
    failed(unread.result, Validation)


# Cancellation


@BACKENDS
def test_every_call_of_a_cancelled_turn_has_a_result(backend: str) -> None:
    async def main() -> None:
        watched = Watched()
        begun: list[bool] = []

        async def hangs() -> str:
            begun.append(True)
            await anyio.sleep(60)
            return "never"

        dispatcher = Dispatcher([watched.make("look", READ), made("hangs", hangs, grade=READ)])
        sent = [Call("look", {"n": 0}), Call("hangs"), Call("look", {"n": 2})]
        turn = dispatcher.turn([*sent, Call("look"), Call("nobody")])
        ended = {"success": 3, "validation": 1}

        def ready() -> bool:
            kinds = [one.kind for one in turn.results]
            return bool(begun) and all(kinds.count(kind) == n for kind, n in ended.items())

        await cancel_when(ready, turn.run)
        kinds = [one.kind for one in turn.results]
        assert kinds == ["success", "transient", "success", "success", "validation"]
        stopped = failed(turn.results[1], Transient)
        assert stopped.meta["cancelled"]
        assert stopped.meta["began"]
        assert "while it ran" in str(stopped)

    anyio.run(main, backend=backend)


def test_calls_that_had_not_begun_say_so() -> None:
    async def main() -> None:
        begun: list[bool] = []

        async def hangs() -> str:
            begun.append(True)
            await anyio.sleep(60)
            return "never"

        bench = Bench()
        dispatcher = Dispatcher([*bench.tools(), made("hangs", hangs, grade=WRITE)])
        turn = dispatcher.turn([Call("hangs"), Call("write_file", {"path": "a", "content": "b"})])
        await cancel_when(lambda: bool(begun), turn.run)
        began = [failed(one, Transient).meta["began"] for one in turn.results]
        assert began == [True, False]
        assert bench.ran == []

    anyio.run(main)


class Probe:
    """A dispatcher with everything switched on, and what must balance when a call is over."""

    def __init__(self, root: Any) -> None:
        self.hooks = Hooks()
        self.begun = 0
        self.closed = 0
        self.hooks.add("before", self._begin)
        for point in ("after", "error", "denied", "over_budget", "disabled"):
            self.hooks.add(point, self._close)
        self.root = root

    async def _begin(self, event: Any) -> None:
        self.begun += 1
        await anyio.sleep(0)

    async def _close(self, event: Any) -> None:
        self.closed += 1
        await anyio.sleep(0)

    def dispatcher(self) -> Dispatcher:
        async def pause(*args: Any) -> None:
            await anyio.sleep(0)

        async def agree(call: Call) -> bool:
            await anyio.sleep(0)
            return True

        async def look(n: int) -> str:
            await anyio.sleep(0)
            await anyio.sleep(0)
            return str(n)

        async def change(n: int) -> str:
            await anyio.sleep(0)
            raise Transient("later", retry_after=0.0)

        return Dispatcher(
            [
                tool(grade=READ, name="look", description="x")(look),
                tool(
                    grade=WRITE, idempotent=True, destructive=True, name="change", description="x"
                )(change),
            ],
            hooks=self.hooks,
            approve=agree,
            budget=Limits(calls=100, tokens=100_000),
            guards=[Guard("slow", pause, pause)],
            recorder=Recorder(self.root),
            attempts=3,
        )


def test_cancelling_at_every_await_leaves_nothing_behind(tmp_path: Any) -> None:
    """Cancel a turn after 0, 1, 2, … rounds of the event loop, until it is over before that."""

    async def cancelled_after(rounds: int) -> bool:
        probe = Probe(tmp_path)
        dispatcher = probe.dispatcher()
        sent = [Call("look", {"n": 1}), Call("look", {"n": 1}), Call("change", {"n": 2})]
        turn = dispatcher.turn([*sent, Call("look", {"n": 3})])
        with scope("t"), budget(calls=50, tokens=50_000) as spent:
            task = asyncio.create_task(turn.run())
            for _ in range(rounds):
                await asyncio.sleep(0)
            task.cancel()
            await asyncio.wait([task])
            results = turn.results
            assert all(isinstance(one, Result) for one in results)
            for one in results:
                if isinstance(one, Transient) and one.meta.get("cancelled"):
                    assert not one.meta.get("abandoned")
            counted = sum(one["calls"] for one in dispatcher.metrics.summary().values())
            assert probe.closed == counted
            assert probe.begun == probe.closed
            assert spent.calls == spent.calls_of("look") + spent.calls_of("change") <= 4
            memory = dispatcher.settings.memory
            assert memory is not None
            assert not memory._rooms
            assert not memory._flights
            assert len(asyncio.all_tasks()) == 1
        return task.cancelled()

    async def main() -> int:
        rounds = 0
        while await cancelled_after(rounds):
            rounds += 1
        return rounds

    assert asyncio.run(main()) > 25


def test_a_cancelled_call_that_did_not_run_costs_nothing() -> None:
    async def main() -> None:
        asked: list[Call] = []

        async def waits(call: Call) -> bool:
            asked.append(call)
            await anyio.sleep(60)
            return True

        dispatcher = Dispatcher(Bench().tools(), approve=waits)
        with budget(calls=1) as spent:
            one = Call("delete_file", {"path": "a"})
            await cancel_when(lambda: bool(asked), lambda: dispatcher.call(one))
            assert spent.calls == 0

    anyio.run(main)


# Plain code, running loops, threads


def test_plain_calls_work_inside_a_running_loop_and_from_many_threads() -> None:
    bench = Bench()
    dispatcher = Dispatcher(bench.tools())

    async def main() -> Any:
        return send(dispatcher, "add", {"a": 1, "b": 2})

    assert data_of(anyio.run(main)) == 3
    assert data_of(anyio.run(main, backend="trio")) == 3
    found: list[Any] = []

    def work(n: int) -> None:
        for k in range(20):
            found.append(data_of(send(dispatcher, "add", {"a": n, "b": k})) == n + k)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [True] * 160
    assert dispatcher.metrics.of("add").calls == 162


def test_a_tool_may_call_other_tools_by_the_plain_face() -> None:
    """From a thread, and from the event loop itself, which it blocks."""
    bench = Bench()
    inner = Dispatcher(bench.tools())

    def from_thread() -> int:
        """Call from a thread."""
        return int(data_of(send(inner, "add", {"a": 1, "b": 1})))

    async def from_loop() -> int:
        """Call from the loop."""
        return int(data_of(send(inner, "add", {"a": 2, "b": 2})))

    async def deeper() -> int:
        """Call what calls from the loop."""
        return int(data_of(send(outer, "from_loop")))

    outer = Dispatcher([from_thread, from_loop, deeper])
    assert data_of(send(outer, "from_thread")) == 2
    assert data_of(send(outer, "from_loop")) == 4
    assert data_of(send(outer, "deeper")) == 4
    assert [data_of(one) for one in outer.call_all_sync([Call("deeper"), Call("deeper")])] == [4, 4]


def test_an_async_tool_may_keep_something_of_its_event_loop_from_call_to_call() -> None:
    loops: list[Any] = []

    async def which() -> str:
        """Which loop is it?"""
        loops.append(asyncio.get_running_loop())
        return "x"

    dispatcher = Dispatcher([made("which", which, grade=READ)])
    send(dispatcher, "which")
    send(dispatcher, "which")
    assert loops[0] is loops[1]


def test_the_scope_and_the_budget_of_plain_code_reach_the_tool() -> None:
    def where(context: Context) -> str:
        return f"{context.task} {context.scope.role} {current_scope().task}"

    dispatcher = Dispatcher([tool(grade=READ, description="x")(where)])
    with scope("t1", role="reader"), budget(calls=1) as spent:
        assert data_of(send(dispatcher, "where")) == "t1 reader t1"
        failed(send(dispatcher, "where", id="2"), Refused, "budget") if spent.calls else None
        assert spent.calls == 1


def test_interrupting_plain_code_cancels_its_call() -> None:
    """Ctrl-C while a call runs: the tool is told, and the program can end."""
    code = """
import os, signal, threading, time
from zkit.calls import Call
from zkit.dispatch import Dispatcher
from zkit.tools import Context

ended = threading.Event()

def long(context: Context) -> str:
    "Takes long."
    threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
    while not context.cancelled:
        time.sleep(0.01)
    ended.set()
    return "x"

try:
    Dispatcher([long]).call_sync(Call("long"))
except KeyboardInterrupt:
    print("interrupted", ended.wait(5))
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.strip() == "interrupted True"


def test_a_program_ends_though_a_tool_still_runs() -> None:
    code = """
import time
from zkit.calls import Call
from zkit.dispatch import Dispatcher

def stuck() -> str:
    "Hangs."
    time.sleep(3600)
    return "x"

result = Dispatcher([stuck], timeout=0.1).call_sync(Call("stuck"))
print(result.code, result.meta["abandoned"])
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.strip() == "timeout True"


@pytest.mark.skipif(not hasattr(__import__("os"), "fork"), reason="needs fork")
def test_plain_calls_work_in_a_forked_process() -> None:
    code = """
import os, sys
from zkit.calls import Call
from zkit.dispatch import Dispatcher

def one() -> int:
    "One."
    return 1

dispatcher = Dispatcher([one])
assert dispatcher.call_sync(Call("one")).data == 1
child = os.fork()
if child == 0:
    os._exit(0 if dispatcher.call_sync(Call("one")).data == 1 else 1)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, timeout=60
    )
    assert done.stdout.strip() == "0", done.stderr


def test_a_slow_plain_tool_does_not_hold_up_the_event_loop() -> None:
    async def main() -> int:
        def slow() -> str:
            """Sleep."""
            time.sleep(0.2)
            return "x"

        dispatcher = Dispatcher([made("slow", slow, grade=READ)])
        ticks = 0
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(dispatcher.call, Call("slow"))
            with anyio.move_on_after(0.15):
                while True:
                    await anyio.sleep(0.01)
                    ticks += 1
        return ticks

    assert anyio.run(main) > 3


def check(condition: Callable[[], bool]) -> bool:
    """Wait a while for something to become true."""
    for _ in range(500):
        if condition():
            return True
        time.sleep(0.01)
    return False


def test_many_calls_from_many_loops_and_threads_share_a_memory() -> None:
    ran: list[int] = []

    def look(n: int) -> int:
        """Look."""
        ran.append(n)
        time.sleep(0.05)
        return n

    dispatcher = Dispatcher([tool(grade=READ)(look)])
    results: list[Any] = []
    with scope("shared") as shared:
        import contextvars

        def work() -> None:
            results.append(anyio.run(dispatcher.call, Call("look", {"n": 1})))

        threads = [
            threading.Thread(target=contextvars.copy_context().run, args=(work,)) for _ in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert shared.task == "shared"
    assert [data_of(one) for one in results] == [1] * 4
    assert ran == [1]
    assert check(lambda: dispatcher.metrics.of("look").cached == 3)


def test_what_is_crashed_is_still_a_result() -> None:
    class Broken:
        def definition(self) -> Any:
            raise RuntimeError("no definition")

        def execute(self, call: Call, /) -> Any:
            return Success(1)

    class Source:
        version = 0

        def tools(self) -> list[Any]:
            return []

        def get(self, name: str) -> Any:
            return Broken()

        async def call(self, call: Call, /) -> Result:
            return Success(1)

    failed(send(Dispatcher(Source()), "x"), Crashed)
    for one in Dispatcher(Source()).call_all_sync([Call("x"), Call("x")]):
        failed(one, Crashed)
