"""One chain for every tool: names, arguments, crashes, and what must never get out."""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Iterator
from datetime import date
from typing import Any

import anyio
import pytest
from dispatch_samples import Bench, data_of, failed, made, notes_of, send
from hypothesis import given
from hypothesis import strategies as st

from zkit.calls import Call
from zkit.dispatch import (
    CHAIN,
    Dispatcher,
    LiveCall,
    Next,
    PolicyError,
    approve,
    decode_arguments,
    guard,
    limit_time,
    observe,
    permit,
    record,
    remember,
    resolve,
    retry,
    spend,
    with_step,
)
from zkit.errors import ToolDefinitionError
from zkit.grade import PURE, READ, WRITE
from zkit.receipt import Fix, Rank
from zkit.repair import repair_json
from zkit.results import Crashed, Refused, Result, Success, Transient, Validation
from zkit.sources import Kit, ToolSource
from zkit.tools import Context, ToolSpec, render_result, tool


@pytest.fixture
def bench() -> Bench:
    return Bench()


@pytest.fixture
def dispatcher(bench: Bench) -> Dispatcher:
    return Dispatcher(bench.tools())


# The chain


def test_the_order_of_the_steps_is_one_tuple() -> None:
    steps = (
        observe,
        resolve,
        decode_arguments,
        permit,
        approve,
        spend,
        remember,
        guard,
        record,
        retry,
    )
    assert (*steps, limit_time) == CHAIN


async def shout(call: LiveCall, proceed: Next) -> Result:
    result = await proceed(call)
    return Success(f"{result.data}!") if isinstance(result, Success) else result


def test_a_step_is_one_async_function(bench: Bench) -> None:
    loud = Dispatcher(bench.tools(), chain=with_step(shout, after=decode_arguments))
    assert data_of(send(loud, "read_file", {"path": "a"})) == "text of a!"
    assert with_step(shout, before=observe)[0] is shout
    with pytest.raises(ValueError, match="either before"):
        with_step(shout)


def test_a_step_sees_the_tool_and_decoded_arguments(bench: Bench) -> None:
    seen: list[Any] = []

    async def look(call: LiveCall, proceed: Next) -> Result:
        seen.append((call.spec.name, dict(call.arguments), call.policy.parallel))
        return await proceed(call)

    send(
        Dispatcher(bench.tools(), chain=with_step(look, after=decode_arguments)),
        "add",
        '{"a":"1","b":2,}',
    )
    assert seen == [("add", {"a": 1, "b": 2}, True)]


def test_nobody_can_change_decoded_arguments_in_place(bench: Bench) -> None:
    async def meddle(call: LiveCall, proceed: Next) -> Result:
        call.arguments["path"] = "elsewhere"
        return await proceed(call)

    changed = Dispatcher(bench.tools(), chain=with_step(meddle, after=permit))
    failed(send(changed, "read_file", {"path": "a"}), Crashed)
    assert bench.ran == []


async def fails(call: LiveCall, proceed: Next) -> Result:
    raise RuntimeError("a bug in a step")


async def returns_nothing(call: LiveCall, proceed: Next) -> Result:
    return None  # type: ignore[return-value]


@pytest.mark.parametrize("step", [fails, returns_nothing])
@pytest.mark.parametrize("at", [observe, resolve, decode_arguments, limit_time])
def test_a_step_that_is_broken_gives_a_result(step: Any, at: Any, bench: Bench) -> None:
    broken = Dispatcher(bench.tools(), chain=with_step(step, before=at))
    crashed = failed(send(broken, "add", {"a": 1, "b": 2}), Crashed)
    assert "a bug" not in str(crashed)
    assert bench.ran == []


def test_functions_and_tools_make_a_source_and_other_things_do_not() -> None:
    def double(n: int) -> int:
        """Double a number."""
        return 2 * n

    assert data_of(send(Dispatcher([double]), "double", {"n": 4})) == 8
    with pytest.raises(ToolDefinitionError):
        Dispatcher("double")


