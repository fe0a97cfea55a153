"""What is remembered, for whom, how long, and what clears it; with real threads and processes."""

from __future__ import annotations

import asyncio
import contextvars
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from profiles import many
from tool_samples import Counter, PlainSpecTool, call, data_of, simple

from zkit.calls import Call
from zkit.effects import FileEffect, ProcessEffect
from zkit.grade import EXECUTE, PURE, READ, WRITE
from zkit.results import Result, Success, Transient, Validation
from zkit.sources import Memory, MemoSource, Toolbox, ToolSource
from zkit.std import BuiltinProvider
from zkit.tools import Context, Scope, scope, tool, tools_in

BACKENDS = pytest.mark.parametrize("backend", ["asyncio", "trio"])


def counted() -> tuple[Counter, MemoSource]:
    counter = Counter()
    return counter, MemoSource(Toolbox(tools_in(counter)))


def is_hit(result: Result) -> bool:
    return bool(result.meta.get("cached"))  # type: ignore[attr-defined]


def test_a_memo_source_is_a_source() -> None:
    _, memo = counted()
    assert isinstance(memo, ToolSource)
    assert memo.names() == ["change", "double", "look"]
    assert memo.version == memo.source.version


@pytest.mark.parametrize(("name", "arguments"), [("look", {"path": "a"}), ("double", {"n": 2})])
def test_reading_and_pure_tools_run_once(name: str, arguments: dict[str, Any]) -> None:
    counter, memo = counted()
    first, second, third = (call(memo, name, arguments) for _ in range(3))
    assert counter.reads == 1
    assert not is_hit(first)
    assert is_hit(second)
    assert data_of(first) == data_of(second) == data_of(third)
    assert third.meta["hits"] == 2  # type: ignore[attr-defined]


def test_calls_are_the_same_by_their_validated_arguments_with_defaults() -> None:
    counter, memo = counted()
    for arguments in (
        {},
        {"path": "a"},
        {"lines": 10, "path": "a"},
        '{"lines": "10"}',
        {"LINES": 10},
    ):
        call(memo, "look", arguments)
    assert counter.reads == 1
    call(memo, "look", {"lines": 11})
    assert counter.reads == 2


def test_the_choice_of_output_has_its_default_too() -> None:
    runs: list[int] = []

    @tool(grade=READ, formats=True)
    def ls(path: str) -> Any:
        """List."""
        runs.append(1)
        return [path]

    memo = MemoSource(Toolbox([ls]))
    call(memo, "ls", {"path": "."})
    assert is_hit(call(memo, "ls", {"path": ".", "output": "labeled"}))
    assert not is_hit(call(memo, "ls", {"path": ".", "output": "json"}))


def test_what_is_remembered_cannot_be_changed() -> None:
    _, memo = counted()
    first = data_of(call(memo, "look"))
    first["value"] = 99
    first["parts"][1]["deep"] = 99
    hit = data_of(call(memo, "look"))
    assert hit == {"value": 0, "path": "a", "parts": [1, {"deep": 2}]}
    with pytest.raises(TypeError):
        hit["parts"][1]["deep"] = 99
    with pytest.raises(TypeError):
        hit["parts"].append(3)


def test_a_hit_does_not_repeat_effects() -> None:
    @tool(grade=READ)
    def look(context: Context) -> str:
        """Look."""
        context.record(FileEffect(path="a", op="read"))
        return "x"

    memo = MemoSource(Toolbox([look]))
    assert len(call(memo, "look").effects) == 1  # type: ignore[attr-defined]
    assert call(memo, "look").effects == ()  # type: ignore[attr-defined]


def test_failures_are_never_remembered() -> None:
    runs: list[int] = []

    @tool(grade=READ)
    def flaky() -> str:
        """Fail first."""
        runs.append(1)
        if len(runs) < 3:
            raise Transient("busy") if len(runs) == 1 else Validation("no")
        return "fine"

    memo = MemoSource(Toolbox([flaky]))
    assert [call(memo, "flaky").kind for _ in range(4)] == [
        "transient",
        "validation",
        "success",
        "success",
    ]
    assert len(runs) == 3


