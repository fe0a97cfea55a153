"""The programs in examples/ run, as they are, against a server that answers like a small model."""

from __future__ import annotations

import io
import os
import runpy
import subprocess
import sys
from contextlib import chdir, redirect_stdout
from importlib.util import find_spec
from pathlib import Path
from unittest import mock

import pytest

from zkit.testing import Answer, Request, ScriptedServer, says

EXAMPLES = Path(__file__).parent.parent / "examples"
LONGEST = 60
WEATHER = '```json\n{{"name": "get_weather", "arguments": {"city": "Oslo"}}}\n```'
EDIT = '{"name": "edit_file", "arguments": {"path": "notes.txt", "old_str": "milk", "new_str": "bread"}}'
CANCEL = '<tool_call>\n{"name": "cancel_trip", "arguments": {"city": "Oslo",}}\n</tool_call>'
PRINTS = {
    "five_lines": ["It is done: sunny, 21 degrees in Oslo"],
    "wrap_streaming": ['get_weather {"city": "Oslo"}'],
    "typed_tool": ["searching 'zkit', 5 results, newest first", "order"],
    "edit_files": ["edit_file Success", "buy bread"],
    "pause_and_resume": ["cancel_trip", "the trip to Oslo is cancelled"],
    "mcp_both_ways": ["ready", "ours_get_weather", "sunny in Oslo for 3 days"],
    "framework_transport": ["It is done: sunny, 21 degrees in Oslo"],
    "batch_report": ["would have been lost"],
}


OWN_PROCESS = ("five_lines", "mcp_both_ways", "framework_transport")
"""One as users start it, one that starts itself again, and one whose framework leaves things behind."""


def in_a_process(name: str, place: Path, env: dict[str, str]) -> str:
    done = subprocess.run(
        [sys.executable, EXAMPLES / f"{name}.py"],
        cwd=place,
        env={**os.environ, **env},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def in_this_process(name: str, place: Path, env: dict[str, str]) -> str:
    """Run a program here: starting a process takes seconds."""
    shown, program = io.StringIO(), str(EXAMPLES / f"{name}.py")
    no_options = mock.patch.object(
        sys, "argv", [program]
    )  # those of pytest are not for the program
    with mock.patch.dict(os.environ, env), no_options, chdir(place), redirect_stdout(shown):
        runpy.run_path(program, run_name="__main__")
    return shown.getvalue()


def model(request: Request) -> Answer:
    """Call the tool that is on offer, in text as small models do; answer with its result."""
    last = request["messages"][-1]
    if last["role"] == "tool":
        return says(f"It is done: {last['content']}")(request)
    offered = str(request.get("tools"))
    for name, call in (("cancel_trip", CANCEL), ("edit_file", EDIT), ("get_weather", WEATHER)):
        if name in offered:
            return says(call)(request)
    return says("There is nothing to call.")(request)


def test_every_example_is_short_and_tested() -> None:
    found = {path.stem: len(path.read_text("utf-8").splitlines()) for path in EXAMPLES.glob("*.py")}
    assert sorted(found) == sorted(PRINTS)
    assert {name: lines for name, lines in found.items() if lines >= LONGEST} == {}


@pytest.mark.parametrize("name", PRINTS)
def test_an_example_prints_what_it_should(name: str, tmp_path: Path) -> None:
    if name == "framework_transport" and not (
        find_spec("langchain") and find_spec("langchain_openai")
    ):
        pytest.skip("langchain and langchain-openai are not installed")
    with ScriptedServer(then=model) as server:
        env = {"ZKIT_BASE_URL": server.url, "ZKIT_MODEL": "small"}
        shown = (in_a_process if name in OWN_PROCESS else in_this_process)(name, tmp_path, env)
    for words in PRINTS[name]:
        assert words in shown
