"""Read kit files (`.kit` and YAML); errors name the file and the line."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path, PureWindowsPath
from typing import Any

from zkit.errors import KitError, KitFileError
from zkit.sources.confined_files import confined
from zkit.sources.kit_rules import Rule, rule_of, rules_of
from zkit.sources.workflows import (
    Marked,
    MarkedList,
    Step,
    Workflow,
    read_small_text,
    read_yaml,
    steps_of,
)

SUFFIXES = (".kit", ".yaml", ".yml")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_COMMENT = re.compile(r"(?:^|\s)#(?:\s|$|#|!).*$")
_ALIAS = re.compile(r"([^\s:!@#*?\[]+):\s+(\S.*)")


@dataclass(frozen=True, slots=True)
class KitFile:
    """The content of a kit file."""

    name: str
    rules: tuple[Rule, ...] = ()
    description: str = ""
    docs: tuple[str, ...] = ()
    workflow: Workflow | None = None
    path: Path | None = field(default=None, compare=False)


class KitFolder:
    """A folder of kit files, by name. No name can lead out of it."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)

    def names(self) -> list[str]:
        """Return the names of the kits in the folder, sorted."""
        if not self.path.is_dir():
            return []
        return sorted({file.stem for file in self.path.iterdir() if self._is_kit(file)})

    def read(self, name: str) -> KitFile:
        """Read a kit by its name; raise `KitError` when there is none, or two."""
        self.check_name(name)
        files = [self.path / f"{name}{suffix}" for suffix in SUFFIXES]
        found = [file for file in files if self._is_kit(file)]
        if not found:
            known = ", ".join(self.names()) or "none"
            raise KitError(f"there is no kit {name!r} in {self.path}; there are: {known}")
        if len(found) > 1:
            raise KitError(f"the kit {name!r} is there twice: {found[0]} and {found[1]}")
        return read_kit(found[0])

    def check_name(self, name: str) -> None:
        """Refuse a name that could lead anywhere else."""
        if not _NAME.fullmatch(name):
            raise KitError(
                f"{name!r} is not the name of a kit: letters, digits, '.', '_' and '-' only"
            )

    def _is_kit(self, file: Path) -> bool:
        inside = confined(self.path, file.name)
        return file.suffix in SUFFIXES and inside is not None and inside.is_file()


def read_kit(path: str | Path) -> KitFile:
    """Read a kit file: `.kit`, or YAML."""
    file = Path(path)
    text = read_small_text(file)
    return parse_kit(text, file) if file.suffix == ".kit" else parse_yaml_kit(text, file)


def parse_kit(text: str, file: Path) -> KitFile:
    """Read the text of a `.kit` file: lines between `---` that describe it, then one entry a line.

    ---
    name: filesystem
    description: Read and find files
    docs: docs/filesystem.md
    ---
    read_file
    find: find_files      # an alias
    #files                # a tag: no space after the '#'
    !write_*
    """
    lines = list(enumerate(re.split("\r\n|\r|\n", text), 1))
    head, body = _halves(lines, file)
    about = _head(head, file)
    rules = list(_rules(body, file))
    return KitFile(
        name=about.get("name", [file.stem])[0],
        description=about.get("description", [""])[0],
        docs=tuple(dict.fromkeys(about.get("docs", []))),
        rules=tuple(rules),
        path=file,
    )


Lines = list[tuple[int, str]]


def _halves(lines: Lines, file: Path) -> tuple[Lines, Lines]:
    """Return the lines between the marks, and the lines after them."""
    first = next((n for n, line in lines if line.strip() and not _is_comment(line)), 0)
    marks = [number for number, line in lines if line.strip() == "---"]
    if not marks or marks[0] != first:
        if marks:
            raise KitFileError(str(file), marks[0], "'---' may stand only at the top, in a pair")
        return [], lines
    if len(marks) == 1:
        raise KitFileError(str(file), marks[0], "this '---' has no second one")
    if len(marks) > 2:
        raise KitFileError(str(file), marks[2], "a third '---': a kit has one pair, at the top")
    return lines[marks[0] : marks[1] - 1], lines[marks[1] :]


def _is_comment(line: str) -> bool:
    return not _COMMENT.sub("", line).strip()


