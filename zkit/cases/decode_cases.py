"""Cases of `decode`: raw arguments, a schema, and the typed value or the refusal that is expected."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, get_args

from pydantic_core import to_jsonable_python

from zkit.cases.case import (
    Case,
    EntryError,
    Kind,
    Sheet,
    a_flag,
    a_rank,
    a_schema,
    a_string,
    difference,
    json_text,
    json_value,
    names,
    one_line,
    refusal,
    some_of,
    spelled,
    unlike,
)
from zkit.json_types import JsonMapping
from zkit.receipt import Rank
from zkit.results import Validation, ValidationCode

if TYPE_CHECKING:
    from zkit.arguments import Decoded

# `refused = true` accepts any of them.
CODES: tuple[str, ...] = get_args(ValidationCode)

NOT_GIVEN: object = object()


@dataclass(frozen=True, slots=True)
class DecodeCase(Case):
    """Raw arguments of a call, and the expected outcome under a schema.

    The arguments are `text` as the model wrote it, or `value` that was parsed already. `json` is
    the JSON text of the expected arguments; `refused` the codes that are accepted, `problems` the
    paths that the refusal names. `untouched` means: the arguments come back equal, without a fix.
    """

    kind: ClassVar[str] = "decode"

    value: object = NOT_GIVEN
    schema: JsonMapping | None = None
    json: str | None = None
    refused: tuple[str, ...] = ()
    untouched: bool = False
    rank: Rank | None = None
    fixes: tuple[str, ...] | None = None
    problems: tuple[str, ...] | None = None
    limit: Rank = Rank.GUESS
    finish_reason: str | None = None


def check(case: DecodeCase) -> None:
    """Refuse a refusal with a receipt, a value with problems, and `untouched` without JSON."""
    if case.refused and (case.rank is not None or case.fixes is not None):
        raise EntryError("a refusal has no rank and no fixes", "refused")
    if case.problems is not None and not case.refused:
        raise EntryError("only a refusal has problems", "problems")
    if case.untouched and case.value is NOT_GIVEN:
        json_text("text", case.text, Sheet(case.file))


def outcome_of(case: DecodeCase) -> Decoded | Validation:
    """Decode the arguments of the case."""
    from zkit.arguments import decode

    return decode(
        case.schema, raw_arguments(case), limit=case.limit, finish_reason=case.finish_reason
    )


def judge(case: DecodeCase) -> str | None:
    """Return how the outcome differs from what the case expects, or None."""
    outcome = outcome_of(case)
    if isinstance(outcome, Validation):
        return judge_refusal(case, outcome)
    value = to_jsonable_python(outcome.value)
    if case.refused:
        wanted = refusal(case.refused, CODES)
        return f"expected {wanted}, came {spelled(value)} ({outcome.rank.name})"
    differs = difference(wanted_value(case), value)
    return f"{differs} ({outcome.rank.name})" if differs else judge_receipt(case, outcome)


def judge_refusal(case: DecodeCase, outcome: Validation) -> str | None:
    """Compare the code of a refusal and the places that it names."""
    if outcome.code in case.refused:
        return unlike("problems", case.problems, tuple(each.path for each in outcome.problems))
    wanted = refusal(case.refused, CODES) if case.refused else spelled(wanted_value(case))
    return f"expected {wanted}, came refused ({outcome.code}): {one_line(outcome.message)}"


def judge_receipt(case: DecodeCase, outcome: Decoded) -> str | None:
    """Compare rank and fixes, as far as the case mentions them."""
    wanted = (Rank.EXACT, ()) if case.untouched else (case.rank, case.fixes)
    fixes = tuple(fix.name for fix in outcome.fixes)
    return unlike("rank", wanted[0], outcome.rank) or unlike("fixes", wanted[1], fixes)


def raw_arguments(case: DecodeCase) -> object:
    """Return what the decoder is given."""
    return case.text if case.value is NOT_GIVEN else case.value


def wanted_value(case: DecodeCase) -> object:
    """Return the expected arguments."""
    if case.json is not None:
        return json.loads(case.json)
    return json.loads(case.text) if case.value is NOT_GIVEN else case.value


DECODE = Kind(
    DecodeCase,
    readers={
        "finish_reason": a_string,
        "fixes": names,
        "json": json_text,
        "limit": a_rank,
        "problems": names,
        "rank": a_rank,
        "refused": some_of(CODES, "code"),
        "schema": a_schema,
        "untouched": a_flag,
        "value": json_value,
    },
    expects=("json", "refused", "untouched"),
    outcomes=("json", "refused", "untouched"),
    check=check,
    judge=judge,
    shares=("schemas", "schema"),
    inputs=("text", "value"),
    also=("schema",),
)
