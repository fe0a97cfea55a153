"""A transcript of a chat in; everything out that zkit had to mend or to refuse in it, as drafts of cases."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from zkit.arguments import Decoded
from zkit.cases.draft import Draft
from zkit.chat.assembler import Assembler, Reply, call_entries
from zkit.chat.wire_data import entries, stream_data
from zkit.errors import ZkitError
from zkit.extract import Extraction
from zkit.schema import offered
from zkit.transcripts import Exchange, Transcript


def drafts_of(transcript: Transcript) -> list[Draft]:
    """What was wrong in the replies of a chat, in their order, each thing once."""
    source = f"{transcript.header.model}, recorded by zkit chat"
    found: dict[str, Draft] = {}
    for exchange in transcript.exchanges():
        for draft in exchange_drafts(exchange, source):
            found.setdefault(f"{draft.kind} {draft.text}", draft)
    return list(found.values())


def exchange_drafts(exchange: Exchange, source: str) -> Iterator[Draft]:
    """What was wrong in one reply."""
    tools = [dict(one) for one in entries((exchange.request or {}).get("tools"))]
    reply = reply_of(exchange)
    schemas = _schemas(tools)
    finish = reply.finish_reason if reply.finish_reason == "length" else None
    for call in reply.calls:
        schema = schemas.get(call.name)
        kind = "repair" if schema is None else "decode"
        draft = Draft(kind, call.arguments, schema, (), finish, source=source)
        if call.arguments and _needed_help(draft):
            yield draft
    if not reply.calls and reply.content:
        draft = Draft("extract", reply.content, None, tools, finish, source=source)
        if tools and _needed_help(draft):
            yield draft


def reply_of(exchange: Exchange) -> Reply:
    """The reply as it came, put together from its parts."""
    return assembled(exchange.body, exchange.content_type).reply()


def assembled(body: bytes, content_type: str) -> Assembler:
    """A completion, whole or streamed, put together from its parts."""
    assembler = Assembler()
    if "event-stream" in content_type or body.startswith(b"data:"):
        for event in stream_data(body):
            for chunk in entries(_json(event)):
                assembler.add(chunk)
        return assembler
    data = next(entries(_json(body)), {})
    for choice in entries(data.get("choices")):
        message = dict(next(entries(choice.get("message")), {}))
        parts = [{"index": at, **part} for at, part in enumerate(call_entries(message))]
        delta = {**message, "tool_calls": parts, "function_call": None}
        assembler.add({"choices": [{**choice, "delta": delta}]})
    return assembler


def _needed_help(draft: Draft) -> bool:
    """Whether zkit mended or refused something; what was fine is no failure."""
    outcome = draft.outcome()
    if isinstance(outcome, Extraction):
        return bool(outcome.calls or outcome.unknown or outcome.incomplete or outcome.refused)
    return bool(getattr(outcome, "fixes", ())) if isinstance(outcome, Decoded) else True


def _schemas(tools: list[dict[str, Any]]) -> Mapping[str, Mapping[str, Any]]:
    try:
        return {name: offer.parameters for name, offer in offered(tools).items()} if tools else {}
    except ZkitError:
        return {}


def _json(text: str | bytes) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
