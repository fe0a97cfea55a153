"""Remove tools that the protocol does not allow from a listing, so that the others still work."""

from __future__ import annotations

from types import TracebackType
from typing import Self

import mcp_types as types
from mcp.client._transport import ReadStream
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

from zkit.mcp.foreign_text import visible
from zkit.mcp.server_limits import MOST_TOOLS

Incoming = SessionMessage | Exception


class ListingFilter:
    """A stream from a server in which every listing holds only tools that can be read.

    The SDK refuses a listing as a whole for one schema of the wrong type. What is taken out is reported in
    `dropped`, a line each.
    """

    def __init__(self, stream: ReadStream[Incoming], dropped: list[str]) -> None:
        self._stream = stream
        self._dropped = dropped

    @property
    def last_context(self) -> object:
        """The context that the SDK's stream keeps for its reader."""
        return getattr(self._stream, "last_context", None)

    async def receive(self) -> Incoming:
        """Return the next message."""
        return self._filtered(await self._stream.receive())

    async def aclose(self) -> None:
        """Close the stream."""
        await self._stream.aclose()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Incoming:
        return self._filtered(await self._stream.__anext__())

    async def __aenter__(self) -> Self:
        await self._stream.__aenter__()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool | None:
        return await self._stream.__aexit__(kind, error, trace)

    def _filtered(self, item: Incoming) -> Incoming:
        message = item.message if isinstance(item, SessionMessage) else None
        if isinstance(message, types.JSONRPCResponse) and isinstance(message.result, dict):
            listed = message.result.get("tools")
            if isinstance(listed, list):
                message.result["tools"] = [one for one in listed if self._is_readable(one)]
        return item

    def _is_readable(self, entry: object) -> bool:
        try:
            read = types.Tool.model_validate(entry, by_name=False)
            if read.input_schema.get("type") == "object":
                return True
            problem = "its schema is not of type object"
        except ValidationError as error:
            problem = str(error.errors()[0]["msg"])
        name = entry.get("name", "") if isinstance(entry, dict) else ""
        if len(self._dropped) < MOST_TOOLS:
            self._dropped.append(f"{visible(str(name))[:80]}: {problem}")
        return False
