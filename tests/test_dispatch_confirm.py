"""Calls found in text: which run at once, and how the others are confirmed."""

from __future__ import annotations

import json
from typing import Any, get_args

import anyio
import pytest
from dispatch_samples import Bench, data_of, failed, send
from hypothesis import given
from hypothesis import strategies as st

from zkit.calls import Call, Position, Tier
from zkit.dispatch import Dispatcher, ask_later, repeated_calls
from zkit.dispatch.approval import nobody_to_ask
from zkit.grade import EXECUTE, PURE, READ, WRITE, Grade
from zkit.receipt import Rank
from zkit.results import Refused, Result, Success, Validation
from zkit.tools import scope, text_call_action, tool

ROWS = {
    ("marker", "final"): ("run", "run", "run"),
    ("alone", "final"): ("run", "run", "run"),
    ("shape", "final"): ("run", "run", "confirm"),
    ("marker", "followed"): ("confirm", "run", "confirm"),
    ("shape", "followed"): ("confirm", "run", "confirm"),
}
COLUMNS: list[tuple[Grade | None, ...]] = [(None,), (PURE, READ), (EXECUTE, WRITE)]


@pytest.fixture
def bench() -> Bench:
    return Bench()


@pytest.mark.parametrize(("tier", "position"), ROWS)
def test_the_table_of_calls_in_text(tier: Tier, position: Position) -> None:
    for grades, action in zip(COLUMNS, ROWS[tier, position], strict=True):
        for grade in grades:
            assert text_call_action(grade, tier, position) == action


@given(
    st.sampled_from([None, PURE, READ, EXECUTE, WRITE]),
    st.sampled_from(get_args(Tier)),
    st.sampled_from(get_args(Position)),
)
def test_more_doubt_never_runs_more(grade: Grade | None, tier: Tier, position: Position) -> None:
    assert text_call_action(grade, "native", position) == "run"
    if text_call_action(grade, tier, "final") == "confirm":
        assert text_call_action(grade, tier, "followed") == "confirm"
    if grade is not None and grade.w <= 1:
        assert text_call_action(grade, tier, position) == "run"


def text_call(content: str = "b", position: Position = "followed") -> Call:
    return Call("write_file", {"path": "a", "content": content}, tier="marker", position=position)


def test_a_doubtful_call_runs_when_it_is_sent_again(bench: Bench) -> None:
    dispatcher = Dispatcher(bench.tools())
    told = failed(dispatcher.call_sync(text_call()), Validation, "unconfirmed")
    assert told.message == (
        "Your reply contains a call of write_file followed by more text, so nothing was run."
        " Send the call alone if you mean it."
    )
    assert bench.ran == []
    assert data_of(dispatcher.call_sync(text_call())) == "written"
    failed(dispatcher.call_sync(text_call()), Validation, "unconfirmed")


def test_a_call_by_its_shape_says_that_it_was_plain_text(bench: Bench) -> None:
    arguments = {"path": "a", "content": "b"}
    told = send(Dispatcher(bench.tools()), "write_file", arguments, tier="shape")
    assert (
        "a call of write_file in plain text, so" in failed(told, Validation, "unconfirmed").message
    )


def test_other_arguments_confirm_nothing(bench: Bench) -> None:
    dispatcher = Dispatcher(bench.tools())
    dispatcher.call_sync(text_call("one"))
    failed(dispatcher.call_sync(text_call("two")), Validation, "unconfirmed")
    assert bench.ran == []


def test_decoded_arguments_are_compared_not_their_spelling() -> None:
    ran: list[int] = []

    @tool(grade="write")
    def keep(count: int, mode: str = "fast") -> str:
        """Keep."""
        ran.append(count)
        return mode

    dispatcher = Dispatcher([keep])
    dispatcher.call_sync(Call("keep", "{count: 3}", tier="shape"))
    again = Call("keep", {"mode": "fast", "count": 3}, tier="shape")
    assert data_of(dispatcher.call_sync(again)) == "fast"
    assert ran == [3]


def turn(dispatcher: Dispatcher, *calls: Call) -> list[Result]:
    return anyio.run(dispatcher.call_all, calls)


def test_equal_calls_of_one_reply_do_not_confirm_each_other(bench: Bench) -> None:
    dispatcher = Dispatcher(bench.tools())
    with scope("task"):
        for result in turn(dispatcher, text_call(), text_call()):
            failed(result, Validation, "unconfirmed")
        assert data_of(turn(dispatcher, text_call())[0]) == "written"


def test_only_the_next_reply_confirms(bench: Bench) -> None:
    dispatcher = Dispatcher(bench.tools())
    with scope("task"):
        turn(dispatcher, text_call())
        turn(dispatcher, Call("read_file", {"path": "a"}))
        failed(turn(dispatcher, text_call())[0], Validation, "unconfirmed")


def test_tasks_do_not_confirm_for_each_other(bench: Bench) -> None:
    dispatcher = Dispatcher(bench.tools())
    with scope("one"):
        dispatcher.call_sync(text_call())
    with scope("two"):
        failed(dispatcher.call_sync(text_call()), Validation, "unconfirmed")


