"""Hooks, numbers and spans: every outcome is seen, and nobody who looks can break a call."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
import threading
from typing import Any

import anyio
import pytest
from dispatch_samples import Bench, cancel_when, data_of, failed, made, send

from zkit.calls import Call
from zkit.dispatch import POINTS, Dispatcher, HookError, HookEvent, Hooks, Limits, Metrics
from zkit.effects import FileEffect
from zkit.grade import READ
from zkit.results import Crashed, Refused, Result, Success, Transient
from zkit.tools import Context, scope, tool

ONE = {"a": 1, "b": 1}
CLOSING = [point for point in POINTS if point != "before"]


@pytest.fixture
def bench() -> Bench:
    return Bench()


def listened(**settings: Any) -> tuple[Dispatcher, list[HookEvent]]:
    events: list[HookEvent] = []
    hooks = Hooks()
    for point in POINTS:
        hooks.add(point, events.append)

    def breaks() -> str:
        """Break."""
        raise RuntimeError

    return Dispatcher([*Bench().tools(), breaks], hooks=hooks, **settings), events


# Hooks


@pytest.mark.parametrize(
    ("name", "arguments", "point", "settings"),
    [
        ("add", ONE, "after", {}),
        ("add", "nonsense", "error", {}),
        ("nobody", {}, "error", {}),
        ("breaks", {}, "error", {}),
        ("add", ONE, "denied", {"deny": ["add"]}),
        ("delete_file", {"path": "a"}, "denied", {}),
        ("add", ONE, "over_budget", {"budget": Limits(calls=0)}),
        ("add", ONE, "disabled", {"enabled": False}),
    ],
)
def test_every_call_fires_before_and_then_the_point_of_its_outcome(
    name: str, arguments: Any, point: str, settings: Any
) -> None:
    dispatcher, events = listened(**settings)
    with scope("t", role="r", workspace="w"):
        result = send(dispatcher, name, arguments, id="c1")
    assert [event.point for event in events] == ["before", point]
    assert events[0].result is None
    assert events[1].result is result
    assert events[1].seconds > 0
    assert events[1].call.id == "c1"
    assert (events[1].scope.task, events[1].scope.role, events[1].scope.workspace) == (
        "t",
        "r",
        "w",
    )


def test_an_event_has_the_call_as_it_was_read_and_the_attempts() -> None:
    dispatcher, events = listened()
    send(dispatcher, "functions.ADD", '{"a": "1", "b": 1}')
    assert events[0].call.name == "functions.ADD"
    assert (events[1].call.name, dict(events[1].call.arguments)) == ("add", ONE)
    assert events[1].attempts == 1


def test_a_hook_may_be_async_and_is_called_once_however_often_it_is_added(bench: Bench) -> None:
    received: list[str] = []

    async def listen(event: HookEvent) -> None:
        await anyio.sleep(0)
        received.append(event.point)

    dispatcher = Dispatcher(bench.tools())
    dispatcher.hooks.add("before", listen)
    dispatcher.hooks.add("before", listen)
    dispatcher.hooks.on("after")(listen)
    send(dispatcher, "add", ONE)
    assert received == ["before", "after"]
    assert dispatcher.hooks.remove("before", listen)
    assert not dispatcher.hooks.remove("before", listen)
    send(dispatcher, "add", ONE)
    assert received == ["before", "after", "after"]
    dispatcher.hooks.clear()
    assert dispatcher.hooks.at("after") == []


def test_a_point_that_does_not_exist_is_refused() -> None:
    with pytest.raises(HookError, match="before, after"):
        Hooks().add("whenever", print)  # type: ignore[arg-type]


def test_hooks_of_a_workspace_are_called_there_only(bench: Bench) -> None:
    received: list[str] = []
    dispatcher = Dispatcher(bench.tools())
    dispatcher.hooks.add("after", lambda event: received.append("here"), workspace="one")
    dispatcher.hooks.add("after", lambda event: received.append("anywhere"))
    for workspace in ("one", "two"):
        with scope(workspace=workspace):
            send(dispatcher, "add", ONE)
    assert received == ["here", "anywhere", "anywhere"]
    dispatcher.hooks.clear(workspace="one")
    with scope(workspace="one"):
        send(dispatcher, "add", ONE)
    assert received[3:] == ["anywhere"]


@pytest.mark.parametrize("raises", [True, False])
def test_a_before_hook_may_veto(raises: bool, bench: Bench) -> None:
    def veto(event: HookEvent) -> Any:
        if raises:
            raise Refused("not on a Sunday")
        return Refused("not on a Sunday")

    dispatcher = Dispatcher(bench.tools())
    dispatcher.hooks.add("before", veto)
    assert str(failed(send(dispatcher, "add", ONE), Refused)) == "not on a Sunday"
    assert bench.ran == []
    assert dispatcher.metrics.of("(unknown)").failures == {"denied": 1}


def test_an_after_hook_may_withhold_an_answer_but_not_what_was_done() -> None:
    @tool
    def leak(context: Context) -> str:
        """Leak."""
        context.record(FileEffect(path="a", op="modify"))
        return "a secret"

    dispatcher = Dispatcher([leak])
    dispatcher.hooks.add(
        "after", lambda event: Refused("the answer holds a secret") if event.result else None
    )
    refused = failed(send(dispatcher, "leak"), Refused)
    assert str(refused) == "the answer holds a secret"
    assert [effect.kind for effect in refused.effects] == ["file"]


def test_a_before_hook_that_crashes_refuses_the_call(
    bench: Bench, caplog: pytest.LogCaptureFixture
) -> None:
    def crash(event: HookEvent) -> None:
        raise RuntimeError("a bug in a hook")

    dispatcher = Dispatcher(bench.tools())
    dispatcher.hooks.add("before", crash)
    with caplog.at_level(logging.DEBUG):
        refused = failed(send(dispatcher, "add", ONE), Refused, "denied")
    assert "a bug" not in str(refused)
    assert "a bug in a hook" in caplog.text
    assert bench.ran == []


@pytest.mark.parametrize("point", CLOSING)
@pytest.mark.parametrize("runs_async", [True, False])
def test_any_other_hook_that_crashes_changes_nothing(
    point: Any, runs_async: bool, caplog: pytest.LogCaptureFixture
) -> None:
    by_point: dict[str, Any] = {
        "denied": {"deny": ["add"]},
        "over_budget": {"budget": Limits(calls=0)},
        "disabled": {"enabled": False},
    }
    settings = by_point.get(point, {})
    received: list[str] = []

    def crash(event: HookEvent) -> None:
        raise RuntimeError("a bug in a hook")

    async def crash_later(event: HookEvent) -> None:
        await anyio.sleep(0)
        raise RuntimeError("a bug in a hook")

    def call(hooks: Hooks) -> Result:
        dispatcher = Dispatcher(Bench().tools(), hooks=hooks, **settings)
        return send(dispatcher, "nobody" if point == "error" else "add", ONE)

    hooks = Hooks()
    hooks.add(point, crash_later if runs_async else crash)
    hooks.add(point, lambda event: received.append(event.point))
    with caplog.at_level(logging.DEBUG):
        result = call(hooks)
    assert result == call(Hooks())
    assert received == [point]
    assert "a bug in a hook" in caplog.text


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_a_cancelled_call_is_told_too(backend: str) -> None:
    events: list[HookEvent] = []

    async def listen(event: HookEvent) -> None:
        await anyio.sleep(0)
        events.append(event)

    async def hangs() -> str:
        """Hang."""
        begun.append(True)
        await anyio.sleep(60)
        return "x"

    begun: list[bool] = []
    dispatcher = Dispatcher([hangs])
    dispatcher.hooks.add("error", listen)

    async def main() -> None:
        await cancel_when(lambda: bool(begun), lambda: dispatcher.call(Call("hangs")))

    anyio.run(main, backend=backend)
    assert [failed(event.result, Transient).meta["cancelled"] for event in events if event.result]
    assert dispatcher.metrics.of("hangs").cancelled == 1


# Numbers


def test_numbers_by_tool() -> None:
    tries = 0

    def flaky() -> str:
        """Fail once."""
        nonlocal tries
        tries += 1
        if tries == 1:
            raise Transient("busy", retry_after=0.0)
        return "x"

    dispatcher = Dispatcher([*Bench().tools(), made("flaky", flaky, grade=READ)])
    with scope("t"):
        for arguments in ('{"path": "a"}', "{'path': 'a'}", '{"path": "b"}', "{}"):
            send(dispatcher, "read_file", arguments)
        send(dispatcher, "flaky")
        send(dispatcher, "nobody")
        send(dispatcher, "nobody else")
    read = dispatcher.metrics.of("read_file")
    assert (read.calls, read.successes, read.cached, read.repaired) == (4, 3, 1, 1)
    assert read.failures == {"invalid_arguments": 1}
    assert read.success_rate == 0.75
    assert 0 < read.slowest <= read.seconds
    assert dispatcher.metrics.of("flaky").retries == 1
    summary = dispatcher.metrics.summary()
    assert list(summary) == ["(unknown)", "flaky", "read_file"]
    assert summary["(unknown)"]["failures"] == {"unknown_tool": 2}
    assert json.loads(json.dumps(summary)) == summary
    dispatcher.metrics.reset()
    assert dispatcher.metrics.summary() == {}


def test_names_that_a_model_makes_up_do_not_fill_the_memory() -> None:
    dispatcher = Dispatcher(Bench().tools())
    for number in range(50):
        send(dispatcher, f"made_up_{number}")
    assert dispatcher.metrics.of("(unknown)").calls == 50
    assert len(dispatcher.metrics.summary()) == 1


def test_numbers_of_many_threads_add_up() -> None:
    metrics = Metrics()

    def work() -> None:
        for _ in range(500):
            metrics.count("x", Success(1), 0.001)
            metrics.count("x", Crashed("y"), 0.001)

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = metrics.of("x")
    assert (found.calls, found.successes, found.failures["tool_exception"]) == (6000, 3000, 3000)


# Spans


SPANS = """
import json, sys
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from zkit.calls import Call
from zkit.dispatch import Dispatcher

