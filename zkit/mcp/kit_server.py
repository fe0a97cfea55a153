"""Offer a kit or toolbox to any MCP client, through the dispatcher."""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import secrets
import threading
import weakref
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from typing import Any

import anyio
import mcp_types as types
from anyio import from_thread
from anyio.lowlevel import current_token
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import NotificationOptions, Server
from mcp.server.stdio import stdio_server
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ToolsListChanged
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from zkit.calls import Call
from zkit.dispatch import Dispatcher
from zkit.errors import MissingExtraError, ZkitError
from zkit.grade import READ
from zkit.mcp.foreign_text import visible
from zkit.mcp.tool_replies import reply_of
from zkit.receipt import Rank
from zkit.repair import Repaired, repair_json
from zkit.results import Refused, Success, Validation
from zkit.sources import Kit, Toolbox, ToolSource
from zkit.tools import Progress, Tool, ToolSpec, canonical_arguments, scope, tool

_LEGAL = re.compile(r"[A-Za-z0-9_./-]{1,128}")
_DOC = "doc:///"
_LOOK = 0.5  # seconds between looks at the version of the source
_LONGEST_WAIT = 1.0  # seconds before a retry; what takes longer is reported to the client
Source = ToolSource | Iterable[Any]
"""What can be offered: a kit, a toolbox, a dispatcher, or tools and functions."""
Asking = ServerRequestContext[dict[str, object]]
_QUESTION: dict[str, object] = {"type": "object", "properties": {}}
ASK = "approve"


def server_for(
    source: Source, *, name: str = "zkit", version: str = ""
) -> Server[dict[str, object]]:
    """Return an MCP server that offers the tools of a source.

    `source` is a `Kit`, a `Toolbox`, a `Dispatcher` or a list of tools. A call that needs approval
    is put to the client's user, if the client can ask (elicitation), and refused otherwise; a
    dispatcher with an approver of its own asks that one.
    """
    return KitServer(source, name, version).server


async def serve_stdio(source: Source, *, name: str = "zkit") -> None:
    """Serve over standard input and output until the input ends."""
    server = server_for(source, name=name)
    async with stdio_server() as (incoming, outgoing):
        options = server.create_initialization_options(NotificationOptions(tools_changed=True))
        await server.run(incoming, outgoing, options)


async def serve_http(
    source: Source, port: int, *, host: str = "127.0.0.1", name: str = "zkit"
) -> None:
    """Serve over streamable HTTP at `http://HOST:PORT/mcp`."""
    try:
        import uvicorn
    except ImportError as error:
        raise MissingExtraError("proxy", "serving MCP over HTTP") from error
    app = server_for(source, name=name).streamable_http_app(host=host)
    config = uvicorn.Config(
        app, host=host, port=port, log_level="warning", timeout_graceful_shutdown=2
    )
    await uvicorn.Server(config).serve()


