"""Pause and resume: a run that waited ends like one that did not, and nothing runs twice."""

from __future__ import annotations

import asyncio
import contextlib
import json
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio
import pytest
from chat_rules import assert_valid
from hypothesis import given
from hypothesis import strategies as st
from openai import AsyncOpenAI, OpenAI

from zkit.calls import Call
from zkit.chat import (
    ChatLoop,
    MessageAdded,
    MessageChanged,
    PausedRun,
    PauseStore,
    RunFinished,
    RunResult,
    ask_clarification,
    ask_later,
    clarification,
)
from zkit.chat.paused_run import Claim, release
from zkit.dispatch import Dispatcher, Limits
from zkit.errors import ResumeError
from zkit.grade import READ
from zkit.results import Refused
from zkit.sources import Kit, Toolbox
from zkit.testing import Script, ScriptedServer, call, says
from zkit.tools import Context, run_tool, tool

END = says("Done.")
ASK = call("ask_clarification", {"question": "Which city?", "options": ["Oslo", "Rome"]}, "q")


@pytest.fixture(scope="module")
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer(then=END) as running:
        yield running


class World:
    """Tools that read, write and delete, and what was done, in order."""

    def __init__(self) -> None:
        self.done: list[str] = []
        self.keys: list[str] = []

        @tool(grade=READ, cacheable=False)
        def look(at: str) -> str:
            """Look at something."""
            self.done.append(f"look {at}")
            return f"{at} is there"

        @tool
        def write(at: str, text: str = "x") -> str:
            """Write something."""
            self.done.append(f"write {at} {text}")
            return f"wrote {at}"

        @tool(destructive=True)
        def delete(at: str, context: Context, force: bool = False) -> str:
            """Delete something."""
            self.done.append(f"delete {at}")
            self.keys.append(context.idempotency_key)
            return f"deleted {at}"

        self.tools = [look, write, delete]


@pytest.fixture
def world() -> World:
    return World()


def again(paused: PausedRun | None) -> PausedRun:
    """The paused run as another process reads it."""
    assert paused is not None
    read = PausedRun.from_json(paused.to_json())
    assert read == paused
    return read


def loop_of(client: Any, world: World, **settings: Any) -> ChatLoop:
    tools = settings.pop("tools", [*world.tools, ask_clarification])
    return ChatLoop(client, "m", tools, **{"approve": ask_later, **settings})


def to_the_end(
    loop: ChatLoop, result: RunResult, approve: Any = True, answer: str = "Oslo"
) -> RunResult:
    """Resume as often as the run pauses, each time from JSON."""
    for _ in range(20):
        if result.reason != "paused":
            break
        assert_valid(result.messages)
        paused = again(result.paused)
        answers = {one.call.id: answer for one in paused.waiting if one.kind == "answer"}
        decisions = {one.key: approve for one in paused.waiting if one.kind == "approval"}
        result = loop.resume_sync(paused, answer=answers, approve=decisions)
    assert result.reason != "paused", "it pauses for ever"
    assert_valid(result.messages)
    return result


# ── a question ───────────────────────────────────────────────────────────────


def test_a_question_pauses_the_run_and_its_answer_ends_it(
    server: ScriptedServer, client: OpenAI, world: World
) -> None:
    server.play(says("Hm.", [ASK]), END)
    loop = loop_of(client, world, system="Be brief.")
    paused = loop.run_sync("Weather?")
    assert (paused.reason, len(server.requests)) == ("paused", 1)
    assert_valid(paused.messages)
    (waiting,) = again(paused.paused).waiting
    assert (waiting.kind, waiting.question, waiting.options) == (
        "answer",
        "Which city?",
        ("Oslo", "Rome"),
    )
    result = loop.resume_sync(again(paused.paused), answer="Oslo")
    assert (result.reason, result.text, result.paused) == ("completed", "Done.", None)
    assert [m["role"] for m in server.requests[1]["messages"]] == [
        "system",
        "user",
        "assistant",
        "tool",
    ]
    assert server.requests[1]["messages"][-1] == {
        "role": "tool",
        "tool_call_id": "q",
        "content": "Oslo",
    }


def test_the_words_of_the_model_and_the_usage_of_the_whole_run_are_in_the_result(
    server: ScriptedServer, client: OpenAI, world: World
) -> None:
    server.play(says("Hm.", [call("look", {"at": "a"}, "r"), ASK]), END)
    loop = loop_of(client, world)
    result = to_the_end(loop, loop.run_sync("Weather?"))
    assert (result.usage.requests, result.usage.total_tokens) == (2, 30)
    assert [(one.call.id, str(one.result.data)) for one in result.calls] == [  # type: ignore[attr-defined]
        ("r", "a is there"),
        ("q", "Oslo"),
    ]


def test_reads_beside_a_question_run_and_what_comes_after_it_waits(
    server: ScriptedServer, client: OpenAI, world: World
) -> None:
    calls = [
        call("look", {"at": "a"}, "1"),
        ASK,
        call("look", {"at": "b"}, "2"),
        call("write", {"at": "c"}, "3"),
    ]
    server.play(says(None, calls), END)
    loop = loop_of(client, world)
    paused = loop.run_sync("Weather?")
    assert sorted(world.done) == ["look a", "look b"]
    answers = {m["tool_call_id"]: m["content"] for m in paused.messages if m["role"] == "tool"}
    assert (answers["1"], answers["2"]) == ("a is there", "b is there")
    assert answers["q"].startswith("Not run: paused")
    assert answers["3"].startswith("Not run: paused")
    loop.resume_sync(again(paused.paused), answer="Oslo")
    assert sorted(world.done) == ["look a", "look b", "write c x"]


