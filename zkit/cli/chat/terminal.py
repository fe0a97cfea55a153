"""The keyboard and the screen of a chat: lines are read, events of the loop are shown, output is made safe and logged."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol, TextIO

from rich.text import Text

from zkit.calls import Call
from zkit.chat import (
    CallRepaired,
    Compacted,
    Corrected,
    LoopEvent,
    ReasoningDelta,
    Retrying,
    RunFinished,
    RunResult,
    TextDelta,
    TextRevoked,
    ToolFinished,
    ToolStarted,
)
from zkit.cli.chat.recording import ChatLog
from zkit.cli.screen import Screen
from zkit.cli.streams import printable, printable_line
from zkit.effects import FileEffect, ProcessEffect
from zkit.receipt import Fix
from zkit.results import Result, Success
from zkit.transcripts import Shown, Transcript, Typed

_COLOURED = "\001\x1b[36;1m\002{}\001\x1b[0m\002"


class Keyboard(Protocol):
    """Where lines come from. Ctrl-C is `KeyboardInterrupt`."""

    def read(self, prompt: str) -> str | None:
        """Ask for a line."""


class Terminal:
    """A user at a terminal, or lines from a pipe, which are shown as if they were typed."""

    def __init__(self, log: ChatLog, *, colour: bool) -> None:
        self._log = log
        self._colour = colour
        self._is_terminal = sys.stdin.isatty() and sys.stdout.isatty()
        if self._is_terminal:
            with contextlib.suppress(ImportError):
                import readline  # noqa: F401 - editing of lines, and those before

    def read(self, prompt: str) -> str | None:
        """Ask for a line, and record what was typed."""
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
    """Return a text that can be sent: what was not UTF-8 is marked."""
    return text.encode("utf-8", "replace").decode("utf-8")


def echo(prompt: str, text: str | None, *, colour: bool = False) -> None:
    """Show a line that was not typed here."""
    shown = _COLOURED.replace("\001", "").replace("\002", "").format(prompt) if colour else prompt
    sys.stdout.write(f"{shown}{printable(text or '')}\n")
    sys.stdout.flush()


class Lines:
    """A fixed list of lines, then the end of the input."""

    def __init__(self, lines: Iterable[str], log: ChatLog) -> None:
        self._lines = iter(lines)
        self._log = log

    def read(self, prompt: str) -> str | None:
        """Return the next line."""
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
        """Return the next line, and show it as it was shown in the recording."""
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
    """True if a stream is a terminal that wants colour."""
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
    """Where a chat is shown: the answers on `answers`, everything else on `rest`."""

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
        """End the current line, if there is one."""
        if not self.is_fresh:
            self.answers.print()
            self.is_fresh = True


def _printable_part(part: str | tuple[str, str]) -> str | tuple[str, str]:
    if isinstance(part, str):
        return printable(part)
    text, style = part
    return printable(text), style


def make_output(log: ChatLog, *, colour: bool, once: bool) -> Output:
    """Return the output of a chat; with `once` only the answer goes to standard output."""
    out = _screen(sys.stdout, "out", log, colour and not once)
    return Output(out, _screen(sys.stderr, "err", log, colour) if once else out, log)


MARKS = {
    "utf-8": {"call": "●", "ok": "✓", "bad": "✗", "fix": "✎", "again": "↻", "end": "■", "to": "→", "dot": "·"},
    "ascii": {"call": "*", "ok": "+", "bad": "x", "fix": "~", "again": "@", "end": "#", "to": "->", "dot": "-"},
}  # fmt: skip
WHY_NOT: dict[str, str] = {
    "length": "the answer was cut by the token limit",
    "loop": "the same call was made again and again",
    "malformed": "the model found no call that can run",
    "empty": "the model sent nothing",
    "filtered": "the model or the server declined to answer",
    "stopped": "stopped",
    "error": "the server failed",
}
# The reason for the end of a run is shown in full, over several lines: the advice is at its end.
_LONGEST_REASON = 600
REVOKED = {"reasoning": "that was reasoning, not the answer", "connection": "the connection broke"}


def call_text(call: Call) -> str:
    """Return a call as people write it."""
    given = call.arguments
    if isinstance(given, dict):
        pairs = (
            f"{key}={json.dumps(value, ensure_ascii=False, default=str)}"
            for key, value in given.items()
        )
        return f"{call.name}({', '.join(pairs)})"
    return f"{call.name}({given or ''})"


@dataclass(slots=True)
class Renderer:
    """Shows the events of a loop. `shown` are the calls that are on the screen already, by id."""

    output: Output
    marks: dict[str, str]
    shown: set[str] = field(default_factory=set)
    several: bool = False

    def show(self, event: LoopEvent) -> None:
        """Show one event."""
        render = _RENDER.get(event.kind)
        if render is not None:
            render(self, event)

    def room(self, used: int) -> int:
        """Return how many characters are left on a line."""
        return max(20, self.output.columns - used - 1)

    def text(self, event: TextDelta) -> None:
        """Show more of the answer."""
        self.output.stream(printable(event.text))

    def reasoning(self, event: ReasoningDelta) -> None:
        """Show more of the reasoning."""
        self.output.stream(printable(event.text), "dim italic", answer=False)

    def revoked(self, event: TextRevoked) -> None:
        """Show that the text so far does not count."""
        why = REVOKED.get(event.reason, event.reason)
        self.output.line(
            ("  (", "dim"), (f"{why}; the text above does not count", "dim"), (")", "dim")
        )

    def started(self, event: ToolStarted) -> None:
        """Show that a call begins."""
        self.several = self.several or bool(self.shown)
        if event.call.id not in self.shown:
            self.shown.add(event.call.id)
            text = printable_line(call_text(event.call), self.room(2))
            self.output.line((f"{self.marks['call']} ", "cyan bold"), (text, "cyan"))

    def repaired(self, event: CallRepaired) -> None:
        """Show how a call was repaired."""
        rank = max(fix.rank for fix in event.call.fixes).name
        names = ", ".join(dict.fromkeys(fix.name for fix in event.call.fixes))
        text = printable_line(f"repaired {rank}: {names} (/why)", self.room(4))
        self.output.line((f"  {self.marks['fix']} ", "yellow"), (text, "yellow"))

    def finished(self, event: ToolFinished) -> None:
        """Show the result of a call."""
        result = event.result
        named = f"{event.call.name}: " if self.several else ""
        if isinstance(result, Success):
            mark, style, text = "ok", "green", f"{named}{event.text}"
        else:
            code = getattr(result, "code", "")
            mark, style, text = "bad", "red", f"{named}{result.kind} ({code}): {result}"
        self.output.line((f"  {self.marks[mark]} ", style), printable_line(text, self.room(4)))
        advice = getattr(result, "meta", {}).get("coach")
        if advice:
            advice_line = f"coach, attempt {advice['attempt']} ({advice['mode']}): {advice['text']}"
            self.output.line(
                (f"  {self.marks['fix']} ", "yellow"),
                (printable_line(advice_line, self.room(4)), "yellow"),
            )
        for effect in effects_of(result):
            self.output.line(
                ("    ", ""), (printable_line(self.effect_text(effect), self.room(4)), "magenta")
            )

    def effect_text(self, effect: FileEffect | ProcessEffect) -> str:
        """Return an effect as text."""
        if isinstance(effect, FileEffect):
            moved = f"{effect.from_path} {self.marks['to']} " if effect.from_path else ""
            size = "" if effect.bytes_after is None else f" ({effect.bytes_after} bytes)"
            return f"{effect.op} {moved}{effect.path}{size}"
        how = "in the background" if effect.background else f"exit {effect.exit_code}"
        return f"ran {effect.command} {self.marks['to']} {'timed out' if effect.timed_out else how}"

    def retrying(self, event: Retrying) -> None:
        """Show that the request is sent again."""
        text = printable_line(f"{event.reason}; again in {event.delay:g} s", self.room(4))
        self.output.line((f"  {self.marks['again']} {text}", "yellow"))

    def corrected(self, event: Corrected) -> None:
        """Show that the model is asked again."""
        text = printable_line(f"asked again ({event.reason}): {event.message}", self.room(4))
        self.output.line((f"  {self.marks['again']} {text}", "yellow"))

    def compacted(self, event: Compacted) -> None:
        """Show that the history was shortened."""
        self.output.line(
            (
                f"  {self.marks['again']} history shortened: {event.before} {self.marks['to']} {event.after} tokens",
                "yellow",
            )
        )

    def over(self, event: RunFinished) -> None:
        """Show the end of the run."""
        result: RunResult = event.result
        self.several = False
        self.shown.clear()
        if result.reason not in ("completed", "paused"):
            why = WHY_NOT.get(result.reason, f"the limit {result.reason} was reached")
            more = "" if result.error is None else f": {result.error}"
            self.output.line(
                (f"  {self.marks['end']} ", "red"),
                (printable_line(f"{why}{more}", _LONGEST_REASON), "red"),
            )
        if result.reason != "paused":
            dot = self.marks["dot"]
            used, calls = result.usage, len(result.calls)
            asked = f"{used.requests} request{'' if used.requests == 1 else 's'}"
            made = f" {dot} {calls} call{'' if calls == 1 else 's'}" if calls else ""
            self.output.line((f"  {asked}{made} {dot} {used.total_tokens} tokens", "dim"))


_RENDER: dict[str, Callable[[Renderer, Any], None]] = {
    "text_delta": Renderer.text,
    "reasoning_delta": Renderer.reasoning,
    "text_revoked": Renderer.revoked,
    "tool_started": Renderer.started,
    "call_repaired": Renderer.repaired,
    "tool_finished": Renderer.finished,
    "retrying": Renderer.retrying,
    "corrected": Renderer.corrected,
    "compacted": Renderer.compacted,
    "run_finished": Renderer.over,
}


def effects_of(result: Result) -> tuple[FileEffect | ProcessEffect, ...]:
    """Return the effects of a call as text."""
    found: tuple[FileEffect | ProcessEffect, ...] = getattr(result, "effects", ())
    return found


def fix_text(fix: Fix) -> str:
    """Return one line of a receipt."""
    place = fix.path or f"{fix.start}..{fix.end}"
    return f"{fix.rank.name:<8} {fix.name} at {place}: {printable(fix.note)}"
