"""The steps of every call, outermost first, and how they are linked."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from zkit.dispatch.approval import approve
from zkit.dispatch.budgets import spend
from zkit.dispatch.dispatch_settings import Settings
from zkit.dispatch.guards import guard
from zkit.dispatch.live_call import Middleware, Next
from zkit.dispatch.memo_step import remember
from zkit.dispatch.observation import observe
from zkit.dispatch.permissions import permit
from zkit.dispatch.recorder import record
from zkit.dispatch.retries import retry
from zkit.dispatch.run_step import run
from zkit.dispatch.timeout import limit_time
from zkit.dispatch.tool_lookup import decode_arguments, resolve
from zkit.required import require_function, require_list

CHAIN: tuple[Middleware, ...] = (
    observe,  # hooks, numbers, spans: sees every outcome
    resolve,  # a name to its tool, or the nearest names
    decode_arguments,  # arguments to what the tool takes, as far as its grade allows
    permit,  # what the operator allows
    approve,  # what needs approval
    spend,  # what the task may cost
    remember,  # results that are remembered
    guard,  # checks before and after
    record,  # what changed in files
    retry,  # what time may fix
    limit_time,  # what takes too long
)


# Steps that do nothing unless something is configured for them.
_NEEDED: Mapping[Middleware, Callable[[Settings], bool]] = {
    permit: lambda settings: not settings.permissions.is_open,
    remember: lambda settings: settings.memory is not None,
    guard: lambda settings: bool(settings.call_guards),
    record: lambda settings: settings.recorder is not None,
}


def linked(chain: Sequence[Middleware], settings: Settings, last: Next = run) -> Next:
    """Return the first step, linked to the others and finally to the tool.

    Steps for which nothing is configured are left out.
    """
    step = last
    for middleware in reversed(chain):
        if middleware not in _NEEDED or _NEEDED[middleware](settings):
            step = _before(middleware, step)
    return step


def checked_chain(chain: Sequence[Middleware]) -> tuple[Middleware, ...]:
    """Return the steps of a chain; raise if they are invalid."""
    require_list("chain", chain, "steps")
    for middleware in chain:
        require_function("a step of the chain", middleware)
    return tuple(chain)


def _before(middleware: Middleware, proceed: Next) -> Next:
    return lambda call: middleware(call, proceed)


def with_step(
    step: Middleware, *, before: Middleware | None = None, after: Middleware | None = None
) -> tuple[Middleware, ...]:
    """Return the default chain with one more step, right before or right after another one."""
    beside = before or after
    if beside is None or (before and after):
        raise ValueError("say either before which step or after which one")
    at = CHAIN.index(beside) + (after is not None)
    return (*CHAIN[:at], step, *CHAIN[at:])
