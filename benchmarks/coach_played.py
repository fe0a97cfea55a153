"""Recorded replies played to a loop, then what a live model writes next."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

from openai.types.chat import ChatCompletion, ChatCompletionMessage

from benchmarks.coach_tasks import RULE, WAYS, Task, is_done, prepared, run_loop
from zkit.calls import Call
from zkit.cases import recordings
from zkit.chat.client.text_calls import begins_like_a_result
from zkit.coach import failure_mode, hints
from zkit.coach.failure_modes import WITHOUT_EXAMPLE
from zkit.dispatch import Dispatcher, loop_guards
from zkit.extract import find_calls
from zkit.grade import READ
from zkit.results import Result, Success, Validation
from zkit.tools import ToolSpec, thaw

DATA = Path(__file__).parent / "coach_recorded.json"
Options = dict[str, Any]


class Played:
    """A client that answers with recorded replies, then with the server's, then that it is done."""

    def __init__(
        self,
        client: Any,
        replies: Sequence[str],
        most: int,
        before: Callable[[], None] = lambda: None,
    ) -> None:
        self._client, self._replies, self._most = client, list(replies), most
        self._before = before
        self.live: list[ChatCompletionMessage] = []
        self.chat = self
        self.completions = self

    def create(self, **request: Any) -> ChatCompletion:
        """Answer a request."""
        if self._replies or len(self.live) >= self._most:
            return _completion(self._replies.pop(0) if self._replies else "Done.")
        self._before()
        made: ChatCompletion = self._client.chat.completions.create(**request)
        self.live.append(made.choices[0].message)
        return made


def _completion(text: str) -> ChatCompletion:
    message = {"role": "assistant", "content": text}
    choice = {"index": 0, "finish_reason": "stop", "message": message}
    return ChatCompletion.model_validate(
        {"id": "0", "object": "chat.completion", "created": 0, "model": "", "choices": [choice]}
    )


def calls_in(message: ChatCompletionMessage, tools: Any) -> list[Call]:
    """The calls of a reply, delivered by the server or found in its text."""
    native = [one.function for one in message.tool_calls or () if one.type == "function"]
    if native:
        return [Call(one.name, json.loads(one.arguments or "{}")) for one in native]
    found = find_calls(message.content or "", tools)
    unknown = [Call(one.name, one.arguments) for one in found.unknown]
    return [*found.calls, *unknown, *(doubt.call for doubt in found.doubtful)]


# A write that is done, and sent again

WORDINGS = {
    "long": "already done: this call of write_file succeeded before, and nothing has changed since, so it was not run"
            " again. Give your answer, or take the next step.",
    "brief": "already done, nothing has changed; give your answer or the next step.",
    "next step": "This call of write_file is already done. Go on with the next step.",
    "not again": "This call of write_file is done: do not send it again. Make the next call that the request needs, or"
                 " answer in words if nothing is left to do.",
    "question": "write_file has done this already. What is still missing from the request? Call the tool for that; if"
                " nothing is missing, answer.",
    "success": "ok, write_file has done this. Now do the rest of the request.",
    "form": 'already done, nothing has changed. Send the next call: {"name": ..., "arguments": {...}}',
    "form or answer": 'already done, nothing has changed. Send the next call, {"name": ..., "arguments": {...}}, or give'
                      " your answer in words.",
}  # fmt: skip
"""Candidates for the answer to a write that is done and was sent again; the last is the one in use."""
REPLIES = ("another call", "answer, task done", "answer too early", "same call", "made-up result", "empty")  # fmt: skip


class Repeat(NamedTuple):
    """A task, and the replies of a model up to one that sends a write again which is done."""

    model: str
    task: Task
    replies: list[str]


def recorded_repeats() -> list[Repeat]:
    """Read the recorded repetitions."""
    rows = json.loads(DATA.read_text("utf-8"))["repeats"]
    return [Repeat(one["model"], Task(**one["task"]), one["replies"]) for one in rows]


def reply_after(client: Any, model: str, one: Repeat, wording: str, options: Options) -> str:
    """What a model does after it was told, in some words, that its call is done."""
    done: list[bool] = []
    with prepared(one.task, WAYS[RULE]) as (root, dispatcher):
        played = Played(client, one.replies, 1, lambda: done.append(is_done(root, one.task)))
        with patch.object(loop_guards, "ALREADY_DONE", wording):
            run_loop(played, model, dispatcher, one.task.ask, False, len(one.replies) + 2, options)
        tools = dispatcher.tools()
        last = calls_in(_completion(one.replies[-1]).choices[0].message, tools)
        calls = calls_in(played.live[0], tools)
    text = (played.live[0].content or "").strip()
    if calls:
        return "same call" if _key(calls[0]) == _key(last[0]) else "another call"
    if begins_like_a_result(text):
        return "made-up result"
    return "empty" if not text else "answer, task done" if done[0] else "answer too early"


