"""A call that may run in, what its tool made of it out, whatever the tool does."""

from __future__ import annotations

from typing import Any

from anyio import get_cancelled_exc_class

from zkit.dispatch.live import LiveCall, plain_call
from zkit.dispatch.steps.approving import is_settled
from zkit.dispatch.steps.decoding import opened
from zkit.dispatch.steps.discretion import discreet
from zkit.dispatch.steps.promises import kept
from zkit.results import Crashed, Refused, Result
from zkit.tools.outcomes import failure_of


async def run(call: LiveCall) -> Result:
    """Run the tool: the end of every chain."""
    if not is_settled(call):
        return Refused(f"{call.name} would run with other arguments than were approved", "approval")
    call.trace.ran = True
    call.trace.attempts += 1
    try:
        result = await call.settings.execute(call.tool, plain_call(call, opened(call.arguments)))
    except (get_cancelled_exc_class(), KeyboardInterrupt, GeneratorExit):
        raise
    except BaseException as error:  # such as the SystemExit of a command line used as a tool
        result = failure_of(_as_exception(error), call.name)
    if isinstance(result, Crashed):
        return discreet(result)
    return kept(call.tool, result)


def _as_exception(error: BaseException) -> Any:
    return error
