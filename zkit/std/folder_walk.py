"""Walk the files below a root, leave out what ignore files name, and match paths by globs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from fnmatch import translate
from functools import lru_cache
from typing import NamedTuple

from zkit.results import Validation
from zkit.sources.confined_files import Entry
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


def walk(
    tree: ConfinedTree,
    start: str = ".",
    *,
    ignored: bool = False,
    deep: bool = True,
    check: Callable[[], None] = lambda: None,
) -> Iterator[Entry]:
    """Yield what is below a folder, sorted by name, folder by folder; links are not followed.

    `ignored` includes what ignore files leave out. `check` is called for every folder, and may
    raise to end the walk.
    """
    first = tree.parts(start)
    rules: Rules = () if ignored else _rules_above(tree, first)
    waiting = [(first, rules)]
    seen = 0
    while waiting:
        parts, above = waiting.pop()
        check()
        try:
            entries = tree.list_folder("/".join(parts) or ".")
        except Validation:
            if parts == first:
                raise
            continue  # it was removed meanwhile, or may not be opened
        here = above if ignored else _with_rules(tree, parts, above, entries)
        kept = [e for e in entries if ignored or not _is_ignored(e, here)]
        seen += len(kept)
        if seen > MAX_ENTRIES:
            raise Validation(f"There are more than {MAX_ENTRIES:,} files here; send a deeper path.")
        yield from kept
        if deep and len(parts) < MAX_DEPTH:
            inner = [(tuple(e.path.split("/")), here) for e in kept if e.kind == "folder"]
            waiting.extend(reversed(inner))


def _rules_above(tree: ConfinedTree, parts: tuple[str, ...]) -> Rules:
    """The rules of the folders on the way to a start, which a walk from there does not meet."""
    rules: Rules = ()
    for depth in range(len(parts)):
        rules = _with_rules(tree, parts[:depth], rules, None)
    return rules


def _with_rules(
    tree: ConfinedTree, parts: tuple[str, ...], above: Rules, entries: list[Entry] | None
) -> Rules:
    names = None if entries is None else {e.path.rpartition("/")[2] for e in entries}
    lines: list[str] = []
    for name in IGNORE_FILES:
        if names is None or name in names:
            try:
                data, _ = tree.read("/".join((*parts, name)), most=_MAX_IGNORE_BYTES)
            except Validation:
                continue
            lines += data.decode("utf-8", "replace").splitlines()
    return (*above, (len(parts), _ignore_rules(tuple(lines)))) if lines else above


@lru_cache(maxsize=256)
def _ignore_rules(lines: tuple[str, ...]) -> tuple[IgnoreRule, ...]:
    """The rules of an ignore file, the last one first: it decides."""
    found = [rule for line in lines if (rule := _ignore_rule(line)) is not None]
    return tuple(reversed(found))


def _ignore_rule(line: str) -> IgnoreRule | None:
    """A line as git reads it; None for a comment, an empty line, or one that matches nothing."""
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


def _is_ignored(entry: Entry, rules: Rules) -> bool:
    """True if the deepest ignore file that says anything of an entry leaves it out."""
    steps = entry.path.split("/")
    if steps[-1] in NEVER:
        return True
    for depth, lines in reversed(rules):
        inner = steps[depth:]
        for rule in lines:
            if rule.folders_only and entry.kind != "folder":
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

    def fits(self, path: str) -> bool:
        """True if a path fits one of the patterns."""
        steps = path.split("/")
        return any(_fits(steps, pattern) for pattern in self._patterns)


_Step = re.Pattern[str] | None


def _steps(pattern: str, anywhere: bool) -> list[_Step]:
    """A pattern as one expression for each step; None stands for `**`."""
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
    """A pattern with `{a,b}` as the patterns that it stands for."""
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
    """The folder that all patterns begin with, so that others need no walk."""
    if len(patterns) != 1:
        return ""
    steps: list[str] = []
    for step in patterns[0].split("/")[:-1]:
        if re.search(r"[*?\[]", step):
            break
        steps.append(step)
    return "/".join(steps)
