"""Who may call what: allow lists, roles, switches, approval. Deny wins, and nothing is open by accident."""

from __future__ import annotations

import threading
from typing import Any

import anyio
import pytest
from dispatch_samples import Bench, data_of, failed, made, send

from zkit.calls import Call
from zkit.dispatch import (
    Dispatcher,
    LiveCall,
    Next,
    approval_key,
    approve,
    permit,
    spend,
    with_step,
)
from zkit.dispatch.permissions import UnmatchedRuleWarning
from zkit.errors import KitError
from zkit.grade import READ, WRITE
from zkit.results import Crashed, Refused, Result, Success, Validation
from zkit.sources import Kit, Toolbox
from zkit.tools import Preference, scope, tool

PATH = {"path": "a"}


@pytest.fixture
def bench() -> Bench:
    return Bench()


def names(dispatcher: Dispatcher) -> list[str]:
    return [one.definition().name for one in dispatcher.tools()]


# Permission


def test_only_what_is_allowed_can_be_called_and_the_listing_says_the_same(bench: Bench) -> None:
    dispatcher = Dispatcher(bench.tools(), allow=["read_*", "add"])
    assert names(dispatcher) == ["add", "read_file"]
    assert dispatcher.get("write_file") is None
    refused = failed(send(dispatcher, "write_file", {"path": "a", "content": "b"}), Refused)
    assert refused.code == "denied"
    assert "write_file is not allowed here" in str(refused)
    assert data_of(send(dispatcher, "read_file", PATH))
    assert bench.ran == ["read a"]


def test_an_allowed_name_is_no_prefix(bench: Bench) -> None:
    """`read` allows neither read_file nor anything else that begins so."""
    with pytest.warns(UnmatchedRuleWarning) as warned:
        dispatcher = Dispatcher(bench.tools(), allow=["read", "ad"])
    assert "'read' matches no tool; did you mean read_file" in str(warned[0].message)
    assert names(dispatcher) == []
    failed(send(dispatcher, "read_file", PATH), Refused, "denied")


def test_deny_wins_over_allow_and_role(bench: Bench) -> None:
    dispatcher = Dispatcher(
        bench.tools(), allow="*", deny=["read_file"], roles={"r": ["read_file", "add"]}
    )
    with scope(role="r"):
        failed(send(dispatcher, "read_file", PATH), Refused, "denied")
        assert data_of(send(dispatcher, "add", {"a": 1, "b": 1})) == 2
        assert names(dispatcher) == ["add"]


def test_a_role_can_only_have_less(bench: Bench) -> None:
    dispatcher = Dispatcher(bench.tools(), allow="add", roles={"admin": "*", "guest": "none"})
    with scope(role="admin"):
        assert names(dispatcher) == ["add"]
    for role in ("guest", "stranger", ""):
        with scope(role=role):
            assert names(dispatcher) == []
            failed(send(dispatcher, "add", {"a": 1, "b": 1}), Refused, "denied")


@pytest.mark.parametrize("rule", ["@git", "#net", "!add", ["*", "!fetch", "!push"]])
def test_providers_tags_and_exclusions_select_tools(rule: Any) -> None:
    tools = [
        made("push", lambda: "x", provider="git"),
        made("fetch", lambda: "x", provider="git", tags=["net"]),
        made("add", lambda: "x"),
    ]
    expected = {"@git": ["fetch", "push"], "#net": ["fetch"], "!add": []}
    found = names(Dispatcher(Toolbox(tools), allow=rule))
    assert found == (["add"] if isinstance(rule, list) else expected[rule])


def test_an_alias_does_not_get_around_a_denied_name(bench: Bench) -> None:
    kit = Kit(Toolbox(bench.tools()), {"put": "write_file"})
    dispatcher = Dispatcher(kit, deny=["write_file"])
    assert names(dispatcher) == []
    failed(send(dispatcher, "put", {"path": "a", "content": "b"}), Refused, "denied")
    assert bench.ran == []


def test_whether_none_means_all_or_nothing_is_never_a_guess(bench: Bench) -> None:
    with pytest.raises(KitError):
        Dispatcher(bench.tools(), allow=None)
    assert names(Dispatcher(bench.tools(), allow="none")) == []
    assert names(Dispatcher(bench.tools(), allow=[])) == []


