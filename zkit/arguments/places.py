"""A place in the arguments in, what stands there or is due there out."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from zkit.arguments.shape import Shape

Path = tuple[str | int, ...]
_STEP = re.compile(r"\[\d++\]|[^.\[\]]++")


def steps_of(path: str) -> Path:
    """The steps of a place that is written as a person would: `todos[0].status`."""
    return tuple(int(step[1:-1]) if step[0] == "[" else step for step in _STEP.findall(path))


def value_at(value: Any, steps: Iterable[str | int]) -> Any:
    """The value at a place, as far down as the steps go."""
    for step in steps:
        if isinstance(value, list) and isinstance(step, int):
            value = value[step] if step < len(value) else None
        elif isinstance(value, dict):
            value = value.get(step)
    return value


def shape_at(shape: Shape, path: str) -> Shape:
    """What is due at a place."""
    return part_at(shape, steps_of(path))


def part_at(shape: Shape, steps: Iterable[str | int]) -> Shape:
    """The shape some steps down."""
    for step in steps:
        shape = part_of(shape, step)
    return shape


def part_of(shape: Shape, step: str | int) -> Shape:
    """The shape one step down, in the branch of a union that knows the step."""
    for branch in shape.branches:
        if isinstance(step, int) or step in branch.fields:
            return branch.at(step)
    return shape.at(step)
