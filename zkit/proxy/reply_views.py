"""Read a reply that has passed through the proxy, for the page: its texts, and the tokens."""

from __future__ import annotations

from collections.abc import Sequence

from zkit.chat.wire_data import stream_data
from zkit.proxy.event_stream import Data, chunks_in, read_object
from zkit.proxy.request_log import View, view_of, view_of_response

_TOKENS = (
    ("input", "prompt_tokens", "input_tokens"),
    ("output", "completion_tokens", "output_tokens"),
)


def view_of_body(body: bytes, content_type: str) -> View:
    """Return what a reply says, in the format of chat completions or responses, whole or streamed."""
    from zkit.cases.draft import assembled

    response = _response_in(body)
    if response is not None:
        return view_of_response(response)
    view = view_of(assembled(body, content_type).reply())
    if not view["content"] and not view["calls"] and read_object(body) is None:
        view["raw"] = body[:4000].decode("utf-8", "replace") if body[:5] != b"data:" else ""
    return view


def usage_of(bodies: Sequence[bytes]) -> dict[str, int]:
    """Return the tokens of all replies to one request."""
    found = {name: 0 for name, *_ in _TOKENS}
    for body in bodies:
        usage = _usage_in(body)
        for name, *keys in _TOKENS:
            counts = [usage.get(key) for key in keys]
            found[name] += next((one for one in counts if isinstance(one, int)), 0)
    return found if any(found.values()) else {}


def _usage_in(body: bytes) -> Data:
    whole = _response_in(body) or read_object(body)
    if whole is not None:
        return _usage_of(whole)
    # It comes at the end; most chunks need not be read for it.
    named = [text for text in stream_data(body) if '"usage"' in text]
    return next(filter(None, (_usage_of(read_object(text)) for text in reversed(named))), {})


def _usage_of(data: Data | None) -> Data:
    usage = None if data is None else data.get("usage")
    return usage if isinstance(usage, dict) else {}


def _response_in(body: bytes) -> Data | None:
    """Return the response object of `/responses`; None for a chat completion."""
    data = read_object(body)
    if data is not None:
        return data if data.get("object") == "response" else None
    if b'"response.' not in body:
        return None
    ends = [one.get("response") for one in chunks_in(body) if isinstance(one.get("response"), dict)]
    return ends[-1] if ends else None