def test_a_dispatcher_is_a_source(dispatcher: Dispatcher, bench: Bench) -> None:
    assert isinstance(dispatcher, ToolSource)
    names = [one.definition().name for one in dispatcher.tools()]
    assert names == ["add", "delete_file", "read_file", "run_shell", "write_file"]
    outer = Dispatcher(Kit(dispatcher, {"plus": "add", "rm": "delete_file"}))
    assert data_of(send(outer, "plus", {"a": 1, "b": 2})) == 3
    allowed = Dispatcher(Kit(dispatcher, ["delete_file"]), approve=lambda call: True)
    failed(send(allowed, "delete_file", {"path": "a"}), Refused, "approval")
    assert bench.ran == ["add 1 2"]


# Names


SPELLINGS = [
    "read_file",
    "Read_File",
    "read-file",
    "READFILE",
    "readFile",
    "read file",
    " read_file\n",
    "functions.read_file",
    "functions.read_file:0",
    "function.readFile",
    "tools.read_file",
    "default_api.read_file",
    "read_file<|channel|>commentary",
    "read_file<|channel|>",
    "<|start|>read_file",
    "<|im_start|>functions.read_file<|im_end|>",
    'read_file" />',
    '"read_file"',
    "<tool_name>read_file</tool_name>",
    "<tool_name>read_file",
    "read_file()",
    "read_fileread_file",
    "read_file.read_file",
    "functions.read_fileread_file",
    "ReadFileReadFile",
]


@pytest.mark.parametrize("name", SPELLINGS)
def test_a_name_that_is_only_spelt_otherwise_finds_its_tool(name: str, bench: Bench) -> None:
    outcome: Any = None
    dispatcher = Dispatcher(bench.tools())

    async def look(call: LiveCall, proceed: Next) -> Result:
        nonlocal outcome
        outcome = call
        return await proceed(call)

    dispatcher = Dispatcher(bench.tools(), chain=with_step(look, after=resolve))
    assert data_of(send(dispatcher, name, {"path": "a"})) == "text of a"
    assert outcome.name == "read_file"
    renamed = [fix.name for fix in outcome.fixes]
    assert renamed == ([] if name == "read_file" else ["respell_tool_name"])


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("read_fil", "read_file"),
        ("readfiles", "read_file"),
        ("json_tool_call", ""),
        ("read_file_write_file", ""),
        ("read_filewrite_file", ""),
        ("python", ""),
        ("", ""),
        ("   ", ""),
        ("<|channel|>", ""),
        ("x" * 100_000, ""),
        ("read_file" * 5000, ""),
    ],
)
def test_any_other_name_is_answered_with_the_nearest_and_the_list(
    name: str, near: str, dispatcher: Dispatcher, bench: Bench
) -> None:
    unknown = failed(send(dispatcher, name), Validation, "unknown_tool")
    text = render_result(unknown)
    assert "add, delete_file, read_file, run_shell, write_file" in text
    assert len(text) < 500
    assert not near or f"Did you mean {near}" in text
    assert bench.ran == []


def test_a_name_that_two_tools_could_mean_is_refused() -> None:
    def answer() -> str:
        """Answer."""
        return "x"

    two = Dispatcher([made("read_file", answer, grade=READ), made("read-file", answer, grade=READ)])
    assert data_of(send(two, "read_file")) == "x"
    assert data_of(send(two, "functions.read-file")) == "x"
    for name in ("Read_File", "readfile", "functions.READ-FILE"):
        failed(send(two, name), Validation, "unknown_tool")


def test_a_wire_name_is_no_repair(bench: Bench) -> None:
    dispatcher = Dispatcher([made("git.status", lambda: "clean", grade=READ)])
    assert data_of(send(dispatcher, "git__dot__status")) == "clean"
    assert data_of(send(dispatcher, "git.status")) == "clean"
    assert dispatcher.metrics.of("git.status").repaired == 0


