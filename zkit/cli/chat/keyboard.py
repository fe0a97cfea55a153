"""A prompt in, the line that somebody typed out; None at the end of the input."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterable, Iterator
from typing import Protocol

from zkit.cli.chat.tapes import Tape
from zkit.transcripts import Transcript, Typed

_COLOURED = "\001\x1b[36;1m\002{}\001\x1b[0m\002"


class Keyboard(Protocol):
    """Where lines come from. Ctrl-C is `KeyboardInterrupt`."""

    def read(self, prompt: str) -> str | None:
        """Ask for a line."""


class Terminal:
    """A person at a terminal, or lines out of a pipe, which are shown as if they were typed."""

    def __init__(self, tape: Tape, *, colour: bool) -> None:
        self._tape = tape
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
            self._tape.note(Typed(None, interrupted=True))
            raise
        self._tape.note(Typed(text))
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
    sys.stdout.write(f"{shown}{text or ''}\n")
    sys.stdout.flush()


class Lines:
    """Lines that are known beforehand, and after them the end."""

    def __init__(self, lines: Iterable[str], tape: Tape) -> None:
        self._lines = iter(lines)
        self._tape = tape

    def read(self, prompt: str) -> str | None:
        """Give the next line."""
        text = next(self._lines, None)
        self._tape.note(Typed(text))
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
