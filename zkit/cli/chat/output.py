"""The output of a chat: everything is made safe for a terminal here, logged, then shown."""

from __future__ import annotations

import os
import shutil
import sys
from dataclasses import dataclass
from typing import Any, TextIO

from rich.text import Text

from zkit.cli.chat.transcript_recording import ChatLog
from zkit.cli.screen import Screen
from zkit.cli.terminal import printable
from zkit.transcripts import Shown


def screen_columns() -> int:
    """How wide the screen is now."""
    return shutil.get_terminal_size((100, 24)).columns


def has_colour(stream: TextIO) -> bool:
    """Whether a stream is a terminal that wants colour."""
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return stream.isatty() and not plain


class _LoggedStream:
    """A stream whose text is logged before it is written."""

    def __init__(self, stream: TextIO, name: str, log: ChatLog) -> None:
        self._stream, self._name, self._log = stream, name, log
        self.encoding = stream.encoding

    def write(self, text: str) -> int:
        if text:
            self._log.note(Shown(text, self._name))
        return self._stream.write(text)

    def flush(self) -> None:
        self._stream.flush()

    def isatty(self) -> bool:
        return self._stream.isatty()

    def fileno(self) -> int:
        return self._stream.fileno()


def _screen(stream: TextIO, name: str, log: ChatLog, colour: bool) -> Screen:
    taped: Any = _LoggedStream(stream, name, log)
    system: Any = "standard" if colour else None
    return Screen(
        file=taped, force_terminal=colour, color_system=system, no_color=not colour,
        highlight=False, markup=False, emoji=False, legacy_windows=False, width=10_000,
    )  # fmt: skip


@dataclass(slots=True)
class Output:
    """Where a chat is shown: the answers on `answers`, all else on `rest`."""

    answers: Screen
    rest: Screen
    log: ChatLog
    is_fresh: bool = True
    """Whether the next text begins a line."""

    @property
    def columns(self) -> int:
        """How wide the screen is."""
        return self.log.width(screen_columns())

    def stream(self, text: str, style: str = "", *, answer: bool = True) -> None:
        """Show a piece of running text."""
        if text:
            text = printable(text)
            screen = self.answers if answer else self.rest
            screen.print(Text(text, style), end="", soft_wrap=True)
            self.is_fresh = text.endswith("\n")

    def line(self, *parts: str | tuple[str, str]) -> None:
        """Show a line of its own, of plain and of styled parts; it may be wider than the screen."""
        self.end_line()
        safe = [_printable_part(part) for part in parts]
        self.rest.print(Text.assemble(*safe), soft_wrap=True)

    def end_line(self) -> None:
        """Begin a new line, if one is begun."""
        if not self.is_fresh:
            self.answers.print()
            self.is_fresh = True


def _printable_part(part: str | tuple[str, str]) -> str | tuple[str, str]:
    if isinstance(part, str):
        return printable(part)
    text, style = part
    return printable(text), style


def make_output(log: ChatLog, *, colour: bool, once: bool) -> Output:
    """The output of a chat; with `once` only the answer goes to standard output."""
    out = _screen(sys.stdout, "out", log, colour and not once)
    return Output(out, _screen(sys.stderr, "err", log, colour) if once else out, log)
