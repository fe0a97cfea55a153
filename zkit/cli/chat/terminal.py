"""The keyboard and the screen of a chat: typed lines are read, output is made safe, logged and shown."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol, TextIO

from rich.text import Text

from zkit.cli.chat.recording import ChatLog
from zkit.cli.screen import Screen
from zkit.cli.streams import printable
from zkit.transcripts import Shown, Transcript, Typed

_COLOURED = "\001\x1b[36;1m\002{}\001\x1b[0m\002"


class Keyboard(Protocol):
    """Where lines come from. Ctrl-C is `KeyboardInterrupt`."""

    def read(self, prompt: str) -> str | None:
        """Ask for a line."""


class Terminal:
    """A person at a terminal, or lines out of a pipe, which are shown as if they were typed."""

    def __init__(self, log: ChatLog, *, colour: bool) -> None:
        self._log = log
        self._colour = colour
        self._is_terminal = sys.stdin.isatty() and sys.stdout.isatty()
        if self._is_terminal:
            with contextlib.suppress(ImportError):
                import readline  # noqa: F401 - editing of lines, and those before

    def read(self, prompt: str) -> str | None:
        """Ask for a line, and take down what was typed."""
        try:
            text = self._line(prompt)
        except KeyboardInterrupt:
            self._log.note(Typed(None, interrupted=True))
            raise
        self._log.note(Typed(text))
        return text

    def _line(self, prompt: str) -> str | None:
        if self._is_terminal:
            try:
                return _whole(input(_COLOURED.format(prompt) if self._colour else prompt))
            except EOFError:
                print()
                return None
        line = sys.stdin.readline()
        text = _whole(line.rstrip("\r\n")) if line else None
        echo(prompt, text)
        return text


def _whole(text: str) -> str:
    """A text that can be sent: what was no UTF-8 is marked."""
    return text.encode("utf-8", "replace").decode("utf-8")


def echo(prompt: str, text: str | None, *, colour: bool = False) -> None:
    """Show a line that nobody typed here."""
    shown = _COLOURED.replace("\001", "").replace("\002", "").format(prompt) if colour else prompt
    sys.stdout.write(f"{shown}{printable(text or '')}\n")
    sys.stdout.flush()


class Lines:
    """Lines that are known beforehand, and after them the end."""

    def __init__(self, lines: Iterable[str], log: ChatLog) -> None:
        self._lines = iter(lines)
        self._log = log

    def read(self, prompt: str) -> str | None:
        """Give the next line."""
        text = next(self._lines, None)
        self._log.note(Typed(text))
        return text


class Replayed:
    """What was typed when a transcript was recorded."""

    def __init__(self, transcript: Transcript, *, colour: bool, quiet: bool) -> None:
        self._typed: Iterator[Typed] = (
            line.record for line in transcript.lines if isinstance(line.record, Typed)
        )
        self._colour = colour
        self._quiet = quiet

    def read(self, prompt: str) -> str | None:
        """Give the next line, and show it as it was shown then."""
        typed = next(self._typed, Typed(None))
        if not self._quiet:
            echo(prompt, typed.text, colour=self._colour)
        if typed.interrupted:
            raise KeyboardInterrupt
        return typed.text


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