@pytest.mark.parametrize("answer", ["", "  ", None])
def test_an_empty_answer_is_no_answer(
    server: ScriptedServer, client: OpenAI, world: World, answer: Any
) -> None:
    server.play(says(None, [ASK]), END)
    loop = loop_of(client, world)
    paused = loop.run_sync("Weather?").paused
    assert paused is not None
    with pytest.raises(ResumeError, match="Which city"):
        loop.resume_sync(paused, answer=answer)
    assert loop.resume_sync(paused, answer="Oslo").reason == "completed"


def test_two_questions_are_answered_by_their_ids(
    server: ScriptedServer, client: OpenAI, world: World
) -> None:
    other = call("ask_clarification", {"question": "When?"}, "p")
    server.play(says(None, [ASK, other]), END)
    loop = loop_of(client, world)
    paused = again(loop.run_sync("Weather?").paused)
    with pytest.raises(ResumeError, match="2 questions"):
        loop.resume_sync(paused, answer="Oslo")
    result = loop.resume_sync(paused, answer={"q": "Oslo", "p": "today"})
    assert [m["content"] for m in result.messages if m["role"] == "tool"] == ["Oslo", "today"]


def test_a_question_without_words_is_sent_back(
    server: ScriptedServer, client: OpenAI, world: World
) -> None:
    server.play(says(None, [call("ask_clarification", {"question": " "}, "q")]), END)
    assert loop_of(client, world).run_sync("?").reason == "completed"
    assert "must not be empty" in server.requests[1]["messages"][-1]["content"]


def test_a_cancelled_run_does_not_wait_for_the_person() -> None:
    """A user who never answers blocks a thread, and nothing else."""
    never, answered = threading.Event(), []

    def ask(question: str, options: tuple[str, ...]) -> str:
        never.wait(20)
        answered.append(question)
        return "too late"

    async def cancelled() -> None:
        with anyio.move_on_after(0.2):
            await run_tool(clarification(ask), Call("ask_clarification", {"question": "Where?"}))

    try:
        anyio.run(cancelled)
        assert answered == []
    finally:
        never.set()


# ── an approval ──────────────────────────────────────────────────────────────


def test_the_approved_call_runs_once_with_the_key_that_was_told(
    server: ScriptedServer, client: OpenAI, world: World
) -> None:
    server.play(says(None, [call("delete", "{'at': 'a',}", "d")]), END)
    loop = loop_of(client, world)
    paused = again(loop.run_sync("?").paused)
    (waiting,) = paused.waiting
    assert (waiting.kind, waiting.call.name, waiting.call.arguments) == (
        "approval",
        "delete",
        {"at": "a"},
    )
    assert world.done == []
    result = loop.resume_sync(paused, approve=True)
    assert (world.done, world.keys) == (["delete a"], [waiting.idempotency_key])
    assert result.messages[-2]["content"] == "deleted a"
    assert {fix.name for fix in result.fixes} >= {"drop_trailing_comma"}


def test_a_denied_call_is_a_refusal_that_the_model_reads(
    server: ScriptedServer, client: OpenAI, world: World
) -> None:
    server.play(says(None, [call("delete", {"at": "a"}, "d")]), END)
    loop = loop_of(client, world)
    result = loop.resume_sync(again(loop.run_sync("?").paused), approve=False, reason="keep it")
    assert world.done == []
    assert result.calls[0].result == Refused("delete was not approved: keep it", code="approval")
    assert "not approved: keep it" in server.requests[1]["messages"][-1]["content"]


def test_two_approvals_in_one_turn_are_two_pauses_in_order(
    server: ScriptedServer, client: OpenAI, world: World
) -> None:
    calls = [
        call("delete", {"at": "a"}, "1"),
        call("delete", {"at": "b"}, "2"),
        call("look", {"at": "c"}, "3"),
    ]
    server.play(says(None, calls), END)
    loop = loop_of(client, world)
    first = again(loop.run_sync("?").paused)
    second = loop.resume_sync(first, approve=True)
    assert (second.reason, world.done) == ("paused", ["delete a"])
    assert [one.call.id for one in again(second.paused).waiting] == ["2"]
    assert_valid(second.messages)
    last = loop.resume_sync(again(second.paused), approve=False)
    assert world.done == ["delete a", "look c"]
    assert [m["content"][:9] for m in last.messages if m["role"] == "tool"] == [
        "deleted a",
        "Not run: ",
        "c is ther",
    ]


def test_reads_that_need_approval_are_decided_one_by_one(
    server: ScriptedServer, client: OpenAI, world: World
) -> None:
    server.play(says(None, [call("look", {"at": "a"}, "1"), call("look", {"at": "b"}, "2")]), END)
    source = Dispatcher(world.tools, policy={"look": {"approve": True}})
    loop = ChatLoop(client, "m", source, approve=ask_later)
    paused = again(loop.run_sync("?").paused)
    a, b = paused.waiting
    with pytest.raises(ResumeError, match="decision on look"):
        loop.resume_sync(paused, approve={a.key: True})
    loop.resume_sync(paused, approve={a.key: True, b.key: False})
    assert world.done == ["look a"]


def _changed(paused: PausedRun, change: Callable[[dict[str, Any]], Any]) -> str:
    data = json.loads(paused.to_json())
    change(data)
    return json.dumps(data)


