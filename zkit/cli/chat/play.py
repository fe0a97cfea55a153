"""Play a chat to its end, live or from a transcript."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from zkit.chat import ChatLoop, PausedRun, RunResult
from zkit.chat.server_profile import Profile
from zkit.chat.tool_offer import kit_of
from zkit.cli.chat.http_recording import http_library
from zkit.cli.chat.keyboard import Interrupts, Keyboard, Lines
from zkit.cli.chat.output import make_output
from zkit.cli.chat.render_events import MARKS, Renderer
from zkit.cli.chat.session import LeaveError, Session
from zkit.cli.chat.slash_commands import run_command
from zkit.cli.chat.transcript_recording import ChatLog
from zkit.dispatch import ask_later
from zkit.sources import Workflow
from zkit.transcripts import Header, Tools

APPROVERS: dict[str, Any] = {"ask": ask_later, "never": None, "always": lambda call: True}


def openai_client(base_url: str | None, api_key: str | None, http: Any) -> Any:
    """A client of the `openai` package that speaks HTTP by way of another one."""
    http_library()
    from openai import OpenAI

    # A local server asks for no key, but the client does.
    return OpenAI(base_url=base_url, api_key=api_key or "none", http_client=http, max_retries=0)


def loop_of(client: Any, header: Header, source: Any, log: ChatLog) -> ChatLoop:
    """The loop of a chat; which tools it has is taken down."""
    loop = ChatLoop(
        client,
        header.model,
        source,
        system=header.system,
        approve=APPROVERS[header.options["approve"]],
        profile=Profile.from_dict(header.options["profile"]),
        max_turns=header.options["max_turns"],
    )
    specs = tuple(tool.definition().to_dict() for tool in loop.dispatcher.tools())
    kit = kit_of(loop.dispatcher)
    flows = () if kit is None else tuple(map(_workflow, kit.usable_workflows()))
    log.note(Tools(specs, flows))
    return loop


def _workflow(flow: Workflow) -> dict[str, Any]:
    steps = [
        {"tool": one.tool, "action": one.action, "params": dict(one.params), "note": one.note}
        for one in flow.steps
    ]
    return {"name": flow.name, "goal": flow.goal, "steps": steps}


def session_of(
    header: Header,
    log: ChatLog,
    keyboard: Keyboard,
    make_loop: Callable[[str | None], ChatLoop],
    loop: ChatLoop,
    interrupts: Interrupts,
) -> Session:
    """The chat before its first line."""
    output = make_output(log, colour=header.colour, once=header.once is not None)
    renderer = Renderer(output, MARKS[header.options["marks"]])
    return Session(
        output,
        renderer,
        keyboard,
        log,
        make_loop,
        loop,
        interrupts,
        store_name=header.options["store"],
        kit=header.kit,
        can_ask=header.options["can_ask"],
        started=tuple(header.options.get("started", ())),
    )


def play(session: Session, header: Header, paused: PausedRun | None) -> int:
    """Play the chat to its end; the exit code."""
    if header.once is not None:
        return _once(session, header.once, paused)
    _welcome(session, header)
    try:
        if paused is not None:
            session.go_on(paused)
        session.chat(run_command)
    except LeaveError:
        pass
    return 0


def _welcome(session: Session, header: Header) -> None:
    tools = len(session.loop.dispatcher.tools())
    where = f" at {header.base_url}" if header.base_url else ""
    dot = session.renderer.marks["dot"]
    session.output.line(("zkit chat", "bold"), f" {dot} {header.model}{where} {dot} {tools} tools")
    session.output.line(("/help lists the commands; Ctrl-C stops a turn, Ctrl-D leaves.", "dim"))


def _once(session: Session, question: str, paused: PausedRun | None) -> int:
    """Ask one question; with a paused run the question is what it waits for."""
    if paused is not None:
        session.keyboard, session.can_ask = Lines([question], session.log), False
    try:
        result = session.ask(question) if paused is None else session.go_on(paused)
    except LeaveError:
        return 3
    session.output.end_line()
    if result is None:
        return 130
    return _exit_code(session, result)


def _exit_code(session: Session, result: RunResult) -> int:
    if result.paused is None:
        return 0 if result.reason == "completed" else 1
    for one in result.paused.waiting:
        waits = one.question or f"approval of {one.call.name}"
        session.output.line((f"  paused: it waits for {waits}", "yellow"))
    if session.store_name:
        hint = f"--store {session.store_name} --resume last, and the other options as before"
        session.output.line((f"  go on with: {hint}", "yellow"))
    else:
        session.output.line(
            ("  with --store FILE it can be resumed; --approve always asks nobody", "yellow")
        )
    return 3
