"""One request of a client on its way through the proxy, and the ways to answer it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from starlette.types import Receive, Scope, Send

from zkit.proxy.api_errors import ApiName, ProxyError, error_body, error_event
from zkit.proxy.event_stream import write_json
from zkit.proxy.request_log import Record
from zkit.proxy.upstream_client import Seen

_KEYS = ("authorization", "x-api-key", "api-key")


@dataclass(slots=True)
class Visit:
    """One request of a client on its way."""

    scope: Scope
    receive: Receive
    send: Send
    headers: dict[str, str]
    path: str
    api: ApiName
    record: Record
    seen: Seen
    has_begun: bool = False
    delivered: bytearray | None = None

    @property
    def method(self) -> str:
        """GET, POST, ..."""
        return str(self.scope["method"])

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys of the client, which are never kept."""
        found = [self.headers.get(name, "").removeprefix("Bearer ") for name in _KEYS]
        return tuple(one for one in found if one)

    async def begin(self, status: int, headers: list[tuple[str, str]]) -> None:
        """Send the head of the reply."""
        own = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers]
        own.append((b"x-zkit-id", self.record.id.encode()))
        self.has_begun = True
        self.record.status = status
        self.record.note_first_byte()
        await self.send({"type": "http.response.start", "status": status, "headers": own})

    async def write(self, data: bytes, *, more: bool = True) -> None:
        """Send bytes of the body."""
        await self.send({"type": "http.response.body", "body": data, "more_body": more})

    async def whole(self, status: int, headers: list[tuple[str, str]], body: bytes) -> None:
        """Send a whole reply."""
        length = [] if status in (204, 304) else [("content-length", str(len(body)))]
        await self.begin(status, headers + length)
        await self.write(b"" if self.method == "HEAD" else body, more=False)

    async def json(
        self, status: int, data: object, headers: Mapping[str, str] | None = None
    ) -> None:
        """Send JSON."""
        own = [("content-type", "application/json"), *(headers or {}).items()]
        await self.whole(status, own, write_json(data))

    async def fail(self, error: ProxyError) -> None:
        """Send an error in the format of the API, as an event if a stream has begun."""
        self.record.error, self.record.outcome = error.message, "failed"
        if not self.has_begun:
            own = {"retry-after": "1"} if error.status == 429 else None
            await self.json(error.status, error_body(self.api, error), own)
        elif self.delivered is not None:
            await self.write(error_event(self.api, error), more=False)
