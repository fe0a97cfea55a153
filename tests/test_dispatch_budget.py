"""What a task may spend: reserved before, settled after, whatever comes of the call."""

from __future__ import annotations

import threading
from typing import Any

import anyio
import pytest
from dispatch_samples import Bench, data_of, failed, made, notes_of, send
from hypothesis import given, settings
from hypothesis import strategies as st

from zkit.calls import Call
from zkit.dispatch import Dispatcher, Limits, budget, current_budget
from zkit.grade import READ
from zkit.results import Refused, Result, Success, Transient, Validation
from zkit.tools import scope, tool

ONE = {"a": 1, "b": 1}


@pytest.fixture
def bench() -> Bench:
    return Bench()


def test_calls_are_counted_and_refused_with_the_setting_that_raises_it(bench: Bench) -> None:
    dispatcher = Dispatcher(bench.tools())
    with budget(calls=2) as spent:
        assert [send(dispatcher, "add", ONE).kind for _ in range(3)] == [
            "success",
            "success",
            "refused",
        ]
        refused = failed(send(dispatcher, "add", ONE), Refused, "budget")
        assert spent.calls == 2
    assert "budget of 2 calls is used up (calls)" in str(refused)
    assert current_budget() is None
    assert data_of(send(dispatcher, "add", ONE)) == 2


def test_single_tools_can_have_their_own_limit(bench: Bench) -> None:
    dispatcher = Dispatcher(bench.tools(), budget=Limits(per_tool={"read_*": 1}))
    with scope("t"):
        assert data_of(send(dispatcher, "read_file", {"path": "a"}))
        refused = failed(send(dispatcher, "read_file", {"path": "b"}), Refused, "budget")
        assert "per_tool['read_*']" in str(refused)
        assert data_of(send(dispatcher, "add", ONE)) == 2


def test_a_task_has_its_own_budget_and_it_ends_with_the_task(bench: Bench) -> None:
    dispatcher = Dispatcher(bench.tools(), budget=Limits(calls=1), memory=False)
    for task in ("one", "two", "one"):
        with scope(task):
            data_of(send(dispatcher, "add", ONE))
            failed(send(dispatcher, "add", ONE), Refused, "budget")
    assert len(dispatcher.settings.budgets) == 0


def test_without_a_task_the_limit_holds_all_the_same(bench: Bench) -> None:
    dispatcher = Dispatcher(bench.tools(), budget=Limits(calls=1))
    data_of(send(dispatcher, "add", ONE))
    failed(send(dispatcher, "add", ONE), Refused, "budget")


def test_what_did_not_run_costs_nothing(bench: Bench) -> None:
    dispatcher = Dispatcher(bench.tools(), deny=["run_shell"])
    with budget(calls=1, tokens=1000) as spent:
        failed(send(dispatcher, "nobody"), Validation)
        failed(send(dispatcher, "add", {"a": "x"}), Validation)
        failed(send(dispatcher, "run_shell", {"command": "x"}), Refused)
        failed(send(dispatcher, "delete_file", {"path": "x"}), Refused)
        assert (spent.calls, spent.tokens) == (0, 0)
        data_of(send(dispatcher, "add", ONE))


def test_a_failing_call_that_ran_is_settled_not_lost() -> None:
    def breaks() -> str:
        """Break."""
        raise RuntimeError("x" * 20)

    dispatcher = Dispatcher([breaks])
    with budget(tokens=10_000) as spent:
        send(dispatcher, "breaks")
        once = spent.tokens
        send(dispatcher, "breaks")
        assert 0 < once < 100
        assert spent.tokens == 2 * once
        assert spent.calls == 2


def test_an_answer_from_memory_costs_its_tokens_but_no_call(bench: Bench) -> None:
    dispatcher = Dispatcher(bench.tools())
    with scope("t"), budget(calls=2, tokens=1000) as spent:
        data_of(send(dispatcher, "read_file", {"path": "a"}))
        before = spent.tokens
        assert data_of(send(dispatcher, "read_file", {"path": "a"})) == "text of a"
        assert spent.calls == 1
        assert spent.tokens > before


def test_a_result_above_the_limit_is_kept_and_the_next_call_refused() -> None:
    """The side effect has happened; to throw the result away would make the model do it again."""

    def talk() -> str:
        """Talk."""
        return "word " * 400

    dispatcher = Dispatcher([made("talk", talk)])
    with budget(tokens=100) as spent:
        result = send(dispatcher, "talk")
        assert data_of(result).startswith("word")
        assert "budget of tokens is used up" in notes_of(result)[0]
        assert spent.tokens > 100
        failed(send(dispatcher, "talk"), Refused, "budget")


