"""A tool spec in, what follows from its grade out: the one table of default policy."""

from __future__ import annotations

from typing import NamedTuple

from zkit.receipt import Rank
from zkit.tools.spec import ToolSpec


class Policy(NamedTuple):
    """How a tool is treated.

    `remember`: its results may be remembered. `clear`: it clears what was remembered. `parallel`:
    it may run beside others. `retry`: a transient failure may be tried again. `limit`: the highest
    rank of repair with which it runs. `unmarked`: it runs when the call was found in text by its
    shape alone.
    """

    remember: bool
    clear: bool
    parallel: bool
    retry: bool
    limit: Rank
    unmarked: bool


# By world coupling: 0 pure, 1 read, 2 execute, 3 write.
BY_COUPLING: tuple[Policy, ...] = (
    Policy(True, False, True, True, Rank.GUESS, True),
    Policy(True, False, True, True, Rank.GUESS, True),
    Policy(False, True, False, False, Rank.COMPLETE, False),
    Policy(False, True, False, False, Rank.COMPLETE, False),
)


def policy_for(spec: ToolSpec) -> Policy:
    """Return the policy of the tool's grade, with what the tool itself declares."""
    policy = BY_COUPLING[spec.grade.w]
    declared = (spec.cacheable, None, spec.parallel, spec.idempotent, spec.limit, spec.unmarked)
    if declared == _NOTHING:
        return policy
    pairs = zip(declared, policy, strict=True)
    return Policy(*(own if own is not None else default for own, default in pairs))  # type: ignore[arg-type]


_NOTHING = (None,) * len(Policy._fields)