def _waits_for_another(data: dict[str, Any]) -> None:
    data["open"]["waiting"][0]["call"]["arguments"]["at"] = "nothing"


def _runs_another(data: dict[str, Any]) -> None:
    data["open"]["calls"][0]["arguments"]["at"] = "everything"


def _shows_another(data: dict[str, Any]) -> None:
    for entry in (data["open"]["calls"][0], data["open"]["waiting"][0]["call"]):
        entry["arguments"]["at"] = "everything"


def _runs_a_text(name: str) -> Callable[[dict[str, Any]], None]:
    """Another call with its arguments as a text, as those of a call that was held back are."""

    def change(data: dict[str, Any]) -> None:
        for entry in (data["open"]["calls"][0], data["open"]["waiting"][0]["call"]):
            entry.update(name=name, arguments='{"at": "everything"}')

    return change


def _without_answers(data: dict[str, Any]) -> None:
    data["messages"] = [one for one in data["messages"] if one["role"] != "tool"]


def _deep(data: dict[str, Any]) -> None:
    inner: Any = 1
    for _ in range(900):
        inner = [inner]
    data["messages"][0]["content"] = inner


TAMPERED: dict[str, Callable[[dict[str, Any]], Any]] = {
    "shows one call and runs another": _waits_for_another,
    "runs another call": _runs_another,
    "is not the call of the conversation": _shows_another,
    "runs arguments that are a text": _runs_a_text("delete"),
    "runs another tool with a text": _runs_a_text("write"),
    "has no answer to replace": _without_answers,
    "answers a call twice": lambda data: data["messages"].append(data["messages"][-1]),
    "has a list for an id": lambda data: data["messages"].append(
        {"role": "tool", "tool_call_id": ["d"], "content": "x"}
    ),
    "has an object for an id": lambda data: data["messages"].append(
        {"role": "assistant", "tool_calls": [{"id": {}, "function": {}}]}
    ),
    "runs a call twice": lambda data: data["open"]["calls"].append(data["open"]["calls"][0]),
    "waits twice": lambda data: data["open"]["waiting"].append(data["open"]["waiting"][0]),
    "waits for nothing": lambda data: data["open"]["waiting"].clear(),
    "spent less than nothing": lambda data: data["used"].update(calls=-1000),
    "has no limit": lambda data: data["limits"].update(max_turns=None),
    "has another limit": lambda data: data["limits"].update(backoff=0),
    "has another key": lambda data: data.update(approved=True),
    "has a number for a text": lambda data: data.update(role=3),
    "is nested deeply": _deep,
}


@pytest.mark.parametrize("name", TAMPERED)
def test_a_document_that_contradicts_itself_is_refused(
    server: ScriptedServer, client: OpenAI, world: World, name: str
) -> None:
    server.play(says(None, [call("delete", {"at": "a"}, "d")]), END)
    paused = again(loop_of(client, world).run_sync("?").paused)
    with pytest.raises(ResumeError, match="paused run"):
        PausedRun.from_json(_changed(paused, TAMPERED[name]))
    assert world.done == []


def test_an_approval_counts_for_the_call_that_was_shown(
    server: ScriptedServer, client: OpenAI, world: World
) -> None:
    """Two calls wait; the document shows the harmless one under the key of the other."""
    calls = [call("delete", {"at": "a"}, "1"), call("delete", {"at": "everything"}, "2")]
    server.play(says(None, calls), END)
    loop = loop_of(client, world)
    paused = again(loop.run_sync("?").paused)
    first, *rest = paused.open.waiting
    other = loop.resume_sync(paused, approve=True)
    assert not rest
    assert world.done == ["delete a"]
    (second,) = again(other.paused).waiting
    assert second.key != first.key
    forged = replace(paused.open, waiting=(replace(first, key=second.key),))
    server.play(END)
    result = loop.resume_sync(replace(paused, id="new", open=forged, claim=Claim()), approve=True)
    assert (result.reason, world.done) == ("paused", ["delete a"])


def test_a_signed_document_is_accepted_with_its_secret_only(
    server: ScriptedServer, client: OpenAI, world: World, tmp_path: Path
) -> None:
    server.play(says(None, [call("delete", {"at": "a"}, "d")]), END)
    paused = again(loop_of(client, world).run_sync("?").paused)
    signed = paused.to_json("s3cret")
    assert PausedRun.from_json(signed, "s3cret") == PausedRun.from_json(signed) == paused
    unsigned = paused.to_json()
    changed = signed.replace('"role": ""', '"role": "admin"')
    assert changed != signed
    for text, secret in ((signed, "other"), (unsigned, "s3cret"), (changed, "s3cret")):
        with pytest.raises(ResumeError, match="not signed with this secret"):
            PausedRun.from_json(text, secret)
    PauseStore(tmp_path / "runs.db").save(paused)
    with pytest.raises(ResumeError, match="not signed"):
        PauseStore(tmp_path / "runs.db", secret="s3cret").load(paused.id)


@given(st.text() | st.binary() | st.recursive(st.none() | st.text(), st.lists).map(json.dumps))
def test_junk_is_never_a_paused_run(text: str | bytes) -> None:
    with pytest.raises(ResumeError):
        PausedRun.from_json(text)


SAMPLE = Path(__file__).with_name("paused_run.json").read_text("utf-8")


