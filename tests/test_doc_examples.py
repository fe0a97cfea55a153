"""The examples of the pages run, and print the text below them.

The blocks of a page are one program, run in an empty folder. A `text` block after a Python block is its
output. A TOML block is a file of two cases that hold; its first line is its name. A scripted server that
answers like a small model takes the place of the one at http://localhost:11434/v1.
"""

from __future__ import annotations

import contextlib
import io
import json
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from leftovers import forgotten

from zkit.cases import load, run
from zkit.testing import Answer, ScriptedServer, says

DOCS = Path(__file__).parent.parent / "docs"
PAGES = [
    "grades.md",
    "index.md",
    "migration.md",
    "scale.md",
    "servers.md",
    "troubleshooting.md",
    "tutorial.md",
]
"""Pages without a test of their own."""
BLOCK = re.compile(r"^(`{3,})(\w*)\n(.*?)^\1$", re.M | re.S)
LOCAL = "http://localhost:11434/v1"
# What the model writes, by a word of the question: in a tag or a fence, with a trailing comma.
REPLIES = {
    "weather": '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo",}}\n</tool_call>',
    "plan": '```json\n{"name": "read_file", "arguments": {"path": "plan.txt"}}\n```',
    "Delete": '{"name": "delete_note", "arguments": {"name": "plan"}}',
    "Extract": "{'name': 'Ada Lovelace', 'year': '1815',}",
}
ANSWERS = {
    "sunny": "It is sunny in Oslo.",
    "deleted": "The note is gone.",
    "milk": "You want to buy milk.",
}


def small_model(request: dict[str, Any]) -> Answer:
    """Call a tool in the text, with a slip; then answer by what the tool returned."""
    last = request["messages"][-1]
    table = ANSWERS if last["role"] == "tool" else REPLIES
    asked = json.dumps(last["content"])
    answer = says(next(text for word, text in table.items() if word in asked), step=50)
    assert callable(answer)
    return answer(request)


def run_python(code: str, page: str, names: dict[str, Any]) -> str:
    """Return what a block prints, as part of the page's one program."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, page, "exec", dont_inherit=True), names)
    return printed.getvalue()


@pytest.mark.parametrize("page", PAGES)
def test_the_examples_of_a_page_run(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    blocks = [(kind, body) for _, kind, body in BLOCK.findall((DOCS / page).read_text("utf-8"))]
    assert any(kind == "python" for kind, _ in blocks)
    names: dict[str, Any] = {"__name__": "page"}
    with ScriptedServer(then=small_model) as server, forgotten(names):
        for (kind, body), (next_kind, said) in pairwise([*blocks, ("", "")]):
            if kind == "python":
                printed = run_python(body.replace(LOCAL, server.url), page, names)
                assert next_kind != "text" or printed == said
            elif kind == "toml":
                path = tmp_path / body.splitlines()[0].removeprefix("# ")
                path.parent.mkdir(exist_ok=True)
                path.write_text(body, "utf-8")
                assert [run(case).mismatch for case in load([path])] == [None, None]