def test_what_waits_can_be_saved_and_restored(bench: Bench) -> None:
    before, after = Dispatcher(bench.tools()), Dispatcher(bench.tools())
    with scope("task"):
        turn(before, text_call())
        saved = json.loads(json.dumps(before.unconfirmed_calls()))
    assert [entry["tool"] for entry in saved] == ["write_file"]
    with scope("task"):
        after.restore_unconfirmed(saved)
        assert after.unconfirmed_calls() == saved
        rest = after.turn([text_call()], resumed=True)
        failed(anyio.run(rest.run)[0], Validation, "unconfirmed")
        assert data_of(turn(after, text_call())[0]) == "written"


@pytest.mark.parametrize("junk", [[1], ["x"], [{}], [{"tool": 1, "digest": "", "arguments": {}}]])
def test_junk_is_not_restored(junk: Any, bench: Bench) -> None:
    with pytest.raises(ValueError, match="waiting call"):
        Dispatcher(bench.tools()).restore_unconfirmed(junk)


def test_an_approver_is_asked_in_place_of_the_model(bench: Bench) -> None:
    asked: list[tuple[str, str, str]] = []

    def approver(call: Call) -> bool:
        asked.append((call.name, call.tier, call.position))
        return call.name != "run_shell"

    dispatcher = Dispatcher(bench.tools(), approve=approver)
    assert data_of(dispatcher.call_sync(text_call())) == "written"
    shell = Call("run_shell", {"command": "ls"}, tier="shape")
    failed(dispatcher.call_sync(shell), Refused, "approval")
    delete = Call("delete_file", {"path": "a"}, tier="marker", position="followed")
    assert data_of(dispatcher.call_sync(delete)) == "deleted"
    assert asked == [
        ("write_file", "marker", "followed"),
        ("run_shell", "shape", "final"),
        ("delete_file", "marker", "followed"),
    ]


def test_an_approver_that_has_nobody_to_ask_leaves_it_to_the_model(bench: Bench) -> None:
    dispatcher = Dispatcher(bench.tools(), approve=nobody_to_ask)
    failed(dispatcher.call_sync(text_call()), Validation, "unconfirmed")
    assert data_of(dispatcher.call_sync(text_call())) == "written"
    delete = Call("delete_file", {"path": "a"}, tier="marker", position="followed")
    for _ in range(2):
        failed(dispatcher.call_sync(delete), Refused, "approval")


def test_a_doubtful_call_can_wait_for_a_human(bench: Bench) -> None:
    dispatcher = Dispatcher(bench.tools(), approve=ask_later)
    waits = failed(dispatcher.call_sync(text_call()), Refused, "approval")
    assert waits.meta["pause"] == {"for": "approval"}


def test_confirming_can_be_switched_off(bench: Bench) -> None:
    never = Dispatcher(bench.tools(), confirm="never")
    assert data_of(never.call_sync(text_call())) == "written"
    by_tool = Dispatcher(bench.tools(), policy={"write_*": {"confirm": False}})
    assert data_of(by_tool.call_sync(text_call())) == "written"
    with pytest.raises(ValueError, match="confirm"):
        Dispatcher(bench.tools(), confirm="sometimes")  # type: ignore[arg-type]


def test_a_tool_without_a_grade_runs_by_its_shape() -> None:
    def weather(city: str) -> str:
        """Tell the weather."""
        return f"sunny in {city}"

    dispatcher = Dispatcher([weather])
    found = Call("weather", {"city": "Oslo"}, tier="shape")
    assert data_of(dispatcher.call_sync(found)) == "sunny in Oslo"
    followed = Call("weather", {"city": "Oslo"}, tier="shape", position="followed")
    failed(dispatcher.call_sync(followed), Validation, "unconfirmed")


def test_the_repetition_guard_does_not_count_what_waits(bench: Bench) -> None:
    dispatcher = Dispatcher(bench.tools(), guards=[repeated_calls(note=2, refuse=2)])
    with scope("task"):
        for _ in range(3):
            turn(dispatcher, text_call())
            turn(dispatcher, Call("read_file", {"path": "b"}))
        failed(turn(dispatcher, text_call())[0], Validation, "unconfirmed")
        assert isinstance(turn(dispatcher, text_call())[0], Success)


def test_names_of_ranks_and_grades_will_do() -> None:
    assert Rank.of("complete") is Rank.of(Rank.COMPLETE) is Rank.of(3) is Rank.COMPLETE
    assert Grade.of("read") == Grade.of((1, 0)) == Grade.of(READ) == READ
    for wrong in ("best", "", "7"):
        with pytest.raises(ValueError, match="there is no rank"):
            Rank.of(wrong)
        with pytest.raises(ValueError, match="there is no grade"):
            Grade.of(wrong)
    for other in (None, True, 9, 1.0):
        with pytest.raises(TypeError):
            Rank.of(other)
        with pytest.raises(TypeError):
            Grade.of(other)

    @tool(grade="read", limit="RESPELL")
    def look(path: str) -> str:
        """Look."""
        return path

    assert (look.definition().grade, look.definition().limit) == (READ, Rank.RESPELL)
