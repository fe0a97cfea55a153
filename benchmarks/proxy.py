"""Measure what the proxy adds to the first byte and to each chunk, next to a plain pass-through."""

from __future__ import annotations

import argparse
import threading
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from statistics import median
from typing import Any

import httpx2
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from zkit.proxy import ProxySettings, Upstream
from zkit.proxy.proxy_app import make_server
from zkit.testing import ScriptedServer, call, says

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


def plain_app(url: str) -> Starlette:
    """A proxy that passes bytes on and does nothing else."""
    client = httpx2.AsyncClient(timeout=60)

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


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=40)
    rounds = parser.parse_args().rounds
    print("| reply | way | first byte, ms | whole, ms | µs per chunk |\n|---|---|---|---|---|")
    with ScriptedServer() as upstream:
        plain = uvicorn.Config(plain_app(upstream.url), port=0, log_level="critical")
        settings = ProxySettings(upstreams=(Upstream(upstream.url),), port=0)
        with running(uvicorn.Server(plain)) as bare, running(make_server(settings)) as ours:
            ways = {"direct": upstream.url, "plain pass-through": bare, "zkit proxy": ours}
            for name, reply in REPLIES.items():
                chunks = len(list(reply({"stream": True}).parts))
                found = measured(upstream, reply, ways, rounds)
                for way, times in found.items():
                    first, whole = (median(one) * 1000 for one in zip(*times, strict=True))
                    each = whole / chunks * 1000
                    print(
                        f"| {name}, {chunks} chunks | {way} | {first:.1f} | {whole:.1f} | {each:.0f} |"
                    )


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
