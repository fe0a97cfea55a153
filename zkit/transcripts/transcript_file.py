"""Records in, lines of a file out, each whole and on disk before anything of it is shown."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from zkit.errors import TranscriptError
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
    Tools,
)
from zkit.transcripts.redaction import Redaction


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

    def events(self) -> Iterator[Mapping[str, Any]]:
        """The events of the loop, as plain data."""
        return (line.record.event for line in self.lines if isinstance(line.record, Told))

    def exchanges(self) -> list[Exchange]:
        """The requests in order, each with its answer."""
        found: dict[int, Exchange] = {}
        for number, record in self.lines:
            if isinstance(record, Request):
                found[record.number] = Exchange(number, record.body, 0, "", b"", False)
                continue
            known = found.get(getattr(record, "number", 0))
            if known is None:
                continue
            if isinstance(record, Response):
                known = known._replace(status=record.status, content_type=record.content_type)
            elif isinstance(record, Received):
                known = known._replace(body=known.body + record.data)
            elif isinstance(record, Ended):
                known = known._replace(complete=not record.error)
            found[record.number] = known  # type: ignore[attr-defined]
        return list(found.values())


def read_transcript(path: str | Path) -> Transcript:
    """Read a transcript; a last line that is torn is left out, for the process may have been killed."""
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise TranscriptError(f"{path}: {error.strerror}") from error
    *whole, rest = data.split(b"\n")
    lines = [Line(number, _record(path, number, line)) for number, line in enumerate(whole, 1)]
    if not lines or not isinstance(lines[0].record, Header):
        raise TranscriptError(f"{path}: no transcript: it does not begin with a header")
    return Transcript(lines[0].record, tuple(lines[1:]), bool(rest))


def _record(path: str | Path, number: int, line: bytes) -> Record:
    try:
        data = json.loads(line)
        if not isinstance(data, dict) or data.get("kind") not in KINDS:
            raise TranscriptError(f"{path}:{number}: no line of a transcript of zkit chat --record")
        kind = KINDS[data.pop("kind")]
        if kind is Header and data.get("version", 0) > VERSION:
            raise TranscriptError(
                f"{path}: written in version {data['version']} of the format; this zkit reads"
                f" up to {VERSION}"
            )
        if kind is Tools:
            data["tools"] = tuple(data["tools"])
        return kind(**data)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        if isinstance(error, TranscriptError):
            raise
        said = f"it is no JSON: {error}" if isinstance(error, ValueError) else str(error)
        raise TranscriptError(f"{path}:{number}: no line of a transcript: {said}") from error


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
