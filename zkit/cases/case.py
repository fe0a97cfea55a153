"""The records of the corpus: a case, its verdict, and what is wrong with a case file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar


@dataclass(frozen=True, slots=True)
class Case:
    """A text and what is known about it; each kind of case adds what must come of it."""

    kind: ClassVar[str]

    file: str
    line: int
    it: str
    text: str = ""
    source: str | None = None
    meta: Mapping[str, Any] = field(default_factory=dict)
    beyond: bool = False

    @property
    def id(self) -> str:
        """Path and sentence: the name of the case in every report."""
        return f"{self.file}::{self.it}"


@dataclass(frozen=True, slots=True)
class CaseResult:
    """A case and, when it does not hold, one line on what was expected and what came."""

    case: Case
    deviation: str | None = None

    @property
    def passes(self) -> bool:
        """True when the case holds."""
        return self.deviation is None


class CaseFileError(ValueError):
    """A case file that cannot be used: where, and what is wrong with it."""

    def __init__(self, file: str, line: int | None, problem: str) -> None:
        place = file if line is None else f"{file}:{line}"
        super().__init__(f"{place}: {problem}")
        self.file = file
        self.line = line
        self.problem = problem
