"""The proxy under hard conditions: broken connections, bad first turns, thousands of requests."""

from __future__ import annotations

import asyncio
import gc
import json
import os
from collections.abc import AsyncIterator, MutableMapping
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
import uvicorn
from proxy_samples import CUT, GOOD, IN_TEXT, REQUEST, SLIP

from benchmarks import endtoend_agent
from benchmarks.endtoend import front_of, verdict_of
from benchmarks.endtoend_turns import TURNS, Turn
from zkit.proxy import ProxySettings, Upstream
from zkit.proxy.forwarder import Forwarder
from zkit.proxy.proxy_app import make_server
from zkit.proxy.request_log import RequestLog
from zkit.proxy.telemetry import Figures
from zkit.testing import Answer, ScriptedServer

MESSAGES_REQUEST: Any = {
    "model": "m",
    "max_tokens": 100,
    "messages": [{"role": "user", "content": "What is the weather in Oslo?"}],
    "tools": [{"name": "get_weather", "input_schema": REQUEST["tools"][0]["function"]["parameters"]}],
}  # fmt: skip
RESPONSES_REQUEST: Any = {
    "model": "m",
    "input": "What is the weather in Oslo?",
    "tools": [{"type": "function", **REQUEST["tools"][0]["function"]}],
}


class Cut(httpx2.AsyncBaseTransport):
    """An upstream whose reply breaks off after some bytes."""

    def __init__(self) -> None:
        self.body, self.kind, self.breaks_off = b"", "", True

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        if request.url.path.endswith("/responses"):
            return httpx2.Response(404, content=b"{}")
        return httpx2.Response(200, headers={"content-type": self.kind}, stream=_CutStream(self))


class _CutStream(httpx2.AsyncByteStream):
    def __init__(self, of: Cut) -> None:
        self._of = of

    async def __aiter__(self) -> AsyncIterator[bytes]:
        if self._of.body:
            yield self._of.body
        if self._of.breaks_off:
            raise httpx2.ReadError("the connection is gone")


async def asked(app: Forwarder, path: str, request: dict[str, Any]) -> tuple[int, bytes]:
    """Send a request to the application itself; return the status and the body of its reply."""
    body = json.dumps(request).encode()
    messages = [{"type": "http.request", "body": body, "more_body": False}]
    status, parts = 0, []

    async def receive() -> dict[str, Any]:
        if messages:
            return messages.pop()
        await anyio.sleep_forever()
        raise AssertionError

    async def send(message: MutableMapping[str, Any]) -> None:
        nonlocal status
        status = message.get("status", status)
        parts.append(message.get("body", b""))

    headers = [(b"content-type", b"application/json")]
    scope = {
        "type": "http",
        "method": "POST",
        "path": path,
        "headers": headers,
        "query_string": b"",
    }
    await app(scope, receive, send)
    return status, b"".join(parts)


@pytest.mark.parametrize(
    "is_stream",
    [pytest.param(True, marks=pytest.mark.slow, id="streamed"), pytest.param(False, id="whole")],
)
@pytest.mark.parametrize(
    ("path", "request_"),
    [
        ("/v1/chat/completions", REQUEST),
        ("/v1/messages", MESSAGES_REQUEST),
        ("/v1/responses", RESPONSES_REQUEST),
    ],
)
def test_a_reply_that_breaks_off_at_any_byte_is_an_error_and_no_call(
    path: str, request_: dict[str, Any], is_stream: bool
) -> None:
    """Every prefix of a reply: an error in the format of the API, and never a part of a call."""
    whole = b"".join(SLIP({"stream": True} if is_stream else {}).parts)
    upstream = Cut()
    upstream.kind = "text/event-stream" if is_stream else "application/json"
    log, figures = RequestLog(50), Figures()

    async def all_of_them() -> None:
        app = Forwarder(
            ProxySettings(upstreams=(Upstream("http://up/v1"),)), log, figures, upstream
        )
        for at in range(len(whole) + 1):
            upstream.body = whole[:at]
            status, body = await asked(app, path, {**request_, "stream": is_stream})
            if is_stream and b"[DONE]\n" in whole[:at]:
                if not whole[:at].endswith(b"\n\n"):
                    continue  # with one line end of two, either is right
                assert status == 200
                assert b"Oslo" in body, (at, body)
                assert b"broke off" not in body, (at, body)
                continue
            assert status == (200 if status == 200 and is_stream else 502), (at, body)
            assert b"broke off" in body, (at, body)
            assert b"Oslo" not in body, (at, body)
        await app.aclose()

    asyncio.run(all_of_them())
    assert figures.running == 0


