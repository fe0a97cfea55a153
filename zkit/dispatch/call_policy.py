"""How the calls of a tool are treated: the table by grade, and what the operator changed in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from functools import partial

from zkit.errors import KitError, ZkitError
from zkit.json_types import JsonMapping, JsonObject
from zkit.receipt import Rank
from zkit.required import (
    require_count,
    require_flag,
    require_mapping,
    require_rank,
    require_seconds,
)
from zkit.sources.kit_rules import Rule, rule_of
from zkit.sources.source import spec_or_none
from zkit.tools import Tool, ToolSpec, policy_for

Changes = JsonMapping
Cells = Mapping[int, Changes] | Mapping[str, Changes] | Mapping[int | str, Changes]
_DEEPEST = 16


class PolicyError(ZkitError, ValueError):
    """A policy that names no tools, or a cell that does not exist."""


@dataclass(frozen=True, slots=True)
class CallPolicy:
    """How the calls of one tool are treated.

    The first five follow from the tool's grade (`zkit.tools.policy`). `approve`: somebody must
    approve each call; None leaves it to what the tool declares as destructive. `confirm`: a call in
    text must be confirmed; None leaves it to the table `TEXT_CALLS`. `timeout` is in
    seconds, None for no limit. `attempts` counts the first one.
    """

    remember: bool
    clear: bool
    parallel: bool
    retry: bool
    limit: Rank
    approve: bool | None = None
    confirm: bool | None = None
    timeout: float | None = None
    attempts: int = 3


CELLS = frozenset(entry.name for entry in fields(CallPolicy))
_CHECKS: Mapping[str, Callable[[str, object], None]] = {
    "limit": require_rank,
    "approve": partial(require_flag, or_none=True),
    "confirm": partial(require_flag, or_none=True),
    "timeout": partial(require_seconds, above_zero=True, or_none=True),
    "attempts": partial(require_count, least=1),
}
"""What a cell may hold; all others hold True or False."""


def checked_cells(cells: Cells) -> Cells:
    """Return the operator's cells; raise `PolicyError` if one is invalid."""
    require_mapping("policy", cells)
    for where, changes in cells.items():
        if isinstance(where, str):
            _rule(where)
        elif where not in range(4):
            raise PolicyError(f"policy: a column of the table is 0 to 3, not {where!r}")
        place = f"policy[{where!r}]"
        require_mapping(place, changes)
        unknown = [name for name in changes if name not in CELLS]
        if unknown:
            there = ", ".join(sorted(CELLS))
            raise PolicyError(f"{place}: there is no {unknown[0]!r}; there are {there}")
        for name, value in changes.items():
            _CHECKS.get(name, require_flag)(f"{place}[{name!r}]", value)
    return cells


def specs_of(tool: Tool) -> tuple[ToolSpec, ...]:
    """Return the specs of a tool: as it is shown here, then under its other names.

    A kit may show a tool under another name; a rule about either name applies to the tool. Empty,
    with a warning, if `definition()` raises.
    """
    found: list[ToolSpec] = []
    inner: Tool | None = tool
    while inner is not None and len(found) < _DEEPEST:
        spec = spec_or_none(inner)
        if spec is None:
            return ()
        found.append(spec)
        inner = getattr(inner, "inner", None)
    return tuple(found)


def call_policy(tool: Tool, cells: Cells, timeout: float | None, attempts: int) -> CallPolicy:
    """Return the policy of a tool.

    The table by grade, then what the tool declares, then what the operator set: by column of the
    table (0 to 3), or by an entry such as `read_*`, `@mcp` or `#files`; later entries win.
    """
    specs = specs_of(tool)
    spec = specs[0] if specs else tool.definition()
    own = CallPolicy(
        *policy_for(spec),
        timeout=spec.timeout if spec.timeout is not None else timeout,
        attempts=attempts,
    )
    for where, changes in cells.items():
        if isinstance(where, int):
            applies = where == spec.effective_grade.w
        else:
            applies = any(_rule(where).matches(one) for one in specs)
        own = replace(own, **_read(changes)) if applies else own
    return own


def _read(changes: Changes) -> JsonObject:
    """Return a cell as the policy stores it: rank `CUT` never runs, whatever is set."""
    if "limit" not in changes:
        return {**changes}
    return {**changes, "limit": min(Rank.of(changes["limit"]), Rank.GUESS)}


def _rule(entry: str) -> Rule:
    try:
        rule = rule_of(entry)
    except KitError as error:
        raise PolicyError(f"policy: {error}") from error
    if rule.exclude:
        raise PolicyError(f"policy: {entry!r} selects what it is not about")
    return rule
