"""The repair package as a whole: one place finds the quotes of strings, and no module imports in a circle."""

from __future__ import annotations

import ast
import re
from pathlib import Path

PACKAGE = Path(__file__).parent.parent / "zkit" / "repair"
MODULES = {
    ".".join(("zkit", *path.relative_to(PACKAGE.parent).with_suffix("").parts)).removesuffix(
        ".__init__"
    ): path
    for path in sorted(PACKAGE.rglob("*.py"))
}


def imports(path: Path) -> set[str]:
    """The modules of the package that a module imports when it is loaded."""
    found = set()
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("zkit.repair"):
            names = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= (names & MODULES.keys()) or {node.module or ""}
    return found


def test_no_module_of_the_package_imports_itself_by_way_of_others() -> None:
    left = {name: imports(path) for name, path in MODULES.items()}
    while ready := [name for name, needed in left.items() if not needed & left.keys()]:
        for name in ready:
            del left[name]
    assert not left


def test_only_the_lexer_walks_from_quote_to_quote() -> None:
    walks = [
        f"{path.name}:{node.lineno}"
        for path in MODULES.values()
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.While | ast.For)
        for call in ast.walk(node)
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and call.func.attr in ("find", "index", "rfind", "rindex")
        and call.args
        and ast.unparse(call.args[0]) in QUOTES
    ]
    assert walks == []


def test_only_the_lexer_has_patterns_for_strings_of_any_length() -> None:
    # `[^"\\\\]*+` and then an escape: the content of a string up to the quote that ends it.
    patterns = [
        f"{path.name}:{node.lineno}"
        for path in MODULES.values()
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and STRING_CONTENT.search(node.value)
    ]
    assert patterns == []


def test_only_the_lexer_asks_whether_a_place_is_in_a_string() -> None:
    # The quotes of all the text before a place, counted: `text[:at].count('"')`.
    counts = [
        f"{path.name}:{call.lineno}"
        for path in MODULES.values()
        for call in ast.walk(ast.parse(path.read_text()))
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and call.func.attr == "count"
        and isinstance(call.func.value, ast.Subscript)
        and isinstance(call.func.value.slice, ast.Slice)
        and call.args
        and ast.unparse(call.args[0]) in QUOTES
    ]
    assert counts == []


QUOTES = (ast.unparse(ast.Constant('"')), ast.unparse(ast.Constant("'")), "quote")
STRING_CONTENT = re.compile(r"\[\^\\?[\"'](?:\\\\)++\][*+]\+?\(\?:\\\\")
