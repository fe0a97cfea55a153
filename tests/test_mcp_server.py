from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import mcp_types as types
import pytest
from command_line import zkit
from mcp import Client, MCPError, StdioServerParameters
from mcp_samples import FOLDER, HttpServer

from zkit import Call, Dispatcher, Refused, Success, Toolbox, Transient, Validation
from zkit.mcp import server_for
from zkit.sources import Kit
from zkit.tools import tool

sys.path.insert(0, str(FOLDER))
import mcp_kit

SERVE = ["-m", "zkit", "mcp", "serve", "--from", "tests/mcp_kit.py"]
MODES = ["auto", "legacy"]


@pytest.fixture
def box() -> Toolbox:
    return Toolbox(
        [mcp_kit.add, mcp_kit.weather, mcp_kit.wipe, mcp_kit.slow, mcp_kit.busy, mcp_kit.broken]
    )


def talk(source: Any, mode: str, *calls: tuple[str, Any], **options: Any) -> list[Any]:
    """Have the official client make some calls of a server in this process."""

    async def main() -> list[Any]:
        async with Client(server_for(source), mode=mode, cache=None, **options) as client:
            return [await client.call_tool(name, given) for name, given in calls]

    return anyio.run(main)


def text_of(reply: types.CallToolResult) -> str:
    return "".join(part.text for part in reply.content if isinstance(part, types.TextContent))


# What a client sees


def test_the_listing_has_schemas_and_hints(box: Toolbox) -> None:
    async def main() -> list[types.Tool]:
        async with Client(server_for(box)) as client:
            return (await client.list_tools()).tools

    listed = {one.name: one for one in anyio.run(main)}
    assert {"add", "weather", "wipe", "docs_index", "resolve_doc"} <= set(listed)
    assert listed["add"].input_schema["required"] == ["a"]
    hints = {name: one.annotations for name, one in listed.items()}
    assert hints["add"] is not None
    assert hints["add"].read_only_hint is True
    assert hints["wipe"] is not None
    assert hints["wipe"].destructive_hint is True


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("name", "given", "expected"),
    [
        ("add", {"a": 2, "b": 3}, {"result": 5}),
        ("add", {"a": "2", "b": "3"}, {"result": 5}),
        ("add", {"arguments": {"a": 2}}, {"result": 3}),
        ("weather", {"City": "Oslo", "days": 2.0}, {"city": "Oslo", "days": 2}),
    ],
)
def test_slightly_wrong_arguments_are_decoded_like_a_models(
    box: Toolbox, mode: str, name: str, given: Any, expected: Any
) -> None:
    [reply] = talk(box, mode, (name, given))
    assert reply.is_error is False
    assert reply.structured_content == expected


@pytest.mark.parametrize(
    ("name", "given", "says"),
    [
        ("add", {"a": "many"}, "a"),
        ("ad", {"a": 1}, "Did you mean add"),
        ("busy", {}, "after 7 seconds"),
        ("broken", {}, "The tool itself failed"),
        ("resolve_doc", {"path": "../../etc/passwd"}, "leads out"),
    ],
)
def test_a_failure_is_told_in_words(box: Toolbox, name: str, given: Any, says: str) -> None:
    kit = Kit(box, "*", docs_root=str(FOLDER))
    [reply] = talk(kit, "auto", (name, given))
    assert reply.is_error is True
    assert says in text_of(reply)


@pytest.mark.parametrize("mode", MODES)
def test_progress_reaches_the_client(box: Toolbox, mode: str) -> None:
    received: list[Any] = []

    async def main() -> Any:
        async def told(progress: float, total: float | None, message: str | None) -> None:
            received.append((progress, total, message))

        async with Client(server_for(box), mode=mode) as client:
            return await client.call_tool("slow", {}, progress_callback=told)

    assert text_of(anyio.run(main)) == "done"
    assert received == [(1, 3, "step 1"), (2, 3, "step 2"), (3, 3, "step 3")]


def test_the_same_call_may_be_made_many_times(box: Toolbox) -> None:
    replies = talk(box, "auto", *[("weather", {"city": "Oslo"})] * 12)
    assert {text_of(reply) for reply in replies} == {text_of(replies[0])}
    assert not any(reply.is_error for reply in replies)


