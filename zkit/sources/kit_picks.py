"""A source and rules in, the tools that they pick out, each under the name it is shown by."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from zkit.sources.kit_rules import Rule
from zkit.sources.protocol import ToolSource
from zkit.sources.shown_tool import ShownTool, with_defaults
from zkit.tools import Guide, Tool

Rules = tuple[Rule, ...]
Skills = Mapping[str, Guide]


@dataclass(frozen=True, slots=True)
class Pick:
    """A tool of a kit: under which name it is shown, and what it is called in the source."""

    alias: str
    name: str
    shown: Tool
    own: bool = False  # handed to the kit itself, not a tool of the source


def picked(source: ToolSource, rules: Rules, extra: Rules, skills: Skills) -> dict[str, Pick]:
    """Return what rules pick, by alias; `extra` adds to it, and leaves what is there."""
    picks = _selected(source, rules, skills)
    for alias, pick in _selected(source, extra, skills).items():
        picks.setdefault(alias, pick)
    return dict(sorted(picks.items()))


def _selected(source: ToolSource, rules: Rules, skills: Skills) -> dict[str, Pick]:
    """What rules select: first what is named, then what is matched and not named already."""
    wanted = [rule for rule in rules if not rule.exclude]
    unwanted = [rule for rule in rules if rule.exclude]
    named = [pick for rule in wanted if (pick := _named(source, rule, skills))]
    picks = {pick.alias: pick for pick in reversed(named) if not _is_out(pick, unwanted)}
    names = {pick.name for pick in picks.values()}
    for pick in _matched(source, wanted, skills):
        if pick.name not in names and not _is_out(pick, unwanted):
            picks.setdefault(pick.alias, pick)
    return picks


def _named(source: ToolSource, rule: Rule, skills: Skills) -> Pick | None:
    """The tool that a rule names; None when it names none, or the source does not have it now."""
    if rule.kind not in ("name", "tool"):
        return None
    tool = rule.tool or source.get(rule.text)
    if tool is None:
        return None
    name = tool.definition().name
    alias = rule.alias or name
    return Pick(alias, name, _dressed(tool, alias, skills, rule), rule.tool is not None)


def _matched(source: ToolSource, wanted: list[Rule], skills: Skills) -> Iterator[Pick]:
    """The tools that globs, providers and tags match."""
    matching = [rule for rule in wanted if rule.kind not in ("name", "tool")]
    for tool in source.tools() if matching else ():
        spec = tool.definition()
        if any(rule.matches(spec) for rule in matching):
            yield Pick(spec.name, spec.name, _dressed(tool, spec.name, skills))


def _dressed(tool: Tool, alias: str, skills: Skills, rule: Rule | None = None) -> Tool:
    """The tool as the model sees it here."""
    old = tool.definition()
    changes: dict[str, Any] = {} if alias == old.name else {"name": alias}
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
