"""The repair of replies as a transport of httpx or httpx2, for plain and for async clients."""

from __future__ import annotations

import importlib
import sys
from collections.abc import (
    AsyncGenerator,
    AsyncIterable,
    AsyncIterator,
    Generator,
    Iterable,
    Iterator,
)
from contextlib import suppress
from functools import lru_cache
from types import ModuleType
from typing import TYPE_CHECKING, NamedTuple, cast

from zkit.chat.call_checker import NOTHING_DONE
from zkit.chat.client.exchange import Repairing
from zkit.errors import MissingExtraError
from zkit.transport.http_exchange import HttpExchange, http_exchange
from zkit.transport.reports import headers_of, trace_report

if TYPE_CHECKING:  # httpx2 has the same classes with the same names
    from httpx import (
        AsyncBaseTransport,
        AsyncByteStream,
        BaseTransport,
        Request,
        Response,
        SyncByteStream,
    )

_CHANGED = ("content-length", "content-encoding", "transfer-encoding")
"""Headers that no longer hold for a body that was changed."""


def library_for_sdk() -> ModuleType:
    """Return the HTTP library of the installed openai client: httpx2 since its version 3, httpx before."""
    names = ["httpx", "httpx2"]
    with suppress(ImportError):
        from openai import DefaultHttpxClient

        names = [_library_name(DefaultHttpxClient) or "httpx"]
    for name in names:
        try:
            return importlib.import_module(name)
        except ImportError:
            continue
    raise MissingExtraError("openai", "zkit.transport")


def library_of(client: object) -> ModuleType | None:
    """Return the HTTP library that a client or transport belongs to; None for any other object."""
    name = _library_name(type(client))
    return None if name is None else sys.modules[name]


def _library_name(kind: type) -> str | None:
    roots = (base.__module__.split(".")[0] for base in kind.__mro__)
    return next((root for root in roots if root in ("httpx", "httpx2")), None)


class _Flow:
    """One request on its way through a transport; what plain and async code share."""

    def __init__(self, http: ModuleType, request: Request, exchange: HttpExchange) -> None:
        self._http = http
        self._first = request
        self._sent = 0
        self._is_closed = False
        self.exchange = exchange

    def request(self) -> Request:
        """Return the request to send: the caller's own, then those that ask again."""
        self._sent += 1
        if self._sent == 1:
            return self._first
        first = self._first
        headers = [pair for pair in first.headers.raw if pair[0].lower() != b"content-length"]
        made: Request = self._http.Request(
            first.method,
            first.url,
            headers=headers,
            content=self.exchange.body,
            extensions=first.extensions,
        )
        return made

    def reads(self, response: Response) -> bool:
        """True if the reply can be repaired."""
        if response.status_code != 200:
            return False
        is_json = "json" in response.headers.get("content-type", "")
        return not (self.exchange.is_stream and is_json)

    def take(self, response: Response, raw: bytes) -> Response | None:
        """Return the response to deliver for a whole reply; None if the request is sent again."""
        body = raw
        if "content-encoding" in response.headers:
            body = self._http.Response(200, headers=response.headers, content=raw).content
        made = self.exchange.take(body)
        if made is None:
            return None
        return self._whole(response, made if made is not body else None, raw)

    def give_up(self, response: Response) -> Response:
        """Return the response to deliver if the model could not be asked again."""
        return self._whole(response, self.exchange.give_up(), b"")

    def _whole(self, response: Response, made: bytes | None, raw: bytes) -> Response:
        """Return a response with a body that was changed, or with the bytes that the server sent."""
        report = self.exchange.report
        if made is None and report == NOTHING_DONE:
            response.stream = self._http.ByteStream(raw)
            return response
        trace_report(report)
        dropped = () if made is None else _CHANGED
        headers = [
            (name, value)
            for name, value in response.headers.raw
            if name.decode("latin-1").lower() not in (*dropped, "transfer-encoding")
        ]
        headers += [(name.encode(), value.encode()) for name, value in headers_of(report).items()]
        if made is not None:
            headers.append((b"content-length", str(len(made)).encode()))
        return self._like(response, headers, self._http.ByteStream(raw if made is None else made))

    def streamed(
        self, response: Response, stream: Iterable[bytes] | AsyncIterable[bytes]
    ) -> Response:
        """Return a response whose bytes are repaired while they arrive."""
        dropped = (b"content-length", b"content-encoding")
        headers = [pair for pair in response.headers.raw if pair[0].lower() not in dropped]
        return self._like(response, headers, stream)

    def _like(
        self,
        response: Response,
        headers: list[tuple[bytes, bytes]],
        stream: Iterable[bytes] | AsyncIterable[bytes],
    ) -> Response:
        made: Response = self._http.Response(
            response.status_code, headers=headers, stream=stream, extensions=response.extensions
        )
        return made

    def close(self) -> None:
        """A stream was closed; it may be closed more than once."""
        if not self._is_closed:
            self._is_closed = True
            trace_report(self.exchange.report)


