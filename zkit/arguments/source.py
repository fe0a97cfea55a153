"""Where a value stands in the text that the model wrote: a path in, the slice out."""

from __future__ import annotations

import json
from dataclasses import dataclass
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import NamedTuple

from zkit.receipt import Fix
from zkit.text.edits import Edit, Layer
from zkit.text.lexis import skip_spaces

Step = str | int
_RAW = json.JSONDecoder(strict=False).raw_decode
# After these the repaired text is the one that reads as the model meant it; before, it is escaped.
_WHOLE = frozenset({"unwrap_string", "unescape_payload", "unescape_entities"})


@dataclass(frozen=True, slots=True)
class Source:
    """The strict JSON that a value was read from, with the way back to the original text."""

    json: str
    layer: Layer | None = None
    original: str = ""

    @classmethod
    def of_repair(cls, original: str, fixes: tuple[Fix, ...]) -> Source:
        """The source of a repaired value."""
        layer = Layer.over(original, [Edit(fix.start, fix.end, fix.new) for fix in fixes])
        if any(fix.name in _WHOLE for fix in fixes):
            return cls(layer.text)
        return cls(layer.text, layer, original)

    def slice(self, path: tuple[Step, ...]) -> str | None:
        """The text of the value at `path` as it was written; None when it is not there."""
        span = span_of(self.json, path)
        if span is None or self.layer is None:
            return self.json[span[0] : span[1]] if span else None
        start, end = self.layer.source_start(span[0]), self.layer.source_end(span[1])
        return self.original[start:end]


class Place(NamedTuple):
    """Where a value stands: in the arguments, and in the text they came from, if there is one."""

    path: tuple[Step, ...] = ()
    source: Source | None = None
    steps: tuple[Step, ...] = ()
    is_sent: bool = True
    """Whether the value stood here as it was sent; not so inside a list that a coercion made."""

    def at(self, step: Step, source_step: Step | None = None) -> Place:
        """One step further down."""
        step_there = step if source_step is None else source_step
        return Place((*self.path, step), self.source, (*self.steps, step_there), self.is_sent)

    def text(self) -> str | None:
        """The value's own text, as the model wrote it."""
        return self.source.slice(self.steps) if self.source else None


def span_of(text: str, path: tuple[Step, ...]) -> tuple[int, int] | None:
    """The span of the value at `path` in strict JSON; the last of several equal keys counts."""
    at = skip_spaces(text, 0)
    try:
        for step in path:
            found = _member(text, at, step) if isinstance(step, str) else _item(text, at, step)
            if found is None:
                return None
            at = found
        return at, _RAW(text, at)[1]
    except (ValueError, IndexError, RecursionError):
        return None


def _member(text: str, at: int, key: str) -> int | None:
    """Where the value of a key begins, in the object that begins at `at`."""
    found = None
    at = skip_spaces(text, at + 1)
    while text[at] == '"':
        name, at = scanstring(text, at + 1, False)
        at = skip_spaces(text, skip_spaces(text, at) + 1)
        if name == key:
            found = at
        at = _next(text, at)
    return found


def _item(text: str, at: int, index: int) -> int | None:
    """Where an item begins, in the list that begins at `at`."""
    at = skip_spaces(text, at + 1)
    for _ in range(index):
        at = _next(text, at)
    return None if text[at] == "]" else at


def _next(text: str, at: int) -> int:
    """Past the value at `at` and the comma after it, if there is one."""
    at = skip_spaces(text, _RAW(text, at)[1])
    return skip_spaces(text, at + 1) if text[at] == "," else at
