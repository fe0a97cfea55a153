"""A proxy on loopback in front of a scripted server, for tests."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import httpx2

from zkit.proxy import ProxySettings, Upstream
from zkit.proxy.proxy_app import make_server
from zkit.testing import call, says

WEATHER: Any = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "parameters": {
            "type": "object",
            "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
            "required": ["city"],
        },
    },
}
MESSAGES: Any = [{"role": "user", "content": "What is the weather in Oslo?"}]
REQUEST: Any = {"model": "m", "messages": MESSAGES, "tools": [WEATHER]}
OSLO = '{"city": "Oslo"}'
SLIP = says(None, [call("getWeather", "{'city': 'Oslo',}", "a")])
IN_TEXT = says(
    'Sure. <tool_call>{"name": "get_weather", "arguments": {"city": "Oslo",}}</tool_call>'
)
CUT = says(None, [call("get_weather", '{"city": "Os', "a")], finish="length")
GOOD = says(None, [call("get_weather", OSLO, "b")])


@contextmanager
def proxy(url: str, *more: Upstream, **options: Any) -> Iterator[str]:
    """A proxy in front of a server; yields its address."""
    upstreams = (*more, Upstream(url)) if url else more
    settings = ProxySettings(**{"upstreams": upstreams, "port": 0, **options})
    server = make_server(settings)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    wait_for(lambda: server.started)
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join(10)


def wait_for(check: Callable[[], Any], seconds: float = 10.0) -> Any:
    """Wait until something is true; return it."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = check()
        if found:
            return found
        time.sleep(0.01)
    raise AssertionError("waited in vain")


def rows(address: str) -> list[dict[str, Any]]:
    """The requests on the page, the latest first."""
    found = httpx2.get(f"{address}/zkit/requests").json()["requests"]
    return list(reversed(found))


def latest(address: str) -> dict[str, Any]:
    """The latest request on the page that has ended, with everything about it."""
    row = wait_for(lambda: next((r for r in rows(address)[:1] if r["outcome"] != "running"), None))
    found: dict[str, Any] = httpx2.get(f"{address}/zkit/requests/{row['id']}").json()
    return found
