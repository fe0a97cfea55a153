"""Search the text files below a root by a regular expression: with ripgrep, or without."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field

import regex

from zkit.results import Transient, Validation
from zkit.sources.confined_files import ConfinedPathError
from zkit.std.confined_tree import ConfinedTree
from zkit.std.folder_walk import Globs, walk

MAX_FILE = 10_000_000  # bytes: what is bigger is data, and is not searched
MAX_LINE = 400  # characters of a line that are shown
MAX_PATTERN = 2_000
_SECONDS_PER_FILE = 2.0  # a pattern that takes longer on one file backtracks
_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class Query:
    """What is searched for, and where."""

    pattern: str
    path: str = "."
    globs: tuple[str, ...] = ()
    ignore_case: bool = False
    literal: bool = False
    context: int = 0
    limit: int = 200


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a file: a match, or a line around one."""

    line: int
    text: str
    match: bool = True


@dataclass(frozen=True, slots=True)
class FileMatches:
    """The lines of one file, and how many of them match."""

    path: str
    count: int
    lines: list[Line] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Matches:
    """What was found, file by file; `complete` is false when the limit ended the search."""

    pattern: str
    matches: int
    files: list[FileMatches]
    complete: bool = True
    engine: str = "regex"

    def __str__(self) -> str:
        head = f"matches: {self.matches}  files: {len(self.files)}  pattern: {self.pattern}"
        out = [head + ("" if self.complete else "  (the limit was reached; there are more)")]
        for file in self.files:
            out.append(f"{file.path}" if file.lines else f"{file.path}: {file.count}")
            around = any(not line.match for line in file.lines)
            before = 0
            for line in file.lines:
                if around and before and line.line > before + 1:
                    out.append("    --")
                out.append(f"    {line.line}{':' if line.match else '-'} {line.text}")
                before = line.line
        return "\n".join(out)


Check = Callable[[], None]


def search(tree: ConfinedTree, query: Query, check: Check, *, engine: str = "auto") -> Matches:
    """Search by ripgrep if it is installed and understands the pattern, otherwise by `regex`.

    Either only finds the line numbers. The text is read through the confined tree, so that nothing
    from outside of the root is ever shown.
    """
    compiled = _compiled(query)
    globs = Globs(query.globs, anywhere=True) if query.globs else None
    stamp = tree.stamp(query.path)
    if stamp is None:
        tree.open_folder(query.path).close()  # refused here if it is not there
    elif stamp.size > MAX_FILE:
        raise Validation(f'path: "{query.path}" has more than {MAX_FILE:,} bytes.')
    program = _ripgrep() if engine in ("auto", "ripgrep") else None
    found = None if program is None else _by_ripgrep(tree, query, globs, program, check)
    used = "ripgrep" if found is not None else "regex"
    if found is None:
        found = _by_regex(tree, query, compiled, globs, check)
    return _gathered(tree, query, found, used)


def _ripgrep() -> str | None:
    return shutil.which("rg")


def _compiled(query: Query) -> regex.Pattern[str]:
    if not query.pattern or len(query.pattern) > MAX_PATTERN or "\n" in query.pattern:
        raise Validation(
            f"pattern: must have 1 to {MAX_PATTERN} characters on one line. Send a shorter one."
        )
    text = regex.escape(query.pattern) if query.literal else query.pattern
    try:
        return regex.compile(text, regex.MULTILINE | (regex.IGNORECASE if query.ignore_case else 0))
    except (regex.error, RecursionError, OverflowError) as error:
        raise Validation(
            f"pattern: is not a regular expression: {error}. Escape what is meant literally, or"
            " send literal=true."
        ) from error


Hit = tuple[str, int]
"""A path and the number of a line that matches."""


def _by_regex(
    tree: ConfinedTree,
    query: Query,
    compiled: regex.Pattern[str],
    globs: Globs | None,
    check: Check,
) -> Iterator[Hit]:
    ends = time.monotonic() + _SECONDS
    # A pattern without anchors of the whole text and without groups that look around finds nothing
    # in a line that it does not find in the text: one search then passes over most files.
    quick = not any(part in query.pattern for part in (r"\A", r"\Z", r"\z", r"\G", "(?"))
    for path, data in _texts(tree, query.path, globs, check):
        left = min(_SECONDS_PER_FILE, ends - time.monotonic())
        try:
            yield from _in_text(path, data.decode("utf-8", "replace"), compiled, quick, left)
        except TimeoutError:
            raise Validation(
                f"pattern: takes too long on {path}: it goes back over the same text again and"
                " again. Send a simpler one, without nested repetitions."
            ) from None


def _in_text(
    path: str, text: str, compiled: regex.Pattern[str], quick: bool, seconds: float
) -> Iterator[Hit]:
    ends = time.monotonic() + seconds
    if seconds <= 0:
        raise Transient("the search took too long; send a deeper path", code="timeout")
    if quick and compiled.search(text, timeout=seconds) is None:
        return
    for number, line in enumerate(_lines(text), 1):
        left = ends - time.monotonic()
        if left <= 0:
            raise TimeoutError
        if compiled.search(line.removesuffix("\r"), timeout=left):
            yield path, number


