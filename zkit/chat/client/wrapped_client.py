"""The user's own client, with replies that are repaired and a report on each of them.

A client that sends its requests with httpx or httpx2 gets the transport of `zkit.transport`, so every
way to ask (`create`, `parse`, `stream`, raw and streaming responses) is repaired in one place. For any
other client, `create` itself is driven.
"""

from __future__ import annotations

import copy
import functools
import inspect
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, overload

from zkit.chat.call_checker import Report, Rules
from zkit.chat.client.exchange import CHAT, WATCH, Api, Exchange, Listener, Repairing, Watch
from zkit.chat.client.responses_api import RESPONSES
from zkit.chat.client.stream_repair import AsyncWholeStream, WholeStream
from zkit.chat.drivers import create_of
from zkit.chat.server_profile import Profile, ServerSettings, asked, fitted
from zkit.chat.wire_data import plain
from zkit.dispatch.approval import Confirm
from zkit.json_types import JsonMapping, JsonObject
from zkit.receipt import Rank, RankName
from zkit.required import require_list

if TYPE_CHECKING:
    from openai import AsyncOpenAI, OpenAI

    from zkit.chat.client.typed_client import RepairedAsyncOpenAI, RepairedOpenAI

C = TypeVar("C")
_WAYS: tuple[tuple[str, str], ...] = (
    ("chat.completions", "create"),
    ("chat.completions", "parse"),
    ("beta.chat.completions", "parse"),
    ("responses", "create"),
    ("responses", "parse"),
)
"""The methods of a client that return a reply; missing ones are skipped."""


@overload
def wrap(
    client: OpenAI,
    tools: object = None,
    *,
    ask_again: int = 0,
    limit: Rank | RankName = Rank.GUESS,
    formats: Iterable[str] | None = None,
    confirm: Confirm = "doubtful",
    on_report: Listener | None = None,
    profile: Profile | str | Path | None = None,
) -> RepairedOpenAI: ...
@overload
def wrap(
    client: AsyncOpenAI,
    tools: object = None,
    *,
    ask_again: int = 0,
    limit: Rank | RankName = Rank.GUESS,
    formats: Iterable[str] | None = None,
    confirm: Confirm = "doubtful",
    on_report: Listener | None = None,
    profile: Profile | str | Path | None = None,
) -> RepairedAsyncOpenAI: ...
@overload
def wrap(
    client: C,
    tools: object = None,
    *,
    ask_again: int = 0,
    limit: Rank | RankName = Rank.GUESS,
    formats: Iterable[str] | None = None,
    confirm: Confirm = "doubtful",
    on_report: Listener | None = None,
    profile: Profile | str | Path | None = None,
) -> C: ...
def wrap(
    client: C,
    tools: object = None,
    *,
    ask_again: int = 0,
    limit: Rank | RankName = Rank.GUESS,
    formats: Iterable[str] | None = None,
    confirm: Confirm = "doubtful",
    on_report: Listener | None = None,
    profile: Profile | str | Path | None = None,
) -> C:
    """Return a client whose replies are repaired; the one that is passed in is not changed.

    Works with `OpenAI`, `AsyncOpenAI` and anything built like them, for chat completions and
    responses, with `stream=True` or not. Tool calls come back with arguments that fit their schemas,
    calls written as text come back as tool calls, and `.zkit` on the reply (or the stream, when it has
    ended) says what was done. A call that must not run is passed on under the name `refused_…`, which
    is not a tool, and listed in `.zkit.refusals`; a call in the text that may not be meant stays there
    and is listed in `.zkit.doubtful`.

    `ask_again` is how many extra requests one completion may cost: if a call cannot be run, nothing
    of the reply is delivered, the call is answered and the model is asked again. `tools` are the
    tools that calls are checked against; those of each request when it is None. `limit` is the
    highest rank of repair; tools that declare a grade set it by that. `formats` limits the formats
    to look for, `confirm="never"` lets doubtful calls pass. `on_report` is called with each report.
    `profile` has the settings of the server: a `Profile`, or the file that `zkit doctor` wrote.
    Without one, requests go out as they are.
    """
    create_of(client)
    names = (formats,) if isinstance(formats, str) else formats
    require_list("formats", names, "names of formats", or_none=True)
    rules = Rules.of(limit, None if names is None else tuple(names), confirm)
    repairing = Repairing(rules, ask_again, tools, on_report)
    server = None if profile is None else Profile.of(profile)
    return _wrapped(client, repairing=repairing, server=server)


def _wrapped(client: C, *, repairing: Repairing, server: ServerSettings | None) -> C:
    again = functools.partial(_wrapped, repairing=repairing, server=server)
    with_transport = _with_transport(client, repairing)
    wrapped = copy.copy(client) if with_transport is None else with_transport
    drive = _driven if with_transport is None else _watched
    for path, name in _WAYS:
        owner = _copied(wrapped, client, path.split("."))
        method = None if owner is None else getattr(owner, name, None)
        if callable(method):
            api = RESPONSES if path == "responses" else CHAT
            setattr(owner, name, drive(method, api, repairing, server))
    for name in ("copy", "with_options"):
        if callable(getattr(client, name, None)):
            setattr(wrapped, name, _then(getattr(client, name), again))
    return wrapped


