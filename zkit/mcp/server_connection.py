"""Holds one connection to a server: one task owns it, reconnects when it breaks, and serves calls."""

from __future__ import annotations

import logging
import math
import random
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

import anyio
import httpx2
import mcp_types as types
from anyio import to_thread
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.client.subscriptions import ListenNotSupportedError, SubscriptionLost
from mcp.shared.exceptions import MCPError
from pydantic import JsonValue, ValidationError

from zkit.calls import Call
from zkit.dispatch import wait_for_answer
from zkit.errors import McpError
from zkit.mcp.foreign_text import clean, visible
from zkit.mcp.listing_filter import ListingFilter
from zkit.mcp.server_limits import (
    CONNECT_SECONDS,
    FIRST_DELAY,
    LONGEST_DELAY,
    MOST_PAGES,
    MOST_TOOLS,
    PATIENCE,
    PIN_SECONDS,
    SETTLED,
)
from zkit.mcp.server_target import ServerTarget, expanded, require_public_host
from zkit.mcp.stdio_transport import Stderr, stdio_transport
from zkit.mcp.tool_replies import result_of
from zkit.results import Crashed, Failure, Refused, Result, Transient, Validation
from zkit.tools import Context

log = logging.getLogger("zkit")
State = Literal["connecting", "ready", "waiting", "closed"]
Answers = dict[str, str | int | float | bool | list[str] | None]
Elicit = Callable[[str, dict[str, JsonValue]], Awaitable[Answers | None]]
Sample = Callable[[types.CreateMessageRequestParams], Awaitable[types.CreateMessageResult]]
_LOST = (httpx2.HTTPError, OSError, anyio.ClosedResourceError, anyio.BrokenResourceError, EOFError)
_ENDED_SESSION = ("Session terminated", "Server returned an error response")


@dataclass(frozen=True, slots=True)
class ConnectionOptions:
    """How a connection is made and what its server may ask for.

    `elicitation` is asked with the question and the schema of the answer, and returns the answer or
    None; `"pause"` ends the call and pauses the run with the question, as `ask_clarification` does.
    `sampling` makes a completion for the server. Without them, both are refused. `public_only`
    allows public addresses alone, checked before every request.
    """

    timeout: float = CONNECT_SECONDS
    patience: float = PATIENCE
    mode: str = "auto"
    elicitation: Elicit | Literal["pause"] | None = None
    sampling: Sample | None = None
    public_only: bool = False


@dataclass(slots=True, eq=False)
class _Running:
    """A call that a server is working on, and the question that the server asked meanwhile."""

    question: str = ""
    choices: tuple[str, ...] = ()


@dataclass(slots=True, eq=False)
class _Signals:
    """What the owner waits for; made again for each wait."""

    wake: anyio.Event = field(default_factory=anyio.Event)
    changed: bool = False
    broken: str = ""
    closing: bool = False


