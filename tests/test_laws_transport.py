"""An event that is like an earlier one is repaired as if it had been parsed."""

from __future__ import annotations

import json
import re
from typing import Any
from unittest.mock import patch

from hypothesis import given
from hypothesis import strategies as st

from zkit.chat.client.exchange import Repairing
from zkit.transport import http_exchange as module
from zkit.transport.http_exchange import HttpExchange, http_exchange, template_of, text_like

TOOLS = [
    {"type": "function", "function": {"name": "get_weather", "parameters": {"type": "object"}}}
]
ID = re.compile(rb'"id": "\w{9}"')
BODY = json.dumps({"model": "m", "messages": [], "tools": TOOLS, "stream": True}).encode()
CALL = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n</tool_call>'
PIECES = st.sampled_from(
    ["Hello", " there", "a", "é", "😀", "\u2028", "\x7f", "\n", '"', "\\", " ", "", "<", "<tool", "_call>", "{", "}", "`" * 3, "content", '"content": "a"']
)  # fmt: skip
TEXTS = st.lists(st.one_of(PIECES, st.text(max_size=3)), max_size=8).flatmap(
    lambda before: st.lists(PIECES, max_size=4).map(lambda after: [*before, *_cut(CALL), *after])
)


def _cut(text: str) -> list[str]:
    return [text[at : at + 4] for at in range(0, len(text), 4)]


@st.composite
def streams(draw: st.DrawFn) -> list[bytes]:
    """Events of a server, most of which differ only in their text."""
    texts = draw(st.one_of(TEXTS, st.lists(st.one_of(PIECES, st.text(max_size=3)), max_size=20)))
    ascii_only, compact = draw(st.booleans()), draw(st.booleans())
    odd = draw(st.sets(st.integers(0, 20), max_size=3))
    made = []
    for at, text in enumerate(texts):
        choice: dict[str, Any] = {"index": 0, "delta": {"content": text}, "finish_reason": None}
        data: dict[str, Any] = {"id": "x", "model": "m", "choices": [choice], "usage": None}
        if at in odd:
            part, change = draw(
                st.sampled_from(
                    [
                        (data, {"id": "y"}),
                        (data, {"usage": {"total_tokens": at}}),
                        (choice["delta"], {"role": "assistant"}),
                        (choice, {"index": 1}),
                        (data, {"extra": {"content": text}}),
                        (choice, {"finish_reason": "stop"}),
                    ]
                )
            )
            part.update(change)
        separators = (",", ":") if compact else None
        written = json.dumps(data, ensure_ascii=ascii_only, separators=separators)
        made.append(b"data: " + written.encode("utf-8", "surrogatepass") + b"\n\n")
    return [*made, b"data: [DONE]\n\n"]


def passed(events: list[bytes]) -> list[bytes]:
    made = http_exchange("POST", "/v1/chat/completions", BODY, Repairing())
    assert isinstance(made, HttpExchange)
    out = [*(made.feed(event) for event in events), made.end()]
    return [ID.sub(b"", one) for one in out]  # the ids of calls are random


@given(streams())
def test_events_that_are_not_parsed_come_out_the_same(events: list[bytes]) -> None:
    fast = passed(events)
    with patch.object(module, "MAX_TEMPLATES", 0):
        assert fast == passed(events)


def test_plain_text_is_not_parsed() -> None:
    data = {"id": "x", "choices": [{"index": 0, "delta": {"content": " Hi"}}]}
    raw = b"data: " + json.dumps(data).encode() + b"\n\n"
    template = template_of(raw, data)
    assert template is not None
    assert text_like(template, raw.replace(b" Hi", " Grüße".encode())) == " Grüße"
    assert text_like(template, raw.replace(b" Hi", b'\\"')) is None
    assert text_like(template, raw.replace(b'"x"', b'"y"')) is None
    with patch.object(module, "_object", wraps=module._object) as parsed:
        passed([raw] * 20 + [b"data: [DONE]\n\n"])
    assert parsed.call_count < 8  # the request, the first events, and the template