def _with_transport(client: C, repairing: Repairing) -> C | None:
    """Return a copy of the client with our transport; None if it does not send with httpx or httpx2."""
    from zkit.transport import repaired_copy

    inner = getattr(client, "_client", None)
    made = None if inner is None else repaired_copy(inner, repairing)
    with_options = getattr(client, "with_options", None)
    if made is None or not callable(with_options):
        return None
    copied: C = with_options(http_client=made)
    return copied


def _copied(wrapped: object, client: object, path: list[str]) -> object:
    """Return the object at a path of the client, copied on the way so that the client's own stays as it is."""
    owner, original = wrapped, client
    for name in path:
        found, original = getattr(owner, name, None), getattr(original, name, None)
        if found is None:
            return None
        if found is original:
            found = copy.copy(found)
            setattr(owner, name, found)
        owner = found
    return owner


def _then(make: Callable[..., object], follow: Callable[[object], object]) -> Callable[..., object]:
    @functools.wraps(make)
    def made(*args: object, **options: object) -> object:
        return follow(make(*args, **options))

    return made


# ── clients with our transport: the report is fetched from it ────────────────


def _watched(
    method: Callable[..., object], api: Api, repairing: Repairing, server: ServerSettings | None
) -> Callable[..., object]:
    """Return the client's own method; what it returns gets the report of the transport."""

    @functools.wraps(method)
    def with_report(*args: object, **request: object) -> object:
        sent, watch, is_stream_due = _prepared(request, api, server)
        token = WATCH.set(watch)
        try:
            outcome = method(*args, **sent)
        finally:
            WATCH.reset(token)
        if not _is_reply(outcome) and inspect.isawaitable(outcome):
            return _awaited(outcome, watch, is_stream_due)
        _attach(outcome, watch)
        return WholeStream(outcome) if is_stream_due else outcome

    return with_report


async def _awaited(outcome: Any, watch: Watch, is_stream_due: bool) -> object:
    token = WATCH.set(watch)
    try:
        made = await outcome
    finally:
        WATCH.reset(token)
    _attach(made, watch)
    return AsyncWholeStream(made) if is_stream_due else made


def _prepared(
    request: JsonMapping, api: Api, server: ServerSettings | None
) -> tuple[JsonMapping, Watch, bool]:
    """Return the request as the server wants it, the watch for it, and whether a stream must be made."""
    if server is None or api is not CHAT:
        return request, Watch(), False
    sent = fitted(request, server)
    return sent, Watch(api.tools(request)), bool(asked(request, "stream")) and "stream" not in sent


def _attach(outcome: object, watch: Watch) -> None:
    """Put the report on a reply, beside its fields: it is not part of what is dumped."""
    if _is_reply(
        outcome
    ):  # first, because looking up a missing attribute of a pydantic model is slow
        attach_report(outcome, watch.report)
    elif hasattr(outcome, "__anext__") or hasattr(outcome, "__next__"):
        kind: object = type(outcome)
        outcome.__class__ = _stream_type(kind)
        outcome.__dict__["_zkit_watch"] = watch


@functools.lru_cache(maxsize=64)
def _stream_type(kind: Any) -> type[object]:
    """Return the type of a stream, with the report as a property: it is complete when the stream has ended."""
    report = property(lambda self: self._zkit_watch.report)
    return type(kind.__name__, (kind,), {"zkit": report, "__module__": kind.__module__})


# ── other clients: `create` is driven ────────────────────────────────────────


def _driven(
    method: Callable[..., object], api: Api, repairing: Repairing, server: ServerSettings | None
) -> Callable[..., object]:
    """Return the client's own method, called as often as the exchange needs."""

    @functools.wraps(method)
    def repaired(*args: object, **request: object) -> object:
        sent, watch, is_stream_due = _prepared(request, api, server)
        exchange = Exchange(api, _given(sent), repairing, watch.tools)
        if not exchange.has_tools:
            return method(*args, **sent)
        driver = _Driver(method, args, exchange)
        outcome = method(*args, **sent)
        if inspect.isawaitable(outcome):
            return driver.run_async(outcome, is_stream_due)
        made = driver.run(outcome)
        return WholeStream(made) if is_stream_due else made

    return repaired


def _given(request: JsonMapping) -> JsonObject:
    """Return the request without the client's sentinels for missing values."""
    return {key: value for key in request if (value := asked(request, key)) is not None}