class KitServer:
    """The handlers of one server."""

    def __init__(self, source: Source, name: str, version: str) -> None:
        # Clients may repeat calls, and do their own caching and waiting.
        self.dispatcher = (
            source
            if isinstance(source, Dispatcher)
            else Dispatcher(source, guards=(), memory=False, longest_wait=_LONGEST_WAIT)
        )
        self.docs = docs_of(self.dispatcher.settings.source)
        self.doc_tools = Dispatcher(doc_tools(self.docs), guards=(), memory=False)
        self._secret = secrets.token_bytes(32)
        self._bus = InMemorySubscriptionBus()
        self._clients: weakref.WeakSet[Any] = weakref.WeakSet()
        self.server: Server[dict[str, object]] = Server(
            name,
            version=version,
            lifespan=self._lifespan,
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
            on_list_resources=self._list_resources,
            on_read_resource=self._read_resource,
            on_subscriptions_listen=ListenHandler(self._bus),
        )
        self.server.middleware.append(_with_read_arguments)

    # Tools

    async def _list_tools(self, ctx: Asking, params: object) -> types.ListToolsResult:
        self._clients.add(ctx.session._connection)  # a session lasts as long as one request
        own = self.dispatcher.specs()
        names = {spec.name for spec in own}
        docs = [found.definition() for found in self.doc_tools.tools()]
        specs = [*own, *(spec for spec in docs if spec.name not in names)]
        return types.ListToolsResult(tools=[_listed(spec) for spec in specs])

    async def _call_tool(self, ctx: Asking, params: types.CallToolRequestParams) -> Any:
        asker = _Asker(self, ctx, params)
        own = self.dispatcher.get(params.name) is not None or params.name not in self._doc_names()
        dispatcher = self.dispatcher if own else self.doc_tools
        if dispatcher.settings.approver is None:
            dispatcher = dispatcher.changed(approver=asker)
        call = Call(params.name, params.arguments or {}, id=f"mcp-{ctx.request_id}")
        async with _forwarded_progress(ctx) as listener:
            with scope(on_progress=listener):
                result = await dispatcher.call(call)
        if asker.question is not None:
            return asker.question
        found = dispatcher.get(params.name)
        return reply_of(result, found is not None and found.definition().output is not None)

    def _doc_names(self) -> set[str]:
        return {found.definition().name for found in self.doc_tools.tools()}

    def state_of(self, call: Call) -> str:
        """Return what an approval is bound to: the tool as it is and the exact arguments."""
        found = self.dispatcher.get(call.name)
        spec = ToolSpec(call.name) if found is None else found.definition()
        arguments = canonical_arguments(spec, call.arguments)
        text = json.dumps([spec.name, spec.digest, arguments], sort_keys=True, default=str)
        return hmac.new(self._secret, text.encode(), hashlib.sha256).hexdigest()

    # Documents

    async def _list_resources(self, ctx: Asking, params: object) -> types.ListResourcesResult:
        paths = () if self.docs is None else self.docs.docs
        return types.ListResourcesResult(
            resources=[types.Resource(name=path, uri=f"{_DOC}{path}") for path in paths]
        )

    async def _read_resource(
        self, ctx: Asking, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        uri = str(params.uri)
        found = None
        if self.docs is not None and uri.startswith(_DOC):
            with suppress(ZkitError, OSError, ValueError):
                found = self.docs.resolve_doc(uri.removeprefix(_DOC))
        if found is None:
            raise MCPError(types.INVALID_PARAMS, f"there is no document {uri[:200]}")
        content = types.TextResourceContents(uri=uri, text=found, mime_type="text/markdown")
        return types.ReadResourceResult(contents=[content])

    # Changes

    @asynccontextmanager
    async def _lifespan(
        self, server: Server[dict[str, object]]
    ) -> AsyncIterator[dict[str, object]]:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._watch)
            yield {}
            tasks.cancel_scope.cancel()

    async def _watch(self) -> None:
        """Notify clients when the list of tools has changed, by the version of the source."""
        known = self.dispatcher.version
        while True:
            await anyio.sleep(_LOOK)
            if self.dispatcher.version == known:
                continue
            known = self.dispatcher.version
            await self._bus.publish(ToolsListChanged())
            for client in tuple(self._clients):
                if client.protocol_version not in MODERN_PROTOCOL_VERSIONS:
                    with suppress(Exception):  # a client that is gone
                        await client.send_tool_list_changed()


