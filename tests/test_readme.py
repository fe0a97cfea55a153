"""The examples of the README run, and print what it says they print."""

from __future__ import annotations

import contextlib
import io
import os
import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest
from leftovers import forgotten

from benchmarks import evidence, report
from benchmarks.recovery_chart import figure
from zkit.cases import load, run
from zkit.testing import Answer, Request, ScriptedServer, says

README = (Path(__file__).parent.parent / "README.md").read_text("utf-8")
BLOCK = re.compile(r"^(`{3,})(\w*)\n(.*?)^\1$", re.M | re.S)
BLOCKS = [(kind, body) for _, kind, body in BLOCK.findall(README)]
COMMAND = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.M)
SHELL = [pair for kind, body in BLOCKS if kind == "console" for pair in COMMAND.findall(body)]


def model(request: Request) -> Answer:
    """Answer like a small model: a fenced object with doubled braces, then a sentence."""
    if request["messages"][-1]["role"] == "tool":
        return says("It is sunny in Oslo, 21 degrees.")(request)
    call = '{{"name": "get_weather", "arguments": {"city": "Oslo"}}}'
    return says(f"```json\n{call}\n```")(request)


def test_python_blocks_print_the_text_below_them() -> None:
    """One program, block after block; a `text` block after one is its output."""
    names: dict[str, object] = {}
    shown = [
        (code, said if next_kind == "text" else "")
        for (kind, code), (next_kind, said) in pairwise(BLOCKS)
        if kind == "python"
    ]
    assert len(shown) == sum(kind == "python" for kind, _ in BLOCKS)
    with ScriptedServer(then=model) as server, forgotten(names):
        for code, said in shown:
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                here = code.replace("http://localhost:11434/v1", server.url)
                exec(compile(here, "README.md", "exec", dont_inherit=True), names)
            assert printed.getvalue() == said
    assert len(README.splitlines()) < 200


@pytest.mark.parametrize(("line", "said"), SHELL)
def test_console_blocks_print_what_they_show(line: str, said: str, tmp_path: Path) -> None:
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        line,
        shell=True,
        cwd=tmp_path,
        env={**os.environ, "PATH": path},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert done.stdout == said
    assert "Traceback" not in said


def test_the_example_of_a_case_file_holds(tmp_path: Path) -> None:
    [example] = [body for kind, body in BLOCKS if kind == "toml"]
    (tmp_path / "files.toml").write_text(example, "utf-8")
    cases = load([tmp_path])
    assert [run(case).mismatch for case in cases] == [None]


def test_the_figures_are_those_of_the_committed_results() -> None:
    """Between the markers of the README, and on the page of evidence."""
    found = report.committed()
    for name in report.PARTS:
        assert README.count(f"<!-- {name} -->") == README.count(f"<!-- /{name} -->") == 1
    assert report.put_between_markers(README, report.readme_parts(found)) == README
    page = (Path(__file__).parent.parent / "docs/evidence.md").read_text("utf-8")
    assert page == evidence.page(found)


def test_no_figure_of_our_own_sets_says_none_or_all() -> None:
    """Of 300 texts, none wrong shows that less than one in a hundred is."""
    score = {"total": {"right": 300}}
    assert (figure(score, "wrong"), figure(score, "right")) == ("< 1.0", "> 99.0")
    assert figure({"total": {"right": 299, "wrong": 1}}, "wrong") == "0.3"