class _Transport:
    """Repairs the replies that another transport fetches."""

    http: ModuleType
    stream_kind: type[_Stream]

    def __init__(self, inner: object, repairing: Repairing) -> None:
        self.inner = cast("BaseTransport", inner)
        self.repairing = repairing

    def handle_request(self, request: Request) -> Response:
        """Send a request; ask again where the reply says so."""
        exchange = http_exchange(request.method, request.url.path, request.read(), self.repairing)
        if exchange is None:
            return self.inner.handle_request(request)
        flow = _Flow(self.http, request, exchange)
        response = self.inner.handle_request(flow.request())
        while flow.reads(response):
            if exchange.is_stream:
                return flow.streamed(response, self.stream_kind(self.inner, flow, response))
            raw = _read(_stream_of(response))
            made = flow.take(response, raw)
            if made is not None:
                return made
            following = _tried(self.inner, flow)
            if following is None:
                return flow.give_up(response)
            response = following
        return response

    def close(self) -> None:
        """Close the transport below."""
        self.inner.close()


class _Stream:
    """The bytes of a streamed reply, repaired; they can be read once."""

    def __init__(self, inner: BaseTransport, flow: _Flow, response: Response) -> None:
        self._response = response
        self._flow = flow
        self._bytes = self._run(inner, flow)

    def __iter__(self) -> Iterator[bytes]:
        return self._bytes

    def _run(self, inner: BaseTransport, flow: _Flow) -> Generator[bytes, None, None]:
        made = flow.exchange
        while True:
            try:
                for data in _bytes_of(self._response):
                    out = made.feed(data)
                    if out:
                        yield out
                    if made.asks_again:
                        break
            except Exception:
                yield made.abandon()
                raise
            yield made.end()
            self._response.close()
            if not made.asks_again:
                break
            following = _tried(inner, flow)
            if following is None:
                yield made.give_up()
                break
            self._response = following
            yield made.resume()

    def close(self) -> None:
        """Close the connection. SDKs do so at `[DONE]`, before the bytes have ended."""
        self._bytes.close()
        self._response.close()
        self._flow.close()


class _AsyncTransport:
    """The same for async clients."""

    http: ModuleType
    stream_kind: type[_AsyncStream]

    def __init__(self, inner: object, repairing: Repairing) -> None:
        self.inner = cast("AsyncBaseTransport", inner)
        self.repairing = repairing

    async def handle_async_request(self, request: Request) -> Response:
        """Send a request; ask again where the reply says so."""
        body = await request.aread()
        exchange = http_exchange(request.method, request.url.path, body, self.repairing)
        if exchange is None:
            return await self.inner.handle_async_request(request)
        flow = _Flow(self.http, request, exchange)
        response = await self.inner.handle_async_request(flow.request())
        while flow.reads(response):
            if exchange.is_stream:
                return flow.streamed(response, self.stream_kind(self.inner, flow, response))
            raw = await _aread(_async_stream_of(response))
            made = flow.take(response, raw)
            if made is not None:
                return made
            following = await _atried(self.inner, flow)
            if following is None:
                return flow.give_up(response)
            response = following
        return response

    async def aclose(self) -> None:
        """Close the transport below."""
        await self.inner.aclose()


