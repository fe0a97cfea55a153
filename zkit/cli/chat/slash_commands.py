"""A line that begins with a slash in, what it asks for on the output out."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from zkit.cli.chat.render_events import call_text, fix_text
from zkit.cli.chat.session import LeaveError, Session
from zkit.cli.terminal import printable, printable_line
from zkit.tools import ToolSpec


class Command(NamedTuple):
    """What a command does, and the line that `/help` shows for it."""

    do: Callable[[Session, str], None]
    usage: str
    help: str


def run_command(session: Session, line: str) -> None:
    """Do what a line like `/tools` says."""
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