def test_invalid_and_unknown_calls_are_answered_as_the_source_does() -> None:
    counter, memo = counted()
    assert isinstance(call(memo, "double", {"n": "x"}), Validation)
    assert call(memo, "nope") == call(memo.source, "nope")
    assert counter.reads == 0


@pytest.mark.parametrize("grade", [EXECUTE, WRITE])
@pytest.mark.parametrize("fails", [False, True])
def test_whatever_executes_or_writes_clears_success_or_not(grade: Any, fails: bool) -> None:
    counter, _ = counted()

    def act() -> None:
        counter.value += 1
        if fails:
            raise RuntimeError("half done")

    box = Toolbox([*tools_in(counter), tool(grade=grade)(act)])
    memo = MemoSource(box)
    call(memo, "look")
    call(memo, "act")
    assert data_of(call(memo, "look"))["value"] == 1
    assert is_hit(call(memo, "look"))


def test_what_was_remembered_is_gone_before_the_change_begins() -> None:
    counter = Counter()
    seen: list[int] = []

    @tool(grade=WRITE)
    def act() -> None:
        """Act."""
        seen.append(len(memo.memory))

    memo = MemoSource(Toolbox([*tools_in(counter), act]))
    call(memo, "look")
    assert len(memo.memory) == 1
    call(memo, "act")
    assert seen == [0]


def test_undeclared_tools_are_taken_for_writers_and_never_remembered() -> None:
    runs: list[int] = []

    def unknown() -> int:
        runs.append(1)
        return len(runs)

    memo = MemoSource(Toolbox([unknown]))
    assert [data_of(call(memo, "unknown")) for _ in range(2)] == [1, 2]


def test_a_tool_may_decline_to_be_remembered() -> None:
    memo = MemoSource(Toolbox([simple("now", READ, cacheable=False)]))
    call(memo, "now")
    assert not is_hit(call(memo, "now"))
    assert len(memo.memory) == 0


def test_a_tool_that_was_replaced_is_asked_anew() -> None:
    box = Toolbox([tool(name="a", grade=READ)(lambda: "old")])
    memo = MemoSource(box)
    assert data_of(call(memo, "a")) == "old"
    box.register(tool(name="a", grade=READ)(lambda: "new"))
    assert data_of(call(memo, "a")) == "new"


def test_data_that_cannot_be_frozen_is_not_remembered() -> None:
    class Odd(PlainSpecTool):
        async def execute(self, call: Call, /) -> Result:
            return Success({"x": {1, 2}})

    memo = MemoSource(Toolbox([Odd("odd")]))
    assert data_of(call(memo, "odd")) == {"x": {1, 2}}
    assert not is_hit(call(memo, "odd"))


# Tasks


async def in_task(memo: ToolSource, task: str, *names: str, workspace: str = "") -> list[Result]:
    with scope(task, workspace=workspace):
        return [await memo.call(Call(name, {})) for name in names]


def test_each_task_remembers_for_itself_and_forgets_at_its_end() -> None:
    counter, memo = counted()

    async def main() -> None:
        with scope("one"):
            await memo.call(Call("look", {}))
            assert is_hit(await memo.call(Call("look", {})))
            with scope("two"):
                assert not is_hit(await memo.call(Call("look", {})))
                assert len(memo.memory) == 2
            assert len(memo.memory) == 1
            with scope(role="other"):
                assert not is_hit(await memo.call(Call("look", {})))
        assert len(memo.memory) == 0
        [again] = await in_task(memo, "one", "look")
        assert not is_hit(again)

    anyio.run(main)
    assert counter.reads == 4


def test_a_change_in_one_task_clears_all_tasks_of_the_workspace_and_no_others() -> None:
    _, memo = counted()

    async def main() -> None:
        with scope("parent", workspace="/w"):
            await memo.call(Call("look", {}))
            with scope("elsewhere", workspace="/other"):
                await memo.call(Call("look", {}))
            assert len(memo.memory) == 1
            with scope("child"):
                await memo.call(Call("change", {}))
            result = await memo.call(Call("look", {}))
            assert not is_hit(result)
            assert data_of(result)["value"] == 1
            await in_task(memo, "elsewhere", "change", workspace="/other")
            assert is_hit(await memo.call(Call("look", {})))

    anyio.run(main)


