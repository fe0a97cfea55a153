"""A prompt in, the line that somebody typed out; None at the end of the input."""

from __future__ import annotations

import contextlib
import signal
import sys
from collections.abc import Iterable, Iterator
from types import TracebackType
from typing import Any, Protocol

from zkit.cli.chat.transcript_recording import ChatLog
from zkit.cli.terminal import printable
from zkit.transcripts import Transcript, Typed


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

    def _take(self, number: int, frame: Any) -> None:
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
