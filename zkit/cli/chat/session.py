"""A chat on the terminal: questions, approvals, and the commands that begin with a slash."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from zkit.calls import Call
from zkit.chat import ChatLoop, LoopEvent, PausedRun, PauseStore, RunFinished, RunResult, Waiting
from zkit.chat.loop_events import CallRepaired, Message, TextDelta, TextRevoked, TurnStarted
from zkit.cli.chat.recording import ChatLog, Interrupts
from zkit.cli.chat.terminal import Keyboard, Output, Renderer, call_text, fix_text
from zkit.cli.streams import printable, printable_line
from zkit.dispatch.live_call import cancelled
from zkit.errors import ZkitError
from zkit.json_types import JsonObject
from zkit.tools import ToolSpec, render_result
from zkit.transcripts import Emitted, Interrupted

Events = Generator[LoopEvent, None, None]
PROMPT = "> "
STOPPED = "(stopped by the user)"
_STOPPED_CALL = "The user stopped this call. It may have had an effect."
_CANCELLED = frozenset(
    render_result(cancelled(began=began, abandoned=left))
    for began in (True, False)
    for left in (True, False)
)
"""The answer to a stopped call; whether it had begun is a matter of milliseconds."""
YES = frozenset({"y", "yes"})
NO = frozenset({"", "n", "no"})


class LeaveError(Exception):
    """The user wants to leave."""


@dataclass(slots=True)
class Session:
    """A chat: its messages, and what was shown last. `make_loop` makes a loop for a selection of tools."""

    output: Output
    renderer: Renderer
    keyboard: Keyboard
    log: ChatLog
    make_loop: Callable[[str | None], ChatLoop]
    loop: ChatLoop
    interrupts: Interrupts
    store: PauseStore | None = None
    store_name: str = ""
    kit: str = ""
    can_ask: bool = True
    can_write: bool = True
    started: tuple[Mapping[str, str], ...] = ()
    """The calls of the resumed run that another process had started."""
    messages: list[Message] = field(default_factory=list)
    last: RunResult | None = None
    receipts: list[Call] = field(default_factory=list)

    # Turns

    def ask(self, question: str) -> RunResult | None:
        """Run one turn of the chat; return None if it was stopped."""
        self.receipts = []
        prompt = [*self.messages, {"role": "user", "content": question}]
        return self._run(lambda into: self.loop.stream_sync(prompt, into=into))

    def go_on(self, paused: PausedRun) -> RunResult | None:
        """Ask the user about a paused run, and continue it."""
        self.messages = list(paused.messages)
        self._check_tools(paused)
        self._show_started()
        decided = self._decided(paused)
        if decided is None:
            return None
        if self.store is not None:
            if self.started:
                self.store.release(paused.id)
            paused = self.store.take(paused.id)
        result = self._run(lambda into: self.loop.resume_stream_sync(paused, into=into, **decided))
        if self.store is not None:
            self.store.delete(paused.id)
        self.started = ()
        return result

    def _run(self, start: Callable[[list[Message]], Events]) -> RunResult | None:
        into: list[Message] = []
        parts: list[str] = []
        try:
            # Closed before anything is shown: only then are the messages complete.
            with self.interrupts, closing(start(into)) as events:
                result = self._shown(events, parts)
        except KeyboardInterrupt:
            self.log.note(Interrupted())
            self._stopped(into, "".join(parts))
            return None
        self.last, self.messages = result, list(result.messages)
        if result.paused is None:
            return result
        if self.store is not None:
            self.store.save(result.paused)
        return self.go_on(result.paused) if self.can_ask else result

    def _shown(self, events: Events, parts: list[str]) -> RunResult:
        """Show the events until the end."""
        for event in events:
            self.interrupts.hold()
            self._show(event, parts)
            self.interrupts.release()
            if isinstance(event, RunFinished):
                result: RunResult = event.result
                return result
        raise RuntimeError("the run ended without a result")

    def _show(self, event: LoopEvent, parts: list[str]) -> None:
        self.log.note(Emitted(event.to_dict()))
        if isinstance(event, TextDelta):
            parts.append(event.text)
        elif isinstance(event, TurnStarted | TextRevoked):
            parts.clear()
        elif isinstance(event, CallRepaired):
            self.receipts.append(event.call)
        self.renderer.show(event)

    def _stopped(self, into: list[Message], parts: str) -> None:
        """Keep the messages so far; a question without an answer gets a note that it was stopped."""
        self.output.line(("  stopped; the chat goes on. Ctrl-C again leaves.", "yellow"))
        if into and into[-1].get("role") != "assistant":
            into.append({"role": "assistant", "content": f"{parts.strip()} {STOPPED}".strip()})
        for message in into:
            if message.get("role") == "tool" and message["content"] in _CANCELLED:
                message["content"] = _STOPPED_CALL
        self.messages = into or self.messages
        self.renderer.shown.clear()

    # Pauses

    def _check_tools(self, paused: PausedRun) -> None:
        """Refuse to continue a run whose tools are missing: it would end without running anything."""
        gone = [
            one.call.name for one in paused.waiting if not self.loop.dispatcher.get(one.call.name)
        ]
        if gone:
            parts = f"  there is no tool {printable(gone[0])} here; name its place with --from, as before."
            self.output.line((parts, "red"))
            self._leave_open(paused)
            raise LeaveError

    def _show_started(self) -> None:
        """Show what a process had started before it was killed: it may have had an effect."""
        for one in self.started:
            how = f"ended at {one['ended']}" if one.get("ended") else "no end was noted"
            text = f"{one['name']} {one['arguments']} was started at {one['began']}; {how}."
            self.output.line(("! ", "yellow bold"), (text, "yellow"))
        if self.started:
            text = "  It may have had an effect, and would run again if you approve it."
            self.output.line((text, "yellow"))

    def _decided(self, paused: PausedRun) -> JsonObject | None:
        """Return answers and approvals; None if the user does not decide now."""
        answers: dict[str, str] = {}
        approvals: dict[str, bool] = {}
        for one in paused.waiting:
            try:
                if one.kind == "answer":
                    answers[one.call.id] = self._answer(one)
                else:
                    approvals[one.key] = self._approval(one)
            except (EOFError, KeyboardInterrupt) as error:
                self._leave_open(paused)
                if isinstance(error, EOFError):
                    raise LeaveError from error
                return None
        return {"answer": answers, "approve": approvals}

    def _answer(self, waiting: Waiting) -> str:
        self.output.line(("? ", "cyan bold"), (printable(waiting.question), "bold"))
        for number, option in enumerate(waiting.options, 1):
            self.output.line((f"  {number} ", "cyan"), printable(option))
        while True:
            typed = self._typed("answer> ").strip()
            if typed.isdecimal() and 0 < int(typed) <= len(waiting.options):
                return waiting.options[int(typed) - 1]
            if typed:
                return typed

    def _approval(self, waiting: Waiting) -> bool:
        self.output.line(("! ", "yellow bold"), (printable(call_text(waiting.call)), "bold"))
        while True:
            typed = self._typed("run it? [y/N] ").strip().casefold()
            if typed in YES or typed in NO:
                return typed in YES
            self.output.line(("  say yes or no.", "yellow"))

    def _typed(self, prompt: str) -> str:
        text = self.keyboard.read(prompt)
        if text is None:
            raise EOFError
        return text

    def _leave_open(self, paused: PausedRun) -> None:
        if not self.store_name:
            self.output.line(("  left undecided: nothing was run.", "yellow"))
        else:
            self.output.line(
                (
                    f"  left undecided; go on with --store {self.store_name} --resume {paused.id}",
                    "yellow",
                )
            )

    # The chat

    def chat(self, commands: Callable[[Session, str], None]) -> None:
        """Read lines and answer them until the user leaves."""
        interrupts = 0
        while True:
            self.output.line("")
            try:
                line = self.keyboard.read(PROMPT)
            except KeyboardInterrupt:
                interrupts += 1
                if interrupts > 1:
                    return
                self.output.line(("  Ctrl-C again leaves.", "yellow"))
                continue
            if line is None:
                return
            try:
                interrupts = int(self._take(line.strip(), commands))
            except LeaveError:
                return

    def _take(self, line: str, commands: Callable[[Session, str], None]) -> bool:
        """Handle one line; return whether it was stopped."""
        if line.startswith("/"):
            try:
                commands(self, line)
            except (ZkitError, OSError) as error:
                self.output.line((f"  {printable(str(error))}", "red"))
            return False
        return bool(line) and self.ask(line) is None


class Command(NamedTuple):
    """What a command does, and the line that `/help` shows for it."""

    do: Callable[[Session, str], None]
    usage: str
    help: str


def run_command(session: Session, line: str) -> None:
    """Run a command such as `/tools`."""
    name, _, rest = line[1:].partition(" ")
    command = COMMANDS.get(name)
    if command is None:
        session.output.line((f"  there is no /{printable(name)}; /help lists the commands", "red"))
    else:
        command.do(session, rest.strip())


def _specs(session: Session) -> list[ToolSpec]:
    return [tool.definition() for tool in session.loop.dispatcher.tools()]


def show_help(session: Session, rest: str) -> None:
    """List the commands."""
    width = max(len(command.usage) for command in COMMANDS.values())
    for command in COMMANDS.values():
        session.output.line((f"  {command.usage:<{width}}  ", "cyan"), command.help)


def show_tools(session: Session, rest: str) -> None:
    """List the tools: name, grade, what it is for; one that asks first is marked."""
    specs = _specs(session)
    width = max((len(spec.name) for spec in specs), default=0)
    for spec in specs:
        asks = " (asks first)" if spec.is_destructive() else ""
        text = printable_line(f"{spec.summary}{asks}", session.renderer.room(width + 10))
        session.output.line(
            (f"  {spec.name:<{width}}  ", "cyan"), (f"{spec.effective_grade}  ", "dim"), text
        )
    if not specs:
        session.output.line("  there are no tools")


def show_kit(session: Session, rest: str) -> None:
    """Show which tools the model has, or give it others."""
    if rest:
        session.loop = session.make_loop(rest)
        session.kit = rest
    names = ", ".join(spec.name for spec in _specs(session)) or "no tools"
    session.output.line(("  kit  ", "cyan"), session.kit or "all tools")
    session.output.line(("  tools  ", "cyan"), names)


def show_why(session: Session, rest: str) -> None:
    """Show the last receipt in full: what was changed in each call, where and why."""
    if not session.receipts:
        session.output.line("  nothing was repaired in the last turn")
    for call in session.receipts:
        session.output.line(
            ("  ", ""), (printable(call_text(call)), "cyan"), (f"  found as {call.origin}", "dim")
        )
        for fix in call.fixes:
            session.output.line((f"    {fix_text(fix)}", "yellow"))


def save(session: Session, rest: str) -> None:
    """Write the conversation to a new file."""
    path = Path(rest or "chat.json")
    document = {"model": session.loop.model, "messages": session.messages}
    if session.can_write:
        with path.open("x", encoding="utf-8") as file:
            json.dump(document, file, ensure_ascii=False, indent=2)
            file.write("\n")
    session.output.line(f"  {len(session.messages)} messages saved to {path}")


def leave(session: Session, rest: str) -> None:
    """End the chat."""
    raise LeaveError


COMMANDS: dict[str, Command] = {
    "tools": Command(show_tools, "/tools", "the tools that the model may call"),
    "kit": Command(show_kit, "/kit [A,B,!C]", "the kit in use; or a kit file, or a selection to use from now on"),
    "why": Command(show_why, "/why", "the last receipt in full: what was repaired, where and why"),
    "save": Command(save, "/save [FILE]", "write the conversation to a new file (chat.json)"),
    "help": Command(show_help, "/help", "this list"),
    "quit": Command(leave, "/quit", "leave; Ctrl-D does too"),
}  # fmt: skip
