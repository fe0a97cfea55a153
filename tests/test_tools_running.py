"""A tool runs in a context, and nothing it does gets past the runner."""

from __future__ import annotations

import asyncio
import threading
import time
from typing import Any

import anyio
import anyio.to_thread
import pytest
from tool_samples import data_of, execute

from zkit.calls import Call
from zkit.effects import FileEffect
from zkit.results import Crashed, Success, Transient, Validation
from zkit.tools import (
    Context,
    Progress,
    ToolSpec,
    as_tool,
    canonical_arguments,
    current_context,
    current_scope,
    decode_call,
    run_tool,
    scope,
    tool,
    watching,
)

BACKENDS = pytest.mark.parametrize("backend", ["asyncio", "trio"])
EFFECT = FileEffect(path="a", op="modify")


def key_of(task: str, call: Call) -> str:
    @tool
    def show(n: int, context: Context) -> str:
        return context.idempotency_key

    async def main() -> Any:
        with scope(task):
            return await run_tool(show, call)

    key: str = data_of(anyio.run(main))
    return key


def test_the_idempotency_key_is_the_same_for_the_same_call_and_no_other() -> None:
    call = Call("show", {"n": 1}, id="c1")
    keys = [
        key_of("t", call),
        key_of("t", Call("show", {"n": 1}, id="c2")),
        key_of("t", Call("show", {"n": 2}, id="c1")),
        key_of("other", call),
    ]
    assert len(set(keys)) == 4
    assert key_of("t", call) == keys[0]
    assert keys[0].isalnum()


def test_effects_are_in_the_result_whatever_comes_of_the_call() -> None:
    def make(outcome: Any) -> Any:
        @tool
        def act(context: Context) -> Any:
            context.record(EFFECT)
            if isinstance(outcome, Exception):
                raise outcome
            return outcome

        return act

    for outcome in ("done", Success("done"), Validation("no"), Transient("x"), ValueError("x")):
        assert execute(make(outcome)).effects == (EFFECT,)  # type: ignore[attr-defined]
    both = execute(make(Success("x", (FileEffect(path="b", op="read"),))))
    assert [effect.path for effect in both.effects] == ["a", "b"]  # type: ignore[attr-defined]
    assert execute(make(Success("x", (EFFECT,)))).effects == (EFFECT,)  # type: ignore[attr-defined]


def test_a_cause_is_kept_beside_the_effects() -> None:
    @tool
    def act(context: Context) -> None:
        context.record(EFFECT)
        raise RuntimeError("x")

    result = execute(act)
    assert isinstance(result, Crashed)
    assert isinstance(result.__cause__, RuntimeError)


def test_progress_reaches_who_listens_and_a_broken_listener_hurts_nobody() -> None:
    seen: list[Progress] = []

    def broken(progress: Progress) -> None:
        seen.append(progress)
        raise RuntimeError

    @tool
    def work(context: Context) -> str:
        context.progress(1, 2, "half")
        return "done"

    async def main() -> Any:
        with scope("t", on_progress=broken):
            return await run_tool(work, Call("work", {}, id="c"))

    assert data_of(anyio.run(main)) == "done"
    assert seen == [Progress("c", "work", 1, 2, "half")]
    assert data_of(execute(work)) == "done"


def test_a_scope_inherits_and_never_lengthens_a_deadline() -> None:
    with scope("outer", timeout=5, workspace="/w") as outer:
        with scope(timeout=50, role="judge") as inner:
            assert inner.task == "outer"
            assert inner.workspace == "/w"
            assert inner.deadline == outer.deadline
            assert inner.depth == outer.depth
        with scope("sub", timeout=1) as sub:
            assert sub.depth == outer.depth + 1
            assert sub.deadline is not None
            assert outer.deadline is not None
            assert sub.deadline < outer.deadline
        assert current_scope() == outer
    assert current_scope().task == ""


def test_the_end_of_a_task_is_told_once_and_only_at_its_end() -> None:
    ended: list[str] = []
    with scope("outer") as outer:
        outer.when_over("x", lambda: ended.append("outer"))
        with scope(role="judge") as inner:
            inner.when_over("x", lambda: ended.append("again"))
            inner.when_over("y", lambda: ended.append("inner"))
        assert ended == []
        with scope("sub") as sub:
            sub.when_over("x", lambda: ended.append("sub"))
        assert ended == ["sub"]
    assert ended == ["sub", "outer", "inner"]


