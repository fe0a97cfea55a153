"""The examples of docs/chat.md run, and print what it says they print."""

from __future__ import annotations

import contextlib
import io
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from zkit.testing import Answer, ScriptedServer, says

PAGE = (Path(__file__).parent.parent / "docs/chat.md").read_text("utf-8")
BLOCK = re.compile(r"^(`{3,})(\w*)\n(.*?)^\1$", re.M | re.S)
BLOCKS = [(kind, body) for _, kind, body in BLOCK.findall(PAGE)]
CALL = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo",}}\n</tool_call>'
ASK = '<tool_call>{"name": "ask_clarification", "arguments": {"question": "In which city?"}}</tool_call>'
CANCEL = '<tool_call>{"name": "cancel_trip", "arguments": {"city": "Oslo",}}</tool_call>'


def small_model(request: dict[str, Any]) -> Answer:
    """Call a tool in the text, with a slip; then answer."""
    last = request["messages"][-1]
    if last["role"] == "tool":
        answer = says("It is sunny in Oslo.", step=50)
    elif "where we meet" in last["content"]:
        answer = says(ASK)
    else:
        answer = says(CANCEL if "Cancel" in last["content"] else CALL)
    assert callable(answer)
    return answer(request)


def test_python_blocks_print_the_text_below_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    pairs = [
        (code, said)
        for (kind, code), (next_kind, said) in pairwise(BLOCKS)
        if (kind, next_kind) == ("python", "text")
    ]
    assert len(pairs) == sum(kind == "python" for kind, _ in BLOCKS) > 0
    names: dict[str, Any] = {}
    with ScriptedServer(then=small_model) as server:
        for code, said in pairs:
            printed = io.StringIO()
            local = code.replace("http://localhost:11434/v1", server.url)
            with contextlib.redirect_stdout(printed):
                exec(compile(local, "docs/chat.md", "exec", dont_inherit=True), names)
            assert printed.getvalue() == said
        names["bare"].close()