def test_a_task_can_be_forgotten_by_hand() -> None:
    _, memo = counted()

    async def main() -> None:
        with scope("one"):
            await memo.call(Call("look", {}))
            memo.forget("one")
            assert not is_hit(await memo.call(Call("look", {})))
            memo.memory.clear()
            assert not is_hit(await memo.call(Call("look", {})))

    anyio.run(main)


def test_a_read_that_ends_after_its_task_is_not_kept() -> None:
    async def main() -> None:
        gate = anyio.Event()

        @tool(grade=READ)
        async def slow() -> str:
            """Slow."""
            await gate.wait()
            return "x"

        memo = MemoSource(Toolbox([slow]))
        async with anyio.create_task_group() as group:
            with scope("one"):
                group.start_soon(memo.call, Call("slow", {}))
                await anyio.wait_all_tasks_blocked()
            with scope("two") as ended:
                context = contextvars.copy_context()
            gate.set()
        assert len(memo.memory) == 0
        assert ended.is_over
        await asyncio.create_task(memo.call(Call("slow", {})), context=context)
        assert len(memo.memory) == 0

    anyio.run(main)


# Size


def test_the_memory_is_bounded_and_keeps_what_was_of_use_last() -> None:
    counter = Counter()
    memo = MemoSource(Toolbox(tools_in(counter)), max_entries=3)
    for n in (1, 2, 3, 1, 4):
        call(memo, "double", {"n": n})
    assert len(memo.memory) == 3
    assert is_hit(call(memo, "double", {"n": 1}))
    assert not is_hit(call(memo, "double", {"n": 2}))


def test_the_memory_is_bounded_in_bytes() -> None:
    big = tool(name="big", grade=READ)(lambda: "x" * 1000)
    memo = MemoSource(Toolbox([big, *tools_in(Counter())]), max_bytes=200)
    for n in range(50):
        call(memo, "double", {"n": n})
    assert 0 < len(memo.memory) < 50
    assert memo.memory._size <= 200
    kept = len(memo.memory)
    call(memo, "big")
    assert not is_hit(call(memo, "big"))
    assert len(memo.memory) == kept


# One at a time


@BACKENDS
def test_equal_calls_at_the_same_time_run_once(backend: str) -> None:
    async def main() -> None:
        runs: list[int] = []
        gate = anyio.Event()

        @tool(grade=READ)
        async def slow(n: int) -> int:
            """Slow."""
            runs.append(n)
            await gate.wait()
            return n

        memo = MemoSource(Toolbox([slow]))
        results: list[Result] = []

        async def ask(n: int) -> None:
            results.append(await memo.call(Call("slow", {"n": n})))

        async with anyio.create_task_group() as group:
            for n in (1, 1, 2, 1):
                group.start_soon(ask, n)
            await anyio.wait_all_tasks_blocked()
            gate.set()
        assert sorted(runs) == [1, 2]
        assert sorted(data_of(result) for result in results) == [1, 1, 1, 2]
        assert sum(is_hit(result) for result in results) == 2

    anyio.run(main, backend=backend)


def test_equal_calls_from_many_threads_run_once() -> None:
    runs: list[int] = []
    begun, release = threading.Event(), threading.Event()

    @tool(grade=READ)
    def slow(n: int) -> int:
        """Slow."""
        runs.append(n)
        begun.set()
        assert release.wait(10)
        return n

    memo = MemoSource(Toolbox([slow]))
    results: list[Result] = []

    def work(backend: str) -> None:
        results.append(anyio.run(memo.call, Call("slow", {"n": 7}), backend=backend))

    threads = [
        threading.Thread(target=work, args=(backend,)) for backend in ["asyncio", "trio"] * 4
    ]
    threads[0].start()
    assert begun.wait(10)
    for thread in threads[1:]:
        thread.start()
    flights = list(memo.memory._flights.values())
    while len(flights[0]._wakers) < 7:
        threading.Event().wait(0.001)
    release.set()
    for thread in threads:
        thread.join(10)
    assert runs == [7]
    assert [data_of(result) for result in results] == [7] * 8