exporter = InMemorySpanExporter()
provider = TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(exporter))
made, make = [], provider.get_tracer
provider.get_tracer = lambda name, *more, **others: (made.append(name), make(name, *more, **others))[1]
trace.set_tracer_provider(provider)
tracer = trace.get_tracer("test")

def add(a: int, b: int) -> int:
    "Add two numbers."
    with tracer.start_as_current_span("inside"):
        return a + b

content = sys.argv[1] == "content"
dispatcher = Dispatcher([add], record_content=content)
with tracer.start_as_current_span("around"):
    dispatcher.call_sync(Call("functions.ADD", '{"a": 1, "b": 2,}', id="c1"))
    dispatcher.call_sync(Call("nobody"))
spans = exporter.get_finished_spans()
names = {span.context.span_id: span.name for span in spans}
print(json.dumps([
    {"name": span.name, "attributes": dict(span.attributes), "status": span.status.status_code.name,
     "parent": names.get(span.parent.span_id) if span.parent else None, "kind": span.kind.name,
     "tracers": made.count("zkit")}
    for span in spans
]))
"""


def spans_of(*arguments: str) -> list[dict[str, Any]]:
    pytest.importorskip("opentelemetry.sdk")
    done = subprocess.run(
        [sys.executable, "-c", SPANS, *arguments], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


def test_the_tracer_is_looked_up_once() -> None:
    assert {span["tracers"] for span in spans_of("no content")} == {1}


def test_a_call_is_a_span_with_the_names_for_generative_ai() -> None:
    inside, added, unknown, around = spans_of("no content")
    assert (added["name"], added["kind"], added["parent"]) == (
        "execute_tool add",
        "INTERNAL",
        "around",
    )
    assert (inside["name"], inside["parent"]) == ("inside", "execute_tool add")
    assert added["attributes"] == {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "add",
        "gen_ai.tool.type": "function",
        "gen_ai.tool.call.id": "c1",
        "gen_ai.tool.description": "Add two numbers.",
        "zkit.decode.rank": "RESPELL",
        "zkit.decode.fixes": ["respell_tool_name", "drop_trailing_comma"],
        "zkit.outcome": "success",
        "zkit.attempts": 1,
        "zkit.cached": False,
    }
    assert unknown["attributes"]["error.type"] == "unknown_tool"
    assert unknown["status"] == "ERROR"
    assert around["name"] == "around"


def test_content_is_recorded_only_when_asked_for() -> None:
    added = spans_of("content")[1]["attributes"]
    assert added["gen_ai.tool.call.arguments"] == '{"a": 1, "b": 2}'
    assert added["gen_ai.tool.call.result"] == "3"


def test_without_opentelemetry_calls_work_all_the_same() -> None:
    code = """
import sys
sys.modules["opentelemetry"] = None
from zkit.calls import Call
from zkit.dispatch import Dispatcher

def one() -> int:
    "One."
    return 1

print(Dispatcher([one]).call_sync(Call("one")).data)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout.strip() == "1", done.stderr


def test_nothing_is_logged_of_arguments_and_results(
    bench: Bench, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO):
        data_of(send(Dispatcher(bench.tools()), "read_file", {"path": "secret.txt"}))
        send(Dispatcher(bench.tools()), "read_file", {"wrong": "secret.txt"})
    assert "secret" not in caplog.text
