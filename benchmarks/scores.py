"""Counts the verdicts on answers."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import Any

from benchmarks.damage import Case
from benchmarks.judge import (
    REFUSED,
    changed_string,
    fits,
    is_demanded,
    judge,
    judge_absent,
    judge_cut,
)
from benchmarks.rivals import Answer

CUT_SECTIONS = ("truncation", "damaged+truncated")


def _counters() -> defaultdict[str, Counter[str]]:
    return defaultdict(Counter)


@dataclass(slots=True)
class Score:
    """Counts for one library in one section.

    `collateral`: an undamaged string came out changed, of the `outside` cases whose damage is
    outside every string. `wrong_but_fits`: wrong, and the schema cannot tell.
    `demanded`: not right, and yet what the rules ask for when no schema is given.
    `unmarked`: a cut text came back short, and the library did not say so.
    """

    total: Counter[str] = field(default_factory=Counter)
    classes: defaultdict[str, Counter[str]] = field(default_factory=_counters)
    kinds: defaultdict[str, Counter[str]] = field(default_factory=_counters)
    outside: int = 0
    collateral: int = 0
    wrong_but_fits: int = 0
    demanded: int = 0
    unmarked: int = 0

    def add(self, case: Case, answer: Answer) -> str:
        """Judge one answer and count it."""
        verdict = verdict_of(case, answer)
        truth = case.payload.truth
        self.total[verdict] += 1
        for name in case.name.split("+") if case.section == "pairs" else (case.name,):
            self.classes[name][verdict] += 1
        if case.kind:
            self.kinds[case.kind][verdict] += 1
            short = verdict != "refused" and not answer.lossy and answer.value != truth
            self.unmarked += short
        if case.section == "single" and not case.in_strings:
            self.outside += 1
            self.collateral += verdict == "wrong" and changed_string(answer.value, truth)
        if verdict in ("shape", "refused"):
            self.demanded += is_demanded(case, answer.value, answer.note, lossy=answer.lossy)
        self.wrong_but_fits += verdict == "wrong" and fits(case.payload.schema, answer.value)
        return verdict

    def plain(self) -> dict[str, Any]:
        """The counts as plain data."""
        return {
            "total": dict(self.total),
            "classes": {name: dict(count) for name, count in self.classes.items()},
            "kinds": {name: dict(count) for name, count in self.kinds.items()},
            "outside": self.outside,
            "collateral": self.collateral,
            "wrong_but_fits": self.wrong_but_fits,
            "demanded": self.demanded,
            "unmarked": self.unmarked,
        }


def verdict_of(case: Case, answer: Answer) -> str:
    """Judge one answer by the rules of its section."""
    if case.section in CUT_SECTIONS:
        return judge_cut(answer.value, case)
    # A lossy answer says itself that it is not the call, so nobody takes it for one.
    value = REFUSED if answer.lossy else answer.value
    if case.section == "no-json":
        return judge_absent(value)
    if case.section == "not a value":
        return "right" if value is REFUSED else "wrong"
    return judge(value, case.payload.truth)