@BACKENDS
def test_when_the_first_is_cancelled_another_takes_over(backend: str) -> None:
    async def main() -> None:
        runs: list[int] = []

        @tool(grade=READ)
        async def slow() -> int:
            """Slow."""
            runs.append(1)
            await (anyio.sleep_forever() if len(runs) == 1 else anyio.sleep(0))
            return len(runs)

        memo = MemoSource(Toolbox([slow]))
        results: list[Result] = []
        first = anyio.CancelScope()

        async def ask(cancel: anyio.CancelScope) -> None:
            with cancel:
                results.append(await memo.call(Call("slow", {})))

        async with anyio.create_task_group() as group:
            group.start_soon(ask, first)
            await anyio.wait_all_tasks_blocked()
            for _ in range(3):
                group.start_soon(ask, anyio.CancelScope())
            await anyio.wait_all_tasks_blocked()
            first.cancel()
        assert [data_of(result) for result in results] == [2, 2, 2]
        assert len(runs) == 2

    anyio.run(main, backend=backend)


def test_who_waits_in_vain_can_be_cancelled() -> None:
    async def main() -> None:
        gate = anyio.Event()

        @tool(grade=READ)
        async def slow() -> int:
            """Slow."""
            await gate.wait()
            return 1

        memo = MemoSource(Toolbox([slow]))
        async with anyio.create_task_group() as group:
            group.start_soon(memo.call, Call("slow", {}))
            await anyio.wait_all_tasks_blocked()
            with anyio.move_on_after(0.01) as waiting:
                await memo.call(Call("slow", {}))
            assert waiting.cancelled_caught
            gate.set()
        assert is_hit(await memo.call(Call("slow", {})))

    anyio.run(main)


def test_a_failure_is_shared_with_who_asked_meanwhile_and_then_forgotten() -> None:
    async def main() -> None:
        runs: list[int] = []

        @tool(grade=READ)
        async def slow() -> int:
            """Slow."""
            runs.append(1)
            await anyio.sleep(0.01)
            raise Transient("busy")

        memo = MemoSource(Toolbox([slow]))
        results: list[Result] = []

        async def ask() -> None:
            results.append(await memo.call(Call("slow", {})))

        async with anyio.create_task_group() as group:
            group.start_soon(ask)
            group.start_soon(ask)
        assert results == [Transient("busy")] * 2
        assert len(runs) == 1
        await ask()
        assert len(runs) == 2

    anyio.run(main)


def test_a_tool_that_asks_for_itself_does_not_wait_for_ever() -> None:
    async def main() -> None:
        depth: list[int] = []

        @tool(grade=READ)
        async def inner() -> int:
            """Ask again."""
            depth.append(1)
            if len(depth) < 3:
                await memo.call(Call("inner", {}))
            return len(depth)

        memo = MemoSource(Toolbox([inner]))
        with anyio.fail_after(5):
            assert data_of(await memo.call(Call("inner", {}))) == 3

    anyio.run(main)


# What still runs


def test_a_read_that_overlaps_a_change_is_not_kept() -> None:
    async def main() -> None:
        world = {"value": 0}
        gate = anyio.Event()

        @tool(grade=READ)
        async def look() -> int:
            """Look."""
            value = world["value"]
            await gate.wait()
            return value

        @tool(grade=WRITE)
        async def change() -> None:
            """Change."""
            world["value"] += 1

        memo = MemoSource(Toolbox([look, change]))
        results: list[Result] = []

        async def ask() -> None:
            results.append(await memo.call(Call("look", {})))

        async with anyio.create_task_group() as group:
            group.start_soon(ask)
            await anyio.wait_all_tasks_blocked()
            await memo.call(Call("change", {}))
            group.start_soon(ask)
            await anyio.wait_all_tasks_blocked()
            gate.set()
        assert [data_of(result) for result in results] == [0, 1]
        assert data_of(await memo.call(Call("look", {}))) == 1

    anyio.run(main)


