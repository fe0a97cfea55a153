"""A case in, a verdict out: it holds, or one line says how the outcome deviates."""

from __future__ import annotations

from zkit.cases.case import Case, CaseResult
from zkit.cases.kinds import KINDS

NOW_WORKS = "this now works: move it out of beyond/"


def run(case: Case) -> CaseResult:
    """Judge a case; one in beyond/ holds as long as it deviates."""
    found = deviation(case)
    if case.beyond:
        return CaseResult(case, None if found else NOW_WORKS)
    return CaseResult(case, found)


def deviation(case: Case) -> str | None:
    """Say in one line how the outcome deviates from what the case expects, or None."""
    try:
        return KINDS[case.kind].judge(case)
    except Exception as error:  # No text may raise: if one does, that is the deviation.
        return f"expected an outcome, but it raised {error!r}"
