"""A docstring in, its first paragraph and what it says of each parameter out."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

# Sections whose entries describe what a caller passes in; each as griffe names it.
_ENTRIES = ("parameters", "other parameters", "attributes")


@dataclass(frozen=True, slots=True)
class Described:
    """What a docstring says: of the whole (its first paragraph, and all its prose), and by name."""

    summary: str = ""
    prose: str = ""
    entries: Mapping[str, str] = field(default_factory=dict)


NOTHING = Described()


def describe(docstring: str | None) -> Described:
    """Read a docstring in Google, numpy or Sphinx style."""
    text = inspect.cleandoc(docstring or "").strip()
    if not text:
        return NOTHING
    if "\n" not in text:  # the common short form has no sections: no need to load griffe for it
        return Described(text, text)
    sections = _sections(text)
    prose = "\n\n".join(str(s.value).strip() for s in sections if s.kind.value == "text")
    return Described(_first_paragraph(prose), prose, _entries(sections))


def _sections(text: str) -> list[Any]:
    """The sections of a docstring, in the style that it is written in."""
    import griffe

    parsed: list[Any] = griffe.parse_auto(
        griffe.Docstring(text),
        method="heuristics",
        per_style_options={
            "google": {"warnings": False},
            "numpy": {"warnings": False},
            "sphinx": {"warnings": False},
        },
    )
    return parsed


def _entries(sections: list[Any]) -> dict[str, str]:
    found: dict[str, str] = {}
    for section in sections:
        if section.kind.value in _ENTRIES:
            for entry in section.value:
                found.setdefault(entry.name.lstrip("*"), _one_line(entry.description))
    return {name: text for name, text in found.items() if text}


def _first_paragraph(text: str) -> str:
    return _one_line(text.split("\n\n", 1)[0])


def _one_line(text: str) -> str:
    return " ".join(text.split())