def rss() -> int:
    """The memory of this process in megabytes."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") // 1_000_000


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="open files are counted in /proc")
def test_thousands_of_requests_leave_nothing_behind() -> None:
    """Good, damaged, cut and broken replies over real sockets: memory, tasks and files stay few."""
    replies = [SLIP, IN_TEXT, CUT, GOOD]
    count = 0

    async def scripted(scope: Any, receive: Any, send: Any) -> None:
        nonlocal count
        if scope["type"] != "http":
            return
        body = b""
        while True:
            message = await receive()
            body += message.get("body", b"")
            if not message.get("more_body"):
                break
        count += 1
        made: Answer = replies[count % 4](json.loads(body))
        head = [(b"content-type", made.content_type.encode())]
        await send({"type": "http.response.start", "status": 200, "headers": head})
        for part in made.parts:
            await send({"type": "http.response.body", "body": part, "more_body": True})
            if count % 11 == 0:
                raise ConnectionError("broken off")
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def main() -> tuple[list[int], list[int], list[int]]:
        config = uvicorn.Config(scripted, port=0, log_level="critical", lifespan="off")
        behind = uvicorn.Server(config)
        serving = [asyncio.create_task(behind.serve())]
        url = await _address(behind)
        front = make_server(ProxySettings(upstreams=(Upstream(f"{url}/v1"),), port=0))
        serving.append(asyncio.create_task(front.serve()))
        address = await _address(front)
        memory, tasks, files = [], [], []
        for _ in range(6):
            async with httpx2.AsyncClient(timeout=60) as client:
                for _ in range(25):
                    sent = [
                        client.post(f"{address}/v1/chat/completions", json={**REQUEST, "stream": n % 2 == 0})
                        for n in range(20)
                    ]  # fmt: skip
                    await asyncio.gather(*sent, return_exceptions=True)
            await asyncio.sleep(0.2)
            gc.collect()
            memory.append(rss())
            tasks.append(len(asyncio.all_tasks()))
            files.append(len(os.listdir("/proc/self/fd")))
        for server in (front, behind):
            server.should_exit = True
        await asyncio.gather(*serving)
        return memory, tasks, files

    memory, tasks, files = asyncio.run(main())
    assert count >= 3000
    assert memory[-1] - memory[1] < 15, memory  # the log of the page is full after 1,000
    assert max(tasks[1:]) - tasks[0] <= 2, tasks
    assert max(files[1:]) - files[0] <= 30, files  # 20 connections are kept to be used again


async def _address(server: uvicorn.Server) -> str:
    while not server.started:
        await asyncio.sleep(0.01)
    return f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"


def turns_that_are_not_right(turns: list[Turn]) -> dict[str, str]:
    """Play first turns of the end-to-end benchmark to a plain loop on the client of OpenAI."""
    found = {}
    with ScriptedServer() as server, front_of(server, True) as url:
        for turn in turns:
            server.play(*[turn.server()] * 20)
            endtoend_agent.RECEIVED.clear()
            told: dict[str, Any] = {"received": endtoend_agent.RECEIVED}
            try:
                told["answer"] = endtoend_agent.openai_client(url, turn.streams)
            except Exception as error:
                told["error"] = type(error).__name__
            if (verdict := verdict_of(turn, told)) != "right":
                found[turn.name] = verdict
    return found


SOME_TURNS = ("valid", "fenced_arguments", "text_hermes_json", "cut_call", "page_for_an_answer")


def test_bad_first_turns_come_out_right_through_the_proxy() -> None:
    some = [turn for turn in TURNS if turn.name in SOME_TURNS]
    assert len(some) == len(SOME_TURNS)
    assert turns_that_are_not_right(some) == {}


@pytest.mark.slow
def test_no_first_turn_runs_a_wrong_call_through_the_proxy() -> None:
    found = turns_that_are_not_right(list(TURNS))
    assert "wrong call" not in found.values()
    assert len(found) <= 2, found
