"""Write docs/api.md: the signature and the first paragraph of every public name."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable
from enum import Enum
from typing import Any, ForwardRef

from pydantic import BaseModel

import zkit
from zkit.json_types import JsonObject

INTRO = """\
# API reference

This page is generated from the signatures and docstrings of the names that `zkit` exports: `make
docs` writes it, and a test fails when it drifts. `help(zkit.NAME)` shows the whole docstring. Where a
`Rank` or a `Grade` is taken, its name as a string will do: `limit="COMPLETE"`, `grade="read"`.
"""
SECTIONS: dict[str, tuple[str, ...]] = {
    "Run an agent": ("run", "ChatLoop", "wrap"),
    "Declare tools": ("tool", "Tool", "TypedTool", "ToolSpec", "Grade", "Context"),
    "Collect tools": ("ToolSource", "Toolbox", "Kit", "MemoSource"),
    "Run calls": ("Dispatcher", "Call"),
    "Results": ("Success", "Validation", "Transient", "Refused", "Crashed"),
    "Effects": ("FileEffect", "ProcessEffect"),
    "Find calls in text": ("find_calls", "Extractor", "Extraction", "instructions", "render_call"),
    "Typed arguments": ("decode_args", "decode", "Decoded", "schema_for", "lint_schema"),
    "Repair JSON": ("repair_json", "loads", "repair_all", "PartialReader"),
    "Outcomes of a repair": ("Repaired", "Unrepairable", "RepairError", "Rank", "Fix"),
}
_WIDTH = 92  # a signature that is longer has a line for each parameter
_ADDRESS = re.compile(r" at 0x[0-9a-f]+")


def api_page() -> str:
    """Return the page: every public name by subject."""
    parts = [INTRO]
    seen: set[object] = set()
    for title, names in SECTIONS.items():
        parts.append(f"## {title}\n")
        parts += [_entry(name, getattr(zkit, name), seen) for name in names]
    return "\n".join(parts)


def _entry(name: str, found: Any, seen: set[object]) -> str:
    """Return one name: heading, signature, first paragraph, and the methods of a class."""
    if inspect.isclass(found) and issubclass(found, BaseModel):
        found.model_rebuild()  # a model that is built on first use has no signature before
    shown = [f"### {name}\n", f"```python\n{_signature(name, found)}\n```\n"]
    shown.append(f"{_first_paragraph(found)}\n")
    methods = _methods(found) if inspect.isclass(found) else []
    lines = [_method(one, method) for one, method in methods if method not in seen]
    again = [f"`{one}`" for one, method in methods if method in seen]
    seen.update(method for _, method in methods)
    if again:
        lines.append(f"* As above: {', '.join(again)}")
    return "\n".join([*shown, *(["\n".join(lines) + "\n"] if lines else [])])


def _method(name: str, method: Any) -> str:
    """Return one method as an entry of a list."""
    prefix = "await " if inspect.iscoroutinefunction(method) else ""
    return f"* `{prefix}{_signature(name, method, one_line=True)}`: {_first_paragraph(method)}"


def _methods(owner: type) -> list[tuple[str, Any]]:
    """The public methods that a class of ours defines, by name."""
    found: JsonObject = {}
    for one in reversed(owner.__mro__):
        if one.__module__.startswith("zkit"):
            found |= {
                name: value.__func__ if isinstance(value, classmethod | staticmethod) else value
                for name, value in vars(one).items()
            }
    return sorted(
        (name, value)
        for name, value in found.items()
        if not name.startswith("_") and inspect.isfunction(value) and value.__doc__
    )


def _signature(name: str, found: Any, *, one_line: bool = False) -> str:
    """Return how something is called, the way a stub file writes it."""
    if inspect.isclass(found) and issubclass(found, Enum):
        return f"class {name}: {', '.join(member.name for member in found)}"
    if inspect.isclass(found) and getattr(found, "_is_protocol", False):
        return f"class {name}(Protocol)"
    signature = inspect.signature(found)
    shown = [part for part in _parameters(signature.parameters.values()) if part != "self"]
    returns = signature.return_annotation
    has_result = returns is not inspect.Signature.empty and not inspect.isclass(found)
    result = f" -> {_annotation(returns)}" if has_result else ""
    line = f"{name}({', '.join(shown)}){result}"
    if one_line or len(line) <= _WIDTH:
        return line
    lines = "".join(f"    {part},\n" for part in shown)
    return f"{name}(\n{lines}){result}"


def _parameters(parameters: Iterable[inspect.Parameter]) -> list[str]:
    """Return the parameters as text, with the star before those that need their name."""
    shown: list[str] = []
    starred = False
    for one in parameters:
        if one.name == "cls" and not shown:
            continue
        if one.kind is one.VAR_POSITIONAL:
            starred = True
        if one.kind is one.KEYWORD_ONLY and not starred:
            starred = True
            shown.append("*")
        shown.append(_parameter(one))
    return shown


def _parameter(one: inspect.Parameter) -> str:
    stars = 1 if one.kind is one.VAR_POSITIONAL else 2 if one.kind is one.VAR_KEYWORD else 0
    text = "*" * stars + one.name
    if one.annotation is not one.empty:
        text += f": {_annotation(one.annotation)}"
    if one.default is one.empty:
        return text
    return f"{text}{' = ' if ':' in text else '='}{_default(one.default)}"


def _default(value: object) -> str:
    if isinstance(value, Enum):
        return f"{type(value).__name__}.{value.name}"
    shown = repr(value)
    return "..." if _ADDRESS.search(shown) or shown.startswith("<") else shown


def _annotation(value: Any) -> str:
    if isinstance(value, ForwardRef):
        return value.__forward_arg__
    if isinstance(value, str):
        return value
    text = (
        value.__name__ if inspect.isclass(value) and not hasattr(value, "__args__") else str(value)
    )
    return re.sub(r"\b(?:\w+\.)+(?=\w)", "", text)


def _first_paragraph(found: object) -> str:
    text = inspect.getdoc(found) or ""
    return " ".join(text.split("\n\n")[0].split())
