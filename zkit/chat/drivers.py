"""The actions that a conversation yields, and the drivers that do them, in sync and in async code."""

from __future__ import annotations

import contextvars
import inspect
import queue
import threading
import time
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import aclosing, closing, suppress
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from typing import Any, TypeVar

import anyio
from anyio import to_thread

from zkit.chat.loop_events import LoopEvent, RunResult
from zkit.chat.reply_reader import ModelReply, ReplyReader
from zkit.chat.wire_data import watch_end
from zkit.dispatch import Turn
from zkit.dispatch.portal import run_sync
from zkit.errors import MissingExtraError
from zkit.json_types import JsonObject
from zkit.tools import Scope


@dataclass(frozen=True, slots=True)
class Ask:
    """Send a request to the model. Returns a `ModelReply`, or the exception of the client."""

    request: JsonObject
    reader: ReplyReader
    most_tokens: int | None = None
    deadline: float | None = None


@dataclass(frozen=True, slots=True)
class RunCalls:
    """Run the calls of one turn. Returns nothing; the turn has the outcomes."""

    turn: Turn


@dataclass(frozen=True, slots=True)
class Wait:
    """Let some time pass. Returns nothing."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Do:
    """Call a function of the user's, plain or async. Returns what it returns."""

    function: Callable[..., object]
    argument: object


Action = Ask | RunCalls | Wait | Do | LoopEvent
"""An event is an action too: it is passed to the caller."""

T = TypeVar("T")
Steps = Generator[Action, Any, T]
"""Steps of a run: they yield actions, are sent the outcome of each, and return a value."""

Logic = Steps[RunResult]
Create = Callable[..., Any]
_END = object()
_MOST_WAITING = 64  # chunks buffered for a slow consumer before the reader blocks


def is_async(client: object) -> bool:
    """True if a client's requests are awaited."""
    return hasattr(client, "__aenter__")


def require_openai() -> None:
    """Raise `MissingExtraError`, with the command that installs it, if `openai` is not installed."""
    if find_spec("openai") is None:
        raise MissingExtraError("openai", "talking to a server")


def create_of(client: object) -> Create:
    """Return the function that requests a completion; raise TypeError for what is not a client."""
    create = getattr(getattr(getattr(client, "chat", None), "completions", None), "create", None)
    if callable(create):
        return create  # type: ignore[no-any-return]
    require_openai()
    given = f"{client!r:.80}"
    if isinstance(client, str):
        raise TypeError(f"{given} is an address; pass a client: OpenAI(base_url={given})")
    raise TypeError(f"{given} has no chat.completions.create; pass an OpenAI client")


def _next_action(logic: Logic, task: Scope, answer: object) -> Action | None:
    """Send the logic the outcome of its last action; return the next one, or None at the end."""
    with task.entered():
        try:
            if isinstance(answer, _Thrown):
                return logic.throw(answer.error)
            return logic.send(answer)
        except StopIteration:
            return None


class _Thrown:
    """An exception that interrupted an action: the logic puts its history in order and raises it
    again."""

    def __init__(self, error: BaseException) -> None:
        self.error = error


# ── plain ────────────────────────────────────────────────────────────────────


def drive(logic: Logic, create: Create, task: Scope) -> Generator[LoopEvent, None, None]:
    """Run the logic in plain code."""
    answer: object = None
    try:
        while (action := _next_action(logic, task, answer)) is not None:
            answer = None
            if isinstance(action, LoopEvent):
                yield action
            elif isinstance(action, Ask):
                with closing(_reply(action, create)) as events:
                    answer = yield from events
            else:
                answer = _done(action, task)
    finally:
        logic.close()
        task.end()


def _reply(action: Ask, create: Create) -> Generator[LoopEvent, None, ModelReply | Exception]:
    """Send the request and read the reply; return it, or the exception of the client."""
    parts = _Parts(create, action.request)
    try:
        with closing(_before(action.deadline, parts)) as received:
            for part in received:
                yield from action.reader.feed(part) if parts.is_stream else action.reader.read(part)
        events, reply = action.reader.close(action.most_tokens, is_whole=parts.is_whole())
        yield from events
    except Exception as error:
        return error
    return reply


class _Parts:
    """The parts of a reply: the chunks of a stream, or one whole completion."""

    def __init__(self, create: Create, request: JsonObject) -> None:
        self._create, self._request = create, request
        self._stream: object = None
        self._has_ended: Callable[[], bool] = lambda: True
        self.is_stream = False

    def is_whole(self) -> bool:
        """True if the server marked the end of the stream, or sent no stream."""
        return not self.is_stream or self._has_ended()

    def __iter__(self) -> Generator[object, None, None]:
        outcome = self._create(**self._request)
        self.is_stream = hasattr(outcome, "__next__")
        if not self.is_stream:
            yield outcome
            return
        self._stream, self._has_ended = outcome, watch_end(outcome)
        with closing(outcome):
            yield from outcome

    def break_off(self) -> None:
        """Close the connection while it may be read from."""
        response = getattr(self._stream, "response", self._stream)
        if hasattr(response, "close"):
            with suppress(Exception):
                response.close()


