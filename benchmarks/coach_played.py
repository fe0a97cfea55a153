"""Recorded replies played to a loop, then what a live model writes next."""

from __future__ import annotations

import json
import tempfile
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

from jsonschema import Draft202012Validator
from openai.types.chat import ChatCompletion, ChatCompletionMessage

from benchmarks.coach_tasks import RULE, WAYS, Task, is_done, prepared, run_loop
from zkit.calls import Call
from zkit.cases import recordings
from zkit.chat.client.text_calls import begins_like_a_result
from zkit.coach import Hints, coach, failure_mode, hints
from zkit.dispatch import Dispatcher, loop_guards
from zkit.extract import find_calls
from zkit.grade import READ
from zkit.results import Result, Success, Validation
from zkit.sources import Toolbox
from zkit.tools import ToolSpec, thaw

DATA = Path(__file__).parent / "coach_recorded.json"
MANUAL = Path(__file__).parent / "coach_manual.toml"
Options = dict[str, Any]


class Played:
    """A client that answers with recorded replies, then with the server's, then that it is done."""

    def __init__(
        self,
        client: Any,
        replies: Sequence[str],
        most: int,
        before: Callable[[], None] = lambda: None,
        until: Callable[[], bool] = lambda: False,
    ) -> None:
        self._client, self._replies, self._most = client, list(replies), most
        self._before, self._until = before, until
        self.live: list[ChatCompletionMessage] = []
        self.chat = self
        self.completions = self

    def create(self, **request: Any) -> ChatCompletion:
        """Answer a request."""
        if self._replies or len(self.live) >= self._most or self._until():
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
    """A first reply whose call fails, the tool that the request asks for, and the arguments that are right.

    Without `right`, a call of the tool is right when it succeeds with values that are not its example's.
    """

    model: str
    prompt: str
    expected: str
    raw: str
    right: Sequence[Mapping[str, Any]] = ()


class Pretended:
    """A tool of the recordings, which checks its arguments and does nothing: what counts is the call."""

    def __init__(self, declared: Mapping[str, Any]) -> None:
        names = ("name", "description", "parameters", "examples", "docs")
        known = {name: declared[name] for name in names if name in declared}
        self._spec = ToolSpec(**known, grade=READ)
        self._checks = Draft202012Validator(declared.get("accepts", True))
        self._error = declared.get("error", "")
        self.manual: str = declared.get("manual", "")
        self.has_run = False

    def definition(self) -> ToolSpec:
        """What the model was offered."""
        return self._spec

    def execute(self, call: Call, /) -> Result:
        """Refuse arguments that the tool does not accept, as tersely as services do."""
        wrong = next(self._checks.iter_errors(thaw(call.arguments)), None)
        if wrong is not None:
            return Validation(self._error.replace("{}", str(next(iter(wrong.path), "arguments"))))
        self.has_run = True
        return Success("ok")


Offer = list[Pretended]


def manual_asks() -> list[tuple[First, Offer]]:
    """The requests of `coach_manual.toml`, without a reply, each with the tools of its set."""
    found = tomllib.loads(MANUAL.read_text("utf-8"))
    sets: dict[str, list[dict[str, Any]]] = {}
    for one in found["tools"]:
        sets.setdefault(one["set"], []).append(_declared(one))
    owner = {one["name"]: one["set"] for one in found["tools"]}
    return [
        (First("", one["ask"], one["tool"], "", one["right"]), [Pretended(tool) for tool in sets[owner[one["tool"]]]])
        for one in found["asks"]
    ]  # fmt: skip


def _declared(one: Mapping[str, Any]) -> dict[str, Any]:
    """Return a tool of the manual as a declaration; every parameter is required."""
    schema = {"type": "object", "required": list(one["parameters"]), "additionalProperties": False}
    types = {name: {"type": kind} for name, kind in one["parameters"].items()}
    examples = [{"arguments": arguments} for arguments in one.get("examples", ())]
    return {
        **one,
        "parameters": {**schema, "properties": types},
        "accepts": {**schema, "properties": one["accepts"]},
        "examples": examples,
        "docs": f"{one['name']}.md",
    }


def record_first(client: Any, model: str, one: First, tools: Offer, options: Options) -> str:
    """Ask a live model, and return its first reply as text."""
    played = Played(client, [], 1)
    with documented(tools) as source:
        run_loop(played, model, source, one.prompt, False, 1, options)
    message = played.live[0]
    native = [one.function for one in message.tool_calls or () if one.type == "function"]
    calls = [f'{{"name": {json.dumps(one.name)}, "arguments": {one.arguments}}}' for one in native]
    return "\n".join(f"<tool_call>\n{call}\n</tool_call>" for call in calls) or message.content or ""  # fmt: skip


