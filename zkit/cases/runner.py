"""A case in, a verdict out: it holds, or one line says how the outcome deviates."""

from __future__ import annotations

import json
from typing import Any

from zkit.cases.case import REASONS, Case, Verdict
from zkit.repair import Rank, Repaired, Unrepairable, repair_all, repair_json

NOW_WORKS = "this now works: move it out of beyond/"
LONGEST_SHOWN = 240


def run(case: Case) -> Verdict:
    """Judge a case; one in beyond/ holds as long as it deviates."""
    found = deviation(case)
    if case.beyond:
        return Verdict(case, None if found else NOW_WORKS)
    return Verdict(case, found)


def deviation(case: Case) -> str | None:
    """Say in one line how the outcome deviates from what the case expects, or None."""
    try:
        return judge_outcome(case) or judge_all(case)
    except Exception as error:  # No text may raise: if one does, that is the deviation.
        return f"expected an outcome, but it raised {error!r}"


def judge_outcome(case: Case) -> str | None:
    """Judge what `repair_json` makes of the text, if the case speaks of it."""
    if case.json is None and not case.untouched and not case.refused:
        return None
    outcome = repair_json(
        case.text, schema=case.schema, limit=case.limit, finish_reason=case.finish_reason
    )
    if isinstance(outcome, Unrepairable):
        return judge_refusal(case, outcome)
    if case.refused:
        return (
            f"expected {wanted_refusal(case)}, came {spelled(outcome.value)} ({outcome.rank.name})"
        )
    return judge_value(case, outcome) or judge_receipt(case, outcome)


def judge_refusal(case: Case, outcome: Unrepairable) -> str | None:
    """Compare the reason of a refusal."""
    if outcome.reason in case.refused:
        return None
    wanted = wanted_refusal(case) if case.refused else spelled(wanted_value(case))
    return f"expected {wanted}, came refused ({outcome.reason}): {one_line(outcome.message)}"


def judge_value(case: Case, outcome: Repaired) -> str | None:
    """Compare the value: same types, same items, keys in any order."""
    wanted = spelled(wanted_value(case))
    came = spelled(outcome.value)
    if wanted == came:
        return None
    wanted, came = near_difference(wanted, came)
    return f"expected {wanted}, came {came} ({outcome.rank.name})"


def judge_receipt(case: Case, outcome: Repaired) -> str | None:
    """Compare rank, fixes and loss, as far as the case speaks of them."""
    came = (outcome.rank, tuple(fix.name for fix in outcome.fixes), outcome.lossy)
    wanted = (Rank.EXACT, (), False) if case.untouched else (case.rank, case.fixes, case.lossy)
    for what, want, got in zip(("rank", "fixes", "lossy"), wanted, came, strict=True):
        if want is not None and want != got:
            return f"expected {what} {named(want)}, came {named(got)}"
    return None


def judge_all(case: Case) -> str | None:
    """Judge what `repair_all` finds in the text, if the case speaks of it."""
    if case.all is None:
        return None
    found = repair_all(
        case.text, schema=case.schema, limit=case.limit, finish_reason=case.finish_reason
    )
    wanted = [spelled(json.loads(text)) for text in case.all]
    came = [spelled(one.value) for one in found]
    if wanted == came:
        return None
    return f"expected all of [{', '.join(wanted)}], came [{', '.join(came)}]"


def wanted_value(case: Case) -> Any:
    """Decode the expected value."""
    return json.loads(case.text if case.json is None else case.json)


def wanted_refusal(case: Case) -> str:
    """Name the refusal that the case expects."""
    return "refused" if case.refused == REASONS else f"refused ({' or '.join(case.refused)})"


def spelled(value: Any) -> str:
    """Spell a value so that equal text means equal value: 1, 1.0 and true differ, NaN is NaN."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False)
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def near_difference(wanted: str, came: str) -> tuple[str, str]:
    """Shorten two long spellings to the neighbourhood of their first difference."""
    if max(len(wanted), len(came)) <= LONGEST_SHOWN:
        return wanted, came
    pairs = enumerate(zip(wanted, came, strict=False))
    same = next((at for at, (one, other) in pairs if one != other), min(len(wanted), len(came)))
    start = max(0, same - LONGEST_SHOWN // 3)
    return clipped(wanted, start), clipped(came, start)


def clipped(text: str, start: int) -> str:
    """Cut a window out of a long text, with dots where something is left out."""
    end = start + LONGEST_SHOWN
    return f"{'…' * (start > 0)}{text[start:end]}{'…' * (end < len(text))}"


def named(what: object) -> str:
    """Show a rank by its name, fixes as a list, a flag as it is."""
    if isinstance(what, Rank):
        return what.name
    return ", ".join(what) or "none" if isinstance(what, tuple) else str(what).lower()


def one_line(message: str) -> str:
    """Fold a message to one line."""
    return " ".join(message.split())
