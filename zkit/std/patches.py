"""Read unified diffs, and apply them to texts: exactly, then with a bounded offset, else not."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from zkit.errors import MissingExtraError
from zkit.receipt import Rank
from zkit.results import Validation

MAX_OFFSET = 200  # lines that a hunk may be away from the place that it names
MAX_PATCH = 1_000_000
_HUNK = re.compile(r"^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@(.*)$")


@dataclass(frozen=True, slots=True)
class HunkReceipt:
    """Where a hunk was applied, and how far from the place that it names."""

    path: str
    line: int
    offset: int
    rank: str


@dataclass(frozen=True, slots=True)
class FilePatch:
    """The changes of one file: its name before and after (None where there is none)."""

    source: str | None
    target: str | None
    hunks: tuple[Hunk, ...]

    @property
    def path(self) -> str:
        """The file that is changed, made or deleted."""
        return self.target or self.source or ""


class Hunk(NamedTuple):
    """Lines that are to be there, the lines that replace them, and the line where they begin."""

    start: int
    before: list[str]
    after: list[str]


def read_patch(text: str) -> list[FilePatch]:
    """Read a unified diff; wrong counts in the headers of hunks are counted again."""
    try:
        from unidiff.errors import UnidiffParseError
        from unidiff.patch import PatchSet
    except ImportError as error:
        raise MissingExtraError("std", "diff_editor") from error
    if len(text) > MAX_PATCH:
        raise Validation(f"patch: has more than {MAX_PATCH:,} characters. Send it in parts.")
    try:
        found = PatchSet.from_string("\n".join(_counted(text.replace("\r\n", "\n"))) + "\n")
    except (UnidiffParseError, ValueError, IndexError) as error:
        raise Validation(
            f"patch: it is not a unified diff: {error}. Begin with --- and +++ lines, then @@ hunks; every"
            " line of a hunk begins with a blank, + or -."
        ) from error
    if not found or not all(len(file) or file.is_rename for file in found):
        raise Validation("patch: holds no hunks. Send a unified diff with ---, +++ and @@ lines.")
    return [_file_patch(file) for file in found]


def _counted(text: str) -> Iterator[str]:
    """Return the lines of a diff, with the counts of each hunk as they are."""
    lines = text.split("\n")
    at = 0
    while at < len(lines):
        head = _HUNK.match(lines[at])
        if head is None:
            yield lines[at]
            at += 1
            continue
        body = list(_body(lines, at + 1))
        shown = [line or " " for line in body]
        removed = sum(line[0] in " -" for line in shown)
        added = sum(line[0] in " +" for line in shown)
        yield f"@@ -{head[1]},{removed} +{head[2]},{added} @@{head[3]}"
        yield from shown
        at += 1 + len(body)


def _body(lines: list[str], at: int) -> Iterator[str]:
    """Return the lines of a hunk: up to the next header, or to a line that no hunk has."""
    last = len(lines) - 1
    while at <= last:
        line = lines[at]
        next_file = line.startswith("--- ") and at < last and lines[at + 1].startswith("+++ ")
        if next_file or (line and line[0] not in " +-\\") or (not line and not _goes_on(lines, at)):
            return
        yield line
        at += 1


def _goes_on(lines: list[str], at: int) -> bool:
    """True if an empty line is a context line whose blank was lost: the hunk goes on after it."""
    return at + 1 < len(lines) and lines[at + 1][:1] in (" ", "+", "-") and bool(lines[at + 1])


def _file_patch(file: Any) -> FilePatch:
    source, target = _plain(file.source_file), _plain(file.target_file)
    hunks = tuple(
        Hunk(
            hunk.source_start,
            [_value(line) for line in hunk if line.is_context or line.is_removed],
            [_value(line) for line in hunk if line.is_context or line.is_added],
        )
        for hunk in file
    )
    return FilePatch(source, target, hunks)


def _value(line: Any) -> str:
    return str(line.value).removesuffix("\n")


def _plain(name: str) -> str | None:
    """Return a name in a diff without the `a/` or `b/` that git writes; None for /dev/null."""
    text = name.split("\t", 1)[0].strip()
    if text == "/dev/null":
        return None
    return text[2:] if text[:2] in ("a/", "b/") else text


def apply_patch(text: str, patch: FilePatch) -> tuple[str, list[HunkReceipt]]:
    """Return a text with every hunk applied; raise `Validation` when one has no clear place."""
    end = "\r\n" if "\r\n" in text and text.count("\r\n") == text.count("\n") else "\n"
    lines = text.split(end)
    had_end = lines[-1] == ""
    lines = lines[:-1] if had_end else lines
    receipts: list[HunkReceipt] = []
    moved = 0  # lines that the hunks before added
    least = 0  # hunks follow one another
    for number, hunk in enumerate(patch.hunks, 1):
        named = max(0, hunk.start - 1 if hunk.before else hunk.start) + moved
        at = _place(lines, hunk, named, least, patch.path, number)
        lines[at : at + len(hunk.before)] = hunk.after
        offset = at - named
        rank = Rank.EXACT if offset == 0 else Rank.COMPLETE
        receipts.append(HunkReceipt(patch.path, at + 1, offset, rank.name))
        moved += len(hunk.after) - len(hunk.before) + offset
        least = at + len(hunk.after)
    whole = end.join(lines)
    return whole + end * (had_end or not text) if lines else "", receipts


def _place(lines: list[str], hunk: Hunk, named: int, least: int, path: str, number: int) -> int:
    """Return the line where a hunk fits: the one that it names, or the only one nearby."""
    wanted = hunk.before
    if not wanted:
        return min(named, len(lines))
    if lines[named : named + len(wanted)] == wanted and named >= least:
        return named
    first = max(least, named - MAX_OFFSET)
    last = min(len(lines) - len(wanted), named + MAX_OFFSET)
    head = wanted[0]
    found = [
        at
        for at in range(first, last + 1)
        if lines[at] == head and lines[at : at + len(wanted)] == wanted
    ]
    if len(found) == 1:
        return found[0]
    if found:
        shown = ", ".join(str(at + 1) for at in found[:10])
        raise Validation(
            f"patch: hunk {number} of {path} fits at several places (lines {shown}). Send more"
            " context, or the right line.",
            code="ambiguous",
        )
    raise Validation(
        f"patch: hunk {number} of {path} does not fit near line {named + 1}. Read the file, and send"
        " the lines as they are now.",
        code="stale",
    )
