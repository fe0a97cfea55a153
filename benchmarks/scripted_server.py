"""An OpenAI-compatible server on loopback that answers what a script says, misbehaviour included.

A script is a list of answers, given one after the other; an answer is a record, or a function from
the request to a record. Everything goes over real HTTP.
"""

from __future__ import annotations

import json
import socket
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

Request = dict[str, Any]


@dataclass(frozen=True)
class Answer:
    """What the server sends: `parts` one after the other, with a pause before each.

    `breaks_off` closes the connection before the end of the body was announced.
    """

    parts: tuple[bytes, ...] = ()
    status: int = 200
    content_type: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)
    pause: float = 0.0
    breaks_off: bool = False


Script = Answer | Callable[[Request], Answer]


def call(name: str, arguments: Any, id: str | None = None, **more: Any) -> dict[str, Any]:
    """An entry of `tool_calls`; arguments that are no text are sent as JSON."""
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    entry = {"type": "function", "function": {"name": name, "arguments": text}, **more}
    return entry if id is None else {"id": id, **entry}


def says(
    content: str | None = None,
    calls: Sequence[Mapping[str, Any]] = (),
    *,
    finish: str | None = None,
    usage: tuple[int, int] = (10, 5),
    step: int = 7,
    **fields: Any,
) -> Script:
    """A well-formed answer with this message, as JSON or as a stream, as the request wants it."""
    message = {"role": "assistant", "content": content, **fields}
    if calls:
        message["tool_calls"] = list(calls)
    reason = finish or ("tool_calls" if calls else "stop")

    def answer(request: Request) -> Answer:
        if request.get("stream"):
            return stream(deltas_of(message, step), finish=reason, usage=usage)
        return completion({"message": message, "finish_reason": reason}, usage=usage)

    return answer


def completion(*choices: Mapping[str, Any], usage: tuple[int, int] | None = (10, 5)) -> Answer:
    """A completion with these choices, whatever is in them."""
    body = {
        **_envelope("chat.completion"),
        "choices": [{"index": index, **choice} for index, choice in enumerate(choices)],
        "usage": _usage(usage),
    }
    return Answer((json.dumps(body).encode(),))


def deltas_of(message: Mapping[str, Any], step: int) -> Iterator[dict[str, Any]]:
    """The deltas that a decent server makes of a message, `step` characters at a time."""
    yield {"role": "assistant", "content": ""}
    for name, value in message.items():
        if isinstance(value, str) and name != "role":
            yield from ({name: value[at : at + step]} for at in range(0, len(value), step))
    for index, entry in enumerate(message.get("tool_calls") or ()):
        function = entry["function"]
        text = function["arguments"]
        yield {
            "tool_calls": [
                {**entry, "index": index, "function": {"name": function["name"], "arguments": ""}}
            ]
        }
        for at in range(0, len(text), step):
            piece = {"index": index, "function": {"arguments": text[at : at + step]}}
            yield {"tool_calls": [piece]}


def stream(
    deltas: Iterable[Mapping[str, Any]],
    *,
    finish: str | None = "stop",
    usage: tuple[int, int] | None = (10, 5),
    done: bool = True,
    **options: Any,
) -> Answer:
    """A streamed completion of these deltas, whatever is in them; the usage comes after the end."""
    head = _envelope("chat.completion.chunk")
    chunks = [
        {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
        for delta in deltas
    ]
    if finish is not None:
        chunks.append({**head, "choices": [{"index": 0, "delta": {}, "finish_reason": finish}]})
    if usage is not None:
        chunks.append({**head, "choices": [], "usage": _usage(usage)})
    return raw_stream(chunks, done=done, **options)


def raw_stream(chunks: Iterable[Mapping[str, Any]], *, done: bool = True, **options: Any) -> Answer:
    """A stream of exactly these chunks."""
    parts = [f"data: {json.dumps(chunk)}\n\n".encode() for chunk in chunks]
    if done:
        parts.append(b"data: [DONE]\n\n")
    return replace(Answer(tuple(parts), content_type="text/event-stream"), **options)


def error(
    status: int, message: str, headers: Mapping[str, str] | None = None, **more: Any
) -> Answer:
    """An error as servers send them."""
    body = {"error": {"message": message, "type": "server_error", "code": None, **more}}
    return Answer((json.dumps(body).encode(),), status, headers=headers or {})


def _envelope(kind: str) -> dict[str, Any]:
    return {"id": "chatcmpl-1", "object": kind, "created": 1763251200, "model": "scripted"}


def _usage(usage: tuple[int, int] | None) -> dict[str, int] | None:
    if usage is None:
        return None
    read, written = usage
    return {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written}


class ScriptedServer:
    """The server; `requests` are the bodies that arrived, in order."""

    def __init__(self, script: Iterable[Script] = (), *, then: Script | None = None) -> None:
        self.script = deque(script)
        self.requests: list[Request] = []
        self._then = then
        self._lock = threading.Lock()
        self._http = _Http(("127.0.0.1", 0), _Handler)
        self._http.owner = self
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.01,), daemon=True)

    @property
    def url(self) -> str:
        """What a client takes as `base_url`."""
        return f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    def play(self, *script: Script) -> None:
        """Set what is answered from now on, and forget what was asked."""
        self.script, self.requests = deque(script), []

    def next_answer(self, request: Request) -> Answer:
        """The answer to a request."""
        with self._lock:
            self.requests.append(request)
            found = self.script.popleft() if self.script else self._then
        if found is None:
            return error(400, "the script has ended")
        return found(request) if callable(found) else found

    def __enter__(self) -> ScriptedServer:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, e: BaseException | None, t: TracebackType | None
    ) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 512
    owner: ScriptedServer

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is no event."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Http

    def do_POST(self) -> None:
        """Answer a request for a completion."""
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self._send(self.server.owner.next_answer(json.loads(body)))

    def do_GET(self) -> None:
        """Answer a request for the list of models."""
        listing = {
            "object": "list",
            "data": [{"id": "scripted", "object": "model", "created": 1, "owned_by": "tests"}],
        }
        self._send(Answer((json.dumps(listing).encode(),)))

    def _send(self, answer: Answer) -> None:
        self.send_response(answer.status)
        self.send_header("Content-Type", answer.content_type)
        for name, value in answer.headers.items():
            self.send_header(name, value)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for part in answer.parts:
            if answer.pause:
                time.sleep(answer.pause)
            self.wfile.write(b"%x\r\n%s\r\n" % (len(part), part))
            self.wfile.flush()
        if answer.breaks_off:
            self.wfile.write(b"ffff\r\nda")
            self.wfile.flush()
            self.connection.shutdown(socket.SHUT_RDWR)
            self.close_connection = True
            return
        self.wfile.write(b"0\r\n\r\n")

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing on the screen."""