@given(st.data())
def test_no_damage_to_a_document_raises_anything_else(data: st.DataObject) -> None:
    document = json.loads(SAMPLE)
    at: Any = document
    while True:  # a random place in the document
        keys = list(at) if isinstance(at, dict) else range(len(at))
        key = data.draw(st.sampled_from(list(keys)))
        if not isinstance(at[key], dict | list) or not at[key] or data.draw(st.booleans()):
            break
        at = at[key]
    at[key] = data.draw(st.sampled_from([None, -1, "x", [], {}, [[]], {"a": 1}, True, 1e308]))
    with contextlib.suppress(ResumeError):
        PausedRun.from_dict(document)


def test_a_tool_whose_defaults_changed_is_asked_for_again(
    server: ScriptedServer, client: OpenAI, world: World
) -> None:
    server.play(says(None, [call("delete", {"at": "a"}, "d")]), END)
    paused = again(loop_of(client, world).run_sync("?").paused)

    @tool(destructive=True)
    def delete(at: str, force: bool = True) -> str:
        """Delete something."""
        world.done.append("delete by force")
        return "deleted"

    result = loop_of(client, world, tools=[delete]).resume_sync(paused, approve=True)
    assert (result.reason, world.done) == ("paused", [])


def test_a_tool_that_is_gone_is_told_to_the_model(
    server: ScriptedServer, client: OpenAI, world: World
) -> None:
    server.play(says(None, [call("delete", {"at": "a"}, "d")]), END)
    paused = again(loop_of(client, world).run_sync("?").paused)
    result = loop_of(client, world, tools=world.tools[:2]).resume_sync(paused, approve=True)
    assert result.reason == "completed"
    assert "delete" in server.requests[1]["messages"][-1]["content"]
    assert "look" in server.requests[1]["messages"][-1]["content"]
    assert world.done == []


def test_nobody_to_ask_is_still_a_refusal(
    server: ScriptedServer, client: OpenAI, world: World
) -> None:
    server.play(says(None, [call("delete", {"at": "a"}, "d")]), END)
    assert loop_of(client, world, approve=None).run_sync("?").reason == "completed"
    assert "nobody to ask" in server.requests[1]["messages"][-1]["content"]


def test_an_approver_may_decide_some_calls_and_leave_others(
    server: ScriptedServer, client: OpenAI, world: World
) -> None:
    async def approver(one: Any) -> Any:
        return True if one.arguments["at"] == "a" else ask_later(one)

    server.play(
        says(None, [call("delete", {"at": "a"}, "1"), call("delete", {"at": "b"}, "2")]), END
    )
    loop = loop_of(client, world, approve=approver)
    paused = loop.run_sync("?")
    assert (paused.reason, world.done) == ("paused", ["delete a"])
    loop.resume_sync(again(paused.paused), approve=True)
    assert world.done == ["delete a", "delete b"]


# ── once ─────────────────────────────────────────────────────────────────────


def test_a_run_is_resumed_once(server: ScriptedServer, client: OpenAI, world: World) -> None:
    server.play(says(None, [call("delete", {"at": "a"}, "d")]), END)
    loop = loop_of(client, world)
    paused = again(loop.run_sync("?").paused)
    loop.resume_sync(paused, approve=True)
    for same in (paused, replace(paused, model="other")):
        with pytest.raises(ResumeError, match="already"):
            loop.resume_sync(same, approve=True)
    assert world.done == ["delete a"]


def test_of_two_copies_of_a_run_one_is_resumed(
    server: ScriptedServer, client: OpenAI, world: World
) -> None:
    server.play(says(None, [call("delete", {"at": "a"}, "d")]), END)
    loop = loop_of(client, world)
    paused = loop.run_sync("?").paused
    assert paused is not None
    first, second = again(paused), again(paused)
    loop.resume_sync(first, approve=True)
    for same in (second, paused):
        with pytest.raises(ResumeError, match="already"):
            loop.resume_sync(same, approve=True)
    assert world.done == ["delete a"]


@pytest.mark.parametrize("by", ["load", "the one that was saved"])
def test_a_run_in_a_store_is_resumed_once_whoever_holds_a_copy(
    server: ScriptedServer, client: OpenAI, world: World, tmp_path: Path, by: str
) -> None:
    server.play(says(None, [call("delete", {"at": "a"}, "d")]), END, END)
    store = PauseStore(tmp_path / "runs.db")
    loop = loop_of(client, world)
    paused = loop.run_sync("?").paused
    assert paused is not None
    store.save(paused)
    held = store.load(paused.id) if by == "load" else paused
    taken_elsewhere = (
        "from zkit.chat import PauseStore; import sys; PauseStore(sys.argv[1]).take(sys.argv[2])"
    )
    subprocess.run([sys.executable, "-c", taken_elsewhere, store.path, paused.id], check=True)
    with pytest.raises(ResumeError, match="already"):
        loop.resume_sync(held, approve=True)
    assert world.done == []
    store.release(paused.id)
    loop.resume_sync(store.load(paused.id), approve=True)
    assert store.list()[0].resumed is not None
    assert world.done == ["delete a"]


@pytest.mark.parametrize("approve", [1, "yes", {"key": 1}, 0])
def test_what_only_looks_like_a_yes_decides_nothing(
    server: ScriptedServer, client: OpenAI, world: World, approve: Any
) -> None:
    server.play(says(None, [call("delete", {"at": "a"}, "d")]), END)
    loop = loop_of(client, world)
    paused = loop.run_sync("?").paused
    assert paused is not None
    with pytest.raises(ResumeError, match="approve must be True or False"):
        loop.resume_sync(paused, approve=approve)
    with pytest.raises(ResumeError, match="answer must be a text"):
        loop.resume_sync(paused, answer=1)  # type: ignore[arg-type]
    assert world.done == []


