"""How much a tool can break: one declaration from which every default policy follows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class Grade(NamedTuple):
    """World coupling `w` (0 pure, 1 read, 2 execute, 3 write) and effects ceiling `d` (0 to 3).

    What is not declared is taken to be able to do everything.
    """

    w: int = 3
    d: int = 3

    def __str__(self) -> str:
        return f"w{self.w} d{self.d}"


PURE = Grade(0, 0)
READ = Grade(1, 0)
EXECUTE = Grade(2, 2)
WRITE = Grade(3, 3)


def joint_grade(grades: Iterable[Grade]) -> Grade:
    """The grade of a set of tools: the element-wise maximum; an empty set can do nothing."""
    joint = PURE
    for grade in grades:
        joint = Grade(max(joint.w, grade.w), max(joint.d, grade.d))
    return joint
