"""The selection of a kit: reading it, checking it, and picking tools by it."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from typing import Literal

from zkit.errors import KitError, KitFileError, ToolDefinitionError, UnknownToolError
from zkit.json_types import JsonMapping, JsonObject
from zkit.results import Refused
from zkit.sources.shown_tool import ShownTool, with_defaults
from zkit.sources.source import (
    SourceView,
    ToolSource,
    levels_out,
    spec_or_none,
    specs_in,
    warn_if_shadowing,
)
from zkit.sources.workflows import Workflow
from zkit.tools import Guide, Tool, ToolSpec, as_tool
from zkit.tools.spec import to_wire

RuleKind = Literal["name", "glob", "provider", "tag", "family", "tool"]
_GLOB = re.compile(r"[*?\[]")
_FAMILY = re.compile(r"[^/]+/[^/]+")
_MARKS: dict[str, RuleKind] = {"@": "provider", "#": "tag"}
_ENTRY_KEYS = ("tool", "defaults", "description")


@dataclass(frozen=True, slots=True)
class Rule:
    """One entry of a selection.

    `read_file` is a name, `read_*` a glob, `@git` a provider, `#files` a tag, `std/files` a tag of
    one provider, and with a `!` in front each of these excludes tools. A name may have an alias,
    other defaults and another description. `line` is the place in a kit file.
    """

    kind: RuleKind
    text: str
    exclude: bool = False
    alias: str = ""
    defaults: JsonMapping = field(default_factory=dict)
    description: str | None = None
    tool: Tool | None = None
    line: int | None = None

    def __str__(self) -> str:
        mark = {kind: mark for mark, kind in _MARKS.items()}.get(self.kind, "")
        return f"'{'!' * self.exclude}{mark}{self.text}'"

    @property
    def shown(self) -> str:
        """The name under which the model knows the tool that this rule names."""
        return self.alias or self.text

    def matches(self, spec: ToolSpec, alias: str = "") -> bool:
        """True if the rule matches a tool."""
        return _MATCHES[self.kind](self.text, spec) or bool(alias and _by_name(self, alias))


def _by_name(rule: Rule, alias: str) -> bool:
    return rule.kind in ("name", "glob") and fnmatchcase(alias, rule.text)


_MATCHES: dict[RuleKind, Callable[[str, ToolSpec], bool]] = {
    "name": lambda text, spec: text in (spec.name, spec.wire_name),
    "glob": lambda text, spec: fnmatchcase(spec.name, text),
    "provider": lambda text, spec: fnmatchcase(spec.provider, text),
    "tag": lambda text, spec: any(fnmatchcase(tag, text) for tag in spec.tags),
    "family": lambda text, spec: text in (spec.name, spec.wire_name) or _in_family(text, spec),
    "tool": lambda text, spec: text == spec.name,
}


def _in_family(text: str, spec: ToolSpec) -> bool:
    """True if a tool of the provider before the `/` has the tag after it."""
    provider, _, tag = text.partition("/")
    return spec.provider == provider and tag in spec.tags


def rules_of(selection: object) -> tuple[Rule, ...]:
    """Read a selection: a list of entries, or a mapping of aliases to tools.

    `"none"` selects nothing. A text is one entry, or several with commas between. None is refused:
    it could mean all tools or none.
    """
    if selection is None:
        raise KitError('a selection is needed: "none" for no tools, "*" for all')
    if isinstance(selection, str):
        return _of_text(selection)
    if isinstance(selection, Mapping):
        return tuple(_of_pair(alias, target) for alias, target in selection.items())
    if isinstance(selection, Iterable):
        return _unique(rule for entry in selection for rule in _of_entry(entry))
    raise KitError(f"a selection is a list or a mapping, not {selection!r}")


def _of_text(text: str) -> tuple[Rule, ...]:
    if text.strip() == "none":
        return ()
    parts = [part for part in text.split(",") if part.strip()]
    if not parts:
        raise KitError(f'{text!r} selects nothing: write "none" for no tools, "*" for all')
    return _unique(map(rule_of, parts))


def _of_entry(entry: object) -> tuple[Rule, ...]:
    if isinstance(entry, str):
        return (rule_of(entry),)
    if isinstance(entry, Rule):
        return (entry,)
    if isinstance(entry, Mapping):
        return tuple(_of_pair(alias, target) for alias, target in entry.items())
    try:
        found = as_tool(entry)
    except ToolDefinitionError as error:
        raise KitError(f"{entry!r} selects no tool") from error
    return (Rule("tool", found.definition().name, tool=found),)


def rule_of(text: str, line: int | None = None) -> Rule:
    """Read one entry: a name, `glob*`, `@provider`, `#tag`, `provider/tag`, or one after a `!`."""
    entry = text.strip()
    exclude = entry.startswith("!")
    entry = entry[exclude:].strip()
    kind = _MARKS.get(entry[:1])
    body = entry[1:] if kind else entry
    if not body or body.split() != [body]:
        raise KitError(f"{text!r} selects no tool: an entry is one word")
    if kind is None:
        kind = "glob" if _GLOB.search(body) else "family" if _FAMILY.fullmatch(body) else "name"
    return Rule(kind, body, exclude, line=line)


def _of_pair(alias: object, target: object) -> Rule:
    """Read `alias: name`, or `alias: {tool: name, defaults: {...}, description: "..."}`."""
    if not isinstance(alias, str) or not alias.strip() or _GLOB.search(alias):
        raise KitError(f"an alias is a name, not {alias!r}")
    if isinstance(target, str):
        return replace(_named(target), alias=alias)
    if not isinstance(target, Mapping):
        raise KitError(f"{alias}: must name a tool, or be a mapping with 'tool', not {target!r}")
    unknown = [key for key in target if key not in _ENTRY_KEYS]
    if unknown:
        raise KitError(f"{alias}: has no {unknown[0]!r}; an entry has {', '.join(_ENTRY_KEYS)}")
    rule = _named(target.get("tool", alias))
    return replace(
        rule,
        alias=alias,
        defaults=dict(target.get("defaults") or {}),
        description=target.get("description"),
    )


def _named(text: object) -> Rule:
    rule = rule_of(text) if isinstance(text, str) else None
    if rule is not None and rule.kind == "family":  # a name may hold a slash
        rule = replace(rule, kind="name")
    if rule is None or rule.kind != "name" or rule.exclude:
        raise KitError(f"an alias stands for one tool by its name, not {text!r}")
    return rule


def _unique(rules: Iterable[Rule]) -> tuple[Rule, ...]:
    found: list[Rule] = []
    for rule in rules:
        if not any(replace(rule, line=None) == replace(one, line=None) for one in found):
            found.append(rule)
    return tuple(found)


Rules = tuple[Rule, ...]
Skills = Mapping[str, Guide]


@dataclass(frozen=True, slots=True)
class Pick:
    """A tool of a kit: under which name it is shown, and what it is called in the source."""

    alias: str
    name: str
    shown: Tool
    own: bool = False  # given to the kit itself, not a tool of the source


def picked(source: ToolSource, rules: Rules, extra: Rules, skills: Skills) -> dict[str, Pick]:
    """Return what rules pick, by alias; `extra` adds to it and replaces nothing."""
    picks = _selected(source, rules, skills)
    for alias, pick in _selected(source, extra, skills).items():
        picks.setdefault(alias, pick)
    _check_one_namespace(picks)
    return dict(sorted(picks.items()))


def _check_one_namespace(picks: Mapping[str, Pick]) -> None:
    """Refuse an alias that is the name of another tool on the wire: a call must mean one tool."""
    wires = {to_wire(alias): alias for alias in picks}
    for alias in picks:
        other = wires.get(alias, alias)
        if other != alias:
            raise KitError(
                f"{alias!r} and {other!r} would be one name in calls: rename one of them"
            )


def _selected(source: ToolSource, rules: Rules, skills: Skills) -> dict[str, Pick]:
    """Return what rules select: first by name, then by match, unless already named."""
    wanted = [rule for rule in rules if not rule.exclude]
    unwanted = [rule for rule in rules if rule.exclude]
    named = [pick for rule in wanted if (pick := _named_pick(source, rule, skills))]
    picks = {pick.alias: pick for pick in reversed(named) if not _is_out(pick, unwanted)}
    names = {pick.name for pick in picks.values()}
    for pick in _matched(source, wanted, skills):
        if pick.name not in names and not _is_out(pick, unwanted):
            picks.setdefault(pick.alias, pick)
    return picks


def _named_pick(source: ToolSource, rule: Rule, skills: Skills) -> Pick | None:
    """Return the tool that a rule names; None if the rule is not a name, or the source does not
    have the tool now."""
    if rule.kind not in ("name", "tool"):
        return None
    tool = rule.tool or source.get(rule.text)
    spec = None if tool is None else spec_or_none(tool)
    if tool is None or spec is None:
        return None
    name = spec.name
    alias = rule.alias or name
    return Pick(alias, name, _dressed(tool, alias, skills, rule), rule.tool is not None)


def _matched(source: ToolSource, wanted: list[Rule], skills: Skills) -> Iterator[Pick]:
    """Return the tools that globs, providers and tags match."""
    matching = [rule for rule in wanted if rule.kind not in ("name", "tool")]
    for tool in source.tools() if matching else ():
        spec = spec_or_none(tool)
        if spec is not None and any(rule.matches(spec) for rule in matching):
            yield Pick(spec.name, spec.name, _dressed(tool, spec.name, skills))


def _dressed(tool: Tool, alias: str, skills: Skills, rule: Rule | None = None) -> Tool:
    """Return the tool as the model sees it here."""
    old = tool.definition()
    changes: JsonObject = {} if alias == old.name else {"name": alias}
    if rule is not None and rule.description is not None:
        changes["description"] = rule.description
    guide = skills.get(old.name) or skills.get(alias)
    if guide:
        changes["guide"] = guide
    spec = old.replace(**changes) if changes else old
    defaults = {} if rule is None else dict(rule.defaults)
    spec = with_defaults(spec, defaults) if defaults else spec
    return tool if spec is old else ShownTool(tool, spec, defaults=defaults)


def _is_out(pick: Pick, unwanted: list[Rule]) -> bool:
    spec = pick.shown.definition()
    real = spec if spec.name == pick.name else spec.replace(name=pick.name)
    return any(rule.matches(real, pick.alias) for rule in unwanted)


class NothingLeftOutWarning(UserWarning):
    """An entry excludes a tool that does not exist: perhaps another one was meant, which is still
    selected."""


class KitChecks:
    """Checks the rules and the workflow of a kit against its source; `file` is the file they are in."""

    def __init__(self, source: ToolSource, file: str = "") -> None:
        self._source = source
        self._file = file

    def check_rules(self, rules: Sequence[Rule], extra: Sequence[Rule]) -> None:
        """Refuse names of tools that do not exist, and aliases for two tools."""
        for rule in (*rules, *extra):
            if rule.kind == "name":
                self._check_name(rule, rules)
            if rule.kind == "family" and not rule.exclude and not self._has_any(rule):
                raise self._unknown(rule)
            if rule.kind == "tag" and rule.line and self._is_commented_out(rule):
                problem = f"'#{rule.text}' selects a tag; a comment is written '# {rule.text}'"
                raise self._error(rule.line, problem)
            if rule.alias and rule.alias != rule.text:
                warn_if_shadowing(rule.alias)
        self._check_aliases(rules)

    def check_steps(self, workflow: Workflow | None, known: Collection[str]) -> None:
        """Refuse a step whose tool is not in the kit: the workflow would never be shown."""
        for step in () if workflow is None else workflow.steps:
            if step.tool and step.tool not in known and not self._is_switched_off(step.tool):
                problem = f"a step uses {step.tool!r}, which is not among the tools of the kit"
                raise self._error(step.line, problem)

    def _has_any(self, rule: Rule) -> bool:
        return any(rule.matches(spec) for spec in specs_in(self._source.tools()))

    def _check_name(self, rule: Rule, rules: Sequence[Rule]) -> None:
        tool = self._source.get(rule.text)
        if tool is None and not self._is_switched_off(rule.text):
            if not rule.exclude:
                raise self._unknown(rule)
            if all(rule.text != other.alias for other in rules):
                message = f"{rule} leaves out nothing: there is no such tool{self._hint(rule.text)}"
                warnings.warn(message, NothingLeftOutWarning, stacklevel=levels_out())
        if tool is not None and rule.defaults:
            try:
                with_defaults(tool.definition(), rule.defaults)
            except ToolDefinitionError as error:
                raise self._error(rule.line, str(error)) from error

    def _check_aliases(self, rules: Sequence[Rule]) -> None:
        meant: dict[str, Rule] = {}
        for rule in rules:
            if rule.kind in ("name", "tool") and not rule.exclude:
                twin = meant.setdefault(rule.shown, rule)
                if twin.text != rule.text:
                    problem = f"{rule.shown!r} would mean both {twin.text!r} and {rule.text!r}"
                    raise self._error(rule.line, problem)

    def _is_switched_off(self, name: str) -> bool:
        why = getattr(self._source, "absent", None)
        return why is not None and isinstance(why(name), Refused)

    def _is_commented_out(self, rule: Rule) -> bool:
        tagged = any(rule.matches(spec) for spec in specs_in(self._source.tools()))
        return not tagged and self._source.get(rule.text) is not None

    def _unknown(self, rule: Rule) -> Exception:
        count = len(self._source.tools())
        problem = f"there is no tool {rule.text!r}"
        problem += self._hint(rule.text) or f" (there are {count} tools)"
        return self._error(rule.line, problem) if rule.line else UnknownToolError(problem)

    def _hint(self, name: str) -> str:
        is_view = isinstance(self._source, SourceView)
        near = self._source.catalog().nearest(name) if is_view else []  # type: ignore[attr-defined]
        return f"; did you mean {' or '.join(near)}?" if near else ""

    def _error(self, line: int | None, problem: str) -> KitError:
        return KitFileError(self._file, line, problem) if line else KitError(problem)
