"""Handles one request: chooses the upstream, sends the request, delivers the reply, and records it."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import replace

import anyio
import httpx2
from anyio.abc import TaskGroup
from starlette.types import Receive, Scope, Send

from zkit.chat.client.exchange import CHAT, WATCH, Watch
from zkit.chat.client_errors import needs_text_mode
from zkit.chat.server_profile import Profile, fitted
from zkit.proxy.api_errors import ApiName, ProxyError, message_in
from zkit.proxy.event_stream import Data, read_object, write_json
from zkit.proxy.messages_bridge import MessagesBridge, estimated_tokens, model_list
from zkit.proxy.proxy_settings import ProxySettings, Upstream
from zkit.proxy.reply_delivery import PER_CONNECTION, close_response, deliver
from zkit.proxy.reply_views import usage_of, view_of_body
from zkit.proxy.request_log import MAX_REQUEST, Record, RequestLog
from zkit.proxy.responses_bridge import ResponsesBridge, empty_response
from zkit.proxy.telemetry import Figures, request_span
from zkit.proxy.upstream_client import Seen, upstream_client, upstream_request
from zkit.proxy.visit import Visit

_ENDPOINTS: Mapping[str, ApiName] = {
    "/chat/completions": "chat",
    "/responses": "responses",
    "/messages": "messages",
}
_OURS = frozenset(("origin", "referer", "cookie", "expect"))
"""Headers of a browser, which concern the proxy and not the upstream."""
_NO_SUCH_ENDPOINT = (404, 405, 501)
_TEXT_MODES = 1000
"""How many models without tool support are remembered."""


class Forwarder:
    """The ASGI application for everything but the page.

    `transport` takes the place of connections to the upstreams.
    """

    def __init__(
        self,
        settings: ProxySettings,
        log: RequestLog,
        figures: Figures,
        transport: httpx2.AsyncBaseTransport | None = None,
    ) -> None:
        self._settings = settings
        self._log = log
        self._figures = figures
        self._client = upstream_client(settings.repairing, settings.max_requests + 8, transport)
        self._text_modes: set[tuple[str, str]] = set()
        self._has_responses: dict[str, bool] = {}

    async def aclose(self) -> None:
        """Close the connections to the upstreams."""
        await self._client.aclose()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request; a client that goes away cancels it."""
        visit = self._visit(scope, receive, send)
        if self._figures.running >= self._settings.max_requests:
            full = f"the proxy handles {self._settings.max_requests} requests at one time"
            await visit.fail(ProxyError(429, full, "too_many_requests"))
            return
        self._figures.running += 1
        try:
            await self._answer(visit)
        finally:
            self._figures.running -= 1

    def _visit(self, scope: Scope, receive: Receive, send: Send) -> Visit:
        headers = {key.decode("latin-1"): one.decode("latin-1") for key, one in scope["headers"]}
        path = scope["path"].removeprefix("/v1") if scope["path"] != "/v1" else "/"
        api = _ENDPOINTS.get(path.removesuffix("/count_tokens"), "chat")
        if "anthropic-version" in headers:
            api = "messages"
        record = Record(secrets.token_hex(8), scope["path"], "", "")
        return Visit(
            scope, receive, send, headers, path, api, record, Seen(self._settings.max_reply)
        )

    async def _answer(self, visit: Visit) -> None:
        record = visit.record
        is_cancelled = True
        try:
            async with anyio.create_task_group() as tasks:
                try:
                    with anyio.fail_after(self._settings.timeout):
                        await self._routed(visit, tasks)
                except ProxyError as error:
                    await visit.fail(error)
                except TimeoutError:
                    late = f"no complete reply after {self._settings.timeout:g} seconds"
                    await visit.fail(ProxyError(504, late, "timeout"))
                except (httpx2.HTTPError, httpx2.StreamError, ValueError) as error:
                    await visit.fail(_upstream_error(record, error))
                is_cancelled = False
                tasks.cancel_scope.cancel()
        finally:
            if is_cancelled:
                record.outcome, record.error = "cancelled", "the client closed the connection"
            self._finish(visit)

    def _finish(self, visit: Visit) -> None:
        """Note the request and its outcome."""
        record = visit.record
        if record.endpoint not in _NAMES:
            return
        for kind, body in visit.seen.replies:
            record.sent.append(view_of_body(bytes(body), kind))
        if visit.delivered is not None:
            is_same = [visit.delivered] == [body for _, body in visit.seen.replies]
            record.received = (
                record.sent[0] if is_same else view_of_body(bytes(visit.delivered), "")
            )
        if record.outcome == "running":
            record.outcome = "ok"
        record.usage = usage_of([bytes(body) for _, body in visit.seen.replies])
        self._log.finish(record, visit.keys)
        self._figures.add(record)

    async def _routed(self, visit: Visit, tasks: TaskGroup) -> None:
        body = await self._body(visit)
        tasks.start_soon(_cancel_if_gone, visit.receive, tasks.cancel_scope)
        path, method = visit.path, visit.method
        if path == "/models" and method == "GET":
            await self._models(visit)
        elif path in _ENDPOINTS and method == "POST":
            await self._completion(visit, body)
        elif path == "/messages/count_tokens" and method == "POST":
            await self._count_tokens(visit, body)
        elif path == "/responses" and visit.headers.get("upgrade", "").lower() == "websocket":
            raise ProxyError(426, "this proxy speaks HTTP, not WebSocket", "upgrade_required")
        elif visit.scope["path"] == "/" and method in ("GET", "HEAD"):
            await visit.json(200, {"zkit": "proxy", "page": "/zkit"})
        else:
            await self._pass(visit, body, self._settings.upstreams[0])

    async def _body(self, visit: Visit) -> bytes:
        """Return the body of the request."""
        most = self._settings.max_body
        parts, size = [], 0
        while True:
            message = await visit.receive()
            if message["type"] == "http.disconnect":
                raise ProxyError(400, "the request broke off", "incomplete")
            part = message.get("body", b"")
            size += len(part)
            if size > most:
                raise ProxyError(413, f"the request is longer than {most:,} bytes", "too_large")
            parts.append(part)
            if not message.get("more_body"):
                return b"".join(parts)

    # ── everything else ──────────────────────────────────────────────────────

    async def _pass(self, visit: Visit, body: bytes, upstream: Upstream) -> None:
        """Pass a request and its reply on, byte for byte."""
        request = upstream_request(
            visit.method,
            self._url(visit, upstream),
            self._headers(visit, is_whole=True),
            body or None,
            self._settings.timeout,
        )
        response = await self._client.send(request, stream=True)
        try:
            headers = [
                (name, value)
                for name, value in response.headers.multi_items()
                if name not in PER_CONNECTION or name == "content-length"
            ]
            await visit.begin(response.status_code, headers)
            async for data in response.aiter_raw():
                await visit.write(data)
            await visit.write(b"", more=False)
        finally:
            await close_response(response)

    def _url(self, visit: Visit, upstream: Upstream) -> str:
        is_v1 = visit.scope["path"].startswith("/v1/")
        raw = visit.scope.get("raw_path") or visit.scope["path"].encode()
        path = raw.decode("latin-1").partition("?")[0]
        found = upstream.base + path.removeprefix("/v1") if is_v1 else upstream.root + path
        query = visit.scope.get("query_string", b"").decode("latin-1")
        return f"{found}?{query}" if query else found

    def _headers(self, visit: Visit, *, is_whole: bool = False) -> list[tuple[str, str]]:
        """Return the headers of a client that go on to the upstream."""
        dropped = PER_CONNECTION | _OURS
        found = [
            (key.decode("latin-1"), value.decode("latin-1"))
            for key, value in visit.scope["headers"]
            if key.decode("latin-1") not in dropped
        ]
        if is_whole:
            return found
        kept = [(key, value) for key, value in found if key != "accept-encoding"]
        return [*kept, ("accept-encoding", "identity")]

    async def _models(self, visit: Visit) -> None:
        """The models of all upstreams, in the format of the client."""
        found: list[Data] = []
        failure: ProxyError | None = None
        for upstream in {one.base: one for one in self._settings.upstreams}.values():
            url = f"{upstream.base}/models"
            headers = self._chat_headers(visit)
            request = upstream_request("GET", url, headers, None, self._settings.timeout)
            try:
                response = await self._client.send(request)
            except httpx2.HTTPError as error:
                failure = _upstream_error(visit.record, error)
                continue
            data = read_object(response.content)
            listed = None if data is None else data.get("data", data.get("models"))
            if response.status_code == 200 and isinstance(listed, list):
                found += [one for one in listed if isinstance(one, dict)]
            else:
                reason = message_in(response.content)
                failure = ProxyError(response.status_code, reason, "upstream_error")
        if failure is not None and not found:
            raise failure
        if visit.api == "messages":
            await visit.json(200, model_list(found))
        else:
            await visit.json(200, {"object": "list", "data": found})

    async def _count_tokens(self, visit: Visit, body: bytes) -> None:
        request = _object_of(body)
        upstream = self._upstream(str(request.get("model", "")))
        if upstream.speaks == "messages":
            await self._pass(visit, body, upstream)
        else:
            await visit.json(200, {"input_tokens": estimated_tokens(request)})

    # ── completions ──────────────────────────────────────────────────────────

    async def _completion(self, visit: Visit, body: bytes) -> None:
        request = _object_of(body)
        model = str(request.get("model") or "")
        record = visit.record
        record.endpoint = _NAME_OF[visit.path]
        record.model, record.is_stream = model[:200], bool(request.get("stream"))
        record.request = body[:MAX_REQUEST].decode("utf-8", "replace")
        if len(body) > MAX_REQUEST:
            record.request = ""
        self._log.touch(record)
        upstream = self._upstream(model)
        record.upstream = upstream.shown
        with request_span(record):
            await self._repaired(visit, body, request, upstream)

    def _upstream(self, model: str) -> Upstream:
        found = self._settings.upstream_for(model)
        if found is None:
            raise ProxyError(404, f"no upstream serves the model {model!r:.200}", "model_not_found")
        return found

    async def _repaired(self, visit: Visit, body: bytes, request: Data, upstream: Upstream) -> None:
        """Send a completion to the upstream in an API that it speaks."""
        if visit.path == "/messages" and upstream.speaks == "messages":
            await self._pass(visit, body, upstream)
            return
        if visit.path == "/responses" and not ResponsesBridge.asks_something(request):
            await self._probe(visit, request)
            return
        if visit.path == "/responses" and self._passes_responses(request, upstream):
            visit.record.tools = CHAT.tools(request)
            response = await self._sent(visit, upstream, "/responses", body, None)
            if response.status_code not in _NO_SUCH_ENDPOINT or upstream.speaks == "responses":
                self._has_responses[upstream.base] = True
                await deliver(visit, response, None, bool(request.get("stream")))
                return
            await close_response(response)
            visit.seen.replies.clear()
            self._has_responses[upstream.base] = False
        await self._over_chat(visit, body, request, upstream)

    def _passes_responses(self, request: Data, upstream: Upstream) -> bool:
        """True if the upstream may speak `/responses` itself."""
        profile = self._profile(str(request.get("model") or ""), upstream)
        if upstream.speaks in ("chat", "messages") or (profile and profile.mode == "text"):
            return False
        return upstream.speaks == "responses" or self._has_responses.get(upstream.base, True)

    async def _probe(self, visit: Visit, request: Data) -> None:
        """Answer a request that asks nothing, as Codex sends it to warm up, without the upstream."""
        visit.record.notes.append("empty request, answered by the proxy")
        bridge = empty_response(request)
        if request.get("stream"):
            await visit.begin(200, [("content-type", "text/event-stream; charset=utf-8")])
            await visit.write(bridge.end(), more=False)
        else:
            await visit.json(200, bridge.reply({}))

    def _profile(self, model: str, upstream: Upstream) -> Profile | None:
        """Return the profile of the upstream; None if there is none."""
        found = self._settings.profile_for(model)
        if (upstream.base, model) not in self._text_modes:
            return found
        return replace(found or Profile(), mode="text")

    async def _over_chat(
        self, visit: Visit, body: bytes, request: Data, upstream: Upstream
    ) -> None:
        """Send a completion as chat completions; once more without tools if the model has none."""
        bridge = _bridge_for(visit.path, request)
        chat = request if bridge is None else bridge.request
        visit.record.tools = CHAT.tools(chat)
        if bridge is not None:
            visit.record.notes += getattr(bridge, "notes", [])
        model = str(request.get("model") or "")
        wants_stream = bool(request.get("stream"))
        while True:
            profile = self._profile(model, upstream)
            made = chat if profile is None else fitted(chat, profile)
            sent = body if made is request else write_json(made)
            response = await self._sent(visit, upstream, "/chat/completions", sent, chat)
            if response.status_code < 400 or (profile is not None and profile.mode == "text"):
                break
            reason = message_in(await response.aread())
            if not (chat.get("tools") and needs_text_mode(reason)):
                break
            await close_response(response)
            if len(self._text_modes) < _TEXT_MODES:
                self._text_modes.add((upstream.base, model))
            visit.record.notes.append("the model has no tools: they are explained in the prompt")
            if (upstream.base, model) not in self._text_modes:
                break
        await deliver(visit, response, bridge, wants_stream)

    async def _sent(
        self, visit: Visit, upstream: Upstream, end: str, body: bytes, chat: Data | None
    ) -> httpx2.Response:
        """Send a request through the repairing transport."""
        query = visit.scope.get("query_string", b"").decode("latin-1")
        is_own = end == visit.path and query
        url = f"{upstream.base}{end}" + (f"?{query}" if is_own else "")
        headers = self._chat_headers(visit)
        request = upstream_request("POST", url, headers, body, self._settings.timeout, visit.seen)
        watch = Watch(None if chat is None else CHAT.tools(chat))
        token = WATCH.set(watch)
        try:
            response = await self._client.send(request, stream=True)
        finally:
            WATCH.reset(token)
        response.extensions["zkit.watch"] = watch
        return response

    def _chat_headers(self, visit: Visit) -> list[tuple[str, str]]:
        """Return the headers for chat completions; a key of Anthropic's clients goes on as bearer."""
        found = self._headers(visit)
        if visit.api != "messages":
            return found
        key = visit.headers.get("x-api-key")
        kept = [
            (name, value)
            for name, value in found
            if name != "x-api-key" and not name.startswith("anthropic-")
        ]
        has_bearer = any(name == "authorization" for name, _ in kept)
        return kept if has_bearer or not key else [*kept, ("authorization", f"Bearer {key}")]


