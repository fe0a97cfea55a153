"""Answer a call from memory, or let it run and remember the result."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Any

from zkit.calls import Call
from zkit.dispatch.guards import guarded_hit
from zkit.dispatch.live_call import LiveCall, Next
from zkit.results import Result, Success
from zkit.sources import Memory
from zkit.tools import current_scope


def remember(call: LiveCall, proceed: Next) -> Awaitable[Result]:
    """Answer from memory inside a task, with the memory that `MemoSource` uses.

    Outside of any task nothing is remembered, because nothing would end it, unless the operator
    passed a memory. A call that may change something always clears the memory.
    """
    settings, policy = call.settings, call.policy
    memory = settings.memory
    is_asked = policy.remember and (settings.remember_always or current_scope().task)
    if memory is None or not (is_asked or policy.clear):
        return proceed(call)
    return _remembered(memory, call, proceed)


async def _remembered(memory: Memory, call: LiveCall, proceed: Next) -> Result:
    async def inner(same: Call) -> Result:
        return await proceed(call)

    result = await memory.run(call.tool, call, inner, policy=call.policy)
    return await guarded_hit(call, result) if _is_hit(result) else result


def _is_hit(result: Result) -> bool:
    meta: Any = result.meta  # type: ignore[attr-defined]
    return isinstance(result, Success) and bool(meta.get("cached"))
