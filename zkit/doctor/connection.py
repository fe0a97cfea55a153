"""A connection to one model on one server that keeps every byte of the answers."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from zkit.chat import ServerSettings
from zkit.chat.client_errors import trouble_of
from zkit.doctor.observed import TIMED_OUT, Observed, Piece
from zkit.doctor.questions import Question
from zkit.json_types import JsonObject

LONGEST_WAIT = 10.0
_PASSING = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})


class Connection:
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

    def ask(self, question: Question, settings: ServerSettings) -> Observed:
        """Send a question, and once more if the answer failed in a way that may pass."""
        observed = self._ask(question, settings)
        if not _may_pass(observed):
            return observed
        time.sleep(min(observed.retry_after, LONGEST_WAIT))
        again = self._ask(question, settings)
        if again.failure:
            return again
        return replace(again, incidents=(observed.failure,))

    def _ask(self, question: Question, settings: ServerSettings) -> Observed:
        request = question.request(self.model, settings)
        while True:
            observed = self.send(question, self._as_known(request))
            refused = {
                name
                for name in _RENAMED
                if name in observed.request and _is_refused(name, observed)
            }
            if not refused:
                return observed
            self._left_out |= refused

    def _as_known(self, request: JsonObject) -> JsonObject:
        """The request with what this server calls otherwise, or does not take."""
        made = {key: value for key, value in request.items() if key not in self._left_out}
        renamed = {_RENAMED[key]: request[key] for key in self._left_out & set(request)}
        return made | {key: value for key, value in renamed.items() if key}

    def send(self, question: Question, request: JsonObject) -> Observed:
        """Send one request exactly as it is, and return what came back."""
        self.sent += 1
        began = time.monotonic()
        pieces: list[Piece] = []
        seen: JsonObject = {}
        try:
            self._receive(request, began, pieces, seen)
        except Exception as error:  # whatever the client, the wire or the server makes of it
            seen |= _failed(error, pieces)
        seconds = time.monotonic() - began
        observed = Observed(question, request, pieces=tuple(pieces), seconds=seconds, **seen)
        return observed if observed.failure else replace(observed, failure=_no_answer(observed))

    def _receive(
        self, request: JsonObject, began: float, pieces: list[Piece], seen: JsonObject
    ) -> None:
        create = self._client.chat.completions.with_streaming_response.create
        with create(**request, timeout=self._seconds) as response:
            seen["status"] = response.status_code
            seen["content_type"] = response.headers.get("content-type", "")
            for data in response.iter_bytes():
                at = time.monotonic() - began
                pieces.append(Piece(at, data))
                if at > self._seconds:
                    raise TimeoutError(f"no end of the answer after {self._seconds:g} s")


_RENAMED: Mapping[str, str] = {"temperature": "", "max_tokens": "max_completion_tokens"}
"""Options that some servers refuse, and the names that those servers use instead."""


def _is_refused(option: str, observed: Observed) -> bool:
    return (
        observed.status in (400, 422)
        and option in observed.failure
        and not observed.question.is_wrong
    )


def _failed(error: Exception, pieces: list[Piece]) -> JsonObject:
    """What is known of a request that failed; the body of an error is what came over the wire."""
    if type(error).__name__ in ("APITimeoutError", "TimeoutError"):
        return {"failure": f"{TIMED_OUT}: {error}"}
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
    """Return the message in the body of an error."""
    try:
        data = json.loads(text)
    except ValueError:
        data = None
    found = data.get("error", data) if isinstance(data, dict) else text
    found = found.get("message", found) if isinstance(found, dict) else found
    shown = " ".join(str(found).split())
    return shown if len(shown) <= 200 else f"{shown[:199]}…"


def _no_answer(observed: Observed) -> str:
    """Return why the body is not an answer; empty if it is one."""
    if observed.is_stream:
        for chunk in observed.chunks:
            if chunk.get("error"):
                return f"an error inside the stream: {_message(json.dumps(chunk))}"
        return "" if any(chunk.get("choices") for chunk in observed.chunks) else _odd(observed)
    return "" if observed.reply.message else _odd(observed)


def _odd(observed: Observed) -> str:
    start = " ".join(observed.body[:60].decode("utf-8", "replace").split())
    return f"no completion, but {observed.content_type or 'nothing'}: {start}"


def _may_pass(observed: Observed) -> bool:
    if not observed.failure or observed.question.is_wrong or observed.is_timeout:
        return False
    return observed.status in _PASSING or observed.status in (0, 200)
