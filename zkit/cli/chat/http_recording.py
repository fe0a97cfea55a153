"""An HTTP client whose traffic is taken down, and one that plays a transcript instead of a server.

Both are made for the `openai` client, of whatever HTTP library it is built on. Headers are never
taken down: they hold the key.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import Any

from zkit.cli.chat.keyboard import Interrupts
from zkit.cli.chat.transcript_recording import ChatLog
from zkit.errors import MissingExtraError
from zkit.transcripts import (
    Ended,
    Received,
    Redaction,
    Request,
    Response,
    Transcript,
)

_LAST = b"data: [DONE]\n\n"
"""How a stream ends."""


class TranscriptOver(BaseException):
    """A replay has come to the end of what was recorded."""


def http_library() -> Any:
    """The library that the `openai` client speaks HTTP with."""
    try:
        import openai
    except ImportError as error:
        raise MissingExtraError("openai", "zkit chat") from error
    base = openai.DefaultHttpxClient.__mro__[1]
    return sys.modules[base.__module__.partition(".")[0]]


def _body(request: Any) -> Any:
    data = request.read()
    try:
        return json.loads(data)
    except ValueError:
        return data.decode("utf-8", "replace")


def _as(theirs: Any, mine: type[Any]) -> Any:
    """A class of ours that is also one of the library's, which is known only now."""
    return type(mine.__name__, (mine, theirs), {})


def _named(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"


# ── taken down ───────────────────────────────────────────────────────────────


def recording_client(log: ChatLog, redaction: Redaction, interrupts: Interrupts) -> Any:
    """A client that talks to the server, and takes down each request and each byte of the answer."""
    library = http_library()
    transport = _as(library.BaseTransport, _RecordingTransport)(library, log, redaction, interrupts)
    # Compressed bytes could be neither read nor searched for secrets.
    return library.Client(
        transport=transport, headers={"Accept-Encoding": "identity"}, timeout=None
    )


class _RecordingTransport:
    def __init__(
        self, library: Any, log: ChatLog, redaction: Redaction, interrupts: Interrupts
    ) -> None:
        self._library, self._log, self._redaction = library, log, redaction
        self._interrupts = interrupts
        self._inner = library.HTTPTransport()
        self._number = 0

    def handle_request(self, request: Any) -> Any:
        self._number += 1
        number = self._number
        self._log.note(Request(number, _body(request)))
        try:
            response = self._inner.handle_request(request)
        except self._library.TransportError as error:
            self._log.note(Ended(number, _named(error)))
            raise
        kind = response.headers.get("content-type", "")
        wait = response.headers.get("retry-after", "")
        self._log.note(Response(number, response.status_code, kind, wait))
        made = _as(self._library.SyncByteStream, _RecordedStream)
        chunks = _redacted(response.stream, self._redaction)
        response.stream = made(number, response.stream, chunks, self._log, self._interrupts)
        return response

    def close(self) -> None:
        self._inner.close()


class _RecordedStream:
    """The bytes of an answer. From a byte to what is shown of it nobody interrupts."""

    def __init__(
        self, number: int, inner: Any, chunks: Iterator[bytes], log: ChatLog, interrupts: Interrupts
    ) -> None:
        self._number, self._inner, self._chunks = number, inner, chunks
        self._log, self._interrupts = log, interrupts
        self._holds = False
        self._tail = b""

    def __iter__(self) -> Iterator[bytes]:
        try:
            for chunk in self._chunks:
                self._interrupts.hold()
                self._holds = True
                self._log.note(Received.of(self._number, chunk))
                self._tail = (self._tail + chunk)[-len(_LAST) :]
                yield chunk
                self._let_go(quietly=False)
        except Exception as error:
            self._log.note(Ended(self._number, _named(error)))
            raise
        self._end()

    def _end(self) -> None:
        self._tail = b""
        self._log.note(Ended(self._number))

    def _let_go(self, *, quietly: bool) -> None:
        if self._holds:
            self._holds = False
            self._interrupts.release(quietly=quietly)

    def close(self) -> None:
        self._let_go(quietly=True)
        if self._tail.strip() == _LAST.strip():  # the client reads no further
            self._end()
        self._inner.close()


def _redacted(inner: Any, redaction: Redaction) -> Iterator[bytes]:
    """The bytes without secrets; what may be the beginning of one waits for what follows."""
    held = b""
    for chunk in inner:
        data = held + chunk
        cut = len(data) - redaction.held(data)
        ready, held = redaction.raw(data[:cut]), data[cut:]
        if ready:
            yield ready
    if held:
        yield held


# ── played again ─────────────────────────────────────────────────────────────


def replaying_client(log: ChatLog, transcript: Transcript) -> Any:
    """A client that answers each request with what the server sent then, byte for byte."""
    library = http_library()
    transport = _as(library.BaseTransport, _Player)(library, log, transcript)
    return library.Client(transport=transport, timeout=None)


class _Player:
    def __init__(self, library: Any, log: ChatLog, transcript: Transcript) -> None:
        self._library, self._log = library, log
        self._answers = iter(_answers(transcript))

    def handle_request(self, request: Any) -> Any:
        number, records = next(self._answers, (0, []))
        if not number:
            raise TranscriptOver
        self._log.note(Request(number, _body(request)))
        head, *rest = records or [None]
        if not isinstance(head, Response):
            is_broken = isinstance(head, Ended)
            raise _broken(self._library, head.error) if is_broken else _cut_off(records)
        headers = {"content-type": head.content_type, "retry-after": head.retry_after}
        sent = {name: value for name, value in headers.items() if value}
        stream = _as(self._library.SyncByteStream, _PlayedStream)(self._library, rest)
        return self._library.Response(head.status, headers=sent, stream=stream)

    def close(self) -> None:
        """There is nothing to close."""


class _PlayedStream:
    def __init__(self, library: Any, records: list[Any]) -> None:
        self._library, self._records = library, records

    def __iter__(self) -> Iterator[bytes]:
        for record in self._records:
            if isinstance(record, Received):
                yield record.data
            elif isinstance(record, Ended):
                if record.error:
                    raise _broken(self._library, record.error)
                return
        raise _cut_off(self._records)


def _broken(library: Any, said: str) -> BaseException:
    """The error that broke an answer off, as the library would raise it."""
    name, _, text = said.partition(": ")
    kind = getattr(library, name, None)
    is_known = isinstance(kind, type) and issubclass(kind, library.TransportError)
    made: BaseException = kind(text) if is_known and kind else library.ReadError(said)
    return made


def _cut_off(records: list[Any]) -> BaseException:
    """What ended an answer that has no end: the person, or the transcript."""
    is_stopped = bool(records) and records[-1].kind == "interrupted"
    return KeyboardInterrupt() if is_stopped else TranscriptOver()


def _answers(transcript: Transcript) -> list[tuple[int, list[Any]]]:
    """For each request what came back, to its end or to where somebody stopped it."""
    found: dict[int, list[Any]] = {}
    running = 0
    for _, record in transcript.lines:
        if isinstance(record, Request):
            running = record.number
            found[running] = []
        elif isinstance(record, Response | Received | Ended):
            found[record.number].append(record)
            running = 0 if isinstance(record, Ended) else running
        elif record.kind == "interrupted" and running:
            found[running].append(record)
            running = 0
    return list(found.items())