@pytest.mark.parametrize("given", [None, "id", {"version": 1}])
def test_what_is_no_paused_run_is_said_at_once(client: OpenAI, given: Any, tmp_path: Path) -> None:
    with pytest.raises(ResumeError, match="expected a paused run, not"):
        ChatLoop(client, "m").resume_sync(given, approve=True)
    with pytest.raises(ResumeError, match="expected a paused run, not"):
        PauseStore(tmp_path / "runs.db").save(given)


def test_what_does_not_wait_cannot_be_decided(
    server: ScriptedServer, client: OpenAI, world: World
) -> None:
    server.play(says(None, [ASK]))
    loop = loop_of(client, world)
    paused = again(loop.run_sync("?").paused)
    with pytest.raises(ResumeError, match="no call waits"):
        loop.resume_sync(paused, answer="Oslo", approve=True)


# ── what the run was allowed, and what it has used ───────────────────────────


def _forbidden_next(server: ScriptedServer) -> None:
    server.play(says(None, [ASK]), says(None, [call("write", {"at": "x"}, "w")]), END)


def test_the_allow_list_is_in_force_after_the_pause(
    server: ScriptedServer, client: OpenAI, world: World
) -> None:
    tools = [*world.tools, ask_clarification]
    _forbidden_next(server)
    strict = ChatLoop(client, "m", Dispatcher(tools, allow=["look", "ask_*"], deny=["delete"]))
    paused = again(strict.run_sync("?").paused)
    wide = ChatLoop(client, "m", tools)
    result = wide.resume_sync(paused, answer="Oslo")
    assert world.done == []
    assert "not allowed" in server.requests[2]["messages"][-1]["content"]
    for request in server.requests:
        assert [t["function"]["name"] for t in request["tools"]] == ["ask_clarification", "look"]
    assert result.reason == "completed"


def test_a_kit_is_kept_to_also_by_a_loop_without_it(
    server: ScriptedServer, client: OpenAI, world: World
) -> None:
    box = Toolbox()
    box.register_all([*world.tools, ask_clarification])
    for name in ("", "small"):
        _forbidden_next(server)
        kit = Kit(box, ["look", "ask_clarification"], name=name)
        paused = again(ChatLoop(client, "m", kit).run_sync("?").paused)
        assert paused.kit == name
        ChatLoop(client, "m", box).resume_sync(paused, answer="Oslo")
        assert world.done == []


def test_a_tool_registered_after_the_pause_is_there_if_the_rules_allow_it(
    server: ScriptedServer, client: OpenAI, world: World
) -> None:
    box = Toolbox()
    box.register_all([*world.tools, ask_clarification])
    kit = Kit(box, ["look*", "ask_clarification"], name="small")
    server.play(says(None, [ASK]), says(None, [call("look_up", {}, "u")]), END)
    paused = again(ChatLoop(client, "m", kit).run_sync("?").paused)

    @box.register
    @tool(grade=READ)
    def look_up() -> str:
        """Look up."""
        world.done.append("look up")
        return "found"

    ChatLoop(client, "m", kit).resume_sync(paused, answer="Oslo")
    assert world.done == ["look up"]


def test_what_is_allowed_does_not_grow_from_pause_to_pause(
    server: ScriptedServer, client: OpenAI, world: World
) -> None:
    tools = [*world.tools, ask_clarification]
    asks = [
        says(None, [call("ask_clarification", {"question": str(n)}, f"q{n}")]) for n in range(5)
    ]
    server.play(*asks, END)
    strict = ChatLoop(client, "m", Dispatcher(tools, deny=["write"]))
    wide = ChatLoop(client, "m", Dispatcher(tools, deny=["delete"]))
    result = strict.run_sync("?")
    sizes = []
    while result.reason == "paused":
        paused = again(result.paused)
        sizes.append(len(json.dumps(paused.permissions)))
        result = wide.resume_sync(paused, answer="Oslo")
    assert sizes[1:] == [sizes[1]] * 4


LIMITS: dict[str, tuple[dict[str, Any], str]] = {
    "turns": ({"max_turns": 3}, "max_turns"),
    "calls": ({"max_calls": 2}, "max_calls"),
    "tokens": ({"max_total_tokens": 30}, "max_total_tokens"),
}


@pytest.mark.parametrize("name", LIMITS)
def test_limits_go_on_where_they_were(
    server: ScriptedServer, client: OpenAI, world: World, name: str
) -> None:
    settings, reason = LIMITS[name]

    def play() -> None:
        looks = [says(None, [call("look", {"at": str(n)}, f"l{n}")]) for n in range(5)]
        server.play(says(None, [ASK]), *looks)

    play()
    inline = loop_of(
        client, world, tools=[*world.tools, clarification(lambda q, o: "Oslo")], **settings
    )
    straight = inline.run_sync("?")
    asked = len(server.requests)
    play()
    begun = loop_of(client, world, **settings).run_sync("?")
    # The loop that resumes has other limits; the run keeps its own.
    resumed = to_the_end(loop_of(client, world), begun)
    assert (straight.reason, resumed.reason) == (reason, reason)
    assert resumed.messages == straight.messages
    assert resumed.usage == straight.usage
    assert len(server.requests) == asked


