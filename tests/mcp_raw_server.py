"""A small MCP server of the older protocol that starts at once and misbehaves when a test wants it.

`python tests/mcp_raw_server.py STATE`: STATE is a JSON file with `tools` and, for some tests,
`banner` (printed before anything else), `notify` (sent after the list of tools) and `stderr`.
"""

from __future__ import annotations

import json
import os
import sys
import time
from typing import Any


def send(message: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def state() -> dict[str, Any]:
    with open(sys.argv[1], encoding="utf-8") as file:
        return dict(json.load(file))


def called(params: dict[str, Any]) -> Any:
    name, given = params["name"], params.get("arguments") or {}
    if name == "die":
        os._exit(1)
    if name == "hang":
        time.sleep(1000)
    if name == "junk":
        sys.stdout.write("Listening on stdio\n\x1b]0;owned\x07\n{not json}\n[1, 2]\n\n")
    if name == "endless":
        while True:
            sys.stdout.write("x" * 1_000_000)
    if name == "malformed":
        return {"content": "a text where a list belongs"}
    if name == "pid":
        given = {"pid": os.getpid()}
    if name == "environment":
        given = dict(os.environ)
    return {"content": [{"type": "text", "text": json.dumps(given)}]}


def answer(method: str, params: dict[str, Any]) -> Any:
    if method == "initialize":
        return {
            "protocolVersion": "2025-11-25",
            "capabilities": {"tools": {"listChanged": True}},
            "serverInfo": {"name": "raw", "version": "1"},
        }
    if method == "tools/list":
        listed = state()["tools"]
        schema = {"type": "object", "properties": {}}
        return {"tools": [{"inputSchema": schema, **tool} for tool in listed]}
    return called(params) if method == "tools/call" else None


def main() -> None:
    first = state()
    sys.stderr.write(first.get("stderr", ""))
    sys.stdout.write(first.get("banner", ""))
    if first.get("exit"):
        sys.exit(3)
    for line in sys.stdin:
        message = json.loads(line)
        if "id" not in message or "method" not in message:
            continue
        result = answer(message["method"], message.get("params") or {})
        if result is None:
            error = {"code": -32601, "message": "Method not found"}
            send({"id": message["id"], "error": error})
        else:
            send({"id": message["id"], "result": result})
        for one in state().get("notify", ()) if message["method"] == "tools/call" else ():
            send(one)


main()