# Approval


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("action", ["accept", "decline", "cancel"])
def test_a_destructive_call_is_put_to_the_user_of_the_client(
    box: Toolbox, mode: str, action: Any
) -> None:
    asked: list[str] = []

    async def answer(context: Any, params: Any) -> types.ElicitResult:
        asked.append(params.message)
        return types.ElicitResult(action=action)

    [reply] = talk(box, mode, ("wipe", {"path": "/tmp/x"}), elicitation_callback=answer)
    assert asked == ['Run wipe with these arguments?\n{\n  "path": "/tmp/x"\n}']
    assert reply.is_error is (action != "accept")
    assert ("is gone" in text_of(reply)) is (action == "accept")


@pytest.mark.parametrize("mode", MODES)
def test_a_client_that_cannot_ask_is_refused(box: Toolbox, mode: str) -> None:
    [reply] = talk(box, mode, ("wipe", {"path": "/tmp/x"}))
    assert reply.is_error is True
    assert "the client cannot ask" in text_of(reply)


def test_an_answer_to_another_question_is_none(box: Toolbox) -> None:
    yes: Any = {"approve": types.ElicitResult(action="accept")}

    async def never(context: Any, params: Any) -> types.ElicitResult:
        return types.ElicitResult(action="decline")

    async def main() -> list[Any]:
        async with Client(server_for(box), elicitation_callback=never) as client:
            first = await client.session.call_tool("wipe", {"path": "a"}, allow_input_required=True)
            assert isinstance(first, types.InputRequiredResult)
            state = first.request_state
            return [
                await client.session.call_tool(
                    "wipe",
                    {"path": path},
                    input_responses=yes,
                    request_state=sent,
                    allow_input_required=True,
                )
                for path, sent in (("a", None), ("b", state), ("a", "guess"), ("a", state))
            ]

    *others, last = anyio.run(main)
    assert all(isinstance(one, types.InputRequiredResult) for one in others)
    assert text_of(last) == "a is gone"


def test_an_approver_of_the_dispatcher_is_asked_first(box: Toolbox) -> None:
    [reply] = talk(Dispatcher(box, approve=lambda call: True), "auto", ("wipe", {"path": "a"}))
    assert text_of(reply) == "a is gone"


# Documents


def test_documents_are_tools_and_resources(box: Toolbox, tmp_path: Path) -> None:
    (tmp_path / "weather.md").write_text("## Signature\nweather(city)", "utf-8")
    kit = Kit(box, ["weather"], docs_root=str(tmp_path))

    async def main() -> tuple[Any, ...]:
        async with Client(server_for(kit)) as client:
            index = await client.call_tool("docs_index", {})
            text = await client.call_tool("resolve_doc", {"path": "weather.md"})
            listed = (await client.list_resources()).resources
            read = (await client.read_resource(str(listed[0].uri))).contents
            with pytest.raises(MCPError, match="no document"):
                await client.read_resource("doc:///../secret")
            return index, text, listed, read

    index, text, listed, read = anyio.run(main)
    assert index.structured_content["tool_docs"] == {"weather": "weather.md"}
    assert text_of(text) == "## Signature\nweather(city)"
    assert [one.uri for one in listed] == ["doc:///weather.md"]
    assert read[0].text == "## Signature\nweather(city)"


# Processes: the official client, and another zkit


@pytest.fixture(scope="module")
def served() -> Iterator[HttpServer]:
    server = HttpServer(*SERVE, "--kit", "add,weather,wipe,slow,busy")
    yield server
    server.kill()


@pytest.mark.parametrize("mode", MODES)
def test_the_official_client_over_http(served: HttpServer, mode: str) -> None:
    async def main() -> Any:
        async with Client(served.url, mode=mode) as client:
            names = [one.name for one in (await client.list_tools()).tools]
            return names, await client.call_tool("add", {"a": "40", "b": 2})

    names, reply = anyio.run(main)
    assert {"add", "weather", "wipe"} <= set(names)
    assert reply.structured_content == {"result": 42}


def test_the_official_client_over_stdio() -> None:
    async def main() -> Any:
        command = StdioServerParameters(command=sys.executable, args=SERVE)
        async with Client(command) as client:
            return await client.call_tool("add", {"a": 1})

    assert anyio.run(main).structured_content == {"result": 2}


def test_a_second_zkit_gets_typed_results(served: HttpServer, tmp_path: Path) -> None:
    box = Toolbox()
    box.mcp.catalog = tmp_path / "catalog.db"
    found = box.mcp.connect_sync("other", served.url, grades={"*": "read"}, prefix="")
    try:
        assert "weather" in found.tools
        dispatcher = Dispatcher(box, attempts=1)

        def call(name: str, **given: Any) -> Any:
            return dispatcher.call_sync(Call(name, given, id="1"))

        assert isinstance(call("weather", city="Oslo"), Success)
        assert call("weather", city="Oslo").data == {"city": "Oslo", "days": 1}
        busy = call("busy")
        assert isinstance(busy, Transient)
        assert (busy.code, busy.retry_after) == ("rate_limited", 7)
        assert isinstance(call("wipe", path="x"), Refused)
        assert isinstance(call("add", a="many"), Validation)
    finally:
        box.mcp.close_sync()


