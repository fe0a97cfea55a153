"""Cases of `repair_json` and `repair_all`: a damaged text, and the value or refusal that is expected."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import ClassVar

from zkit.cases.case import (
    Case,
    EntryError,
    Kind,
    a_flag,
    a_rank,
    a_schema,
    a_string,
    difference,
    json_text,
    json_texts,
    names,
    one_line,
    refusal,
    some_of,
    spelled,
    unlike,
)
from zkit.json_types import JsonMapping
from zkit.repair import Rank, Repaired, Unrepairable, repair_all, repair_json

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
class RepairCase(Case):
    """A text that should be JSON, and the expected outcome of its repair.

    `json` and `all` hold the JSON text of the expected values; `refused` the reasons that are
    accepted. `untouched` means: strict JSON, which comes back equal, EXACT and without a fix.
    """

    kind: ClassVar[str] = "repair"

    json: str | None = None
    refused: tuple[str, ...] = ()
    untouched: bool = False
    all: tuple[str, ...] | None = None
    rank: Rank | None = None
    fixes: tuple[str, ...] | None = None
    lossy: bool | None = None
    schema: JsonMapping | None = None
    finish_reason: str | None = None
    limit: Rank = Rank.CUT


def check(case: RepairCase) -> None:
    """Refuse a refusal with a receipt, and an `untouched` text that is not strict JSON."""
    if case.refused and (case.rank is not None or case.fixes is not None or case.lossy):
        raise EntryError("a refusal has no rank, no fixes and loses nothing", "refused")
    if case.untouched:
        check_strict(case.text)


def check_strict(text: str) -> None:
    """Refuse an `untouched` text that is not strict JSON."""

    def not_json(name: str) -> None:
        raise ValueError(f"{name} is not JSON")

    try:
        json.loads(text, parse_constant=not_json)
    except ValueError as error:
        raise EntryError(f"untouched, but the text is not strict JSON: {error}", "text") from None


def judge(case: RepairCase) -> str | None:
    """Return how the outcome differs from what the case expects, or None."""
    return judge_outcome(case) or judge_all(case)


def judge_outcome(case: RepairCase) -> str | None:
    """Judge what `repair_json` makes of the text, if the case mentions it."""
    if case.json is None and not case.untouched and not case.refused:
        return None
    outcome = repair_json(
        case.text, schema=case.schema, limit=case.limit, finish_reason=case.finish_reason
    )
    if isinstance(outcome, Unrepairable):
        return judge_refusal(case, outcome)
    if case.refused:
        wanted = refusal(case.refused, REASONS)
        return f"expected {wanted}, came {spelled(outcome.value)} ({outcome.rank.name})"
    return judge_value(case, outcome) or judge_receipt(case, outcome)


def judge_refusal(case: RepairCase, outcome: Unrepairable) -> str | None:
    """Compare the reason of a refusal."""
    if outcome.reason in case.refused:
        return None
    wanted = refusal(case.refused, REASONS) if case.refused else spelled(wanted_value(case))
    return f"expected {wanted}, came refused ({outcome.reason}): {one_line(outcome.message)}"


def judge_value(case: RepairCase, outcome: Repaired) -> str | None:
    """Compare the value: same types, same items, keys in any order."""
    found = difference(wanted_value(case), outcome.value)
    return f"{found} ({outcome.rank.name})" if found else None


def judge_receipt(case: RepairCase, outcome: Repaired) -> str | None:
    """Compare rank, fixes and loss, as far as the case mentions them."""
    came = (outcome.rank, tuple(fix.name for fix in outcome.fixes), outcome.lossy)
    wanted = (Rank.EXACT, (), False) if case.untouched else (case.rank, case.fixes, case.lossy)
    pairs = zip(("rank", "fixes", "lossy"), wanted, came, strict=True)
    return next((found for pair in pairs if (found := unlike(*pair))), None)


def judge_all(case: RepairCase) -> str | None:
    """Judge what `repair_all` finds in the text, if the case mentions it."""
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


def wanted_value(case: RepairCase) -> object:
    """Decode the expected value."""
    return json.loads(case.text if case.json is None else case.json)


REPAIR = Kind(
    RepairCase,
    readers={
        "all": json_texts,
        "finish_reason": a_string,
        "fixes": names,
        "json": json_text,
        "limit": a_rank,
        "lossy": a_flag,
        "rank": a_rank,
        "refused": some_of(REASONS, "reason"),
        "schema": a_schema,
        "untouched": a_flag,
    },
    expects=("json", "refused", "untouched", "all"),
    outcomes=("json", "refused", "untouched"),
    check=check,
    judge=judge,
    shares=("schemas",),
)
