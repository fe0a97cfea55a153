"""Play a chat with a live server, or replay a recorded one without a model and without tools."""

from __future__ import annotations

import json
import os
import signal
from collections import defaultdict, deque
from collections.abc import Callable
from typing import Any

import anyio
import click

from zkit.calls import Call
from zkit.chat import ChatLoop, PausedRun, RunResult
from zkit.chat.server_profile import Profile
from zkit.chat.tool_offer import kit_of
from zkit.cli.chat.recording import (
    ChatLog,
    Comparison,
    Interrupts,
    TranscriptOver,
    http_library,
    replaying_client,
)
from zkit.cli.chat.session import LeaveError, Session, run_command
from zkit.cli.chat.terminal import MARKS, Keyboard, Lines, Renderer, Replayed, make_output
from zkit.cli.streams import tell
from zkit.dispatch import Dispatcher, ask_later, wait_for_answer
from zkit.errors import TranscriptError, ZkitError
from zkit.json_types import JsonObject
from zkit.results import Result, from_dict
from zkit.sources import Kit, Step, Toolbox, Workflow
from zkit.tools import ToolSpec, thaw
from zkit.transcripts import Header, Tools, Transcript

APPROVERS: JsonObject = {"ask": ask_later, "never": None, "always": lambda call: True}


def openai_client(base_url: str | None, api_key: str | None, http: Any) -> Any:
    """Return a client of the `openai` package that uses another HTTP client."""
    http_library()
    from openai import OpenAI

    # A local server needs no key, but the client requires one.
    return OpenAI(base_url=base_url, api_key=api_key or "none", http_client=http, max_retries=0)


def loop_of(client: Any, header: Header, source: Any, log: ChatLog) -> ChatLoop:
    """Return the loop of a chat, and record its tools."""
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


def _workflow(flow: Workflow) -> JsonObject:
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
    """Return the chat before its first line."""
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


Results = defaultdict[str, deque[Result]]


def recorded_dispatchers(transcript: Transcript) -> list[Dispatcher]:
    """For each list of tools of a chat a dispatcher over them, whose tools know their results."""
    results = _results(transcript)
    lists = [line.record for line in transcript.lines if isinstance(line.record, Tools)]
    return [
        Dispatcher(_source(one, results), attempts=1, timeout=None, memory=False) for one in lists
    ]


def _source(recorded: Tools, results: Results) -> Any:
    """Return the recorded tools; with workflows they are a kit, because the prompt contains them."""
    tools = [RecordedTool(ToolSpec.from_dict(spec), results) for spec in recorded.tools]
    if not recorded.workflows:
        return tools
    flows = [
        Workflow(flow["name"], flow["goal"], tuple(Step(**step) for step in flow["steps"]))
        for flow in recorded.workflows
    ]
    return Kit(Toolbox(tools), ["*"], workflows=flows)


_BEFORE_THE_TOOL = frozenset({"approval", "budget", "loop", "truncated"})
"""Codes of results that the chain produces itself, also in a replay."""


def _results(transcript: Transcript) -> Results:
    """Return the result of each call from its tool, in order; a question only paused the run."""
    found: Results = defaultdict(deque)
    asked = set()
    for event in transcript.events():
        kind = event.get("kind")
        if kind == "question_asked":
            asked.add(event["call"]["id"])
            result: Result = wait_for_answer(event["question"], tuple(event["options"]))
        elif kind == "tool_finished" and event["call"]["id"] not in asked:
            result = from_dict(event["result"])
        else:
            continue
        if getattr(result, "code", "") not in _BEFORE_THE_TOOL:
            found[_key(event["call"]["name"], event["call"]["arguments"])].append(result)
    return found


def _key(name: str, arguments: object) -> str:
    return json.dumps([name, arguments], sort_keys=True, default=str)


class RecordedTool:
    """A tool as it was declared in the recording. It does nothing, and returns the recorded result."""

    def __init__(self, spec: ToolSpec, results: Results) -> None:
        self._spec = spec
        self._results = results

    def definition(self) -> ToolSpec:
        """Return the recorded spec."""
        return self._spec

    async def execute(self, call: Call, /) -> Result:
        """Return the recorded result. A call without one was stopped by the user, and is stopped
        again."""
        waiting = self._results[_key(call.name, thaw(call.arguments))]
        if waiting:
            return waiting.popleft()
        os.kill(os.getpid(), signal.SIGINT)
        await anyio.sleep_forever()
        raise AssertionError("this is not reached")


def replayed(transcript: Transcript, path: str) -> int:
    """Play a transcript again; the exit code says whether zkit did the same.

    Raises `TranscriptError` for one whose records do not go together.
    """
    try:
        return _replayed(transcript, path)
    except (ZkitError, click.ClickException):
        raise
    except Exception as error:  # the file may contain anything
        detail = f"{type(error).__name__}: {error}"[:200]
        raise TranscriptError(f"{path}: cannot be replayed: {detail}") from error


def _replayed(transcript: Transcript, path: str) -> int:
    header = transcript.header
    log = Comparison(transcript)
    client = openai_client("http://transcript.invalid/v1", None, replaying_client(log, transcript))
    dispatchers = iter(recorded_dispatchers(transcript))

    def make_loop(selection: str | None) -> ChatLoop:
        return loop_of(client, header, next(dispatchers, Dispatcher([])), log)

    keyboard = Replayed(transcript, colour=header.colour, quiet=header.once is not None)
    session = session_of(header, log, keyboard, make_loop, make_loop(None), Interrupts())
    session.can_write = False
    resumed = header.options.get("resumed")
    try:
        play(session, header, None if resumed is None else PausedRun.from_dict(resumed))
    except TranscriptOver:
        session.output.end_line()
        log.cut_off()
        tell(f"{path} ends here")
    else:
        log.end()
    return _report(log, path)


def _report(log: Comparison, path: str) -> int:
    for one in log.mismatches[:5]:
        place = f"line {one.line}" if one.line else "after the last line"
        tell(f"{path}: {place}: recorded {one.recorded}")
        tell(f"{path}: {place}: now      {one.now}")
    more = len(log.mismatches) - 5
    if more > 0:
        tell(f"{path}: and {more} more")
    return int(bool(log.mismatches))
