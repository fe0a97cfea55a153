"""An OpenAI-compatible server on loopback that plays a script, over real HTTP."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections import deque
from collections.abc import Iterable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType

from zkit.testing.answers import Answer, Request, Script, error


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
        """The `base_url` for a client."""
        return f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    def play(self, *script: Script) -> None:
        """Set the answers from now on, and clear `requests`."""
        self.script, self.requests = deque(script), []

    def next_answer(self, request: Request) -> Answer:
        """Return the answer to a request."""
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

    def handle_error(self, request: object, client_address: object) -> None:
        """Ignore a client that has disconnected."""


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

    def log_message(self, format: str, *args: object) -> None:
        """Log nothing."""
