"""Parse, generate and check the document of a tool: Markdown with named sections."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from zkit.errors import KitError
from zkit.json_types import JsonMapping
from zkit.tools import ToolSpec, thaw
from zkit.tools.projections import described, guide_lines, type_text

log = logging.getLogger("zkit")

TITLES = ("Signature", "Parameters", "Returns", "Examples", "Notes", "Errors")
"""The titles of a document's sections, in their order; the table of failure modes refers to them."""
_FENCES = ("```", "~~~")
_COUPLING = ("is pure", "reads", "executes", "writes")


@dataclass(frozen=True, slots=True)
class DocSection:
    """A section of a document; `file` is the document's path, empty if it was made from a spec."""

    title: str
    content: str
    file: str = ""
    level: int = 2
    tool: str = ""

    def to_dict(self) -> dict[str, str]:
        """Return the section as plain data."""
        return {"title": self.title, "content": self.content, "file": self.file}


def parse_document(text: str, *, file: str = "", tool: str = "") -> list[DocSection]:
    """Return the sections of a Markdown text, in their order.

    Sections begin at second-level headings, or at the highest level if there are none of these.
    Deeper headings, and lines in a fence that look like headings, are part of the content. A text
    without headings is one section without a title.
    """
    lines = text.splitlines()
    headings = list(_headings(lines))
    levels = {level for _, level, _ in headings}
    if not levels:
        body = text.strip()
        return [DocSection("", body, file, 0, tool)] if body else []
    wanted = 2 if 2 in levels else min(levels)
    marks = [mark for mark in headings if mark[1] <= wanted]
    ends = [at for at, _, _ in marks[1:]] + [len(lines)]
    return [
        DocSection(title, "\n".join(lines[at + 1 : end]).strip(), file, level, tool)
        for (at, level, title), end in zip(marks, ends, strict=True)
        if level == wanted
    ]


def _headings(lines: list[str]) -> Iterator[tuple[int, int, str]]:
    """Yield the line number, level and title of each heading outside of fences."""
    fence = ""
    for at, line in enumerate(lines):
        start = line.lstrip()[:3]
        if fence or start in _FENCES:
            # A fence ends with the mark that began it.
            fence = "" if fence == start else fence or start
            continue
        level = len(line) - len(line.lstrip("#"))
        if 0 < level <= 6 and line[level : level + 1] in (" ", "\t"):
            yield at, level, line[level:].strip().rstrip("#").strip()


def document_sections(spec: ToolSpec, source: object = None) -> list[DocSection]:
    """Return the sections of a tool's document, or of one made from its spec.

    The document is read now. If it cannot be read, that is logged and the spec is used.
    """
    text = None if not spec.docs else read_or_none(spec.docs, source)
    if text is not None:
        return parse_document(text, file=spec.docs or "", tool=spec.name)
    return parse_document(tool_document(spec), tool=spec.name)


def source_of_documents(source: object) -> Any:
    """Return the source itself if it has documents, or the nearest wrapped one that has; else None."""
    while source is not None and not hasattr(source, "resolve_doc"):
        inner = getattr(source, "settings", None)  # a dispatcher is a source too
        source = getattr(source if inner is None else inner, "source", None)
    return source


def read_or_none(path: str, source: object) -> str | None:
    """Return the text of a document; None if it is missing or cannot be read."""
    documented = source_of_documents(source)
    if documented is None:
        return None
    try:
        found: str | None = documented.resolve_doc(path)
    except (KitError, OSError) as error:
        log.warning("the document %r cannot be read: %s", path, error)
        return None
    return found


# Writing


def tool_document(spec: ToolSpec) -> str:
    """Return a document for a tool, made from its spec.

    Sections for which the spec has no content are left out; `lint_document` names them.
    """
    parts = [f"# {spec.name}", described(spec).strip()]
    for title, write in _WRITERS.items():
        body = write(spec).strip()
        parts += [f"## {title}\n\n{body}"] if body else []
    return "\n\n".join(part for part in parts if part) + "\n"


def _signature(spec: ToolSpec) -> str:
    return f"```python\n{spec.signature()}\n```"


def _parameters(spec: ToolSpec) -> str:
    properties, required = spec.parameters["properties"], spec.parameters.get("required", ())
    return "\n".join(
        _parameter(name, part, name in required, spec) for name, part in properties.items()
    ) or ("It takes no parameters.")


def _parameter(name: str, part: object, required: bool, spec: ToolSpec) -> str:
    known: JsonMapping = part if isinstance(part, Mapping) else {}
    about = " ".join(str(known.get("description") or "").split())
    due = "required" if required else "optional"
    if "default" in known:
        due = f"default {_json(known['default'])}"
    head = f"- `{name}` ({type_text(part, spec.parameters)}, {due})"
    return f"{head}: {about}" if about else head


def _returns(spec: ToolSpec) -> str:
    if spec.output is None:
        return "Not declared."
    about = " ".join(str(spec.output.get("description") or "").split())
    kind = f"`{type_text(spec.output, spec.output)}`"
    return f"{kind}: {about}" if about else kind


def _examples(spec: ToolSpec) -> str:
    return "\n\n".join(
        "\n".join(
            [
                *([one.description] if one.description else []),
                f"```json\n{_json(one.arguments)}\n```",
                *([f"Result: {one.outcome}"] if one.outcome else []),
            ]
        )
        for one in spec.examples
    )


def _grade(spec: ToolSpec) -> str:
    grade = spec.effective_grade
    lines = [f"`{grade}`: it {_COUPLING[grade.w]}."]
    if isinstance(spec.destructive, Mapping):
        asks = [f"`{name}={v}`" for name, values in spec.destructive.items() for v in values]
        lines += [f"It asks for approval with {', '.join(asks)}."]
    elif spec.destructive:
        lines += ["It asks for approval."]
    return " ".join(lines)


def _notes(spec: ToolSpec) -> str:
    return "\n".join(f"- {line}" for line in guide_lines(spec.guide))


def _errors(spec: ToolSpec) -> str:
    return "\n".join(f"- {mode}" for mode in spec.error_modes)


_WRITERS: Mapping[str, Callable[[ToolSpec], str]] = {
    "Signature": _signature,
    "Parameters": _parameters,
    "Returns": _returns,
    "Grade": _grade,
    "Examples": _examples,
    "Notes": _notes,
    "Errors": _errors,
}


def _json(value: object) -> str:
    return json.dumps(thaw(value), ensure_ascii=False)


# Checking


def lint_document(text: str, spec: ToolSpec | None = None) -> list[str]:
    """Return the problems of a tool's document; an empty list if it is complete.

    They are missing, empty and repeated sections, and with a spec also parameters that the document
    does not mention.
    """
    sections = parse_document(text)
    titles = [section.title for section in sections]
    known = {section.title: section.content for section in sections}
    found = [f"the section {title} is missing" for title in TITLES if title not in known]
    found += [f"the section {title} is empty" for title in TITLES if known.get(title) == ""]
    found += [f"the section {title} is there twice" for title in TITLES if titles.count(title) > 1]
    if spec is not None:
        names = spec.parameters["properties"]
        found += [f"the parameter {name} is not named" for name in names if name not in text]
    return found