def test_the_budget_of_calls_goes_on_where_it_was(
    server: ScriptedServer, client: OpenAI, world: World
) -> None:
    def loop() -> ChatLoop:
        source = Dispatcher([*world.tools, ask_clarification], budget=Limits(per_tool={"look": 1}))
        return ChatLoop(client, "m", source)

    server.play(
        says(None, [call("look", {"at": "a"}, "1"), ASK]),
        says(None, [call("look", {"at": "b"}, "2")]),
        END,
    )
    loop().resume_sync(again(loop().run_sync("?").paused), answer="Oslo")
    assert world.done == ["look a"]
    assert "budget" in server.requests[2]["messages"][-1]["content"]


def test_the_time_of_waiting_does_not_count_but_the_time_before_does(
    server: ScriptedServer, client: OpenAI, world: World
) -> None:
    server.play(says(None, [ASK]), END)
    loop = loop_of(client, world, max_seconds=50.0)
    paused = again(loop.run_sync("?").paused)
    assert 0 < paused.used.seconds < 50
    late = replace(paused, used=replace(paused.used, seconds=60.0))
    assert loop.resume_sync(late, answer="Oslo").reason == "max_seconds"
    assert again(paused).limits["max_seconds"] == 50.0
    assert loop.resume_sync(again(paused), answer="Oslo").reason == "completed"


# ── every entry point, and the events ─────────────────────────────────────────────


def test_the_events_of_both_halves_give_the_history(
    server: ScriptedServer, client: OpenAI, world: World
) -> None:
    server.play(
        says(None, [call("delete", "{'at': 'a'}", "1"), call("write", "{'at': 'b'}", "2")]), END
    )
    loop = loop_of(client, world)
    events = list(loop.stream_sync("?"))
    kinds = [event.kind for event in events]
    assert kinds == [
        "turn_started", "tool_started", "tool_started", "call_repaired", "approval_needed",
        "message_added", "message_added", "message_added", "run_finished",
    ]  # fmt: skip
    assert isinstance(events[-1], RunFinished)
    more = list(loop.resume_stream_sync(again(events[-1].result.paused), approve=True))
    assert [event.kind for event in more] == [
        "resumed", "tool_started", "tool_started", "tool_finished", "call_repaired", "tool_finished",
        "message_changed", "message_changed", "message_changed",
        "turn_started", "text_delta", "message_added", "run_finished",
    ]  # fmt: skip
    json.dumps([event.to_dict() for event in [*events, *more]])
    history: list[Any] = [{"role": "user", "content": "?"}]
    for event in [*events, *more]:
        if isinstance(event, MessageAdded):
            history.append(event.message)
        elif isinstance(event, MessageChanged):
            history[event.index] = event.message
    assert isinstance(more[-1], RunFinished)
    assert history == more[-1].result.messages


def test_async_faces(server: ScriptedServer, world: World) -> None:
    async def main() -> tuple[RunResult, RunResult]:
        async with AsyncOpenAI(base_url=server.url, api_key="none", max_retries=0) as client:
            loop = loop_of(client, world)
            server.play(says(None, [call("delete", {"at": "a"}, "d")]), END)
            first = await loop.resume(again((await loop.run("?")).paused), approve=True)
            server.play(says(None, [call("delete", {"at": "a"}, "d")]), END)
            paused = again((await loop.run("?")).paused)
            events = [event async for event in loop.resume_stream(paused, approve=True)]
            assert isinstance(events[-1], RunFinished)
            return first, events[-1].result

    plain, streamed = asyncio.run(main())
    assert plain.messages == streamed.messages
    assert world.done == ["delete a", "delete a"]


def test_a_resumed_run_that_is_cancelled_leaves_a_whole_history(
    server: ScriptedServer,
) -> None:
    into: list[Any] = []

    async def main() -> None:
        began = asyncio.Event()

        async def sleep() -> str:
            """Sleep."""
            began.set()
            await asyncio.sleep(30)
            return "slept"

        async with AsyncOpenAI(base_url=server.url, api_key="none", max_retries=0) as client:
            loop = ChatLoop(client, "m", [sleep, ask_clarification])
            server.play(says(None, [ASK, call("sleep", {}, "s")]), END)
            paused = again((await loop.run("?")).paused)
            task = asyncio.create_task(loop.resume(paused, answer="Oslo", into=into))
            await began.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

    asyncio.run(main())
    assert_valid(into)
    assert "cancelled" in into[-1]["content"]


def test_a_call_in_the_text_is_resumed_like_any_other(
    server: ScriptedServer, client: OpenAI, world: World
) -> None:
    text = '<tool_call>{"name": "delete", "arguments": {"at": "a",}}</tool_call>'
    server.play(says(text), END)
    loop = loop_of(client, world, mode="text")
    result = to_the_end(loop, loop.run_sync("?"))
    assert world.done == ["delete a"]
    assert result.messages[1]["tool_calls"][0]["function"]["arguments"] == '{"at": "a"}'


# ── the law ──────────────────────────────────────────────────────────────────

