"""What a hostile or careless tool, model, hook or setting tries; none of it gets through."""

from __future__ import annotations

import asyncio
import json
import logging
import math
import os
import signal
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, ClassVar

import anyio
import pytest
from dispatch_samples import data_of, failed, made, send
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, BeforeValidator, Field

from zkit.calls import Call
from zkit.dispatch import (
    Dispatcher,
    Guard,
    Hooks,
    Limits,
    Recorder,
    resolve,
    verify_files,
    with_step,
)
from zkit.dispatch.permissions import UnmatchedRuleWarning
from zkit.dispatch.portal import run_sync
from zkit.effects import FileEffect
from zkit.errors import KitError, ToolDefinitionError, ToolNameTakenError
from zkit.grade import READ, WRITE
from zkit.results import (
    Crashed,
    Refused,
    Result,
    Success,
    Transient,
    Validation,
    from_json,
)
from zkit.sources import Kit, MemoSource, Overlay, Overlays, Toolbox
from zkit.sources.source import ToolUnavailableWarning
from zkit.tools import Context, ToolSpec, TypedTool, render_result, scope, tool

# ── approval ─────────────────────────────────────────────────────────────────


class Action(Enum):
    """What to do."""

    READ = "read"
    DELETE = "delete"


def by_text(action: str = "read") -> str:
    """Act."""
    return action


def by_enum(action: Action) -> str:
    """Act."""
    return str(action.value)


def by_validator(action: Annotated[str, BeforeValidator({"rm": "delete"}.get)]) -> str:
    """Act."""
    return action


class Args(BaseModel):
    """Arguments with a default that is made."""

    action: str = Field(default_factory=lambda: "delete")


class ByFactory(TypedTool):
    """Act."""

    destructive: ClassVar[Any] = {"action": ["delete"]}
    Args = Args

    def run(self, args: Any) -> str:
        return str(args.action)


class Aliased(BaseModel):
    """Arguments under another name."""

    what: str = Field(alias="action")


class ByAlias(TypedTool):
    """Act."""

    destructive: ClassVar[Any] = {"action": ["delete"]}
    Args = Aliased

    def run(self, args: Aliased) -> str:
        return args.what


def by_list(action: list[str]) -> str:
    """Act."""
    return action[0]


def optional(action: str | None = None) -> str:
    """Act."""
    return str(action)


DESTRUCTIVE: list[tuple[Any, Any]] = [
    (by_text, {"action": "DELETE"}),
    (by_text, {"action": " delete\n"}),
    (by_text, {"action": "de lete"}),
    (by_text, {"action": "ｄｅｌｅｔｅ"}),
    (by_enum, {"action": "delete"}),
    (by_validator, {"action": "rm"}),
    (ByFactory, {}),
    (ByAlias, {"action": "Delete"}),
    (by_list, {"action": ["read", "delete"]}),
    (by_list, {"action": ["read"]}),
    (optional, {}),
]


def destructive_tool(kind: Any) -> Any:
    if isinstance(kind, type):
        return kind
    return tool(destructive={"action": ["delete"]})(kind)


@pytest.mark.parametrize(("kind", "arguments"), DESTRUCTIVE)
def test_what_destroys_is_judged_by_its_decoded_value(kind: Any, arguments: Any) -> None:
    box = Toolbox([destructive_tool(kind)])
    [name] = box.names()
    ways: list[Callable[[Call], Result]] = [
        Dispatcher(box).call_sync,
        lambda call: run_sync(box.call, call),
        lambda call: run_sync(MemoSource(box).call, call),
        lambda call: run_sync(Kit(box, {"other": name}).call, Call("other", call.arguments)),
    ]
    for way in ways:
        failed(way(Call(name, arguments)), Refused, "approval")
    asked: list[Any] = []

    def agree(call: Call) -> bool:
        asked.append(call.arguments)
        return True

    approving = Dispatcher(box, approve=agree)
    data_of(approving.call_sync(Call(name, arguments)))
    assert len(asked) == 1


