"""What the coach is worth on a live model: failing first calls, and tasks of several calls on files.

    python -m benchmarks.coach --base-url http://127.0.0.1:8080/v1 --model NAME [--part first|tasks]

`first`: the recorded first replies whose call fails (`--data PATH` for other recordings: one JSON
object a line with `prompt`, `raw` and `expected`, the tool). The reply is played to a loop, then
the live model goes on: is a call of the expected tool right after one more turn, after two? `tasks`:
a dozen tasks of two to four calls on files; a task is done when the files are as they should be.
Each is run with and without the coach, the tasks also with only the rule that a write which is done
is not run again. Not part of any automatic run: it needs a model. `--save NAME` keeps the figures in
results/coach-NAME.json.
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from openai import OpenAI
from openai.types.chat import ChatCompletion

from zkit.calls import Call
from zkit.cases import recordings
from zkit.chat import ChatLoop
from zkit.dispatch import Dispatcher, repeated_calls
from zkit.extract import find_calls
from zkit.grade import READ
from zkit.results import Result, Success, Validation
from zkit.sources import Toolbox
from zkit.std import std_tools
from zkit.tools import ToolSpec

SYSTEM = "You are a helpful assistant with tools. Call tools to do what you are asked, one at a time. When it is done, say so."
HERE = Path(__file__).parent
FILE_TOOLS = ("read_file", "write_file", "edit_file", "find_files", "grep")


class Way(NamedTuple):
    """What helps the model: the coach, and the rule that a write which is done is not run again."""

    coach: bool
    once: bool


NEITHER, RULE, BOTH = "neither", "the rule for writes", "the rule and the coach"
WAYS = {NEITHER: Way(False, False), RULE: Way(False, True), BOTH: Way(True, True)}


# Failing first calls


class Recorded(NamedTuple):
    """A first reply, and the tool that the request asks for."""

    prompt: str
    raw: str
    expected: str


def recorded(path: str | None) -> list[Recorded]:
    """Read the recordings: ours, or those of a file."""
    if path is None:
        rows: Iterable[Any] = recordings().completions
        found = [(one.prompt, one.raw, one.expected) for one in rows]
    else:
        lines = Path(path).read_text("utf-8").splitlines()
        data = [json.loads(line) for line in lines if line.strip()]
        found = [(one["prompt"], one["raw"], one["expected"]) for one in data]
    return [Recorded(*row) for row in dict.fromkeys(found) if all(row)]


class Pretended:
    """A tool of the recordings, which does nothing: what counts is the call."""

    def __init__(self, declared: dict[str, Any]) -> None:
        self._spec = ToolSpec(
            **{key: declared[key] for key in ("name", "description", "parameters")}, grade=READ
        )

    def definition(self) -> ToolSpec:
        """What the model was offered."""
        return self._spec

    def execute(self, call: Call, /) -> Result:
        """Do nothing."""
        return Success("ok")


def recorded_tools() -> list[Pretended]:
    """The tools that were offered when the replies were recorded."""
    return [Pretended(one["function"]) for one in recordings().tools]


def is_failing(one: Recorded, dispatcher: Dispatcher, names: list[Any]) -> bool:
    """Whether the first reply holds a call, and that call fails."""
    found = find_calls(one.raw, names)
    tried = [*found.calls, *found.unknown, *(doubt.call for doubt in found.doubtful)]
    calls = [call for call in tried if isinstance(call, Call)]
    if not calls:
        return bool(found.unknown or found.incomplete)
    return isinstance(dispatcher.call_sync(calls[0]), Validation)


class Played:
    """A client whose first answer is the recorded one; the others are the server's."""

    def __init__(self, client: OpenAI, first: str) -> None:
        self._client, self._first = client, [first]
        self.chat = self
        self.completions = self

    def create(self, **request: Any) -> Any:
        """Answer a request."""
        if not self._first:
            return self._client.chat.completions.create(**request)
        message = {"role": "assistant", "content": self._first.pop()}
        choice = {"index": 0, "finish_reason": "stop", "message": message}
        return ChatCompletion.model_validate(
            {"id": "0", "object": "chat.completion", "created": 0, "model": "", "choices": [choice]}
        )


