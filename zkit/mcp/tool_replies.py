"""Converts replies of MCP servers to results and results to replies, without loss."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from typing import Any

import mcp_types as types
from pydantic import JsonValue

from zkit.results import KINDS, Failure, Refused, Result, Success, Transient, Validation, from_dict
from zkit.tools import render_result, thaw

META = "zkit/result"
"""The key under which our server sends the kind of failure to another zkit; other clients ignore it."""
_FROM_SERVER = frozenset({"kind", "code", "retry_after", "message", "cause", "reason"})


def result_of(reply: types.CallToolResult, server: str) -> Result:
    """Return the reply of a server as a result.

    Structured content is the data; otherwise the texts are. Images, audio and resources are named
    in the text and kept whole in `meta["content"]`. An error that the tool reports (`isError`) is
    for the model.
    """
    blocks = [
        block.model_dump(mode="json", by_alias=True, exclude_none=True) for block in reply.content
    ]
    text = "\n".join(filter(None, map(_text_of, reply.content)))
    meta: dict[str, Any] = {"source": f"mcp:{server}", "trusted": False}
    if any(block["type"] != "text" for block in blocks):
        meta["content"] = blocks
    if reply.is_error:
        return _failure(reply, text or "The tool failed and did not say why.", meta)
    if reply.structured_content is None:
        return Success(text, meta=meta)
    if "content" in meta:  # the text beside structured content repeats it, unless it is not text
        meta["notes"] = [line for line in map(_text_of, reply.content) if line.startswith("[")]
    return Success(reply.structured_content, meta=meta)


def _failure(reply: types.CallToolResult, text: str, meta: dict[str, JsonValue]) -> Failure:
    details = (reply.meta or {}).get(META)
    if isinstance(details, Mapping) and details.get("kind") in KINDS.keys() - {"success"}:
        given = {name: value for name, value in details.items() if name in _FROM_SERVER}
        try:
            found = from_dict({**given, "meta": meta})
        except (TypeError, ValueError):  # a server that writes something else there
            found = None
        if isinstance(found, Failure):
            return found
    return Validation(text, meta=meta)


def _text_of(block: types.ContentBlock) -> str:
    """Return what the model reads of a part of a reply."""
    if isinstance(block, types.TextContent):
        return block.text
    if isinstance(block, types.ImageContent | types.AudioContent):
        return f"[{block.type} {block.mime_type}, {_size(block.data)} bytes]"
    if isinstance(block, types.ResourceLink):
        return f"[resource {block.name}: {block.uri}]"
    inner = block.resource
    if isinstance(inner, types.TextResourceContents):
        return inner.text
    return f"[resource {inner.uri} {inner.mime_type or ''}, {_size(inner.blob)} bytes]"


def _size(data: str) -> int:
    try:
        return len(base64.b64decode(data, validate=True))
    except (binascii.Error, ValueError):
        return len(data)


def reply_of(result: Result, output: bool) -> types.CallToolResult:
    """Return a result as the reply of a server. `output` is whether the tool promised a schema."""
    text = render_result(result)
    if isinstance(result, Success):
        kept = _blocks(result.meta.get("content"))
        content: list[types.ContentBlock] = (
            [] if kept and not text else [types.TextContent(text=text)]
        )
        structured = (
            _structured(result.data) if output or isinstance(result.data, Mapping) else None
        )
        return types.CallToolResult(content=kept or content, structured_content=structured)
    details: dict[str, JsonValue] = {"kind": result.kind, "code": getattr(result, "code", "")}
    words = {Validation: "message", Refused: "reason"}.get(type(result), "cause")
    details[words] = str(result)
    if isinstance(result, Transient) and result.retry_after is not None:
        details["retry_after"] = result.retry_after
    return types.CallToolResult(
        content=[types.TextContent(text=text)], is_error=True, _meta={META: details}
    )


def _structured(data: JsonValue) -> dict[str, JsonValue]:
    """Data as an object, which is what MCP has for structured content."""
    plain = thaw(data)
    return plain if isinstance(plain, dict) else {"result": plain}


def _blocks(kept: object) -> list[types.ContentBlock]:
    """Return the parts of a reply of another server, to be passed on unchanged."""
    try:
        return types.CallToolResult.model_validate({"content": thaw(kept or [])}).content
    except ValueError:
        return []