def test_a_tool_may_say_how_many_tokens_it_used() -> None:
    def ask() -> Result:
        """Ask another model."""
        return Success("short", meta={"tokens_used": 500})

    with budget(tokens=10_000) as spent:
        send(Dispatcher([ask]), "ask")
        assert 500 <= spent.tokens < 510
        spent.spend_tokens(9_500)
        failed(send(Dispatcher([ask]), "ask"), Refused, "budget")


def test_tokens_are_counted_by_whoever_can_count_them(bench: Bench) -> None:
    dispatcher = Dispatcher(bench.tools(), count_tokens=lambda text: len(text.split()))
    with budget(tokens=100) as spent:
        send(dispatcher, "read_file", {"path": "a"})
        assert spent.tokens == 2 + 3


def test_a_budget_inside_another_one_also_spends_from_that_one(bench: Bench) -> None:
    dispatcher = Dispatcher(bench.tools())
    with budget(calls=3) as outer:
        with budget(calls=2) as inner:
            send(dispatcher, "add", ONE)
            send(dispatcher, "add", ONE)
            failed(send(dispatcher, "add", ONE), Refused, "budget")
        assert (inner.calls, outer.calls) == (2, 2)
        with budget(calls=5):
            data_of(send(dispatcher, "add", ONE))
            failed(send(dispatcher, "add", ONE), Refused, "budget")


def test_async_tasks_inherit_a_budget_and_do_not_share_their_own(bench: Bench) -> None:
    dispatcher = Dispatcher(bench.tools())

    async def child(own: bool, found: list[Any]) -> None:
        if own:
            with budget(calls=1) as spent:
                found.append(await dispatcher.call(Call("add", ONE)))
                found.append(spent.calls)
        else:
            found.append(await dispatcher.call(Call("add", ONE)))

    async def main() -> None:
        found: list[Any] = []
        with budget(calls=10) as spent:
            async with anyio.create_task_group() as tasks:
                for own in (True, True, False):
                    tasks.start_soon(child, own, found)
            assert spent.calls == 3
        assert [one for one in found if isinstance(one, int)] == [1, 1]

    anyio.run(main)
    anyio.run(main, backend="trio")


def test_calls_that_run_together_cannot_both_take_the_last_one() -> None:
    async def slow() -> str:
        """Wait."""
        await anyio.sleep(0.01)
        return "x"

    dispatcher = Dispatcher([made("slow", slow, grade=READ)])
    with budget(calls=3) as spent:
        results = dispatcher.call_all_sync([Call("slow")] * 8)
        assert [one.kind for one in results].count("success") == 3
        assert spent.calls == 3


def test_threads_that_race_never_overspend() -> None:
    ran: list[int] = []

    @tool(grade=READ)
    def take(n: int) -> str:
        """Take."""
        ran.append(n)
        return "x"

    dispatcher = Dispatcher([take], memory=False)
    with budget(calls=25, tokens=100_000) as spent:
        import contextvars

        def work(n: int) -> None:
            for k in range(10):
                dispatcher.call_sync(Call("take", {"n": n * 10 + k}))

        threads = [
            threading.Thread(target=contextvars.copy_context().run, args=(work, n))
            for n in range(6)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert spent.calls == 25
    assert len(ran) == 25


def test_a_retried_call_is_one_call() -> None:
    tries = 0

    def flaky() -> str:
        """Fail once."""
        nonlocal tries
        tries += 1
        if tries == 1:
            raise Transient("busy", retry_after=0.0)
        return "x"

    with budget(calls=1) as spent:
        data_of(send(Dispatcher([made("flaky", flaky, grade=READ)]), "flaky"))
        assert spent.calls == 1
    assert tries == 2


OUTCOMES = st.lists(
    st.sampled_from(["success", "crash", "transient", "refused", "unknown", "invalid"]), max_size=12
)


@settings(max_examples=50)
@given(OUTCOMES, st.integers(0, 8))
def test_the_books_balance_whatever_comes_of_the_calls(outcomes: list[str], limit: int) -> None:
    ran = 0

    def act(what: str) -> str:
        nonlocal ran
        ran += 1
        if what == "crash":
            raise RuntimeError
        if what == "transient":
            raise Transient("later")
        if what == "refused":
            raise Refused("no")
        return what

    dispatcher = Dispatcher([tool(description="x")(act)])
    sent = {"unknown": Call("nobody"), "invalid": Call("act", "{}")}
    with budget(calls=limit) as spent:
        for outcome in outcomes:
            dispatcher.call_sync(sent.get(outcome) or Call("act", {"what": outcome}))
        assert spent.calls == ran <= limit
