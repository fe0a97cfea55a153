"""Type checkers find the wrong uses of the public names, and accept the right ones."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parent / "typing_examples.py"
ROOT = EXAMPLES.parent.parent
WRONG = {
    number
    for number, line in enumerate(EXAMPLES.read_text("utf-8").splitlines(), 1)
    if line.endswith("# wrong")
}


def by_mypy() -> dict[int, str]:
    command = [sys.executable, "-m", "mypy", "--no-error-summary", str(EXAMPLES)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    found = re.findall(rf"{EXAMPLES.name}:(\d+): error: (.*)", done.stdout)
    assert found or not done.stderr, done.stderr
    return {int(line): message for line, message in found}


def by_pyright() -> dict[int, str]:
    command = [sys.executable, "-m", "pyright", "--outputjson", "--pythonpath", sys.executable, str(EXAMPLES)]  # fmt: skip
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    try:
        report = json.loads(done.stdout)
    except ValueError:
        pytest.skip("pyright cannot be started here")
    return {
        one["range"]["start"]["line"] + 1: one["message"]
        for one in report["generalDiagnostics"]
        if one["severity"] == "error"
    }


@pytest.mark.slow
@pytest.mark.parametrize(("name", "check"), [("mypy", by_mypy), ("pyright", by_pyright)])
def test_a_type_checker_finds_the_wrong_uses_and_no_other(
    name: str, check: Callable[[], dict[int, str]]
) -> None:
    if find_spec(name) is None:
        pytest.skip(f"{name} is not installed")
    found = check()
    assert set(found) == WRONG, found
