"""A source and what a kit says of itself in; a refusal out when the two do not hold together."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Sequence

from zkit.errors import KitError, KitFileError, ToolDefinitionError, UnknownToolError
from zkit.results import Refused
from zkit.sources.kit_rules import Rule
from zkit.sources.protocol import ToolSource
from zkit.sources.shadowing import levels_out, warn_if_shadowing
from zkit.sources.shown_tool import with_defaults
from zkit.sources.source_view import SourceView
from zkit.sources.workflows import Workflow


class NothingLeftOutWarning(UserWarning):
    """An entry leaves out a tool that does not exist: perhaps another one was meant, and stays."""


class KitChecks:
    """Checks the rules and the workflow of a kit against its source; `file` is where they stand."""

    def __init__(self, source: ToolSource, file: str = "") -> None:
        self._source = source
        self._file = file

    def check_rules(self, rules: Sequence[Rule], extra: Sequence[Rule]) -> None:
        """Refuse names that no tool bears, and aliases that mean two tools."""
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
        return any(rule.matches(tool.definition()) for tool in self._source.tools())

    def _check_name(self, rule: Rule, rules: Sequence[Rule]) -> None:
        tool = self._source.get(rule.text)
        if tool is None and not self._is_switched_off(rule.text):
            if not rule.exclude:
                raise self._unknown(rule)
            if all(rule.text != other.alias for other in rules):
                said = f"{rule} leaves out nothing: there is no such tool{self._hint(rule.text)}"
                warnings.warn(said, NothingLeftOutWarning, stacklevel=levels_out())
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
        tagged = any(rule.matches(tool.definition()) for tool in self._source.tools())
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
