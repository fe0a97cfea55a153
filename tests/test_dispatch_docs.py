"""The examples in docs/dispatch.md run, and print what the page says."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path
from typing import Any

PAGE = (Path(__file__).parent.parent / "docs/dispatch.md").read_text("utf-8")
EXAMPLES = re.findall(r"```python\n(.*?)```", PAGE, re.S)
SAID = re.compile(r"^ *# >(?: (.*)|)$", re.M)


def test_every_example_prints_what_the_page_says() -> None:
    names: dict[str, Any] = {"__name__": "__main__"}
    for number, example in enumerate(EXAMPLES, 1):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(example, f"example {number}", "exec"), names)
        expected = "\n".join(SAID.findall(example))
        assert printed.getvalue().rstrip() == expected.rstrip(), example


def test_the_page_has_examples_for_every_step() -> None:
    assert len(EXAMPLES) >= 12
    assert PAGE.count("# >") > 25
