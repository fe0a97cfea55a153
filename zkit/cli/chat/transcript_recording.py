"""What happens in a chat in; a transcript of it out, or how it deviates from one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from typing import Any, NamedTuple, Protocol

from zkit.transcripts import (
    Line,
    Record,
    Request,
    Resized,
    Shown,
    Told,
    Tools,
    Transcript,
    TranscriptWriter,
)

OUTPUTS = (Request, Told, Shown, Tools)
"""What a chat makes of its inputs; the other records are inputs."""
_LONGEST = 300


class ChatLog(Protocol):
    """Takes down what happens, in order."""

    def note(self, record: Record) -> None:
        """Take down one record, before anybody sees anything of it."""

    def width(self, columns: int) -> int:
        """The width to render for, when the screen has so many columns."""


class NoLog:
    """Takes nothing down."""

    def note(self, record: Record) -> None:
        """Forget it."""

    def width(self, columns: int) -> int:
        """That of the screen."""
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
        """That of the screen; another one than before is noted."""
        if columns != self._columns:
            self._columns = columns
            self.note(Resized(columns))
        return columns


class Deviation(NamedTuple):
    """Where a replay does something else than the transcript says."""

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
        self.deviations: list[Deviation] = []
        self._advance()

    def _advance(self) -> None:
        """Go to the next output; a change of the width on the way is from then on."""
        self._next = None
        for line in self._lines:
            if isinstance(line.record, Resized):
                self._columns = line.record.columns
            if isinstance(line.record, OUTPUTS):
                self._next = line
                return

    def note(self, record: Record) -> None:
        """Compare one record with the one that the transcript has in its place."""
        if not isinstance(record, OUTPUTS):
            return
        expected = self._next
        if expected is None:
            self.deviations.append(Deviation(0, "the end", _short(record.to_dict())))
            return
        was = self._recorded.replaced(expected.record.to_dict())
        now = self._now.replaced(json.loads(json.dumps(record.to_dict(), default=str)))
        if was != now:
            self.deviations.append(Deviation(expected.number, _short(was), _short(now)))
        self._advance()

    def width(self, columns: int) -> int:
        """The width that the screen had then."""
        return self._columns

    def end(self) -> None:
        """The chat is over; what the transcript still holds was not done."""
        for line in islice(self._rest(), 5):
            self.deviations.append(Deviation(line.number, _short(line.record.to_dict()), "the end"))

    def cut_off(self) -> None:
        """The transcript was cut off; what came after its last line is no deviation."""
        self.deviations = [one for one in self.deviations if one.line]

    def _rest(self) -> Iterator[Line]:
        while self._next is not None:
            yield self._next
            self._advance()


def _short(data: Any) -> str:
    text = json.dumps(data, ensure_ascii=False, default=str)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


_ID_KEYS = frozenset({"id", "tool_call_id"})
_OF_THE_MOMENT = frozenset(
    {"seconds", "created", "task", "key", "idempotency_key", "workspace", "times"}
)


class _Ids:
    """Replaces ids, which are made up anew in each run, by the order in which they appear."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}

    def replaced(self, data: Any) -> Any:
        """The data with ids by number, and without what is only of the moment."""
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
