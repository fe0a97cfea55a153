"""A call in, its result out if the operator allows the tool, a refusal if not."""

from __future__ import annotations

from zkit.dispatch.live import LiveCall, Next
from zkit.results import Result


async def permit(call: LiveCall, proceed: Next) -> Result:
    """Let a call pass when its tool is allowed here; the listing follows the same rule."""
    permissions = call.settings.permissions
    refusal = None if permissions.is_open else permissions.refusal(call.tool)
    return await proceed(call) if refusal is None else refusal
