"""The records of the corpus: a case, its verdict, and what is wrong with a case file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from zkit.repair import Rank

# `refused = true` accepts any of them.
REASONS = (
    "empty",
    "no_json",
    "damaged",
    "ambiguous",
    "several",
    "expression",
    "limit",
    "too_deep",
    "too_large",
    "cut",
)


@dataclass(frozen=True, slots=True)
class Case:
    """A text, what is known about it, and what must come of it.

    `json` and `all` hold the JSON text of the expected values; `refused` the reasons that are
    accepted. `untouched` means: strict JSON, which comes back equal, EXACT and without a fix.
    """

    file: str
    line: int
    it: str
    text: str
    json: str | None = None
    refused: tuple[str, ...] = ()
    untouched: bool = False
    all: tuple[str, ...] | None = None
    rank: Rank | None = None
    fixes: tuple[str, ...] | None = None
    lossy: bool | None = None
    schema: Mapping[str, Any] | None = None
    finish_reason: str | None = None
    limit: Rank = Rank.CUT
    source: str | None = None
    meta: Mapping[str, Any] = field(default_factory=dict)
    beyond: bool = False

    @property
    def id(self) -> str:
        """Path and sentence: the name of the case in every report."""
        return f"{self.file}::{self.it}"


@dataclass(frozen=True, slots=True)
class Verdict:
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
