"""Walk the files below a root, leave out what ignore files name, and match paths by globs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from fnmatch import translate
from functools import lru_cache
from typing import NamedTuple

from zkit.results import Validation
from zkit.sources.confined_files import ConfinedPathError, Entry, Kind, OpenFolder
from zkit.std.confined_tree import ConfinedTree

IGNORE_FILES = (".gitignore", ".ignore")
NEVER = frozenset({".git", ".hg", ".svn"})  # the databases of version control
MAX_ENTRIES = 500_000  # a tree above this is searched in parts, by paths
MAX_DEPTH = 100
_MAX_IGNORE_BYTES = 200_000
_MAX_BRACES = 64


class IgnoreRule(NamedTuple):
    """One line of an ignore file: what it matches, and whether it leaves out or takes back."""

    steps: list[re.Pattern[str] | None]
    folders_only: bool
    keep: bool


Rules = tuple[tuple[int, tuple[IgnoreRule, ...]], ...]
"""Ignore files on the way from the root: how many steps deep each is, and its rules."""


Names = list[tuple[str, Kind]]
"""What is in a folder: names and kinds, sorted."""


def walk(
    tree: ConfinedTree,
    start: str = ".",
    *,
    ignored: bool = False,
    deep: bool = True,
    check: Callable[[], None] = lambda: None,
) -> Iterator[tuple[OpenFolder, Names]]:
    """Yield a folder and those below it, each with what is in it; links are not followed.

    A folder is open until the next one is requested, and each is opened from the one above it.
    `ignored` includes what ignore files leave out. `check` is called for every folder, and may
    raise to end the walk.
    """
    first = tree.parts(start)
    rules: Rules = () if ignored else _rules_above(tree, first)
    seen = 0
    # The open folders from the root down, each with its remaining subfolders.
    levels: list[tuple[OpenFolder, Rules, Iterator[str]]] = []
    folder: OpenFolder | None = tree.open_folder(start)
    try:
        while folder is not None:
            levels.append((folder, rules, iter(())))
            check()
            names = _names_of(folder)
            if not ignored:
                rules = _with_rules(folder, names, rules)
                names = [one for one in names if not _is_ignored(folder, *one, rules)]
            seen += len(names)
            if seen > MAX_ENTRIES:
                raise Validation(
                    f"There are more than {MAX_ENTRIES:,} files here; send a deeper path."
                )
            yield folder, names
            if deep and len(levels) <= MAX_DEPTH:
                inner = iter([name for name, kind in names if kind == "folder"])
                levels[-1] = (folder, rules, inner)
            folder, rules = _next_folder(levels)
    finally:
        for opened, _, _ in levels:
            opened.close()


def _next_folder(
    levels: list[tuple[OpenFolder, Rules, Iterator[str]]],
) -> tuple[OpenFolder | None, Rules]:
    """Open the next folder of a walk, and close the finished ones."""
    while levels:
        above, rules, inner = levels[-1]
        for name in inner:
            with suppress(OSError, ConfinedPathError):  # it was removed, or may not be opened
                return above.open_folder(name), rules
        above.close()
        levels.pop()
    return None, ()


def _names_of(folder: OpenFolder) -> Names:
    try:
        return folder.names()
    except OSError:
        return []


def entries(found: Iterable[tuple[OpenFolder, Names]]) -> Iterator[Entry]:
    """Yield the entries of folders, with sizes and times."""
    for folder, names in found:
        for name, _ in names:
            if (entry := folder.entry(name)) is not None:
                yield entry


def find(
    tree: ConfinedTree, pattern: str, path: str = ".", check: Callable[[], None] = lambda: None
) -> Iterator[tuple[OpenFolder, Names]]:
    """Yield the files below a folder that fit a glob, folder by folder; ignored ones are left out."""
    globs = Globs([pattern])
    top = "/".join(tree.parts(path))
    start = "/".join(part for part in (top, globs.base) if part) or "."
    cut = len(top) + 1 if top else 0
    try:
        for folder, names in walk(tree, start, check=check):
            above = folder.path[cut:].split("/") if folder.path[cut:] else []
            fitting = [one for one in names if one[1] == "file" and globs.fits([*above, one[0]])]
            if fitting:
                yield folder, fitting
    except Validation as error:
        # The folder that the pattern begins with may not be there.
        if error.code != "not_found" or not globs.base or tree.stamp(start) is not None:
            raise


def _rules_above(tree: ConfinedTree, parts: tuple[str, ...]) -> Rules:
    """Return the ignore rules of the folders above the start of a walk."""
    rules: Rules = ()
    for depth in range(len(parts)):
        with suppress(Validation), tree.open_folder("/".join(parts[:depth]) or ".") as folder:
            rules = _with_rules(folder, None, rules)
    return rules


def _with_rules(folder: OpenFolder, names: Names | None, above: Rules) -> Rules:
    lines: list[str] = []
    for name in IGNORE_FILES:
        if names is None or (name, "file") in names:
            with suppress(OSError, ConfinedPathError):
                data = folder.read(name, max_bytes=_MAX_IGNORE_BYTES)
                lines += data.decode("utf-8", "replace").splitlines()
    depth = len(folder.path.split("/")) if folder.path else 0
    return (*above, (depth, _ignore_rules(tuple(lines)))) if lines else above


@lru_cache(maxsize=256)
def _ignore_rules(lines: tuple[str, ...]) -> tuple[IgnoreRule, ...]:
    """Return the rules of an ignore file, the last one first: it decides."""
    found = [rule for line in lines if (rule := _ignore_rule(line)) is not None]
    return tuple(reversed(found))


def _ignore_rule(line: str) -> IgnoreRule | None:
    """Return a line as git reads it; None for a comment, an empty line, or one that matches nothing."""
    text = re.sub(r"(?<!\\) +$", "", line)
    keep = text.startswith("!")
    text = text[keep:]
    folders_only = text.endswith("/")
    text = text.rstrip("/") if folders_only else text
    if not text or (text.startswith("#") and not keep):
        return None
    steps = text.removeprefix("/").split("/")
    if "/" not in text and steps[0] != "**":
        steps.insert(0, "**")
    if steps[-1] == "**":  # what is inside a folder, not the folder
        steps.append("*")
    return IgnoreRule([_step(re.sub(r"\\(.)", r"[\1]", one)) for one in steps], folders_only, keep)


def _step(text: str) -> re.Pattern[str] | None:
    return None if text == "**" else re.compile(translate(text))


def _is_ignored(folder: OpenFolder, name: str, kind: Kind, rules: Rules) -> bool:
    """True if the deepest ignore file with a rule for a name in a folder leaves it out."""
    if name in NEVER:
        return True
    if not rules:
        return False
    steps = [*folder.path.split("/"), name] if folder.path else [name]
    for depth, lines in reversed(rules):
        inner = steps[depth:]
        for rule in lines:
            if rule.folders_only and kind != "folder":
                continue
            if _fits(inner, rule.steps):
                return not rule.keep
    return False


class Globs:
    """Patterns such as `src/**/*.py` and `*.{ts,tsx}`; a path that fits any of them fits.

    A pattern is matched step by step, so none can take long. With `anywhere`, a pattern without
    `/` fits the last step of any path.
    """

    def __init__(self, patterns: Sequence[str], *, anywhere: bool = False) -> None:
        expanded = [one for pattern in patterns for one in _braces(pattern)]
        self._patterns = [_steps(one, anywhere) for one in expanded]
        self.base = _base(expanded) if not anywhere else ""

    def fits(self, path: str | list[str]) -> bool:
        """True if a path, or its steps, fits one of the patterns."""
        steps = path.split("/") if isinstance(path, str) else path
        return any(_fits(steps, pattern) for pattern in self._patterns)


_Step = re.Pattern[str] | None


def _steps(pattern: str, anywhere: bool) -> list[_Step]:
    """Return a pattern as one expression for each step; None stands for `**`."""
    text = pattern.removeprefix("./").removeprefix("/") if anywhere else pattern
    if not text.strip() or "\0" in text or text.startswith("/") or ".." in text.split("/"):
        raise Validation(f'pattern: "{pattern}" must be a glob inside the workspace.')
    steps = [step for step in text.split("/") if step not in ("", ".")]
    if text.endswith("/"):
        steps.append("**")
    if anywhere and len(steps) == 1:
        steps.insert(0, "**")
    return [_step(step) for step in steps]


def _fits(steps: list[str], pattern: list[_Step]) -> bool:
    """Match steps with a pattern; only the last `**` is ever gone back to, so it is O(n·m)."""
    last = pattern[-1] if pattern else None
    if last is not None:  # most names differ in their last step, and most rules are about it alone
        if not last.match(steps[-1]):
            return False
        if len(pattern) == 2 and pattern[0] is None:
            return True
    at = step = 0
    star = resume = -1
    while step < len(steps):
        wanted = pattern[at] if at < len(pattern) else ...
        if at < len(pattern) and wanted is None:
            star, resume = at, step
            at += 1
        elif isinstance(wanted, re.Pattern) and wanted.match(steps[step]):
            at, step = at + 1, step + 1
        elif star >= 0:
            resume += 1
            at, step = star + 1, resume
        else:
            return False
    return all(left is None for left in pattern[at:])


def _braces(pattern: str) -> list[str]:
    """Return a pattern with `{a,b}` as the patterns that it stands for."""
    done: list[str] = []
    waiting = [pattern]
    while waiting:
        one = waiting.pop()
        found = re.search(r"\{([^{}]*,[^{}]*)\}", one)
        if found is None:
            done.append(one)
        else:
            parts = found[1].split(",")
            waiting += [one[: found.start()] + part + one[found.end() :] for part in parts]
        if len(done) + len(waiting) > _MAX_BRACES:
            raise Validation(f'pattern: "{pattern}" stands for more than {_MAX_BRACES} patterns.')
    return done[::-1]


def _base(patterns: list[str]) -> str:
    """Return the folder that all patterns begin with, so that others need no walk."""
    if len(patterns) != 1:
        return ""
    steps: list[str] = []
    for step in patterns[0].split("/")[:-1]:
        if re.search(r"[*?\[]", step):
            break
        steps.append(step)
    return "/".join(steps)