@given(st.text(max_size=40))
def test_no_name_is_raised_about(name: str) -> None:
    bench = Bench()
    result = send(Dispatcher(bench.tools()), name, {"path": "a"})
    assert render_result(result).strip()


# Arguments


def test_arguments_are_repaired_as_far_as_the_grade_allows(
    dispatcher: Dispatcher, bench: Bench
) -> None:
    guessed = '{"path": "a", "content": "he said "no" to it"}'
    refused = failed(send(dispatcher, "write_file", guessed), Validation)
    assert "write_file" in str(refused)
    assert data_of(send(dispatcher, "write_file", '{"path": "a", "content": "b",}')) == "written"
    assert data_of(send(dispatcher, "read_file", '{"path": "the "big" file.txt"}')).startswith(
        "text of"
    )
    assert bench.ran == ["write a", 'read the "big" file.txt']


@pytest.mark.parametrize("name", ["read_file", "write_file"])
def test_what_was_cut_off_never_runs(name: str, bench: Bench) -> None:
    free = {0: {"limit": Rank.SALVAGE}, 1: {"limit": Rank.SALVAGE}, 3: {"limit": Rank.CUT}}
    open_handed = Dispatcher(bench.tools(), policy=free)
    cut = failed(send(open_handed, name, '{"path": "some/wher'), Validation, "truncated")
    assert cut.message
    short = '{"path": "a", "content": "b"'
    result = open_handed.call_sync(Call(name, short), finish_reason="length")
    failed(result, Validation, "truncated")
    fix = Fix("close_string", Rank.CUT, 0, 0, '"', "cut")
    salvaged = Call(name, {"path": "a", "content": "b"}, rank=Rank.CUT, fixes=(fix,))
    failed(open_handed.call_sync(salvaged), Validation, "truncated")
    assert bench.ran == []


def test_each_cell_of_the_policy_can_be_set_by_column_and_by_tool(bench: Bench) -> None:
    guessed = '{"path": "the "big" file.txt"}'
    strict = Dispatcher(bench.tools(), policy={1: {"limit": Rank.RESPELL}})
    failed(send(strict, "read_file", guessed), Validation)
    loose = Dispatcher(bench.tools(), policy={"write_*": {"limit": "GUESS", "confirm": False}})
    shaped = {"path": "a", "content": "b"}
    assert data_of(send(loose, "write_file", shaped, tier="shape")) == "written"
    failed(send(loose, "run_shell", {"command": "ls"}, tier="shape"), Validation, "unconfirmed")


@pytest.mark.parametrize(
    "policy", [{4: {}}, {"add": {"limits": 3}}, {"!add": {}}, {"two words": {}}]
)
def test_a_policy_that_says_nothing_is_refused_at_once(policy: Any, bench: Bench) -> None:
    with pytest.raises(PolicyError):
        Dispatcher(bench.tools(), policy=policy)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.floats(allow_nan=False) | st.text(),
    lambda part: st.lists(part, max_size=3) | st.dictionaries(st.text(), part, max_size=3),
    max_leaves=8,
)


@given(st.sampled_from(["add", "read_file", "write_file"]), JSON | st.text() | st.binary())
def test_no_arguments_are_raised_about_and_every_result_has_a_text(name: str, sent: Any) -> None:
    result = send(Dispatcher(Bench().tools()), name, sent)
    assert isinstance(result, Result)
    assert render_result(result).strip()
    assert json.loads(result.to_json())["kind"] == result.kind