def turns_needed(
    client: OpenAI, model: str, one: Recorded, coach: bool, options: dict[str, Any]
) -> int:
    """After how many more turns the expected call is right; 0 when it is not after two."""
    played: Any = Played(client, one.raw)
    loop = ChatLoop(
        played, model, recorded_tools(), system=SYSTEM, coach=coach, max_turns=4, **options
    )
    result = loop.run_sync(one.prompt)
    for turn in result.turns:
        for outcome in turn.outcomes:
            if outcome.call.name == one.expected and isinstance(outcome.result, Success):
                return turn.number - 1
    return 0


# Tasks on files


class Task(NamedTuple):
    """Something to do with files, and what they must hold then (a regular expression by path)."""

    ask: str
    files: dict[str, str]
    wanted: dict[str, str]


TASKS = [
    Task("Write the text 'hello' to hello.txt, then read hello.txt and tell me what it holds.",
         {}, {"hello.txt": r"hello\n?"}),
    Task("Read name.txt, then write a file greeting.txt with the text 'Hello, ' followed by that name.",
         {"name.txt": "Ada\n"}, {"greeting.txt": r"Hello, Ada[.!]?\n?"}),
    Task("Create two files: one.txt with the text '1' and two.txt with the text '2'.",
         {}, {"one.txt": r"1\n?", "two.txt": r"2\n?"}),
    Task("In config.ini change debug = true to debug = false, then read the file to check it.",
         {"config.ini": "[app]\ndebug = true\nport = 80\n"}, {"config.ini": r"\[app\]\ndebug = false\nport = 80\n"}),
    Task("Copy the content of a.txt into b.txt.",
         {"a.txt": "first line\nsecond line\n"}, {"b.txt": r"first line\nsecond line\n?"}),
    Task("Find the Python files, and write their names to list.txt, one per line.",
         {"main.py": "print(1)\n", "util.py": "x = 1\n", "notes.md": "no\n"}, {"list.txt": r"(?s)(?=.*main\.py)(?=.*util\.py)(?!.*notes).*"}),
    Task("Read numbers.txt, add the two numbers, and write the sum to sum.txt.",
         {"numbers.txt": "12\n30\n"}, {"sum.txt": r"\D*42\D*"}),
    Task("In todo.md replace 'buy milk' by 'buy bread' and in done.md replace 'none' by 'milk'.",
         {"todo.md": "- buy milk\n", "done.md": "- none\n"}, {"todo.md": r"- buy bread\n?", "done.md": r"- milk\n?"}),
    Task("Read version.txt and write the same version to release.txt and to tag.txt.",
         {"version.txt": "1.4.2\n"}, {"release.txt": r"1\.4\.2\n?", "tag.txt": r"1\.4\.2\n?"}),
    Task("Create notes/plan.txt with the text 'start', then change 'start' to 'finish' in it.",
         {}, {"notes/plan.txt": r"finish\n?"}),
    Task("Find the file that holds the word 'secret' and write its name to found.txt.",
         {"x.txt": "nothing\n", "y.txt": "the secret\n"}, {"found.txt": r"(?s)(?!.*x\.txt).*y\.txt.*"}),
    Task("Read first.txt and second.txt and write both texts to both.txt, first one first.",
         {"first.txt": "red\n", "second.txt": "blue\n"}, {"both.txt": r"(?s)red\s+blue\s*"}),
]  # fmt: skip


class Run(NamedTuple):
    """What became of a task."""

    done: bool
    reason: str
    requests: int
    calls: int
    repeated: int
    coached: int
    seconds: float