def test_a_writer_that_was_given_up_still_counts_until_it_ends() -> None:
    counter = Counter()
    begun, release, ended = threading.Event(), threading.Event(), threading.Event()

    @tool(grade=WRITE)
    def slow_change() -> None:
        """Change late."""
        begun.set()
        assert release.wait(10)
        counter.value += 1
        ended.set()

    memo = MemoSource(Toolbox([*tools_in(counter), slow_change]))

    async def main() -> None:
        async with anyio.create_task_group() as group:
            group.start_soon(memo.call, Call("slow_change", {}))
            await anyio.to_thread.run_sync(begun.wait)
            group.cancel_scope.cancel()
        for _ in range(2):
            assert not is_hit(await memo.call(Call("look", {})))
        release.set()
        await anyio.to_thread.run_sync(ended.wait)
        while memo.memory._rooms:
            await anyio.sleep(0.001)
        assert data_of(await memo.call(Call("look", {})))["value"] == 1
        assert is_hit(await memo.call(Call("look", {})))

    anyio.run(main)


def test_a_process_in_the_background_keeps_its_workspace_unquiet_until_it_ends() -> None:
    counter = Counter()
    process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)

    @tool(grade=EXECUTE)
    def start(context: Context) -> None:
        """Start a process."""
        context.record(ProcessEffect(command="x", pid=process.pid, background=True))

    memo = MemoSource(Toolbox([*tools_in(counter), start]))
    call(memo, "start")
    for _ in range(2):
        assert not is_hit(call(memo, "look"))
    process.communicate(b"\n")
    call(memo, "look")
    assert is_hit(call(memo, "look"))


def test_a_background_process_without_a_number_counts_until_its_task_ends() -> None:
    @tool(grade=EXECUTE)
    def start(context: Context) -> None:
        """Start a process."""
        context.record(ProcessEffect(command="x", background=True))

    counter = Counter()
    memo = MemoSource(Toolbox([*tools_in(counter), start]))

    async def main() -> None:
        results = await in_task(memo, "one", "start", "look", "look")
        assert not any(is_hit(result) for result in results)
        assert is_hit((await in_task(memo, "two", "look", "look"))[1])

    anyio.run(main)


# Narrowed by files


def files(tmp_path: Path) -> MemoSource:
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_text(name, "utf-8")
    return MemoSource(Toolbox(providers=[BuiltinProvider(tmp_path)]), root=tmp_path)


def test_with_a_root_only_what_depends_on_the_changed_files_is_cleared(tmp_path: Path) -> None:
    memo = files(tmp_path)
    for path in ("a.txt", "b.txt"):
        call(memo, "read_file", {"path": path})
    call(memo, "find_files", {"pattern": "*"})
    call(memo, "write_file", {"path": "a.txt", "content": "new"})
    assert is_hit(call(memo, "read_file", {"path": "b.txt"}))
    assert data_of(call(memo, "read_file", {"path": "a.txt"})) == "new"
    # It does not say on which files it depends: so on any.
    assert not is_hit(call(memo, "find_files", {"pattern": "*"}))


def test_other_names_of_a_file_are_cleared_with_it(tmp_path: Path) -> None:
    @tool(grade=READ, touches=["path"])
    def peek(path: str) -> str:
        """Read a file, through links too."""
        return (tmp_path / path).read_text()

    memo = MemoSource(Toolbox([peek], providers=[BuiltinProvider(tmp_path)]), root=tmp_path)
    call(memo, "write_file", {"path": "a.txt", "content": "first"})
    (tmp_path / "link.txt").symlink_to(tmp_path / "a.txt")
    for path in ("link.txt", "./a.txt", str(tmp_path / "a.txt")):
        call(memo, "peek", {"path": path})
        call(memo, "write_file", {"path": "a.txt", "content": path})
        assert data_of(call(memo, "peek", {"path": path})) == path


def test_a_folder_holds_what_is_in_it(tmp_path: Path) -> None:
    @tool(grade=READ, touches=["path"])
    def count(path: str) -> int:
        """Count."""
        return len(list((tmp_path / path).iterdir()))

    box = Toolbox([count], providers=[BuiltinProvider(tmp_path)])
    memo = MemoSource(box, root=tmp_path)
    assert data_of(call(memo, "count", {"path": "."})) == 0
    call(memo, "write_file", {"path": "sub/x.txt", "content": "x"})
    assert data_of(call(memo, "count", {"path": "."})) == 1


