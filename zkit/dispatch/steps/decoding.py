"""A call with arguments as the model sent them in, the same call with decoded arguments out."""

from __future__ import annotations

from typing import Any

from zkit.dispatch.live import LiveCall, Next
from zkit.receipt import Rank
from zkit.results import Failure, Result
from zkit.tools import FrozenDict, freeze, thaw
from zkit.tools.decoding import json_arguments

_SCALARS = (str, int, float, bool, type(None))


async def decode(call: LiveCall, proceed: Next) -> Result:
    """Read the arguments, as far as the tool's grade allows; what was cut off never runs."""
    limit = min(call.policy.limit, Rank.GUESS)
    decoded = json_arguments(call.tool, call, limit, call.finish_reason)
    if isinstance(decoded, Failure):
        return decoded
    ready = call.with_arguments(
        sealed(decoded.value), call.fixes + decoded.fixes, max(call.rank, decoded.rank)
    )
    call.trace.call = ready
    return await proceed(ready)


def sealed(arguments: dict[str, Any]) -> dict[str, Any]:
    """Return arguments that nobody can change on the way."""
    if all(isinstance(value, _SCALARS) for value in arguments.values()):
        return FrozenDict(arguments)
    frozen: dict[str, Any] = freeze(arguments)
    return frozen


def opened(arguments: dict[str, Any]) -> dict[str, Any]:
    """Return a copy of the arguments that a tool may change."""
    if all(isinstance(value, _SCALARS) for value in arguments.values()):
        return dict(arguments)
    plain: dict[str, Any] = thaw(arguments)
    return plain
