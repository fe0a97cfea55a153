"""Record a chat, and play a transcript instead of a server.

Typed lines, output and the HTTP traffic of the `openai` client are recorded, whichever HTTP library
the client is built on. Headers are never recorded: they contain the key.
"""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Iterator
from itertools import islice
from types import FrameType, TracebackType
from typing import Any, NamedTuple, Protocol

from zkit.errors import MissingExtraError
from zkit.transcripts import (
    Emitted,
    Ended,
    Line,
    Received,
    Record,
    Redaction,
    Request,
    Resized,
    Response,
    Shown,
    Tools,
    Transcript,
    TranscriptWriter,
)

OUTPUTS = (Request, Emitted, Shown, Tools)
"""The records of output; the others are input."""
_LONGEST = 300


class ChatLog(Protocol):
    """Records what happens, in order."""

    def note(self, record: Record) -> None:
        """Log one record, before it is shown."""

    def width(self, columns: int) -> int:
        """Return the width to render for, given the width of the screen."""


class NoLog:
    """Records nothing."""

    def note(self, record: Record) -> None:
        """Do nothing."""

    def width(self, columns: int) -> int:
        """Return the width of the screen."""
        return columns


class FileLog:
    """Writes everything into a file."""

    def __init__(self, writer: TranscriptWriter, columns: int) -> None:
        self._writer = writer
        self._columns = columns

    def note(self, record: Record) -> None:
        """Write one record."""
        self._writer.write(record)

    def width(self, columns: int) -> int:
        """Return the width of the screen; record a change."""
        if columns != self._columns:
            self._columns = columns
            self.note(Resized(columns))
        return columns


class Mismatch(NamedTuple):
    """A place where a replay differs from the transcript."""

    line: int
    recorded: str
    now: str


class Comparison:
    """Compares what happens with a transcript, record by record."""

    def __init__(self, transcript: Transcript) -> None:
        self._lines = iter(transcript.lines)
        self._next: Line | None = None
        self._columns = transcript.header.columns
        self._recorded, self._now = _Ids(), _Ids()
        self.mismatches: list[Mismatch] = []
        self._advance()

    def _advance(self) -> None:
        """Go to the next output; apply a change of the width before it."""
        self._next = None
        for line in self._lines:
            if isinstance(line.record, Resized):
                self._columns = line.record.columns
            if isinstance(line.record, OUTPUTS):
                self._next = line
                return

    def note(self, record: Record) -> None:
        """Compare one record with the next one of the transcript."""
        if not isinstance(record, OUTPUTS):
            return
        expected = self._next
        if expected is None:
            self.mismatches.append(Mismatch(0, "the end", _short(record.to_dict())))
            return
        was = self._recorded.replaced(expected.record.to_dict())
        now = self._now.replaced(json.loads(json.dumps(record.to_dict(), default=str)))
        if was != now:
            self.mismatches.append(Mismatch(expected.number, _short(was), _short(now)))
        self._advance()

    def width(self, columns: int) -> int:
        """Return the recorded width of the screen."""
        return self._columns

    def end(self) -> None:
        """Note that the chat is over: what is left of the transcript was not repeated."""
        for line in islice(self._rest(), 5):
            self.mismatches.append(Mismatch(line.number, _short(line.record.to_dict()), "the end"))

    def cut_off(self) -> None:
        """Note that the transcript was cut off: what follows its last line is not a mismatch."""
        self.mismatches = [one for one in self.mismatches if one.line]

    def _rest(self) -> Iterator[Line]:
        while self._next is not None:
            yield self._next
            self._advance()


def _short(data: object) -> str:
    text = json.dumps(data, ensure_ascii=False, default=str)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


_ID_KEYS = frozenset({"id", "tool_call_id"})
_OF_THE_MOMENT = frozenset(
    {"seconds", "created", "task", "key", "idempotency_key", "workspace", "times"}
)


class _Ids:
    """Replaces ids, which differ in each run, by the order in which they appear."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}

    def replaced(self, data: Any) -> Any:
        """Return the data with ids by number, and without times."""
        if isinstance(data, dict):
            return {
                key: self._value(key, value)
                for key, value in data.items()
                if key not in _OF_THE_MOMENT
            }
        if isinstance(data, list | tuple):
            return [self.replaced(one) for one in data]
        return data

    def _value(self, key: str, value: Any) -> Any:
        if key in _ID_KEYS and isinstance(value, str):
            return self._known.setdefault(value, f"#{len(self._known)}")
        return self.replaced(value)


_LAST = b"data: [DONE]\n\n"
"""How a stream ends."""


class TranscriptOver(BaseException):
    """A replay has reached the end of the recording."""


def http_library() -> Any:
    """Return the HTTP library of the `openai` client."""
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
    """Return a class that also inherits from a class of the library, which is known only at run time."""
    return type(mine.__name__, (mine, theirs), {})


def _named(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"


# ── recorded ───────────────────────────────────────────────────────────────


def recording_client(log: ChatLog, redaction: Redaction, interrupts: Interrupts) -> Any:
    """Return a client that records each request and each byte of the answer."""
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
    """The bytes of an answer. Ctrl-C is held back between a byte and its display."""

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
    """Return the bytes without secrets; what may be the beginning of one waits for what follows."""
    held = b""
    for chunk in inner:
        data = held + chunk
        cut = len(data) - redaction.held(data)
        ready, held = redaction.raw(data[:cut]), data[cut:]
        if ready:
            yield ready
    if held:
        yield held


# ── replayed ─────────────────────────────────────────────────────────────


def replaying_client(log: ChatLog, transcript: Transcript) -> Any:
    """Return a client that answers each request with the recorded bytes."""
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
        """Do nothing: there is nothing to close."""


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


def _broken(library: Any, message: str) -> BaseException:
    """Return the error that broke an answer off, as the library would raise it."""
    name, _, text = message.partition(": ")
    kind = getattr(library, name, None)
    is_known = isinstance(kind, type) and issubclass(kind, library.TransportError)
    made: BaseException = kind(text) if is_known and kind else library.ReadError(message)
    return made


def _cut_off(records: list[Any]) -> BaseException:
    """Return what ended an unfinished answer: the user, or the end of the transcript."""
    is_stopped = bool(records) and records[-1].kind == "interrupted"
    return KeyboardInterrupt() if is_stopped else TranscriptOver()


def _answers(transcript: Transcript) -> list[tuple[int, list[Any]]]:
    """Return the answer to each request, up to its end or to where it was stopped."""
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


class Interrupts:
    """While it is entered, Ctrl-C raises at once, or when the last `hold` is released."""

    def __init__(self) -> None:
        self._holds = 0
        self._is_pending = False
        self._before: Any = None

    def __enter__(self) -> Interrupts:
        self._holds, self._is_pending = 0, False
        self._before = signal.signal(signal.SIGINT, self._take)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, e: BaseException | None, t: TracebackType | None
    ) -> None:
        signal.signal(signal.SIGINT, self._before)

    def _take(self, number: int, frame: FrameType | None) -> None:
        if self._holds:
            self._is_pending = True
        else:
            raise KeyboardInterrupt

    def hold(self) -> None:
        """Keep an interrupt until the release."""
        self._holds += 1

    def release(self, *, quietly: bool = False) -> None:
        """End a hold; what was kept is raised now, or quietly kept for the next release."""
        self._holds -= 1
        if self._is_pending and not self._holds and not quietly:
            self._is_pending = False
            raise KeyboardInterrupt
