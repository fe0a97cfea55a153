"""The errors of a validator as a tree beside the value."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

Step = str | int


class FieldError(NamedTuple):
    """One error of a validator: the path, the kind and the message."""

    path: tuple[Step, ...]
    kind: str
    """`missing`, `unknown`, or `other`."""
    words: str = ""


class ErrorTree:
    """The errors of a validator below one place. Values without an error stay as they are."""

    __slots__ = ("below", "kinds", "only_values", "words")

    def __init__(self) -> None:
        self.below: dict[Step, ErrorTree] = {}
        self.kinds: set[str] = set()
        self.words = ""
        self.only_values = True
        """Whether no key of this object is missing or unknown."""

    def inside(self, value: Any) -> ErrorTree | None:
        """Return the errors of the parts of a value; None if they cannot be assigned to places.

        A validator names the branch of a union, or a function, as a step of the path. Such a step
        is not a place in the value: then every part is checked.
        """
        if not self.below:
            return None
        steps = range(len(value)) if isinstance(value, list) else value
        for step, part in self.below.items():
            if step not in steps and "missing" not in part.kinds:
                return None
        return self


def error_tree(errors: Iterable[FieldError]) -> ErrorTree:
    """Return the errors as a tree of their places."""
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
