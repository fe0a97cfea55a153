"""Tasks of two to four calls on files, run on a live model with and without the coach."""

from __future__ import annotations

import re
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from zkit.chat import ChatLoop, RunResult
from zkit.coach import Coach
from zkit.dispatch import Dispatcher, repeated_calls
from zkit.sources import Toolbox
from zkit.std import std_tools

SYSTEM = "You are a helpful assistant with tools. Call tools to do what you are asked, one at a time. When it is done, say so."
FILE_TOOLS = ("read_file", "write_file", "edit_file", "find_files", "grep")


class Way(NamedTuple):
    """What helps the model: the coach, and the rule that a write which is done is not run again."""

    coach: bool
    once: bool


NEITHER, RULE, BOTH = "neither", "the rule for writes", "the rule and the coach"
WAYS = {NEITHER: Way(False, False), RULE: Way(False, True), BOTH: Way(True, True)}


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
    """The outcome of a task."""

    done: bool
    reason: str
    requests: int
    calls: int
    repeated: int
    coached: int
    seconds: float


@contextmanager
def prepared(task: Task, way: Way) -> Iterator[tuple[Path, Dispatcher]]:
    """A folder with the files of a task, and the tools that work on it."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for name, text in task.files.items():
            (root / name).write_text(text, "utf-8")
        box = Toolbox(std_tools(root, only=FILE_TOOLS))
        exempt = () if way.once else ("write_file", "edit_file")
        yield root, Dispatcher(box, guards=[repeated_calls(except_for=exempt)])


def run_task(client: Any, model: str, task: Task, way: Way, options: dict[str, Any]) -> Run:
    """Run a task in a folder of its own."""
    with prepared(task, way) as (root, dispatcher):
        began = time.monotonic()
        result = run_loop(client, model, dispatcher, task.ask, way.coach, 9, options)
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


def run_loop(
    client: Any,
    model: str,
    tools: Any,
    ask: str,
    coach: Coach | bool,
    turns: int,
    options: dict[str, Any],
) -> RunResult:
    """Run a loop until it ends."""
    loop = ChatLoop(client, model, tools, system=SYSTEM, coach=coach, max_turns=turns, **options)
    return loop.run_sync(ask)


def is_done(root: Path, task: Task) -> bool:
    """Whether the files are as they should be."""
    for name, pattern in task.wanted.items():
        path = root / name
        if not path.is_file() or not re.fullmatch(pattern, path.read_text("utf-8")):
            return False
    return True