def test_what_does_not_destroy_is_not_asked_about() -> None:
    for kind in (by_text, by_enum, by_validator):
        box = Toolbox([destructive_tool(kind)])
        call = Call(box.names()[0], {"action": "read"})
        if kind is by_validator:
            continue
        assert data_of(Dispatcher(box).call_sync(call)) == "read"
        assert data_of(run_sync(box.call, call)) == "read"
        assert data_of(run_sync(MemoSource(box).call, call)) == "read"


@given(st.sampled_from(["delete", "purge all"]), st.data())
def test_no_spelling_of_a_destructive_value_runs_unasked(value: str, data: st.DataObject) -> None:
    spaced = "".join(
        data.draw(st.sampled_from(["", " ", "\t", "\n"]))
        + data.draw(st.sampled_from([c, c.upper()]))
        for c in value
    )
    spec = ToolSpec(
        "x",
        "X.",
        {"properties": {"action": {"type": "string"}}},
        destructive={"action": ["Delete", "PURGE ALL"]},
    )
    assert spec.is_destructive({"action": spaced})


@pytest.mark.parametrize("missing", [{}, {"action": None}, {"action": []}, {"action": {}}])
def test_a_missing_or_compound_value_asks(missing: dict[str, Any]) -> None:
    spec = ToolSpec("x", "X.", {"properties": {"action": {}}}, destructive={"action": ["delete"]})
    assert spec.is_destructive(missing)


def test_a_tool_that_changes_while_approval_is_asked_is_asked_about_again() -> None:
    ran: list[str] = []
    box = Toolbox([made("act", lambda: ran.append("old"), destructive=True)])
    asked: list[str] = []

    def agree(call: Call) -> bool:
        if not asked:
            box.register(made("act", lambda: ran.append("new"), destructive=True), replace=True)
        asked.append(call.name)
        return True

    data_of(send(Dispatcher(box, approve=agree), "act"))
    assert (asked, ran) == (["act", "act"], ["new"])


def test_a_tool_that_never_stays_the_same_does_not_run() -> None:
    ran: list[int] = []
    box = Toolbox([made("act", lambda: ran.append(0), destructive=True)])

    def agree(call: Call) -> bool:
        box.register(made("act", lambda: ran.append(1), destructive=True), replace=True)
        return True

    failed(send(Dispatcher(box, approve=agree), "act"), Refused, "approval")
    assert ran == []


@pytest.mark.parametrize(
    ("happens", "code"),
    [
        (lambda box, on: box.unregister("act"), "unknown_tool"),
        (lambda box, on: box.overlays.change("act", enabled=False), "disabled"),
        (lambda box, on: on.clear(), "disabled"),
    ],
)
def test_after_waiting_everything_is_checked_again(happens: Any, code: str) -> None:
    ran: list[int] = []
    on = {"yes"}
    box = Toolbox([made("act", lambda: ran.append(1), destructive=True)])

    def agree(call: Call) -> bool:
        happens(box, on)
        return True

    result = send(Dispatcher(box, approve=agree, enabled=lambda: bool(on)), "act")
    assert getattr(result, "code", "") == code
    assert ran == []


def test_an_operator_pins_a_destructive_argument() -> None:
    for value, expected in (("read", "read"), ("delete", Refused)):
        overlays = Overlays({"by_text": Overlay(preference={"overrides": {"action": value}})})  # type: ignore[arg-type]
        box = Toolbox([destructive_tool(by_text)], overlays=overlays)
        result = send(Dispatcher(box), "by_text")
        assert data_of(result) == expected if value == "read" else isinstance(result, Refused)


# ── the process ──────────────────────────────────────────────────────────────

EXITS = [KeyboardInterrupt, SystemExit, GeneratorExit, BaseException, asyncio.CancelledError]


def exits(kind: type[BaseException]) -> list[Any]:
    def plain() -> None:
        raise kind

    async def waiting() -> None:
        await anyio.sleep(0)
        raise kind

    return [made("plain", plain), made("waiting", waiting), made("fine", lambda: "fine")]