class _Driver:
    """Drives one exchange through a method of a client."""

    def __init__(self, method: Callable[..., object], args: Any, exchange: Exchange) -> None:
        self._method = method
        self._args = args
        self._exchange = exchange

    def _again(self) -> Any:
        return self._method(*self._args, **self._exchange.request)

    def run(self, outcome: object) -> object:
        """Repair what a plain client returned."""
        if hasattr(outcome, "__next__"):
            return _RepairedStream(outcome, self._exchange, self._chunks(outcome))
        while _is_reply(outcome):
            made = self._exchange.take(plain(outcome))
            if made is not None:
                return remade_reply(outcome, made, self._exchange.report)
            try:
                outcome = self._again()
            except Exception:
                return remade_reply(outcome, self._exchange.give_up(), self._exchange.report)
        return outcome

    async def run_async(self, awaitable: Any, is_stream_due: bool) -> object:
        """Repair what an async client returned."""
        outcome = await awaitable
        if hasattr(outcome, "__anext__"):
            return _AsyncRepairedStream(outcome, self._exchange, self._chunks_async(outcome))
        while _is_reply(outcome):
            made = self._exchange.take(plain(outcome))
            if made is None:
                try:
                    outcome = await self._again()
                    continue
                except Exception:
                    made = self._exchange.give_up()
            outcome = remade_reply(outcome, made, self._exchange.report)
            return AsyncWholeStream(outcome) if is_stream_due else outcome
        return outcome

    def _chunks(self, stream: Any) -> Iterator[object]:
        made = self._exchange
        made.open_stream(remade, plain)
        while True:
            try:
                for chunk in stream:
                    yield from made.feed(chunk)
            except Exception:
                yield from made.abandon()
                raise
            yield from made.end()
            if not made.asks_again:
                return
            try:
                stream = self._again()
            except Exception:
                yield from made.give_up()
                return
            yield from made.resume()

    async def _chunks_async(self, stream: Any) -> AsyncIterator[object]:
        made = self._exchange
        made.open_stream(remade, plain)
        while True:
            try:
                async for chunk in stream:
                    for one in made.feed(chunk):
                        yield one
            except Exception:
                for one in made.abandon():
                    yield one
                raise
            for one in made.end():
                yield one
            if not made.asks_again:
                return
            try:
                stream = await self._again()
            except Exception:
                for one in made.give_up():
                    yield one
                return
            for one in made.resume():
                yield one


def _is_reply(outcome: object) -> bool:
    return hasattr(outcome, "choices") or hasattr(outcome, "output")


def remade_reply(reply: object, data: JsonObject, report: Report) -> object:
    """Return a reply of the same type with other data, and with the report on it."""
    made = reply if data == plain(reply) else remade(reply, data)
    attach_report(made, report)
    return made


def attach_report(reply: object, report: Report) -> None:
    """Put the report on a reply and on each of its choices, beside their fields."""
    object.__setattr__(reply, "zkit", report)
    choices = getattr(reply, "choices", None) or ()
    for choice, own in zip(choices, report.choices or [report] * len(choices), strict=False):
        if choice is not None:
            object.__setattr__(choice, "zkit", own)


def remade(like: Any, data: JsonObject) -> object:
    """Return a record of the same type from data, without validation, which a broken reply would
    fail."""
    if isinstance(like, Mapping):
        return data
    construct = getattr(type(like), "construct", None) or type(like).model_construct
    return construct(**data)


class _RepairedStream:
    """A stream whose chunks are repaired; everything else is the client's own."""

    def __init__(self, stream: object, exchange: Exchange, chunks: Iterator[object]) -> None:
        self._stream, self._exchange, self._chunks = stream, exchange, chunks

    @property
    def zkit(self) -> Report:
        """What was done; complete when the stream has ended."""
        return self._exchange.report

    def __getattr__(self, name: str) -> object:
        return getattr(self._stream, name)

    def __iter__(self) -> Iterator[object]:
        return self._chunks

    def __next__(self) -> object:
        return next(self._chunks)

    def __enter__(self) -> _RepairedStream:
        return self

    def __exit__(self, *_: object) -> None:
        close = getattr(self._stream, "close", None)
        if callable(close):
            close()


class _AsyncRepairedStream:
    """The same for async code."""

    def __init__(self, stream: object, exchange: Exchange, chunks: AsyncIterator[object]) -> None:
        self._stream, self._exchange, self._chunks = stream, exchange, chunks

    @property
    def zkit(self) -> Report:
        """What was done; complete when the stream has ended."""
        return self._exchange.report

    def __getattr__(self, name: str) -> object:
        return getattr(self._stream, name)

    def __aiter__(self) -> AsyncIterator[object]:
        return self._chunks

    async def __anext__(self) -> object:
        return await anext(self._chunks)

    async def __aenter__(self) -> _AsyncRepairedStream:
        return self

    async def __aexit__(self, *_: object) -> None:
        close = getattr(self._stream, "close", None) or getattr(self._stream, "aclose", None)
        closed = close() if callable(close) else None
        if inspect.isawaitable(closed):
            await closed
