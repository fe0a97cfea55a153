"""The proxy as an ASGI application, and the server that runs it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import Message, Receive, Scope, Send

from zkit.proxy.access import COOKIE, has_token, needs_token, refusal_of
from zkit.proxy.api_errors import ApiName, ProxyError, error_body
from zkit.proxy.forwarder import Forwarder
from zkit.proxy.page_api import page_routes
from zkit.proxy.proxy_settings import ProxySettings
from zkit.proxy.request_log import RequestLog
from zkit.proxy.telemetry import Figures


def make_app(settings: ProxySettings) -> Callable[..., Any]:
    """Return the ASGI application of a proxy."""
    log = RequestLog(settings.keep_last, settings.keep)
    figures = Figures()
    forwarder = Forwarder(settings, log, figures)

    @asynccontextmanager
    async def lifespan(app: object) -> AsyncIterator[None]:
        yield
        await forwarder.aclose()

    async def healthz(request: Request) -> Response:
        upstreams = [{"url": one.shown, "models": one.models} for one in settings.upstreams]
        return JSONResponse({"status": "ok", "upstreams": upstreams, "running": figures.running})

    async def metrics(request: Request) -> Response:
        return PlainTextResponse(figures.text(), media_type="text/plain; version=0.0.4")

    routes = [
        Route("/healthz", healthz),
        Route("/metrics", metrics),
        *page_routes(settings, log),
    ]
    pages = Starlette(routes=routes, lifespan=lifespan)
    return _Gate(settings, pages, forwarder)


class _Gate:
    """Rejects what may not pass, and sends the rest to the page or to an upstream."""

    def __init__(self, settings: ProxySettings, pages: Starlette, forwarder: Forwarder) -> None:
        self._settings = settings
        self._pages = pages
        self._forwarder = forwarder

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "websocket":
                await send({"type": "websocket.close", "code": 1008})
                return
            await self._pages(scope, receive, send)
            return
        headers = {key.decode("latin-1"): one.decode("latin-1") for key, one in scope["headers"]}
        path, query = scope["path"], scope.get("query_string", b"").decode("latin-1")
        error = self._error(scope["method"], path, headers, query)
        if error is not None:
            api: ApiName = "messages" if "anthropic-version" in headers else "chat"
            await JSONResponse(error_body(api, error), error.status)(scope, receive, send)
            return
        if headers.get("origin") in self._settings.allowed_origins:
            if scope["method"] == "OPTIONS":
                await _preflight(headers)(scope, receive, send)
                return
            send = _with_header(send, b"access-control-allow-origin", headers["origin"].encode())
        if needs_token(self._settings, path) and "token=" in query:
            send = _with_header(send, b"set-cookie", self._cookie().encode())
        own = path == "/zkit" or path.startswith("/zkit/") or path in ("/healthz", "/metrics")
        await (self._pages if own else self._forwarder)(scope, receive, send)

    def _error(
        self, method: str, path: str, headers: dict[str, str], query: str
    ) -> ProxyError | None:
        refusal = refusal_of(self._settings, method, path, headers)
        if refusal is not None:
            return ProxyError(403, refusal, "forbidden")
        if needs_token(self._settings, path) and not has_token(self._settings, headers, query):
            reason = "the page needs the token of the proxy: open /zkit?token=..."
            return ProxyError(401, reason, "unauthorized")
        return None

    def _cookie(self) -> str:
        return f"{COOKIE}={self._settings.token}; HttpOnly; SameSite=Strict; Path=/"


def _preflight(headers: dict[str, str]) -> Response:
    wanted = headers.get("access-control-request-headers", "*")
    return Response(
        status_code=204,
        headers={
            "access-control-allow-origin": headers["origin"],
            "access-control-allow-methods": "GET, POST, OPTIONS",
            "access-control-allow-headers": wanted,
            "access-control-max-age": "600",
        },
    )


def _with_header(send: Send, name: bytes, value: bytes) -> Send:
    """Send a reply with one more header."""

    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": [*message.get("headers", ()), (name, value)]}
        await send(message)

    return sent


def make_server(settings: ProxySettings) -> uvicorn.Server:
    """Return a server that runs the proxy; requests are not logged, because they hold keys."""
    config = uvicorn.Config(
        make_app(settings),
        host=settings.host,
        port=settings.port,
        log_level="critical",
        access_log=False,
        ws="none",
        lifespan="on",
        timeout_graceful_shutdown=3,
        server_header=False,
    )
    return uvicorn.Server(config)


def serve(settings: ProxySettings) -> None:
    """Run the proxy until it is stopped."""
    make_server(settings).run()
