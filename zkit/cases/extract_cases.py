"""Cases of `find_calls`: a completion, the tools that were offered, and the calls that are expected."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from zkit.cases.case import (
    Case,
    EntryError,
    Kind,
    Sheet,
    a_flag,
    a_list,
    a_rank,
    a_string,
    a_table,
    difference,
    json_kind,
    json_or_tables,
    names,
    near_difference,
    one_line,
    spelled,
    unlike,
)
from zkit.json_types import JsonMapping
from zkit.receipt import Rank

if TYPE_CHECKING:
    from zkit.extract import Extraction

Tools = Sequence[JsonMapping]


@dataclass(frozen=True, slots=True)
class ExtractCase(Case):
    """A completion, and what must be found in it.

    `calls` is the JSON text of a list of `{"name": …, "arguments": …}`, and so is `doubtful` for
    calls that text follows; `refused` are the reasons of those that are refused. `content` is what remains
    visible and `reasoning` what was set apart, compared after collapsing white space. `unknown` and
    `incomplete` name the calls that are reported instead of made (none, when they are absent);
    `incomplete` may also be their number. `ended` says whether the model wrote a tool's result
    itself, which ends the reading. `untouched` means: no call, and the content is the text.
    """

    kind: ClassVar[str] = "extract"

    toolset: Tools = ()
    calls: str | None = None
    doubtful: str | None = None
    refused: tuple[str, ...] | None = None
    untouched: bool = False
    content: str | None = None
    reasoning: str | None = None
    unknown: tuple[str, ...] = ()
    incomplete: tuple[str, ...] | int = ()
    ended: bool | None = None
    format: tuple[str, ...] | None = None
    formats: tuple[str, ...] | None = None
    rank: Rank | None = None
    finish_reason: str | None = None


def check(case: ExtractCase) -> None:
    """Refuse calls without a name or arguments, and an `untouched` text with other content."""
    for key in ("calls", "doubtful"):
        for call in wanted_calls(case, key):
            if (
                not isinstance(call, dict)
                or not set(call) <= {"name", "arguments"}
                or "name" not in call
            ):
                raise EntryError(f'{key} must be a list of {{"name": …, "arguments": …}}', key)
    if case.untouched and case.content is not None:
        raise EntryError("untouched: the content is the text itself", "content")
    if case.untouched and (case.rank is not None or case.format is not None):
        raise EntryError("untouched: without a call there is no rank and no format", "untouched")


def find(case: ExtractCase) -> Extraction:
    """Look for calls in the text of the case."""
    from zkit.extract import find_calls

    return find_calls(
        case.text, case.toolset, formats=case.formats, finish_reason=case.finish_reason
    )


def judge(case: ExtractCase) -> str | None:
    """Return how the outcome differs from what the case expects, or None."""
    found = find(case)
    return (
        judge_calls(case, found)
        or judge_reports(case, found)
        or judge_text(case, found)
        or judge_origin(case, found)
    )


def judge_calls(case: ExtractCase, found: Extraction) -> str | None:
    """Compare names and arguments, in order."""
    for key, calls in (("calls", found.calls), ("doubtful", found.doubtful)):
        if key == "doubtful" and case.untouched and case.doubtful is None:
            continue
        came = [{"name": call.name, "arguments": call.arguments} for call in calls]
        differs = difference(wanted_calls(case, key), came)
        if differs:
            return f"{key}: {differs}"
    return None


def judge_reports(case: ExtractCase, found: Extraction) -> str | None:
    """Compare the names of the unknown and of the incomplete calls, and whether reading ended."""
    incomplete = tuple(each.name for each in found.incomplete)
    counted = isinstance(case.incomplete, int)
    return (
        unlike("unknown", case.unknown, tuple(each.name for each in found.unknown))
        or unlike("incomplete", case.incomplete, len(incomplete) if counted else incomplete)
        or unlike("refused", case.refused, tuple(each.reason for each in found.refused))
        or unlike("ended", case.ended, found.ended_at is not None)
    )


def judge_text(case: ExtractCase, found: Extraction) -> str | None:
    """Compare the visible text and the reasoning."""
    if case.untouched and found.content != case.text:
        return unlike_text("content", case.text, found.content)
    for what in ("content", "reasoning"):
        wanted, came = getattr(case, what), getattr(found, what) or ""
        if wanted is not None and one_line(wanted) != one_line(came):
            return unlike_text(what, one_line(wanted), one_line(came))
    return None


def unlike_text(what: str, wanted: str, came: str) -> str:
    """Return the line about a text that differs."""
    one, other = near_difference(spelled(wanted), spelled(came))
    return f"{what}: expected {one}, came {other}"


def judge_origin(case: ExtractCase, found: Extraction) -> str | None:
    """Compare the format of every call and the highest rank of all."""
    origins = tuple(call.origin for call in found.calls)
    if case.format is not None and len(case.format) == 1:
        origins = tuple(dict.fromkeys(origins))
    rank = max((call.rank for call in found.calls), default=Rank.EXACT)
    return unlike("format", case.format, origins) or unlike("rank", case.rank, rank)


def wanted_calls(case: ExtractCase, key: str = "calls") -> list[object]:
    """Decode the expected calls, or the doubtful ones."""
    calls = json.loads(getattr(case, key) or "[]")
    if not isinstance(calls, list):
        raise EntryError(f"{key} must be a list, not {json_kind(calls)}", key)
    return [{"arguments": {}, **call} if isinstance(call, dict) else call for call in calls]


def a_toolset(key: str, value: object, sheet: Sheet) -> Tools:
    """Take a list of tools, or the name of a tool set that the file knows."""
    if not isinstance(value, str):
        return [a_table(key, tool, sheet) for tool in a_list(key, value)]
    if value not in sheet.tools:
        known = ", ".join(sheet.tools) or "none"
        raise EntryError(f"{key} {value!r} is not among the tools of this file: {known}", key)
    return sheet.tools[value]


def names_or_count(key: str, value: object, sheet: Sheet) -> tuple[str, ...] | int:
    """Take a list of names, or how many there are."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    return names(key, value, sheet)


def a_name_or_names(key: str, value: object, sheet: Sheet) -> tuple[str, ...]:
    """Take one name for all, or a list with one for each."""
    return names(key, value if isinstance(value, list) else [value], sheet)


EXTRACT = Kind(
    ExtractCase,
    readers={
        "calls": json_or_tables,
        "content": a_string,
        "doubtful": json_or_tables,
        "ended": a_flag,
        "finish_reason": a_string,
        "format": a_name_or_names,
        "formats": names,
        "incomplete": names_or_count,
        "rank": a_rank,
        "reasoning": a_string,
        "refused": names,
        "toolset": a_toolset,
        "unknown": names,
        "untouched": a_flag,
    },
    expects=("calls", "untouched"),
    outcomes=("calls", "untouched"),
    check=check,
    judge=judge,
    shares=("tools", "toolset"),
    also=("toolset",),
)
