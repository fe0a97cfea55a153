"""Transcripts: their records, the file they are written to and read from, and secrets left out."""

from __future__ import annotations

import base64
import json
import os
import stat
import threading
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, fields
from functools import cache
from pathlib import Path
from typing import Annotated, Any, ClassVar, NamedTuple

from pydantic import ConfigDict, Field, TypeAdapter
from pydantic_core import from_json

from zkit.errors import TranscriptError
from zkit.json_types import JsonMapping, JsonObject

VERSION = 1
Columns = Annotated[int, Field(ge=1, le=10_000)]
"""The largest width of a screen."""


class Record:
    """The family of records. An unknown field, or one of another type, is refused on reading."""

    kind: ClassVar[str]
    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    def to_dict(self) -> JsonObject:
        """Return the record as plain data, ready for `json.dumps`."""
        own = {entry.name: getattr(self, entry.name) for entry in fields(self)}  # type: ignore[arg-type]
        return {"kind": self.kind, **own}


@dataclass(frozen=True, slots=True)
class Header(Record):
    """Who talked to what, and on what screen: `columns` wide, with `colour` or without."""

    kind: ClassVar[str] = "header"
    model: str
    base_url: str = ""
    kit: str = ""
    system: str = ""
    once: str | None = None
    columns: Columns = 80
    colour: bool = False
    options: JsonMapping = field(default_factory=dict)
    zkit: str = ""
    version: int = VERSION


@dataclass(frozen=True, slots=True)
class Tools(Record):
    """The tools that can be called from here on, as `ToolSpec.to_dict` writes them.

    `workflows` are those of the kit, which the prompt contains.
    """

    kind: ClassVar[str] = "tools"
    tools: tuple[JsonMapping, ...]
    workflows: tuple[JsonMapping, ...] = ()


@dataclass(frozen=True, slots=True)
class Typed(Record):
    """A line that the person typed; None where the person ended the input or pressed Ctrl-C."""

    kind: ClassVar[str] = "typed"
    text: str | None
    interrupted: bool = False


@dataclass(frozen=True, slots=True)
class Request(Record):
    """A request to the model, as it went over the wire. Headers are never recorded."""

    kind: ClassVar[str] = "request"
    number: int
    body: Any


@dataclass(frozen=True, slots=True)
class Response(Record):
    """The beginning of the answer to a request."""

    kind: ClassVar[str] = "response"
    number: int
    status: int
    content_type: str = ""
    retry_after: str = ""


@dataclass(frozen=True, slots=True)
class Received(Record):
    """Bytes of an answer, exactly as they came; in base64 where they are not UTF-8."""

    kind: ClassVar[str] = "bytes"
    number: int
    text: str | None = None
    base64: str | None = None

    @classmethod
    def of(cls, number: int, data: bytes) -> Received:
        """Return the record of some bytes."""
        try:
            return cls(number, data.decode("utf-8"))
        except UnicodeDecodeError:
            return cls(number, None, base64.b64encode(data).decode("ascii"))

    @property
    def data(self) -> bytes:
        """The bytes."""
        if self.text is not None:
            return self.text.encode("utf-8")
        return base64.b64decode(self.base64 or "")


@dataclass(frozen=True, slots=True)
class Ended(Record):
    """The end of an answer: whole, or with the error that broke it off."""

    kind: ClassVar[str] = "end"
    number: int
    error: str = ""


@dataclass(frozen=True, slots=True)
class Emitted(Record):
    """An event of the loop, as its `to_dict` writes it."""

    kind: ClassVar[str] = "event"
    event: JsonMapping


@dataclass(frozen=True, slots=True)
class Shown(Record):
    """What was written to the screen; `stream` is `out` or `err`."""

    kind: ClassVar[str] = "shown"
    text: str
    stream: str = "out"


@dataclass(frozen=True, slots=True)
class Interrupted(Record):
    """The person stopped the turn that was running."""

    kind: ClassVar[str] = "interrupted"


@dataclass(frozen=True, slots=True)
class Resized(Record):
    """The screen has another width."""

    kind: ClassVar[str] = "resized"
    columns: Columns


KINDS: dict[str, type[Record]] = {
    kind.kind: kind
    for kind in (
        Header, Tools, Typed, Request, Response, Received, Ended, Emitted, Shown, Interrupted, Resized
    )
}  # fmt: skip


HIDDEN = "[secret]"
_SHORTEST_SECRET = 6


