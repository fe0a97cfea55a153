"""The documentation page of a standard tool, made from its declaration."""

from __future__ import annotations

import json
from typing import Any

from zkit.std.toolset import FAMILIES, std_tools
from zkit.tools import ToolSpec, thaw


def std_specs() -> dict[str, ToolSpec]:
    """What every standard tool declares, by name, as it is where commands are confined."""
    specs = [tool.definition() for tool in std_tools(".", sandbox=False)]
    return {spec.name: spec for spec in specs}


def family_of(name: str) -> str:
    """The family of a tool."""
    return next(family for family, names in FAMILIES.items() if name in names)


def tool_page(spec: ToolSpec) -> str:
    """Return the page of a tool, with the sections that corrective messages quote from."""
    sections = {
        "Signature": f"```text\n{spec.signature()}\n```",
        "Parameters": "\n".join(_parameters(spec)) or "None.",
        "Returns": _returns(spec),
        "Grade": _grade(spec),
        "Examples": "\n".join(_examples(spec)),
        "Notes": "\n".join(f"* {note}" for note in _notes(spec)),
    }
    body = "\n".join(f"\n## {title}\n\n{text}" for title, text in sections.items())
    return f"# {spec.name}\n\n{spec.description.strip()}\n{body}\n"


def _parameters(spec: ToolSpec) -> list[str]:
    schema: dict[str, Any] = thaw(spec.parameters)
    needed = schema.get("required", [])
    rows = []
    for name, part in schema.get("properties", {}).items():
        about = part.get("description", "")
        default = "" if name in needed else f" Default: `{json.dumps(part.get('default'))}`."
        choice = (
            f" One of {', '.join(f'`{one}`' for one in part['enum'])}." if "enum" in part else ""
        )
        rows.append(
            f"* `{name}`{' (required)' if name in needed else ''}: {about}{choice}{default}"
        )
    return rows


def _returns(spec: ToolSpec) -> str:
    if spec.output is None or thaw(spec.output).get("type") == "string":
        return "Text."
    fields = thaw(spec.output).get("properties", {})
    listed = ", ".join(f"`{name}`" for name in fields)
    return f"A record: {listed}. `output` chooses labelled lines or JSON." if fields else "A list."


def _grade(spec: ToolSpec) -> str:
    kinds = ("pure", "reads", "executes", "writes")
    grade = spec.effective_grade
    text = f"`{grade}`: it {kinds[grade.w] if grade.w else 'is pure'}."
    if isinstance(spec.destructive, bool):
        return text + (
            " It asks for approval where nothing confines it." if spec.destructive else ""
        )
    asks = [f"`{name}={value}`" for name, values in spec.destructive.items() for value in values]
    return f"{text} {', '.join(asks)} asks for approval."


def _examples(spec: ToolSpec) -> list[str]:
    shown = [
        (one.description, json.dumps(thaw(one.arguments), ensure_ascii=False))
        for one in spec.examples
    ]
    return [f"* {about}: `{spec.name}({arguments})`" for about, arguments in shown]


def _notes(spec: ToolSpec) -> list[str]:
    guide = spec.guide
    notes = [*guide.when_to_use, *(f"Not: {text}" for text in guide.when_not_to_use), *guide.tips]
    return [*notes, *(f"Fails with {mode}." for mode in spec.error_modes)]
