"""Read and write transcripts: JSON Lines, one record a line."""

from __future__ import annotations

import json
import os
import stat
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import TypeAdapter
from pydantic_core import from_json

from zkit.errors import TranscriptError
from zkit.json_types import JsonMapping
from zkit.transcripts.records import (
    KINDS,
    VERSION,
    Ended,
    Header,
    Received,
    Record,
    Request,
    Response,
    Told,
)
from zkit.transcripts.redaction import Redaction

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
        """The lines of some kinds, in order."""
        return (line for line in self.lines if isinstance(line.record, kinds))

    def events(self) -> Iterator[JsonMapping]:
        """The events of the loop, as plain data."""
        return (line.record.event for line in self.lines if isinstance(line.record, Told))

    def exchanges(self) -> list[Exchange]:
        """The requests in order, each with its answer."""
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
    """Read a transcript; a last line that is torn is left out, for the process may have been killed.

    Raises `TranscriptError` for everything else: no file, another kind of file, one that is too
    large, a line that is damaged, nested too deeply or says what no record says.
    """
    *whole, rest = _contents(path).split(b"\n")
    lines = [Line(number, _record(path, number, line)) for number, line in enumerate(whole, 1)]
    if not lines or not isinstance(lines[0].record, Header):
        raise TranscriptError(f"{path}: not a transcript: it does not begin with a header")
    return Transcript(lines[0].record, tuple(lines[1:]), bool(rest))


def _contents(path: str | Path) -> bytes:
    """The bytes of a plain file. A pipe would block for ever, and a device never end."""
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        with open(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise TranscriptError(f"{path}: not a plain file")
            data = file.read(MOST_BYTES + 1)
    except (OSError, ValueError) as error:
        if isinstance(error, TranscriptError):
            raise
        said = getattr(error, "strerror", None) or str(error)
        raise TranscriptError(f"{path}: {said}") from error
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
        said = " ".join(str(error).split())[:200]
        raise TranscriptError(f"{place}: not a line of a transcript: {said}") from error
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
            # Only for its owner: a conversation is nobody else's business.
            self._file = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError as error:
            raise TranscriptError(
                f"{path}: is there already; a transcript is a new file"
            ) from error
        except OSError as error:
            raise TranscriptError(f"{path}: {error.strerror}") from error
        self.write(header)

    def write(self, record: Record) -> None:
        """Write one record; when this returns, it outlives the process."""
        made = self._redaction.data(record.to_dict())
        line = json.dumps(made, ensure_ascii=True, default=str) + "\n"
        left = line.encode("ascii")
        with self._lock:
            while left:
                left = left[os.write(self._file, left) :]

    def close(self) -> None:
        """Close the file."""
        os.close(self._file)