class ServerConnection:
    """One server. All methods but `call` are for the owner's loop; `call` is too, by any task."""

    def __init__(
        self,
        name: str,
        target: ServerTarget,
        options: ConnectionOptions,
        listed: Callable[[list[types.Tool], tuple[str, ...]], bool],
        notified: Callable[[str, JsonValue], None],
    ) -> None:
        self.name, self.target, self.options = name, target, options
        self.state: State = "connecting"
        self.problem = ""
        self.protocol = ""
        self.server = ""
        self.attempts = 0
        self._listed, self._notified = listed, notified
        self._client: Client | None = None
        self.failure: McpError | None = None
        self.first_over = anyio.Event()
        self.ended = anyio.Event()
        self._ready = anyio.Event()
        self._signals = _Signals()
        self._running: list[_Running] = []
        self._dropped: list[str] = []
        self._stderr = Stderr()
        self._waits_for_approval = False

    # The owner

    async def own(self, patient: bool = False) -> None:
        """Connect, serve, and connect again until it is closed; `first_over` is set once it is known.

        A first attempt that fails ends it, and is its `failure`, unless it is `patient`.
        """
        failures = 0
        while not self._signals.closing:
            began = anyio.current_time()
            try:
                await self._attempt()
                problem = self._signals.broken or "the connection ended"
            except Exception as error:
                problem = self._explained(error)
                if not (patient or self.first_over.is_set()):
                    self.failure = McpError(f"{self.name}: {problem}")
                    break
            self.first_over.set()
            settled = anyio.current_time() - began > SETTLED
            failures = 1 if settled else failures + 1
            await self._pause(problem, failures)
        self.state = "closed"
        self._ready.set()
        self.first_over.set()
        self.ended.set()

    def close(self) -> None:
        """Make the owner close the connection and end."""
        self._signals.closing = True
        self._signals.wake.set()

    def refresh(self) -> None:
        """Make the owner read the list of tools again."""
        self._signals.changed = True
        self._signals.wake.set()

    async def _pause(self, problem: str, failures: int) -> None:
        """Wait before the next attempt, longer each time."""
        if self._signals.closing:
            return
        self.state, self.problem = "waiting", problem
        delay = min(LONGEST_DELAY, FIRST_DELAY * 2 ** min(failures - 1, 16))
        log.info("MCP server %s: %s; connecting again", self.name, problem)
        self._signals = _Signals()
        with anyio.move_on_after(delay * random.uniform(0.5, 1.0)):
            while not self._signals.closing:
                await self._signals.wake.wait()
                self._signals.wake = anyio.Event()

    async def _attempt(self) -> None:
        """One connection from its beginning to its end."""
        self.attempts += 1
        signals = self._signals = _Signals(closing=self._signals.closing)
        # The scope encloses the whole life of the client: one that ended before the client did
        # would break the order in which scopes must be left.
        with anyio.CancelScope() as scope:
            scope.deadline = anyio.current_time() + self.options.timeout
            async with self._new_client() as client:
                await self._list(client)
                scope.deadline = math.inf
                self._become_ready(client)
                self.first_over.set()
                try:
                    async with anyio.create_task_group() as tasks:
                        tasks.start_soon(self._listen, client)
                        await self._serve(client, signals)
                        tasks.cancel_scope.cancel()
                finally:
                    self._client = None
                    self._ready = anyio.Event()
        if scope.cancelled_caught:
            raise TimeoutError(f"no answer within {self.options.timeout:g} seconds")

    def _become_ready(self, client: Client) -> None:
        self._client, self.state, self.problem = client, "ready", ""
        self.protocol = client.protocol_version
        about = client.server_info
        self.server = "" if about is None else clean(f"{about.name} {about.version}", 80)
        self._ready.set()

    async def _serve(self, client: Client, signals: _Signals) -> None:
        """Read the list of tools again whenever it changes, until the connection is over."""
        while not (signals.closing or signals.broken):
            with anyio.move_on_after(PIN_SECONDS if self._waits_for_approval else math.inf) as late:
                await signals.wake.wait()
            signals.wake = anyio.Event()
            if signals.changed or (late.cancelled_caught and not signals.broken):
                signals.changed = False
                await self._list(client)

    async def _list(self, client: Client) -> None:
        self._dropped.clear()
        found: list[types.Tool] = []
        cursor: str | None = None
        for _ in range(MOST_PAGES):
            page = await client.list_tools(cursor=cursor, cache_mode="bypass")
            found += page.tools
            cursor = page.next_cursor
            if not cursor or len(found) > MOST_TOOLS:
                break
        # The SDK would check replies against the server's own schema, without any limit.
        client.session.validate_tool_result = _unchecked  # type: ignore[method-assign]
        self._waits_for_approval = await to_thread.run_sync(
            self._listed, found, tuple(self._dropped)
        )

    async def _listen(self, client: Client) -> None:
        """Subscribe to changes of the tools in the newer protocol; the older one sends them by
        itself."""
        try:
            async with client.listen(tools_list_changed=True) as events:
                async for _ in events:
                    self.refresh()
        except (ListenNotSupportedError, MCPError):
            return
        except (SubscriptionLost, *_LOST):
            self._break("the server closed the connection")

    def _break(self, why: str) -> None:
        self._signals.broken = self._signals.broken or why
        self._signals.wake.set()

    def _explained(self, error: BaseException) -> str:
        while isinstance(error, BaseExceptionGroup) and error.exceptions:
            error = error.exceptions[0]
        text = clean(f"{type(error).__name__}: {error}", 500)
        printed = visible(str(self._stderr))[-500:]
        return f"{text}; it printed: {printed}" if printed else text

    # What it is made of

    def _new_client(self) -> Client:
        elicits = self.options.elicitation is not None
        return Client(
            _filtered(self._transport(), self._dropped),
            mode=self.options.mode,
            cache=None,
            log_level="info",
            client_info=types.Implementation(name="zkit", version="1"),
            message_handler=self._message,
            elicitation_callback=self._elicited if elicits else None,
            sampling_callback=None if self.options.sampling is None else self._sampled,
        )

    def _transport(self) -> AbstractAsyncContextManager[Any]:
        if self.target.command:
            env = expanded(self.target.env)
            command = list(self.target.command)
            self._stderr = Stderr()
            return stdio_transport(command, env, self.target.cwd, self._stderr, self._break)
        headers = expanded(self.target.headers)
        return _http_transport(self.target.url, headers, self.options.public_only)

    async def _message(self, message: Any) -> None:
        if isinstance(message, types.ToolListChangedNotification):
            self.refresh()
        elif isinstance(message, Exception):
            log.debug("MCP server %s: %s", self.name, message)
        elif not isinstance(message, types.ProgressNotification):
            params = (
                None
                if message.params is None
                else message.params.model_dump(mode="json", exclude_none=True)
            )
            self._notified(message.method, params)

    async def _elicited(
        self, context: object, params: types.ElicitRequestParams
    ) -> types.ElicitResult:
        ask = self.options.elicitation
        if isinstance(params, types.ElicitRequestURLParams):
            return types.ElicitResult(
                action="decline"
            )  # addresses that a server sends are never opened
        question = clean(params.message, 2_000)
        if ask == "pause" or ask is None:
            if len(self._running) != 1:  # it is unknown which call the question belongs to
                return types.ElicitResult(action="decline")
            [running] = self._running
            running.question = running.question or question
            return types.ElicitResult(action="cancel")
        answer = await ask(question, dict(params.requested_schema))
        if answer is None:
            return types.ElicitResult(action="decline")
        return types.ElicitResult(action="accept", content=answer)

    async def _sampled(
        self, context: object, params: types.CreateMessageRequestParams
    ) -> types.CreateMessageResult:
        assert self.options.sampling is not None
        return await self.options.sampling(params)

    # Calls

    async def call(self, tool: str, call: Call, context: Context) -> Result:
        """Call a tool of the server. A call that was cut off by a broken connection is not repeated."""

        async def forward_progress(
            progress: float, total: float | None, message: str | None
        ) -> None:
            context.progress(progress, total, clean(message or "", 500))

        running = _Running()
        client = await self._connected()
        if client is None:
            why = f"the MCP server {self.name} is not connected: {self.problem or self.state}"
            return Transient(why, code="unavailable")
        self._running.append(running)
        try:
            arguments = dict(call.arguments or {})
            reply = await client.call_tool(tool, arguments, progress_callback=forward_progress)
        except Exception as error:
            result: Result = self._failed(error)
        else:
            result = result_of(reply, self.name)
        finally:
            self._running.remove(running)
        return wait_for_answer(running.question, running.choices) if running.question else result

    async def _connected(self) -> Client | None:
        """Return the client, as soon as there is one; None when that takes too long or it is closed."""
        with anyio.move_on_after(self.options.patience):
            while self._client is None and self.state != "closed":
                await self._ready.wait()
                await anyio.lowlevel.checkpoint()
        return self._client

    def _failed(self, error: BaseException) -> Failure:
        while isinstance(error, BaseExceptionGroup) and len(error.exceptions) == 1:
            error = error.exceptions[0]
        if isinstance(error, MCPError):
            return self._refused(error)
        reason = clean(f"{type(error).__name__}: {error}", 500)
        if isinstance(error, ValidationError):
            return Crashed(f"the MCP server {self.name} replied against the protocol: {reason}")
        if isinstance(error, _LOST):
            self._break(reason)
            return Transient(f"the connection to the MCP server {self.name} broke: {reason}")
        return Crashed(f"the MCP server {self.name}: {reason}")

    def _refused(self, error: MCPError) -> Failure:
        reason = clean(error.message, 2_000) or "no reason given"
        text = f"the MCP server {self.name}: {reason}"
        if error.code == types.CONNECTION_CLOSED or error.message in _ENDED_SESSION:
            self._break(reason)
            return Transient(text, code="unavailable")
        if error.code == types.REQUEST_TIMEOUT:
            return Transient(text, code="timeout")
        if error.code == types.INVALID_PARAMS:
            return Validation(reason, meta={"source": f"mcp:{self.name}", "trusted": False})
        if error.code in (types.INVALID_REQUEST, types.URL_ELICITATION_REQUIRED):
            return Refused(text)
        return Crashed(text)


async def _unchecked(name: str, result: types.CallToolResult) -> None:
    """Check nothing: `RemoteTool` checks what the model is given, with limits."""


@asynccontextmanager
async def _filtered(
    transport: AbstractAsyncContextManager[Any], dropped: list[str]
) -> AsyncIterator[Any]:
    async with transport as (incoming, outgoing):
        yield ListingFilter(incoming, dropped), outgoing


@asynccontextmanager
async def _http_transport(
    url: str, headers: dict[str, str], public_only: bool
) -> AsyncIterator[Any]:
    """Yield the streams to a server over streamable HTTP."""
    hooks = {"request": [_require_public]} if public_only else {}
    timeout = httpx2.Timeout(30.0, read=300.0)  # a reply may stream for minutes
    async with (
        httpx2.AsyncClient(headers=headers, timeout=timeout, event_hooks=hooks) as client,
        streamable_http_client(url, http_client=client) as streams,
    ):
        yield streams


async def _require_public(request: httpx2.Request) -> None:
    """Refuse a request whose host leads to an address that is not public, at the time it is made."""
    await to_thread.run_sync(require_public_host, request.url.host, request.url.port or 443)