def _before(deadline: float | None, parts: _Parts) -> Generator[object, None, None]:
    """Return the parts that arrive before the deadline; after it, raise `TimeoutError`.

    A client's own timeout is for each read, so a server that sends a byte now and then never
    exceeds it. With a deadline the request has its own thread, which is abandoned when the time is
    over.
    """
    if deadline is None:
        yield from parts
        return
    found: queue.Queue[object] = queue.Queue(_MOST_WAITING)
    is_over = threading.Event()
    fetch = partial(contextvars.copy_context().run, _fetch, parts, found, is_over)
    threading.Thread(target=fetch, name="zkit-request", daemon=True).start()
    try:
        while True:
            try:
                part = found.get(timeout=max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                raise TimeoutError("the time for this run is over") from None
            if part is _END:
                return
            if isinstance(part, _Thrown):
                raise part.error
            yield part
    finally:
        is_over.set()
        parts.break_off()


def _fetch(parts: _Parts, found: queue.Queue[object], is_over: threading.Event) -> None:
    """Put the parts into the queue until the consumer has left."""

    def put(part: object) -> None:
        while not is_over.is_set():
            with suppress(queue.Full):
                found.put(part, timeout=0.1)
                return

    try:
        with closing(iter(parts)) as received:
            for part in received:
                put(part)
                if is_over.is_set():
                    return
    except BaseException as error:
        put(_Thrown(error))
    else:
        put(_END)


def _done(action: Action, task: Scope) -> object:
    try:
        with task.entered():
            if isinstance(action, RunCalls):
                return run_sync(action.turn.run)
            if isinstance(action, Do):
                return run_sync(partial(_called, action))
            assert isinstance(action, Wait)
            time.sleep(action.seconds)
            return None
    except BaseException as error:
        return _Thrown(error)


# ── async ────────────────────────────────────────────────────────────────────


async def drive_async(
    logic: Logic, create: Create, task: Scope, awaited: bool
) -> AsyncGenerator[LoopEvent, None]:
    """Run the logic in async code; a client that is not async has a thread for each request."""
    answer: object = None
    try:
        while (action := _next_action(logic, task, answer)) is not None:
            answer = None
            if isinstance(action, LoopEvent):
                yield action
            elif isinstance(action, Ask):
                replies: list[ModelReply | Exception] = []
                async with aclosing(_reply_async(action, create, awaited, replies)) as events:
                    async for event in events:
                        yield event
                answer = replies[0]
            else:
                answer = await _done_async(action, task)
    finally:
        logic.close()
        task.end()


async def _reply_async(
    action: Ask, create: Create, awaited: bool, replies: list[ModelReply | Exception]
) -> AsyncGenerator[LoopEvent, None]:
    """The same as `_reply`; the outcome is put into `replies`."""
    has_ended: Callable[[], bool] | None = None
    try:
        outcome = await _sent(action, create, awaited)
        if hasattr(outcome, "__next__") or hasattr(outcome, "__anext__"):
            has_ended = watch_end(outcome)
            async with aclosing(_chunks(outcome, action)) as chunks:
                async for chunk in chunks:
                    for event in action.reader.feed(chunk):
                        yield event
        else:
            for event in action.reader.read(outcome):
                yield event
        events, reply = action.reader.close(
            action.most_tokens, is_whole=has_ended is None or has_ended()
        )
        for event in events:
            yield event
    except Exception as error:
        replies.append(error)
    else:
        replies.append(reply)


def _left(action: Ask) -> float | None:
    return None if action.deadline is None else action.deadline - time.monotonic()


async def _sent(action: Ask, create: Create, awaited: bool) -> object:
    """Return the beginning of the reply, or all of it, before the time of the run is over."""
    request = partial(create, **action.request)
    with anyio.fail_after(_left(action)):
        if awaited:
            return await request()
        return await to_thread.run_sync(request, abandon_on_cancel=True)


async def _chunks(stream: Any, action: Ask) -> AsyncGenerator[object, None]:
    """Return the chunks of a stream, each before the time of the run is over."""
    is_async_stream = hasattr(stream, "__anext__")
    try:
        while True:
            with anyio.fail_after(_left(action)):
                chunk = (
                    await anext(stream, _END)
                    if is_async_stream
                    else await to_thread.run_sync(next, stream, _END, abandon_on_cancel=True)
                )
            if chunk is _END:
                return
            yield chunk
    finally:
        # A stream that is read in a thread cannot be closed itself, but its connection can.
        response = getattr(stream, "response", stream)
        closed = getattr(response if not is_async_stream else stream, "close", lambda: None)()
        if inspect.isawaitable(closed):
            await closed


async def _done_async(action: Action, task: Scope) -> object:
    try:
        with task.entered():
            if isinstance(action, RunCalls):
                return await action.turn.run()
            if isinstance(action, Do):
                return await _called(action)
            assert isinstance(action, Wait)
            await anyio.sleep(action.seconds)
            return None
    except BaseException as error:
        return _Thrown(error)


async def _called(action: Do) -> object:
    """Call a function of the user's, plain or async."""
    outcome = action.function(action.argument)
    return await outcome if inspect.isawaitable(outcome) else outcome
