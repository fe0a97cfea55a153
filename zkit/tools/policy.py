"""The tables of default policy: what follows from a tool's grade."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

from zkit.calls import Position, Tier
from zkit.grade import Grade
from zkit.receipt import Rank
from zkit.tools.spec import ToolSpec


class Policy(NamedTuple):
    """How a tool is treated.

    `remember`: its results may be remembered. `clear`: it clears what was remembered. `parallel`:
    it may run beside others. `retry`: a transient failure may be tried again. `limit`: the highest
    rank of repair with which it runs.
    """

    remember: bool
    clear: bool
    parallel: bool
    retry: bool
    limit: Rank


# By world coupling: 0 pure, 1 read, 2 execute, 3 write.
BY_COUPLING: tuple[Policy, ...] = (
    Policy(True, False, True, True, Rank.GUESS),
    Policy(True, False, True, True, Rank.GUESS),
    Policy(False, True, False, False, Rank.COMPLETE),
    Policy(False, True, False, False, Rank.COMPLETE),
)


def policy_for(spec: ToolSpec) -> Policy:
    """Return the policy of the tool's grade, with what the tool itself declares."""
    policy = BY_COUPLING[spec.effective_grade.w]
    declared = (spec.cacheable, None, spec.parallel, spec.idempotent, spec.limit)
    if declared == _NOTHING:
        return policy
    pairs = zip(declared, policy, strict=True)
    return Policy(*(own if own is not None else default for own, default in pairs))  # type: ignore[arg-type]


_NOTHING = (None,) * len(Policy._fields)


Action = Literal["run", "confirm"]
Evidence = Literal["marked", "shape", "followed"]

# What happens to a call that was found in text, by its evidence and by the grade of its tool:
# undeclared, declared w 0 or 1, declared w 2 or 3.
TEXT_CALLS: Mapping[Evidence, tuple[Action, Action, Action]] = {
    "marked": ("run", "run", "run"),  # a marker and nothing after it, or a reply that is only calls
    "shape": ("run", "run", "confirm"),
    "followed": ("confirm", "run", "confirm"),  # by more text, whatever the tier
}


def text_call_action(grade: Grade | None, tier: Tier, position: Position) -> Action:
    """Return what happens to a call: it runs, or somebody must confirm it first.

    `grade` is the declared one, None for a tool that declares none. Native calls always run.
    """
    if tier == "native":
        return "run"
    column = 0 if grade is None else 1 if grade.w <= 1 else 2
    if position == "followed":
        return TEXT_CALLS["followed"][column]
    return TEXT_CALLS["shape" if tier == "shape" else "marked"][column]
