"""A run as a task: calls inside it share a memory and a ledger, which end with it."""

from __future__ import annotations

from zkit.chat.replies.call_checker import new_id
from zkit.tools import Scope, current_scope


def begin_task(
    workspace: str = "", seconds: float | None = None, resumed: str = "", role: str = ""
) -> Scope:
    """A task of its own inside whatever runs here; it must be ended.

    A generator cannot hold a context open while its caller runs, so each step of a run enters the
    scope and leaves it. A task that is `resumed` keeps its name, so that the keys of its calls
    stay what they were.
    """
    outer = current_scope()
    task = resumed or (f"{outer.task}/{new_id()}" if outer.task else new_id())
    given = {"workspace": workspace or outer.workspace, "role": role or outer.role}
    return outer.inner(task, timeout=seconds, **given)
