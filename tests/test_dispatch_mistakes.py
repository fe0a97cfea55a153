"""Mistakes that dispatchers before this one made, one test each."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Annotated, Any

import anyio
import pytest
from dispatch_samples import Bench, data_of, failed, made, notes_of, send
from pydantic import AfterValidator

from zkit.calls import Call
from zkit.dispatch import (
    Dispatcher,
    HookEvent,
    Hooks,
    Limits,
    Recorder,
    budget,
    fan_out,
    repeated_calls,
)
from zkit.effects import FileEffect, ProcessEffect
from zkit.grade import EXECUTE, READ, WRITE
from zkit.results import Crashed, Refused, Result, Success, Transient, Validation
from zkit.sources import Toolbox
from zkit.tools import Context, render_result, scope, tool

# Results and retries


@pytest.mark.parametrize("text", ["❌ failed", "error: not found", "Error", "ERROR: x", ""])
def test_a_text_that_sounds_like_a_failure_is_a_success(text: str) -> None:
    ran: list[int] = []

    def read() -> str:
        ran.append(1)
        return text

    assert data_of(send(Dispatcher([made("read", read, grade=READ)]), "read")) == text
    assert len(ran) == 1


@pytest.mark.parametrize("message", ["file not found", "blocked for security", "budget exceeded"])
def test_no_decision_hangs_on_the_words_of_a_message(message: str) -> None:
    tries: list[int] = []

    def flaky() -> str:
        tries.append(1)
        if len(tries) == 1:
            raise Transient(message, retry_after=0.0)
        return "ok"

    assert data_of(send(Dispatcher([made("flaky", flaky, grade=READ)]), "flaky")) == "ok"


def test_a_command_that_fails_is_not_run_three_times() -> None:
    """A half-failed deployment with exit code 1 is an answer, not a reason to run it again."""
    ran: list[str] = []

    @tool(grade=EXECUTE)
    def shell(command: str, context: Context) -> str:
        """Run a command."""
        ran.append(command)
        context.record(ProcessEffect(command=command, exit_code=1))
        return "exit code 1"

    result = send(Dispatcher([shell]), "shell", {"command": "make deploy"})
    assert data_of(result) == "exit code 1"
    assert isinstance(result, Success)
    assert result.effects[0].exit_code == 1  # type: ignore[union-attr]
    assert len(ran) == 1


def test_an_error_has_one_representation() -> None:
    failure = Validation("x: too long", code="invalid_arguments")
    assert str(failure) == failure.message == render_result(failure)


# Arguments


@pytest.mark.parametrize("sent", ["{}", "", None, {}, "  "])
def test_a_tool_without_arguments_can_be_called(sent: Any) -> None:
    dispatcher = Dispatcher([made("now", lambda: "12:00", grade=READ)])
    assert data_of(dispatcher.call_sync(Call("now", sent))) == "12:00"


@pytest.mark.parametrize("value", [0, False, "", [], None])
def test_an_argument_that_is_falsy_is_an_argument(value: Any) -> None:
    @tool(grade=READ)
    def echo(line: Any = "default") -> Any:
        """Echo."""
        return {"got": line}

    assert data_of(send(Dispatcher([echo]), "echo", {"line": value})) == {"got": value}


def test_arguments_that_cannot_be_read_are_not_an_empty_object() -> None:
    ran: list[int] = []

    @tool(grade=READ)
    def clean(path: str = "/") -> str:
        """Clean."""
        ran.append(1)
        return "x"

    failed(send(Dispatcher([clean]), "clean", "path is /tmp, I think"), Validation)
    assert ran == []


def test_a_missing_required_field_is_no_zero_value() -> None:
    bench = Bench()
    missing = failed(send(Dispatcher(bench.tools()), "write_file", {"path": "a"}), Validation)
    assert "content" in str(missing)
    assert bench.ran == []


def test_half_a_file_is_not_written() -> None:
    bench = Bench()
    dispatcher = Dispatcher(bench.tools())
    cut = '{"path": "a.py", "content": "def main():\\n    pri'
    refused = failed(dispatcher.call_sync(Call("write_file", cut)), Validation, "truncated")
    assert render_result(refused)
    whole = Call("write_file", '{"path": "a.py", "content": "x"')
    failed(dispatcher.call_sync(whole, finish_reason="length"), Validation, "truncated")
    assert bench.ran == []


# Names


@pytest.mark.parametrize("name", ["no_such_tool", "", "\x00"])
def test_an_unknown_tool_is_never_answered_with_an_empty_text(name: str) -> None:
    result = send(Dispatcher(Bench().tools()), name)
    assert "read_file" in render_result(result)
    assert "No tools are available" in render_result(send(Dispatcher([]), name))


# Who may


def test_permission_approval_and_hooks_are_not_open_by_default() -> None:
    bench = Bench()
    failed(send(Dispatcher(bench.tools()), "delete_file", {"path": "a"}), Refused, "approval")
    failed(send(Dispatcher(bench.tools(), roles={}), "add", {"a": 1, "b": 1}), Refused, "denied")
    crash = Hooks()
    crash.add("before", lambda event: 1 / 0)
    failed(send(Dispatcher(bench.tools(), hooks=crash), "add", {"a": 1, "b": 1}), Refused)
    assert bench.ran == []


def test_the_error_hook_is_notified_of_reported_failures_too() -> None:
    received: list[str] = []

    def reports() -> Any:
        return Validation("there is no such file", code="not_found")

    def raises() -> str:
        raise FileNotFoundError("not found")

    dispatcher = Dispatcher([made("reports", reports), made("raises", raises)])
    dispatcher.hooks.add("error", lambda event: received.append(event.call.name))
    send(dispatcher, "reports")
    send(dispatcher, "raises")
    send(dispatcher, "nobody")
    assert received == ["reports", "raises", "nobody"]


def test_two_dispatchers_share_nothing() -> None:
    """No approver, hook, number or limit is global."""
    one = Dispatcher(Bench().tools(), approve=lambda call: True, attempts=1, budget=Limits(calls=1))
    two = Dispatcher(Bench().tools())
    one.hooks.add("before", lambda event: Refused("no"))
    send(one, "add", {"a": 1, "b": 1})
    assert data_of(send(two, "add", {"a": 1, "b": 1})) == 2
    failed(send(two, "delete_file", {"path": "a"}), Refused, "approval")
    assert two.metrics.summary().keys() == {"add", "delete_file"}
    assert "add" not in one.metrics.summary()


def test_the_role_and_the_limits_of_a_run_are_there_again_when_it_is_resumed() -> None:
    """They belong to the dispatcher and the scope, so a pause cannot lose them."""
    dispatcher = Dispatcher(Bench().tools(), allow=["add"])
    for _ in range(2):
        with scope("same task"):
            assert [one.definition().name for one in dispatcher.tools()] == ["add"]
            failed(send(dispatcher, "read_file", {"path": "a"}), Refused, "denied")


# Budget


def test_what_fails_gives_its_reservation_back_and_what_ran_keeps_its_result() -> None:
    def talk() -> str:
        return "word " * 1000

    tools = [made("talk", talk), made("refuse", lambda: Refused("no"), destructive=True)]
    dispatcher = Dispatcher(tools)
    with budget(calls=5, tokens=50) as spent:
        failed(send(dispatcher, "refuse"), Refused)
        assert (spent.calls, spent.tokens) == (0, 0)
        assert data_of(send(dispatcher, "talk")).startswith("word")
        failed(send(dispatcher, "talk"), Refused, "budget")


# Crashes and time


def test_a_crash_is_nobody_elses_fault_and_not_transient() -> None:
    tries: list[int] = []

    def breaks() -> str:
        tries.append(1)
        raise ZeroDivisionError

    crashed = failed(send(Dispatcher([made("breaks", breaks, grade=READ)]), "breaks"), Crashed)
    assert "not in your arguments" in render_result(crashed)
    assert len(tries) == 1


def test_a_thread_that_runs_on_is_not_kept_secret() -> None:
    stop = threading.Event()

    @tool(grade=WRITE, timeout=0.3)
    def stuck() -> str:
        """Hang."""
        stop.wait(10)
        return "x"

    late = failed(send(Dispatcher([stuck]), "stuck"), Transient, "timeout")
    stop.set()
    assert late.meta["abandoned"]
    assert "may yet have an effect" in render_result(late)


# Memory


def counted(**declared: Any) -> tuple[list[Any], Any]:
    ran: list[Any] = []

    @tool(grade=READ, **declared)
    def look(path: str = ".", output_lines: int = 10) -> list[str]:
        """Look."""
        ran.append(path)
        return ["one", path]

    return ran, look


def test_equal_calls_at_the_same_time_run_once() -> None:
    ran: list[int] = []

    @tool(grade=READ)
    async def slow(n: int) -> int:
        """Wait."""
        ran.append(n)
        await anyio.sleep(0.05)
        return n

    with scope("t"):
        results = Dispatcher([slow]).call_all_sync([Call("slow", {"n": 1})] * 5)
    assert [data_of(one) for one in results] == [1] * 5
    assert ran == [1]


def test_defaults_do_not_make_another_call() -> None:
    ran, look = counted()
    with scope("t"):
        dispatcher = Dispatcher([look])
        for arguments in ({}, {"path": "."}, {"output_lines": 10, "path": "."}, "{}"):
            send(dispatcher, "look", arguments)
    assert ran == ["."]


def test_what_is_remembered_is_marked_cannot_be_changed_and_repeats_no_effects() -> None:
    @tool(grade=READ)
    def look(context: Context) -> list[str]:
        """Look."""
        context.record(FileEffect(path="a", op="read"))
        return ["one"]

    with scope("t"):
        dispatcher = Dispatcher([look])
        first, second = send(dispatcher, "look"), send(dispatcher, "look")
    assert isinstance(first, Success)
    assert isinstance(second, Success)
    assert (len(first.effects), second.effects, second.meta["cached"]) == (1, (), True)
    with pytest.raises(TypeError):
        second.data.append("two")


@pytest.mark.parametrize("how", ["fails", "other task", "works"])
def test_every_change_clears_whoever_makes_it_and_however_it_ends(how: str) -> None:
    ran, look = counted()

    def change() -> str:
        if how == "fails":
            raise RuntimeError("half done")
        return "done"

    dispatcher = Dispatcher([look, made("change", change)])
    with scope("parent", workspace="w"):
        send(dispatcher, "look")
        if how == "other task":
            with scope("child"):
                send(dispatcher, "change")
        else:
            send(dispatcher, "change")
        send(dispatcher, "look")
    assert len(ran) == 2


def test_a_process_in_the_background_keeps_anything_from_being_remembered() -> None:
    ran, look = counted()

    @tool(grade=EXECUTE)
    def serve(context: Context) -> str:
        """Start a server."""
        context.record(ProcessEffect(command="serve", background=True))
        return "started"

    dispatcher = Dispatcher([look, serve])
    with scope("t"):
        send(dispatcher, "serve")
        send(dispatcher, "look")
        send(dispatcher, "look")
    assert len(ran) == 2


def test_the_third_legitimate_call_is_answered() -> None:
    _, look = counted()
    with scope("t"):
        dispatcher = Dispatcher([look])
        results = [send(dispatcher, "look") for _ in range(4)]
    assert [one.kind for one in results] == ["success"] * 4


# Guards and records


def test_fan_out_does_not_run_a_call_and_throw_its_result_away() -> None:
    bench = Bench()
    dispatcher = Dispatcher(bench.tools(), guards=[fan_out({"read_file": 1})])
    with scope("t"):
        first = send(dispatcher, "read_file", {"path": "a"})
        failed(send(dispatcher, "read_file", {"path": "b"}), Validation, "loop")
    assert data_of(first) == "text of a"
    assert notes_of(first)
    assert bench.ran == ["read a"]


def test_no_message_of_a_guard_names_a_tool_that_is_not_there() -> None:
    dispatcher = Dispatcher(
        [made("only_one", lambda: "x", grade=WRITE)], guards=[repeated_calls(1, 1)]
    )
    with scope("t"):
        texts = [render_result(send(dispatcher, "only_one")) for _ in range(3)]
    assert not any("agent" in text or "read_file" in text for text in texts)


def test_the_recorder_sees_line_ends_and_knows_no_names(tmp_path: Path) -> None:
    @tool(grade=WRITE, touches=["path"])
    def dos2unix(path: str) -> str:
        """Change line ends."""
        file = tmp_path / path
        file.write_bytes(file.read_bytes().replace(b"\r\n", b"\n"))
        return "x"

    (tmp_path / "a.txt").write_bytes(b"one\r\ntwo\r\n")
    recorder = Recorder(tmp_path)
    send(Dispatcher(Toolbox([dos2unix]), recorder=recorder), "dos2unix", {"path": "a.txt"})
    assert recorder.diff().count("\n-") == 2


def test_every_event_tells_where_it_happened() -> None:
    events: list[HookEvent] = []
    dispatcher = Dispatcher(Bench().tools())
    dispatcher.hooks.add("after", events.append)
    with scope("t", workspace="w", role="r"):
        send(dispatcher, "add", {"a": 1, "b": 2}, id="c9")
    [event] = events
    assert (event.call.id, event.scope.task, event.scope.workspace, event.scope.role) == (
        "c9",
        "t",
        "w",
        "r",
    )
    assert isinstance(event.result, Result)


def test_concurrent_tasks_do_not_disturb_each_other() -> None:
    """Nothing of a call is process-wide: no working folder, no current call."""
    seen: list[tuple[str, str]] = []

    @tool(grade=READ, cacheable=False)
    def where(n: int, context: Context) -> str:
        """Say where it runs."""
        time.sleep(0.01)
        seen.append((context.task, context.call_id))
        return context.task

    dispatcher = Dispatcher([where])

    async def one(task: str) -> None:
        with scope(task):
            for n in range(5):
                found = await dispatcher.call(Call("where", {"n": n}, id=f"{task}{n}"))
                assert data_of(found) == task

    async def main() -> None:
        async with anyio.create_task_group() as tasks:
            for task in "abcd":
                tasks.start_soon(one, task)

    anyio.run(main)
    assert len(seen) == 20
    assert all(call_id.startswith(task) for task, call_id in seen)


# What the author of a tool did, and what the model did


def _unlisted(name: str) -> str:
    return {"a": "A"}[name]


@pytest.mark.parametrize("through", ["dispatcher", "source"])
def test_a_validator_that_breaks_is_a_crash_of_the_tool(through: str) -> None:
    @tool(grade=READ)
    def look(name: Annotated[str, AfterValidator(_unlisted)]) -> str:
        """Look."""
        return name

    box = Toolbox([look])
    sent = Call("look", {"name": "b"})
    send_it = Dispatcher(box).call if through == "dispatcher" else box.call
    result = anyio.run(send_it, sent)
    assert isinstance(result, Crashed)
    assert "KeyError" in result.cause


def test_the_placeholder_of_an_example_is_not_run() -> None:
    ran: list[str] = []

    def look(name: str, parts: list[str] = []) -> str:  # noqa: B006
        ran.append(name)
        return name

    dispatcher = Dispatcher([made("look", look, grade=READ)])
    refused = send(dispatcher, "look")
    assert 'for example with: {"name": "<name>"}' in str(refused)
    for sent in ({"name": "<name>"}, '{"name": "x", "parts": ["<parts>"]}'):
        again = send(dispatcher, "look", sent)
        assert isinstance(again, Validation)
        assert "not its placeholder" in str(again)
    assert data_of(send(dispatcher, "look", {"name": "<other>"})) == "<other>"
    assert ran == ["<other>"]