def _head(lines: Lines, file: Path) -> dict[str, list[str]]:
    about: dict[str, list[str]] = {}
    for number, line in lines:
        if _is_comment(line):
            continue
        key, colon, value = (part.strip() for part in line.partition(":"))
        if key not in ("name", "description", "docs") or not colon:
            raise KitFileError(
                str(file),
                number,
                f"{line.strip()!r}: only name:, description: and docs: are allowed here",
            )
        if key != "docs" and key in about:
            raise KitFileError(str(file), number, f"{key} is there twice")
        if key == "docs":
            _check_doc(value, file, number)
        about.setdefault(key, []).append(value)
    return about


def _check_doc(path: str, file: Path, line: int | None) -> None:
    parts = PureWindowsPath(path)  # which handles both kinds of slashes, and drives
    if not path or parts.anchor or ".." in parts.parts:
        raise KitFileError(str(file), line, f"docs: {path!r} must be a path below the docs root")


def _rules(lines: Lines, file: Path) -> Iterator[Rule]:
    seen: dict[str, int] = {}
    for number, line in lines:
        entry = _COMMENT.sub("", line).strip()
        if not entry:
            continue
        rule: Rule = _at_line(file, number, partial(_rule, entry, number))
        key = f"{'!' * rule.exclude}{rule.kind}:{rule.shown}"
        if key in seen:
            raise KitFileError(str(file), number, f"{entry!r} is in line {seen[key]} already")
        seen[key] = number
        yield rule


def _rule(entry: str, number: int) -> Rule:
    aliased = _ALIAS.fullmatch(entry)
    if aliased is None:
        return rule_of(entry, number)
    [rule] = rules_of({aliased[1]: aliased[2]})
    return Rule(rule.kind, rule.text, alias=rule.alias, line=number)


def _at_line(file: Path, number: int | None, read: Callable[[], Any]) -> Any:
    """Add the file and the line to a mistake in a selection."""
    try:
        return read()
    except KitFileError:
        raise
    except KitError as error:
        raise KitFileError(str(file), number, str(error)) from error


_YAML_KEYS = ("kit", "tool_kit", "name", "description", "goal", "tools", "steps", "docs")
_NAMES = ("kit", "tool_kit", "name")


def parse_yaml_kit(text: str, file: Path) -> KitFile:
    """Read a workflow kit: what it is for, its tools, and the steps in which they are used.

    Without `tools` the kit holds the tools that its steps name.
    """
    data = read_yaml(text, str(file))
    for key in data:
        if key not in _YAML_KEYS:
            known = ", ".join(_YAML_KEYS)
            raise KitFileError(str(file), data.line(key), f"{key!r}: a kit has {known}")
    named = [key for key in _NAMES if key in data]
    if len(named) > 1:
        raise KitFileError(str(file), data.line(named[1]), f"{named[0]!r} names the kit already")
    name = data.text(named[0]) if named else file.stem
    steps = steps_of(data)
    docs = data.texts("docs")
    for path in docs:
        _check_doc(path, file, data.line("docs"))
    goal = data.text("goal") or data.text("description")
    rules = tuple(_yaml_rules(data, steps, file))
    workflow = Workflow(name, goal, steps) if steps else None
    return KitFile(name, rules, data.text("description") or goal, tuple(docs), workflow, file)


def _yaml_rules(data: Marked, steps: tuple[Step, ...], file: Path) -> Iterator[Rule]:
    """Return the rules of a YAML kit, each with its line: what `tools` selects, or what the steps use."""
    if "tools" not in data:
        used = {step.tool: step.line for step in reversed(steps) if step.tool}
        yield from (Rule("name", name, line=line) for name, line in reversed(used.items()))
        return
    tools: Any = data["tools"]
    if isinstance(tools, MarkedList):
        entries = list(zip(tools, tools.lines, strict=True))
    elif isinstance(tools, Marked):
        entries = [({alias: target}, tools.line(alias)) for alias, target in tools.items()]
    else:
        entries = [(tools, data.line("tools"))]
    for entry, line in entries:
        whole = entry if entry is tools else [entry]
        read: tuple[Rule, ...] = _at_line(file, line, partial(rules_of, whole))
        yield from (replace(rule, line=line) for rule in read)


def kit_text(name: str, entries: list[str], description: str = "") -> str:
    """Return the text of a new `.kit` file; `parse_kit` reads it back."""
    one_line = " ".join(description.split())
    about = [f"name: {name}", *([f"description: {one_line}"] if one_line else [])]
    return "\n".join(["---", *about, "---", *entries, ""])