def recorded_firsts(path: str | None) -> list[tuple[First, Offer]]:
    """The first replies that fail, with the tools that were offered: ours, or those of a file.

    Ours are those of `coach_recorded.json`, to the requests of `coach_manual.toml` too, and those of
    the corpus, which call tools that do not exist.
    """
    found = json.loads(Path(path or DATA).read_text("utf-8"))
    rows = [(First(**row), found["tools"]) for row in found["first"]]
    if path is None:
        corpus = recordings()
        tools = [one["function"] for one in corpus.tools]
        read = (
            First(one.model, one.prompt, one.expected or "", one.raw) for one in corpus.completions
        )
        rows += [(one, tools) for one in dict.fromkeys(read)]
    made = [(one, [Pretended(tool) for tool in tools]) for one, tools in rows if one.expected]
    if path is None:
        asks = {one.prompt: (one, tools) for one, tools in manual_asks()}
        made += [
            (asks[row["prompt"]][0]._replace(**row), asks[row["prompt"]][1])
            for row in found.get("manual", ())
        ]
    return [(one, tools) for one, tools in made if mode_of(one, tools)]


def mode_of(one: First, tools: Offer) -> str:
    """How the first call fails; empty if it does not, or if there is none."""
    calls = calls_in(_completion(one.raw).choices[0].message, tools)
    result = Dispatcher(tools, guards=()).call_sync(calls[0]) if calls else None
    if isinstance(result, Validation):
        return failure_mode(result)
    return "truncated" if find_calls(one.raw, tools).incomplete and not calls else ""


@contextmanager
def documented(tools: Offer) -> Iterator[Toolbox]:
    """The tools with their manuals in a folder."""
    with tempfile.TemporaryDirectory() as folder:
        for one in tools:
            one.has_run = False
            if one.manual:
                (Path(folder) / f"{one.definition().name}.md").write_text(one.manual, "utf-8")
        yield Toolbox(tools, docs_root=folder)


# What is added to the second and later failures of a call


def _signature(given: Hints) -> list[str]:
    return [f"Signature: {signature}" for signature in given.signatures]


def _example(given: Hints) -> list[str]:
    return [f"A call of this form works (with values of your own): {given.example}"] if given.example else []  # fmt: skip


def _sections(given: Hints) -> list[str]:
    return [f"## {one.title}\n{one.content}" for one in given.sections if one.title != "Signature"]


def _form(given: Hints) -> list[str]:
    return [f"Send the corrected call: {given.form}"] if given.form else []


Advice = Callable[[Hints], list[str]] | bool
ADVICE: dict[str, Advice] = {
    "nothing": False,
    "the signature and the nearest example": lambda given: _signature(given) + _example(given),
    "the form of the call": _form,
    "the sections": _sections,
    "the sections and the form": lambda given: _sections(given) + _form(given),
    "the coach": True,
}
"""What is added from the second failure on. The coach adds the sections at the third."""


@contextmanager
def advising(advice: Advice) -> Iterator[None]:
    """Let the coach add something else, from the second failure on; nothing is changed for True and False."""
    if isinstance(advice, bool):
        yield
        return

    def text(given: Hints, budget: int) -> str:
        return "" if given.level < 2 else "\n".join(advice(given))[:budget]

    with (
        patch.object(coach, "MOST_LEVELS", 2),  # the document is read at the second failure
        patch.object(hints, "WITHOUT_EXAMPLE", frozenset()),
        patch.object(Hints, "text", text),
    ):
        yield


class After(NamedTuple):
    """After how many more turns a call was right (0: never), and what else became of it.

    `ran` means that the tool ran with wrong arguments, `copied` with those of its example, `added` how many
    characters were added to messages, `failures` how many of them the model got after the first.
    """

    turns: int
    ran: bool = False
    copied: bool = False
    added: int = 0
    failures: int = 0

    @property
    def verdict(self) -> str:
        """The same as a word."""
        other = "copied" if self.copied else "wrong run" if self.ran else "never"
        return f"right {self.turns}" if self.turns else other


def play_first(
    client: Any,
    model: str,
    one: First,
    tools: Offer,
    advice: Advice,
    most: int,
    options: Options,
) -> After:
    """Play the first reply, then let the model go on up to `most` more turns or until the tool has run."""
    played = Played(client, [one.raw], most, until=lambda: any(tool.has_run for tool in tools))
    with documented(tools) as source, advising(advice):
        result = run_loop(played, model, source, one.prompt, advice is not False, most + 3, options)
    outcomes = [
        (turn.number - 1, each) for turn in result.turns[: most + 1] for each in turn.outcomes
    ]
    added = sum(len(getattr(each.result, "meta", {}).get("coach", {}).get("text", "")) for _, each in outcomes)  # fmt: skip
    failures = sum(isinstance(each.result, Validation) for _, each in outcomes) - 1
    for turn, each in outcomes:
        if each.call.name == one.expected and isinstance(each.result, Success):
            is_copied = copied(each.call, one.prompt, tools)
            is_right = _is_right(each.call, one) and not is_copied
            return After(turn if is_right else 0, not is_right, is_copied, added, failures)
    ran = any(isinstance(each.result, Success) for _, each in outcomes)
    return After(0, ran, False, added, failures)


def _is_right(call: Call, one: First) -> bool:
    return not one.right or thaw(call.arguments) in one.right


def copied(call: Call, prompt: str, tools: Offer) -> bool:
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
