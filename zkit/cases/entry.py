"""One table from a case file in, a checked Case of the file's kind out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from zkit.cases.case import Case
from zkit.cases.case_values import EntryError, Sheet
from zkit.cases.kinds import KINDS


def read_entry(raw: Mapping[str, Any], sheet: Sheet, line: int, default_it: str = "") -> Case:
    """Check every key of `raw` and build the case, or raise EntryError."""
    kind = KINDS[sheet.kind]
    given = {**inherited(kind.also, sheet), **raw}
    known = {key: kind.reader(key)(key, value, sheet) for key, value in given.items()}
    kind.check_keys(given)
    case: Case = kind.record(
        file=sheet.file, line=line, beyond=sheet.beyond, **{"it": default_it, **known}
    )
    if not case.it.strip():
        raise EntryError("the case has no sentence: `it` is missing")
    kind.check(case)
    return case


def inherited(keys: tuple[str, ...], sheet: Sheet) -> dict[str, Any]:
    """Return what the file gives for all of its cases."""
    return {key: sheet.defaults[key] for key in keys if key in sheet.defaults}
