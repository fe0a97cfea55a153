"""The table in docs/architecture.md says who may import whom; the code must agree."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
ROW = re.compile(r"^\| `(zkit[\w.]*)` \|[^|]*\| ([^|]*) \|$", re.M)
PAGE = (ROOT / "docs/architecture.md").read_text("utf-8")
MAY_IMPORT: dict[str, set[str]] = {
    name: set(re.findall(r"`(zkit[\w.]*)`", cell)) for name, cell in ROW.findall(PAGE)
}
MODULES = sorted((ROOT / "zkit").rglob("*.py"))
HEAVY = ("click", "rich", "openai", "mcp", "json_repair", "regex", "anyio", "griffe", "jsonschema")


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts).removesuffix(".__init__")


def layer(module: str) -> str:
    """Return the package of the table that holds the module."""
    inside = [name for name in MAY_IMPORT if f"{module}.".startswith(f"{name}.")]
    return max(inside, key=len)


def imported(path: Path) -> Iterator[str]:
    """Name every module that a file imports, also inside functions."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def is_of_zkit(module: str) -> bool:
    return module.split(".")[0] == "zkit"


@pytest.mark.parametrize("path", MODULES, ids=module_name)
def test_imports_go_downward_only(path: Path) -> None:
    own = layer(module_name(path))
    used = {layer(module) for module in imported(path) if is_of_zkit(module)}
    assert used - {own} <= MAY_IMPORT[own]


def test_every_package_is_in_the_table() -> None:
    """Every package, that is, but those inside another one: they share its row."""
    folders = {path.parent for path in MODULES if path.name == "__init__.py"}
    packages = {
        module_name(p / "__init__.py") for p in folders if p.parent in (ROOT, ROOT / "zkit")
    }
    top = {module_name(path) for path in MODULES if path.parent.name == "zkit"}
    assert packages | top == set(MAY_IMPORT)


def test_the_table_has_no_circle() -> None:
    """A package may import only what stands above it in the table."""
    seen: set[str] = set()
    for name, allowed in MAY_IMPORT.items():
        assert allowed <= seen
        seen.add(name)


def test_text_stands_on_nothing() -> None:
    assert MAY_IMPORT["zkit.text"] == set()


def test_import_zkit_loads_nothing_heavy() -> None:
    code = f"import sys, zkit; print([name for name in {HEAVY!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
