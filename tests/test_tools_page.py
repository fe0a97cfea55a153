"""The examples of docs/tools.md run, and print what it says they print."""

from __future__ import annotations

import contextlib
import io
import re
from itertools import pairwise
from pathlib import Path

import pytest

PAGE = (Path(__file__).parent.parent / "docs/tools.md").read_text("utf-8")
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.M | re.S)
BLOCKS = BLOCK.findall(PAGE)


def test_python_blocks_print_the_text_below_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One program, block after block; the `text` block after each is its output."""
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "page"}
    pairs = [
        (code, said)
        for (kind, code), (next_kind, said) in pairwise(BLOCKS)
        if (kind, next_kind) == ("python", "text")
    ]
    assert len(pairs) == sum(kind == "python" for kind, _ in BLOCKS)
    for code, said in pairs:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, "docs/tools.md", "exec", dont_inherit=True), names)
        assert printed.getvalue() == said
