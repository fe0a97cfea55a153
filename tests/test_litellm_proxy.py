"""A real litellm proxy with the callback of its configuration, asked by the openai client."""

from __future__ import annotations

import os
import re
import secrets
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from openai import OpenAI

from zkit.testing import ScriptedServer, call, says

PAGE = (Path(__file__).parent.parent / "docs/frameworks.md").read_text("utf-8")
TOOLS: Any = [
    {
        "type": "function",
        "function": {
            "name": "get_weather",
            "parameters": {
                "type": "object",
                "properties": {"city": {"type": "string"}},
                "required": ["city"],
            },
        },
    }
]
MESSAGES: Any = [{"role": "user", "content": "What is the weather in Paris?"}]
KEY = f"sk-{secrets.token_hex(32)}"
START = 240
"""Seconds that the proxy may take to start on a busy machine; it takes ten on an idle one."""


@pytest.fixture(scope="module")
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer() as made:
        yield made


@pytest.fixture(scope="module")
def proxy(server: ScriptedServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a proxy with the configuration of docs/frameworks.md."""
    command = shutil.which("litellm", path=str(Path(sys.executable).parent))
    if command is None or shutil.which("uvicorn", path=str(Path(sys.executable).parent)) is None:
        pytest.skip("litellm[proxy] is not installed")
    pytest.importorskip("fastapi", reason="litellm[proxy] is not installed")
    shown = re.search(r"^```yaml litellm\n(.*?)^```$", PAGE, re.M | re.S)
    assert shown is not None
    folder = tmp_path_factory.mktemp("proxy")
    config = shown[1].replace("http://localhost:11434/v1", server.url)
    (folder / "config.yaml").write_text(config, "utf-8")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    # The proxy does not start without a key of its own; this one lives as long as the test.
    environment = {
        **os.environ,
        "LITELLM_MASTER_KEY": KEY,
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        "HOME": str(folder),
    }
    with open(folder / "log", "w+", encoding="utf-8") as log:
        running = subprocess.Popen(
            [command, "--config", "config.yaml", "--port", str(port), "--host", "127.0.0.1"],
            cwd=folder, env=environment, stdout=log, stderr=subprocess.STDOUT,
        )  # fmt: skip
        try:
            _wait(running, f"http://127.0.0.1:{port}/health/liveliness", Path(log.name))
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            running.terminate()
            running.wait(60)


def _wait(running: subprocess.Popen[bytes], url: str, log: Path) -> None:
    end = time.monotonic() + START
    while True:
        try:
            if httpx.get(url, timeout=5).is_success:
                return
        except httpx.TransportError:
            pass
        assert running.poll() is None, log.read_text("utf-8")[-2_000:]
        assert time.monotonic() < end, log.read_text("utf-8")[-2_000:]
        time.sleep(0.5)


def asked(proxy: str, streamed: bool) -> list[tuple[str, str]]:
    """The calls that a client of the proxy receives."""
    with OpenAI(base_url=proxy, api_key=KEY, max_retries=0) as client:
        if not streamed:
            reply = client.chat.completions.create(model="m", messages=MESSAGES, tools=TOOLS)
            made: Any = reply.choices[0].message.tool_calls or ()
            return [(one.function.name, one.function.arguments) for one in made]
        found: dict[int, tuple[str, str]] = {}
        stream = client.chat.completions.create(
            model="m", messages=MESSAGES, tools=TOOLS, stream=True
        )
        for chunk in stream:
            for one in (chunk.choices[0].delta.tool_calls or ()) if chunk.choices else ():
                name, arguments = found.get(one.index, ("", ""))
                function: Any = one.function
                found[one.index] = (name + (function.name or ""), arguments + (function.arguments or ""))  # fmt: skip
        return list(found.values())


@pytest.mark.slow
@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        (says(None, [call("getWeather", "{'city': 'Paris',}", "a")]), ("get_weather", '{"city": "Paris"}')),
        (says('<tool_call>{"name": "get_weather", "arguments": {"city": "Paris"}}</tool_call>'), ("get_weather", '{"city": "Paris"}')),
        (says(None, [call("get_weather", '{"city": "Par', "a")], finish="length"), ("refused_get_weather", None)),
    ],
    ids=["slip", "call in the text", "cut"],
)  # fmt: skip
def test_a_proxy_repairs_and_refuses(
    proxy: str, server: ScriptedServer, reply: Any, expected: tuple[str, str | None], streamed: bool
) -> None:
    server.play(reply)
    ((name, arguments),) = asked(proxy, streamed)
    assert name == expected[0]
    assert expected[1] in (None, arguments)