def _texts(
    tree: ConfinedTree, path: str, globs: Globs | None, check: Check
) -> Iterator[tuple[str, bytes]]:
    """Return the text files at a path or below it that fit the globs."""
    if tree.stamp(path) is not None:
        name = tree.name(path)
        data, _ = tree.read(path, most=MAX_FILE)
        if b"\0" not in data and (globs is None or globs.fits(name)):
            yield name, data
        return
    for folder, names in walk(tree, path, check=check):
        for name, kind in names:
            whole = folder.path_of(name)
            if kind != "file" or (globs is not None and not globs.fits(whole)):
                continue
            with suppress(OSError, ConfinedPathError):  # it was removed, or is too large
                data = folder.read(name, max_bytes=MAX_FILE)
                if b"\0" not in data:
                    yield whole, data


_RIPGREP = (
    "--json",
    "--no-config",
    "--hidden",
    "--no-require-git",
    "--no-ignore-parent",
    "--no-ignore-global",
    "--no-ignore-exclude",
    "--sort=path",
    f"--max-filesize={MAX_FILE}",
)


def _by_ripgrep(
    tree: ConfinedTree, query: Query, globs: Globs | None, program: str, check: Check
) -> Iterator[Hit] | None:
    """Let ripgrep find the lines; None if it does not support the pattern."""
    command = [program, *_RIPGREP, *(f"--glob=!{name}" for name in (".git", ".hg", ".svn"))]
    command += ["--ignore-case"] if query.ignore_case else ["--case-sensitive"]
    command += ["--fixed-strings"] if query.literal else []
    whole = "/".join(tree.parts(query.path))
    if not query.literal and subprocess.run(
        [program, "--no-config", "--quiet", "-e", query.pattern, os.devnull],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=10,
    ).returncode not in (0, 1):
        return None
    target = [f"./{whole}"] if whole else ["."]
    return _ripgrep_hits([*command, "-e", query.pattern, "--", *target], tree, globs, check)


def _ripgrep_hits(
    command: list[str], tree: ConfinedTree, globs: Globs | None, check: Check
) -> Iterator[Hit]:
    ends = time.monotonic() + _SECONDS
    with subprocess.Popen(
        command,
        cwd=tree.root,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as process:
        try:
            pending: list[Hit] = []
            for raw in process.stdout or ():
                check()
                if time.monotonic() > ends:
                    raise Transient("the search took too long; send a deeper path", code="timeout")
                message = json.loads(raw)
                kind, data = message["type"], message["data"]
                if kind == "match":
                    path = _text_of(data["path"]).removeprefix("./")
                    if globs is None or globs.fits(path):
                        pending.append((path, data["line_number"]))
                elif kind == "end":
                    if data["binary_offset"] is None:
                        yield from pending
                    pending = []
        finally:
            with suppress(ProcessLookupError):
                process.kill()


def _text_of(value: dict[str, str]) -> str:
    """Return a path as ripgrep writes it: text, or base64 for what is not UTF-8, which is passed over."""
    return value.get("text", "")


def _gathered(tree: ConfinedTree, query: Query, hits: Iterator[Hit], engine: str) -> Matches:
    """Return the hits as the lines of files, up to the limit, read through the confined tree."""
    by_file: dict[str, list[int]] = {}
    complete = True
    for count, (path, number) in enumerate(hits):
        if count == query.limit:
            complete = False
            break
        by_file.setdefault(path, []).append(number)
    files = [_file(tree, path, numbers, query.context) for path, numbers in sorted(by_file.items())]
    kept = [file for file in files if file is not None]
    return Matches(query.pattern, sum(file.count for file in kept), kept, complete, engine)


def _file(tree: ConfinedTree, path: str, numbers: list[int], context: int) -> FileMatches | None:
    try:
        data, _ = tree.read(path, most=MAX_FILE)
    except Validation:
        return None  # it was removed, or a link was put in its place
    lines = _lines(data.decode("utf-8", "replace"))
    hits = {number for number in numbers if number <= len(lines)}
    shown = {
        near
        for number in hits
        for near in range(max(1, number - context), min(len(lines), number + context) + 1)
    }
    found = [Line(n, _short(lines[n - 1]), n in hits) for n in sorted(shown)]
    return FileMatches(path, len(hits), found)


def _lines(text: str) -> list[str]:
    """Return the lines of a text; what follows the last line end is a line only if it is not empty."""
    lines = text.split("\n")
    return lines if lines[-1] else lines[:-1]


def _short(line: str) -> str:
    line = line.removesuffix("\r")
    return line if len(line) <= MAX_LINE else f"{line[:MAX_LINE]} […]"
