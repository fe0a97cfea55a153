"""Read workflows (a goal and its steps), skills (how to use one tool) and documents from files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PureWindowsPath
from typing import Any

from zkit.errors import KitError, KitFileError, MissingExtraError
from zkit.json_types import JsonMapping, JsonObject
from zkit.sources.confined_files import ConfinedFiles, ConfinedPathError
from zkit.tools import Guide

MAX_FILE = 256 * 1024
"""Bytes of a kit, workflow, skill or document: far more than people write by hand."""
MAX_DEPTH = 32
"""Levels of a YAML file. PyYAML is recursive, and needs minutes for 100,000 levels."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a workflow: a tool and how to call it, or only a note."""

    tool: str = ""
    action: str = ""
    params: JsonMapping = field(default_factory=dict)
    note: str = ""
    line: int | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Workflow:
    """A task for several tools, step by step."""

    name: str
    goal: str = ""
    steps: tuple[Step, ...] = ()

    @property
    def tools(self) -> frozenset[str]:
        """The tools without which it makes no sense."""
        return frozenset(step.tool for step in self.steps if step.tool)


class Marked(dict[str, Any]):
    """A mapping of a YAML file that knows the lines of its keys."""

    def __init__(self, file: str, line: int, lines: Mapping[str, int], data: JsonMapping):
        super().__init__(data)
        self.file = file
        self._line = line
        self._lines = dict(lines)

    def line(self, key: str = "") -> int:
        """Return the line of a key, or of the whole."""
        return self._lines.get(key, self._line)

    def error(self, key: str, problem: str) -> KitFileError:
        """Return a mistake at the place of a key."""
        return KitFileError(self.file, self.line(key), problem)

    def text(self, key: str) -> str:
        """Return the text under a key; empty when there is none."""
        value = self.get(key)
        if value is None:
            return ""
        if not isinstance(value, str):
            raise self.error(key, f"{key} must be a text, not {value!r}")
        return " ".join(value.split())

    def texts(self, key: str) -> list[str]:
        """Return the texts under a key; one alone counts as a list."""
        value = self.get(key)
        found = [] if value is None else [value] if isinstance(value, str) else value
        if not isinstance(found, list) or not all(isinstance(one, str) for one in found):
            raise self.error(key, f"{key} must be a list of texts, not {value!r}")
        return [" ".join(one.split()) for one in found if one.strip()]


class MarkedList(list[Any]):
    """A list of a YAML file that knows the lines of its entries."""

    def __init__(self, entries: list[Any], lines: list[int]) -> None:
        super().__init__(entries)
        self.lines = lines