@pytest.mark.parametrize("kind", EXITS)
def test_no_exception_of_a_tool_affects_another_call(kind: type[BaseException]) -> None:
    dispatcher = Dispatcher(exits(kind))
    for name in ("plain", "waiting"):
        assert not isinstance(send(dispatcher, name), Success)
        assert data_of(send(dispatcher, "fine")) == "fine"

    async def both() -> list[Result]:
        return await dispatcher.call_all([Call("plain"), Call("waiting"), Call("fine")])

    assert data_of(anyio.run(both)[2]) == "fine"


@pytest.mark.parametrize("kind", EXITS[:4])
@pytest.mark.parametrize("is_async", [False, True])
def test_no_exception_of_a_hook_guard_or_approver_affects_another_call(
    kind: type[BaseException], is_async: bool
) -> None:
    def plain(*given: Any) -> Any:
        raise kind

    async def waiting(*given: Any) -> Any:
        raise kind

    bad = waiting if is_async else plain
    hooks = Hooks()
    hooks.add("after", bad)
    guard_failed = "the guard g failed"
    expected: list[tuple[Dispatcher, type[Result], str]] = [
        (Dispatcher([made("act", lambda: 1)], hooks=hooks), Success, ""),
        (
            Dispatcher([made("act", lambda: 1)], guards=[Guard("g", before=bad)]),
            Refused,
            guard_failed,
        ),
        (Dispatcher([made("act", lambda: 1)], guards=[Guard("g", after=bad)]), Success, ""),
        (Dispatcher([made("act", lambda: 1, destructive=True)], approve=bad), Refused, "approv"),
        (Dispatcher([made("act", lambda: 1)], chain=(bad,)), Crashed, "could not handle"),
    ]
    for dispatcher, sort, said in expected:
        result = send(dispatcher, "act")
        assert isinstance(result, sort)
        assert said in str(result)
        assert data_of(send(Dispatcher([made("fine", lambda: "fine")]), "fine")) == "fine"


def test_a_dead_portal_is_replaced() -> None:
    from zkit.dispatch import portal

    fine = Dispatcher([made("fine", lambda: "fine")])
    assert data_of(send(fine, "fine")) == "fine"
    shared, thread = portal._SHARED[0]
    shared.call(shared.stop, True)
    thread.join(10)
    assert data_of(send(fine, "fine")) == "fine"


def test_a_portal_that_is_stopping_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    """It takes no more calls, but its thread still runs."""
    from zkit.dispatch import portal

    fine = Dispatcher([made("fine", lambda: "fine")])
    assert data_of(send(fine, "fine")) == "fine"
    shared, thread = portal._SHARED[0]
    shared.call(shared.stop, True)
    thread.join(10)
    monkeypatch.setattr(thread, "is_alive", lambda: True)
    assert data_of(send(fine, "fine")) == "fine"
    assert portal._SHARED[0][0] is not shared


def test_an_exit_that_no_statement_raised_ends_no_event_loop() -> None:
    """`throw` of a generator leaves no `raise` statement by which to tell it from a `close()`."""
    from zkit.dispatch import portal

    async def thrown() -> None:
        none: list[int] = []
        (part for part in none).throw(GeneratorExit)

    with pytest.raises(GeneratorExit):
        run_sync(thrown)
    fine = Dispatcher([made("fine", lambda: "fine")])
    assert data_of(send(fine, "fine")) == "fine"
    shared = portal._SHARED[0][0]
    with pytest.raises(GeneratorExit):
        run_sync(thrown)
    assert data_of(send(fine, "fine")) == "fine"
    assert portal._SHARED[0][0] is shared


class Unwritable:
    """An object whose text cannot be made."""

    def __init__(self, kind: type[BaseException]) -> None:
        self._kind = kind

    def __str__(self) -> str:
        raise self._kind

    __repr__ = __str__


class BrokenDict(dict[str, Any]):
    """A dict that cannot be read."""

    def items(self) -> Any:
        raise RuntimeError("items")