def test_an_action_at_the_end_that_fails_does_not_stop_the_others() -> None:
    ended: list[str] = []
    with scope("t") as task:
        task.when_over(1, lambda: 1 / 0)  # type: ignore[arg-type]
        task.when_over(2, lambda: ended.append("done"))
    assert ended == ["done"]


def test_a_context_knows_how_much_time_is_left() -> None:
    with scope("t", timeout=60):
        context = Context(Call("x"))
    assert context.remaining is not None
    assert 50 < context.remaining <= 60
    context.check()
    with scope("t", timeout=-1):
        late = Context(Call("x"))
    with pytest.raises(Transient, match="time"):
        late.check()
    context.cancel()
    with pytest.raises(Transient, match="cancelled"):
        context.check()
    assert Context(Call("x")).remaining is None


@BACKENDS
def test_a_plain_tool_does_not_hold_up_the_loop(backend: str) -> None:
    release = threading.Event()

    @tool
    def slow() -> str:
        assert release.wait(10)
        return "slow"

    async def main() -> list[Any]:
        found: list[Any] = []

        async def run() -> None:
            found.append(await run_tool(slow, Call("slow", {})))

        async with anyio.create_task_group() as group:
            group.start_soon(run)
            await anyio.sleep(0.01)
            release.set()
        return found

    [result] = anyio.run(main, backend=backend)
    assert data_of(result) == "slow"


@BACKENDS
def test_a_cancelled_thread_is_told_and_watched_to_its_end(backend: str) -> None:
    begun, told, go_on = threading.Event(), threading.Event(), threading.Event()
    ended = threading.Event()

    @tool
    def stubborn(context: Context) -> None:
        begun.set()
        while not context.cancelled:
            time.sleep(0.001)
        told.set()
        assert go_on.wait(10)

    async def main() -> None:
        with watching() as watch:
            assert not watch.busy
            with anyio.move_on_after(10) as waiting:
                async with anyio.create_task_group() as group:
                    group.start_soon(run_tool, stubborn, Call("stubborn", {}))
                    await anyio.to_thread.run_sync(begun.wait)
                    assert watch.busy
                    group.cancel_scope.cancel()
            assert not waiting.cancelled_caught
            assert watch.busy
            watch.when_idle(ended.set)
            assert await anyio.to_thread.run_sync(told.wait, 10)
            assert not ended.is_set()
            go_on.set()
            assert await anyio.to_thread.run_sync(ended.wait, 10)
            assert not watch.busy
            again = threading.Event()
            watch.when_idle(again.set)
            assert again.is_set()

    anyio.run(main, backend=backend)


def test_a_call_cancelled_before_its_thread_begins_never_runs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("zkit.tools.worker_threads.MAX_BUSY", 1)
    ran: list[int] = []
    release = threading.Event()

    @tool
    def hold() -> None:
        assert release.wait(10)

    @tool
    def act(n: int) -> None:
        ran.append(n)

    async def main() -> None:
        async with anyio.create_task_group() as around:
            around.start_soon(run_tool, hold, Call("hold", {}))
            await anyio.sleep(0.01)
            with watching() as watch:
                async with anyio.create_task_group() as group:
                    group.start_soon(run_tool, act, Call("act", {"n": 1}))
                    await anyio.sleep(0.01)
                    assert watch.busy
                    group.cancel_scope.cancel()
                assert not watch.busy
            around.start_soon(run_tool, act, Call("act", {"n": 2}))
            await anyio.sleep(0.01)
            assert ran == []
            release.set()

    anyio.run(main)
    assert ran == [2]


def test_a_call_that_nobody_waits_for_takes_no_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("zkit.tools.worker_threads.MAX_BUSY", 1)
    release = threading.Event()

    @tool
    def stuck() -> None:
        assert release.wait(10)

    @tool
    def act() -> str:
        return "done"

    async def main() -> Any:
        with anyio.move_on_after(0.05):
            await run_tool(stuck, Call("stuck", {}))
        with anyio.fail_after(5):
            return await run_tool(act, Call("act", {}))

    assert data_of(anyio.run(main)) == "done"
    release.set()


