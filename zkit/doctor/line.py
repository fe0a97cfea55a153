"""A question in, everything that came back over the wire out; what fails in passing is asked again."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from zkit.chat import ServerSettings
from zkit.chat.client_errors import trouble_of
from zkit.doctor.asks import Ask
from zkit.doctor.heard import Heard, Piece

LONGEST_WAIT = 10.0
TOO_LATE = "no answer in time"
_PASSING = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})


class Line:
    """A connection to one model on one server; it counts what it sends.

    `seconds` is how long one answer may take in all. Options that a server refuses by name are left
    out from then on, or sent under their other name.
    """

    def __init__(self, client: Any, model: str, seconds: float) -> None:
        self._client = client
        self._seconds = seconds
        self._left_out: set[str] = set()
        self.model = model
        self.sent = 0

    @property
    def address(self) -> str:
        """Where the server is."""
        return str(self._client.base_url)

    def models(self) -> list[str]:
        """The names of the models on the server; raises what the client raises."""
        return [str(one.id) for one in self._client.models.list(timeout=self._seconds).data]

    def ask(self, ask: Ask, manners: ServerSettings) -> Heard:
        """Ask, and ask once more when the answer failed in a way that may pass."""
        heard = self._ask(ask, manners)
        if not _may_pass(heard):
            return heard
        time.sleep(min(heard.retry_after, LONGEST_WAIT))
        again = self._ask(ask, manners)
        if again.failure:
            return again
        return replace(again, incidents=(heard.failure,))

    def _ask(self, ask: Ask, manners: ServerSettings) -> Heard:
        request = ask.request(self.model, manners)
        while True:
            heard = self._send(ask, self._as_known(request))
            refused = {
                name for name in _RENAMED if name in heard.request and _is_refused(name, heard)
            }
            if not refused:
                return heard
            self._left_out |= refused

    def _as_known(self, request: dict[str, Any]) -> dict[str, Any]:
        """The request with what this server calls otherwise, or does not take."""
        made = {key: value for key, value in request.items() if key not in self._left_out}
        renamed = {_RENAMED[key]: request[key] for key in self._left_out & set(request)}
        return made | {key: value for key, value in renamed.items() if key}

    def _send(self, ask: Ask, request: dict[str, Any]) -> Heard:
        self.sent += 1
        began = time.monotonic()
        pieces: list[Piece] = []
        told: dict[str, Any] = {}
        try:
            self._receive(request, began, pieces, told)
        except Exception as error:  # whatever the client, the wire or the server makes of it
            told |= _failed(error, pieces)
        seconds = time.monotonic() - began
        heard = Heard(ask, request, pieces=tuple(pieces), seconds=seconds, **told)
        return heard if heard.failure else replace(heard, failure=_no_answer(heard))

    def _receive(
        self, request: dict[str, Any], began: float, pieces: list[Piece], told: dict[str, Any]
    ) -> None:
        create = self._client.chat.completions.with_streaming_response.create
        with create(**request, timeout=self._seconds) as response:
            told["status"] = response.status_code
            told["content_type"] = response.headers.get("content-type", "")
            for data in response.iter_bytes():
                at = time.monotonic() - began
                pieces.append(Piece(at, data))
                if at > self._seconds:
                    raise TimeoutError(f"no end of the answer after {self._seconds:g} s")


_RENAMED: Mapping[str, str] = {"temperature": "", "max_tokens": "max_completion_tokens"}
"""Options that some servers refuse, and how those call them."""


def _is_refused(option: str, heard: Heard) -> bool:
    return heard.status in (400, 422) and option in heard.failure and not heard.ask.is_wrong


def _failed(error: Exception, pieces: list[Piece]) -> dict[str, Any]:
    """What is known of a request that failed; the body of an error is what came over the wire."""
    if type(error).__name__ in ("APITimeoutError", "TimeoutError"):
        return {"failure": f"{TOO_LATE}: {error}"}
    trouble = trouble_of(error)
    status = getattr(error, "status_code", None)
    if not isinstance(status, int):
        return {"failure": trouble.reason}
    response: Any = error.response  # type: ignore[attr-defined]
    pieces[:] = [Piece(0.0, response.content)]
    return {
        "status": status,
        "content_type": response.headers.get("content-type", ""),
        "failure": f"{status}: {_message(response.text)}",
        "retry_after": trouble.delay or 0.0,
    }


def _message(text: str) -> str:
    """What a server says went wrong."""
    try:
        data = json.loads(text)
    except ValueError:
        data = None
    said = data.get("error", data) if isinstance(data, dict) else text
    said = said.get("message", said) if isinstance(said, dict) else said
    shown = " ".join(str(said).split())
    return shown if len(shown) <= 200 else f"{shown[:199]}…"


def _no_answer(heard: Heard) -> str:
    """Why what came is no answer; empty when it is one."""
    if heard.is_stream:
        for chunk in heard.chunks:
            if chunk.get("error"):
                return f"an error inside the stream: {_message(json.dumps(chunk))}"
        return "" if any(chunk.get("choices") for chunk in heard.chunks) else _odd(heard)
    return "" if heard.reply.message else _odd(heard)


def _odd(heard: Heard) -> str:
    start = " ".join(heard.body[:60].decode("utf-8", "replace").split())
    return f"no completion, but {heard.content_type or 'nothing'}: {start}"


def _may_pass(heard: Heard) -> bool:
    if not heard.failure or heard.ask.is_wrong or heard.failure.startswith(TOO_LATE):
        return False
    return heard.status in _PASSING or heard.status in (0, 200)
