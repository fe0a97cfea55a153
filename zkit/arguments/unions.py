"""A union and what was sent in, the branch that was meant out, by its tag or by what a validator said of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from zkit.arguments.shape import Shape
from zkit.arguments.troubles import Blamed


def blamed_by_branch(shape: Shape, blamed: Blamed | None) -> list[Blamed | None]:
    """The blame of each branch of a union: a validator names the branches as steps of the path.

    Untagged, it names them all, in their order; tagged, the one by the value of its tag.
    """
    branches = shape.branches
    if blamed is None:
        return [None] * len(branches)
    named = list(blamed.below.items())
    if len(named) == len(branches) and not any(isinstance(step, int) for step, _ in named):
        return [part for _, part in named]
    if len(named) == 1:
        tag, part = named[0]
        return [part if tag in branch.tags.values() else None for branch in branches]
    return [None] * len(branches)


def tagged(value: Mapping[str, Any], shape: Shape) -> list[int]:
    """The branches whose tag an object wears, by their places."""
    return [
        index
        for index, branch in enumerate(shape.branches)
        if any(value.get(name) == tag for name, tag in branch.tags.items())
    ]


def tag_of(shape: Shape) -> tuple[str, Shape] | None:
    """The field that tells the branches of a union apart, and its known values; None without one."""
    objects = [branch.tags for branch in shape.branches if branch.fields]
    if len(objects) < 2:
        return None
    for name in objects[0]:
        if all(name in tags for tags in objects):
            known = [tags[name] for tags in objects]
            return name, Shape({"enum": known}, {})
    return None
