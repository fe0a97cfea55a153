"""Show the events of a loop as lines of a chat."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

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
from zkit.cli.chat.terminal import Output
from zkit.cli.streams import printable, printable_line
from zkit.effects import FileEffect, ProcessEffect
from zkit.receipt import Fix
from zkit.results import Result, Success

MARKS = {
    "utf-8": {"call": "●", "ok": "✓", "bad": "✗", "fix": "✎", "again": "↻", "end": "■", "to": "→", "dot": "·"},
    "ascii": {"call": "*", "ok": "+", "bad": "x", "fix": "~", "again": "@", "end": "#", "to": "->", "dot": "-"},
}  # fmt: skip
WHY_NOT: dict[str, str] = {
    "length": "the answer was cut by the token limit",
    "loop": "the same call was made again and again",
    "malformed": "the model found no call that can run",
    "empty": "the model said nothing",
    "filtered": "the model or the server declined to answer",
    "stopped": "stopped",
    "error": "the server failed",
}
REVOKED = {"reasoning": "that was reasoning, not the answer", "connection": "the connection broke"}


def call_text(call: Call) -> str:
    """A call as people write it."""
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
    """Shows what a loop tells. `shown` are the calls that are on the screen already, by id."""

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
        """How many characters are left on a line."""
        return max(20, self.output.columns - used - 1)

    def text(self, event: TextDelta) -> None:
        """More of the answer."""
        self.output.stream(printable(event.text))

    def reasoning(self, event: ReasoningDelta) -> None:
        """More of the reasoning, set apart."""
        self.output.stream(printable(event.text), "dim italic", answer=False)

    def revoked(self, event: TextRevoked) -> None:
        """The text so far does not count."""
        why = REVOKED.get(event.reason, event.reason)
        self.output.line(
            ("  (", "dim"), (f"{why}; the text above does not count", "dim"), (")", "dim")
        )

    def started(self, event: ToolStarted) -> None:
        """A call begins."""
        self.several = self.several or bool(self.shown)
        if event.call.id not in self.shown:
            self.shown.add(event.call.id)
            text = printable_line(call_text(event.call), self.room(2))
            self.output.line((f"{self.marks['call']} ", "cyan bold"), (text, "cyan"))

    def repaired(self, event: CallRepaired) -> None:
        """A call was changed to be read."""
        rank = max(fix.rank for fix in event.call.fixes).name
        names = ", ".join(dict.fromkeys(fix.name for fix in event.call.fixes))
        text = printable_line(f"repaired {rank}: {names} (/why)", self.room(4))
        self.output.line((f"  {self.marks['fix']} ", "yellow"), (text, "yellow"))

    def finished(self, event: ToolFinished) -> None:
        """A call has its result."""
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
            said = f"coach, attempt {advice['attempt']} ({advice['mode']}): {advice['text']}"
            self.output.line(
                (f"  {self.marks['fix']} ", "yellow"),
                (printable_line(said, self.room(4)), "yellow"),
            )
        for effect in effects_of(result):
            self.output.line(
                ("    ", ""), (printable_line(self.effect_text(effect), self.room(4)), "magenta")
            )

    def effect_text(self, effect: FileEffect | ProcessEffect) -> str:
        """What was done to the world."""
        if isinstance(effect, FileEffect):
            moved = f"{effect.from_path} {self.marks['to']} " if effect.from_path else ""
            size = "" if effect.bytes_after is None else f" ({effect.bytes_after} bytes)"
            return f"{effect.op} {moved}{effect.path}{size}"
        how = "in the background" if effect.background else f"exit {effect.exit_code}"
        return f"ran {effect.command} {self.marks['to']} {'timed out' if effect.timed_out else how}"

    def retrying(self, event: Retrying) -> None:
        """The server is asked again."""
        text = printable_line(f"{event.reason}; again in {event.delay:g} s", self.room(4))
        self.output.line((f"  {self.marks['again']} {text}", "yellow"))

    def corrected(self, event: Corrected) -> None:
        """The model is asked again."""
        text = printable_line(f"asked again ({event.reason}): {event.message}", self.room(4))
        self.output.line((f"  {self.marks['again']} {text}", "yellow"))

    def compacted(self, event: Compacted) -> None:
        """The history was shortened."""
        self.output.line(
            (
                f"  {self.marks['again']} history shortened: {event.before} {self.marks['to']} {event.after} tokens",
                "yellow",
            )
        )

    def over(self, event: RunFinished) -> None:
        """The run is over."""
        result: RunResult = event.result
        self.several = False
        self.shown.clear()
        if result.reason not in ("completed", "paused"):
            why = WHY_NOT.get(result.reason, f"the limit {result.reason} was reached")
            more = "" if result.error is None else f": {result.error}"
            self.output.line(
                (f"  {self.marks['end']} ", "red"),
                (printable_line(f"{why}{more}", self.room(4)), "red"),
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
    """What a call did to the world."""
    found: tuple[FileEffect | ProcessEffect, ...] = getattr(result, "effects", ())
    return found


def fix_text(fix: Fix) -> str:
    """One line of a receipt."""
    place = fix.path or f"{fix.start}..{fix.end}"
    return f"{fix.rank.name:<8} {fix.name} at {place}: {printable(fix.note)}"