# A repeated call comes with a note, and notes are counted again after a pause: so each call
# differs.
KINDS: dict[str, Callable[[str], tuple[str, Any]]] = {
    "look": lambda at: ("look", {"at": at}),
    "write": lambda at: ("write", {"at": at}),
    "a write with a slip": lambda at: ("write", f"{{'at': '{at}',}}"),
    "a write spelt otherwise": lambda at: ("Write", {"At": at}),
    "delete": lambda at: ("delete", {"at": at}),
    "a delete with a slip": lambda at: ("delete", f"{{at: '{at}'}}"),
    "ask": lambda at: ("ask_clarification", {"question": f"Which {at}?"}),
    "a cut call": lambda at: ("delete", '{"at": '),
    "an unknown tool": lambda at: ("unknown", {}),
}
CALLS = st.lists(st.sampled_from(sorted(KINDS)), min_size=1, max_size=5)


@given(turns=st.lists(CALLS, min_size=1, max_size=3), approved=st.booleans())
def test_a_run_that_pauses_ends_like_one_that_does_not(
    server: ScriptedServer, client: OpenAI, turns: list[list[str]], approved: bool
) -> None:
    def script() -> list[Script]:
        made = [
            says(None, [call(*KINDS[kind](f"{t}{n}"), f"{t}{n}") for n, kind in enumerate(turn)])
            for t, turn in enumerate(turns)
        ]
        return [*made, END]

    inline, paused = World(), World()
    server.play(*script())
    tools = [*inline.tools, clarification(lambda question, options: "Oslo")]
    straight = ChatLoop(client, "m", tools, approve=lambda one: approved).run_sync("?")
    requests = server.requests
    server.play(*script())
    loop = loop_of(client, paused)
    resumed = to_the_end(loop, loop.run_sync("?"), approve=approved)
    assert resumed.messages == straight.messages
    assert resumed.reason == straight.reason
    assert sorted(paused.done) == sorted(inline.done)
    assert [one.call.id for one in resumed.calls] == [one.call.id for one in straight.calls]
    assert server.requests == requests


# ── the store, and another process ───────────────────────────────────────────

RESUME = """
import json, sys
from openai import OpenAI
from zkit.chat import ChatLoop, PauseStore, ask_clarification
from zkit.dispatch import Dispatcher
from zkit.grade import READ
from zkit.tools import tool

url, file, id = sys.argv[1:]
done = []

@tool(grade=READ)
def look(at: str) -> str:
    "Look at something."
    return f"{at} is there"

@tool
def write(at: str, text: str = "x") -> str:
    "Write something."
    done.append(at)
    return f"wrote {at}"

with OpenAI(base_url=url, api_key="none") as client:
    loop = ChatLoop(client, "m", [look, write, ask_clarification])
    result = loop.resume_sync(PauseStore(file).take(id), answer="Oslo")
print(json.dumps({"messages": result.messages, "done": done, "reason": result.reason}))
"""


@pytest.mark.slow
def test_another_process_resumes_from_the_file_with_the_allow_list_in_force(
    server: ScriptedServer, client: OpenAI, world: World, tmp_path: Path
) -> None:
    def play() -> None:
        server.play(
            says("Hm.", [ASK, call("look", {"at": "a"}, "l")]),
            says(None, [call("write", {"at": "x"}, "w")]),
            END,
        )

    def strict(*tools: Any) -> ChatLoop:
        return ChatLoop(
            client, "m", Dispatcher(tools, deny=["write", "delete"]), system="Be brief."
        )

    play()
    straight = strict(*world.tools, clarification(lambda question, options: "Oslo")).run_sync("?")
    play()
    paused = strict(*world.tools, ask_clarification).run_sync("?").paused
    assert paused is not None
    store = PauseStore(tmp_path / "runs.db")
    command = [sys.executable, "-c", RESUME, server.url, str(store.path), store.save(paused)]
    found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    assert found == {"messages": straight.messages, "done": [], "reason": "completed"}
    again_ = subprocess.run(command, capture_output=True, text=True)
    assert again_.returncode != 0
    assert "was resumed already" in again_.stderr


@pytest.fixture
def paused(server: ScriptedServer, client: OpenAI, world: World) -> PausedRun:
    server.play(says(None, [ASK]))
    return again(loop_of(client, world).run_sync("?").paused)


def test_the_store_lists_what_waits_until_it_is_deleted(paused: PausedRun, tmp_path: Path) -> None:
    store = PauseStore(tmp_path / "runs.db")
    store.save(paused)
    store.save(paused)
    assert PauseStore(store.path).load(paused.id) == paused
    (line,) = store.list()
    assert (line.id, line.waits_for, line.resumed) == (paused.id, "an answer: Which city?", None)
    assert store.take(paused.id) == paused
    assert store.list()[0].resumed is not None
    with pytest.raises(ResumeError, match="already"):
        store.take(paused.id)
    store.release(paused.id)
    store.take(paused.id)
    assert (store.delete(paused.id), store.delete(paused.id), store.list()) == (True, False, [])
    with pytest.raises(ResumeError, match="no paused run"):
        store.load(paused.id)


def test_of_many_that_take_a_run_one_gets_it(paused: PausedRun, tmp_path: Path) -> None:
    path = tmp_path / "runs.db"
    PauseStore(path).save(paused)
    got: list[PausedRun] = []
    refused: list[ResumeError] = []
    start = threading.Barrier(8)

    def take() -> None:
        store = PauseStore(path)
        start.wait()
        try:
            got.append(store.take(paused.id))
        except ResumeError as error:
            refused.append(error)

    threads = [threading.Thread(target=take) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(got), len(refused)) == (1, 7)


