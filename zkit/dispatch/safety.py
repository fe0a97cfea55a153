"""A step of the chain and a call in, a result out, whatever the step does."""

from __future__ import annotations

import logging

from zkit.dispatch.live import LiveCall, Next
from zkit.results import Crashed, Failure, Result

log = logging.getLogger("zkit")
_CAUSE = "the dispatcher could not handle the call"


async def step_result(step: Next, call: LiveCall) -> Result:
    """Take a step; what it raises is a result too, and so is what is no result."""
    try:
        result = await step(call)
    except Failure as failure:
        return failure
    except Exception:
        log.exception("a step of the dispatcher failed on a call of %r", call.name)
        return Crashed(_CAUSE)
    if isinstance(result, Result):
        return result
    log.error("a step of the dispatcher returned %r for a call of %r", result, call.name)
    return Crashed(_CAUSE)