def test_tools_can_be_switched_off_and_on_while_it_runs(bench: Bench) -> None:
    on = False
    dispatcher = Dispatcher(bench.tools(), enabled=lambda: on)
    failed(send(dispatcher, "read_file", PATH), Refused, "disabled")
    assert names(dispatcher) == []
    on = True
    assert data_of(send(dispatcher, "read_file", PATH))
    off = Dispatcher(bench.tools(), enabled=False)
    failed(send(off, "read_file", PATH), Refused, "disabled")


def test_a_single_tool_that_the_operator_switched_off_says_why() -> None:
    off = Preference(enabled=False, reason="the disk is full")
    dispatcher = Dispatcher([made("save", lambda: "x", preference=off)])
    refused = failed(send(dispatcher, "save"), Refused, "disabled")
    assert "the disk is full" in str(refused)


def test_an_unknown_name_is_answered_with_allowed_names_only(bench: Bench) -> None:
    dispatcher = Dispatcher(bench.tools(), allow=["read_file"])
    text = str(failed(send(dispatcher, "reed_file"), Validation, "unknown_tool"))
    assert "read_file" in text
    assert "write_file" not in text
    assert str(dispatcher.absent("write_file")) == "write_file is not allowed here"


# Approval


def test_a_destructive_call_runs_only_when_it_is_approved(bench: Bench) -> None:
    asked: list[Call] = []

    def agree(call: Call) -> bool:
        asked.append(call)
        return bool(call.arguments["path"] == "a")

    dispatcher = Dispatcher(bench.tools(), approve=agree)
    assert data_of(send(dispatcher, "delete_file", '{"path": "a",}')) == "deleted"
    failed(send(dispatcher, "delete_file", {"path": "b"}), Refused, "approval")
    data_of(send(dispatcher, "write_file", {"path": "a", "content": "b"}))
    assert [(call.name, dict(call.arguments)) for call in asked] == [
        ("delete_file", {"path": "a"}),
        ("delete_file", {"path": "b"}),
    ]
    assert bench.ran == ["delete a", "write a"]


def test_with_nobody_to_ask_it_is_refused(bench: Bench) -> None:
    refused = failed(send(Dispatcher(bench.tools()), "delete_file", PATH), Refused, "approval")
    assert "nobody to ask" in str(refused)
    assert bench.ran == []


@pytest.mark.parametrize("answer", [None, 0, 1, "yes", "no", [], object()])
def test_only_true_is_an_approval(answer: Any, bench: Bench) -> None:
    failed(
        send(Dispatcher(bench.tools(), approve=lambda call: answer), "delete_file", PATH),
        Refused,
        "approval",
    )
    assert bench.ran == []


def test_an_approver_that_crashes_has_not_approved(bench: Bench) -> None:
    def crash(call: Call) -> bool:
        raise RuntimeError("no connection to the operator")

    refused = failed(
        send(Dispatcher(bench.tools(), approve=crash), "delete_file", PATH), Refused, "approval"
    )
    assert "operator" not in str(refused)


def test_an_approver_may_say_why_not(bench: Bench) -> None:
    why = Refused("the file is under review", code="approval")

    def raises(call: Call) -> bool:
        raise why

    for approver in (lambda call: why, raises):
        result = send(Dispatcher(bench.tools(), approve=approver), "delete_file", PATH)
        assert str(failed(result, Refused)) == "the file is under review"


def test_approvers_may_be_async_and_may_wait(bench: Bench) -> None:
    async def agree(call: Call) -> bool:
        await anyio.sleep(0.01)
        return True

    threads: list[str] = []

    def wait(call: Call) -> bool:
        threads.append(threading.current_thread().name)
        return True

    assert data_of(send(Dispatcher(bench.tools(), approve=agree), "delete_file", PATH))
    assert data_of(send(Dispatcher(bench.tools(), approve=wait), "delete_file", PATH))
    assert threads != ["zkit"]


def test_what_was_approved_is_exactly_what_runs(bench: Bench) -> None:
    """Neither the approver nor a step after it can change the arguments."""
    from dataclasses import replace

    def meddles(call: Call) -> bool:
        call.arguments["path"] = "elsewhere"
        return True

    async def swaps(call: LiveCall, proceed: Next) -> Result:
        return await proceed(replace(call, arguments={"path": "elsewhere"}))

    failed(send(Dispatcher(bench.tools(), approve=meddles), "delete_file", PATH), Refused)
    swapped = Dispatcher(
        bench.tools(), approve=lambda call: True, chain=with_step(swaps, before=spend)
    )
    failed(send(swapped, "delete_file", PATH), Refused, "approval")
    assert bench.ran == []


