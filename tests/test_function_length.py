"""Functions fit on a screen: none in the package is longer than 60 lines, its docstring included."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).parent.parent / "zkit"
MOST_LINES = 60


def functions(code: str) -> Iterator[tuple[str, int]]:
    """Yield the name of each function in the code, and how many lines it has."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name, (node.end_lineno or node.lineno) - node.lineno + 1


def test_functions_fit_on_a_screen() -> None:
    too_long = {
        f"{path.relative_to(PACKAGE)}: {name}": lines
        for path in sorted(PACKAGE.rglob("*.py"))
        for name, lines in functions(path.read_text("utf-8"))
        if lines > MOST_LINES
    }
    assert too_long == {}