def _key(call: Call) -> str:
    return json.dumps([call.name, thaw(call.arguments)], sort_keys=True, default=str)


# First calls that fail


class First(NamedTuple):
    """A first reply whose call fails, and the tool that the request asks for."""

    model: str
    prompt: str
    expected: str
    raw: str


class Pretended:
    """A tool of the recordings, which does nothing: what counts is the call."""

    def __init__(self, declared: Mapping[str, Any]) -> None:
        names = ("name", "description", "parameters", "examples")
        known = {name: declared[name] for name in names if name in declared}
        self._spec = ToolSpec(**known, grade=READ)

    def definition(self) -> ToolSpec:
        """What the model was offered."""
        return self._spec

    def execute(self, call: Call, /) -> Result:
        """Do nothing."""
        return Success("ok")


def recorded_firsts(path: str | None) -> list[tuple[First, list[Pretended]]]:
    """The first replies that fail, with the tools that were offered: ours, or those of a file.

    Ours are those of `coach_recorded.json` and those of the corpus, which call tools that do not exist.
    """
    found = json.loads(Path(path or DATA).read_text("utf-8"))
    sets = [(found["tools"], [First(**row) for row in found["first"]])]
    if path is None:
        corpus = recordings()
        rows = (
            First(one.model, one.prompt, one.expected or "", one.raw) for one in corpus.completions
        )
        sets.append(([one["function"] for one in corpus.tools], list(dict.fromkeys(rows))))
    return [
        (one, tools)
        for declared, firsts in sets
        for tools in [[Pretended(tool) for tool in declared]]
        for one in firsts
        if one.expected and mode_of(one, tools)
    ]


def mode_of(one: First, tools: Sequence[Pretended]) -> str:
    """How the first call fails; empty if it does not, or if there is none."""
    calls = calls_in(_completion(one.raw).choices[0].message, tools)
    result = Dispatcher(tools, guards=()).call_sync(calls[0]) if calls else None
    if isinstance(result, Validation):
        return failure_mode(result)
    return "truncated" if find_calls(one.raw, tools).incomplete and not calls else ""


ADVICE: dict[str, frozenset[str] | None] = {
    "nothing": None,
    "what the coach adds": WITHOUT_EXAMPLE,
    "that, and always an example": frozenset(),
}
"""What is added to the message of the second failure: the failure modes without an example, None for nothing."""


class After(NamedTuple):
    """After how many more turns a call was right (0: never), and what the model wrote."""

    turns: int
    copied: bool
    live: list[str]

    @property
    def verdict(self) -> str:
        """The same as a word."""
        return "copied" if self.copied else f"right {self.turns}" if self.turns else "wrong"


def play_first(
    client: Any,
    model: str,
    one: First,
    tools: Sequence[Pretended],
    advice: frozenset[str] | None,
    replies: Sequence[str],
    most: int,
    options: Options,
) -> After:
    """Play the first reply, and some more, then let the model go on up to `most` more turns."""
    played = Played(client, [one.raw, *replies], most - len(replies))
    with patch.object(hints, "WITHOUT_EXAMPLE", advice):
        result = run_loop(played, model, tools, one.prompt, advice is not None, most + 3, options)
    live = [*replies, *(message.content or "" for message in played.live)]
    for turn in result.turns[1 : most + 1]:
        for outcome in turn.outcomes:
            if outcome.call.name == one.expected and isinstance(outcome.result, Success):
                is_copied = copied(outcome.call, one.prompt, tools)
                return After(0 if is_copied else turn.number - 1, is_copied, live)
    return After(0, False, live)


def copied(call: Call, prompt: str, tools: Sequence[Pretended]) -> bool:
    """Whether a call has a text of the tool's example that the request does not name."""
    spec = next(one.definition() for one in tools if one.definition().name == call.name)
    schema = json.dumps(thaw(spec.parameters))
    examples = {text for one in spec.examples for text in _texts(thaw(one.arguments))}
    own = {text for text in examples if json.dumps(text) not in schema and text not in prompt}
    return not own.isdisjoint(_texts(thaw(call.arguments)))


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    for part in (
        value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    ):
        yield from _texts(part)
