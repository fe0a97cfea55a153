"""Finds the one place of a piece in a text, and replaces it there, with ranks and receipts."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

from zkit.receipt import Rank
from zkit.results import Validation

_MOST_PLACES = 20  # an ambiguous piece names so many lines at most
_MOST_COMPILED = 1_000_000  # characters: above this a file is not checked for syntax


class Edit(NamedTuple):
    """A piece of text, and what is to replace it."""

    old: str
    new: str


class Splice(NamedTuple):
    """Where a piece was found, and how: `text[start:end]` becomes `new`."""

    start: int
    end: int
    new: str
    rank: Rank
    strategy: str


@dataclass(frozen=True, slots=True)
class Receipt:
    """One applied edit: the line, the rank, and how the text was found."""

    line: int
    rank: str
    strategy: str


class Strategy(NamedTuple):
    """A way to look for a piece: its name, its rank, and what finds the places."""

    name: str
    rank: Rank
    find: Callable[[str, Edit], Iterator[Splice]]


def apply_edits(text: str, edits: Sequence[Edit], path: str) -> tuple[str, list[Receipt]]:
    """Return the text with every edit made; raise `Validation` when one of them is not clear.

    Each edit is made in the text that the ones before it left. All are made or none.
    """
    receipts: list[Receipt] = []
    for number, edit in enumerate(edits, 1):
        which = f"edit {number}: " if len(edits) > 1 else ""
        found = place_of(text, edit, path, which)
        receipts.append(Receipt(line_of(text, found.start), found.rank.name, found.strategy))
        text = text[: found.start] + found.new + text[found.end :]
    return text, receipts


def place_of(text: str, edit: Edit, path: str, which: str = "") -> Splice:
    """Return the one place that an edit means, by the lowest rank that finds any."""
    if edit.old == edit.new:
        raise Validation(f"{which}old_str and new_str are the same; nothing would change.")
    for strategy in STRATEGIES if edit.old.strip() else ():
        found = _first(strategy.find(text, edit), _MOST_PLACES)
        if len(found) > 1:
            lines = ", ".join(str(line_of(text, one.start)) for one in found)
            many = f"{len(found)} times" if len(found) < _MOST_PLACES else "many times"
            raise Validation(
                f"{which}old_str: occurs {many} in {path} (lines {lines}). Send more of the lines"
                " around it, so that it occurs once.",
                code="ambiguous",
            )
        if found:
            return found[0]
    if edit.new.strip() and (at := text.find(edit.new)) >= 0:
        raise Validation(
            f"{which}old_str: does not occur in {path}, and new_str is there already (line"
            f" {line_of(text, at)}). If this edit is done, take the next step.",
            code="stale",
        )
    raise Validation(
        f"{which}old_str: does not occur in {path}. Read the file, and send a piece that occurs"
        " once, as it is there.",
        code="stale",
    )


def line_of(text: str, at: int) -> int:
    """Return the number of the line that holds a place."""
    return text.count("\n", 0, at) + 1


def _first(found: Iterator[Splice], most: int) -> list[Splice]:
    return [one for one, _ in zip(found, range(most), strict=False)]


def _exact(text: str, edit: Edit) -> Iterator[Splice]:
    new = with_line_ends_of(text, edit.new)
    for at in _places(text, edit.old):
        name = "exact" if new == edit.new else "exact, line ends of the file"
        yield Splice(at, at + len(edit.old), new, Rank.EXACT, name)


def _line_ends(text: str, edit: Edit) -> Iterator[Splice]:
    """Return the piece with the line ends of the file: a model sends `\\n` for `\\r\\n`."""
    if "\r\n" not in text and "\r\n" not in edit.old:
        return
    plain = edit.old.replace("\r\n", "\n")
    for old in dict.fromkeys((plain.replace("\n", "\r\n"), plain)):
        if old != edit.old:
            end = "\r\n" if "\r\n" in old else "\n"
            new = edit.new.replace("\r\n", "\n").replace("\n", end)
            for at in _places(text, old):
                yield Splice(at, at + len(old), new, Rank.RESPELL, "line ends")


def _trailing_blanks(text: str, edit: Edit) -> Iterator[Splice]:
    """Find whole lines that differ only in trailing blanks."""
    for first, lines, block in _blocks(text, edit.old, str.rstrip):
        del block
        yield _whole_lines(text, first, lines, edit, edit.new, Rank.RESPELL, "trailing blanks")


def _indentation(text: str, edit: Edit) -> Iterator[Splice]:
    """Find whole lines that are all shifted by the same indentation; the replacement is shifted too."""
    wanted = _lines(edit.old)
    for first, lines, block in _blocks(text, edit.old, str.strip):
        shift = _shift(wanted, block)
        new = None if shift is None else _shifted(edit.new, shift)
        if new is not None:
            yield _whole_lines(text, first, lines, edit, new, Rank.COMPLETE, "indentation")


STRATEGIES = (
    Strategy("exact", Rank.EXACT, _exact),
    Strategy("line ends", Rank.RESPELL, _line_ends),
    Strategy("trailing blanks", Rank.RESPELL, _trailing_blanks),
    Strategy("indentation", Rank.COMPLETE, _indentation),
)


def with_line_ends_of(text: str, new: str) -> str:
    """Return a new piece with the line ends of a text that has only one kind of them."""
    windows = text.count("\r\n")
    if windows and windows == text.count("\n") and "\r\n" not in new:
        return new.replace("\n", "\r\n")
    return new


def _places(text: str, piece: str) -> Iterator[int]:
    at = text.find(piece)
    while at >= 0:
        yield at
        at = text.find(piece, at + 1)


def _lines(text: str) -> list[str]:
    return text.replace("\r\n", "\n").removesuffix("\n").split("\n")


def _blocks(
    text: str, old: str, plain: Callable[[str], str]
) -> Iterator[tuple[int, int, list[str]]]:
    """Return where the lines of a piece occur when each is made plain: first line, count, the lines."""
    lines = text.split("\n")
    wanted = [plain(line) for line in _lines(old)]
    if not any(wanted):
        return
    made = [plain(line) for line in lines]
    starts = {at: n for n, at in enumerate(accumulate((len(m) + 1 for m in made), initial=0))}
    joined = "\n" + "\n".join(made) + "\n"
    piece = "\n" + "\n".join(wanted) + "\n"
    for at in _places(joined, piece):
        first = starts[at]
        yield first, len(wanted), lines[first : first + len(wanted)]


def _whole_lines(
    text: str, first: int, count: int, edit: Edit, new: str, rank: Rank, strategy: str
) -> Splice:
    """Return the splice of whole lines; the end of the last one stays, unless the piece had it too."""
    lines = text.split("\n")
    start = sum(len(line) + 1 for line in lines[:first])
    end = start + sum(len(line) + 1 for line in lines[first : first + count]) - 1
    if edit.old.endswith("\n") and end < len(text):
        end += 1
    elif text[start:end].endswith("\r"):
        end -= 1
    return Splice(start, end, with_line_ends_of(text, new), rank, strategy)


class _Shift(NamedTuple):
    """How the indentation of the file differs: a prefix added or removed, or tabs for spaces."""

    add: str = ""
    remove: str = ""
    spaces_per_tab: int = 0


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip(" \t"))]


def _shift(wanted: list[str], block: list[str]) -> _Shift | None:
    """Return the one shift that explains every line that is not blank; None when there is none."""
    pairs = [(_indent(w), _indent(b)) for w, b in zip(wanted, block, strict=True) if w.strip()]
    sent, there = pairs[0]
    if there.endswith(sent):
        prefix = there.removesuffix(sent) if sent else there
        if all(b == prefix + w for w, b in pairs):
            return _Shift(add=prefix)
    if sent.endswith(there):
        prefix = sent.removesuffix(there) if there else sent
        if all(w == prefix + b for w, b in pairs):
            return _Shift(remove=prefix)
    for width in (2, 4, 8):
        if all(set(b) <= {"\t"} and w == " " * width * len(b) for w, b in pairs):
            return _Shift(spaces_per_tab=width)
    return None


def _shifted(new: str, shift: _Shift) -> str | None:
    """Return a replacement with its lines indented as the file is; None when one cannot be."""
    made: list[str] = []
    for line in new.split("\n"):
        indent = _indent(line)
        if not line.strip():
            made.append(line)
        elif shift.spaces_per_tab:
            tabs, rest = divmod(len(indent), shift.spaces_per_tab)
            if rest or set(indent) - {" "}:
                return None
            made.append("\t" * tabs + line[len(indent) :])
        elif not line.startswith(shift.remove):
            return None
        else:
            made.append(shift.add + line.removeprefix(shift.remove))
    return "\n".join(made)


def syntax_note(path: str, text: str) -> str:
    """Return what is wrong with the syntax of a Python file; nothing for any other file."""
    if not path.endswith((".py", ".pyi")) or len(text) > _MOST_COMPILED:
        return ""
    try:
        ast.parse(text)
    except SyntaxError as error:
        return f"Note: {path} is not valid Python now: line {error.lineno}: {error.msg}."
    except (ValueError, RecursionError, MemoryError):
        return f"Note: {path} could not be checked for syntax."
    return ""
