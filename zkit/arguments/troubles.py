"""A failed validation in, the places that it blames out, as a tree beside the value."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

Step = str | int


class Trouble(NamedTuple):
    """One complaint of a validator: where, of which sort, and its own words."""

    path: tuple[Step, ...]
    sort: str
    """`missing`, `unknown`, or `other`."""
    words: str = ""


class Blamed:
    """The places below one place that a validator blamed. What it did not blame stays as it is."""

    __slots__ = ("below", "only_values", "sorts", "words")

    def __init__(self) -> None:
        self.below: dict[Step, Blamed] = {}
        self.sorts: set[str] = set()
        self.words = ""
        self.only_values = True
        """Whether no key is missing or unknown right below."""

    def inside(self, value: Any) -> Blamed | None:
        """The blame for the parts of a value; None when the places cannot be told apart.

        A validator names the branch of a union, or a function, as a step of the path. Such a step
        is no place in the value: then every part of it is looked at.
        """
        if not self.below:
            return None
        steps = range(len(value)) if isinstance(value, list) else value
        for step, part in self.below.items():
            if step not in steps and "missing" not in part.sorts:
                return None
        return self


def blame(troubles: Iterable[Trouble]) -> Blamed:
    """The tree of the blamed places."""
    root = Blamed()
    for trouble in troubles:
        at = above = root
        for step in trouble.path:
            above = at
            found = at.below.get(step)
            if found is None:
                found = at.below[step] = Blamed()
            at = found
        at.sorts.add(trouble.sort)
        if trouble.sort != "other":
            above.only_values = False
        at.words = at.words or trouble.words
    return root