_NAME_OF = {path: f"/v1{path}" for path in _ENDPOINTS}
_NAMES = frozenset(_NAME_OF.values())


def _object_of(body: bytes) -> Data:
    found = read_object(body)
    if found is None:
        raise ProxyError(400, "the body of the request is not a JSON object", "invalid_json")
    return found


def _bridge_for(path: str, request: Data) -> MessagesBridge | ResponsesBridge | None:
    if path == "/responses":
        return ResponsesBridge(request)
    return MessagesBridge(request) if path == "/messages" else None


def _upstream_error(record: Record, error: Exception) -> ProxyError:
    reason = str(error) or type(error).__name__
    where = record.upstream or "the upstream"
    if isinstance(error, httpx2.TimeoutException):
        return ProxyError(504, f"{where} did not answer in time ({reason})", "timeout")
    if isinstance(error, httpx2.ConnectError):
        hint = "is the server running, and does the URL end in /v1?"
        return ProxyError(502, f"no answer from {where} ({reason}): {hint}", "upstream_unreachable")
    return ProxyError(502, f"the reply of {where} broke off ({reason})", "upstream_broke_off")


async def _cancel_if_gone(receive: Receive, scope: anyio.CancelScope) -> None:
    """Cancel the request when the client has closed its connection."""
    while True:
        if (await receive())["type"] == "http.disconnect":
            scope.cancel()
            return