class Redaction:
    """Replaces secrets by a mark, in texts, in bytes and in data of any depth."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        found = {secret for secret in secrets if len(secret) >= _SHORTEST_SECRET}
        self.secrets = tuple(sorted(found, key=len, reverse=True))

    def text(self, text: str) -> str:
        """Return the text without secrets."""
        for secret in self.secrets:
            text = text.replace(secret, HIDDEN)
        return text

    def data(self, value: Any) -> Any:
        """Return JSON data without secrets, keys included."""
        if not self.secrets:
            return value
        # By way of its JSON, in which a secret is written as by `json.dumps`: no recursion.
        text = json.dumps(value, ensure_ascii=False, default=str)
        for secret in self.secrets:
            text = text.replace(json.dumps(secret, ensure_ascii=False)[1:-1], HIDDEN)
        return json.loads(text)

    def held(self, data: bytes) -> int:
        """Return how many bytes at the end may be the beginning of a secret."""
        longest = 0
        for secret in (one.encode() for one in self.secrets):
            for size in range(min(len(secret) - 1, len(data)), longest, -1):
                if data.endswith(secret[:size]):
                    longest = size
                    break
        return longest

    def raw(self, data: bytes) -> bytes:
        """Return the bytes without secrets."""
        for secret in self.secrets:
            data = data.replace(secret.encode(), HIDDEN.encode())
        return data


MOST_BYTES = 500_000_000
"""The largest transcript that is read; a day of chat has a few million."""


class Line(NamedTuple):
    """A record and the number of its line."""

    number: int
    record: Record


class Exchange(NamedTuple):
    """A request and all that came back. `complete` is false when the answer broke off."""

    line: int
    request: Any
    status: int
    content_type: str
    body: bytes
    complete: bool


@dataclass(frozen=True, slots=True)
class Transcript:
    """A recorded chat. `torn` says that its last line was not written to its end."""

    header: Header
    lines: tuple[Line, ...]
    torn: bool = False

    def of(self, *kinds: type[Record]) -> Iterator[Line]:
        """Return the lines of some kinds, in order."""
        return (line for line in self.lines if isinstance(line.record, kinds))

    def events(self) -> Iterator[JsonMapping]:
        """Return the events of the loop, as plain data."""
        return (line.record.event for line in self.lines if isinstance(line.record, Emitted))

    def exchanges(self) -> list[Exchange]:
        """Return the requests in order, each with its answer."""
        found: dict[int, Exchange] = {}
        bodies: dict[int, list[bytes]] = {}
        for number, record in self.lines:
            if isinstance(record, Request):
                found[record.number] = Exchange(number, record.body, 0, "", b"", False)
                bodies[record.number] = []
            elif isinstance(record, Response | Received | Ended) and record.number in found:
                known = found[record.number]
                if isinstance(record, Response):
                    known = known._replace(status=record.status, content_type=record.content_type)
                elif isinstance(record, Received):
                    bodies[record.number].append(record.data)
                else:
                    known = known._replace(complete=not record.error)
                found[record.number] = known
        return [one._replace(body=b"".join(bodies[number])) for number, one in found.items()]


def read_transcript(path: str | Path) -> Transcript:
    """Read a transcript; an unfinished last line is left out, because the process may have been killed.

    Raises `TranscriptError` for everything else: no file, another kind of file, one that is too
    large, or a line that is damaged, nested too deep or not a record.
    """
    *whole, rest = _contents(path).split(b"\n")
    lines = [Line(number, _record(path, number, line)) for number, line in enumerate(whole, 1)]
    if not lines or not isinstance(lines[0].record, Header):
        raise TranscriptError(f"{path}: not a transcript: it does not begin with a header")
    return Transcript(lines[0].record, tuple(lines[1:]), bool(rest))


def _contents(path: str | Path) -> bytes:
    """Return the bytes of a plain file. A pipe could block for ever, and a device never ends."""
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        with open(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise TranscriptError(f"{path}: not a plain file")
            data = file.read(MOST_BYTES + 1)
    except (OSError, ValueError) as error:
        if isinstance(error, TranscriptError):
            raise
        reason = getattr(error, "strerror", None) or str(error)
        raise TranscriptError(f"{path}: {reason}") from error
    if len(data) > MOST_BYTES:
        raise TranscriptError(f"{path}: larger than {MOST_BYTES} bytes")
    return data


def _record(path: str | Path, number: int, line: bytes) -> Record:
    place = f"{path}:{number}"
    try:
        data = from_json(line)
        if not isinstance(data, dict) or data.get("kind") not in KINDS:
            raise TranscriptError(f"{place}: not a line of a transcript of zkit chat --record")
        kind = KINDS[data.pop("kind")]
        version = data.get("version", 0)
        if kind is Header and isinstance(version, int) and version > VERSION:
            raise TranscriptError(
                f"{path}: written in version {version} of the format; this zkit reads up to"
                f" {VERSION}"
            )
        record: Record = _reader(kind.kind).validate_python(data)
        if isinstance(record, Received):
            _ = record.data  # raises for what is not base64
    except (ValueError, TypeError, RecursionError) as error:
        if isinstance(error, TranscriptError):
            raise
        reason = " ".join(str(error).split())[:200]
        raise TranscriptError(f"{place}: not a line of a transcript: {reason}") from error
    return record


@cache
def _reader(kind: str) -> TypeAdapter[Record]:
    return TypeAdapter(KINDS[kind])


class TranscriptWriter:
    """Writes a transcript, each record as one line, for any thread. The file must be a new one."""

    def __init__(
        self, path: str | Path, header: Header, redaction: Redaction | None = None
    ) -> None:
        self.path = Path(path)
        self._redaction = redaction or Redaction()
        self._lock = threading.Lock()
        try:
            # Only for its owner: a conversation is private.
            self._file = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError as error:
            raise TranscriptError(
                f"{path}: is there already; a transcript is a new file"
            ) from error
        except OSError as error:
            raise TranscriptError(f"{path}: {error.strerror}") from error
        self.write(header)

    def write(self, record: Record) -> None:
        """Write one record; after this it survives the end of the process."""
        made = self._redaction.data(record.to_dict())
        line = json.dumps(made, ensure_ascii=True, default=str) + "\n"
        left = line.encode("ascii")
        with self._lock:
            while left:
                left = left[os.write(self._file, left) :]

    def close(self) -> None:
        """Close the file."""
        os.close(self._file)
