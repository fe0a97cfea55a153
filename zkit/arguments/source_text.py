"""Finds the text of a value, and the value at a path, in what the model wrote."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from functools import cached_property
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import NamedTuple

from zkit.arguments.shape import Shape
from zkit.receipt import Fix
from zkit.text.blanks import skip_spaces
from zkit.text.edits import Edit, Layer

Step = str | int
_RAW = json.JSONDecoder(strict=False).raw_decode
# After these fixes the repaired text is what the model meant; the original is escaped.
_WHOLE = frozenset({"unwrap_string", "unescape_payload", "unescape_entities"})


class Source:
    """The text that a value was read from, and the fixes that made strict JSON of it.

    Places are looked up on demand, and each container is scanned once.
    """

    def __init__(self, text: str, fixes: tuple[Fix, ...] = ()) -> None:
        self.text = text
        self.fixes = fixes
        self._parts: dict[int, dict[Step, int]] = {}

    @cached_property
    def _layer(self) -> Layer:
        return Layer.over(self.text, [Edit(fix.start, fix.end, fix.new) for fix in self.fixes])

    def slice(self, path: tuple[Step, ...]) -> str | None:
        """Return the text of the value at `path` as it was written; None when it is not there."""
        strict = self._layer.text
        try:
            at = skip_spaces(strict, 0)
            for step in path:
                at = self._parts_at(at)[step]
            end = _RAW(strict, at)[1]
        except (KeyError, ValueError, IndexError, RecursionError):
            return None
        if not self.fixes or any(fix.name in _WHOLE for fix in self.fixes):
            return strict[at:end]
        return self.text[self._layer.source_start(at) : self._layer.source_end(end)]

    def _parts_at(self, at: int) -> dict[Step, int]:
        """Return where each part begins, of the container that begins at `at`."""
        found = self._parts.get(at)
        if found is None:
            strict = self._layer.text
            scan = {"{": _members, "[": _items}.get(strict[at])
            found = self._parts[at] = scan(strict, at) if scan else {}
        return found


def _members(text: str, at: int) -> dict[Step, int]:
    """Return where the value of each key begins; the last of several equal keys counts."""
    found: dict[Step, int] = {}
    at = skip_spaces(text, at + 1)
    while text[at] == '"':
        name, at = scanstring(text, at + 1, False)
        at = skip_spaces(text, skip_spaces(text, at) + 1)
        found[name] = at
        at = _next(text, at)
    return found


def _items(text: str, at: int) -> dict[Step, int]:
    """Return where each item begins."""
    found: dict[Step, int] = {}
    at = skip_spaces(text, at + 1)
    while text[at] != "]":
        found[len(found)] = at
        at = _next(text, at)
    return found


def _next(text: str, at: int) -> int:
    """Return the position after the value at `at` and the comma that follows it, if there is one."""
    at = skip_spaces(text, _RAW(text, at)[1])
    return skip_spaces(text, at + 1) if text[at] == "," else at


class Place(NamedTuple):
    """Where a value is: in the arguments, and in the text that they came from, if any."""

    path: tuple[Step, ...] = ()
    source: Source | None = None
    steps: tuple[Step, ...] = ()
    is_sent: bool = True
    """False for the one value of a list that a coercion made."""
    is_holder: bool = False
    """True for such a list: its value is in the text where the list should be."""

    def at(self, step: Step, source_step: Step | None = None) -> Place:
        """One step further down."""
        if self.is_holder:
            return Place((*self.path, step), self.source, self.steps, is_sent=False)
        step_there = step if source_step is None else source_step
        return Place((*self.path, step), self.source, (*self.steps, step_there), self.is_sent)

    def inside(self, step: Step) -> Place:
        """Return the place one step further down in the text, at the same place of the arguments."""
        return self._replace(steps=(*self.steps, step))

    def in_list(self) -> Place:
        """Return the same place, holding a list of the one value that was sent there."""
        return self._replace(is_sent=False, is_holder=True)

    def text(self) -> str | None:
        """Return the value's own text, as the model wrote it."""
        return self.source.slice(self.steps) if self.source else None


Path = tuple[str | int, ...]
_STEP = re.compile(r"\[\d++\]|[^.\[\]]++")


def steps_of(path: str) -> Path:
    """Return the steps of a place that is written as a person would: `todos[0].status`."""
    return tuple(int(step[1:-1]) if step[0] == "[" else step for step in _STEP.findall(path))


def value_at(value: object, steps: Iterable[str | int]) -> object:
    """Return the value at a place, as far down as the steps go."""
    for step in steps:
        if isinstance(value, list) and isinstance(step, int):
            value = value[step] if step < len(value) else None
        elif isinstance(value, dict):
            value = value.get(step)
    return value


def shape_at(shape: Shape, path: str) -> Shape:
    """Return what is expected at a place."""
    return part_at(shape, steps_of(path))


def part_at(shape: Shape, steps: Iterable[str | int]) -> Shape:
    """Return the shape some steps down."""
    for step in steps:
        shape = part_of(shape, step)
    return shape


def part_of(shape: Shape, step: str | int) -> Shape:
    """Return the shape one step down, in the branch of a union that knows the step."""
    for branch in shape.branches:
        if isinstance(step, int) or step in branch.fields:
            return branch.at(step)
    return shape.at(step)