@pytest.mark.parametrize("how", ["fails", "process", "more", "no root"])
def test_everything_is_cleared_when_the_files_do_not_tell_all(how: str, tmp_path: Path) -> None:
    @tool(grade=WRITE, touches=["path"])
    def change(path: str, context: Context) -> None:
        """Change."""
        if how == "fails":
            raise RuntimeError
        if how == "process":
            context.record(ProcessEffect(command="make"))
        if how == "more":
            context.record(FileEffect(path="c.txt", op="rename", from_path="b.txt"))

    memo = files(tmp_path)
    box = memo.source
    assert isinstance(box, Toolbox)
    box.register(change)
    if how == "no root":
        memo = MemoSource(box)
    call(memo, "read_file", {"path": "b.txt"})
    call(memo, "change", {"path": "a.txt"})
    assert not is_hit(call(memo, "read_file", {"path": "b.txt"}))


def test_everything_is_cleared_when_something_inside_runs_on(tmp_path: Path) -> None:
    begun, release = threading.Event(), threading.Event()

    @tool(grade=READ)
    def linger() -> None:
        """Linger."""
        begun.set()
        assert release.wait(10)

    @tool(grade=WRITE, touches=["path"])
    async def change(path: str) -> None:
        """Change, and leave something running."""
        async with anyio.create_task_group() as group:
            group.start_soon(memo.call, Call("linger", {}))
            await anyio.to_thread.run_sync(begun.wait)
            group.cancel_scope.cancel()

    memo = files(tmp_path)
    box = memo.source
    assert isinstance(box, Toolbox)
    box.register_all([linger, change])

    async def main() -> None:
        read = Call("read_file", {"path": "b.txt"})
        await memo.call(read)
        await memo.call(Call("change", {"path": "a.txt"}))
        assert not is_hit(await memo.call(read))
        release.set()
        while memo.memory._rooms:
            await anyio.sleep(0.001)
        assert not is_hit(await memo.call(read))
        assert is_hit(await memo.call(read))

    anyio.run(main)


def test_one_memory_may_serve_several_sources() -> None:
    counter = Counter()
    box = Toolbox(tools_in(counter))
    memory = Memory()
    one, other = MemoSource(box, memory=memory), MemoSource(box, memory=memory)
    call(one, "look")
    assert is_hit(call(other, "look"))
    call(other, "change")
    assert not is_hit(call(one, "look"))


def test_a_memory_fits_into_a_chain_of_middlewares() -> None:
    counter = Counter()
    box = Toolbox(tools_in(counter))
    memory = Memory()

    async def memo(call: Call, proceed: Callable[[Call], Any]) -> Result:
        found = box.get(call.name)
        assert found is not None
        return await memory.run(found, call, proceed)

    async def dispatch(call: Call) -> Result:
        return await memo(call, box.call)

    anyio.run(dispatch, Call("look", {}))
    assert is_hit(anyio.run(dispatch, Call("look", {})))


# Any order of beginnings, ends and cancellations


class Op:
    """A call on its way: what it is, and the gates it waits at."""

    def __init__(self, kind: str, task: str, number: int) -> None:
        self.kind = kind
        self.task = task
        self.number = number
        self.gates = [asyncio.Event(), asyncio.Event()]
        self.floor = 0
        self.handle: asyncio.Task[Result] | None = None