@pytest.mark.parametrize("kind", [RuntimeError, *EXITS])
def test_a_result_that_cannot_be_written_is_told_all_the_same(kind: type[BaseException]) -> None:
    circle: list[Any] = []
    circle.append(circle)
    bad = Unwritable(kind)
    for data in (bad, [bad], {"a": bad}, {bad: 1}, {(1, 2): bad}, circle, BrokenDict(a=1)):
        assert render_result(Success(data))
        assert render_result(Success(data), output="json")
    assert isinstance(from_json(Success(bad, meta={"seen": bad}).to_json()), Success)


INTERRUPTED = """
import asyncio, signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored where a shell began it with &
from zkit import Call, Dispatcher
from zkit.dispatch import Guard

async def slow() -> str:
    "Wait."
    print("started", flush=True)
    await asyncio.sleep(60)
    return "done"

async def busy() -> str:
    "Block the event loop."
    print("started", flush=True)
    time.sleep(60)
    return "done"

async def fine() -> str:
    "Return at once."
    return "fine"

def look(call):
    print("started", flush=True)
    end = time.monotonic() + 60
    while time.monotonic() < end:
        pass

how = sys.argv[1]
dispatcher = Dispatcher([slow, busy, fine], guards=[Guard("g", before=look)] if "guard" in how else [])
call = Call("fine" if "guard" in how else "busy" if "busy" in how else "slow")
if how == "sync":
    dispatcher.call_sync(call)
elif how == "async":
    asyncio.run(dispatcher.call(call))
else:  # a loop that leaves Python's own handler in place
    asyncio.new_event_loop().run_until_complete(dispatcher.call(call))
print("went on", flush=True)
"""


@pytest.mark.skipif(os.name != "posix", reason="sends SIGINT")
@pytest.mark.parametrize("how", ["sync", "async", "busy tool", "busy guard"])
def test_a_real_interrupt_still_stops_the_program(how: str) -> None:
    process = subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", INTERRUPTED, how],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"started\n"
    process.send_signal(signal.SIGINT)
    try:
        rest, said = process.communicate(timeout=30)
    finally:
        process.kill()
    assert process.returncode != 0
    assert rest == b""
    assert b"KeyboardInterrupt" in said


@pytest.mark.parametrize("kind", [KeyboardInterrupt, GeneratorExit])
def test_an_interrupt_that_a_tool_raises_is_no_real_one(kind: type[BaseException]) -> None:
    """With Python's own handler, only the origin of the exception distinguishes them."""
    dispatcher = Dispatcher(exits(kind))
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    loop = asyncio.new_event_loop()
    try:
        for name in ("plain", "waiting"):
            assert isinstance(loop.run_until_complete(dispatcher.call(Call(name))), Crashed)
        assert data_of(loop.run_until_complete(dispatcher.call(Call("fine")))) == "fine"
    finally:
        loop.close()
        signal.signal(signal.SIGINT, before)


# ── names and memory ─────────────────────────────────────────────────────────


def named(name: str) -> Any:
    return tool(name=name, description="Does it.", grade="read")(lambda: name)


def test_names_and_wire_names_are_one_namespace() -> None:
    for first, second in (("bank.pay", "bank__dot__pay"), ("bank__dot__pay", "bank.pay")):
        with pytest.raises(ToolNameTakenError, match="one name in calls"):
            Toolbox([named(first), named(second)])
        box = Toolbox([named(first)])
        with pytest.raises(ToolNameTakenError, match="one name in calls"):
            box.register(named(second))
        assert box.names() == [first]
    box = Toolbox([named("bank.pay"), named("other")])
    with pytest.raises(KitError, match="one name in calls"):
        Kit(box, {"bank.pay": "bank.pay", "bank__dot__pay": "other"})


def test_what_is_remembered_belongs_to_a_role_and_a_workspace() -> None:
    @tool(grade="read")
    def whoami(context: Context) -> str:
        """Say who calls."""
        return f"{context.scope.role} {context.workspace} {context.scope.depth}"

    dispatcher = Dispatcher([whoami])
    with scope("task"):
        seen = []
        for role in ("admin", "guest"):
            for workspace in ("a", "b"):
                with scope(role=role, workspace=workspace):
                    seen.append(data_of(send(dispatcher, "whoami")))
    assert seen == ["admin a 1", "admin b 1", "guest a 1", "guest b 1"]


