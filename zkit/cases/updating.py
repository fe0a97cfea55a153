"""Rewrite what a case expects to what comes of it now; all other lines of the file stay as they are."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from zkit.cases.case import Case, CaseFileError
from zkit.cases.case_runner import deviation
from zkit.cases.draft import Draft, proposed
from zkit.cases.files import CASE_HEADER, load
from zkit.cases.kinds import KINDS
from zkit.cases.writing import case_lines, replace_file

_KEY = re.compile(r"\s*([A-Za-z0-9_-]+)\s*=")
_NOT_EXPECTED = (
    "it",
    "text",
    "source",
    "meta",
    "schema",
    "toolset",
    "finish_reason",
    "limit",
    "formats",
)


def update_case(case: Case, path: Path) -> str:
    """Write what came of a case into its file; return why that cannot be done, else nothing."""
    if path.suffix != ".toml":
        return "only TOML files can be updated"
    lines = path.read_text("utf-8").split("\n")
    start = case.line
    end = next(
        (at for at in range(start, len(lines)) if lines[at].lstrip().startswith("[")), len(lines)
    )
    if start < 1 or not CASE_HEADER.match(lines[start - 1]):
        return f"no [[case]] in line {start}"
    draft = Draft(
        case.kind, case.text, getattr(case, "schema", None), getattr(case, "toolset", ()),
        getattr(case, "finish_reason", None), getattr(case, "limit", None),
    )  # fmt: skip
    before = "\n".join(lines)
    expects = proposed(draft)
    kept = list(_without(lines[start:end], set(KINDS[case.kind].readers) - set(_NOT_EXPECTED)))
    tail: list[str] = []
    while kept and (not kept[-1].strip() or kept[-1].lstrip().startswith("#")):
        tail.insert(0, kept.pop())
    body = [*kept, *case_lines(expects), *tail]
    replace_file(path, "\n".join([*lines[:start], *body, *lines[end:]]))
    try:
        again = next(one for one in load([path]) if one.it == case.it)
        problem = deviation(again)
    except (CaseFileError, StopIteration) as error:
        problem = str(error)
    if problem:
        replace_file(path, before)
        return f"the case cannot be updated: {problem}"
    return ""


def _without(lines: list[str], keys: set[str]) -> Any:
    """The lines of a case without some keys and their values, which may go on over several lines."""
    at = 0
    while at < len(lines):
        size = _size(lines, at)
        match = _KEY.match(lines[at])
        if match is None or match[1] not in keys:
            yield from lines[at : at + size]
        at += size


def _size(lines: list[str], at: int) -> int:
    """How many lines the value that begins in a line takes."""
    value = lines[at].partition("=")[2].strip()
    for mark in ("'''", '"""'):
        if value.startswith(mark):
            if mark in value[3:]:
                return 1
            rest = (n for n in range(at + 1, len(lines)) if mark in lines[n])
            return next(rest, len(lines) - 1) - at + 1
    if value.startswith("[") and _KEY.match(lines[at]):
        depth = 0
        for size, line in enumerate(lines[at:], 1):
            depth += line.count("[") + line.count("{") - line.count("]") - line.count("}")
            if depth <= 0:
                return size
    return 1