def read_yaml(text: str, file: str) -> Marked:
    """Read a YAML mapping strictly: no key twice, no anchors, nothing but plain data."""
    try:
        import yaml
    except ImportError as error:
        raise MissingExtraError("yaml", "Reading YAML kits and skills") from error
    try:
        _check_events(yaml, text, file)
        node = yaml.compose(text, yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        raise KitFileError(file, mark.line + 1 if mark else None, str(error.problem)) from error
    except (yaml.YAMLError, RecursionError) as error:
        raise KitFileError(file, None, str(error) or "nested too deep") from error
    if not isinstance(node, yaml.MappingNode):
        raise KitFileError(file, 1, "must be a mapping of names to values")
    found: Marked = _value(node, file, yaml.SafeLoader(""))
    return found


def _check_events(yaml: Any, text: str, file: str) -> None:
    """Refuse aliases, and what is nested too deep to be read quickly, before anything is built."""
    if len(text) > MAX_FILE:
        raise KitFileError(file, None, f"larger than {MAX_FILE // 1024} KB")
    depth = 0
    for event in yaml.parse(text, yaml.SafeLoader):
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        line = event.start_mark.line + 1
        if isinstance(event, yaml.AliasEvent):
            raise KitFileError(file, line, "aliases (*name) are not allowed here")
        if depth > MAX_DEPTH:
            raise KitFileError(file, line, f"nested deeper than {MAX_DEPTH} levels")


def _value(node: Any, file: str, loader: Any) -> Any:
    if node.id == "mapping":
        return _mapping(node, file, loader)
    if node.id == "sequence":
        lines = [part.start_mark.line + 1 for part in node.value]
        return MarkedList([_value(part, file, loader) for part in node.value], lines)
    try:
        return loader.construct_object(node, deep=True)
    except Exception as error:
        raise KitFileError(file, node.start_mark.line + 1, f"{node.value!r}: {error}") from error


def _mapping(node: Any, file: str, loader: Any) -> Marked:
    data: JsonObject = {}
    lines: dict[str, int] = {}
    for key_node, value_node in node.value:
        line = key_node.start_mark.line + 1
        key = _value(key_node, file, loader)
        if not isinstance(key, str):
            raise KitFileError(file, line, f"a key must be a text, not {key!r}")
        if key in data:
            raise KitFileError(file, line, f"{key!r} is in line {lines[key]} already")
        data[key], lines[key] = _value(value_node, file, loader), line
    return Marked(file, node.start_mark.line + 1, lines, data)


_STEP_KEYS = ("order", "tool", "action", "params", "note")


def steps_of(data: Marked) -> tuple[Step, ...]:
    """Read the steps of a workflow, in their order."""
    given = data.get("steps") or []
    if not isinstance(given, list):
        raise data.error("steps", "steps must be a list")
    numbered = [(_order(step, at), _step(step, data)) for at, step in enumerate(given, 1)]
    return tuple(step for _, step in sorted(numbered, key=lambda pair: pair[0]))


def _order(step: object, at: int) -> tuple[float, int]:
    order = step.get("order", at) if isinstance(step, Marked) else at
    if isinstance(step, Marked) and (isinstance(order, bool) or not isinstance(order, int | float)):
        raise step.error("order", f"order must be a number, not {order!r}")
    return order, at


def _step(step: object, data: Marked) -> Step:
    if isinstance(step, str):
        return Step(note=" ".join(step.split()))
    if not isinstance(step, Marked):
        raise data.error("steps", f"a step must be a text or a mapping, not {step!r}")
    for key in step:
        if key not in _STEP_KEYS:
            raise step.error(key, f"{key!r}: a step has {', '.join(_STEP_KEYS)}")
    params = step.get("params") or {}
    if not isinstance(params, Mapping):
        raise step.error("params", f"params must be a mapping, not {params!r}")
    texts = {key: step.text(key) for key in ("tool", "action", "note")}
    found = Step(**texts, params=dict(params), line=step.line("tool"))
    if not found.tool and not found.note:
        raise step.error("", "a step needs a tool or a note")
    return found


_SKILL_KEYS = ("tool", "when_to_use", "when_not_to_use", "examples", "tips")


def read_skill(path: str | Path) -> tuple[str, Guide]:
    """Read a skill file: the name of a tool, and how to use it well."""
    data = read_yaml(read_small_text(Path(path)), str(path))
    for key in data:
        if key not in _SKILL_KEYS:
            raise data.error(key, f"{key!r}: a skill has {', '.join(_SKILL_KEYS)}")
    name = data.text("tool")
    if not name:
        raise data.error("tool", "a skill needs the name of its tool")
    return name, Guide(**{key: tuple(data.texts(key)) for key in _SKILL_KEYS[1:]})


def load_skills(folder: str | Path) -> dict[str, Guide]:
    """Read every skill file of a folder, by the name of its tool."""
    found: dict[str, Guide] = {}
    places: dict[str, Path] = {}
    for path in _yaml_files(Path(folder)):
        name, guide = read_skill(path)
        if name in found:
            raise KitFileError(str(path), 1, f"{name!r} has a skill in {places[name]} already")
        found[name], places[name] = guide, path
    return found


def _yaml_files(folder: Path) -> Iterator[Path]:
    if not folder.is_dir():
        raise NotADirectoryError(f"{folder}: no such folder")
    yield from sorted(path for path in folder.iterdir() if path.suffix in (".yaml", ".yml"))


def read_small_text(path: Path) -> str:
    """Read a kit, workflow or skill file: a regular file of at most 256 KB, in UTF-8.

    Raises `KitFileError` for anything else.
    """
    try:
        if not path.is_file():
            raise KitFileError(str(path), None, "No such file, or not a regular one")
        with path.open("rb") as file:
            data = file.read(MAX_FILE + 1)
    except OSError as error:
        raise KitFileError(str(path), None, error.strerror or str(error)) from error
    if len(data) > MAX_FILE:
        raise KitFileError(str(path), None, f"larger than {MAX_FILE // 1024} KB")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise KitFileError(str(path), None, f"not UTF-8: {error.reason}") from error


MAX_BYTES = 256 * 1024
"""A longer file is not a document: pages of a manual are shorter."""

PACKAGED: dict[str, Path] = {}
"""Roots of documents that come with a package, by the first part of their paths (`std/ls.md`)."""


def read_document(path: str, roots: Iterable[str | Path]) -> str | None:
    """Read a document below the first root that has it; None when none has.

    Documents that come with a package are looked for last. Raises `KitError` for a path that leads
    out of a root or through a link, for a file that is too large or no text, and when there is no
    root to look in.
    """
    first = PureWindowsPath(path).parts[:1]  # which handles both kinds of slashes
    packaged = [PACKAGED[part] for part in first if part in PACKAGED]
    found = [Path(root) for root in (*roots, *packaged)]
    if not found:
        raise KitError(f"no docs_root was given to read documents from, so not {path!r:.80}")
    for root in found:
        try:
            return ConfinedFiles(root).read_text(path, max_bytes=MAX_BYTES)
        except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
            continue
        except (OSError, UnicodeDecodeError, ConfinedPathError) as error:
            raise KitError(
                f"{path!r:.80} leads out of the docs, or cannot be read: {error}"
            ) from None
    return None
