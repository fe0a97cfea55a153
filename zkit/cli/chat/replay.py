"""Show a recorded chat again, without a model and without running a tool."""

from __future__ import annotations

import json
import os
import signal
from collections import defaultdict, deque
from typing import Any

import anyio
import click

from zkit.calls import Call
from zkit.chat import ChatLoop, PausedRun
from zkit.cli.chat.http_recording import TranscriptOver, replaying_client
from zkit.cli.chat.keyboard import Interrupts, Replayed
from zkit.cli.chat.play import loop_of, openai_client, play, session_of
from zkit.cli.chat.transcript_recording import Comparison
from zkit.cli.streams import counted, tell
from zkit.dispatch import Dispatcher, wait_for_answer
from zkit.errors import TranscriptError, ZkitError
from zkit.results import Result, from_dict
from zkit.sources import Kit, Step, Toolbox, Workflow
from zkit.tools import ToolSpec, thaw
from zkit.transcripts import Tools, Transcript

Results = defaultdict[str, deque[Result]]


def recorded_dispatchers(transcript: Transcript) -> list[Dispatcher]:
    """For each list of tools of a chat a dispatcher over them, whose tools know their results."""
    results = _results(transcript)
    lists = [line.record for line in transcript.lines if isinstance(line.record, Tools)]
    return [
        Dispatcher(_source(one, results), attempts=1, timeout=None, memory=False) for one in lists
    ]


def _source(recorded: Tools, results: Results) -> Any:
    """The tools of then; with workflows they are a kit, for the prompt speaks of it."""
    tools = [RecordedTool(ToolSpec.from_dict(spec), results) for spec in recorded.tools]
    if not recorded.workflows:
        return tools
    flows = [
        Workflow(flow["name"], flow["goal"], tuple(Step(**step) for step in flow["steps"]))
        for flow in recorded.workflows
    ]
    return Kit(Toolbox(tools), ["*"], workflows=flows)


_BEFORE_THE_TOOL = frozenset({"approval", "budget", "loop", "truncated"})
"""Codes of results that the chain gives itself, and so will again."""


def _results(transcript: Transcript) -> Results:
    """What each call got from its tool, in order; a question got nothing but a pause."""
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


def _key(name: str, arguments: Any) -> str:
    return json.dumps([name, arguments], sort_keys=True, default=str)


class RecordedTool:
    """A tool as it was declared then. It does nothing, and answers what it answered."""

    def __init__(self, spec: ToolSpec, results: Results) -> None:
        self._spec = spec
        self._results = results

    def definition(self) -> ToolSpec:
        """Say what the tool was."""
        return self._spec

    async def execute(self, call: Call, /) -> Result:
        """Give the result of then. A call that had none was stopped by the person: so it is now."""
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
    except Exception as error:  # the file may say anything, and nothing of ours is to blame
        said = f"{type(error).__name__}: {error}"[:200]
        raise TranscriptError(f"{path}: cannot be replayed: {said}") from error


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
    return _told(log, path)


def _told(log: Comparison, path: str) -> int:
    for one in log.deviations[:5]:
        place = f"line {one.line}" if one.line else "after the last line"
        tell(f"{path}: {place}: recorded {one.recorded}")
        tell(f"{path}: {place}: now      {one.now}")
    more = len(log.deviations) - 5
    if more > 0:
        tell(f"{path}: and {counted(more, 'more deviation')}")
    return int(bool(log.deviations))
