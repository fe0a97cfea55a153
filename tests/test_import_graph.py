"""Modules import each other in one direction: no cycles among the imports at the top of modules."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

ROOT = Path(__file__).parent.parent
NAMES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
    for path in sorted((ROOT / "zkit").rglob("*.py"))
}


def imported(module: str) -> Iterator[str]:
    """Yield the modules that a module imports when it is loaded; not those for type checkers."""
    waiting = list(ast.parse(NAMES[module].read_text("utf-8")).body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in NAMES)
        elif isinstance(node, ast.ImportFrom) and node.module in NAMES:
            for alias in node.names:
                below = f"{node.module}.{alias.name}"
                yield below if below in NAMES else str(node.module)
        elif isinstance(node, ast.Try):
            waiting += [*node.body, *node.orelse, *node.finalbody]
        elif isinstance(node, ast.If) and "TYPE_CHECKING" not in ast.dump(node.test):
            waiting += [*node.body, *node.orelse]


def graph() -> dict[str, set[str]]:
    """Return what each module imports.

    Loading a package's `__init__` loads its modules, which may then import from other packages
    but not from their own `__init__`: that would be a cycle, and is found as one.
    """
    return {module: {one for one in imported(module) if one != module} for module in NAMES}


def test_no_import_closes_a_cycle() -> None:
    try:
        TopologicalSorter(graph()).prepare()
    except CycleError as error:
        raise AssertionError(" → ".join(error.args[1])) from None


def test_a_cycle_is_found() -> None:
    found = {"a": {"b", "c"}, "b": {"c"}, "c": set[str]()}
    leaf = next(name for name, targets in found.items() if not targets)
    user = next(name for name, targets in found.items() if leaf in targets)
    found[leaf].add(user)
    try:
        TopologicalSorter(found).prepare()
    except CycleError:
        return
    raise AssertionError("a cycle was not found")
