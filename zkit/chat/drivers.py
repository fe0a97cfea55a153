"""The logic of a loop in, its events out: one driver for plain code, one for async code."""

from __future__ import annotations

import inspect
import time
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import aclosing, closing
from functools import partial
from typing import Any

import anyio
from anyio import to_thread

from zkit.chat.actions import Ask, Do, RunCalls, Wait, Want
from zkit.chat.loop_events import LoopEvent
from zkit.dispatch.portal import run_sync
from zkit.tools import Scope

Logic = Generator[Want, Any, Any]
Create = Callable[..., Any]
_END = object()


def is_async(client: Any) -> bool:
    """Whether a client's requests are awaited."""
    return hasattr(client, "__aenter__")


def create_of(client: Any) -> Create:
    """How a client is asked for a completion; raises TypeError for what is no client."""
    create = getattr(getattr(getattr(client, "chat", None), "completions", None), "create", None)
    if callable(create):
        return create  # type: ignore[no-any-return]
    given = f"{client!r:.80}"
    if isinstance(client, str):
        raise TypeError(f"{given} is an address, and a client is due: OpenAI(base_url={given})")
    raise TypeError(f"{given} has no chat.completions.create; pass an OpenAI client")


def _told(logic: Logic, task: Scope, answer: Any) -> Want | None:
    """Tell the logic what came of its last want; the next one, or None at the end."""
    with task.entered():
        try:
            if isinstance(answer, _Thrown):
                return logic.throw(answer.error)
            return logic.send(answer)
        except StopIteration:
            return None


class _Thrown:
    """What broke off a want: the logic sets its house in order, and lets it pass."""

    def __init__(self, error: BaseException) -> None:
        self.error = error


# ── plain ────────────────────────────────────────────────────────────────────


def drive(logic: Logic, create: Create, task: Scope) -> Generator[LoopEvent, None, None]:
    """Run the logic in plain code."""
    answer: Any = None
    try:
        while (want := _told(logic, task, answer)) is not None:
            answer = None
            if isinstance(want, LoopEvent):
                yield want
            elif isinstance(want, Ask):
                with closing(_asked(want, create)) as events:
                    answer = yield from events
            else:
                answer = _fetched(want, task)
    finally:
        logic.close()
        task.end()


def _asked(want: Ask, create: Create) -> Generator[LoopEvent, None, Any]:
    try:
        outcome = create(**want.request)
        if hasattr(outcome, "__next__"):
            with closing(outcome):
                for chunk in outcome:
                    _check_time(want)
                    yield from want.reader.feed(chunk)
        else:
            yield from want.reader.read(outcome)
        events, reply = want.reader.close(want.most_tokens)
        yield from events
    except Exception as error:
        return error
    return reply


def _fetched(want: Want, task: Scope) -> Any:
    try:
        with task.entered():
            if isinstance(want, RunCalls):
                return run_sync(want.turn.run)
            if isinstance(want, Do):
                return run_sync(partial(_done, want))
            assert isinstance(want, Wait)
            return time.sleep(want.seconds)
    except BaseException as error:
        return _Thrown(error)


# ── async ────────────────────────────────────────────────────────────────────


async def drive_async(
    logic: Logic, create: Create, task: Scope, awaited: bool
) -> AsyncGenerator[LoopEvent, None]:
    """Run the logic in async code; a client that is not async has a thread for each request."""
    answer: Any = None
    try:
        while (want := _told(logic, task, answer)) is not None:
            answer = None
            if isinstance(want, LoopEvent):
                yield want
            elif isinstance(want, Ask):
                answers: list[Any] = []
                async with aclosing(_asked_async(want, create, awaited, answers)) as events:
                    async for event in events:
                        yield event
                answer = answers[0]
            else:
                answer = await _fetched_async(want, task)
    finally:
        logic.close()
        task.end()


async def _asked_async(
    want: Ask, create: Create, awaited: bool, answers: list[Any]
) -> AsyncGenerator[LoopEvent, None]:
    try:
        outcome = await _sent(want, create, awaited)
        if hasattr(outcome, "__next__") or hasattr(outcome, "__anext__"):
            async with aclosing(_chunks(outcome)) as chunks:
                async for chunk in chunks:
                    _check_time(want)
                    for event in want.reader.feed(chunk):
                        yield event
        else:
            for event in want.reader.read(outcome):
                yield event
        events, reply = want.reader.close(want.most_tokens)
        for event in events:
            yield event
    except Exception as error:
        answers.append(error)
    else:
        answers.append(reply)


async def _sent(want: Ask, create: Create, awaited: bool) -> Any:
    """The beginning of the answer, or all of it, before the time of the run is over."""
    request = partial(create, **want.request)
    left = None if want.deadline is None else want.deadline - time.monotonic()
    with anyio.fail_after(left):
        if awaited:
            return await request()
        return await to_thread.run_sync(request, abandon_on_cancel=True)


async def _chunks(stream: Any) -> AsyncGenerator[Any, None]:
    try:
        if hasattr(stream, "__anext__"):
            async for chunk in stream:
                yield chunk
            return
        while (chunk := await to_thread.run_sync(next, stream, _END)) is not _END:
            yield chunk
    finally:
        closed = getattr(stream, "close", getattr(stream, "aclose", lambda: None))()
        if inspect.isawaitable(closed):
            await closed


async def _fetched_async(want: Want, task: Scope) -> Any:
    try:
        with task.entered():
            if isinstance(want, RunCalls):
                return await want.turn.run()
            if isinstance(want, Do):
                return await _done(want)
            assert isinstance(want, Wait)
            return await anyio.sleep(want.seconds)
    except BaseException as error:
        return _Thrown(error)


async def _done(want: Do) -> Any:
    """Call a function of the user's, plain or async."""
    outcome = want.function(want.argument)
    return await outcome if inspect.isawaitable(outcome) else outcome


def _check_time(want: Ask) -> None:
    if want.deadline is not None and time.monotonic() > want.deadline:
        raise TimeoutError("the time for this run is over")