def test_raw_arguments_as_a_text_are_repaired() -> None:
    """A client that sends what its model wrote: a JSON text, and not quite JSON."""
    request = {"jsonrpc": "2.0", "id": 2, "method": "tools/call"}
    lines = [
        {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "initialize",
            "params": {
                "protocolVersion": "2025-11-25",
                "capabilities": {},
                "clientInfo": {"name": "x", "version": "1"},
            },
        },
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {**request, "params": {"name": "add", "arguments": "{'a': 40, b: 2,}"}},
    ]
    process = subprocess.Popen(
        [sys.executable, *SERVE], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdin is not None
    assert process.stdout is not None
    for line in lines:
        process.stdin.write(json.dumps(line) + "\n")
    process.stdin.flush()
    replies = [json.loads(process.stdout.readline()) for _ in range(2)]
    process.stdin.close()
    process.wait(30)
    process.stdout.close()
    assert replies[1]["result"]["structuredContent"] == {"result": 42}


@pytest.mark.parametrize("mode", MODES)
def test_clients_are_notified_of_new_tools(tmp_path: Path, mode: str) -> None:
    box = Toolbox([mcp_kit.add])

    @tool(grade="read")
    def later() -> str:
        """Come later."""
        return "here"

    async def main() -> None:
        changed = anyio.Event()

        async def received(message: Any) -> None:
            if isinstance(message, types.ToolListChangedNotification):
                changed.set()

        async def listen(client: Client) -> None:
            async with client.listen(tools_list_changed=True) as events:
                async for _ in events:
                    changed.set()

        async with (
            Client(server_for(box), mode=mode, message_handler=received, cache=None) as client,
            anyio.create_task_group() as tasks,
        ):
            await client.list_tools()
            if mode == "auto":
                tasks.start_soon(listen, client)
                await anyio.sleep(0.1)
            box.register(later)
            with anyio.fail_after(20):
                await changed.wait()
            assert (await client.call_tool("later", {})).is_error is False
            tasks.cancel_scope.cancel()

    anyio.run(main)


# The command line


def test_pins_are_shown_and_approved(tmp_path: Path) -> None:
    from zkit.dynamic import Catalog

    path = tmp_path / "catalog.db"
    where = ("--catalog", str(path))
    assert zkit("mcp", "pins", *where).code == 2
    catalog = Catalog(path)
    catalog.admit("files@1", {"read": {"name": "read", "description": "Read."}})
    assert zkit("mcp", "pins", *where).code == 0
    catalog.admit("files@1", {"read": {"name": "read", "description": "Read.\x1b]0;x\x07"}})
    shown = zkit("mcp", "pins", "files", *where)
    assert shown.code == 1
    assert '-  "description": "Read."' in shown.out
    assert "\x1b" not in shown.out
    assert json.loads(zkit("mcp", "pins", *where, "--json").out)[0]["waiting"] is True
    assert zkit("mcp", "approve", "files", *where, given="n\n").code == 130
    assert catalog.pins()[0].waiting is not None
    assert zkit("mcp", "approve", "files", *where, given="y\n").code == 0
    assert catalog.pins()[0].waiting is None


def test_the_history_of_a_tool_is_shown_and_restored(tmp_path: Path) -> None:
    from zkit.dynamic import Catalog

    path = tmp_path / "catalog.db"
    where = ("--catalog", str(path))
    catalog = Catalog(path)
    parts = {"name": "one", "description": "One.", "returns": "int"}
    catalog.save_tool({**parts, "body": "return 1"})
    catalog.save_tool({**parts, "body": "return 2"})
    shown = zkit("tools", "history", "one", "--code", *where).out
    assert "def one() -> int:\n        return 1" in shown
    assert zkit("tools", "history", "one", "--restore", "1", *where).code == 0
    assert catalog.tools()[0].definition["body"] == "return 1"
    assert zkit("tools", "history", "two", *where).code == 1
    assert zkit("tools", "history", "one", "--restore", "9", *where).code == 2


def test_a_kit_that_is_not_there_is_told() -> None:
    assert zkit("mcp", "serve", "--kit", "no_such_kit").code == 2
