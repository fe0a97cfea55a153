"""How much a tool can break: one declaration from which every default policy follows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal, NamedTuple

GradeName = Literal["pure", "read", "execute", "write"]


class Grade(NamedTuple):
    """World coupling `w` (0 pure, 1 read, 2 execute, 3 write) and effects ceiling `d` (0 to 3)."""

    w: int = 3
    d: int = 3

    def __str__(self) -> str:
        return f"w{self.w} d{self.d}"

    @classmethod
    def of(cls, given: object) -> Grade:
        """Return a grade given as a `Grade`, as two numbers or by name.

        The names are `"pure"`, `"read"`, `"execute"` and `"write"`. Raises `TypeError` for anything
        else, and `ValueError` for a name or a number that no grade has.
        """
        if isinstance(given, str):
            found = GRADES.get(given.strip().lower())
            if found is None:
                raise ValueError(f"there is no grade {given!r:.80}; the grades are {_NAMES}")
            return found
        if not isinstance(given, tuple | list) or len(given) != 2:
            raise TypeError(f"a grade is two numbers from 0 to 3, or {_NAMES}, not {given!r:.80}")
        if not all(type(number) is int and 0 <= number <= 3 for number in given):
            raise ValueError(f"the two numbers of a grade are from 0 to 3, not {given!r:.80}")
        return cls(*given)


PURE = Grade(0, 0)
READ = Grade(1, 0)
EXECUTE = Grade(2, 2)
WRITE = Grade(3, 3)
GRADES: Mapping[str, Grade] = {"pure": PURE, "read": READ, "execute": EXECUTE, "write": WRITE}
_NAMES = ", ".join(repr(name) for name in GRADES)


def joint_grade(grades: Iterable[Grade]) -> Grade:
    """Return the grade of a set of tools: the element-wise maximum; an empty set is pure."""
    joint = PURE
    for grade in grades:
        joint = Grade(max(joint.w, grade.w), max(joint.d, grade.d))
    return joint
