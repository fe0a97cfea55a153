"""Counts the annotations of a package that say `Any`, and its lines of code."""

from __future__ import annotations

import ast
import io
import tokenize
from pathlib import Path

_BLANK = frozenset(
    [
        *(tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE),
        *(tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER),
    ]
)
_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def any_and_lines(folder: Path) -> tuple[int, int]:
    """Return how often `Any` is used in the code of a folder, except in imports, and its lines of
    code."""
    found = lines = 0
    for path in sorted(folder.rglob("*.py")):
        source = path.read_text("utf-8")
        tree = ast.parse(source)
        skipped = {line for node in ast.walk(tree) for line in _lines_of_docstring(node)}
        names = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
        found += sum(name.id == "Any" for name in names)
        code: set[int] = set()
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            if token.type not in _BLANK:
                code.update(range(token.start[0], token.end[0] + 1))
        lines += len(code - skipped)
    return found, lines


def _lines_of_docstring(node: ast.AST) -> range:
    if not isinstance(node, _DOCUMENTED) or ast.get_docstring(node) is None:
        return range(0)
    return range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1)


if __name__ == "__main__":
    for folder in sorted(path for path in Path("zkit").iterdir() if path.is_dir()):
        count, lines = any_and_lines(folder)
        if lines:
            print(f"{folder.name:14}{count:5}{lines:7}{1000 * count / lines:7.1f}")