def run_task(client: OpenAI, model: str, task: Task, way: Way, options: dict[str, Any]) -> Run:
    """Run a task in a folder of its own."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for name, text in task.files.items():
            (root / name).write_text(text, "utf-8")
        box = Toolbox(std_tools(root, only=FILE_TOOLS))
        exempt = () if way.once else ("write_file", "edit_file")
        loop = ChatLoop(
            client,
            model,
            Dispatcher(box, guards=[repeated_calls(except_for=exempt)]),
            system=SYSTEM,
            coach=way.coach,
            max_turns=9,
            **options,
        )
        began = time.monotonic()
        result = loop.run_sync(task.ask)
        metas = [getattr(one.result, "meta", {}) for one in result.calls]
        return Run(
            is_done(root, task),
            result.reason,
            result.usage.requests,
            len(result.calls),
            sum(1 for meta in metas if meta.get("done")),
            sum(1 for meta in metas if meta.get("coach")),
            round(time.monotonic() - began, 1),
        )


def is_done(root: Path, task: Task) -> bool:
    """Whether the files are as they should be."""
    for name, pattern in task.wanted.items():
        path = root / name
        if not path.is_file() or not re.fullmatch(pattern, path.read_text("utf-8")):
            return False
    return True


# The command


def first_calls(
    client: OpenAI, given: argparse.Namespace, show: Callable[[str], None]
) -> dict[str, Any]:
    """Play the failing first calls, with and without the coach."""
    tools = recorded_tools()
    dispatcher = Dispatcher(tools, guards=())
    failing = [one for one in recorded(given.data) if is_failing(one, dispatcher, tools)]
    show(f"{len(failing)} recorded first calls fail; {min(len(failing), given.most)} are played")
    step = max(1, len(failing) // given.most)
    found: dict[str, list[int]] = {"without": [], "with": []}
    for one in failing[::step][: given.most]:
        for way, rows in found.items():
            rows.append(turns_needed(client, given.model, one, way == "with", _options(given)))
        show(
            f"{ {way: rows[-1] for way, rows in found.items()} }  {one.expected}: {one.prompt[:60]}"
        )
    return {
        way: {
            "played": len(rows),
            "right after one": sum(turns == 1 for turns in rows),
            "right after two": sum(turns in (1, 2) for turns in rows),
        }
        for way, rows in found.items()
    }


def tasks(client: OpenAI, given: argparse.Namespace, show: Callable[[str], None]) -> dict[str, Any]:
    """Run the tasks, with and without the coach."""
    found: dict[str, list[Run]] = {way: [] for way in WAYS}
    for task in TASKS[: given.most]:
        for way, helped in WAYS.items():
            run = run_task(client, given.model, task, helped, _options(given))
            found[way].append(run)
            show(f"{way:<22} {'done  ' if run.done else 'failed'} {run.reason:<10} {run.requests} requests, {run.calls} calls,"
                 f" {run.repeated} done already, {run.coached} coached, {run.seconds} s  {task.ask[:50]}")  # fmt: skip
    return {way: dict(_sums(runs)) for way, runs in found.items()}


def _sums(runs: list[Run]) -> Iterator[tuple[str, float]]:
    yield "tasks", len(runs)
    yield "done", sum(run.done for run in runs)
    yield "completed", sum(run.reason == "completed" for run in runs)
    for name in ("requests", "calls", "repeated", "coached"):
        yield name, sum(getattr(run, name) for run in runs)


def _options(given: argparse.Namespace) -> dict[str, Any]:
    return {"temperature": 0, "seed": 1, "max_tokens": given.max_tokens}


PARTS: dict[str, Callable[..., dict[str, Any]]] = {"first": first_calls, "tasks": tasks}


def main() -> None:
    """Run the parts and print the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--base-url", required=True)
    parser.add_argument("--model", required=True)
    parser.add_argument("--data", help="recordings of first replies, one JSON object a line")
    parser.add_argument("--part", choices=PARTS, action="append")
    parser.add_argument("--most", type=int, default=12, help="calls or tasks of each part")
    parser.add_argument("--max-tokens", type=int, default=160)
    parser.add_argument("--about", default="", help="the model, its weights and the server")
    parser.add_argument("--save", metavar="NAME", help="keep the figures")
    given = parser.parse_args()
    client = OpenAI(base_url=given.base_url, api_key="none", max_retries=0, timeout=600)
    found = {}
    for part in given.part or PARTS:
        found[part] = PARTS[part](client, given, lambda line: print(line, flush=True))
        print(json.dumps({part: found[part]}, indent=2), flush=True)
        if given.save:
            path = HERE / "results" / f"coach-{given.save}.json"
            path.write_text(json.dumps({"about": given.about, **found}, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
