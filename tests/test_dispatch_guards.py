"""Guards: a note goes with the result, a failure blocks, and a guard that crashes blocks too."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import anyio
import pytest
from dispatch_samples import Bench, data_of, failed, made, notes_of, send
from hypothesis import given
from hypothesis import strategies as st

from zkit.calls import Call
from zkit.coach import Coach
from zkit.dispatch import (
    Dispatcher,
    Guard,
    GuardError,
    LiveCall,
    Outcome,
    fan_out,
    read_before_write,
    repeated_calls,
    repeated_failures,
    verify_files,
)
from zkit.effects import FileEffect
from zkit.grade import EXECUTE, READ, WRITE
from zkit.results import Refused, Result, Success, Validation
from zkit.sources import Memory, MemoSource, Toolbox
from zkit.std import BuiltinProvider
from zkit.tools import Context, render_result, scope, tool

ONE = {"a": 1, "b": 1}


@pytest.fixture
def bench() -> Bench:
    return Bench()


def files_in(root: Path, *guards: Guard, **settings: Any) -> Dispatcher:
    box = Toolbox(providers=[BuiltinProvider(root)])
    return Dispatcher(box, guards=guards, **settings)


# What a guard is


def test_a_note_goes_with_the_result_and_the_model_reads_it(bench: Bench) -> None:
    notes = Guard("notes", lambda call: "before", lambda call, result: "after")
    result = send(Dispatcher(bench.tools(), guards=[notes]), "add", ONE)
    assert data_of(result) == 2
    assert notes_of(result) == ["before", "after"]
    assert render_result(result) == "2\n\nNote: before\n\nNote: after"


def test_a_failure_before_blocks_and_one_after_takes_the_place_of_the_result(bench: Bench) -> None:
    stop = Guard("stop", before=lambda call: Validation("not like this", code="stale"))
    failed(send(Dispatcher(bench.tools(), guards=[stop]), "add", ONE), Validation, "stale")
    assert bench.ran == []

    @tool
    def change(context: Context) -> str:
        """Change."""
        context.record(FileEffect(path="a", op="modify"))
        return "done"

    judge = Guard("judge", after=lambda call, result: Validation("bad work"))
    result = failed(send(Dispatcher([change], guards=[judge]), "change"), Validation)
    assert [effect.kind for effect in result.effects] == ["file"]


def test_guards_may_be_async_raise_and_see_decoded_arguments(bench: Bench) -> None:
    seen: list[Any] = []

    async def look(call: LiveCall) -> None:
        await anyio.sleep(0)
        seen.append(dict(call.arguments))

    def refuse(call: LiveCall, result: Result) -> None:
        raise Refused("no")

    guards = [Guard("look", look), Guard("refuse", after=refuse)]
    failed(send(Dispatcher(bench.tools(), guards=guards), "add", '{"a": "1", "b": 1}'), Refused)
    assert seen == [ONE]


def test_a_guard_that_crashes_before_blocks_and_one_that_crashes_after_does_not(
    bench: Bench, caplog: pytest.LogCaptureFixture
) -> None:
    def crash(*args: Any) -> None:
        raise RuntimeError("a bug in a guard")

    with caplog.at_level(logging.DEBUG):
        blocked = send(Dispatcher(bench.tools(), guards=[Guard("g", crash)]), "add", ONE)
        passed = send(Dispatcher(bench.tools(), guards=[Guard("g", None, crash)]), "add", ONE)
    assert "the guard g failed" in str(failed(blocked, Refused))
    assert "a bug" not in str(blocked)
    assert data_of(passed) == 2
    assert bench.ran == ["add 1 1"]
    assert len([entry for entry in caplog.records if entry.exc_info]) == 2


def test_guards_keep_their_order_and_names_are_unique(bench: Bench) -> None:
    order: list[str] = []
    guards = [Guard(name, lambda call, name=name: order.append(name)) for name in "abc"]  # type: ignore[misc]
    send(Dispatcher(bench.tools(), guards=guards), "add", ONE)
    assert order == ["a", "b", "c"]
    with pytest.raises(GuardError, match="two guards 'a'"):
        Dispatcher(bench.tools(), guards=[*guards, Guard("a")])


# The same call with the same answer


def texts(results: list[Result]) -> list[str]:
    return [one.kind + ("+note" if notes_of(one) else "") for one in results]


@pytest.mark.parametrize("grade", [READ, EXECUTE])
@pytest.mark.parametrize("memory", [None, False])
def test_a_repeated_call_is_noted_then_refused_then_said_to_stop(grade: Any, memory: Any) -> None:
    """Whether it runs each time or is answered from memory."""
    ran: list[int] = []

    def same() -> str:
        ran.append(1)
        return "always the same"

    dispatcher = Dispatcher(
        [made("same", same, grade=grade)], guards=[repeated_calls(3, 5, 7)], memory=memory
    )
    with scope("t"):
        results = [send(dispatcher, "same") for _ in range(8)]
    assert texts(results) == [
        *["success"] * 2,
        *["success+note"] * 3,
        *["validation"] * 3,
    ]
    refused = failed(results[5], Validation, "loop")
    assert "same" in str(refused)
    assert not refused.meta.get("stop")
    assert failed(results[6], Validation).meta["stop"]
    assert len(ran) == (1 if grade == READ and memory is None else 5)


def test_another_answer_begins_at_zero() -> None:
    """Polling is legitimate as long as something moves."""
    count = 0

    def poll() -> int:
        nonlocal count
        count += 1
        return count // 4

    dispatcher = Dispatcher([made("poll", poll, grade=READ, cacheable=False)])
    with scope("t"):
        assert all(data_of(send(dispatcher, "poll")) >= 0 for _ in range(20))


def test_other_arguments_are_another_call_and_defaults_are_filled_in() -> None:
    @tool(grade=READ, cacheable=False)
    def look(path: str = ".") -> str:
        """Look."""
        return "nothing"

    dispatcher = Dispatcher([look], guards=[repeated_calls(note=2, refuse=2)])
    with scope("t"):
        for path in "abcdef":
            assert notes_of(send(dispatcher, "look", {"path": path})) == []
        assert notes_of(send(dispatcher, "look", {})) == []
        assert notes_of(send(dispatcher, "look", {"path": "."}))
        failed(send(dispatcher, "look", "{}"), Validation, "loop")


def test_a_read_after_a_change_is_not_a_repetition() -> None:
    bench = Bench()
    dispatcher = Dispatcher(bench.tools(), guards=[repeated_calls(note=2, refuse=2)])
    with scope("t"):
        for n in range(6):
            assert notes_of(send(dispatcher, "read_file", {"path": "a"})) == []
            data_of(send(dispatcher, "write_file", {"path": "a", "content": str(n)}))


def test_two_calls_that_take_turns_are_a_loop_too() -> None:
    bench = Bench()
    dispatcher = Dispatcher(bench.tools(), guards=[repeated_calls(note=2, refuse=3)])
    kinds: list[str] = []
    with scope("t"):
        for _ in range(6):
            send(dispatcher, "read_file", {"path": "a"})
            kinds.append(send(dispatcher, "write_file", {"path": "a", "content": "x"}).kind)
    assert kinds == ["success"] + ["validation"] * 5


def test_a_failure_that_is_repeated_asks_for_other_arguments_and_not_for_an_answer() -> None:
    @tool(grade=READ)
    def plan(week: str) -> str:
        """Show the plan of a week."""
        raise Validation("invalid week")

    dispatcher = Dispatcher([plan], guards=[repeated_calls(note=2)])
    with scope("t"):
        first, second = (send(dispatcher, "plan", {"week": "7"}) for _ in range(2))
        assert notes_of(send(dispatcher, "plan", {"week": "8"})) == []
    assert notes_of(first) == []
    (note,) = notes_of(second)
    assert "other arguments" in note
    assert "answer" not in note


# A write that is done


def wrote(ran: list[int]) -> Any:
    def write(path: str = "a") -> str:
        ran.append(1)
        return f"wrote {path}, change {len(ran)}"  # each answer looks new

    return write


def test_a_write_that_succeeded_is_not_run_again_and_at_last_the_run_stops() -> None:
    ran: list[int] = []
    dispatcher = Dispatcher([made("write", wrote(ran), grade=WRITE)])
    with scope("t"):
        assert data_of(send(dispatcher, "write")) == "wrote a, change 1"
        again = [failed(send(dispatcher, "write"), Validation, "loop") for _ in range(5)]
    assert len(ran) == 1
    assert all("already done" in str(one) and one.meta["done"] for one in again)
    assert [bool(one.meta.get("stop")) for one in again] == [False] * 4 + [True]


def test_a_write_runs_again_after_another_change_and_with_other_arguments() -> None:
    ran: list[int] = []
    other = made("other", lambda: "changed", grade=EXECUTE)
    dispatcher = Dispatcher([made("write", wrote(ran), grade=WRITE), other])
    with scope("t"):
        for name, arguments in (
            ("write", {}), ("write", {"path": "b"}), ("write", {}), ("other", {}), ("write", {})
        ):  # fmt: skip
            data_of(send(dispatcher, name, arguments))
    assert len(ran) == 4


@pytest.mark.parametrize(
    "declared",
    [{"grade": EXECUTE}, {"grade": None}, {"grade": WRITE, "idempotent": False}],
    ids=str,
)
def test_only_a_tool_that_is_declared_to_write_is_done_once(declared: dict[str, Any]) -> None:
    ran: list[int] = []
    dispatcher = Dispatcher([made("write", wrote(ran), **declared)])
    with scope("t"):
        assert [send(dispatcher, "write").kind for _ in range(3)] == ["success"] * 3
    assert len(ran) == 3


def test_a_write_that_failed_runs_again() -> None:
    ran: list[int] = []

    def write() -> str:
        ran.append(1)
        raise Validation("the disk is full", code="not_found")

    dispatcher = Dispatcher([made("write", write, grade=WRITE)])
    with scope("t"):
        assert [failed(send(dispatcher, "write"), Validation).code for _ in range(3)]
    assert len(ran) == 3


def test_a_write_that_somebody_approved_runs_again() -> None:
    ran: list[int] = []
    tools = [made("write", wrote(ran), grade=WRITE, destructive=True)]
    dispatcher = Dispatcher(tools, approve=lambda call: True)
    with scope("t"):
        assert [send(dispatcher, "write").kind for _ in range(3)] == ["success"] * 3
    assert len(ran) == 3


def test_failures_are_answers_too_and_exempt_tools_are_not_counted() -> None:
    def never() -> str:
        raise Validation("there is no such file", code="not_found")

    tools = [made("never", never, grade=READ), made("poll", lambda: "x", grade=WRITE)]
    dispatcher = Dispatcher(tools, guards=[repeated_calls(2, 3, except_for=("poll*",))])
    with scope("t"):
        codes = [failed(send(dispatcher, "never"), Validation).code for _ in range(5)]
        assert codes == ["not_found"] * 3 + ["loop"] * 2
        assert all(texts([send(dispatcher, "poll")]) == ["success"] for _ in range(6))


def test_tasks_do_not_count_each_others_calls_and_without_a_task_nothing_is_counted() -> None:
    dispatcher = Dispatcher(
        [made("same", lambda: "x", grade=EXECUTE)], guards=[repeated_calls(note=2, refuse=2)]
    )
    for task in ("one", "two", "one"):
        with scope(task):
            results = [send(dispatcher, "same") for _ in range(3)]
            assert texts(results) == ["success", "success+note", "validation"]
    assert texts([send(dispatcher, "same") for _ in range(10)]) == ["success"] * 10


def test_the_third_equal_call_of_a_reading_tool_is_no_error_by_default(bench: Bench) -> None:
    with scope("t"):
        dispatcher = Dispatcher(bench.tools())
        results = [send(dispatcher, "read_file", {"path": "a"}) for _ in range(4)]
    assert [one.kind for one in results] == ["success"] * 4
    assert "same answer each time" in notes_of(results[2])[0]


# Fan-out


def flaky(outcomes: list[bool]) -> Dispatcher:
    """A dispatcher with one tool that works or fails as told, and another one that works."""

    def search(query: str) -> str:
        if not outcomes.pop(0):
            raise Validation(f"nothing is called {query}", code="not_found")
        return "found"

    tools = [made("search", search, grade=READ), made("other", lambda: "fine", grade=READ)]
    return Dispatcher(tools, guards=[repeated_failures(2, 4)], memory=False)


def test_a_tool_that_fails_whatever_it_is_asked_is_noted_then_not_run() -> None:
    left = [False] * 9
    dispatcher = flaky(left)
    with scope("t"):
        results = [send(dispatcher, "search", {"query": str(n)}) for n in range(6)]
        assert data_of(send(dispatcher, "other")) == "fine"
    assert texts(results) == ["validation", *["validation+note"] * 3, *["validation"] * 2]
    refused = failed(results[4], Validation, "loop")
    assert "nothing is called 3" in str(refused)
    assert len(left) == 5


def test_a_success_ends_a_streak_and_other_tasks_have_their_own() -> None:
    dispatcher = flaky([False, True] * 5)
    with scope("t"):
        results = [send(dispatcher, "search", {"query": str(n)}) for n in range(8)]
    assert texts(results) == ["validation", "success"] * 4
    dispatcher = flaky([False] * 6)
    for task in "abc":
        with scope(task):
            failed(send(dispatcher, "search", {"query": "x"}), Validation, "not_found")


def test_arguments_that_never_reached_the_tool_are_no_streak() -> None:
    dispatcher = flaky([True])
    with scope("t"):
        for _ in range(5):
            failed(send(dispatcher, "search", {}), Validation, "invalid_arguments")
        assert data_of(send(dispatcher, "search", {"query": "x"})) == "found"


def test_fan_out_notes_the_last_call_and_refuses_the_next_before_it_runs(bench: Bench) -> None:
    dispatcher = Dispatcher(bench.tools(), guards=[fan_out({"read_*": 3})])
    with scope("t"):
        results = [send(dispatcher, "read_file", {"path": str(n)}) for n in range(5)]
        assert data_of(send(dispatcher, "add", ONE)) == 2
    assert texts(results) == ["success", "success", "success+note", "validation", "validation"]
    assert bench.ran == ["read 0", "read 1", "read 2", "add 1 1"]
    assert "3 times" in str(failed(results[3], Validation, "loop"))
    with scope("u"):
        assert data_of(send(dispatcher, "read_file", {"path": "9"}))


# A task that goes on in another process

STEPS = [
    ("add", ONE), ("add", {"a": "x"}), ("read_file", {"path": "a"}), ("read_file", {}),
    ("write_file", {"path": "a", "content": "b"}), ("find", {"query": "a"}), ("open", {}),
]  # fmt: skip


def find(query: str) -> str:
    raise Validation(f"nothing is called {query}", code="not_found")


def counting() -> Dispatcher:
    guards = [repeated_calls(2, 3, 5), repeated_failures(2, 3), fan_out({"read_*": 3}), Coach()]
    tools = [*Bench().tools(), made("find", find, grade=READ)]
    return Dispatcher(tools, guards=guards, memory=False)


def outcomes_of(dispatcher: Dispatcher, steps: list[tuple[str, dict[str, Any]]]) -> list[Outcome]:
    return [anyio.run(dispatcher.outcome, Call(name, given, "1")) for name, given in steps]


@given(steps=st.lists(st.sampled_from(STEPS), max_size=10), at=st.integers(0, 10))
def test_a_task_that_is_recalled_goes_on_as_if_it_had_not_stopped(
    steps: list[tuple[str, dict[str, Any]]], at: int
) -> None:
    with scope("t"):
        straight = outcomes_of(counting(), steps)
    with scope("t"):
        before = outcomes_of(counting(), steps[:at])
    with scope("t"):
        elsewhere = counting()
        elsewhere.recall(before)
        after = outcomes_of(elsewhere, steps[at:])
    assert [one.result for one in [*before, *after]] == [one.result for one in straight]


# Read before write


def test_a_file_that_the_task_has_not_read_is_not_changed(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("old")
    dispatcher = files_in(tmp_path, read_before_write(tmp_path))
    change = {"path": "a.txt", "old_str": "old", "new_str": "new"}
    with scope("t"):
        stale = failed(send(dispatcher, "edit_file", change), Validation, "stale")
        assert "Read it" in str(stale)
        assert (tmp_path / "a.txt").read_text() == "old"
        data_of(send(dispatcher, "read_file", {"path": "./a.txt"}))
        data_of(send(dispatcher, "edit_file", change))
        data_of(send(dispatcher, "edit_file", {**change, "old_str": "new", "new_str": "x"}))
        data_of(send(dispatcher, "write_file", {"path": "new.txt", "content": "x"}))
        data_of(send(dispatcher, "write_file", {"path": "new.txt", "content": "y"}))
    with scope("u"):
        failed(
            send(dispatcher, "write_file", {"path": "a.txt", "content": ""}), Validation, "stale"
        )


def test_a_file_that_changed_since_it_was_read_must_be_read_again(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("old")
    dispatcher = files_in(tmp_path, read_before_write(tmp_path), memory=False)
    with scope("t"):
        data_of(send(dispatcher, "read_file", {"path": "a.txt"}))
        (tmp_path / "a.txt").write_text("changed by somebody else")
        result = send(dispatcher, "write_file", {"path": "a.txt", "content": "x"})
        assert "has changed since you read it" in str(failed(result, Validation, "stale"))
        data_of(send(dispatcher, "read_file", {"path": "a.txt"}))
        data_of(send(dispatcher, "write_file", {"path": "a.txt", "content": "x"}))


def test_as_a_note_it_does_not_block(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("old")
    dispatcher = files_in(tmp_path, read_before_write(tmp_path, mode="note"))
    with scope("t"):
        result = send(dispatcher, "write_file", {"path": "a.txt", "content": "x"})
        data_of(result)
        assert "was not read" in notes_of(result)[0]
        assert (tmp_path / "a.txt").read_text() == "x"


# Verifiers


@pytest.mark.parametrize(
    ("path", "broken", "valid"),
    [
        ("a.py", "def f(:\n", "def f(): ...\n"),
        ("b.json", '{"a": 1,}', '{"a": 1}'),
        ("c.toml", "a = ", "a = 1"),
        ("d.PY", "x = = 1", "x = 1"),
    ],
)
def test_a_file_that_is_left_broken_is_noted(
    path: str, broken: str, valid: str, tmp_path: Path
) -> None:
    dispatcher = files_in(tmp_path, verify_files(root=tmp_path))
    result = send(dispatcher, "write_file", {"path": path, "content": broken})
    assert data_of(result)
    assert f"{path} is broken now" in notes_of(result)[0]
    assert notes_of(send(dispatcher, "write_file", {"path": path, "content": valid})) == []


def test_files_without_a_verifier_and_files_that_are_gone_are_left_alone(tmp_path: Path) -> None:
    @tool
    def lies(context: Context) -> str:
        """Report what is not there."""
        for path in ("gone.py", "../outside.py", "x.md"):
            context.record(FileEffect(path=path, op="modify"))
        return "x"

    (tmp_path / "x.md").write_text("def f(:")
    (tmp_path.parent / "outside.py").write_text("def f(:")
    result = send(Dispatcher([lies], guards=[verify_files(root=tmp_path)]), "lies")
    assert notes_of(result) == []


def test_verifiers_can_be_of_ones_own_and_hostile_files_do_not_break_them(tmp_path: Path) -> None:
    own = verify_files({".txt": lambda path: "too short"}, root=tmp_path)
    result = send(files_in(tmp_path, own), "write_file", {"path": "a.txt", "content": "x"})
    assert notes_of(result) == ["a.txt is broken now: too short"]
    deep = {"path": "deep.json", "content": "[" * 100_000}
    assert notes_of(send(files_in(tmp_path, verify_files(root=tmp_path)), "write_file", deep))


# Memory


def test_answers_are_remembered_inside_a_task_and_nowhere_else(bench: Bench) -> None:
    dispatcher = Dispatcher(bench.tools())
    for _ in range(2):
        send(dispatcher, "read_file", {"path": "a"})
    assert bench.ran == ["read a"] * 2
    with scope("t"):
        results = [send(dispatcher, "read_file", {"path": "a"}) for _ in range(2)]
    assert bench.ran == ["read a"] * 3
    assert [bool(one.meta.get("cached")) for one in results] == [False, True]  # type: ignore[attr-defined]
    with scope("t"):
        send(dispatcher, "read_file", {"path": "a"})
    assert bench.ran == ["read a"] * 4


def test_a_memory_of_ones_own_and_the_one_of_a_memo_source_are_always_used(bench: Bench) -> None:
    memo = MemoSource(Toolbox(bench.tools()))
    dispatcher = Dispatcher(memo)
    assert dispatcher.settings.memory is memo.memory
    for _ in range(2):
        send(dispatcher, "read_file", {"path": "a"})
    assert bench.ran == ["read a"]
    assert anyio.run(memo.call, call_of("read_file", {"path": "a"})).meta["cached"]  # type: ignore[attr-defined]
    memory = Memory()
    own = Dispatcher(bench.tools(), memory=memory)
    for _ in range(2):
        send(own, "read_file", {"path": "a"})
    assert len(memory) == 1


def call_of(name: str, arguments: Any) -> Any:
    from zkit.calls import Call

    return Call(name, arguments)


@pytest.mark.parametrize("outside", [True, False])
def test_a_write_clears_what_was_remembered_wherever_it_is_called(
    outside: bool, bench: Bench
) -> None:
    dispatcher = Dispatcher(bench.tools())
    write = {"path": "a", "content": "b"}
    with scope("t"):
        send(dispatcher, "read_file", {"path": "a"})
        if outside:
            import contextvars

            contextvars.Context().run(send, dispatcher, "write_file", write)
        else:
            send(dispatcher, "write_file", write)
        send(dispatcher, "read_file", {"path": "a"})
    assert bench.ran == ["read a", "write a", "read a"]


def test_memory_stands_inside_permission_so_a_remembered_answer_can_still_be_denied(
    bench: Bench,
) -> None:
    dispatcher = Dispatcher(bench.tools(), roles={"reader": "*", "guest": "none"})
    with scope("t"):
        with scope(role="reader"):
            data_of(send(dispatcher, "read_file", {"path": "a"}))
        with scope(role="guest"):
            failed(send(dispatcher, "read_file", {"path": "a"}), Refused, "denied")


def test_a_tool_can_be_kept_out_of_memory_by_the_operator(bench: Bench) -> None:
    dispatcher = Dispatcher(bench.tools(), policy={"read_file": {"remember": False}})
    with scope("t"):
        for _ in range(2):
            assert isinstance(send(dispatcher, "read_file", {"path": "a"}), Success)
    assert bench.ran == ["read a"] * 2


def test_an_answer_of_an_executing_tool_is_remembered_if_the_operator_says_so(bench: Bench) -> None:
    policy = {"run_shell": {"remember": True, "clear": False}}
    dispatcher = Dispatcher(bench.tools(), policy=policy)
    with scope("t"):
        for _ in range(2):
            data_of(send(dispatcher, "read_file", {"path": "a"}))
            again = send(dispatcher, "run_shell", {"command": "ls"})
    assert again.meta["cached"]  # type: ignore[attr-defined]
    assert bench.ran == ["read a", "run ls"]


def test_a_reading_tool_clears_what_was_remembered_if_the_operator_says_so(bench: Bench) -> None:
    dispatcher = Dispatcher(bench.tools(), policy={"add": {"clear": True}})
    with scope("t"):
        for _ in range(2):
            data_of(send(dispatcher, "read_file", {"path": "a"}))
            data_of(send(dispatcher, "add", {"a": 1, "b": 2}))
    assert bench.ran == ["read a", "add 1 2"] * 2
