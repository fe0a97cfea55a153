"""The table in docs/architecture.md says who may import whom; the code must agree."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
ROW = re.compile(r"^\| `(zkit[\w.]*)` \|[^|]*\| ([^|]*) \|$", re.M)
ROWS: list[tuple[str, str]] = ROW.findall((ROOT / "docs/architecture.md").read_text("utf-8"))
ORDER = [name for name, _ in ROWS]
ON_DEMAND = {name: set(re.findall(r"`(zkit[\w.]*)`", cell)) for name, cell in ROWS}
MODULES = sorted((ROOT / "zkit").rglob("*.py"))
HEAVY = ("click", "rich", "openai", "mcp", "json_repair", "regex", "anyio", "griffe", "jsonschema")


class Import(NamedTuple):
    """One imported module, its line, and whether it is imported late: in a function, or only for types."""

    module: str
    line: int
    late: bool


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts).removesuffix(".__init__")


def layer(module: str) -> str:
    """Return the package of the table that holds the module."""
    inside = [name for name in ORDER if f"{module}.".startswith(f"{name}.")]
    return max(inside, key=len)


def imports(path: Path) -> Iterator[Import]:
    """Return every import of zkit's own modules in a file."""
    waiting: list[tuple[ast.AST, bool]] = [(ast.parse(path.read_text("utf-8")), False)]
    while waiting:
        node, late = waiting.pop()
        late = late or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) or _for_types(node)
        for block in ("body", "orelse", "handlers", "finalbody", "cases"):
            inner = getattr(node, block, ())  # the body of a lambda is one expression
            waiting += [(one, late) for one in inner] if isinstance(inner, list) else []
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        for name in names:
            if name.split(".")[0] == "zkit":
                yield Import(name, getattr(node, "lineno", 0), late)


def _for_types(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"


def test_imports_point_to_rows_above() -> None:
    wrong = []
    for path in MODULES:
        own = layer(module_name(path))
        for found in imports(path):
            used = layer(found.module)
            below = ORDER.index(used) > ORDER.index(own)
            if below and not (found.late and used in ON_DEMAND[own]):
                wrong.append(f"{path.relative_to(ROOT)}:{found.line} imports {found.module}")
    assert wrong == []


def test_every_package_is_in_the_table() -> None:
    """A package inside another one shares its row."""
    folders = {path.parent for path in MODULES if path.name == "__init__.py"}
    packages = {
        module_name(p / "__init__.py") for p in folders if p.parent in (ROOT, ROOT / "zkit")
    }
    top = {module_name(path) for path in MODULES if path.parent.name == "zkit"}
    assert sorted(packages | top) == sorted(ORDER)


def test_every_package_says_what_it_does() -> None:
    packages = [path for path in MODULES if path.name == "__init__.py"]
    assert [p for p in packages if not ast.get_docstring(ast.parse(p.read_text("utf-8")))] == []


def test_import_zkit_loads_nothing_heavy() -> None:
    code = f"import sys, zkit; print([name for name in {HEAVY!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