class _AsyncStream:
    """The same for async clients."""

    def __init__(self, inner: AsyncBaseTransport, flow: _Flow, response: Response) -> None:
        self._response = response
        self._flow = flow
        self._bytes = self._run(inner, flow)

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self._bytes

    async def _run(self, inner: AsyncBaseTransport, flow: _Flow) -> AsyncGenerator[bytes, None]:
        made = flow.exchange
        while True:
            try:
                async for data in _async_bytes_of(self._response):
                    out = made.feed(data)
                    if out:
                        yield out
                    if made.asks_again:
                        break
            except Exception:
                yield made.abandon()
                raise
            yield made.end()
            await self._response.aclose()
            if not made.asks_again:
                break
            following = await _atried(inner, flow)
            if following is None:
                yield made.give_up()
                break
            self._response = following
            yield made.resume()

    async def aclose(self) -> None:
        """Close the connection."""
        await self._bytes.aclose()
        await self._response.aclose()
        self._flow.close()


class Kinds(NamedTuple):
    """The transport classes for one library: for plain and for async clients."""

    plain: type[_Transport]
    asynchronous: type[_AsyncTransport]


@lru_cache(maxsize=4)
def transports_of(http: ModuleType) -> Kinds:
    """Make the transport classes for one library, of its own base classes."""
    stream = type("RepairedStream", (_Stream, http.SyncByteStream), {})
    async_stream = type("AsyncRepairedStream", (_AsyncStream, http.AsyncByteStream), {})
    own, async_own = (
        {"http": http, "stream_kind": stream},
        {"http": http, "stream_kind": async_stream},
    )
    return Kinds(
        type("RepairTransport", (_Transport, http.BaseTransport), own),
        type("AsyncRepairTransport", (_AsyncTransport, http.AsyncBaseTransport), async_own),
    )


def _stream_of(response: Response) -> SyncByteStream:
    return cast("SyncByteStream", response.stream)


def _async_stream_of(response: Response) -> AsyncByteStream:
    return cast("AsyncByteStream", response.stream)


def _read(stream: SyncByteStream) -> bytes:
    try:
        return b"".join(stream)
    finally:
        stream.close()


async def _aread(stream: AsyncByteStream) -> bytes:
    try:
        return b"".join([data async for data in stream])
    finally:
        await stream.aclose()


def _bytes_of(response: Response) -> Iterator[bytes]:
    """Return the bytes of a streamed reply, decoded; straight from the connection if there is no encoding."""
    is_encoded = "content-encoding" in response.headers
    found: Iterator[bytes] = response.iter_bytes() if is_encoded else iter(_stream_of(response))
    return found


def _async_bytes_of(response: Response) -> AsyncIterator[bytes]:
    is_encoded = "content-encoding" in response.headers
    found: AsyncIterator[bytes] = (
        response.aiter_bytes() if is_encoded else aiter(_async_stream_of(response))
    )
    return found


def _tried(inner: BaseTransport, flow: _Flow) -> Response | None:
    """Return the response to an extra request; None if it failed."""
    try:
        response = inner.handle_request(flow.request())
    except Exception:
        return None
    if flow.reads(response):
        return response
    response.close()
    return None


async def _atried(inner: AsyncBaseTransport, flow: _Flow) -> Response | None:
    try:
        response = await inner.handle_async_request(flow.request())
    except Exception:
        return None
    if flow.reads(response):
        return response
    await response.aclose()
    return None
