"""One completion over HTTP as bytes: what is sent, what is repaired, what passes as it is."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from operator import attrgetter
from typing import NamedTuple

from pydantic_core import from_json

from zkit.chat.call_checker import Report
from zkit.chat.client.exchange import CHAT, WATCH, Api, Exchange, Repairing
from zkit.chat.client.message_repair import MAX_HELD
from zkit.chat.client.responses_api import RESPONSES
from zkit.chat.wire_data import index_of
from zkit.json_types import JsonObject

ENDPOINTS: Mapping[str, Api] = {"/chat/completions": CHAT, "/responses": RESPONSES}
_EVENT_END = re.compile(rb"\r\n\r\n|\n\n|\r\r")
_LINE_END = re.compile(rb"\r\n|\n|\r")
_DONE = b"[DONE]"


def http_exchange(method: str, path: str, body: bytes, repairing: Repairing) -> HttpExchange | None:
    """Return the exchange for a request; None if its reply holds no calls that could be repaired."""
    api = next((api for end, api in ENDPOINTS.items() if path.endswith(end)), None)
    if api is None or method != "POST":
        return None
    request = _object(body)
    if request is None:
        return None
    watch = WATCH.get()
    exchange = Exchange(api, request, repairing, None if watch is None else watch.tools)
    if not exchange.has_tools:
        return None
    if watch is not None:
        watch.exchange = exchange
    return HttpExchange(exchange, body, ends_with_reply=api is RESPONSES)


class HttpExchange:
    """The bytes of one completion. The request first, then `take` or `feed` and `end`."""

    def __init__(self, exchange: Exchange, body: bytes, *, ends_with_reply: bool) -> None:
        self._exchange = exchange
        self._body = body
        self._ends_with_reply = ends_with_reply
        self._request = exchange.request
        self._rest = b""
        self._is_open = False
        self._passes = False
        self._template: Template | None = None
        self._templates_left = MAX_TEMPLATES

    @property
    def is_stream(self) -> bool:
        """True if a stream was requested."""
        return bool(self._exchange.request.get("stream"))

    @property
    def body(self) -> bytes:
        """The body to send: the original bytes for the first request."""
        request = self._exchange.request
        return self._body if request is self._request else _json(request)

    @property
    def report(self) -> Report:
        """What was done."""
        return self._exchange.report

    @property
    def asks_again(self) -> bool:
        """True if a streamed reply has ended and the request is to be sent again."""
        return self._exchange.asks_again

    def take(self, body: bytes) -> bytes | None:
        """Take in a whole reply; return the one to deliver, or None if the request is sent again."""
        reply = _object(body)
        if reply is None:
            return body
        made = self._exchange.take(reply)
        return None if made is None else body if made is reply else _json(made)

    def give_up(self) -> bytes:
        """The extra request failed: return what is delivered of the reply before."""
        made = self._exchange.give_up()
        self._passes = True
        return _json(made) if isinstance(made, Mapping) else _written(made) + _END

    def feed(self, data: bytes) -> bytes:
        """Take in bytes of a stream; return those that can be passed on now."""
        if self._passes:
            return data
        if not self._is_open:
            self._open()
        if not self._rest:
            text = None if self._template is None else text_like(self._template, data)
            if text is not None:
                return self._text_event(data, text)
            if _is_one_event(data):
                return self._event(data)
        data = self._rest + data if self._rest else data
        out: list[bytes] = []
        at = 0
        for match in _EVENT_END.finditer(data):
            out.append(self._event(data[at : match.end()]))
            at = match.end()
            if self._passes or self.asks_again:
                break
        self._rest = data[at:]
        if self.asks_again:
            self._rest = b""
        elif self._passes or len(self._rest) > MAX_HELD:
            self._passes = True
            out.append(self._rest)
            self._rest = b""
        return b"".join(out)

    def end(self) -> bytes:
        """The stream has ended, or the connection was closed; return what was held back."""
        if self._passes or self.asks_again:
            return b""
        if not self._is_open:
            return self._rest
        out = self._event(self._rest) if self._rest else b""
        self._rest = b""
        if self._passes or self.asks_again:
            return out
        self._passes = True
        truncated = not self._exchange.is_finished
        rest = _written(self._exchange.end(truncated=truncated))
        self._passes = not self.asks_again
        return out + rest

    def resume(self) -> bytes:
        """The next reply has begun; return what must come before it."""
        self._passes = False
        return _written(self._exchange.resume())

    def abandon(self) -> bytes:
        """The connection failed: return the text that was held back, and no call."""
        if self._passes or not self._is_open:
            return b""
        self._passes = True
        return _written(self._exchange.abandon())

    def _open(self) -> None:
        self._exchange.open_stream(_remade, attrgetter("data"))
        self._is_open = True

    def _event(self, raw: bytes) -> bytes:
        """Return what is passed on in place of one event."""
        data = _data_of(raw)
        if data == _DONE:
            rest = _written(self._exchange.end())
            self._passes = not self.asks_again
            return rest + raw if self._passes else b""
        chunk = _object(data) if data.startswith(b"{") else None
        if chunk is None or "error" in chunk:
            return raw
        event = _Event(raw, chunk)
        made = self._exchange.feed(event)
        if len(made) == 1 and made[0] is event:
            self._learn(event)
        out = _written(made)
        if self._ends_with_reply and self._exchange.is_finished:
            out += _written(self._exchange.end())
            self._passes = not self.asks_again
        return out

    def _learn(self, event: _Event) -> None:
        """Keep the bytes around the text of an event, if those after it may be like it."""
        if self._templates_left and self._exchange.feed_text is not None:
            made = template_of(event.raw, event.data)
            if made is not None:
                self._templates_left -= 1
                self._template = made

    def _text_event(self, raw: bytes, text: str) -> bytes:
        """Return an event that differs from an earlier one only in its text: it need not be parsed."""
        feed_text = self._exchange.feed_text
        if feed_text is None or self._template is None:
            return self._event(raw)
        shown = feed_text(self._template.choice, text)
        if shown == text:
            return raw
        chunk = _object(_data_of(raw))
        if not shown or chunk is None:
            return b""
        chunk["choices"][0]["delta"]["content"] = shown
        return _remade(_Event(raw, chunk), chunk).raw


class Template(NamedTuple):
    """The bytes before and after the text of an event that holds text and nothing else."""

    before: bytes
    after: bytes
    choice: int


MAX_TEMPLATES = 4
"""Templates for one stream. A server whose events differ in more than their text gets no more."""
_PROBE = "zkit"


def template_of(raw: bytes, data: JsonObject) -> Template | None:
    """Return the template of an event; None if its text cannot be told from the rest."""
    choices = data.get("choices")
    if not isinstance(choices, list) or len(choices) != 1 or data.get("usage"):
        return None
    choice = choices[0]
    delta = choice.get("delta") if isinstance(choice, dict) else None
    if not isinstance(delta, dict) or list(delta) != ["content"] or choice.get("finish_reason"):
        return None
    index = index_of(choice.get("index")) or 0
    content = delta["content"]
    if not isinstance(content, str) or not content or index < 0:
        return None
    if not raw.startswith(b"data: {") or not _is_one_event(raw) or raw.find(b"\n") != len(raw) - 2:
        return None
    found = re.search(
        rb'"content": ?"(' + re.escape(content.encode("utf-8", "replace")) + rb')"', raw
    )
    if found is None:
        return None
    before, after = raw[: found.start(1)], raw[found.end(1) :]
    other = _object(before[6:] + _PROBE.encode() + after)
    expected = {**data, "choices": [{**choice, "delta": {"content": _PROBE}}]}
    return Template(before, after, index) if other == expected else None


def text_like(template: Template, raw: bytes) -> str | None:
    """Return the text of an event that is like the template; None for any other bytes."""
    before, after, _ = template
    if not (raw.startswith(before) and raw.endswith(after)):
        return None
    inside = raw[len(before) : -len(after)]
    if not inside or len(raw) < len(before) + len(after) or b'"' in inside or b"\\" in inside:
        return None
    try:
        text = inside.decode()
    except UnicodeDecodeError:
        return None
    return text if text.isprintable() else None


class _Event:
    """An event of a stream: its bytes, and the data in it."""

    __slots__ = ("data", "raw")

    def __init__(self, raw: bytes, data: JsonObject) -> None:
        self.raw = raw
        self.data = data


_END = b"data: [DONE]\n\n"


def _remade(like: _Event, data: JsonObject) -> _Event:
    """Return another event of the same kind; events of `/responses` have their type as their name."""
    name = data.get("type")
    is_named = isinstance(name, str) and name.startswith("response.")
    head = f"event: {name}\n".encode() if is_named else b""
    return _Event(b"%sdata: %s\n\n" % (head, _json(data)), data)


def _written(events: Iterable[_Event]) -> bytes:
    return b"".join([event.raw for event in events])


def _is_one_event(data: bytes) -> bool:
    """True if bytes are exactly one event, as most servers send them; False if they must be parsed."""
    return data.find(b"\n\n") == len(data) - 2 and data.endswith(b"\n\n") and b"\r" not in data


def _data_of(raw: bytes) -> bytes:
    """Return the data of an event."""
    if raw.startswith(b"data: {") and raw.find(b"\n") == len(raw) - 2 and b"\r" not in raw:
        return raw[6:-2]
    lines = [line[5:].strip() for line in _LINE_END.split(raw) if line.startswith(b"data:")]
    return b"\n".join(lines)


def _object(body: bytes) -> JsonObject | None:
    """Return the JSON object of a body; None for anything else."""
    try:
        found = from_json(body)
    except ValueError:
        try:
            found = json.loads(body)  # a lone surrogate, which the other parser does not take
        except (ValueError, RecursionError):
            return None
    return found if isinstance(found, dict) else None


def _json(data: object) -> bytes:
    """Return data as JSON; numbers and characters that are not JSON are passed on unchanged."""
    try:
        return json.dumps(data, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return json.dumps(data).encode()
