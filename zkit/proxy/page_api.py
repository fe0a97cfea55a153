"""The API of the page at `/zkit`: the list of requests, one request in full, a case made from it."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import shlex
from collections.abc import AsyncIterator
from functools import cache
from importlib.resources import files
from pathlib import Path

import anyio.to_thread
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from zkit.proxy.proxy_settings import ProxySettings
from zkit.proxy.request_log import Record, RequestLog, View

_HEARTBEAT = 15.0
"""Seconds between two keep-alive events."""
_OWN_CODE = re.compile(r"<(script|style)>(.*?)</\1>", re.S)


def page_routes(settings: ProxySettings, log: RequestLog) -> list[Route]:
    """Return the routes of the page."""

    async def page(request: Request) -> Response:
        text, policy = _page()
        headers = {
            "content-security-policy": policy,
            "x-frame-options": "DENY",
            "x-content-type-options": "nosniff",
            "referrer-policy": "no-referrer",
            "cache-control": "no-cache",
        }
        return HTMLResponse(text, headers=headers)

    async def listing(request: Request) -> Response:
        rows = [one.summary() for one in log]
        return JSONResponse({"version": log.version, "requests": rows})

    async def clear(request: Request) -> Response:
        log.clear()
        return Response(status_code=204)

    async def events(request: Request) -> Response:
        return StreamingResponse(_changes(log), media_type="text/event-stream")

    async def detail(request: Request) -> Response:
        record = log.get(request.path_params["id"])
        if record is None:
            return JSONResponse({"error": "this request is not kept any more"}, 404)
        return JSONResponse({**record.detail(), "curl": _curl(record, settings)})

    async def case(request: Request) -> Response:
        record = log.get(request.path_params["id"])
        if record is None:
            return JSONResponse({"error": "this request is not kept any more"}, 404)
        made = await anyio.to_thread.run_sync(cases_of, record, settings.cases)
        return JSONResponse(made)

    return [
        Route("/zkit", page),
        Route("/zkit/requests", listing),
        Route("/zkit/requests", clear, methods=["DELETE"]),
        Route("/zkit/events", events),
        Route("/zkit/requests/{id}", detail),
        Route("/zkit/requests/{id}/case", case, methods=["POST"]),
    ]


async def _changes(log: RequestLog) -> AsyncIterator[bytes]:
    """Return the rows that are new or have changed, as events."""
    version = -1
    while True:
        rows = [one.summary() for one in log.since(version)]
        is_first = version < 0
        version = log.version
        if rows or is_first:
            yield b"data: %s\n\n" % json.dumps(rows, default=str).encode()
        await log.wait(_HEARTBEAT)
        if version == log.version:
            yield b": nothing new\n\n"


@cache
def _page() -> tuple[str, str]:
    """Return the page, and the policy that lets nothing but its own code run."""
    text = files("zkit.proxy").joinpath("page.html").read_text("utf-8")
    hashes: dict[str, list[str]] = {"script": [], "style": []}
    for kind, code in _OWN_CODE.findall(text):
        digest = base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()
        hashes[kind].append(f"'sha256-{digest}'")
    return text, (
        f"default-src 'none'; script-src {' '.join(hashes['script'])};"
        f" style-src {' '.join(hashes['style'])}; connect-src 'self'; img-src data:;"
        " base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )


def _curl(record: Record, settings: ProxySettings) -> str:
    """Return the command that sends the request again, with the key left out."""
    if not record.request:
        return ""
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    is_messages = record.endpoint == "/v1/messages"
    key = "x-api-key: $API_KEY" if is_messages else "Authorization: Bearer $API_KEY"
    lines = [
        f"curl http://{host}:{settings.port}{record.endpoint}",
        f'-H "{key}"',
        "-H 'Content-Type: application/json'",
        *(["-H 'anthropic-version: 2023-06-01'"] if is_messages else []),
        f"-d {shlex.quote(record.request)}",
    ]
    return " \\\n  ".join(lines)


def cases_of(record: Record, folder: Path | None) -> View:
    """Return the failures of a request as cases of the corpus, without secrets; added to a folder if given."""
    from zkit.cases.case import CaseFileError
    from zkit.cases.draft import ShapeLostError, exchange_drafts, proposed, redacted, sentence
    from zkit.cases.writing import NotAddedError, add_case, case_lines, twin_of
    from zkit.transcripts import Exchange

    made, problems = [], []
    for view in record.sent:
        body = json.dumps({"choices": [_choice(view)]}).encode()
        exchange = Exchange(0, {"tools": record.tools}, 200, "application/json", body, True)
        for draft in exchange_drafts(exchange, f"{record.model}, seen by zkit proxy"):
            try:
                clean = redacted(draft)
                expects = proposed(clean)
                entry = {"it": sentence(clean, expects), **clean.given(), **expects}
                made.append("\n".join(["[[case]]", *case_lines(entry)]))
                if folder is not None and twin_of(clean, folder) is None:
                    add_case(folder / f"{clean.kind}.toml", clean, entry["it"], expects)
            except (ShapeLostError, NotAddedError, CaseFileError, OSError) as error:
                problems.append(str(error))
    return {
        "cases": list(dict.fromkeys(made)),
        "problems": problems,
        "folder": None if folder is None or not made else str(folder),
    }


def _choice(view: View) -> View:
    calls = [
        {"id": one["id"], "type": "function", "function": {"name": one["name"], "arguments": one["arguments"]}}
        for one in view.get("calls", ())
    ]  # fmt: skip
    message = {"role": "assistant", "content": view.get("content"), "tool_calls": calls}
    return {"index": 0, "message": message, "finish_reason": view.get("finish_reason")}
