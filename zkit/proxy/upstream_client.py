"""Send requests to an upstream through the repairing transport, and note what came back."""

from __future__ import annotations

from collections.abc import AsyncIterator

import httpx2

from zkit.chat.client.exchange import Repairing
from zkit.transport import repair_client

MAX_SEEN = 400_000
"""The most bytes of a reply that are noted for the page; a stream has about ten times its text."""
_EXTENSION = "zkit.seen"


class Seen:
    """The replies of an upstream to one request of a client, as they came: one, or several if the
    model was asked again."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.replies: list[tuple[str, bytearray]] = []

    def begin(self, content_type: str) -> bytearray:
        """Another reply begins."""
        found = bytearray()
        self.replies.append((content_type, found))
        return found


class _SeenStream(httpx2.AsyncByteStream):
    """The bytes of a reply, noted while they pass."""

    def __init__(self, inner: httpx2.AsyncByteStream, noted: bytearray, most: int | None) -> None:
        self._inner = inner
        self._noted = noted
        self._most = most

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for data in self._inner:
            size += len(data)
            if self._most is not None and size > self._most:
                raise httpx2.ReadError(f"the reply is longer than {self._most:,} bytes")
            if len(self._noted) < MAX_SEEN:
                self._noted += data
            yield data

    async def aclose(self) -> None:
        """Close the connection."""
        await self._inner.aclose()


class _SeenTransport(httpx2.AsyncBaseTransport):
    """Sends requests and notes the replies; a whole reply has a longest size."""

    def __init__(self, inner: httpx2.AsyncBaseTransport) -> None:
        self._inner = inner

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send a request."""
        response: httpx2.Response = await self._inner.handle_async_request(request)
        seen = request.extensions.get(_EXTENSION)
        if isinstance(seen, Seen):
            kind = response.headers.get("content-type", "")
            most = None if "event-stream" in kind else seen.most
            assert isinstance(response.stream, httpx2.AsyncByteStream)
            response.stream = _SeenStream(response.stream, seen.begin(kind), most)
        return response

    async def aclose(self) -> None:
        """Close all connections."""
        await self._inner.aclose()


def upstream_client(
    repairing: Repairing, connections: int, transport: httpx2.AsyncBaseTransport | None = None
) -> httpx2.AsyncClient:
    """Return a client whose replies are repaired and noted; `transport` takes the place of connections."""
    limits = httpx2.Limits(max_connections=connections, max_keepalive_connections=20)
    inner = _SeenTransport(transport or httpx2.AsyncHTTPTransport(limits=limits))
    found: httpx2.AsyncClient = repair_client(httpx2.AsyncClient(transport=inner), repairing)
    return found


def upstream_request(
    method: str,
    url: str,
    headers: list[tuple[str, str]],
    body: bytes | None,
    timeout: float,
    seen: Seen | None = None,
) -> httpx2.Request:
    """Return a request to an upstream; `seen` notes the replies to it."""
    limits = {"connect": min(timeout, 10.0), "read": timeout, "write": timeout, "pool": timeout}
    extensions: dict[str, object] = {"timeout": limits}
    if seen is not None:
        extensions[_EXTENSION] = seen
    return httpx2.Request(method, url, headers=headers, content=body, extensions=extensions)
