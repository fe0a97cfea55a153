"""Deliver the reply of an upstream to the client: whole or streamed, as it is or through a bridge."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import suppress

import anyio
import httpx2

from zkit.chat.client.exchange import Watch
from zkit.proxy.api_errors import ApiName, ProxyError, message_in
from zkit.proxy.event_stream import (
    Bridge,
    ChunkReader,
    Data,
    chunks_of,
    read_object,
    write_event,
    write_json,
)
from zkit.proxy.request_log import outcome_of, view_of_report
from zkit.proxy.upstream_client import MAX_SEEN
from zkit.proxy.visit import Visit
from zkit.transport.reports import headers_of

PER_CONNECTION = frozenset(
    ("connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "proxy-connection",
     "te", "trailer", "transfer-encoding", "upgrade", "host", "content-length")
)  # fmt: skip
_DONE = b"\ndata: [DONE]\n"


async def deliver(
    visit: Visit, response: httpx2.Response, bridge: Bridge | None, wants_stream: bool
) -> None:
    """Deliver the reply of the upstream."""
    watch: Watch = response.extensions["zkit.watch"]
    try:
        kind = response.headers.get("content-type", "")
        if response.status_code != 200:
            await _failed(visit, response, bridge)
        elif "event-stream" in kind:
            await _streamed(visit, response, bridge, watch)
        else:
            await _whole(visit, response, bridge, wants_stream)
    finally:
        report = watch.report
        visit.record.report = view_of_report(report)
        if visit.record.outcome == "running":
            visit.record.outcome = outcome_of(report)
        await close_response(response)


async def _failed(visit: Visit, response: httpx2.Response, bridge: Bridge | None) -> None:
    """Pass on an error of the upstream, in the format of the API."""
    body = await response.aread()
    message = message_in(body)
    if bridge is not None:
        raise ProxyError(response.status_code, message, "upstream_error")
    visit.record.outcome, visit.record.error = "failed", message
    await visit.whole(response.status_code, _kept_headers(response), body)


async def _whole(
    visit: Visit, response: httpx2.Response, bridge: Bridge | None, wants_stream: bool
) -> None:
    body = await response.aread()
    visit.delivered = bytearray(body[:MAX_SEEN])
    completion = read_object(body)
    headers = _kept_headers(response)
    if completion is None:  # a page of a gateway, which no client could read as a reply
        visit.delivered = None
        raise ProxyError(502, "the upstream's reply is not JSON", "upstream_error")
    if bridge is None and not wants_stream:
        await visit.whole(200, headers, body)
        return
    if wants_stream and (bridge is not None or "choices" in completion):
        chunks = list(chunks_of(completion))
        made = [write_event(one) if bridge is None else bridge.feed(one) for one in chunks]
        made.append(b"data: [DONE]\n\n" if bridge is None else bridge.end())
        kept = [pair for pair in headers if pair[0] != "content-type"]
        await visit.begin(200, [*kept, ("content-type", "text/event-stream; charset=utf-8")])
        await visit.write(b"".join(made), more=False)
        return
    await visit.whole(
        200, headers, body if bridge is None else write_json(bridge.reply(completion))
    )


async def _streamed(
    visit: Visit, response: httpx2.Response, bridge: Bridge | None, watch: Watch
) -> None:
    visit.delivered = delivered = bytearray()
    await visit.begin(200, _kept_headers(response))
    reader = ChunkReader()
    async for data in _to_its_end(response):
        if len(delivered) < MAX_SEEN:
            delivered += data
        if bridge is None:
            await visit.write(data)
            continue
        for chunk in reader.feed(data):
            await _bridged(visit, bridge, chunk)
    if bridge is not None:
        for chunk in reader.end():
            await _bridged(visit, bridge, chunk)
        await visit.write(bridge.end())
    await visit.write(_receipt(watch, visit.api), more=False)


async def _bridged(visit: Visit, bridge: Bridge, chunk: Data) -> None:
    if "error" in chunk and not chunk.get("choices"):
        message = message_in(write_json(chunk))
        raise ProxyError(502, message, "upstream_error")
    made = bridge.feed(chunk)
    if made:
        await visit.write(made)


async def _to_its_end(response: httpx2.Response) -> AsyncIterator[bytes]:
    """Return the bytes of a stream; a connection that breaks off after the mark of the end is not an error."""
    tail = b"\n"
    try:
        async for data in response.aiter_bytes():
            yield data
            tail = (tail + data[-200:])[-200:]
    except httpx2.HTTPError:
        if _DONE not in tail:
            raise


def _receipt(watch: Watch, api: ApiName) -> bytes:
    """Return the report as the last event of a stream, after the mark of its end.

    `/responses` has no such mark, and OpenAI's client takes every event: there it is a comment.
    """
    headers = headers_of(watch.report)
    if not headers:
        return b""
    if api == "responses":
        return b": zkit.receipt %s\n\n" % write_json(headers)
    return b"event: zkit.receipt\ndata: %s\n\n" % write_json(headers)


def _kept_headers(response: httpx2.Response) -> list[tuple[str, str]]:
    """Return the headers of a reply whose body was read, and may be another one now."""
    dropped = PER_CONNECTION | {"content-encoding"}
    return [pair for pair in response.headers.multi_items() if pair[0] not in dropped]


async def close_response(response: httpx2.Response) -> None:
    """Close the connection to the upstream, also if the request was cancelled."""
    with anyio.CancelScope(shield=True), suppress(httpx2.HTTPError):
        await response.aclose()