class _Asker:
    """Asks the user of the client to approve one call.

    In the older protocol the server asks while the call waits. In the newer one the call ends with
    the question (`question`), and is sent again with the answer.
    """

    def __init__(self, server: KitServer, ctx: Asking, params: types.CallToolRequestParams) -> None:
        self._server, self._ctx, self._params = server, ctx, params
        self.question: types.InputRequiredResult | None = None

    async def __call__(self, call: Call) -> Any:
        can = self._ctx.session.client_capabilities
        if can is None or can.elicitation is None:
            return Refused(
                f"{call.name} needs approval, and the client cannot ask for it", code="approval"
            )
        arguments = json.dumps(call.arguments, ensure_ascii=False, indent=2, default=str)
        message = visible(f"Run {call.name} with these arguments?\n{arguments}")[:8_000]
        if self._ctx.protocol_version not in MODERN_PROTOCOL_VERSIONS:
            answer = await self._ctx.session.elicit_form(message, _QUESTION, self._ctx.request_id)
            return answer.action == "accept"
        return self._answered(call, message)

    def _answered(self, call: Call, message: str) -> Any:
        state = self._server.state_of(call)
        answer = (self._params.input_responses or {}).get(ASK)
        if isinstance(answer, types.ElicitResult) and hmac.compare_digest(
            (self._params.request_state or "").encode(), state.encode()
        ):
            return answer.action == "accept"
        form = types.ElicitRequestFormParams(message=message, requested_schema=_QUESTION)
        self.question = types.InputRequiredResult(
            input_requests={ASK: types.ElicitRequest(params=form)}, request_state=state
        )
        return Refused(f"{call.name} waits for approval", code="approval")


def _listed(spec: ToolSpec) -> types.Tool:
    entry = spec.mcp()
    legal = _LEGAL.fullmatch(spec.name) is not None
    return types.Tool.model_validate(entry if legal else {**entry, "name": spec.wire_name})


async def _with_read_arguments(ctx: Asking, call_next: Callable[[Any], Awaitable[Any]]) -> Any:
    """Read arguments that a client sent as a text, as far as every tool allows."""
    params = ctx.params
    if ctx.method == "tools/call" and params and isinstance(params.get("arguments"), str):
        read = repair_json(params["arguments"], limit=Rank.COMPLETE)
        if isinstance(read, Repaired) and isinstance(read.value, dict):
            ctx = replace(ctx, params={**params, "arguments": read.value})
    return await call_next(ctx)


@asynccontextmanager
async def _forwarded_progress(ctx: Asking) -> AsyncIterator[Callable[[Progress], None]]:
    """Yield a listener that forwards progress to the client, from any thread."""
    send, receive = anyio.create_memory_object_stream[Progress](64)
    here, loop = threading.get_ident(), current_token()

    def add(progress: Progress) -> None:
        with suppress(anyio.WouldBlock, anyio.ClosedResourceError, anyio.BrokenResourceError):
            send.send_nowait(progress)

    def listener(progress: Progress) -> None:
        if threading.get_ident() == here:
            add(progress)
        else:
            from_thread.run_sync(add, progress, token=loop)

    async def forward() -> None:
        async with receive:
            async for one in receive:
                await ctx.session.report_progress(one.done, one.total, one.message or None)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(forward)
        with send:  # closing it lets `forward` send what is left, and end
            yield listener


def docs_of(source: Any) -> Kit | None:
    """Return the source of documents: the kit itself, or a kit of all its tools."""
    if isinstance(source, Toolbox):
        return source.kit("*")
    return source if hasattr(source, "docs_index") and hasattr(source, "resolve_doc") else None


def doc_tools(docs: Kit | None) -> list[Tool]:
    """Return `docs_index` and `resolve_doc` as tools; nothing when there are no documents."""
    if docs is None:
        return []

    @tool(grade=READ, formats=False)
    def docs_index() -> dict[str, object]:
        """List the documents about the tools: those of each tool, and those of the kit."""
        return docs.docs_index()

    @tool(grade=READ)
    def resolve_doc(path: str) -> object:
        """Read a document that docs_index lists.

        Args:
            path: The path of the document, as docs_index names it.
        """
        try:
            found = docs.resolve_doc(path)
        except ZkitError as error:
            raise Validation(str(error)) from error
        if found is None:
            raise Validation(f"There is no document {path!r:.200}.", code="not_found")
        return Success(found)

    return [docs_index, resolve_doc]
