"""Make unified diffs in bounded time."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import SequenceMatcher

_CONTEXT = 3
_MOST_COMPARED = 2000  # lines of each side; above that the whole middle is shown as replaced
_NO_NEWLINE = "\\ No newline at end of file\n"


def unified_diff(before: str | None, after: str | None, path: str, old_path: str = "") -> str:
    """Return the difference as text; None stands for a missing file.

    Line ends count: a changed `\\r\\n` and a missing newline at the end are differences.
    """
    if before == after:
        return ""
    old, new = _lines(before or ""), _lines(after or "")
    head = [
        f"--- {'/dev/null' if before is None else f'a/{old_path or path}'}\n",
        f"+++ {'/dev/null' if after is None else f'b/{path}'}\n",
    ]
    return "".join([*head, *_hunks(old, new)])


def _lines(text: str) -> list[str]:
    """Return the lines with their ends; only a line feed ends a line, as in a file."""
    parts = text.split("\n")
    return [f"{part}\n" for part in parts[:-1]] + ([parts[-1]] if parts[-1] else [])


Span = tuple[int, int, int, int]


def _hunks(old: list[str], new: list[str]) -> Iterator[str]:
    for group in _grouped(_changes(old, new), len(old), len(new)):
        i1, j1 = group[0][0], group[0][2]
        i2, j2 = group[-1][1], group[-1][3]
        first, last = min(_CONTEXT, i1), min(_CONTEXT, len(old) - i2)
        yield (f"@@ -{_range(i1 - first, i2 + last)} +{_range(j1 - first, j2 + last)} @@\n")
        at = i1 - first
        for a, b, c, d in group:
            yield from (_shown(" ", line) for line in old[at:a])
            yield from (_shown("-", line) for line in old[a:b])
            yield from (_shown("+", line) for line in new[c:d])
            at = b
        yield from (_shown(" ", line) for line in old[at : i2 + last])


def _grouped(changes: list[Span], old: int, new: int) -> Iterator[list[Span]]:
    """Group changes that are near each other into one hunk."""
    group: list[Span] = []
    for change in changes:
        if group and change[0] - group[-1][1] > 2 * _CONTEXT:
            yield group
            group = []
        group.append(change)
    if group:
        yield group


def _changes(old: list[str], new: list[str]) -> list[Span]:
    """Return which lines were replaced by which; equal heads and tails are never compared line by line."""
    head = 0
    while head < min(len(old), len(new)) and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    a, b = old[head : len(old) - tail], new[head : len(new) - tail]
    if max(len(a), len(b)) > _MOST_COMPARED or not a or not b:
        return [(head, head + len(a), head, head + len(b))] if a or b else []
    found = SequenceMatcher(None, a, b).get_opcodes()
    return [
        (head + i1, head + i2, head + j1, head + j2)
        for tag, i1, i2, j1, j2 in found
        if tag != "equal"
    ]


def _range(start: int, end: int) -> str:
    length = end - start
    if length == 1:
        return str(start + 1)
    return f"{start + 1 if length else start},{length}"


def _shown(mark: str, line: str) -> str:
    return f"{mark}{line}" if line.endswith("\n") else f"{mark}{line}\n{_NO_NEWLINE}"
