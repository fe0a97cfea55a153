"""The examples in docs/mcp.md run, and print what the page says."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path
from typing import Any

import pytest

PAGE = (Path(__file__).parent.parent / "docs/mcp.md").read_text("utf-8")
EXAMPLES = re.findall(r"```python\n(.*?)```", PAGE, re.S)
SAID = re.compile(r"^ *# >(?: (.*)|)$", re.M)


def test_every_example_prints_what_the_page_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ZKIT_CATALOG", raising=False)
    names: dict[str, Any] = {"__name__": "__main__"}
    try:
        for number, example in enumerate(EXAMPLES, 1):
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                exec(compile(example, f"example {number}", "exec"), names)
            expected = "\n".join(SAID.findall(example))
            assert printed.getvalue().rstrip() == expected.rstrip(), example
    finally:
        if "box" in names:
            names["box"].mcp.close_sync()
    assert (tmp_path / ".zkit/catalog.db").stat().st_mode & 0o777 == 0o600


def test_the_page_has_examples_for_everything() -> None:
    assert len(EXAMPLES) >= 12
    assert PAGE.count("# >") > 20