def test_the_tool_gets_a_copy_that_it_may_change() -> None:
    class Greedy:
        def definition(self) -> ToolSpec:
            schema = {"type": "object", "properties": {"a": {}, "b": {"type": "array"}}}
            return ToolSpec("greedy", parameters=schema, grade=READ, cacheable=False)

        def execute(self, call: Call, /) -> Result:
            call.arguments["b"].append(len(call.arguments.pop("a")))
            if len(call.arguments["b"]) > 3:
                return Success(call.arguments)
            raise Transient("again")

    sent = {"a": "xx", "b": [1, 2]}
    result = send(Dispatcher([Greedy()], attempts=2, longest_wait=0.01), "greedy", sent)
    failed(result, Transient)
    assert sent == {"a": "xx", "b": [1, 2]}


# What a tool does


def test_a_crash_is_logged_once_and_its_insides_stay_inside(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def broken() -> str:
        """Break."""
        raise RuntimeError(
            "cannot open /srv/app/lib/store.py:12 with password=hunter22 as Bearer abcdef123456\n"
            "Traceback: everything"
        )

    with caplog.at_level(logging.DEBUG):
        crashed = failed(send(Dispatcher([broken]), "broken"), Crashed, "tool_exception")
    assert len([entry for entry in caplog.records if entry.exc_info]) == 1
    text = render_result(crashed)
    assert "RuntimeError: cannot open" in text
    for inside in ("hunter22", "abcdef123456", "store.py", "Traceback", ".py"):
        assert inside not in text
    assert "fault in the tool" in text
    assert isinstance(crashed.__cause__, RuntimeError)


@pytest.mark.parametrize("error", [SystemExit(2), BaseException("odd"), StopIteration("x")])
@pytest.mark.parametrize("runs_async", [True, False])
def test_even_a_tool_that_exits_gives_a_result(error: BaseException, runs_async: bool) -> None:
    def plain() -> str:
        raise error

    async def waiting() -> str:
        raise error

    dispatcher = Dispatcher([made("odd", waiting if runs_async else plain, grade=READ)])
    failed(send(dispatcher, "odd"), Crashed)
    failed(send(dispatcher, "odd"), Crashed)


@pytest.mark.parametrize("failure", [Validation("x"), Transient("x"), Refused("x"), Crashed("x")])
def test_a_failure_may_be_returned_or_raised(failure: Any) -> None:
    def returns() -> Any:
        """Return it."""
        return failure

    def raises() -> str:
        """Raise it."""
        raise failure

    both = Dispatcher([returns, raises], attempts=1)
    results = [send(both, "returns"), send(both, "raises")]
    assert [type(one) for one in results] == [type(failure)] * 2
    assert [str(one) for one in results] == ["x", "x"]


class Promising:
    """A tool that is not made by zkit, with an output schema."""

    def __init__(self, data: Any) -> None:
        self.data = data

    def definition(self) -> ToolSpec:
        output = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
        return ToolSpec("count", output=output, grade=READ)

    def execute(self, call: Call, /) -> Any:
        return Success(self.data)


@pytest.mark.parametrize("data", [{"n": "three"}, {}, None, "text", [1], 3])
def test_data_of_another_type_than_promised_is_the_tools_fault(data: Any) -> None:
    crashed = failed(send(Dispatcher([Promising(data)]), "count"), Crashed)
    assert "something else than it promises" in str(crashed)


def test_data_that_keeps_the_promise_passes() -> None:
    assert data_of(send(Dispatcher([Promising({"n": 3, "more": 1})]), "count")) == {
        "n": 3,
        "more": 1,
    }


def test_a_return_annotation_is_a_promise_too() -> None:
    def count() -> int:
        """Count."""
        return "many"  # type: ignore[return-value]

    def some_numbers() -> Iterator[int]:
        """Yield numbers."""
        yield from (1, 2)

    dispatcher = Dispatcher([count, some_numbers])
    failed(send(dispatcher, "count"), Crashed)
    assert data_of(send(dispatcher, "some_numbers")) == [1, 2]


def test_a_result_of_50_megabytes_stays_whole_and_is_shortened_for_the_model() -> None:
    size = 50_000_000

    @tool(grade=PURE)
    def huge() -> str:
        """Return much."""
        return "head " + "x" * (size - 10) + " tail"

    from zkit.tools import scope

    dispatcher = Dispatcher([huge])
    with scope("big"):
        for _ in range(3):
            result = send(dispatcher, "huge")
    assert len(data_of(result)) == size
    text = render_result(result)
    assert len(text) <= 50_000
    assert text.startswith("head")
    assert "characters" in text
    assert " tail" in text


def test_effects_of_a_failing_tool_are_not_lost() -> None:
    from zkit.effects import FileEffect

    @tool
    def half(context: Context) -> str:
        """Write half."""
        context.record(FileEffect(path="a", op="modify"))
        raise RuntimeError("no space left")

    crashed = failed(send(Dispatcher([half]), "half"), Crashed)
    assert [effect.kind for effect in crashed.effects] == ["file"]


def test_a_source_of_somebody_else_is_called_by_way_of_its_own_call() -> None:
    class Remote:
        version = 1

        def tools(self) -> list[Any]:
            return [made("far", lambda: "here", grade=WRITE)]

        def get(self, name: str) -> Any:
            return self.tools()[0] if name == "far" else None

        async def call(self, call: Call, /) -> Result:
            return Success(f"there: {call.name}")

    dispatcher = Dispatcher(Remote())
    assert data_of(send(dispatcher, "Far")) == "there: far"
    failed(send(dispatcher, "near"), Validation, "unknown_tool")
    assert notes_of(send(dispatcher, "far")) == []


def test_importing_dispatch_loads_neither_rich_nor_openai() -> None:
    import subprocess

    code = "import sys, zkit.dispatch; print([m for m in ('rich', 'openai', 'mcp', 'tenacity') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_arguments_and_answers_that_are_nested_too_deep_are_handled() -> None:
    from zkit.dispatch import budget
    from zkit.tools import scope

    deep: Any = "x"
    for _ in range(5000):
        deep = [deep]

    @tool(grade=READ)
    def echo(value: Any) -> Any:
        """Echo."""
        return value

    dispatcher = Dispatcher([echo])
    with scope("t"), budget(tokens=10**9):
        for sent in ({"value": deep}, '{"value": ' + "[" * 5000 + "]" * 5000 + "}"):
            assert render_result(send(dispatcher, "echo", sent))


@pytest.mark.parametrize("name", [None, 3, ["add"], b"add"])
def test_a_name_that_is_no_text_names_no_tool(name: Any, dispatcher: Dispatcher) -> None:
    failed(dispatcher.call_sync(Call(name, {})), Validation, "unknown_tool")
    for one in dispatcher.call_all_sync([Call(name, {}), Call(name, {})]):
        failed(one, Validation, "unknown_tool")


def test_hooks_and_numbers_see_a_step_that_is_broken(bench: Bench) -> None:
    received: list[str] = []
    broken = Dispatcher(bench.tools(), chain=with_step(fails, before=retry))
    broken.hooks.add("error", lambda event: received.append(event.point))
    failed(send(broken, "add", {"a": 1, "b": 2}), Crashed)
    assert received == ["error"]
    assert broken.metrics.of("add").failures == {"tool_exception": 1}


def test_a_broken_call_is_repaired_once_and_stays_json_data(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The tool gets the typed value, the history its JSON."""
    got: list[date] = []
    repaired: list[str] = []

    @tool(grade=WRITE)
    def book(on: date) -> str:
        """Book a day."""
        got.append(on)
        return "booked"

    def counted(text: str, **options: Any) -> Any:
        repaired.append(text)
        return repair_json(text, **options)

    monkeypatch.setattr("zkit.repair.repair_json", counted)
    sent = Call("book", '{"on": "2026-11-16",}')
    outcome = anyio.run(Dispatcher([book]).outcome, sent)
    assert isinstance(outcome.result, Success)
    assert got == [date(2026, 11, 16)]
    assert outcome.call.arguments == {"on": "2026-11-16"}
    assert repaired == [sent.arguments]
