"""The errors of a validator as a tree beside the value."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

Step = str | int


class FieldError(NamedTuple):
    """One complaint of a validator: where, of which kind, and its own words."""

    path: tuple[Step, ...]
    kind: str
    """`missing`, `unknown`, or `other`."""
    words: str = ""


class ErrorTree:
    """The places below one place that a validator errors. What it did not blame stays as it is."""

    __slots__ = ("below", "kinds", "only_values", "words")

    def __init__(self) -> None:
        self.below: dict[Step, ErrorTree] = {}
        self.kinds: set[str] = set()
        self.words = ""
        self.only_values = True
        """Whether no key is missing or unknown right below."""

    def inside(self, value: Any) -> ErrorTree | None:
        """Return the blame for the parts of a value; None when the places cannot be told apart.

        A validator names the branch of a union, or a function, as a step of the path. Such a step
        is no place in the value: then every part of it is looked at.
        """
        if not self.below:
            return None
        steps = range(len(value)) if isinstance(value, list) else value
        for step, part in self.below.items():
            if step not in steps and "missing" not in part.kinds:
                return None
        return self


def error_tree(errors: Iterable[FieldError]) -> ErrorTree:
    """Return the tree of the errors places."""
    root = ErrorTree()
    for error in errors:
        at = above = root
        for step in error.path:
            above = at
            found = at.below.get(step)
            if found is None:
                found = at.below[step] = ErrorTree()
            at = found
        at.kinds.add(error.kind)
        if error.kind != "other":
            above.only_values = False
        at.words = at.words or error.words
    return root