def test_a_lease_runs_out_unless_a_call_has_started(
    server: ScriptedServer, client: OpenAI, world: World, tmp_path: Path
) -> None:
    server.play(says(None, [call("delete", {"at": "a"}, "d")]))
    paused = again(loop_of(client, world).run_sync("?").paused)
    store = PauseStore(tmp_path / "runs.db", lease=0)
    store.save(paused)
    store.take(paused.id)
    assert store.list()[0].is_free
    taken = store.take(paused.id)
    store.mark_began(paused.id, taken.open.calls[0])
    (line,) = store.list()
    assert (line.is_free, line.is_expired) == (False, True)
    assert [(one.name, one.arguments, one.ended) for one in line.started] == [
        ("delete", '{"at": "a"}', None)
    ]
    with pytest.raises(ResumeError, match=r"started delete at .*; release it"):
        store.take(paused.id)
    store.release(paused.id)
    assert store.take(paused.id) == paused


def test_whoever_lost_a_run_to_another_does_not_resume_it(
    server: ScriptedServer, client: OpenAI, world: World, tmp_path: Path
) -> None:
    """A lease runs out, another process takes the run and starts its call; then the first goes on."""
    server.play(says(None, [call("delete", {"at": "a"}, "d")]), END)
    loop = loop_of(client, world)
    paused = again(loop.run_sync("?").paused)
    store = PauseStore(tmp_path / "runs.db", lease=0)
    store.save(paused)
    late, early = store.take(paused.id), store.take(paused.id)
    assert loop.resume_sync(early, approve=True).reason == "completed"
    release(paused.id)  # as in another process, which does not know of the first
    with pytest.raises(ResumeError, match="was resumed already"):
        loop.resume_sync(late, approve=True)
    assert world.done == ["delete a"]


@pytest.mark.parametrize("secret", [5, True, ["s3cret"]])
def test_a_secret_is_a_text(secret: Any, tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="secret"):
        PauseStore(tmp_path / "runs.db", secret=secret)


KILLED = """
import os, signal, sys
from openai import OpenAI
from zkit import ChatLoop, tool
from zkit.chat import PauseStore, ask_later

@tool(destructive=True)
def delete(at: str) -> str:
    "Delete something."
    os.kill(os.getpid(), signal.SIGKILL)

url, file, id = sys.argv[1:]
loop = ChatLoop(OpenAI(base_url=url, api_key="x"), "m", [delete], approve=ask_later)
loop.resume_sync(PauseStore(file).take(id), approve=True)
"""


def test_after_a_kill_the_store_shows_which_call_had_started(
    server: ScriptedServer, client: OpenAI, tmp_path: Path
) -> None:
    @tool(destructive=True)
    def delete(at: str) -> str:
        """Delete something."""
        return at

    server.play(says(None, [call("delete", {"at": "a"}, "d")]))
    paused = again(ChatLoop(client, "m", [delete], approve=ask_later).run_sync("?").paused)
    store = PauseStore(tmp_path / "runs.db")
    command = [sys.executable, "-c", KILLED, server.url, str(store.path), store.save(paused)]
    assert subprocess.run(command, capture_output=True).returncode == -9
    (line,) = store.list()
    (started,) = line.started
    assert (started.name, started.arguments, started.ended) == ("delete", '{"at": "a"}', None)
    assert not line.is_free


def test_a_call_that_ended_is_noted(
    server: ScriptedServer, client: OpenAI, world: World, tmp_path: Path
) -> None:
    server.play(says(None, [call("delete", {"at": "a"}, "d")]), END)
    loop = loop_of(client, world)
    paused = again(loop.run_sync("?").paused)
    store = PauseStore(tmp_path / "runs.db")
    store.save(paused)
    loop.resume_sync(paused, approve=True)
    assert store.list()[0].started[0].ended is not None


def test_the_store_follows_no_link_and_takes_rights_away(paused: PausedRun, tmp_path: Path) -> None:
    target = tmp_path / "target.db"
    (tmp_path / "runs.db").symlink_to(target)
    with pytest.raises(ResumeError, match="no store"):
        PauseStore(tmp_path / "runs.db")
    assert not target.exists()
    target.touch()
    target.chmod(0o666)
    PauseStore(target).save(paused)
    assert target.stat().st_mode & 0o077 == 0


def _newer(path: Path) -> None:
    import sqlite3

    PauseStore(path)
    with sqlite3.connect(path) as database:
        database.execute("pragma user_version = 99")
    database.close()


BAD_FILES: dict[str, tuple[Callable[[Path], Any], str]] = {
    "no database": (lambda path: path.write_text("hello " * 100), "no store of paused runs"),
    "a folder": (lambda path: path.mkdir(), "no store of paused runs"),
    "written by a newer zkit": (_newer, "newer zkit"),
}


@pytest.mark.parametrize("name", BAD_FILES)
def test_a_file_that_is_no_store_is_refused(name: str, tmp_path: Path) -> None:
    make, says_ = BAD_FILES[name]
    make(tmp_path / "runs.db")
    with pytest.raises(ResumeError, match=says_):
        PauseStore(tmp_path / "runs.db")


def test_the_store_is_for_its_owner_alone(paused: PausedRun, tmp_path: Path) -> None:
    store = PauseStore(tmp_path / "runs.db")
    store.save(paused)
    assert {path.stat().st_mode & 0o077 for path in tmp_path.iterdir()} == {0}


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"version": 2}', '{"version": 1}', '{"version": 1, "id": 3}']
)
def test_what_is_no_paused_run_is_refused(text: str) -> None:
    with pytest.raises(ResumeError):
        PausedRun.from_json(text)
