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

from benchmarks import evidence, report
from zkit.cases import load, run

README = (Path(__file__).parent.parent / "README.md").read_text("utf-8")
BLOCK = re.compile(r"^(`{3,})(\w*)\n(.*?)^\1$", re.M | re.S)
BLOCKS = [(kind, body) for _, kind, body in BLOCK.findall(README)]
COMMAND = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.M)
SHELL = [pair for kind, body in BLOCKS if kind == "console" for pair in COMMAND.findall(body)]


def test_python_blocks_print_the_text_below_them() -> None:
    """One program, block after block; the `text` block after each is its output."""
    names: dict[str, object] = {}
    pairs = [
        (code, said)
        for (kind, code), (next_kind, said) in pairwise(BLOCKS)
        if (kind, next_kind) == ("python", "text")
    ]
    assert pairs
    assert len(pairs) == sum(kind == "python" for kind, _ in BLOCKS)
    for code, said in pairs:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, "README.md", "exec", dont_inherit=True), names)
        assert printed.getvalue() == said


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
    assert [run(case).deviation for case in cases] == [None, None]


def test_the_figures_are_those_of_the_committed_results() -> None:
    """Between the markers of the README, and on the page of evidence."""
    found = report.committed()
    assert README.count("<!-- results -->") == README.count("<!-- /results -->") == 1
    assert report.put_between_markers(README, report.readme_part(found)) == README
    page = (Path(__file__).parent.parent / "docs/evidence.md").read_text("utf-8")
    assert page == evidence.page(found)
