"""Measure what the proxy adds to the first byte and to each chunk, next to a plain pass-through."""

from __future__ import annotations

import argparse
import asyncio
import json
import threading
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any

import anyio
import httpx2
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from zkit.proxy import ProxySettings, Upstream
from zkit.proxy.forwarder import Forwarder
from zkit.proxy.proxy_app import make_server
from zkit.proxy.request_log import RequestLog
from zkit.proxy.telemetry import Figures
from zkit.testing import ScriptedServer, call, says

RESULTS = Path(__file__).parent / "results" / "proxy.md"
TOOL = {
    "type": "function",
    "function": {
        "name": "write_file",
        "parameters": {
            "type": "object",
            "properties": {"path": {"type": "string"}, "text": {"type": "string"}},
            "required": ["path", "text"],
        },
    },
}
TEXT = says("The weather in Oslo is fine today. " * 60, step=5)
CALL = says(None, [call("write_file", {"path": "a.txt", "text": "line\n" * 400}, "a")], step=5)
REPLIES = {"text": TEXT, "a call": CALL}


def plain_app(url: str, transport: httpx2.AsyncBaseTransport | None = None) -> Starlette:
    """A proxy that passes bytes on and does nothing else."""
    client = httpx2.AsyncClient(timeout=60, transport=transport)

    async def forward(request: Request) -> Response:
        made = client.build_request("POST", f"{url}/chat/completions", content=await request.body())
        response = await client.send(made, stream=True)

        async def body() -> AsyncIterator[bytes]:
            async for data in response.aiter_raw():
                yield data
            await response.aclose()

        return StreamingResponse(
            body(), response.status_code, {"content-type": "text/event-stream"}
        )

    return Starlette(routes=[Route("/v1/chat/completions", forward, methods=["POST"])])


@contextmanager
def running(server: uvicorn.Server) -> Iterator[str]:
    """The address of a server that runs in a thread."""
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        server.should_exit = True
        thread.join()


def timed(client: httpx2.Client, url: str) -> tuple[float, float]:
    """Seconds to the first byte of a stream, and to its end."""
    request: dict[str, Any] = {"model": "m", "messages": [], "tools": [TOOL], "stream": True}
    begun = time.perf_counter()
    with client.stream("POST", f"{url}/chat/completions", json=request) as reply:
        first = 0.0
        for _ in reply.iter_raw():
            first = first or time.perf_counter() - begun
    return first, time.perf_counter() - begun


class Fixed(httpx2.AsyncBaseTransport):
    """An upstream in the same process, so that only the work of the proxy is measured."""

    parts: tuple[bytes, ...] = ()

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Answer with the parts of the reply."""
        head = {"content-type": "text/event-stream"}
        return httpx2.Response(200, headers=head, stream=_Parts(self.parts))


class _Parts(httpx2.AsyncByteStream):
    def __init__(self, parts: tuple[bytes, ...]) -> None:
        self._parts = parts

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for part in self._parts:
            yield part


async def spent(app: Any) -> tuple[float, float]:
    """Seconds of CPU until an application sends the first byte of a stream, and to its end."""
    asked: dict[str, Any] = {"model": "m", "messages": [], "tools": [TOOL], "stream": True}
    messages = [{"type": "http.request", "body": json.dumps(asked).encode(), "more_body": False}]
    first = 0.0

    async def receive() -> dict[str, Any]:
        if messages:
            return messages.pop()
        await anyio.sleep_forever()
        raise AssertionError

    async def send(message: dict[str, Any]) -> None:
        nonlocal first
        if message.get("body"):
            first = first or time.process_time() - begun

    scope = {
        "type": "http", "method": "POST", "path": "/v1/chat/completions", "query_string": b"",
        "headers": [(b"content-type", b"application/json")], "http_version": "1.1",
    }  # fmt: skip
    begun = time.process_time()
    await app(scope, receive, send)
    return first, time.process_time() - begun


async def without_sockets(rounds: int) -> list[str]:
    """The rows of the table of CPU time: the least of some rounds."""
    behind = Fixed()
    settings = ProxySettings(upstreams=(Upstream("http://upstream/v1"),))
    ours = Forwarder(settings, RequestLog(50), Figures(), behind)
    found = []
    for name, reply in REPLIES.items():
        behind.parts = tuple(reply({"stream": True}).parts)
        for way, app in (("plain", plain_app("http://upstream/v1", behind)), ("zkit", ours)):
            times = [await spent(app) for _ in range(rounds)]
            first, whole = (min(one) * 1e6 for one in zip(*times, strict=True))
            count = len(behind.parts)
            found.append(f"| {name}, {count} chunks | {way} | {first:.0f} | {whole / count:.1f} |")
    await ours.aclose()
    return found


def over_sockets(rounds: int) -> list[str]:
    """The rows of the table of wall time: the median of some rounds."""
    rows = []
    with ScriptedServer() as upstream:
        plain = uvicorn.Config(plain_app(upstream.url), port=0, log_level="critical")
        settings = ProxySettings(upstreams=(Upstream(upstream.url),), port=0)
        with running(uvicorn.Server(plain)) as bare, running(make_server(settings)) as ours:
            ways = {"direct": upstream.url, "plain": bare, "zkit": ours}
            for name, reply in REPLIES.items():
                chunks = len(list(reply({"stream": True}).parts))
                for way, times in measured(upstream, reply, ways, rounds).items():
                    first, whole = (median(one) * 1000 for one in zip(*times, strict=True))
                    each = whole / chunks * 1000
                    rows.append(f"| {name}, {chunks} chunks | {way} | {first:.1f} | {each:.0f} |")
    return rows


PAGE = """# What the proxy adds to a stream

`python -m benchmarks.proxy`; "plain" is a proxy that passes bytes on and does nothing else.

CPU time of the application alone, without sockets, the least of {rounds} rounds. What is noted for the
page is part of it; that work is done after the last chunk was sent.

| reply | way | CPU to the first byte, µs | CPU per chunk, µs |
|---|---|---|---|
{cpu}

Wall time over sockets, with client, proxy and server on the same cores, the median of {rounds} rounds.

| reply | way | first byte, ms | µs per chunk |
|---|---|---|---|
{wall}
"""


def main() -> None:
    """Measure, print the page and write it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=40)
    rounds = parser.parse_args().rounds
    cpu = asyncio.run(without_sockets(rounds))
    page = PAGE.format(rounds=rounds, cpu="\n".join(cpu), wall="\n".join(over_sockets(rounds)))
    print(page)
    RESULTS.write_text(page, "utf-8")


def measured(
    upstream: ScriptedServer, reply: Any, ways: dict[str, str], rounds: int
) -> dict[str, list[tuple[float, float]]]:
    """The times of each way, measured in turns."""
    found: dict[str, list[tuple[float, float]]] = {way: [] for way in ways}
    with httpx2.Client(timeout=60) as client:
        for at in range(rounds + 3):
            for way, url in ways.items():
                upstream.play(reply)
                times = timed(client, url)
                if at >= 3:  # the first ones open connections and load modules
                    found[way].append(times)
    return found


if __name__ == "__main__":
    main()