# ── settings that must not fail open ─────────────────────────────────────────


def test_an_async_switch_is_refused_and_an_odd_answer_switches_off() -> None:
    async def enabled() -> bool:
        return False

    with pytest.raises(TypeError, match="async"):
        Dispatcher([by_text], enabled=enabled)  # type: ignore[arg-type]
    for answer in (enabled, lambda: 1, lambda: "no"):
        dispatcher = Dispatcher([by_text], enabled=lambda answer=answer: answer())  # type: ignore[misc]
        failed(send(dispatcher, "by_text"), Refused, "disabled")


@pytest.mark.parametrize("told", [-(10**9), True, "5", None, 1.5])
def test_a_tool_cannot_give_itself_a_budget(told: Any) -> None:
    def act() -> Success:
        """Act."""
        return Success("x" * 400, meta={"tokens_used": told})

    dispatcher = Dispatcher([act], budget=Limits(tokens=50))
    with scope("t"):
        data_of(send(dispatcher, "act"))
        failed(send(dispatcher, "act"), Refused, "budget")


def test_many_threads_in_one_task_share_its_budget() -> None:
    ran: list[int] = []

    @tool(grade="read", cacheable=False)
    def act() -> str:
        """Act."""
        ran.append(1)
        return "done"

    dispatcher = Dispatcher([act], budget=Limits(calls=10), guards=())
    ready = threading.Barrier(40)

    def work() -> None:
        with scope("shared"):
            ready.wait()
            dispatcher.call_sync(Call("act"))

    threads = [threading.Thread(target=work) for _ in range(40)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(ran) == 10


def test_a_slip_in_a_list_of_names_is_warned_of() -> None:
    for how in ({"deny": ["by_txt"]}, {"allow": ["by_txt"]}, {"roles": {"r": ["by_txt"]}}):
        with pytest.warns(UnmatchedRuleWarning, match="did you mean by_text"):
            Dispatcher([by_text], **how)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Dispatcher([by_text], deny=["by_text"], allow="*")


# ── results ──────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("effects", ["abc", 5, [3], [{"kind": "x"}], None, [FileEffect]])
def test_wrong_effects_never_lose_a_result(effects: Any) -> None:
    def act(context: Context) -> Success:
        """Act."""
        context.record(effects)
        return Success("done", effects=effects, meta=effects)

    result = send(Dispatcher([act]), "act")
    assert data_of(result) == "done"
    assert result.meta["invalid"]  # type: ignore[attr-defined]


def test_effects_may_be_given_as_mappings() -> None:
    result = Success(1, effects=[{"kind": "file", "path": "a", "op": "read"}])  # type: ignore[arg-type]
    assert result.effects == (FileEffect(path="a", op="read"),)


def test_an_exception_will_do_in_place_of_a_text() -> None:
    def act() -> None:
        """Act."""
        raise Transient(OSError("no route"))  # type: ignore[arg-type]

    dispatcher = Dispatcher([tool(grade="write")(act)])
    result = failed(send(dispatcher, "act"), Transient, "unavailable")
    assert result.cause == "OSError: no route"
    assert isinstance(result.__cause__, OSError)


@pytest.mark.parametrize(
    ("error", "kind", "code", "said"),
    [
        (FileNotFoundError(2, "No such file", "a.txt"), Validation, "not_found", 'no "a.txt"'),
        (PermissionError(13, "Permission denied"), Refused, "denied", "Permission denied"),
        (ValueError("must be even"), Validation, "invalid_arguments", "must be even"),
        (ValueError("token=abcdefgh"), Validation, "invalid_arguments", "[secret]"),
        (KeyError("x"), Crashed, "tool_exception", "KeyError"),
    ],
)
def test_what_plain_tools_raise_says_who_can_fix_it(
    error: Exception, kind: Any, code: str, said: str
) -> None:
    def act() -> None:
        """Act."""
        raise error

    assert said in str(failed(send(Dispatcher([act]), "act"), kind, code))


SECRETS = {
    "in an address": ("GET https://host/v1?key=hunter22x&a=1 failed", "hunter22x"),
    "of a user": ("https://user:hunter2@host refused", "hunter2"),
    "of a service": ("hf_hunterabcdefgh1234 is not valid", "hf_hunter"),
    "of Slack": ("xoxb-123456789012-hunterabcdef", "hunter"),
    "named": ("password='correct horse battery'", "horse"),
    "in a header": ("Authorization: Basic aHVudGVyMjpodW50ZXI=", "aHVudGVy"),
    "encoded": ("body c2stcHJvai1odW50ZXJhYmNkZWZnaDEyMzQ1Njc4", "c2stcHJv"),
}


@pytest.mark.parametrize("where", SECRETS)
@pytest.mark.parametrize("kind", [RuntimeError, ValueError, ConnectionError, TimeoutError])
def test_no_secret_in_an_exception_reaches_the_model(where: str, kind: Any) -> None:
    text, secret = SECRETS[where]

    def act() -> None:
        """Act."""
        raise kind(text)

    result = send(Dispatcher([tool(grade="write")(act)]), "act")
    assert not isinstance(result, Success)
    assert secret not in render_result(result)
    assert secret not in result.to_json()


def test_what_a_model_needs_of_an_exception_stays() -> None:
    said = (
        "commit 9fceb02d0ae598e95dc970b74767f19372d61af8 of ann@example.org is not in /home/ann/x"
    )

    def act() -> None:
        """Act."""
        raise RuntimeError(said)

    assert said in str(failed(send(Dispatcher([act]), "act"), Crashed))


FLOATS = st.recursive(
    st.floats() | st.none() | st.text(max_size=3),
    lambda part: (
        st.lists(part, max_size=3)
        | st.dictionaries(st.sampled_from(["$float", "a"]), part, max_size=2)
    ),
    max_leaves=6,
)


@given(FLOATS)
def test_every_number_survives_the_json_round_trip(data: Any) -> None:
    text = Success(data).to_json()
    json.loads(text, parse_constant=lambda name: pytest.fail(name))
    again = from_json(text)
    assert repr(again.data) == repr(data)  # type: ignore[attr-defined]
    assert math.isnan(from_json(Success(math.nan).to_json()).data)  # type: ignore[attr-defined]


class Fickle:
    """A tool that stops saying what it is."""

    broken = False

    def definition(self) -> ToolSpec:
        if self.broken:
            raise OSError("gone")
        return ToolSpec("fickle", "Fickle.")

    def execute(self, call: Call, /) -> Result:
        return Success("ran")


def test_a_definition_that_raises_makes_the_tool_unavailable() -> None:
    fickle = Fickle()
    box = Toolbox([fickle, by_text])
    dispatcher = Dispatcher(box)
    assert data_of(send(dispatcher, "fickle")) == "ran"
    fickle.broken = True
    box.register(made("later", lambda: 1))
    with pytest.warns(ToolUnavailableWarning, match="Fickle raised OSError"):
        assert box.names() == ["by_text", "later"]
    with pytest.warns(ToolUnavailableWarning):
        failed(send(dispatcher, "fickle"), Validation, "unknown_tool")
    assert data_of(send(dispatcher, "by_text")) == "read"


# ── the log ──────────────────────────────────────────────────────────────────


def test_the_text_of_a_tools_exception_is_logged_at_debug_only(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def act() -> None:
        """Act."""
        raise RuntimeError("password hunter2")

    with caplog.at_level(logging.INFO, "zkit"):
        send(Dispatcher([act]), "act")
    assert "RuntimeError" in caplog.text
    assert "hunter2" not in caplog.text
    with caplog.at_level(logging.DEBUG, "zkit"):
        send(Dispatcher([act]), "act")
    assert "hunter2" in caplog.text


@pytest.mark.parametrize("who", ["hook", "guard", "approver", "step", "progress", "recorder"])
def test_the_text_of_an_operators_exception_is_logged_at_debug_only(
    who: str, caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    def fail(*_: Any) -> Any:
        raise RuntimeError("password hunter2")

    def act(context: Context) -> Success:
        """Act."""
        context.progress(1)
        (tmp_path / "a.txt").write_text("new")
        return Success(1, effects=(FileEffect(path="a.txt", op="create"),))

    hooks = Hooks()
    by_name: dict[str, Any] = {
        "hook": {"hooks": hooks},
        "guard": {"guards": [Guard("g", fail)]},
        "approver": {"approve": fail, "policy": {"act": {"approve": True}}},
        "step": {"chain": with_step(fail, after=resolve)},
        "recorder": {"recorder": Recorder(tmp_path, on_change=fail)},
    }
    settings = by_name.get(who, {})
    if who == "hook":
        hooks.add("before", fail)
    dispatcher = Dispatcher([act], **settings)
    with scope("t", on_progress=fail if who == "progress" else None):
        with caplog.at_level(logging.INFO, "zkit"):
            send(dispatcher, "act")
        assert "RuntimeError" in caplog.text
        assert "hunter2" not in caplog.text
        with caplog.at_level(logging.DEBUG, "zkit"):
            send(dispatcher, "act")
    assert "hunter2" in caplog.text


@pytest.mark.skipif(not hasattr(os, "O_NOFOLLOW"), reason="this system opens through links")
def test_no_guard_or_recorder_reads_through_a_link_that_is_swapped_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The place was checked, then a link took it: what it leads to is not read."""
    root, outside = tmp_path / "root", tmp_path / "outside.json"
    root.mkdir()
    outside.write_text('{"secret": hunter2')

    def swapped(base: str | Path, path: str) -> Path:
        place = Path(base) / path
        place.unlink(missing_ok=True)
        place.symlink_to(outside)
        return place

    monkeypatch.setattr("zkit.dispatch.file_guards.confined", swapped)
    monkeypatch.setattr("zkit.dispatch.recorder.confined", swapped)

    @tool(grade=WRITE, touches=("path",))
    def act(path: str) -> Success:
        """Act."""
        return Success(1, effects=(FileEffect(path=path, op="modify"),))

    recorder = Recorder(root)
    dispatcher = Dispatcher([act], recorder=recorder, guards=[verify_files(root=root)])
    result = send(dispatcher, "act", {"path": "a.json"})
    assert isinstance(result, Success)
    assert "hunter2" not in repr(recorder.changes())
    assert "broken" not in repr(result.meta)


# ── half a character ─────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "arguments",
    [
        '{"path": "\\ud800"}',
        '{"path": "\ud800"}',
        '{"path": ["\\udc00x"]}',
        "{'path': 'a\\ud83d'}",
        '{"\\ud800": "x"}',
        {"path": "\ud800"},
        {"path": {"deep": ["\udfff"]}},
        {"\ud800": 1},
    ],
)
def test_half_a_character_in_the_arguments_is_refused(arguments: Any) -> None:
    ran: list[Any] = []

    @tool(grade=READ)
    def act(path: Any) -> str:
        """Act."""
        ran.append(path)
        return "x"

    refused = failed(send(Dispatcher([act]), "act", arguments), Validation)
    assert refused.code in ("invalid_arguments", "invalid_json")
    assert "half a character" in str(refused)
    str(refused).encode()
    assert ran == []


def test_a_whole_character_of_two_escapes_runs() -> None:
    @tool(grade=READ)
    def act(path: str) -> str:
        """Act."""
        return path

    assert data_of(send(Dispatcher([act]), "act", '{"path": "\\ud83d\\ude00"}')) == "😀"


def test_nothing_is_printed_where_no_log_is_set_up() -> None:
    source = (
        "from zkit import Dispatcher, Call\n"
        "def act():\n    'Act.'\n    raise RuntimeError('hunter2')\n"
        "Dispatcher([act]).call_sync(Call('act'))\n"
    )
    ran = subprocess.run([sys.executable, "-c", source], capture_output=True, check=True)
    assert ran.stderr == b""


# ── lists of tools ───────────────────────────────────────────────────────────


def test_a_dispatcher_is_like_any_other_source_and_a_list_is_a_source() -> None:
    dispatcher = Dispatcher([by_text, named("look")], deny=["look"])
    assert dispatcher.names() == ["by_text"]
    assert [entry["function"]["name"] for entry in dispatcher.openai()] == ["by_text"]
    assert dispatcher.search("act")[0].name == "by_text"
    assert isinstance(dispatcher.describe("by_text"), Success)
    assert isinstance(dispatcher.describe("look"), Refused)
    assert len(dispatcher) == 1
    assert "by_text" in dispatcher
    assert Kit([by_text], {"other": "by_text"}).names() == ["other"]
    assert MemoSource([by_text]).names() == ["by_text"]
    for wrong in ("by_text", 5, {"a": by_text}):
        with pytest.raises(ToolDefinitionError):
            Kit(wrong, "*")  # type: ignore[arg-type]


def test_a_provider_counts_as_a_tag() -> None:
    box = Toolbox()
    box.register(by_text, provider="std")
    box.register(named("look"))
    assert [entry["name"] for entry in box.summaries("std")] == ["by_text"]


# ── a cancellation that nobody asked for ─────────────────────────────────────


async def cancelled(*given: Any) -> Any:
    """Wait for something else that was cancelled."""
    waited = asyncio.get_running_loop().create_future()
    waited.cancel()
    await waited


@pytest.mark.parametrize(
    "settings",
    [
        {"guards": [Guard("g", before=cancelled)]},
        {"guards": [Guard("g", after=cancelled)]},
        {"approve": cancelled, "policy": {"act": {"approve": True}}},
        {"chain": (cancelled,)},
    ],
    ids=["before", "after", "approver", "step"],
)
def test_a_cancellation_inside_of_foreign_code_ends_its_own_call_only(settings: Any) -> None:
    dispatcher = Dispatcher([made("act", lambda: 1)], **settings)
    results = dispatcher.call_all_sync([Call("act", id="1"), Call("act", id="2")])
    assert len(results) == 2
    assert all(isinstance(one, Success | Refused | Crashed) for one in results)


def test_a_real_cancellation_still_goes_on() -> None:
    async def main() -> bool:
        started = asyncio.Event()

        async def ask(call: Call) -> bool:
            started.set()
            await asyncio.sleep(60)
            return True

        dispatcher = Dispatcher([made("act", lambda: 1, destructive=True)], approve=ask)
        task = asyncio.create_task(dispatcher.call(Call("act")))
        await started.wait()
        task.cancel()
        await asyncio.wait([task])
        return task.cancelled()

    assert asyncio.run(main())


# ── a definition that raises ─────────────────────────────────────────────────


class Raises:
    """A tool that says what it is so often, and then raises."""

    def __init__(self, kind: type[BaseException], times: int) -> None:
        self._kind, self.left = kind, times

    def definition(self) -> ToolSpec:
        if self.left <= 0:
            raise self._kind
        self.left -= 1
        return ToolSpec("broken", "Broken.", grade=READ)

    def execute(self, call: Call, /) -> Result:
        return Success("ran")


@pytest.mark.parametrize("kind", [OSError, SystemExit, KeyboardInterrupt])
def test_a_definition_that_raises_takes_no_other_tool_away(kind: type[BaseException]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ToolUnavailableWarning)
        assert Toolbox([Raises(kind, 0), by_text]).names() == ["by_text"]
        broken = Raises(kind, 100)
        box = Toolbox([broken, by_text])
        sources = [box, Kit(box, ["broken", "by_*"]), Kit(box, "*"), MemoSource(box)]
        dispatchers = [Dispatcher(source) for source in sources]
        assert all("broken" in one.names() for one in dispatchers)
        broken.left = 0
        for dispatcher in (*dispatchers, Dispatcher(box, allow=["by_text"])):
            assert data_of(send(dispatcher, "by_text")) == "read"
            assert dispatcher.names() == ["by_text"]
            assert "by_text" in repr(dispatcher)
            assert isinstance(send(dispatcher, "broken"), Validation | Crashed | Refused)
            unknown = failed(send(dispatcher, "by_texd_x"), Validation, "unknown_tool")
            assert "by_text" in str(unknown)
        assert Kit(box, "by_*").names() == Kit(box, "*").names() == ["by_text"]