class Races(RuleBasedStateMachine):
    """Reads and writes that begin, proceed, fail and are cancelled in any order.

    The world is a number that only grows. A read that begins after a write has ended must see it;
    and of equal reads at the same time only one runs, while nothing changes.
    """

    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.world = 0
        self.settled = 0  # the world when last nothing was changing it
        self.writers = 0
        self.era = 0
        self.pending: list[Op] = []
        self.bodies: dict[tuple[Any, ...], int] = {}
        self.starting: Op | None = None
        self.contexts = {task: contextvars.copy_context() for task in ("one", "two")}
        self.scopes: dict[str, Any] = {}
        for task in self.contexts:
            self.enter(task)

        @tool(grade=READ)
        async def look(n: int) -> int:
            """Look."""
            return await self.looking(n)

        @tool(grade=WRITE)
        async def change(n: int, fail: bool = False) -> int:
            """Change."""
            return await self.changing(n, fail)

        self.memo = MemoSource(Toolbox([look, change]), max_entries=3)
        self.gates: dict[int, Op] = {}

    def enter(self, task: str) -> None:
        self.scopes[task] = scope(task)
        self.contexts[task].run(self.scopes[task].__enter__)

    async def looking(self, n: int) -> int:
        op = self.current()
        key = (op.task, n, self.era, self.writers)
        assert self.writers or not self.bodies.get(key), "an equal read runs already"
        self.bodies[key] = self.bodies.get(key, 0) + 1
        try:
            await op.gates[0].wait()
            seen = self.world
            await op.gates[1].wait()
            return seen
        finally:
            self.bodies[key] -= 1

    async def changing(self, n: int, fail: bool) -> int:
        op = self.current()
        await op.gates[0].wait()
        self.world += 1
        await op.gates[1].wait()
        if fail:
            raise Transient("half done")
        return self.world

    def current(self) -> Op:
        """The call whose task runs the tool: it began the body, so its gates hold it."""
        running = asyncio.current_task()
        return next(op for op in self.pending if op.handle is running)

    def turn(self) -> None:
        async def turns() -> None:
            for _ in range(30):
                await asyncio.sleep(0)

        self.loop.run_until_complete(turns())
        for op in [op for op in self.pending if op.handle is not None and op.handle.done()]:
            self.pending.remove(op)
            self.ended(op)

    def begin(self, op: Op, call: Call) -> None:
        op.floor = self.settled
        if op.kind == "write":
            self.writers += 1
            self.era += 1
        context = self.contexts[op.task].copy()
        op.handle = self.loop.create_task(self.memo.call(call), context=context)
        self.pending.append(op)
        self.turn()

    def ended(self, op: Op) -> None:
        assert op.handle is not None
        if op.kind == "write":
            self.writers -= 1
            self.era += 1
            if not self.writers:
                self.settled = self.world
            if not op.handle.cancelled():
                assert op.handle.result().kind in ("success", "transient")
            return
        if not op.handle.cancelled():
            seen = data_of(op.handle.result())
            assert op.floor <= seen <= self.world, "a stale answer"

    tasks = st.sampled_from(["one", "two"])

    @rule(task=tasks, n=st.integers(0, 1))
    def read(self, task: str, n: int) -> None:
        self.begin(Op("read", task, n), Call("look", {"n": n}))

    @rule(task=tasks, fail=st.booleans())
    def write(self, task: str, fail: bool) -> None:
        self.begin(Op("write", task, 0), Call("change", {"n": 0, "fail": fail}))

    @precondition(lambda self: self.pending)
    @rule(which=st.integers(0, 20), gates=st.integers(1, 2))
    def proceed(self, which: int, gates: int) -> None:
        op = self.pending[which % len(self.pending)]
        for gate in [gate for gate in op.gates if not gate.is_set()][:gates]:
            gate.set()
        self.turn()

    @precondition(lambda self: self.pending)
    @rule(which=st.integers(0, 20))
    def cancel(self, which: int) -> None:
        op = self.pending[which % len(self.pending)]
        assert op.handle is not None
        op.handle.cancel()
        self.turn()

    @rule(task=tasks)
    def end_task(self, task: str) -> None:
        self.contexts[task].run(self.scopes[task].__exit__, None, None, None)
        self.era += 1
        assert not [key for key in self.memo.memory._entries if key.task == task]
        self.enter(task)

    @invariant()
    def bounded_and_tidy(self) -> None:
        assert len(self.memo.memory) <= 3
        assert self.memo.memory._size >= 0
        if not self.pending:
            assert not self.memo.memory._rooms
            assert not self.memo.memory._flights

    def teardown(self) -> None:
        for op in list(self.pending):
            for gate in op.gates:
                gate.set()
        self.turn()
        self.turn()
        assert not self.pending
        for task, entered in self.scopes.items():
            self.contexts[task].run(entered.__exit__, None, None, None)
        self.loop.run_until_complete(self.loop.shutdown_default_executor())
        self.loop.close()


TestRaces = Races.TestCase
TestRaces.settings = settings(many(120, quick=40), stateful_step_count=30)


def test_a_scope_is_data() -> None:
    assert Scope("t") == Scope("t")
    assert PURE.w == 0
