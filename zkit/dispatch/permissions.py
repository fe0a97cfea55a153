"""Decide which tools may be called, by whom."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from zkit.arguments.field_names import nearest
from zkit.dispatch.call_policy import specs_of
from zkit.dispatch.live_call import LiveCall, Next, ended
from zkit.json_types import JsonMapping, JsonObject
from zkit.required import require_kind, require_mapping
from zkit.results import Refused, Result
from zkit.sources.kit_rules import Rule, rules_of
from zkit.sources.source import levels_out
from zkit.tools import Tool, ToolSpec, current_scope, to_wire

Selection = tuple[Rule, ...]


@dataclass(frozen=True, slots=True)
class Permissions:
    """Which tools may be called, by entries like those of a kit.

    A tool must be in `allow`, in the selection of the role that calls (when there are roles), and
    not in `deny`. Names are exact; `read_*`, `@git` and `#files` are globs, providers and tags.
    With roles, a call without a role, or with one that is not listed, may call nothing. `enabled`
    may be a function, which is called for each call. What `within` refuses is refused, whatever is
    allowed here.
    """

    allow: Selection
    deny: Selection = ()
    roles: Mapping[str, Selection] | None = None
    enabled: bool | Callable[[], bool] = True
    within: Permissions | None = None

    @property
    def is_open(self) -> bool:
        """Whether everything is allowed for everybody."""
        is_own = self.enabled is True and not self.deny and self.roles is None
        return is_own and self.allow == ALL and (self.within is None or self.within.is_open)

    def _is_on(self) -> bool:
        """True only for the value True: anything else, such as a coroutine, switches off."""
        answer: object = self.enabled if isinstance(self.enabled, bool) else self.enabled()
        if inspect.iscoroutine(answer):
            answer.close()
        return answer is True

    def refusal(self, tool: Tool) -> Refused | None:
        """Return why a tool must not be called here; None if it may."""
        if not self._is_on():
            return Refused("tools are switched off here", code="disabled")
        outer = None if self.within is None else self.within.refusal(tool)
        if outer is not None:
            return outer
        specs = specs_of(tool)
        if not specs:
            return Refused("the tool cannot say what it is", code="disabled")
        if _selects(self.deny, specs) or not _selects(self.allow, specs):
            return Refused(f"{specs[0].name} is not allowed here")
        if self.roles is None:
            return None
        role = current_scope().role
        if role in self.roles and _selects(self.roles[role], specs):
            return None
        who = f'the role "{role}"' if role else "a call without a role"
        return Refused(f"{specs[0].name} is not allowed for {who}")

    def to_dict(self) -> JsonObject:
        """Return what is allowed, as `permissions` reads it again; `enabled` is not part of it."""
        roles = self.roles
        by_role = None if roles is None else {name: written(one) for name, one in roles.items()}
        within = None if self.within is None else self.within.to_dict()
        own = {"allow": written(self.allow), "deny": written(self.deny), "roles": by_role}
        return own if within is None else {**own, "within": within}


ALL: Selection = rules_of("*")


class UnmatchedRuleWarning(UserWarning):
    """An entry of `allow`, `deny` or `roles` matches no tool: perhaps a misspelling."""


def warn_of_unmatched(allowed: Permissions, tools: Sequence[Tool]) -> None:
    """Warn of names that no tool has, with the nearest one."""
    given = {"allow": allowed.allow, "deny": allowed.deny}
    given |= {f"roles[{role!r}]": rules for role, rules in (allowed.roles or {}).items()}
    if not any(rules and rules != ALL for rules in given.values()):
        return
    specs = [spec for tool in tools for spec in specs_of(tool)]
    names = [spec.name for spec in specs]
    for where, rules in given.items():
        for rule in rules if rules is not ALL else ():
            if rule.kind != "name" or any(rule.matches(spec) for spec in specs):
                continue
            near = nearest(rule.text, names)
            hint = f"; did you mean {' or '.join(near)}?" if near else ""
            said = f"{where}: {rule} matches no tool{hint}"
            warnings.warn(said, UnmatchedRuleWarning, stacklevel=levels_out())


def permissions(
    allow: object = "*",
    deny: object = (),
    roles: JsonMapping | None = None,
    enabled: bool | Callable[[], bool] = True,
    within: JsonMapping | None = None,
) -> Permissions:
    """Read the operator's settings."""
    require_mapping("roles", roles, or_none=True)
    if not callable(enabled):
        require_kind("enabled", enabled, bool, "True, False or a function")
    elif inspect.iscoroutinefunction(enabled) or inspect.iscoroutinefunction(
        getattr(enabled, "__call__", None)  # noqa: B004
    ):
        raise TypeError(
            "enabled must be a plain function, not an async one: what it returns is true"
        )
    by_role = None if roles is None else {role: rules_of(one) for role, one in roles.items()}
    outer = None if within is None else permissions(**within)
    return Permissions(rules_of(allow), rules_of(deny), by_role, enabled, outer)


def narrowed(own: Permissions, before: JsonMapping) -> Permissions:
    """Return what is allowed both here and by saved permissions (`to_dict`), without duplicates."""
    layers = list(_layers(own))
    known = [layer.to_dict() for layer in layers]
    layers += [one for one in _layers(permissions(**before)) if one.to_dict() not in known]
    narrowest, *others = reversed(layers)
    for layer in others:
        narrowest = replace(layer, within=narrowest)
    return narrowest


def _layers(whole: Permissions) -> Iterator[Permissions]:
    layer: Permissions | None = whole
    while layer is not None:
        yield replace(layer, within=None)
        layer = layer.within


_MARKS = {"provider": "@", "tag": "#"}


def written(rules: Selection) -> list[str]:
    """Return rules as entries of a selection; a name of several words is written as its wire name."""
    return [f"{'!' if rule.exclude else ''}{_entry(rule)}" for rule in rules]


def _entry(rule: Rule) -> str:
    if rule.text.split() != [rule.text]:
        return to_wire(rule.text)
    return f"{_MARKS.get(rule.kind, '')}{rule.text}"


def _selects(rules: Iterable[Rule], specs: tuple[ToolSpec, ...]) -> bool:
    """True if rules select a tool, under any of its names; one that excludes it decides."""
    matching = [rule for rule in rules if any(rule.matches(spec) for spec in specs)]
    return bool(matching) and not any(rule.exclude for rule in matching)


def permit(call: LiveCall, proceed: Next) -> Awaitable[Result]:
    """Let a call pass when its tool is allowed here; the listing follows the same rule."""
    permissions = call.settings.permissions
    refusal = None if permissions.is_open else permissions.refusal(call.tool)
    return proceed(call) if refusal is None else ended(refusal)