def test_a_chain_without_the_step_does_not_run_destructive_calls(bench: Bench) -> None:
    from zkit.dispatch import CHAIN

    short = tuple(step for step in CHAIN if step is not approve)
    failed(send(Dispatcher(bench.tools(), chain=short), "delete_file", PATH), Refused, "approval")
    assert bench.ran == []


def test_only_the_dangerous_values_of_an_argument_ask() -> None:
    ran: list[str] = []

    @tool(grade=WRITE, destructive={"action": ["delete"]})
    def manage(path: str, action: str = "delete") -> str:
        """Manage a file."""
        ran.append(action)
        return action

    dispatcher = Dispatcher([manage])
    assert data_of(send(dispatcher, "manage", {"path": "a", "action": "list"})) == "list"
    failed(send(dispatcher, "manage", {"path": "a", "action": "delete"}), Refused, "approval")
    failed(send(dispatcher, "manage", {"path": "a"}), Refused, "approval")
    assert ran == ["list"]


def test_the_operator_can_ask_for_more_and_for_less(bench: Bench) -> None:
    policy: Any = {"run_shell": {"approve": True}, "delete_file": {"approve": False}}
    dispatcher = Dispatcher(bench.tools(), policy=policy)
    failed(send(dispatcher, "run_shell", {"command": "ls"}), Refused, "approval")
    assert data_of(send(dispatcher, "delete_file", PATH)) == "deleted"


def test_permission_is_decided_before_anybody_is_asked(bench: Bench) -> None:
    asked: list[Call] = []
    dispatcher = Dispatcher(bench.tools(), deny=["delete_file"], approve=asked.append)
    failed(send(dispatcher, "delete_file", PATH), Refused, "denied")
    assert asked == []


def test_a_resumed_run_asks_with_the_same_key(bench: Bench) -> None:
    """Approved once while paused, it is not asked again after a round trip through JSON."""
    keys: list[str] = []
    granted: set[str] = set()

    def ask(call: Call) -> bool:
        keys.append(approval_key(call))
        return keys[-1] in granted

    dispatcher = Dispatcher(bench.tools(), approve=ask)
    with scope("task 1"):
        failed(send(dispatcher, "delete_file", '{"path": "a"}', id="c1"), Refused, "approval")
    granted |= set(keys)
    with scope("task 1"):
        data_of(send(dispatcher, "delete_file", {"path": "a"}, id="c1"))
        failed(send(dispatcher, "delete_file", {"path": "b"}, id="c1"), Refused, "approval")
        failed(send(dispatcher, "delete_file", {"path": "a"}, id="c2"), Refused, "approval")
    assert keys[0] == keys[1]
    assert bench.ran == ["delete a"]


def test_every_kind_of_tool_passes_the_same_chain() -> None:
    """A tool of a provider, of a kit, of another source: denied is denied."""

    class Remote:
        version = 1
        ran = 0

        def tools(self) -> list[Any]:
            return [made("mcp:fs.read", lambda: "x", grade=READ, provider="mcp:fs")]

        def get(self, name: str) -> Any:
            found = self.tools()[0]
            return found if name in ("mcp:fs.read", found.definition().wire_name) else None

        async def call(self, call: Call, /) -> Result:
            Remote.ran += 1
            return Success("x")

    dispatcher = Dispatcher(Remote(), deny=["@mcp:*"])
    for name in ("mcp:fs.read", "mcp__colon__fs__dot__read", "MCP:FS.READ"):
        failed(send(dispatcher, name), Refused, "denied")
    assert Remote.ran == 0
    assert dispatcher.tools() == ()


def test_a_step_around_permission_that_raises_refuses(bench: Bench) -> None:
    async def broken(call: LiveCall, proceed: Next) -> Result:
        raise RuntimeError

    failed(
        send(
            Dispatcher(bench.tools(), chain=with_step(broken, before=permit)),
            "add",
            {"a": 1, "b": 2},
        ),
        Crashed,
    )
    assert bench.ran == []


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_nobody_waits_for_an_approval_past_the_deadline(backend: str, bench: Bench) -> None:
    async def slow(call: Call) -> bool:
        await anyio.sleep(60)
        return True

    def stuck(call: Call) -> bool:
        return not threading.Event().wait(1)

    async def main(approver: Any) -> Result:
        with scope("t", timeout=0.05):
            return await Dispatcher(bench.tools(), approve=approver).call(
                Call("delete_file", {"path": "a"})
            )

    for approver in (slow, stuck):
        refused = failed(anyio.run(main, approver, backend=backend), Refused, "approval")
        assert "in time" in str(refused)
    assert bench.ran == []
