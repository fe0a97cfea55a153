"""A selection of tools as people write it in, rules out."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from typing import Any, Literal

from zkit.errors import KitError, ToolDefinitionError
from zkit.tools import Tool, ToolSpec, as_tool

RuleKind = Literal["name", "glob", "provider", "tag", "family", "tool"]
_GLOB = re.compile(r"[*?\[]")
_FAMILY = re.compile(r"[^/]+/[^/]+")
_MARKS: dict[str, RuleKind] = {"@": "provider", "#": "tag"}
_ENTRY_KEYS = ("tool", "defaults", "description")


@dataclass(frozen=True, slots=True)
class Rule:
    """One entry of a selection.

    `read_file` is a name, `read_*` a glob, `@git` a provider, `#files` a tag, `std/files` a tag of
    one provider, and with a `!` in front each of these takes tools away. A name may have an alias, other defaults and another
    description. `line` is the place in a kit file.
    """

    kind: RuleKind
    text: str
    exclude: bool = False
    alias: str = ""
    defaults: Mapping[str, Any] = field(default_factory=dict)
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
        """Whether the rule speaks of a tool."""
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
    """True if a tool of the provider before the `/` bears the tag after it."""
    provider, _, tag = text.partition("/")
    return spec.provider == provider and tag in spec.tags


def rules_of(selection: Any) -> tuple[Rule, ...]:
    """Read a selection: a list of entries, or a mapping of aliases to tools.

    `"none"` selects nothing. A text is one entry, or several with commas between. None is refused:
    whether it means all tools or none must never be a guess.
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


def _of_entry(entry: Any) -> tuple[Rule, ...]:
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


def _of_pair(alias: Any, target: Any) -> Rule:
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


def _named(text: Any) -> Rule:
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