def test_a_plain_tool_may_run_an_event_loop_of_its_own() -> None:
    @tool
    def nested() -> str:
        async def inner() -> str:
            await anyio.sleep(0)
            return "inner"

        return anyio.run(inner) + asyncio.run(inner())

    assert data_of(anyio.run(run_tool, nested, Call("nested", {}))) == "innerinner"


def test_a_cancelled_async_tool_is_cancelled() -> None:
    async def main() -> None:
        async def forever() -> None:
            await asyncio.sleep(3600)

        task = asyncio.create_task(run_tool(as_tool(forever), Call("forever", {})))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())


def test_a_tool_that_calls_a_tool_has_its_own_context() -> None:
    @tool
    def inner(context: Context) -> str:
        context.record(EFFECT)
        return context.call_id

    @tool
    async def outer(context: Context) -> list[str]:
        result = await run_tool(inner, Call("inner", {}, id="in"))
        assert current_context() is context
        return [context.call_id, data_of(result)]

    result = execute(outer, id="out")
    assert data_of(result) == ["out", "in"]
    assert result.effects == ()  # type: ignore[attr-defined]


def test_executing_a_tool_directly_works_too() -> None:
    @tool
    def plain(context: Context) -> str:
        return context.call_id

    assert plain.execute(Call("plain", {}, id="c")) == Success("c")


def test_values_that_json_does_not_know_become_plain() -> None:
    from datetime import date
    from pathlib import PurePosixPath

    values = {date(2024, 1, 2): {1}, "p": PurePosixPath("a/b"), "b": b"\xff", "o": object}
    result = execute(tool(name="x")(lambda: values))
    assert data_of(result)["p"] == "a/b"
    assert data_of(result)["2024-01-02"] == [1]
    result.to_json()


# Decoding a call


@tool(grade=(1, 0))
def read(path: str, lines: int = 10, deep: dict[str, int] | None = None) -> str:
    """Read."""
    return path


def test_a_decoded_call_holds_json_and_the_receipt() -> None:
    call = decode_call(read, Call("read", "{'path': 'a', lines: '3'}"))
    assert isinstance(call, Call)
    assert call.arguments == {"path": "a", "lines": 3}
    assert {fix.name for fix in call.fixes} >= {"number_from_text"}
    again = decode_call(read, call)
    assert isinstance(again, Call)
    assert again.arguments == call.arguments


def test_a_valid_call_stays_as_it_is() -> None:
    call = Call("read", {"path": "a"})
    assert decode_call(read, call) == call
    text = decode_call(read, Call("read", '{"path": "a"}'))
    assert isinstance(text, Call)
    assert (text.arguments, text.fixes) == ({"path": "a"}, ())


def test_the_grade_limits_the_repair() -> None:
    raw = '{"path": "a", "why": "because"}'
    assert isinstance(decode_call(read, Call("read", raw)), Call)

    @tool
    def write(path: str) -> None:
        """Write."""

    assert isinstance(decode_call(write, Call("write", raw)), Validation)


def test_what_was_cut_off_never_runs() -> None:
    from zkit.receipt import Rank

    for rank, code in ((Rank.CUT, "truncated"), (Rank.SALVAGE, "truncated")):
        refused = decode_call(read, Call("read", {"path": "a"}, rank=rank))
        assert isinstance(refused, Validation)
        assert refused.code == code
        assert "read(path: str" in refused.message


def test_canonical_arguments_have_their_defaults_at_every_depth() -> None:
    schema = {
        "properties": {
            "a": {"type": "integer", "default": 1},
            "b": {"$ref": "#/$defs/B"},
            "c": {"type": "array", "items": {"$ref": "#/$defs/B"}},
        },
        "$defs": {"B": {"type": "object", "properties": {"d": {"default": [2]}}}},
    }
    spec = ToolSpec("x", "y", schema)
    assert canonical_arguments(spec, {}) == {"a": 1}
    assert canonical_arguments(spec, {"b": {}, "c": [{}, {"d": 3}]}) == {
        "a": 1,
        "b": {"d": [2]},
        "c": [{"d": [2]}, {"d": 3}],
    }
